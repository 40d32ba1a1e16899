//! A line search for the strong Wolfe conditions, shared by the methods that follow a direction of descent.
//!
//! For φ(α) = L(θ + αd) with φ′(0) < 0 it looks for a step α with
//!
//! φ(α) ≤ φ(0) + c₁αφ′(0)   and   |φ′(α)| ≤ c₂|φ′(0)|.
//!
//! First the step grows until an interval must contain such a point, then cubic interpolation narrows it
//! (Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6, as one loop over a bracket). Values
//! that are not finite count as "too far". Near a minimum the first condition drowns in rounding; there a
//! value that is equal to φ(0) within rounding is good enough if the slope is (Hager and Zhang 2005).

/// The conditions and the limits of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wolfe {
    /// c₁, the part of the predicted decrease that must be reached.
    pub decrease: f64,
    /// c₂, the part of the slope that may be left: 0.9 for quasi-Newton directions, near zero for an exact
    /// search.
    pub curvature: f64,
    /// Values closer than this, relative to φ(0), count as equal.
    pub rounding: f64,
    /// The most evaluations of φ in a search.
    pub evaluations: usize,
}

impl Default for Wolfe {
    /// c₁ = 1e-4 and c₂ = 0.9 as in Nocedal and Wright, section 3.1. A residual that is a difference of
    /// numbers near one carries its value to about 1e-12 once it is 1e-4: hence that much for rounding.
    fn default() -> Self {
        Self { decrease: 1e-4, curvature: 0.9, rounding: 1e-12, evaluations: 25 }
    }
}

/// φ and its slope at a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// α.
    pub step: f64,
    /// φ(α).
    pub value: f64,
    /// φ′(α).
    pub slope: f64,
}

impl Sample {
    fn is_finite(&self) -> bool {
        self.value.is_finite() && self.slope.is_finite()
    }
}

/// The outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The step to take, with its value and slope.
    pub at: Sample,
    /// Does it fulfil both conditions? Otherwise only the first, because the evaluations ran out.
    pub wolfe: bool,
    /// Evaluations of φ.
    pub evaluations: usize,
}

impl Wolfe {
    /// Searches from φ(0) = `value` and φ′(0) = `slope`, trying `first` first. `φ` gives value and slope.
    /// None where no step with a decrease was found, or the slope does not fall to begin with.
    pub fn search(
        &self,
        value: f64,
        slope: f64,
        first: f64,
        mut φ: impl FnMut(f64) -> (f64, f64),
    ) -> Option<Found> {
        let start = Sample { step: 0.0, value, slope };
        if !(start.is_finite() && slope < 0.0 && first > 0.0) {
            return None;
        }
        let mut bracket = Bracket { low: start, high: None, widths: [f64::INFINITY; 2] };
        let (mut step, mut evaluations) = (first, 0);
        while evaluations < self.evaluations && step.is_finite() && step != bracket.low.step {
            let (value, slope) = φ(step);
            evaluations += 1;
            let trial = Sample { step, value, slope };
            if self.accepts(&start, &trial) {
                return Some(Found { at: trial, wolfe: true, evaluations });
            }
            step = bracket.narrow(trial, self.decreases(&start, &trial));
        }
        (bracket.low.step > 0.0).then_some(Found { at: bracket.low, wolfe: false, evaluations })
    }

    fn decreases(&self, start: &Sample, trial: &Sample) -> bool {
        trial.is_finite() && trial.value <= start.value + self.decrease * trial.step * start.slope
    }

    fn accepts(&self, start: &Sample, trial: &Sample) -> bool {
        let equal = (trial.value - start.value).abs() <= self.rounding * start.value.abs();
        (equal || self.decreases(start, trial)) && trial.slope.abs() <= -self.curvature * start.slope
    }
}

/// The interval that is known to contain a good step; without an upper end as long as φ only falls.
struct Bracket {
    /// The lowest value so far among steps with enough decrease; φ falls from here towards `high`.
    low: Sample,
    high: Option<Sample>,
    /// The widths of the interval one and two rounds before.
    widths: [f64; 2],
}

impl Bracket {
    /// Takes in a trial that was not accepted and gives the next step to try.
    fn narrow(&mut self, trial: Sample, decreases: bool) -> f64 {
        if !decreases || trial.value >= self.low.value {
            self.high = Some(trial);
            return self.interpolate(trial);
        }
        let ahead = self.high.map_or(1.0, |high| high.step - self.low.step);
        let before = std::mem::replace(&mut self.low, trial);
        if trial.slope * ahead >= 0.0 {
            self.high = Some(before);
        }
        match self.high {
            Some(high) => self.interpolate(high),
            None => extrapolate(before, trial),
        }
    }

    /// A step between `low` and `high`, never within a tenth of the interval from either end. Bisects where
    /// two rounds have not brought the interval below two thirds (Moré and Thuente 1994).
    fn interpolate(&mut self, high: Sample) -> f64 {
        let width = high.step - self.low.step;
        let slow = width.abs() > 2.0 / 3.0 * self.widths[1];
        self.widths = [width.abs(), self.widths[0]];
        let fraction = match high.is_finite() {
            // Nothing is known about how far is too far.
            false => 0.1,
            true if slow => 0.5,
            true => cubic(&self.low, &high),
        };
        // A NaN falls to the lower bound of max; bisect instead.
        let fraction = if fraction.is_nan() { 0.5 } else { fraction.clamp(0.1, 0.9) };
        self.low.step + fraction * width
    }
}

/// A step beyond `now`, between two and ten times as far.
fn extrapolate(before: Sample, now: Sample) -> f64 {
    let predicted = before.step + cubic(&before, &now) * (now.step - before.step);
    // f64::max ignores a NaN of the prediction.
    predicted.max(2.0 * now.step).min(10.0 * now.step)
}

