//! The summary of a run that has ended, and what becomes of it when the run goes on.
//!
//! While a run goes on, the summary of its earlier end stays in the folder, marked: its `event` is
//! `earlier_summary` and its `status` `running`, so that nobody takes it for the end of the run.

use std::path::Path;

use adamflip::checkpoint::regular;
use serde_json::Value;

use crate::error::RunError;
use crate::run_dir::{self, RunDir};

pub(crate) const FILE: &str = "summary.json";
const EARLIER: &str = "earlier_summary";

/// The summary in the folder of a run; none where the run goes on, or was killed before it was written.
pub fn summary(run: &Path) -> Option<Value> {
    let text = regular::read_text(&run.join(FILE), run_dir::LARGEST_TEXT).ok()?;
    let summary: Value = serde_json::from_str(&text).ok()?;
    (summary.is_object() && summary["event"] != EARLIER).then_some(summary)
}

/// Marks the summary of a run that goes on.
pub(crate) fn mark_earlier(dir: &RunDir) -> Result<(), RunError> {
    let Some(mut summary) = summary(dir.path()) else { return Ok(()) };
    let status = summary["status"].take();
    summary["event"] = EARLIER.into();
    summary["status"] = "running".into();
    summary["earlier_status"] = status;
    let text = serde_json::to_string_pretty(&summary).unwrap_or_default();
    dir.write(FILE, format!("{text}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_an_earlier_end_stays_and_is_not_taken_for_the_end() {
        let parent = tempfile::tempdir().unwrap();
        let out = parent.path().join("run");
        let dir = RunDir::create(Some(&out), "run", |dir| dir.write("run.json", "{}")).unwrap();
        mark_earlier(&dir).unwrap();
        assert!(!out.join(FILE).exists());
        dir.write(FILE, r#"{"event":"summary","status":"max_steps","steps":7}"#).unwrap();
        assert_eq!(summary(&out).unwrap()["status"], "max_steps");
        // Twice, as after a run that was killed while it went on.
        for _ in 0..2 {
            mark_earlier(&dir).unwrap();
            assert_eq!(summary(&out), None);
            let kept: Value =
                serde_json::from_str(&std::fs::read_to_string(out.join(FILE)).unwrap()).unwrap();
            let told = ["event", "status", "earlier_status", "steps"].map(|key| kept[key].clone());
            assert_eq!(told, [EARLIER.into(), "running".into(), "max_steps".into(), Value::from(7)]);
        }
    }
}
