//! Tables for other programs: one line a number, with all digits.

use super::{Aggregate, Entry, Sheet};
use adamflip_run::batch::Spread;
use adamflip_run::table::{csv_line, csv_number};

/// The names of the columns.
pub(crate) fn header() -> String {
    let names = [
        "table",
        "row",
        "column",
        "runs",
        "diverged",
        "median",
        "mean",
        "deviation",
        "least",
        "largest",
        "paper",
        "paper deviation",
        "verdict",
    ];
    csv_line(&names.map(str::to_owned))
}

pub(super) fn render(sheet: &Sheet) -> String {
    let mut lines = String::new();
    for line in &sheet.lines {
        for (column, entry) in sheet.columns.iter().zip(&line.entries) {
            let place = [sheet.name.to_owned(), line.labels.join(" / "), column.name.clone()];
            lines += &csv_line(&place.into_iter().chain(numbers(entry, sheet.aggregate)).collect::<Vec<_>>());
        }
    }
    lines
}

fn numbers(entry: &Entry, aggregate: Aggregate) -> Vec<String> {
    let (spread, known) = (Spread::of(&entry.numbers), entry.known());
    let optional = |number: Option<f64>| csv_number(number.unwrap_or(f64::NAN));
    let verdict = match entry.is_met(aggregate) {
        None => "",
        Some(true) => "at or below",
        Some(false) => "above",
    };
    vec![
        (entry.numbers.len() + entry.failed).to_string(),
        entry.failed.to_string(),
        optional(entry.median()),
        csv_number(spread.mean),
        optional(spread.deviation),
        optional(known.first().copied()),
        optional(known.last().copied()),
        optional(entry.paper.map(|(mean, _)| mean)),
        optional(entry.paper.and_then(|(_, deviation)| deviation)),
        verdict.to_owned(),
    ]
}
