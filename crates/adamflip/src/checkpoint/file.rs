//! Files that are whole at every moment, whatever happens to the process or the machine.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::CheckpointError;

/// Puts a file in place of another: written beside it, brought to the disk, then renamed. A reader finds the old file or
/// the new one, never a part. Where anything fails, the old one stays.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
    let temporary = temporary(path);
    let written = write_through(&temporary, bytes)
        .map_err(|source| CheckpointError::io("write", &temporary, source))
        .and_then(|()| {
            fs::rename(&temporary, path).map_err(|source| CheckpointError::io("create", path, source))
        });
    match &written {
        // The name is in the folder, which must reach the disk too; systems that cannot do that do it by themselves.
        Ok(()) => drop(File::open(folder(path)).and_then(|folder| folder.sync_all())),
        // The error that led here says more than one of the removal would.
        Err(_) => drop(fs::remove_file(&temporary)),
    }
    written
}

fn write_through(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Beside the file, with a name of its own: two processes may write the same file.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
