//! MATLAB files of level 5: versions 5 to 7.2, with and without compression.
//!
//! A header of 128 bytes, then elements: a tag (type and bytes), and the bytes. An array is an element of
//! elements: flags, dimensions, name, numbers; a compressed element is a zlib stream of one such array.
//! MATLAB stores doubles that are whole numbers as integers of few bytes, so the type of the numbers is not
//! the class of the array.

use std::io::{self, Read};

use flate2::read::ZlibDecoder;

use super::array::{Array, Content, Entry};
use super::number::{Number, NumberKind, failure};
use super::request::{Request, elements};
use super::{DataError, error};

const HEADER: u64 = 128;
const COMPRESSED: u32 = 15;
const MATRIX: u32 = 14;
/// MATLAB's own limit of a name is 63, of a shape none; more is damage.
const LONGEST_NAME: u64 = 4096;
const MOST_AXES: u64 = 64;

/// The start of an element. A short one has its bytes, four at most, within the tag.
struct Tag {
    kind: u32,
    size: u64,
    short: bool,
}

/// Every array of the file; those that are not asked for by name only. `length` is that of the file.
pub(super) fn read(request: &Request, reader: &mut impl Read, length: u64) -> Result<Vec<Entry>, DataError> {
    let big_endian = header(request.file, reader)?;
    let mut left = length.saturating_sub(HEADER);
    let mut entries = Vec::new();
    // Less than a tag is padding.
    while left >= 8 {
        let mut source = Elements { reader: &mut *reader, big_endian, request, part: "an array".into() };
        let tag = source.tag()?;
        left -= 8;
        match tag.size {
            _ if tag.short => return Err(source.corrupt("has an element of no known type")),
            size if size > left => return Err(source.truncated()),
            size => left -= size,
        }
        let mut bytes = reader.take(tag.size);
        entries.extend(match tag.kind {
            COMPRESSED => compressed(request, &mut bytes, big_endian)?,
            MATRIX => {
                Elements { reader: &mut bytes, big_endian, request, part: "an array".into() }.array()?
            }
            _ => None,
        });
        io::copy(&mut bytes, &mut io::sink()).map_err(|source| failure(request.file, "an array", source))?;
    }
    Ok(entries)
}

fn compressed(
    request: &Request,
    bytes: &mut impl Read,
    big_endian: bool,
) -> Result<Option<Entry>, DataError> {
    let mut reader = ZlibDecoder::new(bytes);
    let mut source = Elements { reader: &mut reader, big_endian, request, part: "an array".into() };
    match source.tag()?.kind {
        MATRIX => source.array(),
        _ => Err(source.corrupt("is compressed, but not an array")),
    }
}

/// Reads the header: whether numbers are stored with their first byte highest.
fn header(file: &str, reader: &mut impl Read) -> Result<bool, DataError> {
    let part = "the header";
    let mut bytes = [0; HEADER as usize];
    let mut filled = 0;
    while filled < bytes.len() {
        match reader.read(&mut bytes[filled..]).map_err(|source| failure(file, part, source))? {
            0 => break,
            count => filled += count,
        }
    }
    if bytes.starts_with(b"\x89HDF\r\n\x1a\n") || bytes.starts_with(b"MATLAB 7.3") {
        return Err(DataError::MatlabHdf5 { file: file.into() });
    }
    if filled < bytes.len() {
        return Err(DataError::Truncated { file: file.into(), part: part.into() });
    }
    match bytes[124..] {
        [0, 1, b'I', b'M'] => Ok(false),
        [1, 0, b'M', b'I'] => Ok(true),
        [0, 2, b'I', b'M'] | [2, 0, b'M', b'I'] => Err(DataError::MatlabHdf5 { file: file.into() }),
        _ => {
            let problem = "is not that of a MATLAB file of version 5 to 7.2".into();
            Err(DataError::Corrupt { file: file.into(), part: part.into(), problem })
        }
    }
}

/// A stream of elements; `part` names what is being read.
struct Elements<'a, R> {
    reader: &'a mut R,
    big_endian: bool,
    request: &'a Request<'a>,
    part: String,
}

