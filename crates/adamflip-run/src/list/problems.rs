//! The problem files of a folder.

use std::path::Path;

use adamflip::spec::{self, Overrides, Spec};
use serde::Serialize;

use super::entries;
use crate::error::RunError;
use crate::shell;
use crate::words::text_table;

/// A problem file.
#[derive(Debug, Serialize)]
pub struct ProblemEntry {
    event: &'static str,
    name: String,
    title: Option<String>,
    kind: &'static str,
    unknowns: Vec<String>,
    path: String,
}

/// The folder of the standard problems within that of all: what else lies beside problem files (data, runs)
/// is not searched.
const STANDARD: &str = "standard";

/// All problem files of a folder, and of the standard ones below it; one with errors is left out, which is
/// logged.
pub fn all(folder: &Path) -> Result<Vec<ProblemEntry>, RunError> {
    let mut listed = of_folder(folder, "")?;
    let standard = folder.join(STANDARD);
    if standard.is_dir() {
        listed.extend(of_folder(&standard, &format!("{STANDARD}/"))?);
    }
    Ok(listed)
}

/// Those of one folder, whose names begin with a prefix.
fn of_folder(folder: &Path, prefix: &str) -> Result<Vec<ProblemEntry>, RunError> {
    let hint = "name the folder of problem files with `--problems DIR`";
    let paths = entries(folder, hint)?;
    let files = paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    Ok(files.filter_map(|path| listed(path, prefix)).collect())
}

fn listed(path: &Path, prefix: &str) -> Option<ProblemEntry> {
    let shown = path.display().to_string();
    match spec::load(path, &Overrides::default()) {
        Ok(parsed) if parsed.diagnostics.is_empty() => Some(ProblemEntry {
            event: "problem",
            kind: kind(&parsed.spec),
            unknowns: parsed.spec.unknowns.iter().map(|unknown| unknown.name.value.clone()).collect(),
            name: format!("{prefix}{}", parsed.spec.name),
            title: parsed.spec.title,
            path: shown,
        }),
        Ok(_) => {
            log::warn!("`{shown}` is left out: `adamflip check {}` shows its errors", shell::quoted(&shown));
            None
        }
        Err(error) => {
            let text = error.to_string();
            log::warn!("left out: {}", text.lines().next().unwrap_or_default());
            None
        }
    }
}

/// What is sought: coefficients, or the solution of an equation of some kind.
fn kind(spec: &Spec) -> &'static str {
    let mentions = |name: &str| {
        let equations = spec.terms.iter().flat_map(|term| &term.equations);
        equations.into_iter().any(|equation| equation.value.contains(name))
    };
    if !spec.unknowns.is_empty() {
        "inverse"
    } else if mentions("caputo(") {
        "fractional"
    } else if spec.domain.len() == 1 {
        "ode"
    } else {
        "forward"
    }
}

/// The table for people.
pub fn table(listed: &[ProblemEntry]) -> String {
    let row = |problem: &ProblemEntry| {
        let title = problem.title.clone().unwrap_or_default();
        vec![problem.name.clone(), problem.kind.to_owned(), problem.unknowns.join(", "), title]
    };
    text_table(&["problem", "kind", "unknowns", "title"], listed.iter().map(row), 0..0)
}
