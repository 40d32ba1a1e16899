//! CSV: a header with names, then one row a point. Numbers are the shortest text that reads back to the same
//! bits.

use std::io::{self, Write};

use super::Table;

/// A table of text, written block by block.
#[derive(Debug)]
pub struct Csv<W: Write> {
    writer: W,
}

impl<W: Write> Csv<W> {
    /// Begins the file with its header.
    pub fn new(mut writer: W, names: &[String]) -> io::Result<Self> {
        let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        writeln!(writer, "{}", names.join(","))?;
        Ok(Self { writer })
    }
}

impl<W: Write> Table for Csv<W> {
    fn rows(&mut self, columns: &[&[f64]]) -> io::Result<()> {
        let count = columns.first().map_or(0, |column| column.len());
        let mut text = String::new();
        for row in 0..count {
            for (place, column) in columns.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                text.push_str(&number(column[row]));
            }
            text.push('\n');
        }
        self.writer.write_all(text.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// `0.5`, `1e-7`, `NaN`.
pub(super) fn number(value: f64) -> String {
    // Debug switches to exponents where plain digits would be long.
    let text = format!("{value:?}");
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// Names like `d(u, x)` contain commas.
fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r', ';']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_to_the_same_bits() {
        for value in
            [0.0, -0.0, 1.0, 0.1, 1e-300, 1.0 / 3.0, 123_456_789.0, 1e22, f64::MAX, f64::MIN_POSITIVE]
        {
            assert_eq!(number(value).parse::<f64>().unwrap().to_bits(), value.to_bits(), "{value}");
        }
        assert_eq!([number(2.0), number(1e-7), number(f64::NAN)], ["2", "1e-7", "NaN"]);
    }

    #[test]
    fn names_with_commas_are_quoted() {
        let mut bytes = Vec::new();
        let mut csv = Csv::new(&mut bytes, &["x".into(), "d(u, x)".into()]).unwrap();
        csv.rows(&[&[1.0, 2.0], &[0.5, -3e-9]]).unwrap();
        csv.finish().unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), "x,\"d(u, x)\"\n1,0.5\n2,-3e-9\n");
    }
}
