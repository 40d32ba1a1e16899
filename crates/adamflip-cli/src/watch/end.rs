//! How a run ended, from its `summary.json`.

use std::path::Path;

use serde::Deserialize;

use adamflip_run::words::{clock, short};

/// What of a summary is told again.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct End {
    pub(crate) status: String,
    pub(crate) steps: usize,
    pub(crate) seconds: f64,
    pub(crate) advice: String,
    #[serde(default)]
    rel_l2: serde_json::Map<String, serde_json::Value>,
}

impl End {
    /// Of the run in a folder, if it has one.
    pub(crate) fn read(run: &Path) -> Option<Self> {
        serde_json::from_value(adamflip_run::summary(run)?).ok()
    }

    /// Can the run go on as it was planned?
    pub(crate) fn is_unfinished(&self) -> bool {
        matches!(self.status.as_str(), "interrupted" | "time_budget")
    }

    /// One line: `max_steps: 12000 steps in 41 s, relative L2 error u 3.12e-2`.
    pub(crate) fn line(&self) -> String {
        let errors = self.rel_l2.iter().filter_map(|(field, error)| Some((field, error.as_f64()?)));
        let errors: Vec<String> = errors.map(|(field, error)| format!("{field} {}", short(error))).collect();
        let errors = match errors.is_empty() {
            true => String::new(),
            false => format!(", relative L2 error {}", errors.join(", ")),
        };
        format!("{}: {} steps in {}{errors}", self.status, self.steps, clock(self.seconds))
    }
}
