//! What a run leaves to look at: the page, the figures, events for TensorBoard.

use super::*;

#[test]
fn a_report_is_written_at_the_end_and_again_on_demand() {
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml", "--out", "run"])), 0);
    let figures = desk.files("run/figures");
    for name in
        ["solution-u.svg", "solution-u.png", "history.svg", "history.png", "violations.png", "unknowns.svg"]
    {
        assert!(figures.iter().any(|figure| figure == name), "{name} in {figures:?}");
    }
    let page = std::fs::read_to_string(desk.path("run/report.html")).unwrap();
    for text in ["A bar under its own weight", "stiffness", "adamflip solve bar.toml --out run", "max_steps"]
    {
        assert!(page.contains(text), "{text}");
    }
    std::fs::remove_dir_all(desk.path("run/figures")).unwrap();
    let output = desk.run(&["report", "run"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, "run/report.html\n"), "{}", stderr(&output));
    assert_eq!(desk.files("run/figures"), figures);
    let again = std::fs::read_to_string(desk.path("run/report.html")).unwrap();
    // Only the date of the page may differ.
    let lines = page.lines().zip(again.lines()).filter(|(a, b)| a != b).count();
    assert!(page.lines().count() == again.lines().count() && lines <= 2, "{lines}");
    let output = desk.run(&["report", "run", "--out", "elsewhere/here"]);
    assert_eq!(stdout(&output), "elsewhere/here/report.html\n", "{}", stderr(&output));
    let output = desk.run(&["report", "run", "--out", "bar.toml"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("cannot write `bar.toml/"), "{}", stderr(&output));
}

#[test]
fn a_damaged_summary_is_no_obstacle() {
    let desk = Desk::new();
    let budget = ["--set", "train.max_seconds=0.05", "--steps", "1000000000"];
    desk.run(&[&["solve", "bar.toml", "--out", "run"], &budget[..]].concat());
    std::fs::write(desk.path("run/summary.json"), "[]").unwrap();
    let output = desk.run(&["report", "run"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn a_run_without_a_state_has_no_report() {
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml", "--out", "run"])), 0);
    std::fs::remove_file(desk.path("run/checkpoint.safetensors")).unwrap();
    let output = desk.run(&["report", "run"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("the run in `run` has no checkpoint yet"), "{}", stderr(&output));
}

#[test]
fn tensorboard_reads_the_events_of_all_sessions() {
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml", "--out", "run", "--tensorboard"])), 0);
    assert_eq!(code(&desk.run(&["resume", "run", "--more", "5", "--tensorboard"])), 0);
    let files = desk.files("run").into_iter().filter(|name| name.contains("tfevents")).count();
    assert_eq!(files, 2);
    let Some(events) = python::run("read_events.py", &[desk.path("run")]) else { return };
    let of = |tag: &str| events.lines().filter(|line| line.starts_with(&format!("{tag}|"))).count();
    for tag in ["mse/pde", "max/ends", "rms/ends", "unknown/stiffness", "run/rate", "run/stage"] {
        assert_eq!(of(tag), 55, "{tag}:\n{events}");
    }
    assert_eq!(of("multiplier/ends"), 35, "the first stage has none");
    assert!(of("rel_l2/u") > 0 && of("run/step") == 0 && of("run/method") == 0);
}
