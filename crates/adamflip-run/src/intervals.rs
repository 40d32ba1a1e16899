//! How well the unknowns of a run are known.

use std::path::Path;

use adamflip::certificate::{CONFIDENCE, State};
use adamflip::uncertainty::{self, Interval, Linearized, MOST_PARAMETERS, Profile, digits};
use serde::Serialize;

use crate::error::RunError;
use crate::ordered::Ordered;
use crate::summary::Known;
use crate::trained;
use crate::words::{short, text_table};

/// What is known of the unknowns of a run.
#[derive(Serialize)]
pub struct Intervals {
    event: &'static str,
    problem: String,
    confidence: f64,
    unknowns: Ordered<Closer>,
}

/// What is known of an unknown, with what the summary leaves out.
#[derive(Serialize)]
struct Closer {
    value: f64,
    #[serde(flatten)]
    known: Known,
    correlations: Ordered<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    likelihood: Option<Likelihood>,
}

#[derive(Serialize)]
struct Likelihood {
    interval: [f64; 2],
    /// Values, and how many deviations each is away by the rise of the merit.
    curve: Vec<[f64; 2]>,
}

/// Finds what is known of the unknowns of a run; where asked for also the profiles of their likelihood.
pub fn intervals(run: &Path, likelihood: bool) -> Result<Intervals, RunError> {
    let (_, trainer) = trained::trainer(run)?;
    let (problem, state) = (trainer.problem(), trainer.state());
    if problem.unknowns.is_empty() {
        let hint = match problem.fields.len() > problem.sought {
            true => {
                "its unknowns are fields, for which there are no intervals: `adamflip report` has the estimate of their errors"
            }
            false => "only inverse problems have them: see `[unknowns]` in docs/problem-files.md",
        };
        return Err(RunError::input(format!("the run in `{}` has no unknown numbers", run.display()), hint));
    }
    let linear = Linearized::new(&state).ok_or_else(|| {
        let parameters = state.θ.len();
        let message = format!("the run in `{}` cannot be linearized at its solution", run.display());
        RunError::input(
            message,
            format!("it has {parameters} parameters; intervals are made for up to {MOST_PARAMETERS}, and for finite residuals"),
        )
    })?;
    let profiles = if likelihood { uncertainty::profiles(&state, &linear) } else { Vec::new() };
    let intervals = uncertainty::intervals(&state, &linear);
    let known = |interval: &Interval| {
        let name = problem.unknowns[interval.unknown].name.clone();
        (name, Closer::of(&state, interval, profiles.get(interval.unknown)))
    };
    Ok(Intervals {
        event: "intervals",
        problem: problem.name.clone(),
        confidence: CONFIDENCE,
        unknowns: intervals.iter().map(known).collect(),
    })
}

impl Closer {
    fn of(state: &State<'_>, interval: &Interval, profile: Option<&Profile>) -> Self {
        let unknowns = &state.problem.unknowns;
        let name = |(other, correlation): (usize, &f64)| (unknowns[other].name.clone(), *correlation);
        let others = interval.correlations.iter().enumerate().filter(|(other, _)| *other != interval.unknown);
        let likelihood = |profile: &Profile| Likelihood {
            interval: [profile.lower, profile.upper],
            curve: profile.curve.iter().map(|&(value, t)| [value, t]).collect(),
        };
        Self {
            value: interval.value,
            known: Known::of(interval),
            correlations: others.map(name).collect(),
            truth: unknowns[interval.unknown].truth,
            likelihood: profile.map(likelihood),
        }
    }
}

impl Intervals {
    /// The table for people.
    pub fn text(&self) -> String {
        let profiled = self.unknowns.0.iter().any(|(_, closer)| closer.likelihood.is_some());
        let mut header = vec!["unknown", "value, 95%", "from", "to", "still to move"];
        header.extend(profiled.then_some(["profile from", "to"]).into_iter().flatten());
        let ends = |ends: Option<[f64; 2]>, known: &Known| match (ends, known.margin()) {
            (Some(ends), Some(margin)) => ends.map(|end| digits(end, margin)),
            _ => ["–", "–"].map(str::to_owned),
        };
        let row = |(name, closer): &(String, Closer)| {
            let known = &closer.known;
            let mut row = vec![name.clone(), known.text(closer.value)];
            row.extend(ends(known.interval, known));
            row.push(short(known.unfinished));
            row.extend(closer.likelihood.iter().flat_map(|found| ends(Some(found.interval), known)));
            row
        };
        let mut lines = vec![text_table(&header, self.unknowns.0.iter().map(row), 0..0)];
        let troubles = self.unknowns.0.iter().filter_map(|(name, closer)| closer.known.trouble(name));
        lines.extend(troubles.map(|trouble| format!("warning: {trouble}")));
        lines.join("\n")
    }
}
