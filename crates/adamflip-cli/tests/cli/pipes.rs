//! Readers that go away.

use std::io::{BufRead, Read};

use super::*;

#[test]
fn a_closed_stdout_is_no_accident() {
    for arguments in [
        &["solve", "bar.toml", "--json"][..],
        &["solve", "bar.toml"],
        &["check", "bar.toml"],
        &["check", "bar.toml", "--json"],
        &["bench", "--json", "--problems", "burgers", "--seconds", "0.01", "--repeat", "1"],
    ] {
        let desk = Desk::new();
        let mut child = desk.start(arguments);
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    }
}

#[test]
fn a_closed_stderr_does_not_matter() {
    let desk = Desk::new();
    let mut child = desk.start(&["solve", "bar.toml"]);
    drop(child.stderr.take());
    let mut table = String::new();
    child.stdout.take().unwrap().read_to_string(&mut table).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(table.contains("relative L2 error"), "{table}");
    let mut child = desk.start(&["check", "absent.toml"]);
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn a_run_goes_on_without_its_reader() {
    let desk = Desk::new();
    let arguments = ["solve", "bar.toml", "--json", "--steps", "100000000", "--set", "train.max_seconds=1.2"];
    let mut child = desk.start(&arguments);
    // One line is read, as by `head -n 1`; the events after it have no reader.
    let first = std::io::BufReader::new(child.stdout.take().unwrap()).lines().next();
    assert!(first.unwrap().unwrap().contains("start"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(desk.path("runs/bar-0/summary.json").exists());
}
