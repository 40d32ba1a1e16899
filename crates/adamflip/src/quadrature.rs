//! Nodes and weights of integrals over an interval.

/// Gauss and Legendre's rule on (−1, 1), exact for polynomials of degree below twice the number of its nodes:
/// in rising order, with their weights. Newton's method finds the zeros of the Legendre polynomial from
/// Tricomi's estimate (Szegő, *Orthogonal Polynomials*, 6.21), which lies closer to its zero than to any
/// other.
pub(crate) fn legendre(count: usize) -> Vec<(f64, f64)> {
    let node = |i: usize| {
        let mut x = -(std::f64::consts::PI * (i as f64 + 0.75) / (count as f64 + 0.5)).cos();
        // Four steps at the most; the middle one of an odd number is zero.
        for _ in 0..10 {
            let Legendre { value, slope, .. } = Legendre::at(count, x);
            let step = value / slope;
            x -= step;
            if step.abs() <= f64::EPSILON * x.abs() {
                break;
            }
        }
        if 2 * i + 1 == count { 0.0 } else { x }
    };
    let lower = (0..count.div_ceil(2)).map(|i| {
        let x = node(i);
        (x, 1.0 / Legendre::at(count, x).squares)
    });
    let mut rule: Vec<(f64, f64)> = lower.collect();
    for i in count.div_ceil(2)..count {
        let (x, weight) = rule[count - 1 - i];
        rule.push((-x, weight));
    }
    rule
}

/// A Legendre polynomial at a point inside (−1, 1).
struct Legendre {
    value: f64,
    slope: f64,
    /// Σ (k + ½)P_k² over those of lower degree, whose reciprocal is the weight of a node: unlike formulas
    /// with the slope it does not mind nodes close to the ends.
    squares: f64,
}

impl Legendre {
    /// By the recurrence (k + 1)P_{k+1} = (2k + 1)xP_k − kP_{k−1}.
    fn at(degree: usize, x: f64) -> Self {
        let (mut before, mut value, mut squares) = (0.0, 1.0, 0.0);
        for k in 0..degree {
            let k = k as f64;
            squares += (k + 0.5) * value * value;
            (before, value) = (value, ((2.0 * k + 1.0) * x * value - k * before) / (k + 1.0));
        }
        let slope = degree as f64 * (before - x * value) / (1.0 - x * x);
        Self { value, slope, squares }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::SymmetricEigen;

    /// Golub and Welsch: nodes are the eigenvalues of the recurrence's matrix, weights the squares of the
    /// first entries of its eigenvectors.
    #[test]
    fn nodes_are_eigenvalues() {
        for count in [1, 2, 3, 8, 33, 128] {
            let mut matrix = vec![0.0; count * count];
            for k in 1..count {
                matrix[k * count + k - 1] = k as f64 / ((4 * k * k) as f64 - 1.0).sqrt();
            }
            let mut eigen = SymmetricEigen::new(count);
            eigen.decompose(&matrix).unwrap();
            for (at, (x, weight)) in legendre(count).into_iter().enumerate() {
                let first = eigen.vectors[at * count];
                // Rounding of an eigenvalue problem of norm 1, and of its vectors, whose gaps are above 1e-3.
                assert!((x - eigen.values[at]).abs() < 1e-14, "{count} {at}");
                assert!((weight - 2.0 * first * first).abs() < 1e-13, "{count} {at}");
            }
        }
    }

    #[test]
    fn powers_are_integrated() {
        for count in [1, 2, 5, 8, 40] {
            for power in 0..2 * count as i32 {
                let sum: f64 = legendre(count).iter().map(|(x, weight)| weight * x.powi(power)).sum();
                let exact = if power % 2 == 0 { 2.0 / f64::from(power + 1) } else { 0.0 };
                // Sums of terms below 1.
                assert!((sum - exact).abs() < 4e-15, "{count} {power}: {sum}");
            }
        }
    }
}
