//! What ends the program early: a text for stderr and an exit code.

use crate::output::{self, Style};

/// The exit code of bad input: nothing was trained and nothing written.
const BAD_INPUT: u8 = 2;
/// The exit code of a run that did not reach its goal.
pub(crate) const NOT_MET: u8 = 1;
/// The exit code after a signal, without its number.
pub(crate) const SIGNALLED: u8 = 128;
/// The exit code after Ctrl-C.
pub(crate) const INTERRUPTED: u8 = SIGNALLED + 2;

/// A complete message, and the code to end with.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) text: String,
    pub(crate) code: u8,
}

impl Failure {
    /// Bad input: what is wrong and what to do.
    pub(crate) fn input(message: impl std::fmt::Display, hint: impl std::fmt::Display) -> Self {
        Self::rendered(format!("{message}\n{}", hint_line(hint)))
    }

    /// Bad input, from an error that brings its own hint.
    pub(crate) fn rendered(message: impl std::fmt::Display) -> Self {
        Self { text: format!("{} {message}", output::paint(Style::Error, "error:")), code: BAD_INPUT }
    }

    /// Bad input, from diagnostics that are shown as they are.
    pub(crate) fn diagnostics(text: String) -> Self {
        Self { text: text.trim_end().to_owned(), code: BAD_INPUT }
    }

    /// A run whose results cannot be kept.
    pub(crate) fn run(message: impl std::fmt::Display, hint: impl std::fmt::Display) -> Self {
        Self { code: NOT_MET, ..Self::input(message, hint) }
    }
}

fn hint_line(hint: impl std::fmt::Display) -> String {
    format!("{} {hint}", output::paint(Style::Hint, "hint:"))
}
