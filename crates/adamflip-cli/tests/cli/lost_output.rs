//! Output that cannot be written is an error, and the disk being full is told with a hint that helps.

use std::process::Stdio;

use super::*;

/// Runs the program with a full disk as stdout.
fn into_full(desk: &Desk, arguments: &[&str]) -> Output {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("adamflip"));
    let command = command.current_dir(desk.folder.path()).args(arguments).stdout(full).stderr(Stdio::piped());
    command.spawn().unwrap().wait_with_output().unwrap()
}

#[test]
fn output_that_is_lost_is_an_error() {
    let desk = Desk::new();
    for arguments in [
        &["solve", "bar.toml", "--json", "--out", "run"][..],
        &["solve", "bar.toml"],
        &["resume", "run", "--json"],
        &["check", "bar.toml"],
        &["check", "bar.toml", "--json"],
        &["predict", "run"],
        &["report", "run"],
        &["intervals", "run", "--json"],
        &["list", "--json"],
        &["watch", "run", "--once"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["solve", "--help"],
    ] {
        let output = into_full(&desk, arguments);
        let said = stderr(&output);
        assert_eq!(code(&output), 1, "{arguments:?}: {said}");
        assert_eq!(
            said.matches("output is lost: No space left on device").count(),
            1,
            "{arguments:?}: {said}"
        );
        assert!(said.contains("hint:") && !said.contains("panicked"), "{arguments:?}: {said}");
    }
    // What was lost on the screen is in the folder.
    assert!(desk.path("run/summary.json").exists());
    // Bad input stays bad input.
    assert_eq!(code(&into_full(&desk, &["check", "absent.toml"])), 2);
}

/// A file system of a few kilobytes, where the test may make one.
#[test]
fn a_disk_that_is_full_before_the_run_begins_leads_elsewhere() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("small")).unwrap();
    let on_small = |arguments: &[&str]| {
        let mut command = std::process::Command::new(arguments[0]);
        command.args(&arguments[1..]).arg(desk.path("small")).output().unwrap().status.success()
    };
    if !on_small(&["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs"]) {
        eprintln!("skipped: this user may not mount a file system");
        return;
    }
    std::fs::write(desk.path("small/large"), [0; 4096]).unwrap();
    let output = desk.run(&["solve", "bar.toml", "--out", "small/run"]);
    let (said, left) = (stderr(&output), desk.files("small"));
    on_small(&["umount"]);
    assert_eq!((code(&output), left), (1, vec!["large".to_owned()]), "{said}");
    assert!(said.contains("No space left on device") && said.contains("`small/run/"), "{said}");
    assert!(said.contains("`--out DIR`") && !said.contains("resume"), "{said}");
}

#[test]
fn a_file_with_thousands_of_errors_is_told_in_a_page_or_two() {
    let unknown: String = (0..5_000).map(|number| format!("key_{number} = 1\n")).collect();
    let desk = Desk::with("bar.toml", format!("{unknown}{PROBLEM}").as_bytes());
    let output = desk.run(&["check", "bar.toml"]);
    let said = stderr(&output);
    assert_eq!(code(&output), 2);
    assert!(said.contains("and 4,900 more") && said.contains("5,000 errors in bar.toml"), "{said}");
    assert!(said.len() < 65_000, "{}", said.len());
}
