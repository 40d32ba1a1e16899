//! Numbers in bytes: the types of NumPy and MATLAB, all read as f64.

use std::io::{self, ErrorKind, Read};

use super::DataError;

/// What the bits mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberKind {
    Signed,
    Unsigned,
    Float,
}

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    kind: NumberKind,
    /// Bytes: 1, 2, 4 or 8; of a float 4 or 8.
    size: usize,
    big_endian: bool,
}

impl Number {
    /// `None` when there is no such type.
    pub(super) fn new(kind: NumberKind, size: usize, big_endian: bool) -> Option<Self> {
        let sizes: &[usize] = if kind == NumberKind::Float { &[4, 8] } else { &[1, 2, 4, 8] };
        sizes.contains(&size).then_some(Self { kind, size, big_endian })
    }

    /// The bytes of a number.
    pub(super) fn size(self) -> usize {
        self.size
    }

    /// Reads `count` numbers. Memory grows with what is really there, not with what was promised.
    pub(super) fn read(self, reader: &mut impl Read, count: usize) -> io::Result<Vec<f64>> {
        const CHUNK: usize = 8192;
        let mut values = Vec::new();
        let mut bytes = vec![0; CHUNK.min(count) * self.size];
        while values.len() < count {
            let now = CHUNK.min(count - values.len());
            let chunk = &mut bytes[..now * self.size];
            reader.read_exact(chunk)?;
            values.try_reserve(now).map_err(|_| ErrorKind::OutOfMemory)?;
            values.extend(chunk.chunks_exact(self.size).map(|one| self.value(one)));
        }
        Ok(values)
    }

    fn value(self, bytes: &[u8]) -> f64 {
        let fold = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
        let bits = match self.big_endian {
            true => bytes.iter().fold(0, fold),
            false => bytes.iter().rev().fold(0, fold),
        };
        // The sign bit goes to the top and back, so that it fills the upper bytes.
        let unused = 64 - 8 * self.size;
        match (self.kind, self.size) {
            (NumberKind::Unsigned, _) => bits as f64,
            (NumberKind::Signed, _) => (((bits << unused) as i64) >> unused) as f64,
            (NumberKind::Float, 4) => f64::from(f32::from_bits(bits as u32)),
            (NumberKind::Float, _) => f64::from_bits(bits),
        }
    }
}

/// A failure within `part` of a file: too short, damaged, or the system's.
pub(super) fn failure(file: &str, part: &str, source: io::Error) -> DataError {
    let (file, part) = (file.to_owned(), part.to_owned());
    match source.kind() {
        ErrorKind::UnexpectedEof => DataError::Truncated { file, part },
        // The decompressors and the archive's checksum report damage so.
        ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::Other => {
            DataError::Corrupt { file, part, problem: "cannot be decompressed".into() }
        }
        _ => DataError::Unreadable { file, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: NumberKind, size: usize, big_endian: bool, mut bytes: &[u8]) -> f64 {
        Number::new(kind, size, big_endian).unwrap().read(&mut bytes, 1).unwrap()[0]
    }

    #[test]
    fn every_type_in_both_byte_orders() {
        assert_eq!(read(NumberKind::Signed, 1, false, &(-7i8).to_le_bytes()), -7.0);
        assert_eq!(read(NumberKind::Signed, 2, false, &(-300i16).to_le_bytes()), -300.0);
        assert_eq!(read(NumberKind::Signed, 4, true, &(-70_000i32).to_be_bytes()), -70_000.0);
        assert_eq!(read(NumberKind::Signed, 8, true, &(-1i64 << 40).to_be_bytes()), -(2f64.powi(40)));
        assert_eq!(read(NumberKind::Unsigned, 1, false, &[255]), 255.0);
        assert_eq!(read(NumberKind::Unsigned, 2, true, &65_535u16.to_be_bytes()), 65_535.0);
        assert_eq!(read(NumberKind::Unsigned, 4, false, &u32::MAX.to_le_bytes()), f64::from(u32::MAX));
        assert_eq!(read(NumberKind::Unsigned, 8, false, &(1u64 << 63).to_le_bytes()), 2f64.powi(63));
        assert_eq!(read(NumberKind::Float, 4, true, &0.25f32.to_be_bytes()), 0.25);
        assert_eq!(read(NumberKind::Float, 8, false, &0.1f64.to_le_bytes()), 0.1);
        assert_eq!(Number::new(NumberKind::Float, 2, false), None);
    }

    #[test]
    fn a_promise_takes_no_memory() {
        let number = Number::new(NumberKind::Float, 8, false).unwrap();
        let error = number.read(&mut &[0u8; 16][..], usize::MAX / 16).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    }
}
