//! `errors.svg`: the error of every method against steps and against time, side by side.

use super::curve::{Curve, StageState, course, has_place};
use super::drawing::{Line, Panel, page};
use crate::batch::{Finished, Metric, Plan};
use crate::results;

/// The figure of a comparison: for each row the geometric mean over its seeds, and a band from the smallest
/// to the largest.
pub(super) fn errors(plan: &Plan, finished: &Finished) -> String {
    let fields = &plan.shape.fields;
    let upward = match fields.as_slice() {
        [] => "sum of mean squares".to_owned(),
        [field] => format!("relative L2 error of {field}"),
        _ => format!("mean relative L2 error of {}", fields.join(", ")),
    };
    let panel = |axis: &str, across: &str| Panel {
        across: across.to_owned(),
        upward: upward.clone(),
        lines: lines(plan, finished, axis),
    };
    page(&plan.title, &[panel("step", "steps"), panel("seconds", "seconds")])
}

fn lines(plan: &Plan, finished: &Finished, axis: &str) -> Vec<Line> {
    let rows = plan.variants.iter().zip(&finished.outcomes);
    rows.map(|(variant, outcomes)| {
        let seeds = plan.seeds.iter().zip(outcomes);
        let ended = seeds.filter_map(|(seed, outcome)| outcome.summary().map(|summary| (seed, summary)));
        let courses: Vec<StageState> = ended
            .map(|(seed, summary)| {
                let folder = finished.dir.run(&format!("{}-{seed}", variant.name));
                followed(&folder, axis, &plan.shape.fields, summary)
            })
            .collect();
        let ended = outcomes.iter().filter(|outcome| !outcome.is_open()).count();
        let failed = ended - courses.len();
        let name = variant.labels.join(" ");
        let name = if failed == 0 { name } else { format!("{name} ({failed} failed)") };
        Line { name, curve: Curve::of(&courses) }
    })
    .collect()
}

/// The course of a run to its end, where the summary knows the error best.
fn followed(
    folder: &std::path::Path,
    axis: &str,
    fields: &[String],
    summary: &serde_json::Value,
) -> StageState {
    let history = results::history_or_none(folder);
    let mut course = course(&history, axis, fields);
    let key = if axis == "step" { "steps" } else { axis };
    let end = summary[key].as_f64().unwrap_or(f64::NAN);
    let error = Metric::Error.of(summary);
    if has_place(end) && has_place(error) && course.last().is_none_or(|&(place, _)| place < end) {
        course.push((end, error));
    }
    course
}
