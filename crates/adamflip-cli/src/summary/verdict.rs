//! A tolerance in the summary: what was asked, what was measured, and what to do where it was missed.

use adamflip::certificate::Violation;
use adamflip::problem::{Measure, Term};
use serde::Serialize;

use super::{counted, short};

/// A tolerance and how it came out.
#[derive(Serialize)]
pub(super) struct Verdict {
    measure: &'static str,
    limit: f64,
    pub(super) met: bool,
    measured: f64,
    /// The points of the measurement: not those of training, unless the term observes data.
    points: usize,
}

impl Verdict {
    /// Where the file asks for one.
    pub(super) fn of(term: &Term, violation: &Violation) -> Option<Self> {
        let (measure, limit) = term.tolerance?;
        let measured = violation.measured(measure);
        let measure = match measure {
            Measure::Max => "max",
            Measure::Rms => "rms",
            Measure::Mse => "mse",
        };
        Some(Self { measure, limit, met: measured < limit, measured, points: violation.points })
    }

    pub(super) fn text(&self) -> String {
        let Self { measure, limit, .. } = self;
        format!(
            "{measure} < {limit:e} {} ({})",
            if self.met { "met" } else { "NOT MET" },
            short(self.measured)
        )
    }

    /// What is missing and what to do.
    pub(super) fn missed(&self, name: &str) -> String {
        let Self { measure, limit, points, .. } = self;
        format!(
            "`{name}` missed: {measure} {} at {} where {limit:e} was asked; train longer, or give the term more points \
             or weight",
            short(self.measured),
            counted(*points, "point"),
        )
    }
}
