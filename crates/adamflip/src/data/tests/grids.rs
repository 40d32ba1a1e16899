//! How arrays become rows.

use super::{message, npz, parse};

const SIX: [f64; 6] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];

#[test]
fn a_grid_of_three_coordinates_in_any_order_of_axes() {
    let field: Vec<f64> = (0..24).map(f64::from).collect();
    let bytes = npz(&[
        ("x", "(2,)", &[0.0, 1.0]),
        ("y", "(3,)", &SIX[..3]),
        ("t", "(1, 4)", &SIX[..4]),
        // Axes t, x, y: element [k, i, j] is 6k + 3i + j.
        ("u", "(4, 2, 3)", &field),
    ]);
    let table = parse("a.npz", &bytes, &["x", "y", "t"], &[]).unwrap();
    let [x, y, t, u] = ["x", "y", "t", "u"].map(|name| table.column(name).unwrap());
    assert_eq!(table.len(), 24);
    assert!((0..24).all(|row| u[row] == 6.0 * t[row] + 3.0 * x[row] + y[row]));
    assert_eq!(&t[..5], [0.0, 1.0, 2.0, 3.0, 0.0]);
    assert!(table.notes().is_empty());
    assert_eq!(table.row_name(23), "x[1], y[2], t[3]");
}

#[test]
fn a_square_grid_is_taken_in_the_order_of_the_coordinates() {
    let bytes = npz(&[("x", "(2,)", &[0.0, 1.0]), ("t", "(2,)", &[5.0, 6.0]), ("u", "(2, 2)", &SIX[..4])]);
    let table = parse("a.npz", &bytes, &["x", "t"], &[]).unwrap();
    assert_eq!(table.column("x"), Some(&[0.0, 0.0, 1.0, 1.0][..]));
    assert_eq!(table.column("u"), Some(&[0.0, 1.0, 2.0, 3.0][..]));
    assert_eq!(table.notes(), ["`u` of `a.npz` has shape 2 × 2; its axes are taken in the order x, t"]);
}

#[test]
fn vectors_of_one_length_are_a_list() {
    let bytes =
        npz(&[("x", "(1, 2)", &[3.0, 1.0]), ("t", "(2, 1)", &[3.0, 1.0]), ("u", "(2,)", &[7.0, 8.0])]);
    let table = parse("a.npz", &bytes, &["x", "t"], &[]).unwrap();
    assert_eq!(table.column("u"), Some(&[7.0, 8.0][..]));
    assert_eq!((table.grid(), table.row_name(1)), (None, "row 1 (from 0)".to_owned()));
}

#[test]
fn one_time_is_a_grid_too() {
    let bytes = npz(&[("x", "(3,)", &SIX[..3]), ("t", "()", &[5.0]), ("u", "(3, 1)", &SIX[1..4])]);
    let table = parse("a.npz", &bytes, &["x", "t"], &[]).unwrap();
    assert_eq!(table.column("t"), Some(&[5.0; 3][..]));
    assert_eq!(table.column("u"), Some(&SIX[1..4]));
    assert_eq!(table.grid().map(<[_]>::len), Some(2));
}

#[test]
fn descending_vectors_stay_as_they_are() {
    let bytes = npz(&[("x", "(3,)", &[2.0, 1.0, 0.0]), ("t", "(2,)", &[0.0, 1.0]), ("u", "(3, 2)", &SIX)]);
    let table = parse("a.npz", &bytes, &["x", "t"], &[]).unwrap();
    assert_eq!(table.grid().unwrap()[0], [2.0, 1.0, 0.0]);
    assert_eq!(table.column("u"), Some(&SIX[..]));
}

#[test]
fn without_coordinates_all_arrays_are_one_list() {
    let bytes = npz(&[("u", "(3,)", &SIX[..3]), ("v", "(3,)", &SIX[3..])]);
    assert_eq!(parse("a.npz", &bytes, &[], &[]).unwrap().names(), ["u", "v"]);
    let bytes = npz(&[("u", "(3,)", &SIX[..3]), ("v", "(2,)", &SIX[4..])]);
    insta::assert_snapshot!(message(parse("a.npz", &bytes, &[], &[])), @r#"
    `a.npz`: array `v` has shape 2, which fits neither a list of points nor a grid: `u` has 3
    hint: `columns = ["name", …]` reads only what it names; a grid needs one axis for each coordinate
    "#);
    assert_eq!(message(parse("a.npz", &npz(&[]), &[], &[])), "`a.npz` has no points");
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let x: (&str, &str, &[f64]) = ("x", "(3,)", &SIX[..3]);
    let t: (&str, &str, &[f64]) = ("t", "(2,)", &SIX[..2]);
    let refused = |arrays: &[(&str, &str, &[f64])]| message(parse("a.npz", &npz(arrays), &["x", "t"], &[]));
    insta::assert_snapshot!(refused(&[x, t, ("u", "(3, 2)", &SIX), ("w", "(3,)", &SIX[..3])]), @r#"
    `a.npz`: array `w` has shape 3, which fits neither a list of points nor a grid: `x` has 3, `t` has 2
    hint: `columns = ["name", …]` reads only what it names; a grid needs one axis for each coordinate
    "#);
    insta::assert_snapshot!(refused(&[x, t]), @r#"
    `a.npz`: array `t` has shape 2, which fits neither a list of points nor a grid: `x` has 3, `t` has 2
    hint: `columns = ["name", …]` reads only what it names; a grid needs one axis for each coordinate
    "#);
    insta::assert_snapshot!(refused(&[("x", "(2, 3)", &SIX), ("t", "(2, 3)", &SIX), ("u", "(3, 2)", &SIX)]), @r#"
    `a.npz`: array `u` has shape 3 × 2, which fits neither a list of points nor a grid: `x` has 2 × 3, `t` has 2 × 3
    hint: `columns = ["name", …]` reads only what it names; a grid needs one axis for each coordinate
    "#);
    insta::assert_snapshot!(refused(&[("x", "(2, 3)", &SIX), t, ("u", "(2, 3)", &SIX)]), @r#"
    `a.npz`: array `t` has shape 2, which fits neither a list of points nor a grid: `x` has 2 × 3, `t` has 2
    hint: `columns = ["name", …]` reads only what it names; a grid needs one axis for each coordinate
    "#);
    let empty: &[f64] = &[];
    assert_eq!(refused(&[("x", "(0,)", empty), t, ("u", "(0, 2)", empty)]), "`a.npz` has no points");
}

#[test]
fn equal_lengths_in_another_order_are_ambiguous() {
    let (two, three) = ([0.0, 1.0], [0.0, 1.0, 2.0]);
    let field = [0.0; 12];
    let bytes =
        npz(&[("x", "(2,)", &two), ("y", "(2,)", &two), ("t", "(3,)", &three), ("u", "(3, 2, 2)", &field)]);
    insta::assert_snapshot!(message(parse("a.npz", &bytes, &["x", "y", "t"], &[])), @r"
    `a.npz`: which axis of array `u` is which coordinate? Its shape is 3 × 2 × 2: `x` has 2, `y` has 2, `t` has 3
    hint: save `u` with its axes in the order `x`, `y`, `t` (numpy.transpose, permute)
    ");
}
