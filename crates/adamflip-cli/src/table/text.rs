//! A table to look at.

use comfy_table::CellAlignment;

use super::{Digits, Table};
use crate::batch::{Metric, Spread};
use crate::summary::plain_table;

pub(super) fn render(table: &Table) -> String {
    let header = table.header();
    let mut shown = plain_table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    let best = table.best();
    for row in &table.rows {
        let mut cells = row.labels.clone();
        cells.push(row.runs());
        for (column, (metric, number)) in table.metrics.iter().zip(&row.numbers).enumerate() {
            let mark = if best[column] == Some(*number) { "* " } else { "" };
            cells.push(format!("{mark}{}", cell(metric, number)));
        }
        shown.add_row(cells);
    }
    for column in shown.column_iter_mut().skip(table.labels.len()) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines = shown.to_string();
    let lines = lines.lines().map(str::trim_end);
    let best = (table.rows.len() > 1).then(|| " * best of its column".to_owned());
    let notes = table.notes.iter().map(|note| format!(" {note}"));
    let below: Vec<String> = best.into_iter().chain(notes).collect();
    let parts = [format!(" {}", table.title), lines.collect::<Vec<_>>().join("\n"), below.join("\n")];
    parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("\n\n") + "\n"
}

/// `1.20e-3 ± 4.00e-4`, and of how many runs where some lack it.
pub(super) fn cell(metric: &Metric, number: &Spread) -> String {
    if number.count == 0 {
        return "–".to_owned();
    }
    let digits = Digits::of(metric, number.mean);
    let written = |number: f64| digits.plain(number);
    let deviation = number.deviation.map_or(String::new(), |deviation| format!(" ± {}", written(deviation)));
    let of = if number.is_whole() { String::new() } else { format!(" ({} of {})", number.count, number.of) };
    format!("{}{deviation}{of}", written(number.mean))
}
