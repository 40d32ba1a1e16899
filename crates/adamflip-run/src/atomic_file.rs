//! A file that the user asked for: written under another name, and there under its own only when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use adamflip::checkpoint::regular;

use crate::error::RunError;

/// A file on its way; where it is not kept nothing of it stays.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    /// Where it is written; nothing where the path is a device or a pipe.
    temporary: Option<PathBuf>,
    file: File,
}

impl AtomicFile {
    /// Begins a file. One that is there is replaced only with `force`.
    pub fn create(path: &Path, force: bool) -> Result<Self, RunError> {
        if let Some(file) = special(path, force)? {
            return Ok(Self { path: path.into(), temporary: None, file });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        match regular::create(&temporary) {
            Ok(file) => Ok(Self { path: path.into(), temporary: Some(temporary), file }),
            Err(error) => Err(unwritable(path, &error)),
        }
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The path as the user gave it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name.
    pub fn keep(mut self) -> Result<(), RunError> {
        let Some(temporary) = self.temporary.take() else { return Ok(()) };
        let kept = self.file.sync_all().and_then(|()| fs::rename(&temporary, &self.path));
        kept.map_err(|error| {
            // What is left is of no use; that it cannot be removed changes nothing.
            let _ = fs::remove_file(&temporary);
            Self::lost(&self.path, &error)
        })
    }

    /// The error of a file that ends in the middle.
    pub fn lost(path: &Path, error: &io::Error) -> RunError {
        let hint = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "make room, or choose another disk with `--out FILE`"
            }
            _ => "nothing was kept; choose another folder with `--out FILE`",
        };
        RunError::not_kept(format!("cannot write `{}`: {error}", path.display()), hint)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Nobody is left to tell that it stays.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Whether a file may be started.
pub(crate) fn ready(path: &Path, force: bool) -> Result<(), RunError> {
    special(path, force).map(drop)
}

/// A device or pipe is written as it is; a folder and a file without `force` are refused.
fn special(path: &Path, force: bool) -> Result<Option<File>, RunError> {
    let shown = path.display();
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return missing(path).map(|()| None),
        Err(error) => return Err(unwritable(path, &error)),
    };
    if metadata.is_dir() {
        return Err(RunError::input(format!("`{shown}` is a folder"), "name a file in it with `--out FILE`"));
    }
    if metadata.is_file() {
        let refused = || {
            RunError::input(
                format!("`{shown}` exists"),
                "add `--force` to replace it, or choose another name",
            )
        };
        return if force { Ok(None) } else { Err(refused()) };
    }
    OpenOptions::new().write(true).open(path).map(Some).map_err(|error| unwritable(path, &error))
}

/// A file can be made where its folder is.
fn missing(path: &Path) -> Result<(), RunError> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match (path.file_name(), folder.is_dir()) {
        (None, _) => Err(RunError::input(
            format!("`{}` is no name of a file", path.display()),
            "name a file with `--out FILE`",
        )),
        (Some(_), false) => Err(RunError::input(
            format!("cannot write `{}`: there is no folder `{}`", path.display(), folder.display()),
            "make the folder, or choose another with `--out FILE`",
        )),
        (Some(_), true) => Ok(()),
    }
}

fn unwritable(path: &Path, error: &io::Error) -> RunError {
    RunError::input(
        format!("cannot write `{}`: {error}", path.display()),
        "choose another folder with `--out FILE`",
    )
}
