//! CSV and its relatives: a header with names, then one row a point.
//!
//! Cells are separated by semicolons, commas, tabs or blanks; lines that begin with `#` or `%` are comments.
//! A comment directly before the numbers may be the header, as `numpy.savetxt` and simulation programs write
//! it.

use std::io::{BufRead, Read};

use super::DataError;
use super::line_numbers::LineNumbers;
use super::request::{Request, Selected};
use super::separator::Separator;
use super::stream::in_order;
use super::table::{RowOrigin, Table};
use super::wide::{Wide, spaced_names};

/// The longest line in bytes: 400,000 columns of 40 characters.
const LONGEST_LINE: u64 = 16 << 20;
/// The bytes of text for a number: 17 digits, sign, exponent and separator, with room for comments. A longer
/// file than the limit on numbers allows for is refused before it is read.
const BYTES_PER_NUMBER: u64 = 32;

/// Reads a text file of this many bytes.
pub(super) fn read(request: &Request, reader: impl BufRead, length: u64) -> Result<Table, DataError> {
    let limit = request.limit.saturating_mul(BYTES_PER_NUMBER).max(LONGEST_LINE);
    if length > limit {
        return Err(DataError::LongText { file: request.file.into(), length, limit });
    }
    let mut lines = Lines { reader, number: 0, request };
    let Start { first, header } = start(&mut lines)?;
    let separator = Separator::of(&first);
    let width = separator.split(&first).len();
    let names = match &header {
        Header::First => separator.names(&first),
        Header::Comment(comment) => comment.as_deref().map(spaced_names).unwrap_or_default(),
    };
    let wide = Wide::of(&names, request.coordinates).filter(|_| names.len() == width);
    let selected = match header {
        _ if wide.is_some() => {
            (0..width).map(|position| Selected { name: names[position].clone(), position }).collect()
        }
        Header::First => request.select(&separator.names(&first))?,
        Header::Comment(comment) => by_comment(request, &comment, &first, lines.number)?,
    };
    let mut body = Body::new(request, separator, width, selected);
    if !is_header(&separator.split(&first)) {
        body.row(lines.number, &first)?;
    }
    while let Some(line) = lines.next_row()? {
        body.row(lines.number, &line)?;
    }
    match wide {
        Some(wide) => wide.table(request, &body.columns, &body.lines),
        None => body.table(),
    }
}

/// The coordinates of a text file, read as they are needed.
#[derive(Debug)]
pub(super) struct TextRows<R> {
    reader: R,
    line: usize,
    separator: Separator,
    width: usize,
    selected: Vec<Selected>,
    /// The first line, where it is a row.
    first: Option<String>,
    is_empty: bool,
}

impl<R: BufRead> TextRows<R> {
    /// Reads up to the first row.
    pub(super) fn new(request: &Request, reader: R) -> Result<Self, DataError> {
        let mut lines = Lines { reader, number: 0, request };
        let Start { first, header } = start(&mut lines)?;
        let separator = Separator::of(&first);
        let width = separator.split(&first).len();
        let mut selected = match header {
            Header::First => request.select(&separator.names(&first))?,
            Header::Comment(comment) => match by_comment(request, &comment, &first, lines.number) {
                Err(DataError::NoHeader { .. } | DataError::MissingColumn { .. }) => {
                    in_order(request, width)?
                }
                known => known?,
            },
        };
        // Coordinates come first, and nothing else is asked for.
        selected.truncate(request.coordinates.len());
        let first = (!is_header(&separator.split(&first))).then_some(first);
        Ok(Self {
            line: lines.number,
            reader: lines.reader,
            separator,
            width,
            selected,
            first,
            is_empty: true,
        })
    }

    /// The next rows, at most this many; refuses a file without any.
    pub(super) fn next_block(&mut self, request: &Request, most: usize) -> Result<Vec<Vec<f64>>, DataError> {
        let mut lines = Lines { reader: &mut self.reader, number: self.line, request };
        let mut body = Body::new(request, self.separator, self.width, self.selected.clone());
        if let Some(first) = self.first.take() {
            body.row(lines.number, &first)?;
        }
        while body.lines.len() < most
            && let Some(line) = lines.next_row()?
        {
            body.row(lines.number, &line)?;
        }
        self.line = lines.number;
        self.is_empty &= body.lines.is_empty();
        match self.is_empty {
            true => Err(DataError::NoRows { file: request.file.into() }),
            false => Ok(body.columns),
        }
    }
}

/// The first line that is not a comment, and where the names are.
struct Start {
    first: String,
    header: Header,
}

enum Header {
    /// In the first line.
    First,
    /// In the comment before it, if it has one.
    Comment(Option<String>),
}

fn start(lines: &mut Lines<impl BufRead>) -> Result<Start, DataError> {
    let mut comment = None;
    while let Some(line) = lines.next_line()? {
        match line.strip_prefix(['#', '%']) {
            Some(text) => comment = Some(text.trim().to_owned()),
            None if is_header(&Separator::of(&line).split(&line)) => {
                return Ok(Start { first: unremarked(line), header: Header::First });
            }
            None => return Ok(Start { first: uncommented(line), header: Header::Comment(comment) }),
        }
    }
    let file = lines.request.file.to_owned();
    Err(if comment.is_some() { DataError::NoRows { file } } else { DataError::Empty { file } })
}

