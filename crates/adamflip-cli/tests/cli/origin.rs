//! A checkpoint belongs to the problem and the data that it was trained on.

use adamflip::checkpoint::Checkpoint;

use super::*;

/// A desk with a trained run that has an ansatz and data.
fn trained() -> Desk {
    let seen = "[term.seen]\ndata = \"seen.csv\"\n[reference]";
    let ansatz = "hidden = \"2x6\"\nansatz = \"x*(1 - x)*N\"";
    let text = PROBLEM.replace("[reference]", seen).replace("hidden = \"2x6\"", ansatz);
    let desk = Desk::with("bar.toml", text.as_bytes());
    std::fs::write(desk.path("seen.csv"), "x,t,u\n0.5,0.5,-0.12\n0.25,0.5,-0.09\n").unwrap();
    let output = desk.run(&["solve", "bar.toml", "--out", "run", "--set", "constants.load=1.5"]);
    assert!(code(&output) < 2, "{}", stderr(&output));
    desk
}

/// The commands that read a state.
const READERS: [&[&str]; 5] = [
    &["predict", "run"],
    &["resume", "run"],
    &["report", "run"],
    &["intervals", "run"],
    &["export", "run", "--out", "out.npz"],
];

fn replace(desk: &Desk, file: &str, from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(desk.path(file)).unwrap();
    assert!(text.contains(from), "{from} is not in\n{text}");
    std::fs::write(desk.path(file), text.replacen(from, to, 1)).unwrap();
    text
}

#[test]
fn a_changed_problem_or_changed_data_are_refused_by_name() {
    let desk = trained();
    #[rustfmt::skip]
    let cases = [
        ("problem.toml", "[network]", "[network]\nactivation = \"sin\"",        "`network.activation` was added"),
        ("problem.toml", "x*(1 - x)*N", "2*x*(1 - x)*N",                        "`network.ansatz` was changed"),
        ("problem.toml", "x = [0, 1]", "x = [0, 2]",                            "`domain.x` was changed"),
        ("problem.toml", "load = 1.5", "load = 1.6",                            "`constants.load` was changed"),
        ("problem.toml", "stiffness*u_xx", "2*stiffness*u_xx",                  "`term.pde.equation` was changed"),
        ("problem.toml", "points = 10", "points = 12",                          "`term.ends.points` was changed"),
        ("data/seen.csv", "-0.12", "-0.13",                                     "`data/seen.csv` was changed"),
    ];
    for (file, from, to, expected) in cases {
        let file = format!("run/{file}");
        let before = replace(&desk, &file, from, to);
        let hint = "`adamflip solve run/problem.toml --start run`";
        for reader in READERS {
            super::bad_input::refused(from, &desk, reader, &[expected, "hint:", hint]);
        }
        std::fs::write(desk.path(&file), before).unwrap();
    }
    for reader in READERS {
        let output = desk.run(reader);
        assert!(code(&output) < 2, "as it was: {}", stderr(&output));
    }
}

#[test]
fn what_changes_no_result_may_be_changed() {
    let desk = trained();
    replace(&desk, "run/problem.toml", "title = ", "# a note\ntitle = \"Another\"\n#");
    replace(&desk, "run/problem.toml", "[train]", "[train]\nmax_seconds = 1000");
    for arguments in [&["predict", "run"][..], &["resume", "run", "--more", "3"], &["predict", "run"]] {
        let output = desk.run(arguments);
        assert!(code(&output) < 2, "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_folder_from_before_opens_with_a_warning_until_it_is_saved_again() {
    let desk = trained();
    let path = desk.path("run/checkpoint.safetensors");
    let mut checkpoint = Checkpoint::read(&path).unwrap();
    assert!(checkpoint.metadata.origin.take().is_some());
    checkpoint.write(&path).unwrap();
    let warns = |arguments: &[&str]| {
        let output = desk.run(arguments);
        assert!(code(&output) < 2, "{}", stderr(&output));
        stderr(&output).contains("warning: the checkpoint in `run` has no digests")
    };
    assert!(warns(&["predict", "run"]));
    assert!(warns(&["resume", "run"]));
    assert!(!warns(&["predict", "run"]));
}

#[test]
fn a_changed_problem_starts_from_an_old_state_on_purpose() {
    let desk = trained();
    replace(&desk, "run/problem.toml", "load = 1.5", "load = 1.6");
    let start = ["solve", "run/problem.toml", "--start", "run", "--out", "next"];
    let output = desk.run(&[&start[..], &["--steps", "0"]].concat());
    assert!(code(&output) < 2, "{}", stderr(&output));
    let θ = |run: &str| Checkpoint::read(&desk.path(run).join("checkpoint.safetensors")).unwrap().snapshot.θ;
    assert_eq!(θ("next"), θ("run"), "no step was taken");
    // A run that is killed before its first own state is saved goes on from the same place.
    let mut child = desk.start(&["solve", "run/problem.toml", "--start", "run", "--out", "killed"]);
    while !desk.path("killed").exists() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(code(&desk.run(&["resume", "killed"])) < 2);
    assert!(code(&desk.run(&["solve", "run/problem.toml", "--start", "run", "--out", "whole"])) < 2);
    assert_eq!(θ("killed"), θ("whole"));
    assert_ne!(θ("whole"), θ("run"));
}

#[test]
fn a_state_that_cannot_start_a_problem_is_refused() {
    let desk = trained();
    // Other networks are fitted to its fields, but it must have them.
    let larger = ["solve", "bar.toml", "--start", "run", "--set", "network.hidden=2x7", "--steps", "0"];
    let output = desk.run(&larger);
    assert!(code(&output) < 2 && stderr(&output).contains("the fields of `run`"), "{}", stderr(&output));
    replace(&desk, "run/problem.toml", "fields = [\"u\"]", "fields = [\"u\", \"w\"]");
    let other = desk.run(&["solve", "run/problem.toml", "--start", "run"]);
    assert_eq!(code(&other), 2, "{}", stderr(&other));
    let absent = ["solve", "bar.toml", "--start", "none"];
    super::bad_input::refused("absent", &desk, &absent, &["there is no folder `none`", "hint:"]);
}
