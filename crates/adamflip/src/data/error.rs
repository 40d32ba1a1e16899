//! What can be wrong with a data file: where, and what to do about it.

use std::fmt::Display;

use super::EXTENSIONS;
use crate::diagnostic::nearest;

/// Why a name is looked for in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A coordinate of the problem.
    Coordinate,
    /// An entry of `columns`.
    Column,
}

/// Why a file cannot be read as a table of points. Every message names the file as it was given.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum DataError {
    #[error("`{file}` does not exist")]
    NotFound { file: String },
    #[error("`{file}` is not a file")]
    NotAFile { file: String },
    #[error("cannot read `{file}`: {source}")]
    Unreadable { file: String, source: std::io::Error },
    #[error("`{file}` has no known extension; known are {}", extensions())]
    UnknownExtension { file: String },
    #[error("`{file}` is empty")]
    Empty { file: String },
    #[error("`{file}` has no points")]
    NoRows { file: String },
    #[error("`{file}` has no {} `{}`; it has {}", wanted(*role), shown(name), list(existing))]
    MissingColumn { file: String, role: Role, name: String, existing: Vec<String>, meant: Vec<String> },
    #[error("`{file}` has two columns `{}`", shown(name))]
    DuplicateColumn { file: String, name: String },
    #[error("`columns` for `{file}` names `{}` twice", shown(name))]
    DuplicateChoice { file: String, name: String },
    #[error(
        "`columns` for `{file}` has `{}`, which is neither `name` nor `name = name in the file`",
        shown(text)
    )]
    BadChoice { file: String, text: String },
    #[error(
        "`{file}`, line {line}: the first row has numbers where names of columns should be: `{}`",
        shown(text)
    )]
    NoHeader { file: String, line: usize, text: String },
    #[error("`columns` for `{file}` does not name the coordinate `{name}`")]
    UnnamedCoordinate { file: String, name: String },
    #[error("the columns of `{file}` have no names")]
    NoColumns { file: String },
    #[error("`{file}` has {found} columns, but `columns` names {expected}")]
    ColumnCount { file: String, expected: usize, found: usize, transposed: bool },
    #[error("`{file}` has {found} columns without names, and a point has {}", names.join(", "))]
    PointColumns { file: String, found: usize, names: Vec<String> },
    #[error("`{file}` holds an array of shape {}; a table has rows and columns", shape(found))]
    NotATable { file: String, found: Vec<usize> },
    #[error("`{file}`, line {line}: {found} cells, but there are {expected} columns")]
    Ragged { file: String, line: usize, expected: usize, found: usize },
    #[error("`{file}`, line {line}, column `{}`: {}", shown(column), not_a_number(text))]
    NotANumber { file: String, line: usize, column: String, text: String },
    #[error("`{file}`, {row}, column `{}`: `{}` is not a finite number", shown(column), shown(text))]
    NotFinite { file: String, row: String, column: String, text: String },
    #[error("`{file}`, line {line}: a zero byte; this is not a text file")]
    NotText { file: String, line: usize },
    #[error("`{file}` is too large: {part} has {} numbers, and at most {limit} are read", amount(*numbers))]
    TooLarge { file: String, part: String, numbers: u128, limit: u64 },
    #[error("`{file}`, line {line} has more than {} MB, and no longer line is read", limit >> 20)]
    LongLine { file: String, line: usize, limit: u64 },
    #[error("`{file}` is too large: it has {} MB, and at most {} MB of text are read", length >> 20, limit >> 20)]
    LongText { file: String, length: u64, limit: u64 },
    #[error("`{file}`: {part} is complex")]
    Complex { file: String, part: String },
    #[error("`{file}`: {part} is {kind}, not an array of numbers")]
    NotNumeric { file: String, part: String, kind: String },
    #[error(
        "`{file}`: array `{}` has shape {}, which fits neither a list of points nor a grid: {}",
        shown(array),
        shape(found),
        shapes(coordinates)
    )]
    ShapeMismatch { file: String, array: String, found: Vec<usize>, coordinates: Vec<(String, Vec<usize>)> },
    #[error(
        "`{file}`: which axis of array `{}` is which coordinate? Its shape is {}: {}",
        shown(array),
        shape(found),
        shapes(coordinates)
    )]
    AmbiguousGrid { file: String, array: String, found: Vec<usize>, coordinates: Vec<(String, Vec<usize>)> },
    #[error(
        "`{file}`: array `{}` has shape {}, but {found} values",
        shown(array),
        crate::data::error::shape(shape)
    )]
    WrongCount { file: String, array: String, shape: Vec<usize>, found: usize },
    #[error("`{file}` is a MATLAB 7.3 file (HDF5), which is not read")]
    MatlabHdf5 { file: String },
    #[error("`{file}` ends within {part}")]
    Truncated { file: String, part: String },
    #[error("`{file}` is damaged: {part} {problem}")]
    Corrupt { file: String, part: String, problem: String },
}

