//! A table to look at.

use adamflip_run::words::text_table;

use super::{Sheet, Written};

pub(super) fn render(sheet: &Sheet) -> String {
    let header = sheet.header();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut rows = Vec::new();
    for (number, line) in sheet.lines.iter().enumerate() {
        if line.begins && number > 0 {
            rows.push(vec![String::new(); header.len()]);
        }
        rows.push(sheet.labels(number).into_iter().chain(sheet.cells(line, Written::Plain)).collect());
    }
    let shown = text_table(&header, rows, sheet.labels.len()..);
    let notes: Vec<String> = sheet.notes.iter().map(|note| format!(" {note}")).collect();
    let parts = [format!(" {}", sheet.title), shown, notes.join("\n")];
    parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("\n\n") + "\n"
}
