//! Links, pipes and devices in a run folder: nothing is written through them, and no command waits for them.

use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::*;

fn trained() -> Desk {
    let seen = "[term.seen]\ndata = \"seen.csv\"\n[reference]";
    let desk = Desk::with("bar.toml", PROBLEM.replace("[reference]", seen).as_bytes());
    std::fs::write(desk.path("seen.csv"), "x,t,u\n0.5,0.5,-0.12\n0.25,0.5,-0.09\n").unwrap();
    let output = desk.run(&["solve", "bar.toml", "--out", "runs/run"]);
    assert!(code(&output) < 2, "{}", stderr(&output));
    desk
}

/// Every command that looks into a run folder.
const COMMANDS: [&[&str]; 7] = [
    &["resume", "runs/run"],
    &["report", "runs/run"],
    &["predict", "runs/run"],
    &["export", "runs/run", "--out", "out.npz", "--force"],
    &["intervals", "runs/run"],
    &["watch", "runs/run", "--once"],
    &["list", "--runs", "runs"],
];

/// Files that commands read.
const FILES: [&str; 7] = [
    "run.json",
    "problem.toml",
    "data/seen.csv",
    "checkpoint.safetensors",
    "history.csv",
    "summary.json",
    "lock",
];

/// What waits for a pipe waits for ever; the slowest command takes a second, on a busy machine many.
const LONGEST: Duration = Duration::from_secs(120);

/// Runs a command, which must end, and without a panic.
fn ends(desk: &Desk, what: &str, arguments: &[&str]) -> Option<i32> {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("adamflip"));
    command.current_dir(desk.folder.path()).args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.code().is_some_and(|code| code <= 2), "{what}, {arguments:?}: {status}");
            return status.code();
        }
        if start.elapsed() > LONGEST {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{what}, {arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Puts something in the place of a file of the run while a check is made.
fn in_place_of<T>(desk: &Desk, file: &str, put: impl Fn(&Path), check: impl Fn() -> T) {
    let path = desk.path("runs/run").join(file);
    let kept = desk.path("kept");
    std::fs::rename(&path, &kept).unwrap();
    put(&path);
    check();
    if let Ok(found) = path.symlink_metadata() {
        if found.is_dir() {
            std::fs::remove_dir_all(&path).unwrap()
        } else {
            std::fs::remove_file(&path).unwrap()
        }
    }
    std::fs::rename(&kept, &path).unwrap();
}

#[test]
fn no_command_waits_for_a_pipe_or_a_device() {
    let desk = trained();
    let pipe = |path: &Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let zero = |path: &Path| symlink("/dev/zero", path).unwrap();
    let hole = |path: &Path| std::fs::File::create(path).unwrap().set_len(1 << 40).unwrap();
    for file in FILES {
        for command in COMMANDS {
            in_place_of(&desk, file, pipe, || ends(&desk, &format!("pipe {file}"), command));
            in_place_of(&desk, file, zero, || ends(&desk, &format!("zero {file}"), command));
        }
        // A lock is not read but for a few bytes, and a data file is read as text, line by line.
        if !["lock", "data/seen.csv"].contains(&file) {
            let once = if file == "history.csv" { COMMANDS[1] } else { COMMANDS[0] };
            in_place_of(&desk, file, hole, || ends(&desk, &format!("hole {file}"), once));
        }
    }
}

#[test]
fn nothing_is_written_through_a_link() {
    let desk = trained();
    let precious = desk.path("precious");
    std::fs::write(&precious, "do not touch").unwrap();
    for file in ["lock", "history.csv", "summary.json", "checkpoint.safetensors", "report.html", "fields.npz"]
    {
        in_place_of(
            &desk,
            file,
            |path| symlink(&precious, path).unwrap(),
            || {
                for command in [&["resume", "runs/run", "--more", "1"][..], &["report", "runs/run"]] {
                    ends(&desk, file, command);
                    assert_eq!(
                        std::fs::read_to_string(&precious).unwrap(),
                        "do not touch",
                        "{file}, {command:?}"
                    );
                }
            },
        );
    }
    std::fs::create_dir(desk.path("elsewhere")).unwrap();
    in_place_of(
        &desk,
        "figures",
        |path| symlink(desk.path("elsewhere"), path).unwrap(),
        || {
            for command in [&["resume", "runs/run"][..], &["report", "runs/run"]] {
                assert_ne!(ends(&desk, "figures", command), Some(0));
                assert_eq!(desk.files("elsewhere"), [""; 0], "{command:?}");
            }
        },
    );
    // As it was, all is well.
    assert_eq!(ends(&desk, "as it was", &["report", "runs/run"]), Some(0));
}

#[test]
fn a_link_is_named_with_a_hint() {
    let desk = trained();
    for file in ["run.json", "problem.toml", "data/seen.csv", "checkpoint.safetensors", "lock"] {
        let real = desk.path("real");
        in_place_of(
            &desk,
            file,
            |path| {
                std::fs::copy(desk.path("kept"), &real).unwrap();
                symlink(&real, path).unwrap();
            },
            || {
                let expected = [file, "it is a symbolic link", "hint:"];
                bad_input::refused(file, &desk, &["resume", "runs/run"], &expected);
            },
        );
    }
    // The folder itself may be one: the user named it.
    symlink(desk.path("runs/run"), desk.path("shortcut")).unwrap();
    assert!(code(&desk.run(&["predict", "shortcut"])) == 0);
}
