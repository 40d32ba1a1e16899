//! The run folder: where it is, who works in it, and how files get there.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use adamflip::checkpoint::{Checkpoint, CheckpointError, replace};

use crate::failure::Failure;
use crate::output;

/// The last two states of the run.
pub(crate) const CHECKPOINT: &str = "checkpoint.safetensors";
const OLDER: &str = "checkpoint.old.safetensors";
/// Held by the process that works in the folder, whose number it has.
pub(crate) const LOCK: &str = "lock";

const ELSEWHERE: &str = "choose another folder with `--out DIR`";

/// The folder of a run, in which no other process works.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folder that the user asked for, or the next free one of `runs/`. It is filled under another name first,
    /// so that at every moment it is either whole or not there.
    pub(crate) fn create(
        out: Option<&Path>,
        name: &str,
        fill: impl FnOnce(&Folder) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let path = match out {
            Some(path) => chosen(path)?,
            None => Path::new("runs").join(name),
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(|error| refused("create the folder", parent, &error))?;
        let own = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let staged = parent.join(format!(".{own}.{}", std::process::id()));
        fs::create_dir(&staged).map_err(|error| refused("create the folder", &staged, &error))?;
        let folder = Self::locked(&staged);
        let filled = folder.and_then(|folder| fill(&folder).map(|()| folder));
        let placed = filled.and_then(|folder| {
            let path = if out.is_some() { place(&staged, &path)? } else { next(&staged, parent, &own)? };
            Ok(Self { path, ..folder })
        });
        if placed.is_err() {
            // The error that led here says more than one of the removal would.
            let _ = fs::remove_dir_all(&staged);
        }
        placed
    }

    /// Opens the folder of a run to work in it, or says who does already.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        is_run(path)?;
        Self::locked(path)
    }

    fn locked(path: &Path) -> Result<Self, Failure> {
        let file = path.join(LOCK);
        let mut options = File::options();
        let opened = options.read(true).write(true).create(true).truncate(false).open(&file);
        let mut lock = opened.map_err(|error| refused_to_work(&file, &error))?;
        match patient(&lock) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(occupied(path, &mut lock)),
            // Some network file systems have no locks.
            Err(TryLockError::Error(error)) => {
                output::warn(&format!("`{}` cannot be locked: {error}", file.display()));
            }
        }
        // Only for the message to others.
        let _ = lock.set_len(0).and_then(|()| write!(lock, "{}", std::process::id()));
        Ok(Self { path: path.into(), _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Puts a whole file in place; folders on the way are made.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<(), Failure> {
        let path = self.file(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| self.lost(&path, &error))?;
        }
        replace(&path, content.as_ref()).map_err(|error| self.full(error))
    }

    /// Copies a file of the user into the folder.
    pub(crate) fn copy(&self, from: &Path, name: &str) -> Result<(), Failure> {
        let path = self.file(name);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::copy(from, &path)).map(drop).map_err(|error| self.lost(&path, &error))
    }

    /// Keeps a state beside the one before it.
    pub(crate) fn save(&self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        let (newest, older) = (self.file(CHECKPOINT), self.file(OLDER));
        // A second name for the newest, so that it is there at every moment.
        let staged = self.file("checkpoint.old.safetensors.tmp");
        let _ = fs::remove_file(&staged);
        if newest.exists() {
            let linked = fs::hard_link(&newest, &staged).or_else(|_| fs::copy(&newest, &staged).map(drop));
            let kept = linked.and_then(|()| fs::rename(&staged, &older));
            kept.map_err(|error| self.lost(&older, &error))?;
        }
        checkpoint.write(&newest).map_err(|error| self.full(error))
    }

    /// A file of a run that has begun.
    pub(crate) fn lost(&self, path: &Path, error: &std::io::Error) -> Failure {
        self.full(format!("cannot write `{}`: {error}", path.display()))
    }

    fn full(&self, error: impl std::fmt::Display) -> Failure {
        let run = self.path.display();
        Failure::run(error, format!("is the disk full? With some space, `adamflip resume {run}` goes on"))
    }
}

