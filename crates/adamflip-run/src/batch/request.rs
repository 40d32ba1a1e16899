//! `batch.json`: what a batch was asked to do. A folder takes no other request.

use std::io::ErrorKind;
use std::path::Path;

use adamflip::checkpoint::regular;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::mark;
use super::plan::{Plan, Variant};
use crate::error::RunError;
use crate::run_dir::LARGEST_TEXT;

/// The name of the file.
pub(crate) const FILE: &str = "batch.json";
/// The layout of the folder; a reader refuses later ones.
const FORMAT: u64 = 1;

/// What was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    format: u64,
    /// The version of the program that began it.
    version: String,
    /// The command line, to be run again.
    pub(crate) line: String,
    /// All below must be the same for a batch to go on. `compare` or `sweep`.
    pub(crate) command: String,
    /// The name of the problem, and the text of its file.
    pub(crate) problem: String,
    text: String,
    /// The files that it reads, each with the mark of its contents.
    #[serde(default)]
    data: Vec<(String, String)>,
    profile: Option<String>,
    set: Vec<String>,
    steps: Option<u64>,
    seeds: Vec<u64>,
    variants: Vec<Asked>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Asked {
    name: String,
    method: Option<String>,
    set: Vec<String>,
}

/// What may differ, and how it is called.
const PARTS: [(&str, &str); 9] = [
    ("command", "of another command"),
    ("problem", "of another problem"),
    ("text", "of a file that was changed since"),
    ("data", "of data that were changed since"),
    ("profile", "with another `--profile`"),
    ("set", "with other `--set`"),
    ("steps", "with other `--steps`"),
    ("seeds", "with other `--seeds`"),
    ("variants", "with other methods, settings or values"),
];

impl Request {
    pub(crate) fn of(plan: &Plan, line: &str) -> Result<Self, RunError> {
        let text = std::fs::read_to_string(&plan.file).map_err(|error| {
            let hint = "check that you may read this file";
            RunError::input(format!("cannot read `{}`: {error}", plan.file.display()), hint)
        })?;
        let asked = |variant: &Variant| Asked {
            name: variant.name.clone(),
            method: variant.method.as_ref().map(|method| method.name().to_owned()),
            set: variant.set.clone(),
        };
        Ok(Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            line: line.to_owned(),
            command: plan.command.to_owned(),
            problem: plan.name.clone(),
            text,
            data: plan.files.iter().map(|path| (path.display().to_string(), mark::of_file(path))).collect(),
            profile: plan.profile.clone(),
            set: plan.set.clone(),
            steps: plan.steps,
            seeds: plan.seeds.clone(),
            variants: plan.variants.iter().map(asked).collect(),
        })
    }

    /// The request in a folder; none where it is no folder of a batch.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, RunError> {
        let path = folder.join(FILE);
        let failed = |reason: &dyn std::fmt::Display| {
            let hint = "the file tells what the runs are; choose another folder with `--out DIR`";
            RunError::input(format!("cannot read `{}`: {reason}", path.display()), hint)
        };
        let text = match regular::read_text(&path, LARGEST_TEXT) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(failed(&error)),
        };
        let value: Value = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        match value["format"].as_u64() {
            Some(format) if format > FORMAT => {
                let version = value["version"].as_str().unwrap_or("unknown");
                Err(failed(&format!("it is of the newer version {version} of adamflip (layout {format})")))
            }
            _ => serde_json::from_value(value).map(Some).map_err(|error| failed(&error)),
        }
    }

    pub(crate) fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// How many runs it asks for.
    pub(crate) fn runs(&self) -> usize {
        self.seeds.len() * self.variants.len()
    }

    /// What another request asks for differently.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        let (ours, theirs) = (serde_json::to_value(self).ok()?, serde_json::to_value(other).ok()?);
        PARTS.iter().find(|(key, _)| ours[key] != theirs[key]).map(|(_, said)| *said)
    }
}
