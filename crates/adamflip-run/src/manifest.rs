//! `run.json`: what a run was asked to do, by which version and where; all that the problem file does not
//! say.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use adamflip::checkpoint::regular;
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::run_dir;

/// The layout of a run folder; a reader refuses later ones.
const FORMAT: u32 = 1;
/// The name of the file.
pub(crate) const FILE: &str = "run.json";

/// What a run was asked to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunManifest {
    /// The layout of the folder.
    pub format: u32,
    /// The version of the program that began it.
    pub version: String,
    /// The name of the problem.
    pub name: String,
    /// The command that began it.
    pub command: String,
    /// When it was started, in universal time.
    pub started: String,
    /// The method that was asked for in place of the stages of the file.
    pub method: Option<String>,
    /// The method that was asked for in the last stage.
    #[serde(default)]
    pub finish: Option<String>,
    /// The steps that were asked for.
    pub steps: Option<u64>,
    /// The seed of every random number.
    pub seed: u64,
    /// The threads it was started with.
    pub threads: usize,
    /// Where it was started.
    pub machine: Machine,
}

/// Where a run was started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// `linux`.
    pub system: String,
    /// `x86_64`.
    pub architecture: String,
    /// The name of the processor, where the system tells it.
    pub processor: String,
    /// Cores, or as many threads as run at once.
    pub cores: usize,
}

impl RunManifest {
    pub(crate) fn new(name: &str, command: &str, seed: u64) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: name.to_owned(),
            command: command.to_owned(),
            started: now(),
            method: None,
            finish: None,
            steps: None,
            seed,
            threads: rayon::current_num_threads(),
            machine: Machine::this(),
        }
    }

    /// The manifest of the run in a folder.
    pub fn read(run: &Path) -> Result<Self, RunError> {
        run_dir::is_run(run)?;
        let path = run.join(FILE);
        let hint = "the file tells what the run is; without it the run cannot be read";
        let failed = |error: &dyn std::fmt::Display| {
            RunError::input(format!("cannot read `{}`: {error}", path.display()), hint)
        };
        let text = regular::read_text(&path, run_dir::LARGEST_TEXT).map_err(|error| failed(&error))?;
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        let format = value.get("format").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if format > FORMAT.into() {
            let version = value.get("version").and_then(serde_json::Value::as_str).unwrap_or("unknown");
            return Err(RunError::input(
                format!("`{}` is a run of the newer version {version} (layout {format})", run.display()),
                format!(
                    "this is adamflip {}, which knows layout {FORMAT}: use the newer one",
                    env!("CARGO_PKG_VERSION")
                ),
            ));
        }
        serde_json::from_value(value).map_err(|error| failed(&error))
    }

    pub(crate) fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl Machine {
    /// The one that this is.
    pub fn this() -> Self {
        let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Self {
            system: std::env::consts::OS.to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            processor: model.map_or("unknown", |(_, name)| name).trim().to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// `Linux x86_64, 2 cores, Some Processor`.
    pub fn line(&self) -> String {
        let Self { system, architecture, processor, cores } = self;
        format!("{system} {architecture}, {}, {processor}", crate::words::counted(*cores, "core"))
    }
}

/// The time of the clock, as in 2026-11-16T06:30:00Z.
pub fn now() -> String {
    utc(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}

/// Seconds since 1970 as date and time. The days of the calendar repeat every 400 years; in years that begin
/// in March the leap day is the last.
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + next;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn dates_follow_the_calendar() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ];
        for (seconds, date) in cases {
            assert_eq!(utc(seconds), date);
        }
    }
}
