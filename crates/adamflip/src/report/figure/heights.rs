//! The upward axis of a plot: where a value stands between the lower and the upper edge.

use super::drawable;
use super::frame;
use super::scale::widened;
use super::ticks::{self, Ticks};

/// How the values of a plot become heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Vertical {
    /// Equal differences are equally high.
    Linear,
    /// Equal factors are equally high. Zero and negative values have no place: the line has a gap there.
    Logarithmic {
        /// How far below the largest value the axis reaches at most; what is smaller lies on the lower edge,
        /// so that an error that nearly vanishes where it changes its sign does not use up the axis.
        decades: f64,
    },
}

impl Vertical {
    /// Whether a value has a place, at a distance from the ends of f64 that leaves room for the air around.
    pub(super) fn shows(self, value: f64) -> bool {
        match self {
            Self::Linear => drawable(value),
            Self::Logarithmic { .. } => (1e-250..=1e250).contains(&value),
        }
    }
}

/// A fitted upward axis.
pub(super) struct Heights {
    vertical: Vertical,
    lower: f64,
    upper: f64,
    pub(super) ticks: Ticks,
}

impl Heights {
    /// The axis that shows all values which have a place, with a little air above and below.
    pub(super) fn fit(vertical: Vertical, values: impl Iterator<Item = f64>, height: f64) -> Self {
        const AIR: f64 = 0.04;
        let found = range(values.filter(|&value| vertical.shows(value)));
        let rows = frame::rows(height);
        match vertical {
            Vertical::Linear => {
                let (low, high) = found.map_or((0.0, 1.0), |(low, high)| widened(low, high));
                let (lower, upper) = (low - AIR * (high - low), high + AIR * (high - low));
                Self { vertical, lower, upper, ticks: ticks::linear(lower, upper, rows) }
            }
            Vertical::Logarithmic { decades } => {
                let (low, high) = found.unwrap_or((0.1, 1.0));
                let low = low.max(high / 10f64.powf(decades));
                let air = (AIR * (high.ln() - low.ln())).exp().max(1.1);
                let (lower, upper) = (low / air, high * air);
                Self { vertical, lower, upper, ticks: ticks::logarithmic(lower, upper, rows) }
            }
        }
    }

    /// Where a value stands: 0 at the lower edge, 1 at the upper one.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        let fraction = match self.vertical {
            Vertical::Linear => (value - self.lower) / (self.upper - self.lower),
            Vertical::Logarithmic { .. } => {
                // The quotient of such numbers may be infinite.
                (value.ln() - self.lower.ln()) / (self.upper.ln() - self.lower.ln())
            }
        };
        fraction.clamp(0.0, 1.0)
    }

    pub(super) fn shows(&self, value: f64) -> bool {
        self.vertical.shows(value)
    }
}

/// The smallest and the largest value.
pub(super) fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values
        .map(|value| (value, value))
        .reduce(|(lower, upper), (value, _)| (lower.min(value), upper.max(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(vertical: Vertical, values: &[f64]) -> Heights {
        Heights::fit(vertical, values.iter().copied(), 200.0)
    }

    #[test]
    fn linear_heights_are_proportional() {
        let heights = fit(Vertical::Linear, &[-1.0, 3.0, f64::NAN]);
        // The middle is exact but for rounding; the ends leave 4 of 108 parts of air.
        assert!((heights.fraction(1.0) - 0.5).abs() < 1e-12);
        assert!((heights.fraction(-1.0) - 4.0 / 108.0).abs() < 1e-12);
    }

    #[test]
    fn logarithmic_heights_end_after_their_decades() {
        let heights = fit(Vertical::Logarithmic { decades: 3.0 }, &[0.0, 1e-16, 1e-2, 1.0]);
        assert_eq!(heights.fraction(1e-16), 0.0);
        assert!(heights.fraction(1e-2) > 0.3 && heights.fraction(1e-3) > 0.0);
        assert!(!heights.shows(0.0) && !heights.shows(-1.0));
        let whole = fit(Vertical::Logarithmic { decades: f64::INFINITY }, &[1e-16, 1.0]);
        assert!(whole.fraction(1e-16) > 0.0);
    }

    #[test]
    fn degenerate_values_have_a_range() {
        let values: [&[f64]; 6] = [&[], &[f64::NAN], &[0.0], &[5.0, 5.0], &[-1e300, 1e300], &[1e-310]];
        for vertical in [Vertical::Linear, Vertical::Logarithmic { decades: 8.0 }] {
            for values in values {
                let heights = fit(vertical, values);
                assert!(heights.lower < heights.upper && heights.ticks.ticks.len() >= 2, "{values:?}");
            }
        }
    }
}
