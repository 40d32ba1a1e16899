//! What was measured of a term at fresh points, and what it says of all points of its place.
//!
//! Two statements hold with 95% confidence each, if n fresh points are drawn at random:
//!
//! - The mean square over the place is below m + s·(z/√(n − 1) + g(2z² + 1)/6n), with mean m, deviation s and
//!   skewness g of the squares, each averaged over the equations at its point, and z = 1.645: the normal
//!   bound with the correction of N. J. Johnson (J. Am. Stat. Assoc. 73, 1978) for a skew that would make it
//!   too low, as where few points carry most of the square. Latin points never have more than n/(n − 1) of
//!   the variance of independent ones (A. B. Owen, SIAM J. Numer. Anal. 34, 1997), hence n − 1, and mostly
//!   much less. It is a bound of large n: where peaks carry most of the square that few of the points or none
//!   has met, it covers the mean less often (squares z⁸ of normal z, n = 1000: in 84 of 100 draws).
//! - The violation exceeds the largest found on less than 1 − 0.05^(1/n) of the place, whatever its
//!   distribution: all n points miss a part of share p with probability (1 − p)ⁿ. Latin points miss it no
//!   more often along one coordinate, and along several by a factor of the order of 1 + ln(n)/n at the most.
//!   A larger residual that was found by other means leaves less above it.

use crate::problem::Measure;

/// The confidence of every bound, one-sided.
pub const CONFIDENCE: f64 = 0.95;
/// z, below which a normal number is with this confidence.
const QUANTILE: f64 = 1.644_853_626_951_472_7;

/// The residuals of a term at fresh points.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The number of the term.
    pub term: usize,
    /// Its name.
    pub name: String,
    /// What the file asks of it: a measure and its limit.
    pub tolerance: Option<(Measure, f64)>,
    /// The points at which it was measured: not those of training, unless the term observes data.
    pub points: usize,
    /// The mean square over points and equations.
    pub mse: f64,
    /// The largest absolute residual, at these points and close to the worst of them; not a number where one
    /// is not.
    pub max: f64,
    /// The point where it is largest.
    pub worst: Vec<f64>,
    /// What the mean square over the whole place is below with 95% confidence; `None` where nothing was drawn
    /// at random: for observations and single points.
    pub mse_bound: Option<f64>,
    /// With 95% confidence the violation exceeds `max` on less than this share of the place; `None` likewise.
    pub exceeded_share: Option<f64>,
}

impl Violation {
    /// The root of the mean square.
    pub fn rms(&self) -> f64 {
        self.mse.sqrt()
    }

    /// What the root of the mean square over the whole place is below with 95% confidence.
    pub fn rms_bound(&self) -> Option<f64> {
        self.mse_bound.map(f64::sqrt)
    }

    /// What was measured of what a tolerance limits.
    pub fn measured(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Max => self.max,
            Measure::Rms => self.rms(),
            Measure::Mse => self.mse,
        }
    }

    /// The upper bound of what a tolerance limits, where there is one.
    pub fn bound(&self, measure: Measure) -> Option<f64> {
        match measure {
            Measure::Max => None,
            Measure::Rms => self.rms_bound(),
            Measure::Mse => self.mse_bound,
        }
    }

    /// Is the tolerance of its term met, by the upper bound where there is one? `None` where the file asks
    /// for none.
    pub fn is_met(&self) -> Option<bool> {
        let (measure, limit) = self.tolerance?;
        Some(self.bound(measure).unwrap_or_else(|| self.measured(measure)) < limit)
    }
}

/// The residuals of a term, point by point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sizes {
    /// The mean square over the equations.
    squares: Vec<f64>,
    /// The largest absolute residual of any equation.
    pub(crate) largest: Vec<f64>,
    /// Which of the residuals at the point it is.
    pub(super) residual: Vec<usize>,
}

impl Sizes {
    /// From one column an equation.
    pub(crate) fn of(columns: &[Vec<f64>], points: usize) -> Self {
        let at = |i: usize| columns.iter().map(move |column| column[i]);
        let square = |i: usize| at(i).map(|r| r * r).sum::<f64>() / columns.len().max(1) as f64;
        // What is not a number is above all numbers in the total order.
        let largest = |i: usize| {
            let worst = at(i).map(f64::abs).enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
            worst.map_or((0.0, 0), |(residual, size)| (size, residual))
        };
        let (largest, residual) = (0..points).map(largest).unzip();
        Self { squares: (0..points).map(square).collect(), largest, residual }
    }

    pub(super) fn mean(&self) -> f64 {
        self.squares.iter().sum::<f64>() / self.squares.len().max(1) as f64
    }

    /// The largest of all, and where it is.
    pub(super) fn worst(&self) -> (f64, Option<usize>) {
        let worst = self.largest.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
        (worst.map_or(0.0, |(_, size)| *size), worst.map(|(at, _)| at))
    }

