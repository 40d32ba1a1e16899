//! The run folder: where it is and how files get there.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// An existing folder of this run alone.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

const ELSEWHERE: &str = "choose another folder with `--out DIR`";

impl Folder {
    /// Makes the folder that the user asked for, or the next free one of `runs/`.
    pub(crate) fn create(out: Option<&Path>, name: &str, seed: u64) -> Result<Self, Failure> {
        match out {
            Some(path) => Self::chosen(path),
            None => Self::next(Path::new("runs"), &format!("{name}-{seed}")),
        }
    }

    fn chosen(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        if path.exists() && !path.is_dir() {
            return Err(Failure::input(format!("`{shown}` is a file, not a folder"), ELSEWHERE));
        }
        fs::create_dir_all(path).map_err(|error| refused("create the folder", path, &error))?;
        let mut entries = fs::read_dir(path).map_err(|error| refused("read the folder", path, &error))?;
        match entries.next() {
            None => Ok(Self { path: path.into() }),
            Some(_) => Err(Failure::input(
                format!("the folder `{shown}` is not empty"),
                "a run does not overwrite files: choose a new folder with `--out DIR`, or leave `--out` away",
            )),
        }
    }

    /// Creating is the test: two runs started together get two folders.
    fn next(parent: &Path, name: &str) -> Result<Self, Failure> {
        fs::create_dir_all(parent).map_err(|error| refused("create the folder", parent, &error))?;
        let mut number = 1u64;
        loop {
            let path = match number {
                1 => parent.join(name),
                _ => parent.join(format!("{name}-{number}")),
            };
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(refused("create the folder", &path, &error)),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a whole file.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.file(name);
        fs::write(&path, text).map_err(|error| lost(&path, &error))
    }

    /// Opens a file that grows.
    pub(crate) fn open(&self, name: &str) -> Result<File, Failure> {
        let path = self.file(name);
        File::create(&path).map_err(|error| lost(&path, &error))
    }
}

fn refused(action: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(format!("cannot {action} `{}`: {error}", path.display()), ELSEWHERE)
}

/// A file of a run that has begun.
pub(crate) fn lost(path: &Path, error: &std::io::Error) -> Failure {
    Failure::run(format!("cannot write `{}`: {error}", path.display()), "is the disk full?")
}
