//! NPY: one NumPy array of doubles, version 1.0, last axis fastest.
//!
//! Reference: `numpy.lib.format`.

use std::io::{self, Write};

use super::{Table, bytes_of};

/// The header ends at a multiple of this, so that the numbers can be mapped into memory.
const ALIGNMENT: usize = 64;

/// Everything before the numbers of an array of this shape.
pub(super) fn header(shape: &[u64]) -> Vec<u8> {
    let lengths: Vec<String> = shape.iter().map(u64::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let dictionary =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}{comma}), }}", lengths.join(", "));
    // The magic word, the version, the length of the text, and a line end.
    let padding = (10 + dictionary.len() + 1).next_multiple_of(ALIGNMENT) - (10 + dictionary.len() + 1);
    let text = format!("{dictionary}{}\n", " ".repeat(padding));
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes()].concat()
}

/// A whole array; as many values as the shape says.
pub fn write(writer: &mut impl Write, shape: &[usize], values: &[f64]) -> io::Result<()> {
    writer.write_all(&header(&wide(shape)))?;
    writer.write_all(&bytes_of(values.iter().copied()))
}

pub(super) fn wide(shape: &[usize]) -> Vec<u64> {
    shape.iter().map(|&length| length as u64).collect()
}

/// A table as an array of rows and columns, written block by block. The number of rows is known before.
#[derive(Debug)]
pub struct Npy<W: Write> {
    writer: W,
    rows: u64,
    written: u64,
}

impl<W: Write> Npy<W> {
    /// Begins the file.
    pub fn new(mut writer: W, rows: u64, columns: usize) -> io::Result<Self> {
        writer.write_all(&header(&[rows, columns as u64]))?;
        Ok(Self { writer, rows, written: 0 })
    }
}

impl<W: Write> Table for Npy<W> {
    fn rows(&mut self, columns: &[&[f64]]) -> io::Result<()> {
        let count = columns.first().map_or(0, |column| column.len());
        self.written += count as u64;
        let row = |row: usize| columns.iter().map(move |column| column[row]);
        self.writer.write_all(&bytes_of((0..count).flat_map(row)))
    }

    fn finish(&mut self) -> io::Result<()> {
        super::complete(self.written, self.rows)?;
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_aligned_and_as_numpy_writes_them() {
        for shape in [&[][..], &[5], &[3, 4], &[u64::MAX; 8]] {
            let header = header(shape);
            assert_eq!(header.len() % ALIGNMENT, 0);
            assert_eq!(header.last(), Some(&b'\n'));
            let length = u16::from_le_bytes([header[8], header[9]]) as usize;
            assert_eq!(length, header.len() - 10);
        }
        let text = |shape: &[u64]| String::from_utf8(header(shape)[10..].to_vec()).unwrap();
        assert!(text(&[]).contains("'shape': (), }"));
        assert!(text(&[5]).starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (5,), }"));
        assert!(text(&[3, 4]).contains("'shape': (3, 4), }"));
    }

    #[test]
    fn a_table_that_ends_early_is_no_file() {
        let mut table = Npy::new(Vec::new(), 3, 1).unwrap();
        table.rows(&[&[1.0, 2.0]]).unwrap();
        assert!(table.finish().is_err());
        table.rows(&[&[3.0]]).unwrap();
        table.finish().unwrap();
    }
}
