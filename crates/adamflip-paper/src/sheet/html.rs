//! A table for a page.

use super::{Sheet, Written};
use adamflip_run::table::html_escaped as escaped;

/// The table and its notes, without its title.
pub(crate) fn render(sheet: &Sheet) -> String {
    let header: String = sheet
        .header()
        .iter()
        .enumerate()
        .map(|(column, name)| {
            let class = if column < sheet.labels.len() { "" } else { " class=\"number\"" };
            format!("<th scope=\"col\"{class}>{}</th>", escaped(name))
        })
        .collect();
    let mut rows = String::new();
    for (number, line) in sheet.lines.iter().enumerate() {
        let labels = sheet.labels(number);
        let labels: String =
            labels.iter().map(|label| format!("<th scope=\"row\">{}</th>", escaped(label))).collect();
        let class = if line.begins { " class=\"begins\"" } else { "" };
        rows += &format!("<tr{class}>{labels}{}</tr>\n", cells(sheet, line));
    }
    let notes: String =
        sheet.notes.iter().map(|note| format!("<p class=\"soft\">{}</p>\n", escaped(note))).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n\
         {notes}"
    )
}

/// Numbers, of which those at or below the paper's look so.
fn cells(sheet: &Sheet, line: &super::Line) -> String {
    let mut html = String::new();
    for (column, entry) in sheet.columns.iter().zip(&line.entries) {
        let class = class(entry.is_met(sheet.aggregate));
        let ours = escaped(&entry.ours(sheet.aggregate, Written::Plain));
        html += &format!("<td class=\"number{class}\">{ours}</td>");
        if column.has_paper {
            html += &format!("<td class=\"number soft\">{}</td>", escaped(&entry.theirs(Written::Plain)));
        }
    }
    html
}

fn class(is_met: Option<bool>) -> &'static str {
    match is_met {
        None => "",
        Some(true) => " met",
        Some(false) => " missed",
    }
}
