//! Shares of a batch: processes that solve one folder together, are killed, and go on.

use std::io::Write;
use std::time::Duration;

use super::slurm::Slurm;
use super::*;

/// Twelve runs that take a moment each.
const SWEEP: [&str; 9] = [
    "sweep",
    "bar.toml",
    "--over",
    "constants.load=1,2,3,4,5,6",
    "--seeds",
    "0,1",
    "--jobs",
    "1",
    "--steps=60",
];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SWEEP[..], more].concat()
}

/// A table of comma-separated values without the columns that tell of time.
fn timeless(desk: &Desk, name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(desk.path(name)).unwrap();
    let rows: Vec<Vec<String>> =
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    let is_time = |at: usize| rows[0][at].starts_with("seconds") || rows[0][at].starts_with("steps/s");
    let kept =
        |row: &Vec<String>| (0..row.len()).filter(|at| !is_time(*at)).map(|at| row[at].clone()).collect();
    rows.iter().map(kept).collect()
}

/// All runs once, and the tables of one process.
fn is_whole(desk: &Desk, out: &str) {
    let alone = desk.run(&with(&["--out", "alone"]));
    assert_eq!(code(&alone), 0, "{}", stderr(&alone));
    let collected = desk.run(&with(&["--out", out, "--collect"]));
    assert_eq!(code(&collected), 0, "{}", stderr(&collected));
    for name in ["results.csv", "table.csv"] {
        assert_eq!(timeless(desk, &format!("{out}/{name}")), timeless(desk, &format!("alone/{name}")));
    }
    for run in desk.files(&format!("{out}/runs")) {
        let text = std::fs::read_to_string(desk.path(&format!("{out}/runs/{run}/history.csv"))).unwrap();
        let steps: Vec<u64> = text.lines().filter_map(|line| line.split(',').next()?.parse().ok()).collect();
        assert!(steps.is_sorted_by(|a, b| a < b), "a step of {run} was taken twice: {steps:?}");
    }
}

#[test]
fn shares_that_are_killed_and_started_again_solve_every_run_once() {
    let desk = Desk::new();
    let share = |k: usize| {
        let shard = format!("--shard={k}/4");
        desk.start(&with(&["--out", "shared", &shard]))
    };
    let mut children: Vec<_> = (1..=4).map(share).collect();
    std::thread::sleep(Duration::from_millis(700));
    for (at, child) in children.iter_mut().enumerate().filter(|(at, _)| at % 2 == 0) {
        child.kill().unwrap();
        child.wait().unwrap();
        // At once, while a child of the one that was killed may still be at work.
        *child = share(at + 1);
    }
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    assert_eq!(desk.files("shared/runs").len(), 12);
    is_whole(&desk, "shared");
}

#[test]
fn what_there_is_can_be_collected_at_any_time() {
    let desk = Desk::new();
    let output = desk.run(&with(&["--out", "b", "--collect"]));
    assert!(
        code(&output) == 2 && stderr(&output).contains("has no runs of this request"),
        "{}",
        stderr(&output)
    );
    let output = desk.run(&with(&["--out", "b", "--shard", "2/3"]));
    assert!(code(&output) == 0 && stderr(&output).contains("--collect"), "{}", stderr(&output));
    assert_eq!((desk.files("b/runs").len(), desk.path("b/table.csv").exists()), (4, false));
    let output = desk.run(&with(&["--out", "b", "--collect"]));
    assert!(code(&output) == 0 && stdout(&output).contains("8 of 12 runs have not ended yet"));
    let open = timeless(&desk, "b/results.csv").iter().filter(|row| row.contains(&"open".to_owned())).count();
    assert_eq!(open, 8);
    // Whoever solves the whole goes on with the rest.
    assert_eq!(code(&desk.run(&with(&["--out", "b"]))), 0);
    is_whole(&desk, "b");
    let methods = ["compare", "bar.toml", "--methods", "adam,adamflip", "--steps", "5", "--out", "c"];
    assert_eq!(code(&desk.run(&[&methods[..], &["--shard", "1/2"]].concat())), 0);
    let output = desk.run(&[&methods[..], &["--collect"]].concat());
    assert!(code(&output) == 0 && desk.path("c/errors.svg").exists(), "{}", stderr(&output));
}

