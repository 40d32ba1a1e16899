//! From numbers to colours, with the ticks of the colour bar.

use super::drawable;
use super::ticks::{self, Ticks};

/// How values become colours. All choices are safe for the colour-blind and, within each branch, perceptually
/// uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Colours {
    /// [`Colours::Signed`] for values of both signs, otherwise [`Colours::Magnitude`]; a positive field that
    /// errs below zero stays positive.
    #[default]
    Automatic,
    /// Viridis from the smallest to the largest value.
    Magnitude,
    /// Blue to red through a light zero, equally far to both sides.
    Signed,
    /// Viridis in the logarithm, over at most about five decades below the largest value and from where all
    /// but a fiftieth of the values lie; what is smaller, zero and negative values included, has the darkest
    /// colour.
    Logarithmic,
}

/// A fitted scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    kind: ScaleKind,
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// Whether values below the lower end exist.
    clipped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ScaleKind {
    Sequential,
    Diverging,
    Logarithmic,
}

/// What has no place on the scale.
const GREY: [u8; 3] = [0xb0; 3];

/// A sign that reaches less than this part of the other is an error of the field, not a sign.
const SIGN: f64 = 0.02;

/// Decades that a logarithmic scale shows: an error that vanishes at a few nodes must not use up the colours.
const DECADES: i32 = 5;

impl Colours {
    /// What [`Colours::Automatic`] is for these values.
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let (lower, upper) = ends(values.filter(|&value| drawable(value)));
        match lower < -SIGN * upper.abs() && upper > SIGN * lower.abs() {
            true => Colours::Signed,
            false => Colours::Magnitude,
        }
    }
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lower, upper), value| {
        (lower.min(value), upper.max(value))
    })
}

impl Scale {
    /// The scale that shows all drawable values.
    pub(super) fn fit(colours: Colours, values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.filter(|&value| drawable(value)).collect();
        let (lower, upper) = ends(values.iter().copied());
        if lower > upper {
            return Self { kind: ScaleKind::Sequential, lower: 0.0, upper: 1.0, clipped: false };
        }
        let colours =
            if colours == Colours::Automatic { Colours::of(values.iter().copied()) } else { colours };
        match colours {
            Colours::Logarithmic if upper >= 1e-290 => Self::logarithmic(lower, upper, low(&mut values)),
            Colours::Signed => Self::diverging(lower, upper),
            _ => Self::sequential(lower, upper),
        }
    }

    fn sequential(lower: f64, upper: f64) -> Self {
        let (lower, upper) = widened(lower, upper);
        Self { kind: ScaleKind::Sequential, lower, upper, clipped: false }
    }

    fn diverging(lower: f64, upper: f64) -> Self {
        let (lower, upper) = widened(-lower.abs().max(upper.abs()), lower.abs().max(upper.abs()));
        Self { kind: ScaleKind::Diverging, lower, upper, clipped: false }
    }

    /// `low` is a value that nearly all others are above.
    fn logarithmic(smallest: f64, upper: f64, low: f64) -> Self {
        let decade = |value: f64| value.log10().floor() as i32;
        let least = decade(upper) - DECADES;
        let floor = 10f64.powi(if low > 0.0 { decade(low).max(least) } else { least });
        let lower = smallest.max(floor);
        // A nearly constant field still needs a range.
        let (lower, upper) = if upper / lower < 1.01 { (lower / 2.0, upper * 2.0) } else { (lower, upper) };
        Self { kind: ScaleKind::Logarithmic, lower, upper, clipped: smallest < floor }
    }

    /// Where a value lies between the ends: 0 to 1.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        let fraction = match self.kind {
            ScaleKind::Logarithmic => {
                (value.max(self.lower) / self.lower).ln() / (self.upper / self.lower).ln()
            }
            ScaleKind::Sequential | ScaleKind::Diverging => (value - self.lower) / (self.upper - self.lower),
        };
        fraction.clamp(0.0, 1.0)
    }

    /// The colour of a value: red, green, blue.
    pub(super) fn colour(&self, value: f64) -> [u8; 3] {
        if drawable(value) { self.colour_at(self.fraction(value)) } else { GREY }
    }

    /// The colour at a fraction of the scale.
    pub(super) fn colour_at(&self, fraction: f64) -> [u8; 3] {
        let colour = match self.kind {
            ScaleKind::Diverging => colorous::RED_BLUE.eval_continuous(1.0 - fraction),
            ScaleKind::Sequential | ScaleKind::Logarithmic => colorous::VIRIDIS.eval_continuous(fraction),
        };
        [colour.r, colour.g, colour.b]
    }

    /// The ticks of the colour bar.
    pub(super) fn ticks(&self, target: usize) -> Ticks {
        if self.kind != ScaleKind::Logarithmic {
            return ticks::linear(self.lower, self.upper, target);
        }
        let mut ticks = ticks::logarithmic(self.lower, self.upper, target);
        if let Some(first) = ticks.ticks.first_mut().filter(|_| self.clipped) {
            first.label.insert(0, '≤');
        }
        ticks
    }
}

