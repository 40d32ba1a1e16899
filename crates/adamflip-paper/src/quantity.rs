//! What is measured of a run, and the names of it in tables.

use serde_json::Value;

use super::store::StoredResult;
use adamflip_run::batch::Metric;
use adamflip_run::table::Digits;

/// A number of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// The relative L2 error of a field.
    Error(&'static str),
    /// The same in the median of the last tenth of the steps.
    LateError(&'static str),
    /// The constraint error as the mean square of the residuals, which is what the paper's tables have.
    MeanSquare(Condition),
    /// The constraint error as the mean over the points of the norm of the residuals there, as the paper's
    /// appendix defines it.
    MeanNorm(Condition),
    /// How far a coefficient is from its truth.
    UnknownError(&'static str),
    /// What was found for it.
    Unknown(&'static str),
    /// The time of training, on all cores of the machine.
    Seconds,
}

/// The columns under which the paper puts its terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Initial,
    Boundary,
    Physics,
    Data,
}

impl Condition {
    pub(crate) const ALL: [Self; 4] = [Self::Initial, Self::Boundary, Self::Physics, Self::Data];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Initial => "IC",
            Self::Boundary => "BC",
            Self::Physics => "Phy",
            Self::Data => "DL",
        }
    }

    /// The terms of the problem files that belong to it.
    fn terms(self) -> &'static [&'static str] {
        match self {
            Self::Initial => &["initial"],
            Self::Boundary => &["walls", "sides", "ends", "level"],
            Self::Physics => &["pde"],
            Self::Data => &["data"],
        }
    }

    /// The mean over its terms, each counted as often as it has points.
    fn mean(self, kept: &StoredResult, of: fn(&super::store::Measured) -> Option<f64>) -> f64 {
        let terms = self.terms().iter().filter_map(|name| kept.terms.get(*name));
        let (sum, points) = terms.fold((0.0, 0.0), |(sum, points), term| {
            let weight = term.points as f64;
            (sum + weight * of(term).unwrap_or(f64::NAN), points + weight)
        });
        sum / points
    }
}

impl Quantity {
    /// As it stands in tables.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Error(field) | Self::LateError(field) => format!("rel. L2 of {field}"),
            Self::MeanSquare(condition) | Self::MeanNorm(condition) => format!("CE ({})", condition.name()),
            Self::UnknownError(unknown) => format!("error of {unknown}"),
            Self::Unknown(unknown) => unknown.to_owned(),
            Self::Seconds => "time (s)".to_owned(),
        }
    }

    /// Not a number where the result has none.
    pub(crate) fn of(self, kept: &StoredResult) -> f64 {
        let summary: &Value = &kept.summary;
        match self {
            Self::Error(field) => Metric::FieldError(field.to_owned()).of(summary),
            Self::LateError(field) => kept.late.get(field).copied().unwrap_or(f64::NAN),
            Self::MeanSquare(condition) => condition.mean(kept, |term| term.mean_square),
            Self::MeanNorm(condition) => condition.mean(kept, |term| term.mean_norm),
            Self::UnknownError(unknown) => Metric::UnknownError(unknown.to_owned()).of(summary),
            Self::Unknown(unknown) => Metric::Unknown(unknown.to_owned()).of(summary),
            Self::Seconds => kept.seconds(),
        }
    }

    /// How it is written.
    pub(crate) fn digits(self) -> fn(f64) -> Digits {
        match self {
            Self::Seconds => Digits::time,
            Self::Unknown(_) => |_| Digits::Fixed(5),
            _ => |_| Digits::Scientific,
        }
    }
}
