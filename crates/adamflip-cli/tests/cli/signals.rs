//! Signals by which systems, queues and terminals end a process: the run is saved as after Ctrl-C.

use std::io::BufRead;
use std::process::Child;

use super::*;

/// The name of a signal and the exit code after it.
const SIGNALS: [(&str, i32); 4] = [("INT", 130), ("TERM", 143), ("HUP", 129), ("USR1", 138)];

pub(crate) fn send(signal: &str, child: &Child) {
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success());
}

/// Does this process ignore hangups, as under `nohup`? Then its children do too, as they should.
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// Waits until the run trains.
fn training(child: &mut Child) {
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.by_ref().take(2).count(), 2, "training runs from the second event on");
    // The rest is read by nobody, but somebody must hold the pipe.
    std::thread::spawn(move || lines.count());
}

#[test]
fn every_signal_saves_state_history_and_summary() {
    let desk = Desk::new();
    for (signal, expected) in SIGNALS {
        if signal == "HUP" && hangups_are_ignored() {
            continue;
        }
        let mut child =
            desk.start(&["solve", "bar.toml", "--json", "--steps", "1000000000", "--out", signal]);
        training(&mut child);
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(expected), "{signal}");
        let run = desk.path(signal);
        let summary = std::fs::read_to_string(run.join("summary.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        let saved = adamflip::checkpoint::Checkpoint::read(&run.join("checkpoint.safetensors")).unwrap();
        let history = std::fs::read_to_string(run.join("history.csv")).unwrap();
        let step = history.lines().last().unwrap().split(',').next().unwrap();
        assert_eq!(summary["status"], "interrupted", "{signal}");
        assert_eq!(summary["steps"], saved.metadata.place.step, "{signal}");
        assert_eq!(step, saved.metadata.place.step.to_string(), "{signal}");
    }
}

/// A terminal that closes and its shell may both send one.
#[test]
fn a_second_hangup_does_not_cut_the_saving_short() {
    if hangups_are_ignored() {
        return;
    }
    let desk = Desk::new();
    let mut child = desk.start(&["solve", "bar.toml", "--json", "--steps", "1000000000", "--out", "run"]);
    training(&mut child);
    (0..5).for_each(|_| send("HUP", &child));
    assert_eq!(child.wait().unwrap().code(), Some(129));
    assert!(desk.path("run/summary.json").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_under_nohup_goes_on() {
    let desk = Desk::new();
    let program = assert_cmd::cargo::cargo_bin!("adamflip");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" solve bar.toml --json --steps 1000000000 --out run"]);
    command.arg(program).current_dir(desk.folder.path());
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    training(&mut child);
    send("HUP", &child);
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None, "it was to ignore the signal");
    send("TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

#[test]
fn a_batch_passes_the_signal_on_and_goes_on_later() {
    let desk = Desk::new();
    let compare = ["compare", "bar.toml", "--methods", "adam", "--seeds", "0", "--out", "all", "--steps"];
    let mut child = desk.start(&[&compare[..], &["60000", "--json"]].concat());
    training(&mut child);
    send("TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    let output = desk.run(&[&compare[..], &["60000"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}