/// The minimiser of the cubic through two samples, as a fraction of the way from the first to the second; NaN
/// where it has none. Exact on quadratics. With values that are equal to rounding, the secant of the slopes.
fn cubic(from: &Sample, to: &Sample) -> f64 {
    let width = to.step - from.step;
    let difference = to.value - from.value;
    // 1e-11 leaves the difference of two rounded values with a relative error of 1e-5 or less.
    if difference.abs() <= 1e-11 * from.value.abs() {
        return from.slope / (from.slope - to.slope);
    }
    // Slopes per unit of the fraction.
    let (a, b) = (from.slope * width, to.slope * width);
    let middle = a + b - 3.0 * difference;
    let root = (middle * middle - a * b).sqrt();
    1.0 - (b + root - middle) / (b - a + 2.0 * root)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact() -> Wolfe {
        Wolfe { curvature: 1e-8, ..Wolfe::default() }
    }

    fn run(wolfe: Wolfe, first: f64, φ: impl Fn(f64) -> (f64, f64)) -> Found {
        let (value, slope) = φ(0.0);
        wolfe.search(value, slope, first, φ).unwrap()
    }

    #[test]
    fn a_quadratic_takes_two_evaluations() {
        for first in [1e-3, 0.5, 4.0] {
            let found = run(exact(), first, |x| ((x - 3.0) * (x - 3.0), 2.0 * (x - 3.0)));
            // The cubic through any two samples of a quadratic is that quadratic; growth is limited to
            // tenfold.
            assert!((found.at.step - 3.0).abs() < 1e-7, "{found:?}");
            assert!(
                found.wolfe && found.evaluations <= if first < 0.1 { 6 } else { 2 },
                "{first}: {found:?}"
            );
        }
    }

    #[test]
    fn minimisers_are_found_from_far_and_near() {
        type Function = fn(f64) -> (f64, f64);
        // The functions of Moré and Thuente (1994), section 5, numbers 1 and 2, and a quartic, with their
        // minimisers.
        let cases: [(Function, f64); 3] = [
            (|x| (-x / (x * x + 2.0), (x * x - 2.0) / (x * x + 2.0).powi(2)), 2f64.sqrt()),
            (
                |x| {
                    let β = x + 0.004;
                    (β.powi(5) - 2.0 * β.powi(4), 5.0 * β.powi(4) - 8.0 * β.powi(3))
                },
                1.596,
            ),
            (|x| ((x - 2.0).powi(4), 4.0 * (x - 2.0).powi(3)), 2.0),
        ];
        for (φ, minimiser) in cases {
            for first in [1e-3, 0.1, 2.0, 10.0] {
                let wolfe = Wolfe { curvature: 1e-3, ..Wolfe::default() };
                let found = run(wolfe, first, φ);
                // A slope of 1e-3 of the first: on the quartic that is a tenth of the way, less on the
                // others.
                assert!(found.wolfe && (found.at.step - minimiser).abs() < 0.21, "{first}: {found:?}");
            }
        }
    }

    #[test]
    fn values_that_are_not_finite_are_too_far() {
        // −ln(1 − x) − 4x has its minimum at 0.75 and a wall at 1.
        let φ = |x: f64| (-(1.0 - x).ln() - 4.0 * x, 1.0 / (1.0 - x) - 4.0);
        for first in [0.01, 1.0, 50.0] {
            let found = run(exact(), first, φ);
            assert!((found.at.step - 0.75).abs() < 1e-6, "{first}: {found:?}");
        }
        // Only the slope is not finite.
        let φ = |x: f64| (x * x - x, if x > 0.7 { f64::NAN } else { 2.0 * x - 1.0 });
        assert!((run(exact(), 1.0, φ).at.step - 0.5).abs() < 1e-6);
    }

    #[test]
    fn both_conditions_hold_where_it_says_so() {
        let φ = |x: f64| (-x / (x * x + 2.0), (x * x - 2.0) / (x * x + 2.0).powi(2));
        for curvature in [0.9, 0.1, 1e-3] {
            let wolfe = Wolfe { curvature, ..Wolfe::default() };
            for first in [1e-3, 1.0, 1e3, 1e6] {
                let Sample { step, value, slope } = run(wolfe, first, φ).at;
                assert!(value <= -0.5e-4 * step && slope.abs() <= 0.5 * curvature, "{first}: {step}");
            }
        }
    }

    #[test]
    fn hopeless_searches_end() {
        let mut calls = 0;
        let nowhere = Wolfe::default().search(1.0, -1.0, 1.0, |_| {
            calls += 1;
            (f64::NAN, f64::NAN)
        });
        assert!(nowhere.is_none() && calls <= 25, "{calls}");
        assert!(Wolfe::default().search(1.0, 1.0, 1.0, |_| (0.0, 0.0)).is_none(), "uphill");
        assert!(Wolfe::default().search(f64::NAN, -1.0, 1.0, |_| (0.0, 0.0)).is_none());
        // Unbounded below: the last step with its decrease.
        let found = Wolfe::default().search(0.0, -1.0, 1.0, |x| (-x, -1.0)).unwrap();
        assert!(!found.wolfe && found.evaluations == 25 && found.at.step > 1e6);
    }

    #[test]
    fn rounding_does_not_stop_the_search() {
        // φ(0) = 1 hides a decrease of 1e-18 altogether; the slopes still show the minimum at 1e-9.
        let φ = |x: f64| (1.0 + (x - 1e-9) * (x - 1e-9), 2.0 * (x - 1e-9));
        let found = run(Wolfe { curvature: 1e-4, ..Wolfe::default() }, 3e-9, φ);
        assert!((found.at.step - 1e-9).abs() < 1e-12, "{found:?}");
    }
}