/// The value that a fiftieth of all are below: where an error changes its sign it nearly vanishes, and the
/// thin lines on which it does must not use up the colours.
fn low(values: &mut [f64]) -> f64 {
    let place = values.len() / 50;
    *values.select_nth_unstable_by(place, f64::total_cmp).1
}

/// A range of some width. Differences below the rounding error of a few operations are none: such a field is
/// constant.
pub(super) fn widened(lower: f64, upper: f64) -> (f64, f64) {
    let size = lower.abs().max(upper.abs());
    if size < 1e-290 {
        (-1.0, 1.0)
    } else if upper - lower < 1e-12 * size {
        (lower - 0.5 * size, upper + 0.5 * size)
    } else {
        (lower, upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(colours: Colours, values: &[f64]) -> Scale {
        Scale::fit(colours, values.iter().copied())
    }

    #[test]
    fn signs_choose_the_automatic_scale() {
        assert_eq!(fit(Colours::Automatic, &[-1.0, 3.0]), fit(Colours::Signed, &[-1.0, 3.0]));
        assert_eq!(fit(Colours::Automatic, &[-3.0, 0.1]), fit(Colours::Signed, &[-3.0, 0.1]));
        for one_sign in [[1.0, 3.0], [-1e-3, 3.0], [-3.0, 1e-9], [-3.0, -1.0], [0.0, 0.0]] {
            assert_eq!(fit(Colours::Automatic, &one_sign), fit(Colours::Magnitude, &one_sign));
        }
    }

    #[test]
    fn zero_of_a_signed_field_is_light_and_the_ends_differ() {
        let scale = fit(Colours::Signed, &[-1.0, 3.0]);
        assert_eq!((scale.lower, scale.upper), (-3.0, 3.0));
        assert!(scale.colour(0.0).iter().all(|&channel| channel > 0xe0));
        let (blue, red) = (scale.colour(-3.0), scale.colour(3.0));
        assert!(blue[2] > blue[0] && red[0] > red[2]);
    }

    #[test]
    fn what_is_not_finite_is_grey_and_does_not_move_the_scale() {
        let scale = fit(Colours::Magnitude, &[f64::NAN, 1.0, 2.0, f64::INFINITY, f64::MAX]);
        assert_eq!((scale.lower, scale.upper), (1.0, 2.0));
        assert_eq!(scale.colour(f64::NAN), GREY);
        assert_eq!(scale.colour(f64::NEG_INFINITY), GREY);
    }

    #[test]
    fn logarithmic_scales_say_what_they_cut_off() {
        let scale = fit(Colours::Logarithmic, &[0.0, 1e-18, 3e-3]);
        assert_eq!(scale.colour(0.0), scale.colour(1e-9));
        assert_eq!(scale.ticks(5).ticks[0].label, "≤10⁻⁸");
        let whole = fit(Colours::Logarithmic, &[1e-5, 3e-3]);
        assert_eq!(whole.ticks(5).ticks[0].label, "10⁻⁵");
        // Of a hundred values, two are below the scale.
        let field: Vec<f64> = (0..100).map(|i| if i < 2 { 1e-7 } else { 2e-2 + f64::from(i) }).collect();
        assert_eq!(fit(Colours::Logarithmic, &field).ticks(5).ticks[0].label, "≤1");
        // A fifth of the way in the logarithm.
        assert!((fit(Colours::Logarithmic, &[1e-5, 1.0]).fraction(1e-4) - 0.2).abs() < 1e-12);
    }

    #[test]
    fn degenerate_fields_have_a_range() {
        let fields: [&[f64]; 7] =
            [&[], &[f64::NAN], &[0.0], &[5.0, 5.0], &[-2.0], &[1e-310, 0.0], &[1.0, 1.0 + 1e-15]];
        for colours in [Colours::Automatic, Colours::Magnitude, Colours::Signed, Colours::Logarithmic] {
            for field in fields {
                let scale = fit(colours, field);
                assert!(scale.lower < scale.upper, "{colours:?} {field:?}: {scale:?}");
                assert!(scale.ticks(5).ticks.len() >= 2, "{colours:?} {field:?}: {scale:?}");
                assert!(scale.fraction(1.0).is_finite());
            }
        }
    }
}
