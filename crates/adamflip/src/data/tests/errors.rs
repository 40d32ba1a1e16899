//! Every message, word for word.

use super::{doubles, fixture, message, npy, npz, parse, parse_within, read, read_fixture};

fn csv(text: &str) -> String {
    message(parse("a.csv", text.as_bytes(), &["x", "t"], &[]))
}

#[test]
fn files_that_cannot_be_read() {
    insta::assert_snapshot!(message(read("runs/none.csv".as_ref(), &[], None)), @"`runs/none.csv` does not exist");
    insta::assert_snapshot!(message(read_fixture("none.csv", &["x"], &[])), @"`none.csv` does not exist");
    insta::assert_snapshot!(message(read_fixture("a.xlsx", &["x"], &[])), @"`a.xlsx` has no known extension; known are .csv, .tsv, .txt, .dat, .npy, .npz, .mat");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("folder.csv");
    std::fs::create_dir(&path).unwrap();
    insta::assert_snapshot!(message(read(&path, &[], None)), @"`folder.csv` is not a file");
    insta::assert_snapshot!(message(parse("a.npy", b"", &[], &[])), @"`a.npy` is empty");
    assert!(fixture("README.md").exists());
}

#[test]
fn names() {
    insta::assert_snapshot!(csv("xx,t,u\n1,2,3\n"), @r#"
    `a.csv` has no column for the coordinate `x`; it has `xx`, `t`, `u`
    hint: did you mean `xx`? write `columns = ["x = xx", "t", "u"]`
    "#);
    // All that is probably meant, and what the user has said.
    insta::assert_snapshot!(csv("X,T,u\n1,2,3\n"), @r#"
    `a.csv` has no column for the coordinate `x`; it has `X`, `T`, `u`
    hint: did you mean `X`? write `columns = ["x = X", "t = T", "u"]`
    "#);
    let renamed = parse("a.csv", b"a,T,b\n1,2,3\n", &["x", "t"], &["x = a", "T", "u = b"]);
    insta::assert_snapshot!(message(renamed), @r#"
    `a.csv` has no column for the coordinate `t`; it has `a`, `T`, `b`
    hint: did you mean `T`? write `columns = ["x = a", "t = T", "u = b"]`
    "#);
    insta::assert_snapshot!(csv("x,t,u,t\n1,2,3,4\n"), @r"
    `a.csv` has two columns `t`
    hint: rename one of them in the file
    ");
    insta::assert_snapshot!(csv("1,2,3\n"), @r#"
    `a.csv`, line 1: the first row has numbers where names of columns should be: `1,2,3`
    hint: name the columns: `columns = ["x", "t", "u"]`
    "#);
    let columns = |columns: &[&str]| message(parse("a.csv", b"x,t,usol\n1,2,3\n", &["x", "t"], columns));
    insta::assert_snapshot!(columns(&["u = uso"]), @r"
    `a.csv` has no column `uso`; it has `x`, `t`, `usol`
    hint: did you mean `usol`?
    ");
    insta::assert_snapshot!(columns(&["u = "]), @"`columns` for `a.csv` has `u = `, which is neither `name` nor `name = name in the file`");
    insta::assert_snapshot!(columns(&["u = usol", "u = t"]), @"`columns` for `a.csv` names `u` twice");
    insta::assert_snapshot!(message(parse("a.csv", b"1,2\n", &["x"], &["x", "t", "u"])), @r"
    `a.csv` has 2 columns, but `columns` names 3
    hint: name every column, in the order of the file
    ");
    insta::assert_snapshot!(message(parse("a.csv", b"1,2\n", &["x"], &["t", "u"])), @"`columns` for `a.csv` does not name the coordinate `x`");
}

#[test]
fn cells() {
    insta::assert_snapshot!(csv("x,t,u\n1,2,3\n1,2\n"), @r"
    `a.csv`, line 3: 2 cells, but there are 3 columns
    hint: every row needs as many cells as the first
    ");
    insta::assert_snapshot!(csv("x,t,u\n1,2,3\n\n1,,3\n"), @r"
    `a.csv`, line 4, column `t`: the cell is empty
    hint: leave out points without a value
    ");
    insta::assert_snapshot!(csv("x,t,u\n1,2,three\n"), @r#"
    `a.csv`, line 2, column `u`: `three` is not a number
    hint: `columns = ["name", …]` reads only what it names
    "#);
    insta::assert_snapshot!(csv("x;t;u\n1;2;3,5\n"), @r"
    `a.csv`, line 2, column `u`: `3,5` is not a number
    hint: write a decimal point, not a comma
    ");
    insta::assert_snapshot!(csv("x,t,u\n1,2,NaN\n"), @r"
    `a.csv`, line 2, column `u`: `NaN` is not a finite number
    hint: leave out points without a value
    ");
    insta::assert_snapshot!(csv("x,t,u\n1,1e999,2\n"), @r"
    `a.csv`, line 2, column `t`: `1e999` is not a finite number
    hint: leave out points without a value
    ");
    insta::assert_snapshot!(csv("x,t,u\n1,2,3\x1b[2J\u{7}and so on and so on and so on and so on\n"), @r#"
    `a.csv`, line 2, column `u`: `3\u{1b}[2J\u{7}and so on and so on and so on and …` is not a number
    hint: `columns = ["name", …]` reads only what it names
    "#);
    insta::assert_snapshot!(csv("x,t,u\n1,2,\0\n"), @"`a.csv`, line 2: a zero byte; this is not a text file");
}

#[test]
fn arrays() {
    let four = doubles(&[1.0, 2.0, 3.0, f64::INFINITY]);
    let array = |shape: &str, columns: &[&str]| {
        message(parse("a.npy", &npy("<f8", false, shape, &four), &["x"], columns))
    };
    insta::assert_snapshot!(array("(2, 2)", &[]), @r#"
    the columns of `a.npy` have no names
    hint: name them in their order: `columns = ["x", "t", "u"]`
    "#);
    insta::assert_snapshot!(array("(2, 2)", &["x", "t", "u"]), @r"
    `a.npy` has 2 columns, but `columns` names 3
    hint: name every column, in the order of the file
    ");
    insta::assert_snapshot!(array("(1, 4)", &["x"]), @r"
    `a.npy` has 4 columns, but `columns` names 1
    hint: its rows are as many: save the transposed array
    ");
    insta::assert_snapshot!(array("(2, 2)", &["t", "u"]), @"`columns` for `a.npy` does not name the coordinate `x`");
    insta::assert_snapshot!(array("(2, 2)", &["x", "u"]), @r"
    `a.npy`, row 1 (from 0), column `u`: `inf` is not a finite number
    hint: leave out points without a value
    ");
    insta::assert_snapshot!(array("(2, 2, 1)", &["x", "u"]), @"`a.npy` holds an array of shape 2 × 2 × 1; a table has rows and columns");
    insta::assert_snapshot!(message(read_fixture("complex.npy", &["x"], &["x", "t", "u"])), @r"
    `complex.npy`: the array is complex
    hint: save its real and imaginary parts as two arrays
    ");
    let text = npy("<U1", false, "(1,)", b"a\0\0\0");
    insta::assert_snapshot!(message(parse("a.npy", &text, &[], &["u"])), @r#"
    `a.npy`: the array is text, not an array of numbers
    hint: save numbers; `columns = ["name", …]` reads only what it names
    "#);
    let grid = npz(&[("x", "(2,)", &[0.0, 1.0]), ("t", "(1,)", &[0.0]), ("u", "(2,)", &[0.0, f64::NAN])]);
    insta::assert_snapshot!(message(parse("a.npz", &grid, &["x", "t"], &[])), @r"
    `a.npz`, x[1], t[0], column `u`: `NaN` is not a finite number
    hint: leave out points without a value
    ");
    insta::assert_snapshot!(message(parse("a.npz", &grid, &["x", "y"], &[])), @r#"
    `a.npz` has no column for the coordinate `y`; it has `x`, `t`, `u`
    hint: `columns = ["y = …", …]` says what it is called in the file, and what else is read
    "#);
}

#[test]
fn sizes() {
    let huge = |shape: &str| message(parse("a.npy", &npy("<f8", false, shape, &[]), &["x"], &["x"]));
    insta::assert_snapshot!(huge("(100000, 100000)"), @r"
    `a.npy` is too large: the array of shape 100000 × 100000 has 10000000000 numbers, and at most 200000000 are read
    hint: keep fewer points
    ");
    insta::assert_snapshot!(huge("(9999999999999, 9999999999999, 9999999999999, 9999999999999)"), @r"
    `a.npy` is too large: the array of shape 9999999999999 × 9999999999999 × 9999999999999 × 9999999999999 has more than 1000000000000000 numbers, and at most 200000000 are read
    hint: keep fewer points
    ");
    // Two coordinates and a field of 2 × 3 make a table of 18 numbers.
    let grid =
        npz(&[("x", "(2,)", &[0.0, 1.0]), ("t", "(3,)", &[0.0, 1.0, 2.0]), ("u", "(2, 3)", &[0.0; 6])]);
    assert!(parse_within(18, "a.npz", &grid, &["x", "t"], &[]).is_ok());
    insta::assert_snapshot!(message(parse_within(17, "a.npz", &grid, &["x", "t"], &[])), @r"
    `a.npz` is too large: the table of its grid has 18 numbers, and at most 17 are read
    hint: keep fewer points
    ");
    insta::assert_snapshot!(message(parse_within(3, "a.csv", b"x,u\n1,2\n3,4\n", &["x"], &[])), @r"
    `a.csv` is too large: the table up to line 3 has 4 numbers, and at most 3 are read
    hint: keep fewer points
    ");
}

#[test]
fn damage() {
    let short = npy("<f8", false, "(4,)", &doubles(&[1.0]));
    insta::assert_snapshot!(message(parse("a.npy", &short, &[], &["u"])), @r"
    `a.npy` ends within the array
    hint: save or copy the file again
    ");
    let long = npy("<f8", false, "(1,)", &doubles(&[1.0, 2.0]));
    insta::assert_snapshot!(message(parse("a.npy", &long, &[], &["u"])), @r"
    `a.npy` is damaged: the array has more bytes than its shape says
    hint: save or copy the file again
    ");
    insta::assert_snapshot!(message(parse("a.npy", b"not an array", &[], &["u"])), @r"
    `a.npy` is damaged: the array does not begin like NPY
    hint: save or copy the file again
    ");
    insta::assert_snapshot!(message(parse("a.npz", b"not an archive", &[], &["u"])), @r"
    `a.npz` is damaged: the archive is not a whole ZIP archive
    hint: save or copy the file again
    ");
    insta::assert_snapshot!(message(parse("a.mat", b"not a matrix", &[], &["u"])), @r"
    `a.mat` ends within the header
    hint: save or copy the file again
    ");
    insta::assert_snapshot!(message(parse("a.mat", &[b'x'; 200], &[], &["u"])), @r"
    `a.mat` is damaged: the header is not that of a MATLAB file of version 5 to 7.2
    hint: save or copy the file again
    ");
    insta::assert_snapshot!(message(parse("a.mat", b"\x89HDF\r\n\x1a\n and more", &[], &["u"])), @r"
    `a.mat` is a MATLAB 7.3 file (HDF5), which is not read
    hint: save it with `save -v7`
    ");
    let mut header = vec![b' '; 512];
    header[..10].copy_from_slice(b"MATLAB 7.3");
    assert!(message(parse("a.mat", &header, &[], &["u"])).contains("`save -v7`"));
    let whole = super::matlab::small_file(false, &[1, 2, 3], &[1, 2, 3]);
    insta::assert_snapshot!(message(parse("a.mat", &whole[..whole.len() - 8], &["x"], &[])), @r"
    `a.mat` ends within an array
    hint: save or copy the file again
    ");
}
