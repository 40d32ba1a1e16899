//! `watch`: runs that go on, have ended, or were killed.

use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

use super::*;

#[rustfmt::skip]
const LONG: [&str; 9] = [
    "solve", "bar.toml", "--json", "--steps", "1000000000", "--checkpoint-every", "0.5", "--set", "train.observe=100",
];

/// Starts a long run and waits until it trains.
fn running(desk: &Desk) -> (std::process::Child, impl Iterator<Item = String>) {
    let mut child = desk.start(&LONG);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.by_ref().nth(1).unwrap().contains("progress"));
    (child, lines)
}

#[test]
fn a_finished_run_is_shown_with_its_end() {
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml"])), 0);
    let before = desk.files("runs/bar-0");
    let output = desk.run(&["watch", "runs/bar-0", "--once"]);
    let text = stdout(&output);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("A bar under its own weight") && lines[0].contains("50/50 adamflip"),
        "{text}"
    );
    assert!(lines[0].contains("100%"), "{text}");
    for (line, words) in [(2, ["pde", "objective"]), (3, ["ends", "constraint"]), (4, ["u", "rel. error"])] {
        assert!(words.iter().all(|word| lines[line].contains(word)), "{text}");
        assert!(lines[line].contains('█') || lines[line].contains('▅'), "{text}");
    }
    assert!(lines[5].contains("stiffness") && lines[5].contains("truth 1"), "{text}");
    assert!(lines[6].starts_with("max_steps: 50 steps in "), "{text}");
    assert!(lines[6].contains("relative L2 error u "), "{text}");
    assert_eq!(desk.files("runs/bar-0"), before, "nothing is written");
    // Without --once it is over as soon.
    let output = desk.run(&["watch", "runs/bar-0"]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).starts_with("50/50 adamflip") && stdout(&output).contains("\nmax_steps: "));
    // Extended, it is as long as it became.
    assert_eq!(code(&desk.run(&["resume", "runs/bar-0", "--more", "25"])), 0);
    let text = stdout(&desk.run(&["watch", "runs/bar-0", "--once"]));
    assert!(text.contains("75/75 adamflip") && text.contains("max_steps: 75 steps"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_running_run_is_followed_to_its_end() {
    let desk = Desk::new();
    let (mut run, rest) = running(&desk);
    let once = desk.run(&["watch", "runs/bar-0", "--once"]);
    assert_eq!(code(&once), 0);
    assert!(stdout(&once).contains("/1000000000 ") && !stdout(&once).contains("killed"), "{}", stdout(&once));
    let mut watch = desk.start(&["watch", "runs/bar-0"]);
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines().map_while(Result::ok);
    let first = lines.next().unwrap();
    assert!(first.contains("steps/s") && first.contains("max_violation"), "{first}");
    let sent = std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert!(sent.success());
    rest.for_each(drop);
    assert_eq!(run.wait().unwrap().code(), Some(130));
    let said: Vec<String> = lines.collect();
    assert!(said.iter().any(|line| line.starts_with("interrupted: ")), "{said:?}");
    assert_eq!(watch.wait().unwrap().code(), Some(0));
    let mut talk = String::new();
    watch.stderr.take().unwrap().read_to_string(&mut talk).unwrap();
    assert!(talk.contains("`adamflip resume runs/bar-0` goes on"), "{talk}");
}

#[test]
fn a_killed_run_says_how_to_resume() {
    let desk = Desk::new();
    let (mut run, _) = running(&desk);
    let mut watch = desk.start(&["watch", "runs/bar-0"]);
    std::thread::sleep(Duration::from_millis(300));
    run.kill().unwrap();
    run.wait().unwrap();
    let mut text = String::new();
    watch.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(watch.wait().unwrap().code(), Some(1));
    assert!(text.lines().last().unwrap().starts_with("killed: the run stopped after step "), "{text}");
    let output = desk.run(&["watch", "runs/bar-0", "--once"]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("`adamflip resume runs/bar-0` goes on from its last checkpoint"));
}

#[test]
fn a_run_killed_after_its_first_end_is_not_taken_for_ended() {
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml", "--set", "train.observe=10"])), 0);
    let mut more = desk.start(&["resume", "runs/bar-0", "--more", "1000000000", "--json"]);
    let mut lines = BufReader::new(more.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.by_ref().nth(1).unwrap().contains("progress"));
    let output = desk.run(&["watch", "runs/bar-0", "--once"]);
    let text = stdout(&output);
    assert!(code(&output) == 0 && text.contains("/1000000050 ") && !text.contains("max_steps"), "{text}");
    more.kill().unwrap();
    more.wait().unwrap();
    let output = desk.run(&["watch", "runs/bar-0", "--once"]);
    assert!(code(&output) == 1 && stdout(&output).contains("killed: "), "{}", stdout(&output));
}

#[test]
fn what_is_no_run_is_refused() {
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml"])), 0);
    let history = desk.path("runs/bar-0/history.csv");
    for (run, expected) in [
        ("runs/absent", &["there is no folder `runs/absent`", "`runs/bar-0`"][..]),
        ("runs", &["`runs` is not the folder of a run", "run.json"]),
        ("bar.toml", &["`bar.toml` is a file"]),
    ] {
        let output = desk.run(&["watch", run]);
        assert_eq!((code(&output), stdout(&output)), (2, String::new()));
        assert!(expected.iter().all(|text| stderr(&output).contains(text)), "{}", stderr(&output));
    }
    std::fs::write(&history, "step,stage,method,seconds\n1,0,adam,soon\n").unwrap();
    let output = desk.run(&["watch", "runs/bar-0"]);
    assert_eq!(code(&output), 2);
    let said = stderr(&output);
    assert!(
        said.contains("history.csv`: line 2: `soon` is not a number") && said.contains("hint:"),
        "{said}"
    );
    // A run that has only started.
    std::fs::remove_file(&history).unwrap();
    std::fs::remove_file(desk.path("runs/bar-0/summary.json")).unwrap();
    std::fs::remove_file(desk.path("runs/bar-0/lock")).unwrap();
    let output = desk.run(&["watch", "runs/bar-0", "--once"]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("0/50"), "{}", stdout(&output));
}

#[test]
fn a_reader_that_goes_away_ends_it() {
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml"])), 0);
    for arguments in [&["watch", "runs/bar-0"][..], &["watch", "runs/bar-0", "--once"]] {
        let mut child = desk.start(arguments);
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
    }
}
