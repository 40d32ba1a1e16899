//! What the suite found for a problem: its errors beside those the runs expect and the published one.

use adamflip_run::Ordered;
use adamflip_run::batch::{Metric, Outcome, Spread};
use adamflip_run::words::short;
use serde::Serialize;
use serde_json::Value;

use super::standard::{Published, Standard};

/// An estimate agrees if it is within this factor of the error. In short runs of all problem files it was
/// between 0.54 and 2.0 times the error (docs/trust.md).
const AGREES: f64 = 3.0;

/// A row of the table.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) problem: &'static str,
    pub(super) runs: usize,
    pub(super) failed: usize,
    /// Relative, of each unknown number, or of each field where there is none; over the seeds.
    pub(super) errors: Ordered<Spread>,
    pub(super) seconds: Spread,
    /// What the runs expect, of the field that they misjudge most.
    pub(super) estimate: Option<Estimate>,
    pub(super) published: Option<Published>,
}

/// An expected error and the true one.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Estimate {
    expected: f64,
    error: f64,
    agrees: bool,
}

impl Row {
    pub(super) fn of(standard: &Standard, outcomes: &[Outcome]) -> Self {
        let ended: Vec<&Value> = outcomes.iter().filter_map(Outcome::summary).collect();
        let known = outcomes.iter().filter(|outcome| !outcome.is_open()).count();
        let spread = |number: &dyn Fn(&Value) -> f64| {
            Spread::of(&ended.iter().map(|summary| number(summary)).collect::<Vec<_>>())
        };
        let numbers = names(ended.first().map(|summary| &summary["unknowns"]));
        let errors: Ordered<Spread> = if numbers.is_empty() {
            let fields = names(ended.first().map(|summary| &summary["rel_l2"]));
            fields.into_iter().map(|name| (name.clone(), spread(&|s| field(s, "rel_l2", &name)))).collect()
        } else {
            numbers.into_iter().map(|name| (name.clone(), spread(&|s| unknown(s, &name)))).collect()
        };
        Self {
            problem: standard.name,
            runs: known,
            failed: known - ended.len(),
            errors,
            seconds: spread(&|summary| Metric::Seconds.of(summary)),
            estimate: ended
                .iter()
                .flat_map(|summary| estimates(summary))
                .max_by(|a, b| a.off().total_cmp(&b.off())),
            published: standard.published,
        }
    }

    /// `u 1.20e-3, v 3.00e-4`.
    pub(super) fn error(&self) -> String {
        let one = |(name, error): &(String, Spread)| format!("{name} {}", short(error.mean));
        match self.errors.0.is_empty() {
            true => "–".to_owned(),
            false => self.errors.0.iter().map(one).collect::<Vec<_>>().join(", "),
        }
    }

    pub(super) fn seconds(&self) -> String {
        if self.seconds.count == 0 { "–".to_owned() } else { format!("{:.0}", self.seconds.mean) }
    }

    /// `3.10e-4 agrees`.
    pub(super) fn expected(&self) -> String {
        self.estimate
            .map_or("–".to_owned(), |estimate| format!("{} {}", short(estimate.expected), estimate.word()))
    }
}

impl Estimate {
    /// How far the estimate is from the error, as a logarithm.
    fn off(&self) -> f64 {
        (self.expected / self.error).ln().abs()
    }

    fn word(&self) -> &'static str {
        match self {
            Self { agrees: true, .. } => "agrees",
            Self { expected, error, .. } if expected < error => "too low",
            _ => "too high",
        }
    }
}

fn names(object: Option<&Value>) -> Vec<String> {
    object.and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

fn field(summary: &Value, key: &str, name: &str) -> f64 {
    summary[key][name].as_f64().unwrap_or(f64::NAN)
}

/// The relative error of an unknown number.
fn unknown(summary: &Value, name: &str) -> f64 {
    let number = |key: &str| field(&summary["unknowns"], name, key);
    number("error") / number("truth").abs()
}

/// Those of all fields with a reference.
fn estimates(summary: &Value) -> Vec<Estimate> {
    let one = |name: String| {
        let expected = field(&summary["estimate"], &name, "rel_l2");
        let error = field(summary, "rel_l2", &name);
        let ratio = expected / error;
        ratio.is_finite().then_some(Estimate {
            expected,
            error,
            agrees: (1.0 / AGREES..=AGREES).contains(&ratio),
        })
    };
    names(summary.get("rel_l2")).into_iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::standard::STANDARD;
    use super::*;

    fn row(summaries: Vec<Value>) -> Row {
        let outcomes: Vec<Outcome> = summaries.into_iter().map(Outcome::Ended).collect();
        Row::of(&STANDARD[0], &outcomes)
    }

    #[test]
    fn errors_are_means_over_the_seeds() {
        let summary = |u: f64, expected: f64| {
            json!({ "seconds": 4.0, "unknowns": {}, "rel_l2": { "u": u, "v": 0.5 },
                    "estimate": { "u": { "rel_l2": expected }, "v": { "rel_l2": 0.5 } } })
        };
        let row = row(vec![summary(0.1, 0.2), summary(0.3, 0.03)]);
        assert_eq!((row.error().as_str(), row.seconds().as_str()), ("u 2.00e-1, v 5.00e-1", "4"));
        // The worst of four.
        assert_eq!(row.expected(), "3.00e-2 too low");
    }

    #[test]
    fn unknown_numbers_count_relative_to_their_truth() {
        let row = row(vec![json!({
            "seconds": 100.4, "rel_l2": { "u": 0.1 }, "estimate": { "u": { "rel_l2": 0.12 } },
            "unknowns": { "rho": { "value": 14.0, "truth": -15.0, "error": 3.0 } },
        })]);
        assert_eq!((row.error().as_str(), row.expected().as_str()), ("rho 2.00e-1", "1.20e-1 agrees"));
    }

    #[test]
    fn a_problem_whose_runs_failed_has_a_row() {
        let row = Row::of(&STANDARD[0], &[Outcome::Failed("killed".to_owned())]);
        assert_eq!((row.error(), row.seconds(), row.expected()), ("–".into(), "–".into(), "–".into()));
        assert_eq!((row.runs, row.failed), (1, 1));
    }
}
