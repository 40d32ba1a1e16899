//! NPZ: a ZIP archive with one NPY file for each array.

use std::io::{Read, Seek};

use zip::ZipArchive;
use zip::result::ZipError;

use super::DataError;
use super::array::{Content, Entry};
use super::error::array_named;
use super::npy;
use super::number::failure;
use super::request::Request;

/// Every array of the archive; those that are not asked for by name only. All headers are read before the
/// first number: a small archive may unfold to any size, array by array.
pub(super) fn read(request: &Request, reader: impl Read + Seek) -> Result<Vec<Entry>, DataError> {
    let fail = |part: &str, error: ZipError| match error {
        ZipError::Io(source) => failure(request.file, part, source),
        other => {
            let problem = match other {
                ZipError::UnsupportedArchive(_) => "is compressed or encrypted in a way that is not read",
                _ => "is not a whole ZIP archive",
            };
            DataError::Corrupt { file: request.file.into(), part: part.into(), problem: problem.into() }
        }
    };
    let mut archive = ZipArchive::new(reader).map_err(|error| fail("the archive", error))?;
    for i in 0..archive.len() {
        let mut member = archive.by_index(i).map_err(|error| fail("the archive", error))?;
        if let Some(name) = member.name().strip_suffix(".npy").map(str::to_owned)
            && request.wants(&name)
        {
            npy::reserve(request, &array_named(&name), &mut member)?;
        }
    }
    request.start_again();
    let mut entries = Vec::new();
    for i in 0..archive.len() {
        let mut member = archive.by_index(i).map_err(|error| fail("the archive", error))?;
        let Some(name) = member.name().strip_suffix(".npy").map(str::to_owned) else { continue };
        let content = match request.wants(&name) {
            true => npy::array(request, &array_named(&name), &mut member, None)?,
            false => Content::Unread,
        };
        entries.push(Entry { name, content });
    }
    Ok(entries)
}
