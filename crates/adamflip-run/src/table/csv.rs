//! A table for other programs: all digits, and mean, deviation and count of each number in columns of their
//! own.

use super::Table;

pub(super) fn render(table: &Table) -> String {
    let mut header = table.labels.clone();
    header.extend(["runs", "failed"].map(str::to_owned));
    for metric in &table.metrics {
        let name = metric.name();
        header.extend(["mean", "deviation", "count"].map(|part| format!("{name} {part}")));
    }
    let mut lines = line(&header);
    for row in &table.rows {
        let mut cells = row.labels.clone();
        cells.extend([row.runs.1, row.runs.1 - row.runs.0].map(|count| count.to_string()));
        for spread in &row.numbers {
            let deviation = spread.deviation.unwrap_or(f64::NAN);
            cells.extend([number(spread.mean), number(deviation), spread.count.to_string()]);
        }
        lines += &line(&cells);
    }
    lines
}

/// A line of a CSV file (RFC 4180, but with a plain line end).
pub fn line(cells: &[String]) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// As few digits as bring the number back exactly; nothing where there is none.
pub fn number(number: f64) -> String {
    match number.is_finite() {
        true => format!("{number:e}"),
        false => String::new(),
    }
}
