//! One run by several ranks, by a real MPI: the same bits for any ranks and threads, faults, and resumption
//! by other ranks.
//!
//! The program with MPI is built here, beside the one under test, where `mpicc` and `mpirun` are.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::{Desk, stderr};

/// A problem of several tiles a term, whose points are drawn again by their residuals.
const PROBLEM: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
t = [0, 1]
[unknowns]
k = { start = 0.5, bounds = [0, 2] }
[term.pde]
equation = "u_t = k*u_xx"
points = 600
adaptive = "rad"
[term.start]
on = "t = 0"
equation = "u = sin(pi*x)"
points = 300
[term.sensors]
data = "reference"
points = 300
noise = 0.01
role = "constraint"
[reference]
u = "exp(-pi^2*t)*sin(pi*x)"
[network]
hidden = [6, 6]
[train]
resample = 7
stages = [{ method = "adam", steps = 20 }]
"#;

/// The program with MPI; none where there is no MPI, which is said.
fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    let is_there =
        |name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there("mpicc") || !is_there("mpirun") {
        assert!(std::env::var_os("ADAMFLIP_TEST_MPI").is_none(), "there is no `mpicc` or no `mpirun`");
        let wanted = "skipped: there is no MPI (Debian: libopenmpi-dev, openmpi-bin, libclang-dev)";
        let _ = writeln!(std::io::stderr(), "{wanted}");
        return None;
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("mpi");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--features", "mpi", "--bin", "adamflip", "--manifest-path"]);
    cargo.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).arg("--target-dir").arg(&target);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    Some(target.join("debug/adamflip"))
}

/// A call of `mpirun` for this many ranks of the program.
fn ranks(desk: &Desk, program: &Path, count: usize, arguments: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--allow-run-as-root", "-n", &count.to_string()]).arg(program);
    command.args(arguments).current_dir(desk.folder.path()).stdin(Stdio::null());
    command
}

fn state(desk: &Desk, run: &str) -> Vec<u8> {
    std::fs::read(desk.path(run).join("checkpoint.safetensors")).unwrap()
}

