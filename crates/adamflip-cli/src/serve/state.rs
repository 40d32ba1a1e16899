//! The run in numbers, as the page asks for them every second.

use adamflip_run::words::role_name;
use adamflip_run::{Ordered, error_column, shell};
use serde::Serialize;

use crate::watch::{Condition, Watched};

#[derive(Serialize)]
struct State<'a> {
    title: &'a str,
    problem: &'a str,
    run: String,
    command: &'a str,
    seed: u64,
    /// `running`, `ended` or `killed`.
    condition: &'static str,
    /// How it ended, and what to do.
    status: Option<&'a str>,
    message: Option<&'a str>,
    /// Whether and how it can go on.
    resume: Option<String>,
    step: usize,
    steps: usize,
    method: &'a str,
    seconds: f64,
    steps_per_second: f64,
    seconds_left: Option<f64>,
    stages: Vec<Stage<'a>>,
    terms: Vec<Term<'a>>,
    unknowns: Vec<Unknown<'a>>,
    errors: Vec<Error<'a>>,
    /// Thinned columns of the history; what there is not is null.
    history: Ordered<&'a [f64]>,
    /// Changes with the picture; null where there is none yet.
    picture: Option<String>,
}

#[derive(Serialize)]
struct Stage<'a> {
    method: &'a str,
    steps: usize,
}

#[derive(Serialize)]
struct Term<'a> {
    name: &'a str,
    role: &'static str,
    mse: f64,
    max: f64,
}

#[derive(Serialize)]
struct Unknown<'a> {
    name: &'a str,
    value: f64,
    truth: Option<f64>,
    drift: f64,
}

#[derive(Serialize)]
struct Error<'a> {
    field: &'a str,
    value: f64,
}

/// The state of a run, and the mark of its picture.
pub(super) fn json(watched: &Watched, condition: &Condition, picture: Option<String>) -> String {
    let Watched { manifest, outline, trace, .. } = watched;
    let moment = watched.moment();
    let run = watched.run.display().to_string();
    let end = match condition {
        Condition::Ended(end) => Some(end),
        Condition::Running | Condition::Killed => None,
    };
    let can_go_on = *condition == Condition::Killed || end.is_some_and(|end| end.is_unfinished());
    let state = State {
        title: &outline.title,
        problem: &manifest.name,
        command: &manifest.command,
        seed: manifest.seed,
        condition: match condition {
            Condition::Running => "running",
            Condition::Ended(_) => "ended",
            Condition::Killed => "killed",
        },
        status: end.map(|end| end.status.as_str()),
        message: end.map(|end| end.advice.as_str()),
        resume: can_go_on.then(|| format!("adamflip resume {}", shell::path(&watched.run))),
        run,
        step: moment.step,
        steps: outline.steps(),
        method: &moment.method,
        seconds: end.map_or(moment.seconds, |end| end.seconds),
        steps_per_second: moment.speed,
        seconds_left: moment.left(outline).filter(|_| *condition == Condition::Running),
        stages: outline.stages.iter().map(|(method, steps)| Stage { method, steps: *steps }).collect(),
        terms: terms(watched, &moment.misfits),
        unknowns: unknowns(watched, &moment.unknowns),
        errors: errors(watched),
        history: trace.columns().map(|(name, column)| (name.clone(), column)).collect(),
        picture,
    };
    // Numbers, texts and lists always serialise.
    serde_json::to_string(&state).unwrap_or_default()
}

fn terms<'a>(watched: &'a Watched, misfits: &[(f64, f64)]) -> Vec<Term<'a>> {
    let terms = watched.outline.terms.iter().zip(misfits);
    terms
        .map(|(term, &(mse, max))| Term { name: &term.name, role: role_name(term.known), mse, max })
        .collect()
}

fn unknowns<'a>(watched: &'a Watched, values: &[f64]) -> Vec<Unknown<'a>> {
    let unknowns = watched.outline.unknowns.iter().zip(values);
    let unknown = |(unknown, &value): (&'a crate::view::Named<Option<f64>>, &f64)| Unknown {
        name: &unknown.name,
        value,
        truth: unknown.known,
        drift: watched.trace.drift(&adamflip::history::unknown_column(&unknown.name)),
    };
    unknowns.map(unknown).collect()
}

fn errors(watched: &Watched) -> Vec<Error<'_>> {
    let error = |field| Error { field, value: watched.trace.last_number(&error_column(field)) };
    watched.outline.fields.iter().map(|field| error(field.as_str())).collect()
}
