//! A tolerance in the summary: what was asked, what was measured, and what to do where it was missed.

use adamflip::certificate::Violation;
use adamflip::problem::{Measure, Problem};
use serde::Serialize;

use crate::words::{counted, short};

/// A tolerance and how it came out.
#[derive(Serialize)]
pub(super) struct ToleranceSummary {
    measure: &'static str,
    limit: f64,
    pub(super) met: bool,
    measured: f64,
    /// What decides in place of what was measured, where there is a bound: it holds for the whole place with
    /// 95% confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<f64>,
    /// The points of the measurement: not those of training, unless the term observes data.
    points: usize,
}

impl ToleranceSummary {
    /// Where the file asks for one.
    pub(super) fn of(problem: &Problem, violation: &Violation) -> Option<Self> {
        let (measure, limit) = problem.terms[violation.term].tolerance?;
        let met = violation.is_met()?;
        let (measured, bound) = (violation.measured(measure), violation.bound(measure));
        let measure = match measure {
            Measure::Max => "max",
            Measure::Rms => "rms",
            Measure::Mse => "mse",
        };
        Some(Self { measure, limit, met, measured, bound, points: violation.points })
    }

    pub(super) fn text(&self) -> String {
        let Self { measure, limit, .. } = self;
        format!("{measure} < {limit:e} {} ({})", if self.met { "met" } else { "NOT MET" }, self.found())
    }

    /// What was measured, with its bound.
    fn found(&self) -> String {
        let bound = self.bound.map(|bound| format!(", bound {}", short(bound)));
        format!("{}{}", short(self.measured), bound.unwrap_or_default())
    }

    /// What is missing and what to do.
    pub(super) fn missed(&self, name: &str) -> String {
        let Self { measure, limit, points, .. } = self;
        format!(
            "`{name}` missed: {measure} {} at {} where {limit:e} was asked; train longer, or give the term more points \
             or weight",
            self.found(),
            counted(*points, "point"),
        )
    }
}
