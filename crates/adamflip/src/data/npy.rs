//! NPY: one NumPy array. The header is a Python dictionary as text; the numbers follow it.
//!
//! Read by hand, because every size in the header is to be held against the limit before anything is
//! allocated.

use std::io::{self, Read, Seek};

use super::array::{Array, Content};
use super::number::{Number, NumberKind, failure};
use super::request::{Request, Selected, elements};
use super::stream::{in_order, seek};
use super::table::{RowOrigin, Table};
use super::{DataError, error};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// NumPy writes 128 bytes for plain arrays; only structures with many fields have long headers.
const LONGEST_HEADER: usize = 65_536;

/// What the header says.
#[derive(Debug, PartialEq)]
struct Header {
    description: String,
    column_major: bool,
    shape: Vec<usize>,
    /// The bytes before the numbers.
    length: u64,
}

/// Reads a file with one array of rows and columns.
pub(super) fn read(request: &Request, mut reader: impl Read, length: u64) -> Result<Table, DataError> {
    let content = array(request, "the array", &mut reader, Some(length))?;
    let file = request.file;
    let array = match content {
        Content::Numbers(array) => array,
        other => return Err(refusal(file, "the array", other)),
    };
    let (rows, found) = match array.shape[..] {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => return Err(DataError::NotATable { file: file.into(), found: array.shape }),
    };
    let selected = request.positional(found).map_err(|error| match error {
        DataError::ColumnCount { file, expected, found, .. } => {
            DataError::ColumnCount { file, expected, found, transposed: rows == expected }
        }
        other => other,
    })?;
    let selected = selected.ok_or_else(|| DataError::NoColumns { file: file.into() })?;
    let values = array.into_values();
    let column = |position: usize| values.iter().skip(position).step_by(found).copied().collect();
    let columns = selected.into_iter().map(|one| (one.name, column(one.position))).collect();
    Table::new(file, columns, RowOrigin::Elements(vec![rows]), request.coordinates.len())
}

/// The coordinates of an array of points, read as they are needed.
#[derive(Debug)]
pub(super) struct PointRows<R> {
    reader: R,
    number: Number,
    column_major: bool,
    /// The bytes before the numbers.
    start: u64,
    rows: usize,
    done: usize,
    selected: Vec<Selected>,
}

impl<R: Read + Seek> PointRows<R> {
    /// Reads the header; the file has `length` bytes.
    pub(super) fn new(request: &Request, mut reader: R, length: u64) -> Result<Self, DataError> {
        const PART: &str = "the array";
        let (header, number) = match header(request, PART, &mut reader)? {
            Ok(known) => known,
            Err(refused) => return Err(refusal(request.file, PART, refused)),
        };
        let file = || request.file.to_owned();
        let (rows, columns) = match header.shape[..] {
            [rows] => (rows, 1),
            [rows, columns] => (rows, columns),
            _ => return Err(DataError::NotATable { file: file(), found: header.shape }),
        };
        let selected = in_order(request, columns)?;
        if rows == 0 {
            return Err(DataError::NoRows { file: file() });
        }
        let bytes = elements(&header.shape).saturating_mul(number.size() as u128);
        if u128::from(length) < bytes.saturating_add(header.length.into()) {
            return Err(DataError::Truncated { file: file(), part: PART.into() });
        }
        let (start, column_major) = (header.length, header.column_major);
        Ok(Self { reader, number, column_major, start, rows, done: 0, selected })
    }

    pub(super) fn count(&self) -> u64 {
        self.rows as u64
    }

