//! An error in one text, before it is placed in the file: byte offsets count from the text's beginning.
//!
//! Lexer, parser and checker speak of offsets; only [`diagnostics`] knows where the text stands in its
//! source.

use std::ops::Range;

use crate::diagnostic::{Diagnostic, Span, Spanned};

/// What is wrong in a text, where, and what to do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TextError {
    range: Range<usize>,
    message: String,
    label: String,
    hint: Option<String>,
}

impl TextError {
    pub(super) fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, message: message.into(), label: String::new(), hint: None }
    }

    /// The same error, made in the definition `name` that is used at `range`.
    pub(super) fn inside(self, name: &str, range: Range<usize>) -> Self {
        Self { range, message: format!("in `{name}`: {}", self.message), ..self }
    }

    /// Says what stands at that place.
    pub(super) fn label(self, label: impl Into<String>) -> Self {
        Self { label: label.into(), ..self }
    }

    /// Says what to do.
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Places the errors of a text in its source, in the order in which they stand there.
///
/// A text that the source writes with escapes is longer there than here, so offsets cannot be carried over:
/// its errors then point at the whole text.
pub(super) fn diagnostics(mut mistakes: Vec<TextError>, text: &Spanned<String>) -> Vec<Diagnostic> {
    mistakes.sort_by_key(|mistake| mistake.range.start);
    // An operand that two comparisons of a chain share is wrong once.
    mistakes.dedup();
    mistakes
        .into_iter()
        .map(|TextError { range, message, label, hint }| Diagnostic {
            message,
            span: placed_span(range, text),
            label,
            hint,
        })
        .collect()
}

/// A part of a text in its source; the whole text where the source writes it differently.
pub(super) fn placed_span(range: Range<usize>, text: &Spanned<String>) -> Span {
    let whole = text.span;
    match whole.end.checked_sub(whole.start) == Some(text.value.len()) {
        true => Span { start: whole.start + range.start, end: whole.start + range.end, ..whole },
        false => whole,
    }
}

/// Names in backquotes, separated by commas, as hints list them.
pub(super) fn list<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