#[test]
fn runs_have_the_same_bits_for_any_ranks_and_threads() {
    let Some(program) = program() else { return };
    let desk = Desk::with("p.toml", PROBLEM.as_bytes());
    for (method, steps) in [("adam", "16"), ("adamflip", "16"), ("adamflip_split", "9"), ("newtonflip", "9")]
    {
        let alone = ["solve", "p.toml", "--method", method, "--steps", steps, "--out", method, "--json"];
        let output = desk.run(&alone);
        assert!(output.status.code().is_some_and(|code| code < 2), "{}", stderr(&output));
        for (count, threads) in [(1, "2"), (2, "1"), (2, "2"), (4, "1")] {
            let out = format!("{method}-{count}x{threads}");
            let mut arguments = alone;
            arguments[7] = &out;
            let arguments = [&arguments[..], &["--threads", threads]].concat();
            let output = ranks(&desk, program, count, &arguments).output().unwrap();
            assert!(output.status.code().is_some_and(|code| code < 2), "{out}: {}", stderr(&output));
            assert!(state(&desk, &out) == state(&desk, method), "{out}");
            // Rank 0 alone tells.
            assert_eq!(String::from_utf8_lossy(&output.stdout).matches(r#""event":"summary""#).count(), 1);
        }
    }
}

/// The processes of the ranks.
fn children(launcher: &Child) -> Vec<String> {
    let output =
        Command::new("ps").args(["-o", "pid=,comm=", "--ppid", &launcher.id().to_string()]).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let rank = |line: &str| {
        let (pid, name) = line.trim().split_once(' ')?;
        name.contains("adamflip").then(|| pid.to_owned())
    };
    lines.lines().filter_map(rank).collect()
}

const STEPS: &str = "1500";
const LONG: [&str; 7] = ["--steps", STEPS, "--checkpoint-every", "0.05", "--threads", "1", "--json"];
/// Nothing takes so long on any machine.
const LONGEST: Duration = Duration::from_secs(300);

fn until(what: &str, mut came: impl FnMut() -> bool) {
    let start = Instant::now();
    while !came() {
        assert!(start.elapsed() < LONGEST, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A long run of two ranks, of which one gets a signal once there are states: its folder, and what was said.
/// A run that ended before the signal came is begun again elsewhere.
fn struck(desk: &Desk, program: &Path, name: &str, more: &[&str]) -> (String, Output) {
    for attempt in 0..5 {
        let out = format!("{name}-{attempt}");
        let arguments = [&["solve", "p.toml", "--out", &out], &LONG[..], more].concat();
        let mut command = ranks(desk, program, 2, &arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let states = desk.path(&out).join("checkpoint.old.safetensors");
        until("there is no state", || states.exists() || child.try_wait().unwrap().is_some());
        let pids = children(&child);
        let is_sent = pids.get(1).is_some_and(|pid| {
            Command::new("kill").args(["-s", name, pid]).stderr(Stdio::null()).status().unwrap().success()
        });
        let output = child.wait_with_output().unwrap();
        // Nobody works in the folder any more.
        until("ranks outlive `mpirun`", || pids.iter().all(|pid| !Path::new("/proc").join(pid).exists()));
        if is_sent && !is_complete(&desk.path(&out)) {
            return (out, output);
        }
    }
    panic!("runs end before {name} is sent")
}

/// Did a run come to its own end?
fn is_complete(run: &Path) -> bool {
    std::fs::read_to_string(run.join("summary.json"))
        .is_ok_and(|summary| !summary.contains("\"interrupted\""))
}

#[test]
fn a_run_whose_ranks_were_lost_is_resumed_by_others_with_the_same_bits() {
    let Some(program) = program() else { return };
    let desk = Desk::with("p.toml", PROBLEM.as_bytes());
    desk.run(&[&["solve", "p.toml", "--out", "whole"], &LONG[..]].concat());
    let resumed = |run: &str, output: Output| {
        assert!(output.status.code().is_some_and(|code| code < 2), "{run}: {}", stderr(&output));
        assert!(state(&desk, run) == state(&desk, "whole"), "{run}");
    };

    // A rank is killed: mpirun ends the others.
    let (run, output) = struck(&desk, program, "KILL", &[]);
    assert!(!output.status.success());
    resumed(&run, ranks(&desk, program, 3, &["resume", &run, "--threads", "1"]).output().unwrap());

    // A rank hangs: the other gives up. Saving takes it less than the limit, on a busy machine too.
    let (run, output) = struck(&desk, program, "STOP", &["--rank-timeout", "5"]);
    assert!(!output.status.success());
    assert!(stderr(&output).contains("have not answered for 5 s"), "{}", stderr(&output));
    resumed(&run, desk.run(&["resume", &run]));

    // A queue ends the job: one rank is told, and all stop after the same step.
    let (run, output) = struck(&desk, program, "TERM", &[]);
    assert!(!output.status.success());
    resumed(&run, ranks(&desk, program, 4, &["resume", &run, "--threads", "1"]).output().unwrap());
}

#[test]
fn what_ranks_cannot_do_together_is_told_once() {
    let Some(program) = program() else { return };
    let desk = Desk::with("p.toml", PROBLEM.as_bytes());
    let refused = |count, arguments: &[&str], message: &str| {
        let output = ranks(&desk, program, count, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert_eq!(stderr(&output).matches(message).count(), 1, "{message}: {}", stderr(&output));
    };
    refused(2, &["solve", "none.toml"], "none.toml");
    refused(4, &["solve", "p.toml", "--set", "train.lanes=1"], "only 3 parts");
    refused(2, &["resume", "none"], "none");
    // Machines that do not share a folder, or have other files in it.
    for rank in ["0", "1"] {
        std::fs::create_dir(desk.path(rank)).unwrap();
    }
    let shell = |files: &str, message: &str| {
        let line = format!("cd $OMPI_COMM_WORLD_RANK && exec {} {files}", program.display());
        let output = ranks(&desk, Path::new("sh"), 2, &["-c", &line]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        let said = stderr(&output);
        assert!(said.contains(message) && said.contains("file system"), "{message}: {said}");
    };
    std::fs::write(desk.path("0/p.toml"), PROBLEM).unwrap();
    shell("solve p.toml", "rank 1: ");
    std::fs::write(desk.path("1/p.toml"), PROBLEM.replace("600", "500")).unwrap();
    shell("solve p.toml", "rank 1 has another problem");
    let output = desk.run(&["solve", "p.toml", "--steps", "3", "--out", "0/run"]);
    assert!(output.status.code().is_some_and(|code| code < 2));
    shell("resume run", "rank 1: ");
}

/// A folder that does not take the state: all ranks end, and the message is that of rank 0.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_of_rank_0_ends_all() {
    let Some(program) = program() else { return };
    let desk = Desk::with("p.toml", PROBLEM.as_bytes());
    // Files of at most some kilobytes, as where a disk is full.
    let line = format!(
        "[ $OMPI_COMM_WORLD_RANK = 0 ] && ulimit -f 6; trap '' XFSZ; exec {} solve p.toml --out full {}",
        program.display(),
        LONG.join(" ")
    );
    let output = ranks(&desk, Path::new("bash"), 2, &["-c", &line]).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code != 0), "{}", stderr(&output));
    assert!(stderr(&output).contains("error: "), "{}", stderr(&output));
}

/// The program without MPI does not do the same thing several times over.
#[cfg(not(feature = "mpi"))]
#[test]
fn a_program_without_mpi_says_what_it_needs() {
    let desk = Desk::with("p.toml", PROBLEM.as_bytes());
    for names in [["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"], ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS"]]
    {
        for (rank, words) in [("0", 1), ("1", 0)] {
            let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("adamflip"));
            command.current_dir(desk.folder.path()).args(["solve", "p.toml"]);
            let output = command.env(names[0], rank).env(names[1], "2").output().unwrap();
            assert_eq!(output.status.code(), Some(2));
            assert_eq!(stderr(&output).matches("--features mpi").count(), words, "{}", stderr(&output));
        }
    }
}
