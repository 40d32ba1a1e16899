//! Mistakes in what the user wrote: what is wrong, where, and what to do.
//!
//! Every stage that reads user text (`spec`, `lang`, `problem`) collects [`Diagnostic`]s instead of stopping at
//! the first, and [`render`] shows them all with line, column and caret.

/// A byte range in one of the [`Sources`] of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// Which source: 0 is the problem file, the others are `--set` arguments.
    pub source: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A text that the user wrote, under the name by which the user knows it.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as given, or `--set`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    pub span: Span,
}

/// One mistake: what is wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// What is wrong, in one line.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What stands at that place ("unknown key", "not a coordinate"); printed beside the caret. May be empty.
    pub label: String,
    /// What to do.
    pub hint: Option<String>,
}
