//! A table for Markdown, as GitHub shows it.

use super::{Table, text};

pub(super) fn render(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut lines = line(table.header().iter().map(|name| escaped(name)).collect());
    let rule = |column: usize| if column < table.labels.len() { "---" } else { "---:" }.to_owned();
    lines += &line((0..table.labels.len() + 1 + table.metrics.len()).map(rule).collect());
    let best = table.best();
    for row in &table.rows {
        let mut cells: Vec<String> = row.labels.iter().map(|label| escaped(label)).collect();
        cells.push(row.runs());
        for (column, (metric, number)) in table.metrics.iter().zip(&row.numbers).enumerate() {
            let cell = text::cell(metric, number);
            cells.push(if best[column] == Some(*number) { format!("**{cell}**") } else { cell });
        }
        lines += &line(cells);
    }
    let notes: String = table.notes.iter().map(|note| format!("\n- {}", escaped(note))).collect();
    let notes = if notes.is_empty() { notes } else { format!("{notes}\n") };
    format!("**{}**\n\n{lines}{notes}", escaped(&table.title))
}

/// Signs that mean something to Markdown stand for themselves.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\\' | '|' | '*' | '_' | '`' | '<' | '[' | ']' => escaped.extend(['\\', letter]),
            _ if letter.is_control() => escaped.push(' '),
            _ => escaped.push(letter),
        }
    }
    escaped
}
