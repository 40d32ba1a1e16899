//! Observations and references from files: CSV, NPY, NPZ and MATLAB v5 in, one [`Table`] of points out.
//!
//! Sits before `problem`, which gives the columns their meaning. Nothing is trusted: every shape is held
//! against the length of the file and a limit before memory is taken, and a damaged file is a [`DataError`],
//! never a panic.
//!
//! Text has one row a point. Arrays with names are either a list of points (all of the same shape) or a grid:
//! a vector for each coordinate, and fields with one axis for each of them (`layout`).
//!
//! References: `numpy.lib.format` (NPY, NPZ), "MAT-File Format" of MathWorks (level 5).

mod array;
mod arrays;
mod error;
mod layout;
mod line_numbers;
mod matlab;
mod npy;
mod npz;
mod number;
mod request;
mod separator;
mod stream;
mod table;
mod tensor;
#[cfg(test)]
mod tests;
mod text;
mod wide;

use std::fs::{self, File};
use std::io::{BufReader, ErrorKind, Read, Seek};
use std::path::Path;

use request::Request;

pub use arrays::Arrays;
pub use error::{DataError, Role};
pub use stream::PointStream;
pub use table::Table;

/// The most numbers in a file, and in the table made of it: 1.6 GB of them.
const LIMIT: u64 = 200_000_000;

/// The kinds of files, by their extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Text,
    Npy,
    Npz,
    Matlab,
}

#[rustfmt::skip]
const EXTENSIONS: &[(&str, Format)] = &[
    ("csv", Format::Text),
    ("tsv", Format::Text),
    ("txt", Format::Text),
    ("dat", Format::Text),
    ("npy", Format::Npy),
    ("npz", Format::Npz),
    ("mat", Format::Matlab),
];

/// Reads a file as a table of points; `coordinates` are the problem's coordinates, which the file must have.
///
/// Without `columns`, everything in the file is read under its own name. `columns` names what is to be read,
/// each as `name` or `name = name in the file`; coordinates need not be repeated. Where the file has no names
/// (NPY, CSV without a header), `columns` gives them in the order of the file.
///
/// Columns of the table: the coordinates in their order, then the others in the order of `columns` or of the
/// file.
///
/// # Errors
/// [`DataError`] says what is wrong, and in which row and column.
pub fn read(path: &Path, coordinates: &[String], columns: Option<&[String]>) -> Result<Table, DataError> {
    read_as(&shown_path(path), path, coordinates, columns)
}

/// Reads a file that messages call `file`.
fn read_as(
    file: &str,
    path: &Path,
    coordinates: &[String],
    columns: Option<&[String]>,
) -> Result<Table, DataError> {
    let format = Format::of(path, file)?;
    let length = checked(path, file)?;
    let request = Request::new(file, coordinates, columns, LIMIT)?;
    let unreadable = |source| DataError::Unreadable { file: file.to_owned(), source };
    let reader = BufReader::new(File::open(path).map_err(unreadable)?);
    format.read(&request, reader, length)
}

/// The length of a file in bytes; `file` is its name in messages.
fn checked(path: &Path, file: &str) -> Result<u64, DataError> {
    let file = || file.to_owned();
    let metadata = fs::metadata(path).map_err(|source| match source.kind() {
        ErrorKind::NotFound => DataError::NotFound { file: file() },
        _ => DataError::Unreadable { file: file(), source },
    })?;
    match metadata.is_file() {
        false => Err(DataError::NotAFile { file: file() }),
        true if metadata.len() == 0 => Err(DataError::Empty { file: file() }),
        true => Ok(metadata.len()),
    }
}

/// The path as given; of an absolute path only the last part, because messages stay the same on every
/// machine.
fn shown_path(path: &Path) -> String {
    let name = path.file_name().filter(|_| path.is_absolute()).map_or(path, Path::new);
    name.display().to_string()
}

impl Format {
    fn of(path: &Path, file: &str) -> Result<Self, DataError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let known = EXTENSIONS.iter().find(|(name, _)| *name == extension);
        known.map(|&(_, format)| format).ok_or_else(|| DataError::UnknownExtension { file: file.to_owned() })
    }

    /// `length` is the number of bytes that `reader` holds.
    fn read(
        self,
        request: &Request,
        mut reader: BufReader<impl Read + Seek>,
        length: u64,
    ) -> Result<Table, DataError> {
        if length == 0 {
            return Err(DataError::Empty { file: request.file.to_owned() });
        }
        match self {
            Self::Text => text::read(request, reader, length),
            Self::Npy => npy::read(request, reader, length),
            Self::Npz => layout::table(request, npz::read(request, reader)?),
            Self::Matlab => layout::table(request, matlab::read(request, &mut reader, length)?),
        }
    }
}
