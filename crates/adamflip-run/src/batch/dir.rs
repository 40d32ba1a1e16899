//! The folder of a batch: `batch.json`, `runs/`, `logs/`, and tables and figures beside them.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use adamflip::checkpoint::replace;

use super::request::{FILE, Request};
use super::shard::{Scope, Shard};
use crate::error::RunError;
use crate::lock;

/// Where `reproduce` and `suite` may keep results.
const RESULTS: &str = "results";
/// Whoever solves a share has a folder with a lock here.
const SHARES: &str = "shares";
const BUSY: &str = "wait for it, or end it first";
const ELSEWHERE: &str = "choose another folder with `--out DIR`";

/// The folder of a batch, in which no other process starts the same runs.
#[derive(Debug)]
pub struct BatchDir {
    path: PathBuf,
    _locks: Vec<File>,
}

impl BatchDir {
    /// The folder that was asked for, or the first of `runs/` that has this request or none.
    pub(crate) fn open(out: Option<&Path>, request: &Request, scope: Scope) -> Result<Self, RunError> {
        let path = match out {
            Some(path) => path.to_owned(),
            None => free(request)?,
        };
        match Request::read(&path)? {
            Some(known) => same(&path, request, &known)?,
            None if scope == Scope::Collect => return Err(nothing(&path)),
            None => vacant(&path)?,
        }
        let dir = Self::at(path, scope)?;
        if !dir.path.join(FILE).exists() {
            dir.claim(request)?;
        }
        Ok(dir)
    }

    /// Makes it the folder of a request; of two shares of different requests one comes second.
    fn claim(&self, request: &Request) -> Result<(), RunError> {
        let _turn = lock::wait(&self.path.join("logs"))?;
        match Request::read(&self.path)? {
            Some(known) => same(&self.path, request, &known),
            None => replace(&self.path.join(FILE), request.text().as_bytes())
                .map_err(|error| RunError::input(error, ELSEWHERE)),
        }
    }

    /// A folder that takes any runs, but is not one of a request.
    pub fn shared(path: &Path, scope: Scope) -> Result<Self, RunError> {
        if let Some(known) = Request::read(path)? {
            let message = format!("the folder `{}` has runs of `adamflip {}`", path.display(), known.command);
            return Err(RunError::input(message, ELSEWHERE));
        }
        vacant(path)?;
        Self::at(path.to_owned(), scope)
    }

    fn at(path: PathBuf, scope: Scope) -> Result<Self, RunError> {
        for folder in ["runs", "logs"] {
            let folder = path.join(folder);
            fs::create_dir_all(&folder).map_err(|error| refused("create the folder", &folder, &error))?;
        }
        let _locks = match scope {
            Scope::Whole => vec![lock::take(&path, BUSY)?],
            Scope::Shard(shard) => share(&path, shard)?,
            Scope::Collect => Vec::new(),
        };
        Ok(Self { path, _locks })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of a run.
    pub fn run(&self, name: &str) -> PathBuf {
        self.path.join("runs").join(name)
    }

    /// Where a run says what it has to say.
    pub fn log(&self, name: &str) -> PathBuf {
        self.path.join("logs").join(format!("{name}.log"))
    }

    /// Puts a whole file among the results.
    pub fn write_result(&self, name: &str, content: &str) -> Result<(), RunError> {
        let folder = self.path.join(RESULTS);
        fs::create_dir_all(&folder).map_err(|error| refused("create the folder", &folder, &error))?;
        self.write(&format!("{RESULTS}/{name}"), content)
    }

    /// Puts a whole file in place.
    pub(crate) fn write(&self, name: &str, content: &str) -> Result<(), RunError> {
        replace(&self.path.join(name), content.as_bytes()).map_err(|error| {
            RunError::not_kept(
                error,
                "is the disk full? With some space, the same command writes the tables again",
            )
        })
    }
}

/// The locks of a share: it shares the folder with others, but not with itself, with whoever solves all runs,
/// or with shares of another number, whose runs are its own too.
fn share(path: &Path, shard: Shard) -> Result<Vec<File>, RunError> {
    let shares = path.join(SHARES);
    let own = shares.join(shard.folder());
    fs::create_dir_all(&own).map_err(|error| refused("create the folder", &own, &error))?;
    let locks = vec![lock::take_shared(path, BUSY)?, lock::take(&own, BUSY)?];
    for entry in fs::read_dir(&shares).into_iter().flatten().flatten() {
        if let Some(of) = shard.differs_from(&entry.file_name().to_string_lossy())
            && lock::is_held(&entry.path())
        {
            let message = format!("another adamflip solves one of {of} shares in `{}`", path.display());
            let hint = "all shares at work must be of one number: wait for it, or end it first";
            return Err(RunError::input(message, hint));
        }
    }
    Ok(locks)
}

fn nothing(path: &Path) -> RunError {
    let message = format!("`{}` has no runs of this request", path.display());
    RunError::input(
        message,
        "the same command without `--collect` solves them; `--out DIR` names another folder",
    )
}

/// `runs/compare-NAME`, or the next number where that has another request.
fn free(request: &Request) -> Result<PathBuf, RunError> {
    let name = format!("{}-{}", request.command, request.problem);
    let mut number = 1u64;
    loop {
        let own = if number == 1 { name.clone() } else { format!("{name}-{number}") };
        let path = Path::new("runs").join(own);
        // What cannot be read is not this request.
        let known = Request::read(&path).ok().flatten();
        let is_same = known.is_some_and(|known| request.difference(&known).is_none());
        // One that another share is making has no request as yet.
        if is_same || !path.exists() || (!path.join(FILE).exists() && vacant(&path).is_ok()) {
            return Ok(path);
        }
        number += 1;
    }
}

/// A folder takes one request only.
fn same(path: &Path, request: &Request, known: &Request) -> Result<(), RunError> {
    let Some(difference) = request.difference(known) else { return Ok(()) };
    Err(RunError::input(
        format!("the folder `{}` has runs {difference}", path.display()),
        format!("{ELSEWHERE}, or go on with\n      {}", known.line),
    ))
}

/// A folder that may be made or is empty.
fn vacant(path: &Path) -> Result<(), RunError> {
    let shown = path.display();
    if path.exists() && !path.is_dir() {
        return Err(RunError::input(format!("`{shown}` is a file, not a folder"), ELSEWHERE));
    }
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    // What is there when the program is killed while its request is written.
    let ours = |name: &OsStr| {
        let name = name.to_string_lossy();
        ["runs", "logs", RESULTS, SHARES, lock::FILE].contains(&name.as_ref()) || name.starts_with(FILE)
    };
    match entries.any(|entry| !ours(&entry.file_name())) {
        true => Err(RunError::input(format!("the folder `{shown}` is not empty"), ELSEWHERE)),
        false => Ok(()),
    }
}

fn refused(action: &str, path: &Path, error: &std::io::Error) -> RunError {
    RunError::input(format!("cannot {action} `{}`: {error}", path.display()), ELSEWHERE)
}
