//! What is fed with hostile bytes: problem files, data files, checkpoints, histories and run folders. Each
//! function must return, whatever the bytes are.
//!
//! `cargo fuzz run problem_file` (and `data_file`, `checkpoint`, `history`, `run_folder`) searches with
//! coverage; it needs a nightly toolchain. `cargo run --no-default-features --bin mutate` does without: it
//! changes known files at random, by a seed.

mod folder;

use std::io::Write;
use std::path::Path;

use adamflip::checkpoint::Checkpoint;
use adamflip::history::History;
use adamflip::spec::{self, Overrides};
use adamflip::{data, diagnostic, problem};
use tempfile::NamedTempFile;

pub use folder::{files as run_files, run_folder};

/// Reads a problem file, builds the problem where that is possible, and renders what is wrong with it.
pub fn problem_file(bytes: &[u8]) {
    let parsed = spec::parse("fuzz.toml", &String::from_utf8_lossy(bytes), &Overrides::default());
    let resolved = parsed.resolved(0);
    let (sources, diagnostics) = match problem::build(parsed) {
        // What was understood can be written and read again.
        Ok(_) => return drop(spec::parse("again.toml", &resolved.text(), &Overrides::default())),
        Err(rejected) => (rejected.sources, rejected.diagnostics),
    };
    assert!(!diagnostics.is_empty(), "refused without a reason");
    assert!(diagnostic::render(&sources, &diagnostics, false).len() < 70_000);
}

/// Reads the bytes as a table; the first byte chooses the format.
pub fn data_file(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let ending = [".csv", ".npy", ".npz", ".mat"][usize::from(first % 4)];
    with_file(ending, rest, |path| {
        for names in [&["x"][..], &["x", "t"]] {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            // Whatever it says, it says it in words.
            let _ = data::read(path, &names, None).map_err(|error| (error.to_string(), error.hint()));
        }
    });
}

/// Reads the bytes as a checkpoint.
pub fn checkpoint(bytes: &[u8]) {
    with_file(".safetensors", bytes, |path| drop(Checkpoint::read(path)));
}

/// Reads the bytes as a history.
pub fn history(bytes: &[u8]) {
    let _ = History::parse_prefix(&String::from_utf8_lossy(bytes));
}

fn with_file(ending: &str, bytes: &[u8], read: impl FnOnce(&Path)) {
    let mut file = NamedTempFile::with_suffix(ending).expect("a temporary file");
    file.write_all(bytes).expect("room for it");
    read(file.path());
}
