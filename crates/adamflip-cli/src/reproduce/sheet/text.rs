//! A table to look at.

use comfy_table::CellAlignment;

use super::{Sheet, Written};
use crate::summary::plain_table;

pub(super) fn render(sheet: &Sheet) -> String {
    let header = sheet.header();
    let mut shown = plain_table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    for (number, line) in sheet.lines.iter().enumerate() {
        if line.begins && number > 0 {
            shown.add_row(vec![""; header.len()]);
        }
        let labels = sheet.labels(number).into_iter();
        shown.add_row(labels.chain(sheet.cells(line, Written::Plain)).collect::<Vec<_>>());
    }
    for column in shown.column_iter_mut().skip(sheet.labels.len()) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines: Vec<String> = shown.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    let notes: Vec<String> = sheet.notes.iter().map(|note| format!(" {note}")).collect();
    let parts = [format!(" {}", sheet.title), lines.join("\n"), notes.join("\n")];
    parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("\n\n") + "\n"
}
