//! How a run stands, by what is in its folder.

use std::path::Path;

use serde_json::Value;

use crate::lock;
use crate::summary::stored;

/// How a run stands.
#[derive(Debug)]
pub enum Look {
    /// There is no folder.
    Absent,
    /// It was started and has not ended.
    Begun,
    /// A process works in it.
    Busy,
    /// It has ended, with this summary.
    Ended(Value),
}

/// Looks at the folder of a run.
pub fn look(run: &Path) -> Look {
    if !run.join("run.json").is_file() {
        Look::Absent
    } else if lock::is_held(run) {
        Look::Busy
    } else {
        summary(run).filter(|summary| summary["status"] != "interrupted").map_or(Look::Begun, Look::Ended)
    }
}

/// The summary, if it is one: a run can be killed before it is written.
fn summary(run: &Path) -> Option<Value> {
    stored::summary(run).filter(|summary| summary["status"].is_string())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_run_goes_from_absent_to_ended() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path();
        assert!(matches!(look(run), Look::Absent));
        std::fs::write(run.join("run.json"), "{}").unwrap();
        assert!(matches!(look(run), Look::Begun));
        for text in ["", "{\"status\":", "{\"status\":\"interrupted\"}", "[]"] {
            std::fs::write(run.join("summary.json"), text).unwrap();
            assert!(matches!(look(run), Look::Begun), "{text}");
        }
        std::fs::write(run.join("summary.json"), "{\"status\":\"max_steps\"}").unwrap();
        assert!(matches!(look(run), Look::Ended(summary) if summary["status"] == "max_steps"));
        let lock = File::create(run.join("lock")).unwrap();
        lock.lock().unwrap();
        assert!(matches!(look(run), Look::Busy));
    }
}
