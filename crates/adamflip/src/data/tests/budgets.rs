//! Files that are small or sparse and would be huge in memory, and files with very many columns.

use std::io::{Cursor, Write};

use super::{message, npy, parse, parse_within, read};

/// Three arrays whose headers promise more than their archive has.
fn promising(shape: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in ["x", "t", "u"] {
        archive.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&npy("|i1", false, shape, &[0; 400])).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Each array is within the limit, and would be read if only the one at hand counted.
#[test]
fn an_archive_has_one_budget_for_all_arrays() {
    insta::assert_snapshot!(message(parse("a.npz", &promising("(190000000,)"), &["x", "t"], &[])), @r"
    `a.npz` is too large: the whole up to the array `t` of shape 190000000 has 380000000 numbers, and at most 200000000 are read
    hint: keep fewer points
    ");
    let small = promising("(400,)");
    assert!(parse_within(1_200, "a.npz", &small, &["x", "t"], &[]).is_ok());
    assert!(message(parse_within(1_199, "a.npz", &small, &["x", "t"], &[])).contains("1200 numbers"));
    // What is not asked for does not count.
    assert!(parse_within(800, "a.npz", &small, &["x"], &["t"]).is_ok());
}

#[test]
fn a_line_without_end_is_refused() {
    let line = "1".repeat(17 << 20);
    insta::assert_snapshot!(message(parse("a.csv", line.as_bytes(), &["x"], &["x"])), @r"
    `a.csv`, line 1 has more than 16 MB, and no longer line is read
    hint: a row has a line of its own: is this a text file?
    ");
}

#[test]
fn a_file_of_holes_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse.csv");
    let of_size = |size: u64| {
        std::fs::File::create(&path).unwrap().set_len(size).unwrap();
        message(read(&path, &["x".to_owned()], None))
    };
    insta::assert_snapshot!(of_size(20 << 30), @r"
    `sparse.csv` is too large: it has 20480 MB, and at most 6103 MB of text are read
    hint: keep fewer points
    ");
    insta::assert_snapshot!(of_size(5 << 30), @"`sparse.csv`, line 1: a zero byte; this is not a text file");
}

/// The square of their number takes most of an hour, which is how this test fails.
#[test]
fn very_many_columns_take_a_moment() {
    let names: Vec<String> = (0..100_000).map(|number| format!("c{number}")).collect();
    let text = format!("X,t,{}\n0,0{}\n", names.join(","), ",1".repeat(names.len()));
    let table = parse("a.csv", text.as_bytes(), &["X", "t"], &[]).unwrap();
    assert!(table.names().iter().all(|name| table.column(name).is_some()));
    let missing = message(parse("a.csv", text.as_bytes(), &["x", "t"], &[]));
    assert!(missing.contains("did you mean `X`"), "{}", &missing[..200]);
    let chosen: Vec<&str> = names.iter().map(String::as_str).take(5_000).chain(["X", "t"]).collect();
    parse("a.csv", text.as_bytes(), &["X", "t"], &chosen).unwrap();
}
