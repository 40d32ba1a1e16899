//! A problem file from disk: everything that can go wrong before its first letter is read.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::{Overrides, Parsed, ProblemText};
use crate::diagnostic::nearest;

/// Far above any problem file; a longer one is something else (and `/dev/zero` has no end).
const LARGEST: u64 = 1 << 20;
/// Files named in a hint.
const MOST_LISTED: usize = 12;

/// Why a problem file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is no such file.
    #[error("there is no file `{}`\nhint: {hint}", path.display())]
    NotFound {
        /// The path as given.
        path: PathBuf,
        /// A similar name, or what to do.
        hint: String,
    },
    /// The path leads to a folder.
    #[error("`{}` is a folder, not a problem file\nhint: {hint}", path.display())]
    Folder {
        /// The path as given.
        path: PathBuf,
        /// The problem files in it.
        hint: String,
    },
    /// The system refused.
    #[error("cannot read `{}`: {source}\nhint: check that you may read this file", path.display())]
    Io {
        /// The path as given.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no text.
    #[error("`{}` is not UTF-8 text: line {line} has bytes that are no letters\nhint: save the file as UTF-8", path.display())]
    NotUtf8 {
        /// The path as given.
        path: PathBuf,
        /// The first line with such bytes.
        line: usize,
    },
    /// The file is far too long.
    #[error("`{}` is longer than {} MB\nhint: a problem file is a short TOML text", path.display(), LARGEST >> 20)]
    TooLarge {
        /// The path as given.
        path: PathBuf,
    },
}

/// Reads and parses a problem file.
pub fn load(path: &Path, overrides: &Overrides) -> Result<Parsed, LoadError> {
    Ok(ProblemText::from_path(path)?.parse(overrides))
}

/// The text of a problem file.
pub(super) fn text(path: &Path) -> Result<String, LoadError> {
    String::from_utf8(read(path)?).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|&&byte| byte == b'\n').count();
        LoadError::NotUtf8 { path: path.into(), line }
    })
}

fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    if path.is_dir() {
        return Err(LoadError::Folder { path: path.into(), hint: folder_hint(path) });
    }
    let failed = |source: std::io::Error| match source.kind() {
        ErrorKind::NotFound => LoadError::NotFound { path: path.into(), hint: similar_hint(path) },
        _ => LoadError::Io { path: path.into(), source },
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(LoadError::TooLarge { path: path.into() });
    }
    Ok(bytes)
}

fn similar_hint(path: &Path) -> String {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return format!("there is no folder `{}`", folder.display());
    }
    let names = problem_files(folder);
    let wanted = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let with_extension = format!("{wanted}.toml");
    let meant = names.iter().find(|name| **name == with_extension).map(String::as_str);
    match meant.or_else(|| nearest(&wanted, names.iter().map(String::as_str))) {
        Some(name) => format!("did you mean `{}`?", path.with_file_name(name).display()),
        None => folder_hint(folder),
    }
}

fn folder_hint(folder: &Path) -> String {
    let mut names = problem_files(folder);
    let more = if names.len() > MOST_LISTED { ", …" } else { "" };
    names.truncate(MOST_LISTED);
    match names.as_slice() {
        [] => format!("there are no problem files (*.toml) in `{}`", folder.display()),
        names => format!("`{}` has {}{more}", folder.display(), names.join(", ")),
    }
}

fn problem_files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".toml")).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(path: &Path) -> String {
        load(path, &Overrides::default()).unwrap_err().to_string()
    }

    #[test]
    fn a_missing_file_is_compared_with_its_neighbours() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("burgers.toml"), "").unwrap();
        assert!(message(&folder.path().join("burger.toml")).contains("did you mean"));
        assert!(message(&folder.path().join("burgers")).contains("burgers.toml`?"));
        assert!(message(&folder.path().join("something_else.toml")).contains("has burgers.toml"));
        assert!(message(&folder.path().join("none/burgers.toml")).contains("there is no folder"));
    }

    #[test]
    fn a_folder_lists_its_problem_files() {
        let folder = tempfile::tempdir().unwrap();
        assert!(message(folder.path()).contains("is a folder"));
        assert!(message(folder.path()).contains("there are no problem files"));
        std::fs::write(folder.path().join("heat.toml"), "").unwrap();
        assert!(message(folder.path()).contains("has heat.toml"));
    }

    #[test]
    fn bytes_that_are_no_text_are_placed_on_their_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        std::fs::write(&path, b"title = 'a'\nfields = ['\xff']\n").unwrap();
        assert!(message(&path).contains("line 2"));
    }

    #[test]
    fn a_file_is_read_under_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my_problem.toml");
        std::fs::write(&path, "fields = ['u']\n").unwrap();
        let parsed = load(&path, &Overrides::default()).unwrap();
        assert_eq!(parsed.spec.name, "my_problem");
        assert_eq!(parsed.spec.folder, folder.path());
        assert_eq!(parsed.sources[0].name, path.to_string_lossy());
    }
}
