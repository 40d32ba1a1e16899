//! `list`: problem files and runs.

use super::*;

#[test]
fn problems_and_runs_are_listed() {
    let desk = Desk::new();
    desk.run(&["solve", "bar.toml", "--steps", "3"]);
    desk.run(&["compare", "bar.toml", "--steps", "1", "--methods", "adam"]);
    std::fs::write(desk.path("broken.toml"), "fields = [").unwrap();
    std::fs::create_dir(desk.path("runs/foreign")).unwrap();
    std::fs::write(desk.path("runs/note.txt"), "").unwrap();
    std::fs::copy(desk.path("runs/bar-0/run.json"), desk.path("runs/foreign/run.txt")).unwrap();
    let output = desk.run(&["list", "--problems", "."]);
    assert_eq!(code(&output), 0);
    let (text, said) = (stdout(&output), stderr(&output));
    for expected in
        ["bar       inverse   stiffness   A bar under its own weight", "max_steps", "1 of 1 runs ended"]
    {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(
        said.contains("`./broken.toml` is left out: `adamflip check ./broken.toml` shows its errors"),
        "{said}"
    );
    assert!(said.contains("`runs/foreign` is left out: `runs/foreign` is not the folder of a run"), "{said}");
    let lines = json_lines(&desk.run(&["list", "--problems", ".", "--json"]));
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["problem", "run", "batch"]);
    assert_eq!((&lines[0]["kind"], &lines[0]["unknowns"][0]), (&"inverse".into(), &"stiffness".into()));
    assert_eq!((&lines[1]["steps"], &lines[1]["path"]), (&3.into(), &"runs/bar-0".into()));
    assert!(lines[1]["rel_l2"].as_f64().unwrap() > 0.0 && lines[1]["age"].as_f64().unwrap() < 600.0);
}

#[test]
fn a_run_that_has_not_ended_is_shown_as_far_as_it_is() {
    let desk = Desk::new();
    desk.run(&["solve", "bar.toml", "--steps", "3"]);
    // As after a kill: there is a history but no summary.
    std::fs::remove_file(desk.path("runs/bar-0/summary.json")).unwrap();
    let line = last_json(&desk.run(&["list", "--problems", ".", "--json"]));
    assert_eq!((&line["status"], &line["steps"]), (&"interrupted".into(), &3.into()));
    let lock = std::fs::File::open(desk.path("runs/bar-0/lock")).unwrap();
    lock.lock().unwrap();
    let line = last_json(&desk.run(&["list", "--problems", ".", "--json"]));
    assert_eq!(line["status"], "running");
}

#[test]
fn the_shipped_problems_are_found_beside_the_program() {
    let desk = Desk::new();
    let output = desk.run(&["list"]);
    let text = stdout(&output);
    assert!(text.contains("burgers_forward") && text.contains("fractional"), "{text}");
    assert!(text.contains("standard/kdv"), "{text}");
    assert!(stderr(&output).contains("there are no runs in `runs`; `adamflip solve FILE` makes one"));
}

#[test]
fn folders_that_are_none_are_refused() {
    let desk = Desk::new();
    for option in ["--runs", "--problems"] {
        let expected = ["cannot read the folder `none`", option];
        bad_input::refused("folder", &desk, &["list", option, "none"], &expected);
    }
}
