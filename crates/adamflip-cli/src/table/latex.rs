//! A table for LaTeX, without packages.

use super::{Digits, Table};
use crate::batch::{Metric, Spread};

pub(super) fn render(table: &Table) -> String {
    let columns = "l".repeat(table.labels.len()) + &"r".repeat(1 + table.metrics.len());
    let header: Vec<String> = table.header().iter().map(|name| escaped(name)).collect();
    let mut text = format!("% {}\n", table.title.replace(char::is_control, " "));
    text += &format!("\\begin{{tabular}}{{{columns}}}\n  \\hline\n");
    text += &format!("  {} \\\\\n  \\hline\n", header.join(" & "));
    let best = table.best();
    for row in &table.rows {
        let mut cells: Vec<String> = row.labels.iter().map(|label| escaped(label)).collect();
        cells.push(row.runs());
        for (column, (metric, number)) in table.metrics.iter().zip(&row.numbers).enumerate() {
            let cell = cell(metric, number);
            let best = best[column] == Some(*number);
            cells.push(if best { format!("{{\\boldmath {cell}}}") } else { cell });
        }
        text += &format!("  {} \\\\\n", cells.join(" & "));
    }
    text += "  \\hline\n\\end{tabular}\n";
    text + &table
        .notes
        .iter()
        .map(|note| format!("% {}\n", note.replace(char::is_control, " ")))
        .collect::<String>()
}

fn cell(metric: &Metric, number: &Spread) -> String {
    if number.count == 0 {
        return "--".to_owned();
    }
    let digits = Digits::of(metric, number.mean);
    let deviation =
        number.deviation.map_or(String::new(), |deviation| format!(" \\pm {}", written(digits, deviation)));
    let of = if number.is_whole() { String::new() } else { format!(" ({} of {})", number.count, number.of) };
    format!("${}{deviation}${of}", written(digits, number.mean))
}

/// A number within dollar signs.
pub(crate) fn written(digits: Digits, number: f64) -> String {
    if let Digits::Fixed(places) = digits {
        return format!("{number:.places$}");
    }
    let text = format!("{number:.2e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa} \\times 10^{{{exponent}}}"),
        None => text,
    }
}

/// Signs that mean something to LaTeX stand for themselves.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '_' | '&' | '%' | '#' | '$' | '{' | '}' => escaped.extend(['\\', letter]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '–' => escaped.push_str("--"),
            _ if letter.is_control() => escaped.push(' '),
            _ => escaped.push(letter),
        }
    }
    escaped
}
