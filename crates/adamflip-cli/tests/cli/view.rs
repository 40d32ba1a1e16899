//! The view on a terminal, which `script` (of util-linux) pretends to be.
#![cfg(target_os = "linux")]

use std::process::Stdio;

use super::*;

/// What a terminal of a size gets from a command; nothing if there is no `script`.
fn on_terminal(desk: &Desk, size: &str, environment: &[(&str, &str)], arguments: &str) -> Option<String> {
    if !has_tool("script") {
        return None;
    }
    let program = assert_cmd::cargo::cargo_bin!("adamflip").display();
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &format!("stty {size}; '{program}' {arguments}"), "/dev/null"]);
    command.current_dir(desk.folder.path()).env("TERM", "xterm").env_remove("NO_COLOR");
    command.envs(environment.iter().copied()).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stdout(&output));
    Some(stdout(&output))
}

/// Half a second of training: some views.
const SHORT: &str = "solve bar.toml --steps 1000000000 --set train.max_seconds=0.6 --threads 1";
/// Erases what is left of a line, and all below the cursor.
const ERASE: &str = "\u{1b}[K";
const BELOW: &str = "\u{1b}[J";

/// The lines of the views, without colours.
fn drawn(text: &str) -> Vec<String> {
    let lines = text.split('\n').filter(|line| line.contains(ERASE));
    let without = |line: &str| {
        // A line of a view: perhaps moves up, its text, and the erasing of what was there.
        let text = line.split(ERASE).next().unwrap_or_default();
        let mut plain = String::new();
        let mut rest = text.trim_start_matches(BELOW).chars();
        while let Some(c) = rest.next() {
            match c {
                '\u{1b}' => drop(rest.by_ref().find(char::is_ascii_alphabetic)),
                '\r' => {}
                _ => plain.push(c),
            }
        }
        plain
    };
    lines.map(without).collect()
}

#[test]
fn the_view_is_written_over_and_taken_away() {
    let desk = Desk::new();
    let Some(text) = on_terminal(&desk, "rows 24 cols 80", &[], SHORT) else { return };
    let lines = drawn(&text);
    // Six lines a view, at most ten views a second, the last one taken away.
    assert!(lines.len() >= 12 && lines.len().is_multiple_of(6) && lines.len() <= 6 * 10, "{text:?}");
    assert!(text.contains("\u{1b}[6A"), "{text:?}");
    assert!(text.contains("\u{1b}[36m"), "curves have a colour: {text:?}");
    assert!(lines[6].contains("A bar under") && lines[6].contains("steps/s"), "{lines:?}");
    assert!(lines[8].starts_with(" pde ") && lines[9].starts_with(" ends "), "{lines:?}");
    assert!(lines[11].contains("stiffness") && lines[11].contains("truth 1"), "{lines:?}");
    let after = text.rsplit(BELOW).next().unwrap();
    assert!(after.contains("term") && after.contains("relative L2 error"), "the table follows: {after:?}");
}

#[test]
fn a_small_terminal_is_never_overrun() {
    let desk = Desk::new();
    let Some(text) = on_terminal(&desk, "rows 5 cols 30", &[], SHORT) else { return };
    let lines = drawn(&text);
    assert!(!lines.is_empty() && lines.len().is_multiple_of(4), "{lines:?}");
    assert!(lines.iter().all(|line| line.chars().count() <= 30), "{lines:?}");
    assert!(lines[3].contains("more lines"), "{lines:?}");
}

#[test]
fn colours_and_movements_can_be_refused() {
    let desk = Desk::new();
    let Some(text) = on_terminal(&desk, "rows 24 cols 80", &[("NO_COLOR", "1")], SHORT) else { return };
    assert!(text.contains("\u{1b}[6A") && !text.contains("\u{1b}[36m"), "{text:?}");
    let Some(text) = on_terminal(&desk, "rows 24 cols 80", &[("TERM", "dumb")], SHORT) else { return };
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn a_watched_run_leaves_its_last_view() {
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml"])), 0);
    let Some(text) = on_terminal(&desk, "rows 24 cols 80", &[], "watch runs/bar-0") else { return };
    let after = text.rsplit(BELOW).next().unwrap();
    assert!(after.contains("50/50 adamflip") && after.contains("max_steps: 50 steps"), "{text:?}");
}
