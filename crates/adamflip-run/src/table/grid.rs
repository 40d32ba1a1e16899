//! What all tables are once their numbers are written: labels and cells, as text, Markdown and LaTeX.

use super::{latex_escaped, markdown_escaped};
use crate::words::text_table;

/// A table of texts.
#[derive(Debug)]
pub struct Grid {
    /// What it is about.
    pub title: String,
    /// The names of all columns.
    pub header: Vec<String>,
    /// How many of them say what a row is.
    pub labels: usize,
    /// Its rows.
    pub rows: Vec<GridRow>,
    /// What is to be said below.
    pub notes: Vec<String>,
}

/// A row: what it is, then its cells as the format writes them.
#[derive(Debug)]
pub struct GridRow {
    /// What it is, in the first columns.
    pub labels: Vec<String>,
    /// The others.
    pub cells: Vec<String>,
    /// Does something new begin with it?
    pub begins: bool,
}

impl Grid {
    /// To look at.
    pub fn text(&self) -> String {
        let header: Vec<&str> = self.header.iter().map(String::as_str).collect();
        let mut rows = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            if row.begins && number > 0 {
                rows.push(vec![String::new(); header.len()]);
            }
            rows.push([&row.labels[..], &row.cells].concat());
        }
        let shown = text_table(&header, rows, self.labels..);
        let notes: Vec<String> = self.notes.iter().map(|note| format!(" {note}")).collect();
        let parts = [format!(" {}", self.title), shown, notes.join("\n")];
        parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("\n\n") + "\n"
    }

    /// For Markdown, as GitHub shows it, with the title between these.
    pub fn markdown(&self, [before, after]: [&str; 2]) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let escaped =
            |texts: &[String]| -> Vec<String> { texts.iter().map(|text| markdown_escaped(text)).collect() };
        let rule = |column: usize| if column < self.labels { "---" } else { "---:" }.to_owned();
        let mut text = line(escaped(&self.header)) + &line((0..self.header.len()).map(rule).collect());
        for row in &self.rows {
            text += &line([escaped(&row.labels), row.cells.clone()].concat());
        }
        let notes: String = escaped(&self.notes).iter().map(|note| format!("\n- {note}")).collect();
        let end = if notes.is_empty() { "" } else { "\n" };
        format!("{before}{}{after}\n\n{text}{notes}{end}", markdown_escaped(&self.title))
    }

    /// For LaTeX, without packages.
    pub fn latex(&self) -> String {
        let escaped =
            |texts: &[String]| -> Vec<String> { texts.iter().map(|text| latex_escaped(text)).collect() };
        let columns = "l".repeat(self.labels) + &"r".repeat(self.header.len() - self.labels);
        let comment = |text: &String| format!("% {}\n", text.replace(char::is_control, " "));
        let line = |cells: Vec<String>| format!("  {} \\\\\n", cells.join(" & "));
        let mut text = comment(&self.title);
        text += &format!("\\begin{{tabular}}{{{columns}}}\n  \\hline\n{}", line(escaped(&self.header)));
        for (number, row) in self.rows.iter().enumerate() {
            if row.begins || number == 0 {
                text += "  \\hline\n";
            }
            text += &line([escaped(&row.labels), row.cells.clone()].concat());
        }
        text += "  \\hline\n\\end{tabular}\n";
        text + &self.notes.iter().map(comment).collect::<String>()
    }
}
