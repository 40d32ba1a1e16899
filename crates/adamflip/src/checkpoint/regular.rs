//! Files of run folders, which may come from anywhere: opened without following links, and only where they
//! are regular files. A link could lead a write out of the folder, a pipe never ends an `open`, a device
//! never ends a `read`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Error, ErrorKind, Read};
use std::path::Path;

/// Opens a regular file as the options say; a link, a pipe, a device or a folder is refused.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = without_following(options, path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(refused("it is not a regular file")),
    }
}

/// Opens a regular file to read it.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    open(OpenOptions::new().read(true), path)
}

/// Makes a new file. One that a killed process left there makes room.
pub fn create(path: &Path) -> io::Result<File> {
    let new = || OpenOptions::new().write(true).create_new(true).open(path);
    match new() {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            new()
        }
        made => made,
    }
}

/// The content of a regular file of at most this many bytes. What does not fit into memory is an error, not
/// an abort.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_to_read(path)?;
    let length = file.metadata()?.len();
    let too_large = || refused(&format!("it has more than {} MB", most >> 20));
    if length > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let room = usize::try_from(length).map_err(|_| too_large())?;
    bytes.try_reserve_exact(room.saturating_add(1)).map_err(|_| Error::from(ErrorKind::OutOfMemory))?;
    // It may grow while it is read.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// The same as text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Makes a folder; one that is there must be no link.
pub fn make_folder(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => is_folder(path),
        made => made,
    }
}

/// Refuses what is no folder, a link to one too.
pub fn is_folder(path: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(path)?;
    match found.is_dir() {
        true => Ok(()),
        false if found.is_symlink() => Err(link()),
        false => Err(refused("it is not a folder")),
    }
}

/// `O_NONBLOCK` changes nothing for regular files, and lets a pipe be opened without somebody at its other
/// end.
#[cfg(unix)]
fn without_following(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.custom_flags(flags.bits().cast_signed()).open(path).map_err(|error| match error.raw_os_error() {
        Some(code) if code == rustix::io::Errno::LOOP.raw_os_error() => link(),
        _ => error,
    })
}

/// Between the look and the opening a link could take the place of the file; these systems offer no better.
#[cfg(not(unix))]
fn without_following(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Err(link());
    }
    options.open(path)
}

fn link() -> Error {
    refused("it is a symbolic link, and links in run folders are not followed")
}

fn refused(reason: &str) -> Error {
    Error::new(ErrorKind::InvalidInput, reason.to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_regular_files_of_the_right_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let said = |name: &str| read(&at(name), 1 << 20).unwrap_err().to_string();
        fs::write(at("file"), "text").unwrap();
        assert_eq!(read(&at("file"), 4).unwrap(), b"text");
        assert!(read(&at("file"), 3).unwrap_err().to_string().contains("more than"));
        symlink(at("file"), at("link")).unwrap();
        symlink("/dev/zero", at("zero")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        assert!(said("link").contains("symbolic link"), "{}", said("link"));
        assert!(said("zero").contains("symbolic link"));
        assert!(said("pipe").contains("not a regular file"), "{}", said("pipe"));
        assert!(said("folder").contains("not a regular file"));
        assert!(read(Path::new("/dev/zero"), 8).unwrap_err().to_string().contains("not a regular file"));
        File::create(at("sparse")).unwrap().set_len(1 << 40).unwrap();
        assert!(said("sparse").contains("more than 1 MB"));
        assert_eq!(read(&at("none"), 8).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("precious"), "text").unwrap();
        symlink(at("precious"), at("link")).unwrap();
        let write = open(OpenOptions::new().write(true).create(true), &at("link"));
        assert!(write.unwrap_err().to_string().contains("symbolic link"));
        create(&at("link")).unwrap();
        assert!(!at("link").is_symlink(), "the link makes room for the file");
        assert_eq!(fs::read(at("precious")).unwrap(), b"text");
        fs::create_dir(at("elsewhere")).unwrap();
        symlink(at("elsewhere"), at("figures")).unwrap();
        assert!(make_folder(&at("figures")).unwrap_err().to_string().contains("symbolic link"));
        make_folder(&at("elsewhere")).unwrap();
    }
}