    /// The next rows, at most this many.
    pub(super) fn next_block(&mut self, request: &Request, most: usize) -> Result<Vec<Vec<f64>>, DataError> {
        let (width, count) = (self.selected.len(), most.min(self.rows - self.done));
        let columns: Vec<Vec<f64>> = match self.column_major {
            false => {
                let values = self.read(request, self.done * width, count * width)?;
                let column = |position: usize| values.iter().skip(position).step_by(width).copied().collect();
                (0..width).map(column).collect()
            }
            true => {
                let column = |position: usize| self.read(request, position * self.rows + self.done, count);
                (0..width).map(column).collect::<Result<_, _>>()?
            }
        };
        for (Selected { name, .. }, values) in self.selected.iter().zip(&columns) {
            if let Some(i) = values.iter().position(|value| !value.is_finite()) {
                let row = format!("row {} (from 0)", self.done + i);
                let (file, column, text) = (request.file.into(), name.clone(), values[i].to_string());
                return Err(DataError::NotFinite { file, row, column, text });
            }
        }
        self.done += count;
        Ok(columns)
    }

    /// Numbers from a place on; the file is known to have them.
    fn read(&mut self, request: &Request, first: usize, count: usize) -> Result<Vec<f64>, DataError> {
        seek(request, &mut self.reader, self.start + first as u64 * self.number.size() as u64)?;
        self.number.read(&mut self.reader, count).map_err(|source| failure(request.file, "the array", source))
    }
}

/// Why this is not an array of numbers.
pub(super) fn refusal(file: &str, part: &str, content: Content) -> DataError {
    let (file, part) = (file.to_owned(), part.to_owned());
    match content {
        Content::Complex => DataError::Complex { file, part },
        Content::Other(kind) => DataError::NotNumeric { file, part, kind },
        Content::Numbers(_) | Content::Unread => {
            DataError::NotNumeric { file, part, kind: "not read".into() }
        }
    }
}

/// Reads one array in NPY form; `part` names it in messages, `length` is the length of its bytes if it is
/// known.
pub(super) fn array(
    request: &Request,
    part: &str,
    reader: &mut impl Read,
    length: Option<u64>,
) -> Result<Content, DataError> {
    let file = request.file;
    let fail = |source| failure(file, part, source);
    let (header, number) = match header(request, part, reader)? {
        Ok(known) => known,
        Err(refused) => return Ok(refused),
    };
    let count = taken(request, part, &header)?;
    // The limit fits usize, so this loses nothing.
    let (count, count_bytes) = (count as usize, count as u64 * number.size() as u64);
    if length.is_some_and(|length| length < header.length + count_bytes) {
        return Err(DataError::Truncated { file: file.into(), part: part.into() });
    }
    let values = number.read(reader, count).map_err(fail)?;
    match reader.read(&mut [0]).map_err(fail)? {
        0 => Ok(Content::Numbers(Array::new(header.shape, header.column_major, values))),
        _ => Err(corrupt(file, part, "has more bytes than its shape says")),
    }
}

/// The number of elements that a header promises, where the budget of the file has room for them.
fn taken(request: &Request, part: &str, header: &Header) -> Result<u128, DataError> {
    let count = elements(&header.shape);
    request.take(|| format!("{part} of shape {}", error::shape(&header.shape)), count)?;
    Ok(count)
}

/// Reads only the header of an array, and counts its numbers against the budget of the file.
pub(super) fn reserve(request: &Request, part: &str, reader: &mut impl Read) -> Result<(), DataError> {
    match header(request, part, reader)? {
        Ok((header, _)) => taken(request, part, &header).map(drop),
        Err(_) => Ok(()),
    }
}

fn corrupt(file: &str, part: &str, problem: &str) -> DataError {
    DataError::Corrupt { file: file.into(), part: part.into(), problem: problem.into() }
}

/// The header of an array and how its numbers are stored, or what it is instead of numbers.
fn header(
    request: &Request,
    part: &str,
    reader: &mut impl Read,
) -> Result<Result<(Header, Number), Content>, DataError> {
    let corrupt = |problem: &str| corrupt(request.file, part, problem);
    let text = header_text(reader).map_err(|source| failure(request.file, part, source))?;
    let text = text.ok_or_else(|| corrupt("does not begin like NPY"))?;
    let header = Header::parse(&text).ok_or_else(|| corrupt("has a header that cannot be understood"))?;
    Ok(number(&header.description).map(|number| (header, number)))
}

