//! A table for Markdown, as GitHub shows it.

use super::{Sheet, Written};
use adamflip_run::table::markdown_escaped;

pub(super) fn render(sheet: &Sheet) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let header: Vec<String> = sheet.header().iter().map(|name| markdown_escaped(name)).collect();
    let rule = |column: usize| if column < sheet.labels.len() { "---" } else { "---:" }.to_owned();
    let mut text = line(&header) + &line(&(0..header.len()).map(rule).collect::<Vec<_>>());
    for (number, row) in sheet.lines.iter().enumerate() {
        let labels = sheet.labels(number).into_iter().map(|label| markdown_escaped(&label));
        text += &line(&labels.chain(sheet.cells(row, Written::Plain)).collect::<Vec<_>>());
    }
    let notes: String = sheet.notes.iter().map(|note| format!("\n- {}", markdown_escaped(note))).collect();
    let notes = if notes.is_empty() { notes } else { format!("{notes}\n") };
    format!("## {}\n\n{text}{notes}", markdown_escaped(&sheet.title))
}
