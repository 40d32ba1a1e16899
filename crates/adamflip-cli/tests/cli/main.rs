//! The program as a user meets it: arguments in, exit codes, streams and files out.
// What fails here fails the test; θ is the library's name for the parameters.
#![allow(clippy::unwrap_used, mixed_script_confusables)]

mod bad_input;
mod bench;
#[cfg(target_os = "linux")]
mod bounded_check;
mod check;
mod compare;
mod export;
mod intervals;
mod list;
#[cfg(target_os = "linux")]
mod lost_output;
mod man;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(unix)]
mod mpi;
mod new;
mod origin;
mod pipes;
mod predict;
#[path = "../../../adamflip/tests/integration/python.rs"]
mod python;
mod report;
mod reproduce;
mod resume;
mod schema;
mod serve;
#[cfg(unix)]
mod shares;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod slurm;
mod solve;
#[cfg(unix)]
mod special_files;
mod status;
mod suite;
mod sweep;
#[path = "../../../adamflip/src/testing.rs"]
mod testing;
mod view;
mod watch;

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use tempfile::TempDir;

/// A problem that trains in a moment.
const PROBLEM: &str = r#"
title  = "A bar under its own weight"
fields = ["u"]

[domain]
x = [0, 1]
t = [0, 1]

[constants]
load = 1.0

[unknowns]
stiffness = { start = 1.0, truth = 1.0 }

[term.pde]
equation = "stiffness*u_xx + u_t = load"
points   = 40

[term.ends]
on       = ["x = 0", "x = 1"]
equation = "u = 0"
points   = 10

[reference]
u    = "load*x*(x - 1)/2"
grid = { x = 11, t = 5 }

[network]
hidden = "2x6"

[train]
stages = [{ method = "adam", steps = 20 }, { method = "adamflip", steps = 30 }]
"#;

/// An empty folder with the problem in it, in which the program runs.
struct Desk {
    folder: TempDir,
}

impl Desk {
    fn new() -> Self {
        Self::with("bar.toml", PROBLEM.as_bytes())
    }

    fn with(name: &str, content: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), content).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("adamflip"));
        command.current_dir(self.folder.path()).args(arguments).output().unwrap()
    }

    /// Starts the program with all streams piped.
    fn start(&self, arguments: &[&str]) -> std::process::Child {
        use std::process::Stdio;
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("adamflip"));
        command.current_dir(self.folder.path()).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The names of the files in a folder, sorted.
    fn files(&self, folder: &str) -> Vec<String> {
        names(&self.path(folder))
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Is a program there that a test needs? Where not, the test says that it is skipped, or fails with
/// `ADAMFLIP_TEST_TOOLS=required`.
fn has_tool(program: &str) -> bool {
    use std::io::Write;
    use std::process::Stdio;
    let mut command = std::process::Command::new(program);
    let status = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let found = status.is_ok_and(|status| status.success());
    let required = std::env::var_os("ADAMFLIP_TEST_TOOLS").is_some_and(|value| value == "required");
    assert!(found || !required, "ADAMFLIP_TEST_TOOLS=required, but there is no `{program}`");
    if !found {
        // Not captured: it is to be seen that something was not tested.
        let _ = writeln!(std::io::stderr(), "skipped: `{program}` is not installed");
    }
    found
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Every line of stdout as JSON.
fn json_lines(output: &Output) -> Vec<serde_json::Value> {
    stdout(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The last line of stdout as JSON.
fn last_json(output: &Output) -> serde_json::Value {
    json_lines(output).pop().unwrap()
}

#[test]
fn help_and_version_are_data() {
    let desk = Desk::new();
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["solve", "--help"],
        &["check", "--help"],
        &["bench", "--help"],
        &["predict", "--help"],
        &["export", "--help"],
        &["reproduce", "--help"],
        &["suite", "--help"],
    ] {
        let output = desk.run(arguments);
        assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{arguments:?}");
    }
    assert!(stdout(&desk.run(&["solve", "--help"])).contains("Examples:"));
}
