//! Mean and deviation of a number over the seeds.

use serde::Serialize;

/// What several runs have in common.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Not a number where no run has one.
    pub mean: f64,
    /// The standard deviation of the sample, with n − 1; one number has none.
    pub deviation: Option<f64>,
    /// How many runs have the number.
    pub count: usize,
    /// How many there should be.
    pub of: usize,
}

impl Spread {
    /// Of the numbers of all runs, of which those that are not finite do not count.
    pub fn of(numbers: &[f64]) -> Self {
        let known: Vec<f64> = numbers.iter().copied().filter(|number| number.is_finite()).collect();
        let count = known.len();
        let mean = known.iter().sum::<f64>() / count as f64;
        let squares: f64 = known.iter().map(|number| (number - mean).powi(2)).sum();
        let deviation = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        Self { mean, deviation, count, of: numbers.len() }
    }

    /// Does every run have the number?
    pub fn is_whole(&self) -> bool {
        self.count == self.of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_by_hand() {
        // Deviations −3, −1, −1, −1, 0, 0, 2, 4: squares add up to 32, and 32/7 has the root 2.138….
        let spread = Spread::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((spread.mean, spread.count, spread.of), (5.0, 8, 8));
        // One rounding of a division and one of a root.
        assert!((spread.deviation.unwrap() - 2.138_089_935_299_395).abs() < 1e-14);
        // 1 and 3: the mean is 2, the squares add up to 2, n − 1 = 1.
        assert_eq!(Spread::of(&[1.0, 3.0]).deviation, Some(2f64.sqrt()));
    }

    #[test]
    fn one_number_has_no_deviation() {
        let spread = Spread::of(&[0.25]);
        assert_eq!((spread.mean, spread.deviation, spread.is_whole()), (0.25, None, true));
    }

    #[test]
    fn what_is_not_a_number_is_counted_apart() {
        let spread = Spread::of(&[1.0, f64::NAN, 2.0, f64::INFINITY]);
        assert_eq!((spread.mean, spread.count, spread.of, spread.is_whole()), (1.5, 2, 4, false));
        let none = Spread::of(&[f64::NAN]);
        assert!(none.mean.is_nan() && none.deviation.is_none() && none.count == 0);
    }
}
