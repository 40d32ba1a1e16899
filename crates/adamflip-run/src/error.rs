//! What ends an operation on runs early: what is wrong, what to do about it, and of which kind it is.

use std::fmt::{self, Display};

use adamflip::diagnostic;
use adamflip::problem::BuildError;

/// Which kind of error it is; a program has an exit code for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// What was asked for cannot be done: nothing was trained and nothing written.
    BadInput,
    /// A run, or what was found in it, could not be kept.
    NotKept,
    /// Somebody asked for the end of a batch before all its runs had ended.
    Interrupted,
}

impl ErrorKind {
    /// A number for other ranks, which is not 0.
    pub(crate) fn code(self) -> f64 {
        match self {
            Self::BadInput => 1.0,
            Self::NotKept => 2.0,
            Self::Interrupted => 3.0,
        }
    }

    pub(crate) fn of_code(code: f64) -> Self {
        let kinds = [Self::BadInput, Self::NotKept, Self::Interrupted];
        kinds.into_iter().find(|kind| kind.code() == code).unwrap_or(Self::NotKept)
    }
}

/// An error with what to do about it.
#[derive(Clone, Debug)]
pub struct RunError {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    rejected: Option<Box<BuildError>>,
}

impl RunError {
    /// Bad input: what is wrong and what to do.
    pub fn input(message: impl Display, hint: impl Display) -> Self {
        Self { hint: Some(hint.to_string()), ..Self::new(ErrorKind::BadInput, message) }
    }

    /// Bad input, from an error whose message says what to do.
    pub fn complete(message: impl Display) -> Self {
        Self::new(ErrorKind::BadInput, message)
    }

    /// A run, or what was found in it, that could not be kept.
    pub fn not_kept(message: impl Display, hint: impl Display) -> Self {
        Self { kind: ErrorKind::NotKept, ..Self::input(message, hint) }
    }

    /// An end that somebody asked for.
    pub(crate) fn interrupted(message: impl Display) -> Self {
        Self::new(ErrorKind::Interrupted, message)
    }

    /// One that another rank tells: it has no text.
    pub(crate) fn told(kind: ErrorKind) -> Self {
        Self::new(kind, "")
    }

    /// The error of a rank that is not the first.
    pub(crate) fn of_rank(self, rank: usize, hint: &str) -> Self {
        let hint = self.hint.map_or_else(|| hint.to_owned(), |own| format!("{own}; {hint}"));
        Self { message: format!("rank {rank}: {}", self.message), hint: Some(hint), rejected: None, ..self }
    }

    fn new(kind: ErrorKind, message: impl Display) -> Self {
        Self { kind, message: message.to_string(), hint: None, rejected: None }
    }

    /// Of which kind it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What is wrong. For a problem file with errors it is all of them, with line, column and caret.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The errors of a text that the user wrote (a problem file, an option, an expression), with the text.
    pub fn rejected(&self) -> Option<&BuildError> {
        self.rejected.as_deref()
    }

    /// The same with a name in place of another, wherever it is mentioned.
    pub(crate) fn renamed(self, from: &str, to: &str) -> Self {
        Self {
            message: self.message.replace(from, to),
            hint: self.hint.map(|hint| hint.replace(from, to)),
            ..self
        }
    }
}

impl From<BuildError> for RunError {
    fn from(rejected: BuildError) -> Self {
        let text = diagnostic::render(&rejected.sources, &rejected.diagnostics, false);
        Self { rejected: Some(Box::new(rejected)), ..Self::new(ErrorKind::BadInput, text.trim_end()) }
    }
}

impl Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, "\nhint: {hint}"))
    }
}

impl std::error::Error for RunError {}
