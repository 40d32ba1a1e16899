//! Why a checkpoint could not be written or read.

use std::path::{Path, PathBuf};

use safetensors::tensor::SafeTensorError;

/// Why a checkpoint could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The system refused.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is cut short or is no `safetensors` file.
    #[error("`{}` is not a whole safetensors file: {source}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What was found.
        source: SafeTensorError,
    },
    /// A `safetensors` file of some other program.
    #[error("`{}` is not a checkpoint of adamflip: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// Not what was written.
    #[error("`{}` is damaged: its content is not the one that was written (the digest differs)", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// Written by a later version.
    #[error("`{}` has layout {found}, this version reads layout {known}: use a newer adamflip", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its layout.
        found: u32,
        /// That of this version.
        known: u32,
    },
    /// Written by an earlier version, without all that is needed to go on.
    #[error("`{}` has layout {found}, from before runs could be resumed: solve the problem again", path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// Its layout.
        found: u32,
    },
}

impl CheckpointError {
    pub(super) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { action, path: path.into(), source }
    }
}
