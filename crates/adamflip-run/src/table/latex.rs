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
pub fn written(digits: Digits, number: f64) -> String {
    if let Digits::Fixed(places) = digits {
        return format!("{number:.places$}");
    }
    let text = format!("{number:.2e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{mantissa} \\times 10^{{{exponent}}}"),
        None => text,
    }
}

/// Letters and signs that LaTeX has in formulas alone.
fn formula(letter: char) -> Option<String> {
    const GREEK: [(char, &str); 31] = [
        ('α', "alpha"),
        ('β', "beta"),
        ('γ', "gamma"),
        ('δ', "delta"),
        ('ε', "epsilon"),
        ('ζ', "zeta"),
        ('η', "eta"),
        ('θ', "theta"),
        ('ι', "iota"),
        ('κ', "kappa"),
        ('λ', "lambda"),
        ('μ', "mu"),
        ('ν', "nu"),
        ('ξ', "xi"),
        ('π', "pi"),
        ('ρ', "rho"),
        ('σ', "sigma"),
        ('τ', "tau"),
        ('υ', "upsilon"),
        ('φ', "phi"),
        ('χ', "chi"),
        ('ψ', "psi"),
        ('ω', "omega"),
        ('Γ', "Gamma"),
        ('Δ', "Delta"),
        ('Θ', "Theta"),
        ('Λ', "Lambda"),
        ('Σ', "Sigma"),
        ('Φ', "Phi"),
        ('Ψ', "Psi"),
        ('Ω', "Omega"),
    ];
    let digit = |of: &str| of.chars().position(|known| known == letter);
    let greek = GREEK.iter().find(|(known, _)| *known == letter).map(|(_, name)| format!("\\{name}"));
    let below = || digit("₀₁₂₃₄₅₆₇₈₉").map(|digit| format!("_{digit}"));
    let above = || digit("⁰¹²³⁴⁵⁶⁷⁸⁹").map(|digit| format!("^{digit}"));
    let sign = || match letter {
        '±' => Some("\\pm".to_owned()),
        '×' => Some("\\times".to_owned()),
        '≤' => Some("\\le".to_owned()),
        '≥' => Some("\\ge".to_owned()),
        '−' => Some("-".to_owned()),
        '⁻' => Some("^-".to_owned()),
        // In the usual fonts other signs stand in their places.
        '<' | '>' | '|' => Some(letter.to_string()),
        _ => None,
    };
    greek.or_else(below).or_else(above).or_else(sign)
}

/// Signs that mean something to LaTeX stand for themselves.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '_' | '&' | '%' | '#' | '$' | '{' | '}' => escaped.extend(['\\', letter]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '–' => escaped.push_str("--"),
            _ if letter.is_control() => escaped.push(' '),
            _ => match formula(letter) {
                Some(formula) => escaped.push_str(&format!("${formula}$")),
                None => escaped.push(letter),
            },
        }
    }
    escaped
}
