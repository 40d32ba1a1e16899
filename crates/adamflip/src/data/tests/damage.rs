//! Damaged files: every cut, and flipped bytes anywhere, give an error or a table, never a panic, and memory
//! only for what is there.

use proptest::prelude::*;

use super::{fixture, matlab, npz, parse};

/// Every kind of file, with the extension that it is read by.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let read = |name: &str| std::fs::read(fixture(name)).unwrap();
    vec![
        ("a.csv", read("savetxt.csv")),
        ("a.csv", b"x,t,u\n1,2,3\n4,5,6\n".to_vec()),
        ("a.npy", read("points.npy")),
        ("a.npy", read("points_fortran.npy")),
        ("a.npz", read("grid.npz")),
        ("a.npz", read("grid_compressed.npz")),
        ("a.npz", read("mesh.npz")),
        ("a.npz", npz(&[("x", "(2,)", &[0.0, 1.0]), ("t", "(1,)", &[0.0]), ("u", "(2,)", &[0.0, 1.0])])),
        ("a.mat", read("shock.mat")),
        ("a.mat", read("shock_compressed.mat")),
        ("a.mat", read("mixed.mat")),
        ("a.mat", matlab::small_file(true, &[1, 2, 3], &[4, 5, 6])),
    ]
}

/// Reads in every way; whatever comes back keeps its promises.
fn survive(file: &str, bytes: &[u8]) {
    for columns in [&[][..], &["x", "t", "u"], &["u = usol"]] {
        match parse(file, bytes, &["x", "t"], columns) {
            Ok(table) => {
                assert!(!table.is_empty());
                for name in table.names() {
                    let column = table.column(name).unwrap();
                    assert_eq!(column.len(), table.len());
                    assert!(column.iter().all(|value| value.is_finite()));
                }
                assert!(!table.row_name(table.len() - 1).is_empty());
            }
            Err(error) => {
                assert!(error.to_string().contains("`a."), "{error}");
                let _ = error.hint();
            }
        }
    }
}

#[test]
fn every_cut() {
    for (file, bytes) in files() {
        for length in 0..bytes.len() {
            survive(file, &bytes[..length]);
        }
    }
}

#[test]
fn every_byte_flipped_to_the_extremes() {
    for (file, bytes) in files() {
        for position in 0..bytes.len() {
            for value in [0, 0x7f, 0xff, bytes[position] ^ 1, bytes[position] ^ 0x80] {
                let mut damaged = bytes.clone();
                damaged[position] = value;
                survive(file, &damaged);
            }
        }
    }
}

#[test]
fn a_cut_binary_file_is_never_taken_for_whole() {
    for (file, bytes) in files().into_iter().filter(|(file, _)| !file.ends_with("csv")) {
        // A MATLAB file may end after any array: a cut there is a file with fewer arrays, and lacks `u`.
        for length in 0..bytes.len() {
            let columns: &[&str] = match file {
                "a.npy" => &["x", "t", "u"],
                _ => &[],
            };
            let table = parse(file, &bytes[..length], &["x"], columns);
            let whole = parse(file, &bytes, &["x"], columns);
            if let (Ok(table), Ok(whole)) = (table, whole) {
                assert!(table.names() != whole.names() || table == whole, "{file} cut at {length}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn several_bytes_flipped_and_a_cut(
        which in 0..12usize,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        let (file, mut bytes) = files().swap_remove(which);
        for (position, value) in flips {
            let position = position.index(bytes.len());
            bytes[position] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        survive(file, &bytes);
    }

    #[test]
    fn noise(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        for file in ["a.csv", "a.npy", "a.npz", "a.mat"] {
            survive(file, &bytes);
        }
    }

    #[test]
    fn text_of_numbers_and_separators(text in "[0-9xtu.,;#% \te\n-]{0,200}") {
        survive("a.csv", text.as_bytes());
    }
}
