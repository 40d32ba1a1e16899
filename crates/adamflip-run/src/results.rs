//! What a run leaves besides its checkpoint: summary, figures, report and fields. All of it can be made again
//! from the checkpoint.

use std::io::Cursor;
use std::path::Path;

use adamflip::certificate::Certificate;
use adamflip::checkpoint::regular;
use adamflip::evaluate::{self, FieldError};
use adamflip::export::Fields;
use adamflip::history::History;
use adamflip::report::{self, Subject};
use adamflip::train::{Decision, Status, Trainer, Written};
use adamflip::uncertainty::{self, Assessment};

use crate::error::RunError;
use crate::manifest::{self, RunManifest};
use crate::run_dir;
use crate::session::{Session, Time};
use crate::stages::{plan_text, planned};
use crate::summary::{Summary, stored};

/// A run that is to be reported.
pub(crate) struct Outcome<'a> {
    pub(crate) trainer: &'a Trainer,
    pub(crate) manifest: &'a RunManifest,
    pub(crate) history: &'a History,
    pub(crate) status: Status,
    pub(crate) seconds: f64,
    pub(crate) errors: &'a [FieldError],
    pub(crate) certificate: &'a Certificate,
    pub(crate) assessment: &'a Assessment,
}

/// The file of the plan as it was taken.
const PLAN: &str = "plan.toml";

/// Takes the name and the content of a file.
type Write<'a> = dyn FnMut(&str, &[u8]) -> Result<(), RunError> + 'a;

/// Writes what was found, the most important first, and sums it up.
pub(crate) fn keep(session: &mut Session, status: Status, time: Time) -> Result<Summary, RunError> {
    let Session { dir, manifest, trainer, record, method, .. } = session;
    let (errors, certificate) = (errors(trainer), trainer.certify());
    let assessment = uncertainty::assess(&trainer.state());
    let found = (&errors[..], &certificate, &assessment);
    let summary = Summary::of(trainer, method, (status, time), found, dir.path());
    let text = serde_json::to_string_pretty(&summary).unwrap_or_default();
    dir.write(stored::FILE, format!("{text}\n"))?;
    let (history, errors, certificate, assessment) = (&record.history, &errors, &certificate, &assessment);
    let seconds = time.seconds;
    let outcome = Outcome { trainer, manifest, history, status, seconds, errors, certificate, assessment };
    outcome.draw(&mut |name, content| dir.write(name, content))?;
    if let Some(written) = trainer.written() {
        dir.write(PLAN, plan_file(&written))?;
    }
    match fields(trainer) {
        Ok(npz) => dir.write("fields.npz", npz)?,
        Err(error) => log::warn!("`fields.npz` could not be made: {error}"),
    }
    Ok(summary)
}

/// The plan of a run as it was taken, with what it is for.
fn plan_file(written: &Written) -> String {
    let same = match written.differs {
        None => "finds the same solution, to the bit".to_owned(),
        Some(reason) => format!("comes near, but not to the bit: {reason}"),
    };
    format!(
        "# The plan as it was taken by adamflip {}: without a plan that watches itself this file {same}.\n\n{}",
        env!("CARGO_PKG_VERSION"),
        written.file
    )
}

/// All fields on the grid of the reference, or one of the domain.
fn fields(trainer: &Trainer) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let model = trainer.model();
    let mut npz = Cursor::new(Vec::new());
    Fields::new(trainer.problem(), model, trainer.θ())?.npz(&mut npz)?;
    Ok(npz.into_inner())
}

/// The errors against the reference; none where they cannot be measured, which is logged.
pub(crate) fn errors(trainer: &Trainer) -> Vec<FieldError> {
    let model = trainer.model();
    evaluate::errors(trainer.problem(), model, trainer.θ()).unwrap_or_else(|error| {
        log::warn!("the error against the reference could not be measured: {error}");
        Vec::new()
    })
}

impl Outcome<'_> {
    /// Draws the figures and the page, and hands each to `write` with its name.
    pub(crate) fn draw(&self, write: &mut Write<'_>) -> Result<(), RunError> {
        let Self { trainer, history, errors, certificate, assessment, .. } = *self;
        let state = trainer.state();
        let facts = &self.facts();
        let report = match report::report(&Subject { state, errors, history, certificate, assessment, facts })
        {
            Ok(report) => report,
            Err(error) => {
                log::warn!("the report could not be drawn: {error}");
                return Ok(());
            }
        };
        for picture in &report.pictures {
            write(&format!("figures/{}.svg", picture.name), picture.svg.as_bytes())?;
            write(&format!("figures/{}.png", picture.name), &picture.png)?;
        }
        write("report.html", report.html.as_bytes())
    }

    /// What else there is to know: when it began, and what a plan that watches itself decided.
    fn more(&self) -> Vec<(String, String)> {
        let mut more = vec![("started".to_owned(), self.manifest.started.clone())];
        let decided = |decision: &Decision| (format!("plan, step {}", decision.step), decision.text.clone());
        more.extend(self.trainer.decisions().iter().map(decided));
        if let Some(written) = self.trainer.written().filter(|_| !self.trainer.decisions().is_empty()) {
            more.push(("plan as taken".to_owned(), written.train));
        }
        more
    }

    fn facts(&self) -> report::RunFacts {
        let Self { trainer, manifest, .. } = self;
        report::RunFacts {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            plan: plan_text(&planned(trainer)),
            steps: trainer.steps_taken(),
            status: self.status.name().to_owned(),
            advice: trainer.advice(self.status),
            seconds: self.seconds,
            threads: manifest.threads,
            machine: manifest.machine.line(),
            date: manifest::now(),
            command: manifest.command.clone(),
            more: self.more(),
        }
    }
}

/// The history of a run in a folder, as far as it can be read; nothing is told.
pub fn history_or_none(run: &Path) -> History {
    let text = regular::read_text(&run.join(crate::record::FILE), run_dir::LARGEST_HISTORY);
    History::parse_prefix(&text.unwrap_or_default()).map(|(history, _)| history).unwrap_or_default()
}

/// The history of a run in a folder, as far as it can be read; what is wrong with the rest is logged.
pub fn history(run: &Path) -> Result<History, RunError> {
    let path = run.join(crate::record::FILE);
    let failed = |error: &dyn std::fmt::Display| {
        RunError::input(format!("cannot read `{}`: {error}", path.display()), "is it the file of a run?")
    };
    let bytes = regular::read(&path, run_dir::LARGEST_HISTORY).map_err(|error| failed(&error))?;
    let (history, rest) =
        History::parse_prefix(&String::from_utf8_lossy(&bytes)).map_err(|error| failed(&error))?;
    if let Some(error) = rest {
        log::warn!("the end of `{}` is left out: {error}", path.display());
    }
    Ok(history)
}