/// Names have no number among them.
fn is_header(cells: &[&str]) -> bool {
    cells.iter().all(|cell| number(cell).is_none())
}

/// What to read when the first line has numbers: the comment before it is the header if it has a name for
/// each column and all names that the user wants; else the user names the columns.
fn by_comment(
    request: &Request,
    comment: &Option<String>,
    first: &str,
    line: usize,
) -> Result<Vec<Selected>, DataError> {
    let width = Separator::of(first).split(first).len();
    let names = comment.as_deref().map(|text| Separator::of(text).names(text)).unwrap_or_default();
    let is_header = names.len() == width && names.iter().all(|name| number(name).is_none());
    if is_header && request.all_in(&names) {
        return request.select(&names);
    }
    let missing = || DataError::NoHeader { file: request.file.into(), line, text: first.into() };
    request.positional(width)?.ok_or_else(missing)
}

/// A number as programs write it; Fortran's exponents have a D.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().or_else(|| {
        let is_fortran = text.contains(['d', 'D']) && text.contains(|c: char| c.is_ascii_digit());
        is_fortran.then(|| text.replace(['d', 'D'], "e").parse().ok()).flatten()
    })
}

/// The lines of a file, without blank ones.
struct Lines<'a, R> {
    reader: R,
    number: usize,
    request: &'a Request<'a>,
}

impl<R: BufRead> Lines<'_, R> {
    fn next_line(&mut self) -> Result<Option<String>, DataError> {
        let file = self.request.file;
        loop {
            let mut bytes = Vec::new();
            let count = (&mut self.reader).take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
            if count.map_err(|source| DataError::Unreadable { file: file.into(), source })? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if bytes.contains(&0) {
                return Err(DataError::NotText { file: file.into(), line: self.number });
            }
            if bytes.len() as u64 > LONGEST_LINE {
                return Err(DataError::LongLine {
                    file: file.into(),
                    line: self.number,
                    limit: LONGEST_LINE,
                });
            }
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_start_matches('\u{feff}').trim_matches([' ', '\r', '\n']);
            if !text.trim().is_empty() {
                return Ok(Some(text.to_owned()));
            }
        }
    }

    /// The next line that is not a comment, up to a comment within it.
    fn next_row(&mut self) -> Result<Option<String>, DataError> {
        while let Some(line) = self.next_line()? {
            if !line.starts_with(['#', '%']) {
                return Ok(Some(uncommented(line)));
            }
        }
        Ok(None)
    }
}

fn uncommented(mut line: String) -> String {
    if let Some(comment) = line.find('#') {
        line.truncate(comment);
    }
    line
}

/// A line of names without the comment at its end: a name may have the sign inside.
fn unremarked(mut line: String) -> String {
    if let Some(comment) = line.find(" #").or_else(|| line.find("\t#")) {
        line.truncate(comment);
    }
    line
}

/// The numbers that have been read.
struct Body<'a> {
    request: &'a Request<'a>,
    separator: Separator,
    width: usize,
    selected: Vec<Selected>,
    columns: Vec<Vec<f64>>,
    lines: LineNumbers,
}

impl<'a> Body<'a> {
    fn new(request: &'a Request<'a>, separator: Separator, width: usize, selected: Vec<Selected>) -> Self {
        let columns = vec![Vec::new(); selected.len()];
        Self { request, separator, width, selected, columns, lines: LineNumbers::default() }
    }

    fn row(&mut self, line: usize, text: &str) -> Result<(), DataError> {
        let cells = self.separator.split(text);
        let (expected, found) = (self.width, cells.len());
        if found != expected {
            return Err(DataError::Ragged { file: self.request.file.into(), line, expected, found });
        }
        for (Selected { name, position }, values) in self.selected.iter().zip(&mut self.columns) {
            values.push(value(self.request.file, line, name, cells[*position])?);
        }
        self.lines.push(line);
        let numbers = self.lines.len() as u128 * self.columns.len() as u128;
        self.request.check_size(|| format!("the table up to line {line}"), numbers)
    }

    fn table(self) -> Result<Table, DataError> {
        let names = self.selected.into_iter().map(|one| one.name);
        let columns = names.zip(self.columns).collect();
        Table::new(self.request.file, columns, RowOrigin::Lines(self.lines), self.request.coordinates.len())
    }
}

fn value(file: &str, line: usize, column: &str, text: &str) -> Result<f64, DataError> {
    let (file, column) = (|| file.to_owned(), || column.to_owned());
    match number(text) {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => {
            let row = format!("line {line}");
            Err(DataError::NotFinite { file: file(), row, column: column(), text: text.into() })
        }
        None => Err(DataError::NotANumber { file: file(), line, column: column(), text: text.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_as_programs_write_them() {
        assert_eq!(number("-1.5e-3"), Some(-1.5e-3));
        assert_eq!(number("+.5"), Some(0.5));
        assert_eq!(number("1.25D+02"), Some(125.0));
        for text in ["", "d", "1,5", "0x10", "1 2", "1e", "e5"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
