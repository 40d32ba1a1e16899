//! What people read stays true: lengths of lines, the paths of `ARCHITECTURE.md`, the diff of
//! `CONTRIBUTING.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The most characters of a line of prose.
const WIDTH: usize = 110;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The files below a folder whose names end so.
fn below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let expand = |path: PathBuf| if path.is_dir() { below(&path, ending) } else { vec![path] };
    entries.flat_map(expand).filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

/// Is it a line that no break makes shorter: of a table, or with an address?
fn cannot_be_wrapped(line: &str) -> bool {
    line.trim_start().starts_with('|') || line.contains("https:") || line.contains("http:")
}

#[test]
fn lines_of_prose_have_at_most_110_columns() {
    let is_long = |line: &str| line.chars().count() > WIDTH && !cannot_be_wrapped(line);
    let mut long = Vec::new();
    for path in ["crates", "fuzz/src", "fuzz/fuzz_targets"].iter().flat_map(|f| below(&root().join(f), ".rs"))
    {
        let text = fs::read_to_string(&path).unwrap();
        let comments = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("//"));
        long.extend(
            comments.filter(|(_, line)| is_long(line)).map(|(i, _)| format!("{}:{}", path.display(), i + 1)),
        );
    }
    let mut documents = below(&root().join("docs"), ".md");
    documents.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    for path in documents {
        let mut is_code = false;
        for (i, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            is_code ^= line.trim_start().starts_with("```");
            if !is_code && is_long(line) {
                long.push(format!("{}:{}", path.display(), i + 1));
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

/// `a/{b,c}.rs` is `a/b.rs` and `a/c.rs`.
fn expanded(path: &str) -> Vec<String> {
    let braces = path.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?)));
    match braces {
        Some((head, (names, tail))) => names.split(',').map(|name| format!("{head}{name}{tail}")).collect(),
        None => vec![path.to_owned()],
    }
}

/// Every path and module that the text names in backquotes. A path stands below the root or `crates`, or, as
/// those after the first of a line do, in a folder around the one before it.
fn missing(line: &str) -> Vec<String> {
    let mut places = vec![root(), root().join("crates")];
    let mut missing = Vec::new();
    let is_path = |word: &&str| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-./{},".contains(c);
        word.chars().all(plain) && word.chars().any(|c| c.is_ascii_lowercase())
    };
    for path in line.split('`').skip(1).step_by(2).filter(is_path).flat_map(expanded) {
        let named = |place: &PathBuf| [place.join(&path), place.join(format!("{path}.rs"))];
        let Some(found) = places.iter().rev().flat_map(named).find(|path| path.exists()) else {
            missing.push(path);
            continue;
        };
        let folder = if found.is_dir() { found.clone() } else { found.parent().unwrap().to_path_buf() };
        let mut around: Vec<PathBuf> =
            folder.ancestors().take_while(|folder| *folder != root()).map(Path::to_path_buf).collect();
        around.reverse();
        places.truncate(2);
        places.extend(around);
    }
    missing
}

#[test]
fn the_architecture_is_short_and_names_what_is_there() {
    let text = read("ARCHITECTURE.md");
    assert!(text.lines().count() <= 150, "{} lines", text.lines().count());
    assert_eq!(text.matches("```").count(), 2, "one picture");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| where ")).collect();
    for row in text.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        assert_eq!(missing(row), Vec::<String>::new(), "{row}");
    }
    let answers = |question: &str, path: &str| {
        let row = rows.iter().find(|row| row.contains(question));
        row.unwrap_or_else(|| panic!("no row says {question}")).contains(path)
    };
    assert!(answers("key of the problem file read", "adamflip/src/spec/"));
    assert!(answers("trust region", "adamflip/src/optim/newton/region.rs"));
    assert!(answers("figure's axes", "adamflip/src/report/figure/axes.rs"));
    assert!(answers("run locked", "adamflip-run/src/lock.rs"));
    // Every module of the library has a place in it.
    let modules = fs::read_dir(root().join("crates/adamflip/src")).unwrap();
    let names =
        modules.map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned());
    let own: BTreeSet<String> = ["lib", "testing", "tests"].map(str::to_owned).into();
    let untold: Vec<String> = names.filter(|name| !own.contains(name) && !text.contains(name)).collect();
    assert!(untold.is_empty(), "{untold:?}");
}

#[test]
fn the_diff_of_contributing_is_the_code() {
    let text = read("CONTRIBUTING.md");
    let (mut file, mut lines) = (None, 0);
    for line in text.split("```diff").nth(1).unwrap().split("```").next().unwrap().lines() {
        if let Some(path) = line.strip_prefix("+++ ") {
            file = Some((path, read(path)));
        } else if let Some(added) = line.strip_prefix('+').map(str::trim).filter(|added| !added.is_empty()) {
            let (path, content) = file.as_ref().unwrap();
            assert!(content.lines().any(|line| line.trim() == added), "{path} has no line {added:?}");
            lines += 1;
        }
    }
    assert!(lines > 20, "{lines}");
}
