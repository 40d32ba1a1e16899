//! MATLAB files as SciPy writes them, and what only MATLAB writes.

use super::{assert_is_the_grid, message, parse, read_fixture};

#[test]
fn the_layout_of_published_references() {
    for name in ["shock.mat", "shock_compressed.mat"] {
        let table = read_fixture(name, &["x", "t"], &["u = usol"]).unwrap();
        assert_is_the_grid(&table);
        assert_eq!(table.row_name(11), "x[3], t[2]");
        assert_eq!(read_fixture(name, &["x", "t"], &[]).unwrap().names(), ["x", "t", "usol"]);
    }
}

#[test]
fn coordinates_in_another_order_and_by_other_names() {
    let table = read_fixture("shock.mat", &["time", "x"], &["time = t", "u = usol"]).unwrap();
    assert_eq!(table.names(), ["time", "x", "u"]);
    let [t, x, u] = ["time", "x", "u"].map(|name| table.column(name).unwrap());
    assert_eq!(table.grid().map(|grid| grid[0].as_slice()), Some(&[0.0, 0.5, 1.0][..]));
    assert!((0..12).all(|row| u[row] == 10.0 * x[row] + t[row]));
    assert_eq!(table.row_name(4), "time[1], x[0]");
}

#[test]
fn only_what_is_asked_for_must_be_numbers() {
    assert_is_the_grid(&read_fixture("mixed.mat", &["x", "t"], &["u"]).unwrap());
    insta::assert_snapshot!(message(read_fixture("mixed.mat", &["x", "t"], &[])), @r"
    `mixed.mat`: the array `psi` is complex
    hint: save its real and imaginary parts as two arrays
    ");
    insta::assert_snapshot!(message(read_fixture("mixed.mat", &["x", "t"], &["u = parts"])), @r#"
    `mixed.mat`: the array `parts` is a structure, not an array of numbers
    hint: save numbers; `columns = ["name", …]` reads only what it names
    "#);
    insta::assert_snapshot!(message(read_fixture("mixed.mat", &["x", "t"], &["u", "nu"])), @r#"
    `mixed.mat`: array `nu` has shape 1 × 1, which fits neither a list of points nor a grid: `x` has 1 × 4, `t` has 1 × 3
    hint: `columns = ["name", …]` reads only what it names; a grid needs one axis for each coordinate
    "#);
}

#[test]
fn integers_become_numbers() {
    let table = read_fixture("integers.mat", &["x"], &[]).unwrap();
    assert_eq!(table.column("x"), Some(&[-1.0, 0.0, 1.0, 2.0][..]));
    assert_eq!(table.column("u"), Some(&[0.0, 1.0, 2.0, 3.0][..]));
}

/// Words in either byte order.
struct Writer {
    big_endian: bool,
    bytes: Vec<u8>,
}

impl Writer {
    fn word(&mut self, word: u32) {
        self.bytes.extend(if self.big_endian { word.to_be_bytes() } else { word.to_le_bytes() });
    }

    fn element(&mut self, kind: u32, data: &[u8]) {
        self.word(kind);
        self.word(data.len() as u32);
        self.bytes.extend(data);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }

    /// A vector of doubles that is stored as bytes, as MATLAB does with whole numbers; its name within the
    /// tag.
    fn vector(&mut self, name: u8, values: &[u8]) {
        let mut inner = Writer { big_endian: self.big_endian, bytes: Vec::new() };
        inner.word(6);
        inner.word(8);
        inner.word(6);
        inner.word(0);
        inner.word(5);
        inner.word(8);
        inner.word(values.len() as u32);
        inner.word(1);
        inner.word(1 << 16 | 1);
        inner.bytes.extend([name, 0, 0, 0]);
        if values.len() <= 4 {
            inner.word((values.len() as u32) << 16 | 2);
            inner.bytes.extend(values);
            inner.bytes.resize(inner.bytes.len().next_multiple_of(8), 0);
        } else {
            inner.element(2, values);
        }
        self.element(14, &inner.bytes);
    }
}

/// A file with the vectors x and u.
pub(super) fn small_file(big_endian: bool, x: &[u8], u: &[u8]) -> Vec<u8> {
    let mut writer = Writer { big_endian, bytes: vec![b' '; 124] };
    writer.bytes.extend(if big_endian { *b"\x01\x00MI" } else { *b"\x00\x01IM" });
    writer.vector(b'x', x);
    writer.vector(b'u', u);
    writer.bytes
}

#[test]
fn whole_doubles_in_bytes_and_short_elements_in_both_byte_orders() {
    for big_endian in [false, true] {
        let table = parse("a.mat", &small_file(big_endian, &[1, 2, 3], &[9, 8, 250]), &["x"], &[]).unwrap();
        assert_eq!(table.column("u"), Some(&[9.0, 8.0, 250.0][..]));
        let longer: Vec<u8> = (0..9).collect();
        let table = parse("a.mat", &small_file(big_endian, &longer, &longer), &["x"], &[]).unwrap();
        assert_eq!(table.len(), 9);
    }
}
