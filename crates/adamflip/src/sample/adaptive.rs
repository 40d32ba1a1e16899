//! Which points of a pool to train on, by the residuals there.
//!
//! C. Wu, M. Zhu, Q. Tan, Y. Kartha and L. Lu, *A comprehensive study of non-adaptive and residual-based
//! adaptive sampling for physics-informed neural networks*, Comput. Methods Appl. Mech. Eng. 403 (2023).
//! `train` draws the pool and knows the residuals there.

use std::collections::BinaryHeap;

use rand::Rng;

use super::{BITS, fraction};

/// RAD: draws `count` of the pool without replacement, each with a probability in proportion to
/// |r|^power / mean |r|^power + floor. Indices in ascending order; all of the pool if it is no larger. A
/// residual that is no finite number counts as the largest.
///
/// Each point waits an exponential time at the rate of its weight, and the first to ring are drawn: the same
/// law as drawing one after the other (P. S. Efraimidis and P. G. Spirakis, *Weighted random sampling with a
/// reservoir*, Inf. Process. Lett. 97, 2006).
pub fn rad(residuals: &[f64], count: usize, power: f64, floor: f64, rng: &mut impl Rng) -> Vec<usize> {
    let weights = weights(residuals, power, floor);
    let waits: Vec<f64> = weights
        .iter()
        .map(|weight| {
            let wait = wait(rng) / weight;
            // Without a weight, or with one that is no number, it never rings.
            if wait >= 0.0 { wait } else { f64::INFINITY }
        })
        .collect();
    first(count, residuals.len(), |a, b| waits[a].total_cmp(&waits[b]))
}

/// Any `count` of so many, each with the same probability: those that [`rad`] draws by equal residuals,
/// without a number for each. Indices in ascending order; all if there are no more.
pub fn any(total: usize, count: usize, rng: &mut impl Rng) -> Vec<usize> {
    // Those who wait least up to now, on top the one who waits longest. Waits are no less than zero, so that
    // their bits have their order.
    let mut least = BinaryHeap::with_capacity(count.min(total) + 1);
    for index in 0..total {
        least.push(((wait(rng) + 0.0).to_bits(), index));
        if least.len() > count {
            least.pop();
        }
    }
    let mut indices: Vec<usize> = least.into_iter().map(|(_, index)| index).collect();
    indices.sort_unstable();
    indices
}

/// An exponential time at the rate of one.
fn wait(rng: &mut impl Rng) -> f64 {
    -fraction(rng.next_u64() >> (64 - BITS)).ln()
}

/// RAR: the `count` points with the largest |r|, the earlier ones among equals. Indices in ascending order;
/// all of the pool if it is no larger. A residual that is not a number counts as the largest.
pub fn rar(residuals: &[f64], count: usize) -> Vec<usize> {
    let size = |index: usize| if residuals[index].is_nan() { f64::INFINITY } else { residuals[index].abs() };
    first(count, residuals.len(), |a, b| size(b).total_cmp(&size(a)))
}

fn weights(residuals: &[f64], power: f64, floor: f64) -> Vec<f64> {
    let finite = residuals.iter().map(|r| r.abs()).filter(|r| r.is_finite());
    let largest = finite.fold(0.0, f64::max);
    if largest == 0.0 {
        let broken = residuals.iter().any(|r| !r.is_finite());
        // All zero: no point is better than another. Zero or broken: the broken ones are what is wrong.
        let weight = |r: &f64| if broken && r.is_finite() { floor } else { floor + 1.0 };
        return residuals.iter().map(weight).collect();
    }
    // Relative to the largest, which the mean cancels, so that no power overflows.
    let relative = |r: &f64| if r.is_finite() { (r.abs() / largest).powf(power) } else { 1.0 };
    let relative: Vec<f64> = residuals.iter().map(relative).collect();
    let mean = relative.iter().sum::<f64>() / relative.len() as f64;
    relative.into_iter().map(|value| value / mean + floor).collect()
}

