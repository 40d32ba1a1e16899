//! The readers against files of NumPy and SciPy, against every error, and against damage.

mod budgets;
mod damage;
mod errors;
mod grids;
mod matlab;
mod numpy;
mod text;

use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};

use super::request::Request;
use super::{DataError, Format, LIMIT, Table, read};

/// A file beside the integration tests; its README says how they were written.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Reads a fixture; no `columns` when the list is empty.
fn read_fixture(name: &str, coordinates: &[&str], columns: &[&str]) -> Result<Table, DataError> {
    let columns = owned(columns);
    let columns = (!columns.is_empty()).then_some(columns.as_slice());
    read(&fixture(name), &owned(coordinates), columns)
}

/// Reads bytes in memory as the file `file`; no `columns` when the list is empty.
fn parse(file: &str, bytes: &[u8], coordinates: &[&str], columns: &[&str]) -> Result<Table, DataError> {
    parse_within(LIMIT, file, bytes, coordinates, columns)
}

fn parse_within(
    limit: u64,
    file: &str,
    bytes: &[u8],
    coordinates: &[&str],
    columns: &[&str],
) -> Result<Table, DataError> {
    let (coordinates, columns) = (owned(coordinates), owned(columns));
    let columns = (!columns.is_empty()).then_some(columns.as_slice());
    let format = Format::of(Path::new(file), file)?;
    let request = Request::new(file, &coordinates, columns, limit)?;
    format.read(&request, BufReader::new(Cursor::new(bytes)), bytes.len() as u64)
}

/// The message, and the hint on a line of its own.
fn message(result: Result<Table, DataError>) -> String {
    let error = result.expect_err("this must be refused");
    match error.hint() {
        Some(hint) => format!("{error}\nhint: {hint}"),
        None => error.to_string(),
    }
}

/// Checks the grid of the fixtures: x = −1, 0, 1, 2; t = 0, ½, 1; u = 10·x + t, the last coordinate fastest.
fn assert_is_the_grid(table: &Table) {
    assert_eq!(table.names(), ["x", "t", "u"]);
    let vectors = [vec![-1.0, 0.0, 1.0, 2.0], vec![0.0, 0.5, 1.0]];
    assert_eq!(table.grid(), Some(&vectors[..]));
    let [x, t, u] = ["x", "t", "u"].map(|name| table.column(name).unwrap());
    assert_eq!((table.len(), x.len(), t.len(), u.len()), (12, 12, 12, 12));
    for row in 0..12 {
        assert_eq!((x[row], t[row]), (vectors[0][row / 3], vectors[1][row % 3]));
        assert_eq!(u[row], 10.0 * x[row] + t[row]);
    }
}

/// An NPY file with a header of these entries.
fn npy(description: &str, column_major: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if column_major { "True" } else { "False" };
    let header = format!("{{'descr': '{description}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let size = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &size[..], header.as_bytes(), data].concat()
}

/// The bytes of doubles.
fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// An NPZ file of arrays of doubles, without compression.
fn npz(arrays: &[(&str, &str, &[f64])]) -> Vec<u8> {
    use std::io::Write;
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, shape, values) in arrays {
        archive.start_file(format!("{name}.npy"), stored).unwrap();
        archive.write_all(&npy("<f8", false, shape, &doubles(values))).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