#[test]
fn shares_do_not_collide() {
    let desk = Desk::new();
    // Far more steps than anybody waits for: it works as long as it is not ended.
    let endless = |more: &[&'static str]| [&SWEEP[..8], &["--steps=100000000", "--out", "b"], more].concat();
    let mut first = desk.start(&endless(&["--shard", "1/2"]));
    while !desk.path("b/runs").is_dir() || desk.files("b/runs").is_empty() {
        assert_eq!(first.try_wait().unwrap(), None, "it ended by itself");
        std::thread::sleep(Duration::from_millis(20));
    }
    for (options, expected) in [
        (&["--shard", "1/2"][..], "works in `b/shares/1-of-2`"),
        (&["--shard", "1/3"], "solves one of 2 shares in `b`"),
        (&[], "works in `b`"),
    ] {
        let output = desk.run(&endless(options));
        let text = stderr(&output);
        assert!(code(&output) == 2 && text.contains(expected) && text.contains("hint: "), "{text}");
    }
    let _ = first.kill();
    let _ = first.wait();
}

#[test]
fn errors_in_shares_are_explained() {
    let desk = Desk::new();
    for (shard, expected) in [("0/4", "counted from 1"), ("5/4", "only 4 shares"), ("x", "write K/N")] {
        let output = desk.run(&with(&["--shard", shard]));
        assert!(code(&output) == 2 && stderr(&output).contains(expected), "{}", stderr(&output));
    }
    for (words, expected) in [
        (&["slurm", "solve", "bar.toml"][..], "`solve` has no shares"),
        (&["slurm", "sweep", "bar.toml"], "--over"),
        (&["slurm", "suite", "--collect"], "has a share already"),
    ] {
        let output = desk.run(words);
        assert!(code(&output) == 2 && stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

/// By a real queue; where there is none that starts, by GNU parallel, which does as much with shares.
#[test]
fn a_queue_solves_all_shares() {
    let desk = Desk::new();
    let command = with(&["--out", "queued"]);
    let script = desk.run(&[&["slurm", "--shares", "3"], &command[..]].concat());
    assert_eq!(code(&script), 0, "{}", stderr(&script));
    let text = stdout(&script);
    assert!(text.contains("#SBATCH --array=1-3") && text.contains("--signal=B:USR1@120"), "{text}");
    // What one edits: the path of the program, and memory that a small machine has.
    let program = assert_cmd::cargo::cargo_bin!("adamflip").display().to_string();
    let text =
        text.replace("exec adamflip", &format!("exec {program}")).replace("#SBATCH --mem-per-cpu=2G\n", "");
    std::fs::write(desk.path("job.sh"), text).unwrap();
    let mut said = std::io::stderr();
    match Slurm::start() {
        Ok(slurm) => {
            let _ = writeln!(said, "shares are tested by a real Slurm");
            // A queue that does not come to its end is a failure, not a wait.
            let sbatch = ["900", "sbatch", "--wait", "job.sh"];
            let output = slurm.run("timeout", &sbatch, desk.folder.path()).unwrap();
            assert!(output.status.success(), "{} {}", stdout(&output), stderr(&output));
        }
        Err(reason) => {
            let _ =
                writeln!(said, "no Slurm can be started here ({reason}): shares are tested by GNU parallel");
            if !has_tool("parallel") {
                return;
            }
            let mut parallel = std::process::Command::new("parallel");
            parallel.current_dir(desk.folder.path()).args(["-j2", "--will-cite", &program]);
            let output =
                parallel.args(command).args(["--shard", "{}/3", ":::", "1", "2", "3"]).output().unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
        }
    }
    is_whole(&desk, "queued");
}
