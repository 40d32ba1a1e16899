//! The verdict over all tolerances, and the sentence that says it.

use super::{CONFIDENCE, Violation};
use crate::problem::Measure;

/// How the tolerances of a file came out.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// All are met.
    Met {
        /// How many there are.
        asked: usize,
        /// Whether any was judged on points drawn at random, so that it is a matter of confidence.
        drawn: bool,
        /// Where one limits a maximum: the share of its place on which it may be exceeded after all, the
        /// largest of these.
        share: Option<f64>,
    },
    /// Some are not.
    Missed {
        /// How many there are.
        asked: usize,
        /// The terms that miss theirs.
        terms: Vec<String>,
    },
    /// There is none.
    NotAsked,
}

impl Verdict {
    /// The verdict over what was measured of the terms of a problem.
    pub fn of(violations: &[Violation]) -> Self {
        let judged: Vec<(&Violation, bool)> =
            violations.iter().filter_map(|v| Some((v, v.is_met()?))).collect();
        let missed = judged.iter().filter(|(_, met)| !met);
        let terms: Vec<String> = missed.map(|(violation, _)| violation.name.clone()).collect();
        let asked = judged.len();
        let limits_max = |v: &Violation| v.tolerance.is_some_and(|(measure, _)| measure == Measure::Max);
        match terms.is_empty() {
            _ if asked == 0 => Self::NotAsked,
            false => Self::Missed { asked, terms },
            true => Self::Met {
                asked,
                drawn: judged.iter().any(|(v, _)| v.exceeded_share.is_some()),
                share: judged
                    .iter()
                    .filter(|(v, _)| limits_max(v))
                    .filter_map(|(v, _)| v.exceeded_share)
                    .reduce(f64::max),
            },
        }
    }

    /// The name of the verdict in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Met { .. } => "met",
            Self::Missed { .. } => "missed",
            Self::NotAsked => "not_asked",
        }
    }

    /// The verdict in words.
    pub fn sentence(&self) -> String {
        match self {
            Self::NotAsked => {
                "no tolerance was asked for: add tolerance = \"rms < 1e-3\" to a term".to_owned()
            }
            Self::Missed { asked, terms } => {
                let noun = if *asked == 1 { "tolerance" } else { "tolerances" };
                format!("{} of {asked} {noun} missed: {}", terms.len(), terms.join(", "))
            }
            Self::Met { asked, drawn, share } => {
                let what = match asked {
                    1 => "the tolerance is met".to_owned(),
                    2 => "both tolerances met".to_owned(),
                    asked => format!("all {asked} tolerances met"),
                };
                let confidence = match (drawn, asked) {
                    (false, _) => String::new(),
                    (true, 1) => format!(" with {}% confidence", 100.0 * CONFIDENCE),
                    (true, _) => format!(", each with {}% confidence", 100.0 * CONFIDENCE),
                };
                let share =
                    share.map(|share| format!(", a maximum on all but {} of its place", percent(share)));
                format!("{what}{confidence}{}", share.unwrap_or_default())
            }
        }
    }
}

/// A share in percent, two digits.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let decimals = if percent > 0.0 { (1.0 - percent.log10().floor()).max(0.0) as usize } else { 0 };
    format!("{percent:.decimals$}%")
}
