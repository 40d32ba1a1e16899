//! Numbers and text within LaTeX, without packages.

use super::Digits;
use crate::batch::{Metric, Spread};

/// A number over several runs.
pub(super) fn cell(metric: &Metric, number: &Spread) -> String {
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
