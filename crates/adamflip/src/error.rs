//! The one error of the library's face: what was wrong with what the user gave, or what could not be read or
//! written.

use std::io;
use std::path::PathBuf;

use crate::checkpoint::CheckpointError;
use crate::data::DataError;
use crate::diagnostic::Diagnostic;
use crate::export::{onnx::OnnxError, vtk::VtkError};
use crate::problem::{BuildError, TooLarge};
use crate::sample::SampleError;
use crate::spec::LoadError;
use crate::train::{RestoreError, Unlike};

/// Why something cannot be done. Displays a sentence, and `hint:` what to do where there is something to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A problem, or an expression, with errors: all of them, with place and hint.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A problem file that cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Data that make no table of points.
    #[error("{0}{hint}", hint = .0.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default())]
    Data(#[from] DataError),
    /// Points that cannot be drawn.
    #[error("{0}\nhint: look at the places (`on`) of the terms, at the shapes and at `points`")]
    Sample(#[from] SampleError),
    /// More than there is memory for.
    #[error("{message}\nhint: {hint}", message = .0.message, hint = .0.hint)]
    TooLarge(TooLarge),
    /// A solution that is no start for another.
    #[error("the start does not fit: {0}")]
    Start(#[from] Unlike),
    /// A saved state that cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A saved state of another problem.
    #[error("the saved state does not fit the problem: {0}")]
    Restore(#[from] RestoreError),
    /// Points with another number of coordinates than the problem has.
    #[error("point {point} has {found} coordinates, and the problem has {expected}: {names}")]
    Coordinates {
        /// Which point, from 0.
        point: usize,
        /// How many numbers it has.
        found: usize,
        /// How many coordinates there are.
        expected: usize,
        /// Their names.
        names: String,
    },
    /// A file name that does not say its format.
    #[error("`{0}` has no extension that says its format\nhint: write .onnx, .npz, .csv or .vti")]
    Format(PathBuf),
    /// Something that ONNX cannot express.
    #[error(transparent)]
    Onnx(#[from] OnnxError),
    /// Something that VTK cannot express.
    #[error(transparent)]
    Vtk(#[from] VtkError),
    /// Threads that cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The system refused.
    #[error("cannot {action} `{path}`: {source}", path = path.display())]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// The errors of a problem or an expression; empty for other errors.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        if let Self::Build(error) = self { &error.diagnostics } else { &[] }
    }
}