impl<R: Read> Elements<'_, R> {
    /// The array that follows; `None` for one without a name, which MATLAB uses for itself.
    fn array(&mut self) -> Result<Option<Entry>, DataError> {
        let flags = self.small(8)?;
        let &[first, second, third, fourth, ..] = flags.as_slice() else {
            return Err(self.corrupt("has no flags"));
        };
        let (class, bits) = if self.big_endian { (fourth, third) } else { (first, second) };
        if class == 17 {
            // An object of a class has no dimensions, and no numbers that could be read.
            let name = self.name()?;
            return Ok(Some(Entry { name, content: Content::Other("an object".into()) }));
        }
        let shape = self.dimensions()?;
        let name = self.name()?;
        self.part = error::array_named(&name);
        let complex = bits & 0x08 != 0;
        let content = match class {
            _ if !self.request.wants(&name) => Content::Unread,
            6..=15 if complex => Content::Complex,
            6..=15 => Content::Numbers(self.numbers(shape)?),
            _ => Content::Other(class_name(class).into()),
        };
        Ok((!name.is_empty()).then_some(Entry { name, content }))
    }

    fn dimensions(&mut self) -> Result<Vec<usize>, DataError> {
        let bytes = self.small(4 * MOST_AXES)?;
        let lengths = bytes.chunks_exact(4).map(|four| self.word([four[0], four[1], four[2], four[3]]));
        let shape: Vec<usize> = lengths.map(|length| length as usize).collect();
        if shape.len() < 2 || shape.iter().any(|&length| length > i32::MAX as usize) {
            return Err(self.corrupt("has no proper shape"));
        }
        Ok(shape)
    }

    fn name(&mut self) -> Result<String, DataError> {
        Ok(String::from_utf8_lossy(&self.small(LONGEST_NAME)?).into_owned())
    }

    fn numbers(&mut self, shape: Vec<usize>) -> Result<Array, DataError> {
        let count = elements(&shape);
        self.request.take(|| format!("{} of shape {}", self.part, error::shape(&shape)), count)?;
        let tag = self.tag()?;
        let number =
            stored(tag.kind, self.big_endian).ok_or_else(|| self.corrupt("has numbers of no known type"))?;
        if u128::from(tag.size) != count * number.size() as u128 {
            return Err(self.corrupt("has not as many numbers as its shape says"));
        }
        let values = number.read(self.reader, count as usize).map_err(|source| self.failure(source))?;
        // To the end of the stream, because a compressed one is checked there; padding is all that can be
        // left.
        let rest = io::copy(&mut self.reader.take(64), &mut io::sink());
        rest.map_err(|source| self.failure(source))?;
        Ok(Array::new(shape, true, values))
    }

    /// The bytes of an element that has at most `most`, and its padding.
    fn small(&mut self, most: u64) -> Result<Vec<u8>, DataError> {
        let tag = self.tag()?;
        if tag.size > most {
            return Err(self.corrupt("has an element that is too long"));
        }
        let padded = if tag.short { 4 } else { tag.size.next_multiple_of(8) };
        let mut bytes = vec![0; padded as usize];
        self.fill(&mut bytes)?;
        bytes.truncate(tag.size as usize);
        Ok(bytes)
    }

    /// After a short tag come four bytes with the element in them, after a long one the element.
    fn tag(&mut self) -> Result<Tag, DataError> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes)?;
        let word = self.word(bytes);
        if word >> 16 != 0 {
            let size = u64::from(word >> 16);
            return match size {
                1..=4 => Ok(Tag { kind: word & 0xffff, size, short: true }),
                _ => Err(self.corrupt("has an element of no known type")),
            };
        }
        self.fill(&mut bytes)?;
        Ok(Tag { kind: word, size: u64::from(self.word(bytes)), short: false })
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), DataError> {
        self.reader.read_exact(bytes).map_err(|source| self.failure(source))
    }

    fn word(&self, bytes: [u8; 4]) -> u32 {
        if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    fn failure(&self, source: io::Error) -> DataError {
        failure(self.request.file, &self.part, source)
    }

    fn truncated(&self) -> DataError {
        DataError::Truncated { file: self.request.file.into(), part: self.part.clone() }
    }

    fn corrupt(&self, problem: &str) -> DataError {
        let (file, part, problem) = (self.request.file.into(), self.part.clone(), problem.into());
        DataError::Corrupt { file, part, problem }
    }
}

/// The types in which numbers are stored.
#[rustfmt::skip]
fn stored(kind: u32, big_endian: bool) -> Option<Number> {
    let (kind, size) = match kind {
        1  => (NumberKind::Signed, 1),
        2  => (NumberKind::Unsigned, 1),
        3  => (NumberKind::Signed, 2),
        4  => (NumberKind::Unsigned, 2),
        5  => (NumberKind::Signed, 4),
        6  => (NumberKind::Unsigned, 4),
        7  => (NumberKind::Float, 4),
        9  => (NumberKind::Float, 8),
        12 => (NumberKind::Signed, 8),
        13 => (NumberKind::Unsigned, 8),
        _  => return None,
    };
    Number::new(kind, size, big_endian)
}

fn class_name(class: u8) -> &'static str {
    match class {
        1 => "a cell array",
        2 => "a structure",
        4 => "text",
        5 => "sparse",
        16 => "a function",
        _ => "an object",
    }
}
