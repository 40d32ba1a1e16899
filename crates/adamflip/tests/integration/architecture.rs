//! What never depends on what: the `use crate::` lines of every module, held against a table.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Module → the modules of this crate that it may name. `ARCHITECTURE.md` gives the reasons.
#[rustfmt::skip]
const ALLOWED: &[(&str, &[&str])] = &[
    ("aligned",    &[]),
    ("derivative", &[]),
    ("diagnostic", &[]),
    ("quadrature", &[]),
    ("simd",       &[]),
    ("bench",      &["simd"]),
    ("linalg",     &["aligned", "simd"]),
    ("ranks",      &["linalg"]),
    ("data",       &["diagnostic"]),
    ("spec",       &["data", "diagnostic", "jet", "network", "optim", "sample"]),
    ("lang",       &["derivative", "diagnostic"]),
    ("fractional", &["lang", "quadrature"]),
    ("geometry",   &["quadrature"]),
    ("sample",     &["geometry"]),
    ("jet",        &["aligned", "derivative", "simd"]),
    ("factors",    &["aligned", "jet", "simd"]),
    ("network",    &["geometry", "jet", "sample"]),
    ("model",      &["geometry", "jet", "network"]),
    ("optim",      &["diagnostic", "factors", "linalg", "simd"]),
    ("problem",    &["data", "derivative", "diagnostic", "fractional", "geometry", "jet", "lang", "network", "optim", "sample", "spec"]),
    ("objective",  &["factors", "geometry", "jet", "lang", "linalg", "model", "network", "optim", "problem", "ranks", "sample"]),
    ("certificate",&["geometry", "linalg", "model", "objective", "optim", "problem", "sample"]),
    ("train",      &["certificate", "geometry", "jet", "linalg", "model", "objective", "optim", "problem", "ranks", "sample", "spec", "uncertainty"]),
    ("evaluate",   &["geometry", "model", "objective", "problem", "sample"]),
    ("uncertainty",&["certificate", "derivative", "diagnostic", "geometry", "linalg", "model", "objective", "optim", "problem", "sample"]),
    ("inspect",    &["geometry", "lang", "model", "objective", "optim", "problem", "sample", "train"]),
    ("checkpoint", &["export", "geometry", "spec", "train"]),
    ("history",    &["objective", "optim", "problem", "train"]),
    ("report",     &["certificate", "evaluate", "geometry", "history", "lang", "model", "objective", "problem", "sample", "uncertainty"]),
    ("export",     &["evaluate", "geometry", "jet", "lang", "model", "problem", "sample", "spec"]),
    ("error",      &["checkpoint", "data", "diagnostic", "export", "problem", "sample", "spec", "train"]),
    ("builder",    &["data", "error", "export", "problem", "spec"]),
    ("solution",   &["certificate", "checkpoint", "diagnostic", "error", "evaluate", "export", "geometry", "model", "objective", "predict", "problem", "spec", "train", "uncertainty"]),
    ("solve",      &["error", "problem", "solution", "train"]),
    ("predict",    &["certificate", "data", "diagnostic", "export", "geometry", "model", "objective", "problem"]),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let expand = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(expand).filter(|path| path.extension().is_some_and(|e| e == "rs")).collect()
}

/// `spec` for src/spec/mod.rs and src/spec.rs alike.
fn module(path: &Path, root: &Path) -> String {
    let first = path.strip_prefix(root).unwrap().components().next().unwrap();
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// Every `x` in `crate::x` and `crate::{x, y::z}`.
fn named(text: &str) -> BTreeSet<String> {
    let word = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = BTreeSet::new();
    for (at, prefix) in text.match_indices("crate::") {
        let rest = &text[at + prefix.len()..];
        match rest.strip_prefix('{') {
            None => names.extend([word(rest)]),
            Some(list) => {
                let list = &list[..list.find(';').unwrap_or(list.len())];
                let mut depth = 0;
                for part in list.split_inclusive([',', '{', '}']) {
                    if depth == 0 {
                        names.extend([word(part.trim_start())]);
                    }
                    depth += i32::from(part.ends_with('{')) - i32::from(part.ends_with('}'));
                }
            }
        }
    }
    names.remove("");
    names
}

#[test]
fn modules_depend_only_on_what_the_table_allows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in sources(&root) {
        let own = module(&path, &root);
        let inside = path.strip_prefix(&root).unwrap();
        let is_test = inside.components().any(|part| part.as_os_str().to_string_lossy().starts_with("test"));
        if own == "lib" || is_test {
            continue;
        }
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(name, _)| *name == own)
            .unwrap_or_else(|| panic!("{own} is not in the table"));
        // Tests stand at the end of a file and may use everything; comments may speak of everything.
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text
            .split("#[cfg(test)]")
            .next()
            .unwrap()
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for used in named(&code.collect::<Vec<_>>().join("\n")) {
            let fine = used == own || allowed.contains(&used.as_str());
            assert!(fine, "{} names crate::{used}, which `{own}` must not know", path.display());
        }
    }
}

#[test]
fn the_library_does_not_read_clock_environment_or_print() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    // `Problem::solve` keeps a budget of time.
    for path in sources(&root).iter().filter(|path| !path.ends_with("solve.rs")) {
        let text = std::fs::read_to_string(path).unwrap();
        for word in
            ["Instant::now", "SystemTime", "std::env", "env::var", "println!", "process::exit", "thread_rng"]
        {
            assert!(!text.contains(word), "{} contains {word}", path.display());
        }
    }
}
