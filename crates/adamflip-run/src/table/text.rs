//! A table to look at.

use super::{Digits, Row, Table};
use crate::batch::{Metric, Spread};
use crate::words::text_table;

pub(super) fn render(table: &Table) -> String {
    let header = table.header();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let best = table.best();
    let cells = |row: &Row| {
        let mut cells = row.labels.clone();
        cells.push(row.runs());
        for (column, (metric, number)) in table.metrics.iter().zip(&row.numbers).enumerate() {
            let mark = if best[column] == Some(*number) { "* " } else { "" };
            cells.push(format!("{mark}{}", cell(metric, number)));
        }
        cells
    };
    let shown = text_table(&header, table.rows.iter().map(cells), table.labels.len()..);
    let best = (table.rows.len() > 1).then(|| " * best of its column".to_owned());
    let notes = table.notes.iter().map(|note| format!(" {note}"));
    let below: Vec<String> = best.into_iter().chain(notes).collect();
    let parts = [format!(" {}", table.title), shown, below.join("\n")];
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
