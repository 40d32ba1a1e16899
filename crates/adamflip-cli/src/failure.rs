//! What ends the program early: a text for stderr and an exit code.

use std::fmt::Display;

use adamflip::diagnostic;
use adamflip::problem::BuildError;
use adamflip_run::{ErrorKind, RunError};

use crate::interrupt::Interrupt;
use crate::output::{self, Style};

/// The exit code of a command that did what was asked.
pub(crate) const SUCCESS: u8 = 0;
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
    pub(crate) fn input(message: impl Display, hint: impl Display) -> Self {
        RunError::input(message, hint).into()
    }

    /// A run whose results cannot be kept.
    pub(crate) fn run(message: impl Display, hint: impl Display) -> Self {
        RunError::not_kept(message, hint).into()
    }

    /// Says what is wrong, unless another rank does.
    pub(crate) fn tell(&self) {
        if !self.text.is_empty() {
            output::say(&self.text);
        }
    }

    /// The error of a batch, which a signal may have ended.
    pub(crate) fn of_batch(error: RunError, interrupt: &Interrupt) -> Self {
        match error.kind() {
            ErrorKind::Interrupted => Self { code: interrupt.code(), ..error.into() },
            _ => error.into(),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let code = match error.kind() {
            ErrorKind::NotKept => NOT_MET,
            ErrorKind::Interrupted => INTERRUPTED,
            _ => BAD_INPUT,
        };
        Self { text: text(&error), code }
    }
}

impl From<BuildError> for Failure {
    fn from(rejected: BuildError) -> Self {
        RunError::from(rejected).into()
    }
}

/// The whole message; errors in what the user wrote are shown as they are.
fn text(error: &RunError) -> String {
    if let Some(BuildError { sources, diagnostics }) = error.rejected() {
        return diagnostic::render(sources, diagnostics, output::colours()).trim_end().to_owned();
    }
    if error.kind() == ErrorKind::Interrupted {
        return error.message().to_owned();
    }
    if error.message().is_empty() {
        return String::new();
    }
    let hint = error.hint().map(|hint| format!("\n{} {hint}", output::paint(Style::Hint, "hint:")));
    let word = output::paint(Style::Error, "error:");
    format!("{word} {}{}", error.message(), hint.unwrap_or_default())
}
