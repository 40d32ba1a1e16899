//! What came of a run: a summary, or the reason why there is none that counts.

use std::path::Path;

use adamflip::checkpoint::regular;
use serde_json::Value;

use super::job::Job;
use super::look::{Look, look};
use super::plan::{Plan, Variant};
use crate::run_dir;
use crate::words::counted;

/// How a run came out.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It ended, and its numbers count.
    Ended(Value),
    /// It diverged or broke; its numbers do not count.
    Failed(String),
    /// It has not ended: another process solves it, or will.
    Open,
}

impl Outcome {
    /// Of a run with a summary. One that diverged has numbers, but they are those of its last finite state.
    pub(crate) fn of(summary: Value) -> Self {
        match summary["status"].as_str() {
            Some("diverged") => {
                let (step, advice) = (&summary["steps"], summary["advice"].as_str().unwrap_or_default());
                Self::Failed(format!("diverged after step {step}: {advice}"))
            }
            _ => Self::Ended(summary),
        }
    }

    /// Of a run that this process does not solve, by what is on the disk: one that broke said why.
    pub fn found(job: &Job) -> Self {
        match look(&job.folder) {
            Look::Ended(summary) => Self::of(summary),
            Look::Busy => Self::Open,
            Look::Begun | Look::Absent => {
                let said = regular::read(&job.log, run_dir::LARGEST_HISTORY).unwrap_or_default();
                last_error(&String::from_utf8_lossy(&said)).map_or(Self::Open, Self::Failed)
            }
        }
    }

    /// Is it still to be solved?
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Open)
    }

    /// Of a process that left no summary: what it said last, after this many bytes of others before it, or
    /// how it ended.
    pub(crate) fn broken(log: &Path, before: u64, code: Option<i32>) -> Self {
        let text = regular::read(log, run_dir::LARGEST_HISTORY).unwrap_or_default();
        let text = text.get(before as usize..).unwrap_or_default();
        let ended = match code {
            Some(code) => format!("it ended with code {code} and no summary"),
            None => "it was killed".to_owned(),
        };
        Self::Failed(last_error(&String::from_utf8_lossy(text)).unwrap_or(ended))
    }

    /// The summary of a run whose numbers count.
    pub fn summary(&self) -> Option<&Value> {
        match self {
            Self::Ended(summary) => Some(summary),
            Self::Failed(_) | Self::Open => None,
        }
    }
}

/// The last error of a log, on one line.
fn last_error(log: &str) -> Option<String> {
    let lines: Vec<&str> = log.lines().collect();
    let last = lines.iter().rposition(|line| line.starts_with("error:"))?;
    let hint = lines[last..].iter().find(|line| line.starts_with("hint:"));
    let message = lines[last].trim_start_matches("error:").trim();
    Some(hint.map_or(message.to_owned(), |hint| format!("{message} ({hint})")))
}

/// A sentence for each run that failed, and one of those that have not ended.
pub(crate) fn failures(plan: &Plan, outcomes: &[Vec<Outcome>]) -> Vec<String> {
    let open = outcomes.iter().flatten().filter(|outcome| outcome.is_open()).count();
    let all = outcomes.iter().map(Vec::len).sum();
    let open = (open > 0).then(|| format!("{open} of {} have not ended yet", counted(all, "run")));
    let said = |variant: &Variant, seed: u64, outcome: &Outcome| match outcome {
        Outcome::Failed(reason) => {
            Some(format!("{}, seed {seed}, failed: {reason}", variant.labels.join(" ")))
        }
        Outcome::Ended(_) | Outcome::Open => None,
    };
    let rows = plan.variants.iter().zip(outcomes);
    rows.flat_map(|(variant, row)| {
        plan.seeds.iter().zip(row).filter_map(move |(seed, outcome)| said(variant, *seed, outcome))
    })
    .chain(open)
    .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_diverged_run_has_failed() {
        let summary = json!({ "status": "diverged", "steps": 7, "advice": "lower `lr`" });
        assert!(
            matches!(Outcome::of(summary), Outcome::Failed(r) if r == "diverged after step 7: lower `lr`")
        );
        assert!(Outcome::of(json!({ "status": "max_steps" })).summary().is_some());
    }

    #[test]
    fn the_reason_is_the_last_error_that_was_said() {
        let log = "error: old\nhint: no\ngoing on\nerror: the disk\nis full\nhint: make room\nmore\n";
        assert_eq!(last_error(log).unwrap(), "the disk (hint: make room)");
        assert_eq!(last_error("all is well\n"), None);
        // One that was killed has not said what those before it said.
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), log).unwrap();
        let reason = |before: u64| match Outcome::broken(file.path(), before, None) {
            Outcome::Failed(reason) => reason,
            Outcome::Ended(_) | Outcome::Open => unreachable!("it has no summary"),
        };
        assert_eq!([reason(0), reason(log.len() as u64)], ["the disk (hint: make room)", "it was killed"]);
    }
}
