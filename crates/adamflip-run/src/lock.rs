//! Locks of folders: the process that works in one holds its lock, which the system lets go with the process.

use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use adamflip::checkpoint::regular;

use crate::error::RunError;

/// The file that is locked; it has the number of the process.
pub(crate) const FILE: &str = "lock";

/// Takes the lock of a folder, or says who holds it, with this hint. Whoever looks at a run holds it for a
/// moment, so one refusal is not the end.
pub(crate) fn take(folder: &Path, hint: &str) -> Result<File, RunError> {
    let mut lock = taken(folder, hint, File::try_lock)?;
    // Only for the message to others.
    let _ = lock.set_len(0).and_then(|()| write!(lock, "{}", std::process::id()));
    Ok(lock)
}

/// Takes it together with others who share it.
pub(crate) fn take_shared(folder: &Path, hint: &str) -> Result<File, RunError> {
    taken(folder, hint, File::try_lock_shared)
}

/// Waits for the lock of a folder that nobody holds for long.
pub(crate) fn wait(folder: &Path) -> Result<File, RunError> {
    let lock = open(folder)?;
    if let Err(error) = lock.lock() {
        log::warn!("`{}` cannot be locked: {error}", folder.join(FILE).display());
    }
    Ok(lock)
}

fn open(folder: &Path) -> Result<File, RunError> {
    let path = folder.join(FILE);
    let opened = regular::open(File::options().read(true).write(true).create(true).truncate(false), &path);
    opened.map_err(|error| {
        let hint = "whoever works in a folder must be able to write there";
        RunError::input(format!("cannot open `{}`: {error}", path.display()), hint)
    })
}

fn taken(
    folder: &Path,
    hint: &str,
    attempt: fn(&File) -> Result<(), TryLockError>,
) -> Result<File, RunError> {
    const TRIES: usize = 10;
    let mut lock = open(folder)?;
    for number in 1.. {
        match attempt(&lock) {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if number < TRIES => std::thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::WouldBlock) => return Err(occupied(folder, &mut lock, hint)),
            // Some network file systems have no locks.
            Err(TryLockError::Error(error)) => {
                log::warn!("`{}` cannot be locked: {error}", folder.join(FILE).display());
                break;
            }
        }
    }
    Ok(lock)
}

/// Does a process hold the lock of a folder?
pub fn is_held(folder: &Path) -> bool {
    let lock = regular::open_to_read(&folder.join(FILE));
    // If it is had, it goes with the file at the end of this function.
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn occupied(folder: &Path, lock: &mut File, hint: &str) -> RunError {
    let mut owner = String::new();
    let _ = lock.take(20).read_to_string(&mut owner);
    let owner = owner.trim();
    let process = if owner.is_empty() { String::new() } else { format!(" (process {owner})") };
    RunError::input(format!("another adamflip{process} works in `{}`", folder.display()), hint)
}