    /// The upper bound of the mean square; `None` where there is no deviation to be had.
    pub(super) fn bound(&self) -> Option<f64> {
        let (n, mean) = (self.squares.len() as f64, self.mean());
        if n < 2.0 {
            return None;
        }
        let sum = |power: i32, scale: f64| {
            self.squares.iter().map(|square| ((square - mean) / scale).powi(power)).sum::<f64>()
        };
        let deviation = (sum(2, 1.0) / (n - 1.0)).sqrt();
        if deviation == 0.0 {
            return Some(mean);
        }
        // A skew to the left would lower the bound: not to be relied on.
        let skewness = (sum(3, deviation) / n).max(0.0);
        let z = QUANTILE;
        Some(mean + deviation * (z / (n - 1.0).sqrt() + skewness * (2.0 * z * z + 1.0) / (6.0 * n)))
    }

    /// The share of the place that may lie above the largest; `None` where that is no number, or nothing was
    /// drawn.
    pub(super) fn exceeded_share(&self) -> Option<f64> {
        let is_known = !self.largest.is_empty() && self.worst().0.is_finite();
        is_known.then(|| 1.0 - (1.0 - CONFIDENCE).powf(1.0 / self.largest.len() as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{normal, stream};

    fn sizes(columns: &[Vec<f64>]) -> Sizes {
        Sizes::of(columns, columns.first().map_or(0, Vec::len))
    }

    #[test]
    fn the_largest_residual_is_found_and_not_a_number_is_not_lost() {
        let both = sizes(&[vec![1.0, -3.0], vec![2.0, 0.0]]);
        assert_eq!((both.mean(), both.worst()), (3.5, (3.0, Some(1))));
        assert_eq!((both.squares, both.largest), (vec![2.5, 4.5], vec![2.0, 3.0]));
        let broken = sizes(&[vec![1.0, f64::NAN, 5.0]]);
        assert!(broken.worst().0.is_nan() && broken.exceeded_share().is_none());
        assert!(broken.bound().is_some_and(f64::is_nan), "no tolerance is met by what is no number");
        let none = sizes(&[]);
        assert_eq!((none.mean(), none.worst(), none.bound()), (0.0, (0.0, None), None));
    }

    #[test]
    fn equal_residuals_have_a_bound_without_width() {
        assert_eq!(sizes(&[vec![2.0; 50]]).bound(), Some(4.0));
        assert_eq!(sizes(&[vec![2.0]]).bound(), None);
    }

    /// How often the bound of this many squares is above their true mean.
    fn coverage(points: usize, true_mean: f64, residual: fn(f64) -> f64) -> f64 {
        let (mut rng, draws) = (stream(7, 0), 4000);
        let mut draw = || {
            let column = (0..points).map(|_| residual(normal(&mut rng))).collect();
            sizes(&[column]).bound().unwrap() > true_mean
        };
        f64::from((0..draws).map(|_| u16::from(draw())).sum::<u16>()) / f64::from(draws)
    }

    #[test]
    fn the_bound_covers_the_true_mean_in_95_of_100_draws() {
        // A frequency over 4000 draws errs by √(0.95·0.05/4000) = 0.0034, three times of which are allowed,
        // and the normal approximation by some thousandths more at these numbers of points.
        let plain = coverage(1000, 1.0, |z| z);
        assert!((plain - 0.95).abs() < 0.015, "{plain}");
        // Squares z⁴, of mean 3 and skewness 10: 92 of 100 at the most without the correction for it. The
        // deviation of a thousand of them comes out too low more often than not, so that not all is made up
        // for.
        let skewed = coverage(1000, 3.0, |z| z * z);
        assert!(skewed > 0.92, "{skewed}");
    }

    /// A part that a thousand points just miss is as large as the share says in one of twenty draws.
    #[test]
    fn the_share_above_the_largest_is_what_it_says() {
        let (mut rng, draws) = (stream(8, 0), 2000);
        let column = |rng: &mut _| (0..200).map(|_| normal(rng)).collect::<Vec<f64>>();
        let share = sizes(&[column(&mut rng)]).exceeded_share().unwrap();
        // 0.05 = (1 − share)²⁰⁰.
        assert!((200.0 * (1.0 - share).ln() - 0.05f64.ln()).abs() < 1e-12);
        // Of uniform numbers the largest leaves 1 − max above it.
        let uniform = |rng: &mut _| {
            let largest = (0..200).map(|_| (-0.5 * normal(rng).powi(2) - 0.5 * normal(rng).powi(2)).exp());
            1.0 - largest.fold(0.0, f64::max)
        };
        let held = (0..draws).filter(|_| uniform(&mut rng) < share).count();
        // Four deviations √(0.95·0.05·2000) = 9.7 of the number.
        assert!(held.abs_diff(1900) < 40, "{held}");
    }
}
