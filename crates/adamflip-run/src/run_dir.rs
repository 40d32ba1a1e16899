//! The run folder: where it is, who works in it, and how files get there.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use adamflip::checkpoint::replace_in;
use adamflip::export::data_file;
use adamflip::spec::{DATA, DataFile};

use crate::error::RunError;
use crate::{lock, shell};

/// The largest file of text, such as `run.json`, that is read, in bytes: far above what any run has.
pub const LARGEST_TEXT: u64 = 64 << 20;
/// The same of histories and of data files.
pub(crate) const LARGEST_HISTORY: u64 = 1 << 30;
pub(crate) const LARGEST_DATA: u64 = 8 << 30;

const ELSEWHERE: &str = "choose another folder with `--out DIR`";

/// The folder of a run, in which no other process works.
#[derive(Debug)]
pub(crate) struct RunDir {
    path: PathBuf,
    _lock: File,
    /// Has it its own name already? Until then it goes where anything fails.
    is_placed: bool,
    /// Is the newest state known to be whole?
    pub(crate) is_whole: Cell<bool>,
}

impl RunDir {
    /// Makes the folder that the user asked for, or the next free one of `runs/`. It is filled under another
    /// name first, so that at every moment it is either whole or not there.
    pub(crate) fn create(
        out: Option<&Path>,
        name: &str,
        fill: impl FnOnce(&RunDir) -> Result<(), RunError>,
    ) -> Result<Self, RunError> {
        let path = match out {
            Some(path) => chosen(path)?,
            None => Path::new("runs").join(name),
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(|error| refused("create the folder", parent, &error))?;
        let own = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let staged = staging(parent, &own)?;
        let folder = Self::locked(&staged);
        // The user knows the folder by the name that it was to get.
        let renamed = |error: RunError| error.renamed(&staged.to_string_lossy(), &path.to_string_lossy());
        let filled = folder.and_then(|folder| fill(&folder).map(|()| folder)).map_err(renamed);
        let placed = filled.and_then(|folder| {
            let path = if out.is_some() { place(&staged, &path)? } else { next(&staged, parent, &own)? };
            // The name is in the folder above, which must reach the disk too.
            let _ = File::open(parent).and_then(|parent| parent.sync_all());
            Ok(Self { path, is_placed: true, ..folder })
        });
        if placed.is_err() {
            // The error that led here says more than one of the removal would.
            let _ = fs::remove_dir_all(&staged);
        }
        placed
    }

    /// Opens the folder of a run to work in it, or says who does already.
    pub(crate) fn open(path: &Path) -> Result<Self, RunError> {
        is_run(path)?;
        let folder = Self::locked(path)?;
        folder.tidy();
        Ok(Self { is_placed: true, ..folder })
    }

    fn locked(path: &Path) -> Result<Self, RunError> {
        let shown = shell::path(path);
        let hint = format!("wait for it, or end it first; `adamflip watch {shown}` follows it");
        let lock = lock::take(path, &hint)?;
        Ok(Self { path: path.into(), _lock: lock, is_placed: false, is_whole: Cell::new(false) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Puts a whole file in place; folders on the way are made.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<(), RunError> {
        replace_in(&self.path, name, content.as_ref()).map_err(|error| self.full(error))
    }

    /// Copies a data file of the user into the folder.
    pub(crate) fn copy(&self, data: &DataFile) -> Result<(), RunError> {
        let path = self.file(&format!("{DATA}/{}", data.name));
        let copied = || {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            let mut copy = File::create(&path)?;
            std::io::copy(&mut data_file(data)?, &mut copy)?;
            copy.sync_all()
        };
        copied().map_err(|error| self.lost(&path, &error))
    }

    /// Removes what a process that was killed was writing.
    fn tidy(&self) {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten().map(|entry| entry.path());
        entries.filter(|path| path.extension().is_some_and(|end| end == "tmp")).for_each(|path| {
            let _ = fs::remove_file(path);
        });
    }

    /// A file of a run that has started.
    pub(crate) fn lost(&self, path: &Path, error: &std::io::Error) -> RunError {
        self.full(format!("cannot write `{}`: {error}", path.display()))
    }

    pub(crate) fn full(&self, error: impl std::fmt::Display) -> RunError {
        if !self.is_placed {
            let hint =
                "is the disk full? Nothing was kept: make room, or choose another disk with `--out DIR`";
            return RunError::not_kept(error, hint);
        }
        let run = shell::path(&self.path);
        RunError::not_kept(
            error,
            format!("is the disk full? With some space, `adamflip resume {run}` goes on"),
        )
    }
}

/// Is there a run in the folder?
pub(crate) fn is_run(path: &Path) -> Result<(), RunError> {
    let shown = path.display();
    if path.join("run.json").is_file() {
        Ok(())
    } else if !path.exists() {
        let hint = match runs_beside(path).as_slice() {
            [] => "`adamflip list` shows all runs".to_owned(),
            names => format!("there are the runs {}", names.join(", ")),
        };
        Err(RunError::input(format!("there is no folder `{shown}`"), hint))
    } else if path.is_dir() {
        Err(RunError::input(
            format!("`{shown}` is not the folder of a run: it has no file `run.json`"),
            "name a folder that `adamflip solve` made, for example `runs/burgers_forward-0`",
        ))
    } else {
        let message = format!("`{shown}` is a file, not the folder of a run");
        Err(RunError::input(message, "name the folder that it is in"))
    }
}

/// The first runs in the folder in which one was sought.
fn runs_beside(path: &Path) -> Vec<String> {
    const MOST: usize = 8;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join("run.json").is_file())
        .map(|entry| format!("`{}`", path.with_file_name(entry.file_name()).display()))
        .collect();
    names.sort();
    names.truncate(MOST);
    names
}

/// A new folder beside the one that is to be. A process of the same number may have been killed and left one.
fn staging(parent: &Path, name: &str) -> Result<PathBuf, RunError> {
    let mut number = 0u64;
    loop {
        let path = parent.join(format!(".{name}.{}.{number}", std::process::id()));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(refused("create the folder", &path, &error)),
        }
    }
}

/// A folder that may be made or is empty.
fn chosen(path: &Path) -> Result<PathBuf, RunError> {
    let shown = path.display();
    if path.exists() && !path.is_dir() {
        return Err(RunError::input(format!("`{shown}` is a file, not a folder"), ELSEWHERE));
    }
    let entries = fs::read_dir(path).map(|mut entries| entries.next().is_some());
    match entries {
        Ok(true) => Err(RunError::input(
            format!("the folder `{shown}` is not empty"),
            "a run does not overwrite files: choose a new folder with `--out DIR`, or leave `--out` away",
        )),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(refused("read the folder", path, &error)),
        // `here/.` has no name to put beside others, and a link would make room for the run in place of its
        // folder.
        _ => {
            let elsewhere = path.file_name().is_none() || path.is_symlink();
            Ok(path.canonicalize().ok().filter(|_| elsewhere).unwrap_or_else(|| path.into()))
        }
    }
}

/// Gives the folder its name; an empty one makes room.
fn place(staged: &Path, path: &Path) -> Result<PathBuf, RunError> {
    let _ = fs::remove_dir(path);
    fs::rename(staged, path).map_err(|error| match path.is_dir() {
        // Where another file system begins, for example.
        true => {
            let hint = format!("name a new folder inside it: `--out {}`", shell::path(&path.join("run")));
            RunError::input(format!("the folder `{}` cannot be replaced: {error}", path.display()), hint)
        }
        false => refused("create the folder", path, &error),
    })?;
    Ok(path.into())
}

/// The first free name. A folder that is not empty cannot be renamed over: two runs started together get two
/// names.
fn next(staged: &Path, parent: &Path, name: &str) -> Result<PathBuf, RunError> {
    let mut number = 1u64;
    loop {
        let path = parent.join(if number == 1 { name.to_owned() } else { format!("{name}-{number}") });
        number += 1;
        if path.exists() {
            continue;
        }
        match fs::rename(staged, &path) {
            Ok(()) => return Ok(path),
            Err(_) if path.exists() => {}
            Err(error) => return Err(refused("create the folder", &path, &error)),
        }
    }
}

fn refused(action: &str, path: &Path, error: &std::io::Error) -> RunError {
    RunError::input(format!("cannot {action} `{}`: {error}", path.display()), ELSEWHERE)
}
