//! NPY and NPZ as NumPy writes them.

use super::{assert_is_the_grid, doubles, npy, parse, read_fixture};

#[test]
fn rows_and_columns() {
    let table = read_fixture("points.npy", &["x", "t"], &["x", "t", "u"]).unwrap();
    assert_is_the_grid(&table);
    assert_eq!(table.row_name(11), "row 11 (from 0)");
}

#[test]
fn column_major_big_endian_singles() {
    assert_is_the_grid(&read_fixture("points_fortran.npy", &["x", "t"], &["x", "t", "u"]).unwrap());
}

#[test]
fn a_vector_is_one_column() {
    let table = read_fixture("vector.npy", &[], &["u"]).unwrap();
    assert_eq!(table.column("u"), Some(&[1.0, -2.0, 3.0][..]));
    assert_eq!(table.grid(), None);
}

#[test]
fn coordinates_come_first() {
    let bytes = npy("<f8", false, "(2, 3)", &doubles(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let table = parse("a.npy", &bytes, &["t", "x"], &["u", "x", "t"]).unwrap();
    assert_eq!(table.names(), ["t", "x", "u"]);
    assert_eq!(table.column("t"), Some(&[3.0, 6.0][..]));
}

#[test]
fn arrays_by_name_in_an_archive() {
    assert_is_the_grid(&read_fixture("grid.npz", &["x", "t"], &[]).unwrap());
    // int32 and float32 coordinates, and the transposed field in column-major order.
    assert_is_the_grid(&read_fixture("grid_compressed.npz", &["x", "t"], &[]).unwrap());
}

#[test]
fn a_mesh_is_a_list_of_points_that_fill_a_grid() {
    let table = read_fixture("mesh.npz", &["x", "t"], &[]).unwrap();
    assert_is_the_grid(&table);
    // The mesh is 3 × 4 with x fastest: the second row of the table, x = −1 and t = ½, is its element [1, 0].
    assert_eq!(table.row_name(1), "element [1, 0] (from 0)");
    let notes = table.notes().join("\n").replace(&super::fixture("").display().to_string(), "");
    insta::assert_snapshot!(notes, @r"
    `title` of `mesh.npz` is text and was left out
    `nu` of `mesh.npz` is a single number and was left out
    ");
}