impl DataError {
    /// Whether this entry of `columns` is the error.
    #[must_use]
    pub fn is_of(&self, entry: &str) -> bool {
        match self {
            Self::BadChoice { text, .. } => text == entry,
            Self::MissingColumn { role: Role::Column, name, .. } => {
                entry.rsplit('=').next().is_some_and(|asked| asked.trim() == name)
            }
            _ => false,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::MissingColumn { role, name, existing, meant, .. } => {
                return missing(*role, name, existing, meant);
            }
            Self::DuplicateColumn { .. } => "rename one of them in the file".into(),
            Self::NoHeader { .. } => "name the columns: `columns = [\"x\", \"t\", \"u\"]`".into(),
            Self::NoColumns { .. } => "name them in their order: `columns = [\"x\", \"t\", \"u\"]`".into(),
            Self::ColumnCount { transposed: true, .. } => "its rows are as many: save the transposed array".into(),
            Self::ColumnCount { .. } => "name every column, in the order of the file".into(),
            Self::PointColumns { names, .. } => format!("save the columns {} alone, in this order", names.join(", ")),
            Self::Ragged { .. } => "every row needs as many cells as the first".into(),
            Self::NotANumber { text, .. } if text.contains(',') => "write a decimal point, not a comma".into(),
            Self::NotANumber { text, .. } if !text.is_empty() => {
                "`columns = [\"name\", …]` reads only what it names".into()
            }
            Self::NotNumeric { .. } => {
                "save numbers; `columns = [\"name\", …]` reads only what it names".into()
            }
            Self::NotANumber { .. } | Self::NotFinite { .. } => "leave out points without a value".into(),
            Self::TooLarge { .. } | Self::LongText { .. } => "keep fewer points".into(),
            Self::LongLine { .. } => "a row has a line of its own: is this a text file?".into(),
            Self::Complex { .. } => "save its real and imaginary parts as two arrays".into(),
            Self::ShapeMismatch { .. } => {
                "`columns = [\"name\", …]` reads only what it names; a grid needs one axis for each coordinate".into()
            }
            Self::AmbiguousGrid { array, coordinates, .. } => {
                let order = names(coordinates.iter().map(|(name, _)| name.as_str()));
                format!("save `{}` with its axes in the order {order} (numpy.transpose, permute)", shown(array))
            }
            Self::MatlabHdf5 { .. } => "save it with `save -v7`".into(),
            Self::Truncated { .. } | Self::Corrupt { .. } => "save or copy the file again".into(),
            _ => return None,
        })
    }
}

/// What to write instead of a name that is not there: for a coordinate, `columns` as they were probably
/// meant.
fn missing(role: Role, name: &str, existing: &[String], meant: &[String]) -> Option<String> {
    const MOST: usize = 6;
    let columns = || {
        let entry = |column: &String| format!("\"{}\"", shown(column));
        meant.iter().map(entry).collect::<Vec<_>>().join(", ")
    };
    match (role, nearest(name, existing.iter().map(String::as_str))) {
        (Role::Coordinate, Some(near)) if existing.len() <= MOST => {
            Some(format!("did you mean `{}`? write `columns = [{}]`", shown(near), columns()))
        }
        (_, Some(meant)) => Some(format!("did you mean `{}`?", shown(meant))),
        (Role::Coordinate, None) => Some(format!(
            "`columns = [\"{} = …\", …]` says what it is called in the file, and what else is read",
            shown(name)
        )),
        (Role::Column, None) => Some("name one that it has".to_owned()),
    }
}

/// A count; beyond all files, only that it is so.
fn amount(numbers: u128) -> String {
    const MOST: u128 = 1_000_000_000_000_000;
    if numbers > MOST { format!("more than {MOST}") } else { numbers.to_string() }
}

/// An array of a file, in a sentence.
pub(super) fn array_named(name: &str) -> String {
    format!("the array `{}`", shown(name))
}

/// At most forty characters of a text of the file, without control characters.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = text.chars().take(LONGEST).flat_map(escaped).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

fn escaped(character: char) -> Vec<char> {
    if character.is_control() { character.escape_default().collect() } else { vec![character] }
}

fn not_a_number(text: &str) -> String {
    match text {
        "" => "the cell is empty".into(),
        text => format!("`{}` is not a number", shown(text)),
    }
}

fn wanted(role: Role) -> &'static str {
    match role {
        Role::Coordinate => "column for the coordinate",
        Role::Column => "column",
    }
}

fn extensions() -> String {
    EXTENSIONS.iter().map(|(name, _)| format!(".{name}")).collect::<Vec<_>>().join(", ")
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{}`", shown(name))).collect::<Vec<_>>().join(", ")
}

/// The first names of a list; a file may have thousands.
fn list(existing: &[String]) -> String {
    const MOST: usize = 20;
    let first = names(existing.iter().take(MOST).map(String::as_str));
    match existing.len() {
        0 => "none at all".into(),
        count if count > MOST => format!("{first} and {} more", count - MOST),
        _ => first,
    }
}

/// `256 × 100`; of a number, `1`.
pub(super) fn shape(lengths: &[usize]) -> String {
    match lengths {
        [] => "1".into(),
        lengths => joined(lengths, " × "),
    }
}

fn joined(items: &[impl Display], between: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

fn shapes(coordinates: &[(String, Vec<usize>)]) -> String {
    let each = coordinates.iter().map(|(name, found)| format!("`{}` has {}", shown(name), shape(found)));
    each.collect::<Vec<_>>().join(", ")
}
