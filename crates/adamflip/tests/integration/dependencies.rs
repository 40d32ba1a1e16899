//! What the lock file brings along: licences that `deny.toml` allows, crates from the registry alone, none of
//! those that are known to have no maintainer. `cargo deny check` says more where it is installed; this needs
//! cargo alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates that RustSec lists as unmaintained and that others often bring along.
const UNMAINTAINED: [&str; 9] = [
    "atty",
    "bincode",
    "derivative",
    "fxhash",
    "instant",
    "number_prefix",
    "paste",
    "proc-macro-error",
    "yaml-rust",
];
/// Crates of which two versions are known to be there: each is compiled twice; `shlex` only with MPI.
const TWICE: [&str; 5] = ["cpufeatures", "hashbrown", "miniz_oxide", "shlex", "syn"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// The licences between the brackets of `allow = [ … ]`.
fn allowed() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("deny.toml")).unwrap();
    let list = text.split("allow = [").nth(1).unwrap().split(']').next().unwrap();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// May this be used? SPDX expressions of `OR`, `AND`, `WITH` and brackets, and the older `MIT/Apache-2.0`.
fn permits(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let verdict = any(&mut rest, allowed);
    assert!(rest.is_empty(), "the licence `{expression}` is not understood");
    verdict
}

fn any(words: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut verdict = all(words, allowed);
    while let ["OR", rest @ ..] = *words {
        *words = rest;
        verdict |= all(words, allowed);
    }
    verdict
}

fn all(words: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut verdict = one(words, allowed);
    while let ["AND", rest @ ..] = *words {
        *words = rest;
        verdict &= one(words, allowed);
    }
    verdict
}

fn one(words: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let (name, rest) = match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let verdict = any(words, allowed);
            *words = words.strip_prefix(&[")"]).expect("a bracket that ends");
            return verdict;
        }
        [name, "WITH", exception, rest @ ..] => (format!("{name} WITH {exception}"), rest),
        [name, rest @ ..] => ((*name).to_owned(), rest),
        [] => panic!("a licence without a name"),
    };
    *words = rest;
    allowed.contains(&name)
}

#[test]
fn expressions_of_licences_are_understood() {
    let allowed: BTreeSet<String> =
        ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned).into();
    for fine in
        ["MIT", "GPL-3.0 OR MIT", "MIT/Apache-2.0", "(MIT OR X) AND Zlib", "Apache-2.0 WITH LLVM-exception"]
    {
        assert!(permits(fine, &allowed), "{fine}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "Apache-2.0 WITH X", "(GPL-3.0 OR X) AND MIT"] {
        assert!(!permits(bad, &allowed), "{bad}");
    }
}

#[test]
fn licences_are_allowed() {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    command.current_dir(root()).args(["tree", "--workspace", "--locked", "--prefix", "none", "--no-dedupe"]);
    let output = command.args(["--edges", "normal,build,dev", "--format", "{p} :: {l}"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (text, allowed) = (String::from_utf8_lossy(&output.stdout).into_owned(), allowed());
    let crates: BTreeSet<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert!(crates.len() > 50, "cargo names {} crates", crates.len());
    for line in crates {
        let (name, licence) = line.split_once(" :: ").unwrap();
        assert!(
            permits(licence, &allowed),
            "`{name}` has the licence `{licence}`, which deny.toml does not allow"
        );
    }
}

#[test]
fn crates_come_from_the_registry_once_and_have_maintainers() {
    let text = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let entry = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(&format!("{key} = \"")));
        line.map(|value| value.trim_end_matches('"').to_owned())
    };
    let mut names = Vec::new();
    for block in text.split("[[package]]").skip(1) {
        let name = entry(block, "name").unwrap();
        let source = entry(block, "source");
        let is_own = name.starts_with("adamflip") && source.is_none();
        assert!(
            is_own || source.is_some_and(|source| source.starts_with("registry+")),
            "{name} is not from the registry"
        );
        assert!(!UNMAINTAINED.contains(&name.as_str()), "{name} has no maintainer");
        names.push(name);
    }
    let twice: BTreeSet<&String> =
        names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
    let unknown: Vec<_> = twice.iter().filter(|name| !TWICE.contains(&name.as_str())).collect();
    assert!(unknown.is_empty(), "two versions each of {unknown:?}");
}
