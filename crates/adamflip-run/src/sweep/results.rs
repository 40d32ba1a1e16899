//! `results.csv`: one row a run.

use crate::batch::{Finished, Metric, Outcome, Plan};
use crate::table::{csv_line, csv_number};

pub(super) fn text(plan: &Plan, finished: &Finished, keys: &[String], metrics: &[Metric]) -> String {
    let mut header = vec!["run".to_owned()];
    header.extend_from_slice(keys);
    header.extend(["seed", "status", "steps"].map(str::to_owned));
    header.extend(metrics.iter().map(Metric::name));
    header.push("reason".to_owned());
    let mut lines = csv_line(&header);
    for (variant, outcomes) in plan.variants.iter().zip(&finished.outcomes) {
        for (seed, outcome) in plan.seeds.iter().zip(outcomes) {
            let mut cells = vec![format!("{}-{seed}", variant.name)];
            cells.extend_from_slice(&variant.labels);
            cells.push(seed.to_string());
            cells.extend(found(outcome, metrics));
            lines += &csv_line(&cells);
        }
    }
    lines
}

/// Status, steps, numbers, and the reason of a failure.
fn found(outcome: &Outcome, metrics: &[Metric]) -> Vec<String> {
    let (mut cells, reason) = match outcome {
        Outcome::Ended(summary) => {
            let status = summary["status"].as_str().unwrap_or("ended").to_owned();
            (vec![status, summary["steps"].to_string()], String::new())
        }
        Outcome::Open => (vec!["open".to_owned(), String::new()], String::new()),
        Outcome::Failed(reason) => (vec!["failed".to_owned(), String::new()], reason.clone()),
    };
    let number = |metric: &Metric| outcome.summary().map_or(f64::NAN, |summary| metric.of(summary));
    cells.extend(metrics.iter().map(|metric| csv_number(number(metric))));
    cells.push(reason);
    cells
}
