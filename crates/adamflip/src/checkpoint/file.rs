//! Files that are whole at every moment, whatever happens to the process or the machine.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use safetensors::tensor::Metadata;

use super::{CheckpointError, regular};

/// Files up to this size are read before anything is believed of them.
const SMALL: u64 = 1 << 20;

/// Puts a file in place of another: written beside it, brought to the disk, then renamed. A reader finds the
/// old file or the new one, never a part. Where anything fails, the old one stays.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
    let temporary = temporary(path);
    let written = write_through(&temporary, bytes)
        .map_err(|source| CheckpointError::io("write", &temporary, source))
        .and_then(|()| {
            fs::rename(&temporary, path).map_err(|source| CheckpointError::io("create", path, source))
        });
    match &written {
        // The name is in the folder, which must reach the disk too; systems that cannot do that do it by
        // themselves.
        Ok(()) => drop(File::open(folder(path)).and_then(|folder| folder.sync_all())),
        // The error that led here says more than one of the removal would.
        Err(_) => drop(fs::remove_file(&temporary)),
    }
    written
}

/// The same in a folder. Folders on the way to the file are made; those that are there must be no links.
pub fn replace_in(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), CheckpointError> {
    let parents = Path::new(name).parent().into_iter().flat_map(Path::components);
    let mut place = folder.to_owned();
    for parent in parents {
        place.push(parent);
        regular::make_folder(&place).map_err(|source| CheckpointError::io("create", &place, source))?;
    }
    replace(&folder.join(name), bytes)
}

/// The bytes of a checkpoint. Its header must promise the length that the file has: one that lies (a file of
/// nothing but holes, for example) is refused before memory is taken for it.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, CheckpointError> {
    let failed = |source| CheckpointError::io("read", path, source);
    let mut file = regular::open_to_read(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    if length > SMALL && promised(&mut file) != Some(length) {
        return Err(CheckpointError::Broken {
            path: path.into(),
            source: safetensors::SafeTensorError::MetadataIncompleteBuffer,
        });
    }
    regular::read(path, length).map_err(failed)
}

/// The length of the file that its header tells.
fn promised(file: &mut File) -> Option<u64> {
    /// That of the format.
    const LARGEST_HEADER: u64 = 100_000_000;
    let mut size = [0; 8];
    file.read_exact(&mut size).ok()?;
    let size = Some(u64::from_le_bytes(size)).filter(|size| *size <= LARGEST_HEADER)?;
    let mut header = Vec::new();
    file.take(size).read_to_end(&mut header).ok()?;
    let header: Metadata = serde_json::from_slice(&header).ok()?;
    (8 + size).checked_add(header.data_len() as u64)
}

fn write_through(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = regular::create(path)?;
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