/// The `count` first of `0..total` in this order, by index.
fn first(count: usize, total: usize, order: impl Fn(usize, usize) -> std::cmp::Ordering) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..total).collect();
    if count < total {
        indices.select_nth_unstable_by(count, |&a, &b| order(a, b).then(a.cmp(&b)));
        indices.truncate(count);
    }
    indices.sort_unstable();
    indices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::stream;

    #[test]
    fn the_largest_residuals_are_refined() {
        let residuals = [0.1, -3.0, f64::NAN, 0.0, 2.0, -3.0, f64::NEG_INFINITY];
        assert_eq!(rar(&residuals, 2), [2, 6]);
        assert_eq!(rar(&residuals, 3), [1, 2, 6]);
        assert_eq!(rar(&residuals, 5), [1, 2, 4, 5, 6]);
        assert_eq!(rar(&residuals, 99), Vec::from_iter(0..7));
        assert!(rar(&residuals, 0).is_empty() && rar(&[], 3).is_empty());
    }

    #[test]
    fn any_are_those_of_equal_residuals() {
        for (total, count) in [(0, 3), (1, 0), (1, 1), (50, 7), (50, 49), (50, 50), (50, 99), (4_000, 300)] {
            let (mut one, mut other) = (stream(5, 1), stream(5, 1));
            assert_eq!(any(total, count, &mut one), rad(&vec![1.0; total], count, 1.0, 0.0, &mut other));
            assert_eq!(one.next_u64(), other.next_u64(), "as many numbers are drawn");
        }
    }

    /// One of four is drawn, with weights 1, 2, 3, 6 over their mean and a floor of 1/2: probabilities
    /// (w / 3 + 1/2) / 6. Over n runs a frequency errs by sqrt(p (1 - p) / n), of which four times are
    /// allowed.
    #[test]
    fn frequencies_are_the_weights() {
        let residuals = [1.0, -2.0, 3.0, -6.0];
        let runs = 20_000;
        let mut counts = [0u32; 4];
        let mut rng = stream(1, 0);
        for _ in 0..runs {
            counts[rad(&residuals, 1, 1.0, 0.5, &mut rng)[0]] += 1;
        }
        for (r, count) in residuals.iter().zip(counts) {
            let expected = (r.abs() / 3.0 + 0.5) / 6.0;
            let error = f64::from(count) / f64::from(runs) - expected;
            assert!(error.abs() < 4.0 * (expected * (1.0 - expected) / f64::from(runs)).sqrt(), "{counts:?}");
        }
    }

    /// Two of three without replacement, weights 1, 2, 3: the first is missing with probability
    /// (2·3/4 + 3·2/3) / 6 = 7/12.
    #[test]
    fn draws_are_without_replacement() {
        let mut rng = stream(2, 0);
        let runs = 20_000;
        let mut missing = 0;
        for _ in 0..runs {
            let drawn = rad(&[1.0, 2.0, 3.0], 2, 1.0, 0.0, &mut rng);
            assert!(drawn.len() == 2 && drawn[0] < drawn[1]);
            missing += u32::from(drawn == [1, 2]);
        }
        // The first is missing if 2 and 3 are drawn: 2/6 · 3/4 + 3/6 · 2/3. Four standard errors.
        let expected = 2.0 / 6.0 * 3.0 / 4.0 + 3.0 / 6.0 * 2.0 / 3.0;
        assert!(
            (f64::from(missing) / f64::from(runs) - expected).abs()
                < 4.0 * (0.25f64 / f64::from(runs)).sqrt()
        );
    }

    #[test]
    fn numbers_that_are_none_count_as_the_largest() {
        let mut residuals = vec![0.0; 100];
        residuals[17] = f64::NAN;
        residuals[3] = f64::INFINITY;
        assert_eq!(rad(&residuals, 2, 1.0, 0.0, &mut stream(0, 0)), [3, 17]);
        residuals[50] = 1e300;
        assert_eq!(rad(&residuals, 3, 2.0, 0.0, &mut stream(0, 0)), [3, 17, 50]);
        assert_eq!(rad(&residuals, 100, 2.0, 0.0, &mut stream(0, 0)).len(), 100);
        assert_eq!(rad(&[f64::NAN; 5], 2, 1.0, 1.0, &mut stream(0, 0)).len(), 2);
    }

    /// Of residuals without difference, or with the power 0, every point is as likely: the mean index of half
    /// of a thousand is 499.5 with a standard error of 289 / sqrt(500) · sqrt(1/2) = 9.1.
    #[test]
    fn equal_residuals_are_drawn_evenly() {
        let mut varied = vec![1.0; 1000];
        varied[..500].fill(1e-3);
        for (residuals, power) in [(vec![0.0; 1000], 1.0), (varied, 0.0)] {
            let drawn = rad(&residuals, 500, power, 0.0, &mut stream(3, 0));
            let mean = drawn.iter().sum::<usize>() as f64 / 500.0;
            assert!((mean - 499.5).abs() < 4.0 * 9.1, "{mean}");
            assert_eq!(drawn, rad(&residuals, 500, power, 0.0, &mut stream(3, 0)));
        }
    }
}
