//! `man` and `completions`.

use super::*;

/// All commands, as the help names them.
fn commands(desk: &Desk) -> Vec<String> {
    let help = stdout(&desk.run(&["--help"]));
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next().map(str::to_owned));
    names.filter(|name| name != "help").collect()
}

#[test]
fn there_is_a_page_for_every_command() {
    let desk = Desk::new();
    let output = desk.run(&["man"]);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    assert!(stdout(&output).contains(".TH adamflip 1") && stdout(&output).contains("adamflip\\-solve(1)"));
    assert_eq!(code(&desk.run(&["man", "--out", "man/man1"])), 0);
    let mut expected: Vec<String> =
        commands(&desk).iter().map(|command| format!("adamflip-{command}.1")).collect();
    assert!(expected.len() >= 10);
    expected.push("adamflip.1".into());
    expected.sort();
    assert_eq!(desk.files("man/man1"), expected);
    let page = std::fs::read_to_string(desk.path("man/man1/adamflip-compare.1")).unwrap();
    assert!(page.contains("\\-\\-methods") && page.contains("Examples:"), "{page}");
    bad_input::refused("file", &desk, &["man", "--out", "bar.toml"], &["`bar.toml`", "hint:"]);
}

#[test]
fn every_command_has_examples() {
    let desk = Desk::new();
    for command in commands(&desk) {
        let help = stdout(&desk.run(&[&command, "--help"]));
        assert!(help.contains(&format!("Examples:\n  adamflip {command}")), "{help}");
    }
}

#[test]
fn shells_complete_commands_and_options() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = desk.run(&["completions", shell]);
        assert_eq!((code(&output), stderr(&output)), (0, String::new()));
        let script = stdout(&output);
        assert!(["compare", "sweep", "methods"].iter().all(|word| script.contains(word)), "{shell}");
    }
    bad_input::refused("shell", &desk, &["completions", "tcsh"], &["possible values", "bash"]);
}
