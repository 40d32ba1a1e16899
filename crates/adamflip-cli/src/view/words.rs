//! Numbers as people read them, and texts fitted to a terminal.

use console::{measure_text_width, truncate_str};

/// A text in this many columns of a terminal at most.
pub(super) fn cut(text: &str, width: usize) -> String {
    match width {
        0 => String::new(),
        _ => truncate_str(text, width, "…").into_owned(),
    }
}

/// A text in exactly this many columns, at their left.
pub(super) fn left(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let gap = width - measure_text_width(&text).min(width);
    text + &" ".repeat(gap)
}

/// A text in exactly this many columns, at their right.
pub(super) fn right(text: &str, width: usize) -> String {
    let text = cut(text, width);
    " ".repeat(width - measure_text_width(&text).min(width)) + &text
}

/// Characters that would move the cursor are shown as blanks: titles come from files.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A number with five digits, without an exponent where it is readable.
pub(super) fn value(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e5).contains(&size) {
        let decimals = (4 - size.log10().floor() as i32).max(0) as usize;
        let text = format!("{number:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else if number.is_finite() {
        format!("{number:.3e}")
    } else {
        "–".to_owned()
    }
}

/// A small number such as an mse or a largest residual; a dash where there is none.
pub(super) fn small(number: f64) -> String {
    if number.is_nan() { "–".to_owned() } else { format!("{number:.2e}") }
}

/// The looks of a terminal.
#[derive(Clone, Copy)]
pub(super) enum Look {
    Strong,
    Faint,
    Curve,
}

/// A text in a look, where colours are wanted.
pub(super) fn paint(look: Look, text: &str, colours: bool) -> String {
    let code = match look {
        Look::Strong => "1",
        Look::Faint => "2",
        Look::Curve => "36",
    };
    if colours && !text.trim().is_empty() {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}
