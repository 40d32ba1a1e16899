//! Can the answer be used? One sentence at the end of every run.

use adamflip::train::Status;
use serde::Serialize;

use super::expected::Expected;
use crate::ordered::Ordered;
use crate::words::short;

/// Relative errors up to this are a solution, and from the second on none.
const SOLVED: f64 = 0.05;
const LOST: f64 = 0.5;
/// Steps below which a run is a trial, of which nobody expects a solution.
const TRIAL: usize = 100;

/// Whether an answer can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Grade {
    /// Errors of a few per cent at the most.
    Solved,
    /// More than that, or an error that cannot be told.
    Rough,
    NotSolved,
}

/// The verdict and why.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Answer {
    pub(crate) verdict: Grade,
    pub(crate) text: String,
}

/// What decides.
pub(super) struct Evidence<'a> {
    pub(super) outcome: Status,
    pub(super) steps: usize,
    /// What the run has not come to.
    pub(super) shortfall: Option<String>,
    /// Was the plan left to us, all of it?
    pub(super) our_plan: bool,
    pub(super) measured: &'a Ordered<f64>,
    pub(super) estimate: &'a Ordered<Expected>,
    /// Terms whose data are not explained.
    pub(super) unexplained: &'a [String],
}

impl Answer {
    pub(super) fn of(seen: &Evidence<'_>) -> Self {
        let (verdict, reason) = seen.judged();
        let word = match verdict {
            Grade::Solved => "solved",
            Grade::Rough => "rough",
            Grade::NotSolved => "not solved",
        };
        Self { verdict, text: format!("{word}: {reason}") }
    }

    /// Is there none, after a run that was to give one? Runs of a few steps, plans that somebody wrote or
    /// cut, and ends that somebody asked for are trials; data that are not explained never pass.
    pub(super) fn is_missing(&self, seen: &Evidence<'_>) -> bool {
        let asked_for = matches!(seen.outcome, Status::Feasible | Status::Interrupted);
        let expected = seen.our_plan || !seen.unexplained.is_empty();
        self.verdict == Grade::NotSolved && seen.steps >= TRIAL && !asked_for && expected
    }
}

impl Evidence<'_> {
    fn judged(&self) -> (Grade, String) {
        if self.outcome == Status::Diverged {
            return (Grade::NotSolved, "the run diverged".into());
        }
        if let Some(term) = self.unexplained.first() {
            return (Grade::NotSolved, format!("the data of `{term}` are not explained"));
        }
        if let Some(shortfall) = &self.shortfall {
            return (Grade::NotSolved, shortfall.clone());
        }
        // What was measured against a reference needs no estimate.
        if let Some((name, error)) = worst(self.measured.0.iter().map(|(name, error)| (name, *error))) {
            let text = format!("the relative error of {name} is {}", short(error));
            return (level(error), text);
        }
        let Some((name, error)) = worst(self.estimate.0.iter().map(|(name, e)| (name, e.rel_l2))) else {
            return (Grade::Rough, "the error cannot be estimated".into());
        };
        let text = format!("the estimated relative error of {name} is {}", short(error));
        let doubt = self.estimate.0.iter().find_map(|(name, e)| Some((name, e.doubts.first()?)));
        match (level(error), doubt) {
            (Grade::Solved, Some((name, doubt))) => (Grade::Rough, format!("{text}, but of {name} {doubt}")),
            (verdict, _) => (verdict, text),
        }
    }
}

/// The field with the largest error; what is not a number is the largest.
fn worst<'a>(errors: impl Iterator<Item = (&'a String, f64)>) -> Option<(&'a String, f64)> {
    errors.max_by(|a, b| a.1.total_cmp(&b.1))
}

fn level(error: f64) -> Grade {
    if error <= SOLVED {
        Grade::Solved
    } else if error < LOST {
        Grade::Rough
    } else {
        Grade::NotSolved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(rel_l2: f64, doubts: &[&str]) -> Expected {
        Expected {
            rel_l2,
            doubts: doubts.iter().map(|&doubt| doubt.to_owned()).collect(),
            ..Expected::default()
        }
    }

    fn judged(
        (steps, our_plan): (usize, bool),
        estimate: &[(&str, f64, &[&str])],
        measured: &[(&str, f64)],
        unexplained: &[&str],
    ) -> (Answer, bool) {
        let estimate =
            estimate.iter().map(|(name, e, doubts)| (name.to_string(), expected(*e, doubts))).collect();
        let measured = measured.iter().map(|(name, error)| (name.to_string(), *error)).collect();
        let unexplained: Vec<String> = unexplained.iter().map(|name| name.to_string()).collect();
        let seen = Evidence {
            outcome: Status::MaxSteps,
            steps,
            shortfall: None,
            our_plan,
            measured: &measured,
            estimate: &estimate,
            unexplained: &unexplained,
        };
        let answer = Answer::of(&seen);
        let missing = answer.is_missing(&seen);
        (answer, missing)
    }

    fn answer(estimate: &[(&str, f64, &[&str])], measured: &[(&str, f64)], unexplained: &[&str]) -> Answer {
        judged((500, true), estimate, measured, unexplained).0
    }

    #[test]
    fn a_missing_answer_fails_the_run_unless_it_was_a_trial() {
        let missing =
            |run, estimate, measured: f64| judged(run, &[("u", estimate, &[])], &[("u", measured)], &[]).1;
        assert!(missing((500, true), 0.6, 0.6));
        assert!(!missing((500, false), 1.0, 0.9) && !missing((20, true), 1.0, 0.9));
        assert!(!missing((500, true), 1.0, 0.01));
        assert!(judged((500, false), &[("u", 1e-3, &[])], &[], &["sensors"]).1);
    }

    #[test]
    fn the_worst_field_decides() {
        let said = |u, v| answer(&[("u", u, &[]), ("v", v, &[])], &[], &[]);
        assert_eq!(said(1e-4, 0.049).text, "solved: the estimated relative error of v is 4.90e-2");
        assert_eq!(said(0.2, 1e-6).text, "rough: the estimated relative error of u is 2.00e-1");
        assert_eq!(said(0.2, f64::NAN).verdict, Grade::NotSolved);
    }

    #[test]
    fn what_is_known_outweighs_the_estimate_and_data_come_first() {
        assert_eq!(answer(&[("u", 0.04, &[])], &[("u", 0.93)], &[]).verdict, Grade::NotSolved);
        assert_eq!(answer(&[("u", 1.0, &[])], &[("u", 1e-3)], &[]).verdict, Grade::Solved);
        let unexplained = answer(&[("u", 1e-6, &[])], &[("u", 1e-6)], &["sensors"]);
        assert_eq!(unexplained.text, "not solved: the data of `sensors` are not explained");
    }

    #[test]
    fn doubts_make_a_small_estimate_rough() {
        let doubted = answer(&[("u", 1e-3, &["the residual is concentrated"])], &[], &[]);
        assert_eq!(doubted.verdict, Grade::Rough);
        assert!(doubted.text.ends_with("but of u the residual is concentrated"), "{}", doubted.text);
        assert_eq!(answer(&[], &[], &[]).verdict, Grade::Rough);
    }
}
