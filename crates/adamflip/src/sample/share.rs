//! A number of points shared among pieces of unequal size.

/// Whole shares of `count` in proportion to the measures, by largest remainder: every share is its quota
/// rounded down or up, except that no share is empty when there are enough to go round.
pub(super) fn proportional(count: usize, measures: &[f64]) -> Vec<usize> {
    let quotas = quotas(count, measures);
    let least = usize::from(count >= measures.len());
    let mut shares: Vec<usize> = quotas.iter().map(|&quota| (quota as usize).max(least)).collect();
    let owed = |shares: &[usize], index: usize| quotas[index] - shares[index] as f64;
    // At most one turn a piece: the shares start within one of their quotas, and the quotas add up to the
    // count.
    while shares.iter().sum::<usize>() < count {
        let first_largest =
            (0..shares.len()).rev().max_by(|&a, &b| owed(&shares, a).total_cmp(&owed(&shares, b)));
        let Some(index) = first_largest else { break };
        shares[index] += 1;
    }
    while shares.iter().sum::<usize>() > count {
        let candidates = (0..shares.len()).filter(|&index| shares[index] > least);
        let Some(index) = candidates.min_by(|&a, &b| owed(&shares, a).total_cmp(&owed(&shares, b))) else {
            break;
        };
        shares[index] -= 1;
    }
    shares
}

/// The exact shares, not yet whole. Equal where the measures do not add up to a usable number.
fn quotas(count: usize, measures: &[f64]) -> Vec<f64> {
    let total: f64 = measures.iter().sum();
    let portion =
        |measure: f64| if total.is_normal() { measure / total } else { 1.0 / measures.len() as f64 };
    measures.iter().map(|&measure| count as f64 * portion(measure)).collect()
}

#[cfg(test)]
mod tests {
    use super::proportional;

    #[test]
    fn remainders_go_to_the_largest() {
        assert_eq!(proportional(10, &[1.0, 1.0, 1.0]), [4, 3, 3]);
        assert_eq!(proportional(100, &[3.0, 1.0]), [75, 25]);
        assert_eq!(proportional(7, &[1.0, 2.0, 4.0]), [1, 2, 4]);
    }

    #[test]
    fn nobody_goes_empty_when_there_is_enough() {
        assert_eq!(proportional(10, &[1e-9, 1.0, 1e-9]), [1, 8, 1]);
        assert_eq!(proportional(3, &[1e9, 1.0, 1.0]), [1, 1, 1]);
        assert_eq!(proportional(2, &[1.0, 5.0, 5.0]), [0, 1, 1]);
    }

    #[test]
    fn shares_always_add_up() {
        for count in [0, 1, 2, 3, 17, 1000, 999_983] {
            for measures in [
                vec![1.0],
                vec![0.1, 0.2, 0.3],
                vec![0.0, 0.0],
                vec![1e308, 1e308],
                vec![1e-300; 7],
                vec![f64::INFINITY, 1.0],
            ] {
                let shares = proportional(count, &measures);
                assert_eq!(shares.iter().sum::<usize>(), count, "{count} among {measures:?}: {shares:?}");
            }
        }
        assert!(proportional(5, &[]).is_empty());
    }
}