/// Locks a file that somebody may hold for a moment: whoever watches a run tries the lock to see whether it is free.
fn patient(lock: &File) -> Result<(), TryLockError> {
    const TRIES: usize = 10;
    for _ in 1..TRIES {
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
            other => return other,
        }
    }
    lock.try_lock()
}

/// The newest state of a run that can be read; none where it was never saved. The one before it steps in for a damaged one.
pub(crate) fn newest(path: &Path) -> Result<Option<Checkpoint>, Failure> {
    let hint = "the run cannot go on from it; solve the problem again";
    match Checkpoint::read(&path.join(CHECKPOINT)) {
        Ok(checkpoint) => Ok(Some(checkpoint)),
        Err(error) => match Checkpoint::read(&path.join(OLDER)) {
            Ok(older) => {
                let step = older.metadata.place.step;
                output::warn(&format!("{error}; the state before it, of step {step}, steps in"));
                Ok(Some(older))
            }
            Err(_) if is_absent(&error) => Ok(None),
            Err(_) => Err(Failure::input(error, hint)),
        },
    }
}

fn is_absent(error: &CheckpointError) -> bool {
    matches!(error, CheckpointError::Io { source, .. } if source.kind() == ErrorKind::NotFound)
}

/// Is there a run in the folder?
pub(crate) fn is_run(path: &Path) -> Result<(), Failure> {
    let shown = path.display();
    match () {
        () if path.join("run.json").is_file() => Ok(()),
        () if !path.exists() => {
            let hint = match runs_beside(path).as_slice() {
                [] => "`adamflip list` shows all runs".to_owned(),
                names => format!("there are the runs {}", names.join(", ")),
            };
            Err(Failure::input(format!("there is no folder `{shown}`"), hint))
        }
        () if path.is_dir() => Err(Failure::input(
            format!("`{shown}` is not the folder of a run: it has no file `run.json`"),
            "name a folder that `adamflip solve` made, for example `runs/burgers_forward-0`",
        )),
        () => Err(Failure::input(
            format!("`{shown}` is a file, not the folder of a run"),
            "name the folder that it is in",
        )),
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

/// A folder that may be made or is empty.
fn chosen(path: &Path) -> Result<PathBuf, Failure> {
    let shown = path.display();
    if path.exists() && !path.is_dir() {
        return Err(Failure::input(format!("`{shown}` is a file, not a folder"), ELSEWHERE));
    }
    let entries = fs::read_dir(path).map(|mut entries| entries.next().is_some());
    match entries {
        Ok(true) => Err(Failure::input(
            format!("the folder `{shown}` is not empty"),
            "a run does not overwrite files: choose a new folder with `--out DIR`, or leave `--out` away",
        )),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(refused("read the folder", path, &error)),
        // `here/.` has no name to put beside others.
        _ => {
            Ok(path.canonicalize().ok().filter(|_| path.file_name().is_none()).unwrap_or_else(|| path.into()))
        }
    }
}

/// Gives the folder its name; an empty one makes room.
fn place(staged: &Path, path: &Path) -> Result<PathBuf, Failure> {
    let _ = fs::remove_dir(path);
    fs::rename(staged, path).map_err(|error| refused("create the folder", path, &error))?;
    Ok(path.into())
}

/// The first free name. A folder that is not empty cannot be renamed over: two runs started together get two names.
fn next(staged: &Path, parent: &Path, name: &str) -> Result<PathBuf, Failure> {
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

fn refused(action: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(format!("cannot {action} `{}`: {error}", path.display()), ELSEWHERE)
}

fn refused_to_work(file: &Path, error: &std::io::Error) -> Failure {
    let hint = "a run is continued in its folder: check that you may write there";
    Failure::input(format!("cannot open `{}`: {error}", file.display()), hint)
}

fn occupied(path: &Path, lock: &mut File) -> Failure {
    let mut owner = String::new();
    let _ = lock.take(20).read_to_string(&mut owner);
    let owner = owner.trim();
    let process = if owner.is_empty() { String::new() } else { format!(" (process {owner})") };
    let shown = path.display();
    Failure::input(
        format!("another adamflip{process} works in `{shown}`"),
        format!("wait for it, or end it first; `adamflip watch {shown}` follows it"),
    )
}
