//! Lines of prose and of comments have at most 110 columns, so that two files fit side by side.

use std::fs;
use std::path::{Path, PathBuf};

const COLUMNS: usize = 110;

/// What a clone does not have, and what a program writes.
const LEFT_OUT: [&str; 6] = ["target", ".git", "runs", "tables.md", "proptest-regressions", "node_modules"];
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if LEFT_OUT.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
    found
}

/// The lines that are too long, each with its place.
fn too_long(path: &Path, counts: impl Fn(&str) -> bool) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let long = |(_, line): &(usize, &str)| line.chars().count() > COLUMNS && counts(line.trim_start());
    let place = |(i, line): (usize, &str)| format!("{}:{}: {line}", path.display(), i + 1);
    text.lines().enumerate().filter(long).map(place).collect()
}

#[test]
fn pages_and_comments_have_at_most_110_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    // A row of a table cannot be broken.
    let pages = files(root, ".md");
    let mut long: Vec<String> =
        pages.iter().flat_map(|path| too_long(path, |line| !line.starts_with('|'))).collect();
    let sources = files(&root.join("crates"), ".rs");
    assert!(pages.len() > 20 && sources.len() > 100, "the files are not where they were");
    long.extend(sources.iter().flat_map(|path| too_long(path, |line| line.starts_with("//"))));
    assert!(long.is_empty(), "{} lines are too long:\n{}", long.len(), long.join("\n"));
}
