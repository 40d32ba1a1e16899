//! What a run leaves besides its checkpoint: summary, fields, figures and report. All of it can be made again from the
//! checkpoint.

use adamflip::report::figure::{Chart, Curve, curves};
use adamflip::train::Status;
use adamflip::{evaluate, report};

use crate::failure::Failure;
use crate::output;
use crate::session::Session;
use crate::summary::Summary;

/// Writes what was found, and sums it up.
pub(crate) fn keep(session: &mut Session, status: Status, seconds: f64) -> Result<Summary, Failure> {
    let Session { folder, trainer, record, method, .. } = session;
    let model = trainer.objective().model();
    let errors = evaluate::errors(trainer.problem(), model, trainer.θ()).unwrap_or_else(|error| {
        output::warn(&format!("the error against the reference could not be measured: {error}"));
        Vec::new()
    });
    match report::solution(trainer.problem(), model, trainer.θ(), &errors) {
        Ok(svg) => folder.write("figures/solution.svg", &svg)?,
        Err(error) => output::warn(&format!("the solution could not be drawn: {error}")),
    }
    let problem = trainer.problem();
    let chart = Chart {
        title: problem.title.as_ref().unwrap_or(&problem.name).clone(),
        x_label: "step".into(),
        y_label: "mean square residual".into(),
    };
    let history = &record.history;
    let curve = |term: &adamflip::problem::Term| {
        let losses = history.column(&format!("{}_mse", term.name)).unwrap_or_default();
        let points = history.steps().iter().copied().zip(losses.iter().copied()).collect();
        Curve { name: term.name.clone(), points }
    };
    let all: Vec<Curve> = problem.terms.iter().map(curve).collect();
    folder.write("figures/history.svg", curves(&chart, &all))?;
    let summary = Summary::of(trainer, method, (status, seconds), &errors, folder.path());
    let text = serde_json::to_string_pretty(&summary).unwrap_or_default();
    folder.write("summary.json", format!("{text}\n"))?;
    Ok(summary)
}
