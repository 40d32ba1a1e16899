//! The text of a problem with what belongs to it: what a file, a builder and Python all become before it is
//! read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{LoadError, Overrides, Parsed, load};
use crate::data::Arrays;

/// The text of a problem file, and where its data are.
#[derive(Clone, Debug, Default)]
pub struct ProblemText {
    /// Its path as the user knows it; the problem has the name of the file without its extension.
    pub name: String,
    /// The TOML text.
    pub text: String,
    /// Where data files are sought; empty for the current folder.
    pub folder: PathBuf,
    /// Arrays in memory that stand for data files of their names.
    pub arrays: Vec<Arc<Arrays>>,
}

impl ProblemText {
    /// A text that came from no file.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), ..Self::default() }
    }

    /// The text of a file.
    pub fn from_path(path: &Path) -> Result<Self, LoadError> {
        let text = load::text(path)?;
        let folder = path.parent().unwrap_or(Path::new("")).into();
        Ok(Self { name: path.to_string_lossy().into_owned(), text, folder, arrays: Vec::new() })
    }

    /// Reads the text with what the command line changes.
    pub fn parse(&self, overrides: &Overrides) -> Parsed {
        super::read(self, overrides)
    }
}