/// The text of the header with the bytes before it counted; `None` when this is not NPY.
fn header_text(reader: &mut impl Read) -> io::Result<Option<(String, u64)>> {
    let mut start = [0; 8];
    reader.read_exact(&mut start)?;
    if &start[..6] != MAGIC || !(1..=3).contains(&start[6]) {
        return Ok(None);
    }
    // Two bytes in version 1, four since.
    let mut size = [0; 4];
    let wide = if start[6] == 1 { 2 } else { 4 };
    reader.read_exact(&mut size[..wide])?;
    let size = u32::from_le_bytes(size) as usize;
    if size > LONGEST_HEADER {
        return Ok(None);
    }
    let mut text = vec![0; size];
    reader.read_exact(&mut text)?;
    Ok(Some((String::from_utf8_lossy(&text).into_owned(), (8 + wide + size) as u64)))
}

impl Header {
    /// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`
    fn parse((text, length): &(String, u64)) -> Option<Self> {
        let description = after(text, "descr")?;
        let description = match description.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'')?.0.to_owned(),
            None => "a structure".to_owned(),
        };
        let order = after(text, "fortran_order")?;
        let column_major = order.starts_with("True");
        if !column_major && !order.starts_with("False") {
            return None;
        }
        let (shape, _) = after(text, "shape")?.strip_prefix('(')?.split_once(')')?;
        let lengths = shape.split(',').map(str::trim).filter(|length| !length.is_empty());
        let shape = lengths.map(|length| length.parse().ok()).collect::<Option<Vec<usize>>>()?;
        Some(Self { description, column_major, shape, length: *length })
    }
}

/// The text after `'key':`.
fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("'{key}'"))?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

/// `<f8` and the like; what is no number is refused by what it is.
fn number(description: &str) -> Result<Number, Content> {
    let other = || Content::Other(format!("of the type `{description}`"));
    let mut characters = description.chars();
    let order = characters.next().ok_or_else(other)?;
    let kind = match characters.next() {
        Some('f') => NumberKind::Float,
        Some('i') => NumberKind::Signed,
        Some('u' | 'b') => NumberKind::Unsigned,
        Some('c') => return Err(Content::Complex),
        Some('U' | 'S') => return Err(Content::Other("text".into())),
        _ => return Err(other()),
    };
    let size: usize = characters.as_str().parse().map_err(|_| other())?;
    let big_endian = match order {
        '<' | '|' | '=' => false,
        '>' => true,
        _ => return Err(other()),
    };
    Number::new(kind, size, big_endian).ok_or_else(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<Header> {
        Header::parse(&(text.to_owned(), 10))
    }

    #[test]
    fn a_header_is_understood() {
        let header = parse("{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }").unwrap();
        assert_eq!((header.description.as_str(), header.column_major), ("<f8", true));
        assert_eq!(header.shape, [3, 4]);
        let shape = |shape: &str| {
            parse(&format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}")).map(|h| h.shape)
        };
        assert_eq!(shape("()"), Some(vec![]));
        assert_eq!(shape("(5,)"), Some(vec![5]));
        assert_eq!(shape("(-5,)"), None);
        assert_eq!(shape("(99999999999999999999,)"), None);
        assert_eq!(parse("{'descr': '<f8', 'shape': (3, 4), }"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn types_that_are_no_numbers_are_refused_by_name() {
        assert_eq!(number("<c16"), Err(Content::Complex));
        assert_eq!(number("<U5"), Err(Content::Other("text".into())));
        assert_eq!(number("<f2"), Err(Content::Other("of the type `<f2`".into())));
        assert_eq!(number(""), Err(Content::Other("of the type ``".into())));
        assert_eq!(number("|b1"), Ok(Number::new(NumberKind::Unsigned, 1, false).unwrap()));
    }
}
