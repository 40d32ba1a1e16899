//! `solve`: run folder, summary, exit codes.

use std::io::BufRead;

use adamflip::checkpoint::Checkpoint;

use super::*;

const FILES: [&str; 9] = [
    "checkpoint.safetensors",
    "fields.npz",
    "figures",
    "history.csv",
    "lock",
    "problem.toml",
    "report.html",
    "run.json",
    "summary.json",
];

fn keys(value: &serde_json::Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The step of the last row of the history.
fn last_step(desk: &Desk) -> u64 {
    let history = std::fs::read_to_string(desk.path("runs/bar-0/history.csv")).unwrap();
    let row = history.lines().last().unwrap();
    row.split(',').next().unwrap().parse().unwrap()
}

#[test]
fn a_run_leaves_a_folder_and_a_summary() {
    let desk = Desk::new();
    let output = desk.run(&["solve", "bar.toml", "--json", "--set", "constants.load=2"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let lines = json_lines(&output);
    assert_eq!(lines[0]["event"], "start");
    let summary = lines.last().unwrap();
    let contract = [
        "advice",
        "answer",
        "certificate",
        "estimate",
        "event",
        "method",
        "ms_per_step",
        "problem",
        "processor_seconds",
        "rel_l2",
        "run",
        "seconds",
        "seed",
        "status",
        "steps",
        "terms",
        "unknowns",
        "warnings",
    ];
    assert_eq!(keys(summary), contract);
    assert_eq!(
        (&summary["event"], &summary["problem"], &summary["method"]),
        (&"summary".into(), &"bar".into(), &"adamflip".into())
    );
    assert_eq!((&summary["seed"], &summary["steps"]), (&0.into(), &50.into()));
    assert_eq!((&summary["status"], &summary["run"]), (&"max_steps".into(), &"runs/bar-0".into()));
    assert_eq!(keys(&summary["terms"]["pde"]), ["fresh", "max", "mse", "role"]);
    let fresh = &summary["terms"]["ends"]["fresh"];
    assert_eq!(keys(fresh), ["exceeded_share", "max", "points", "rms", "rms_bound"]);
    assert!(fresh["rms"].as_f64() < fresh["rms_bound"].as_f64(), "{fresh}");
    assert_eq!(keys(&summary["certificate"]), ["confidence", "kkt", "sentence", "verdict"]);
    assert_eq!(summary["certificate"]["verdict"], "not_asked");
    // Ten points of the ends, one equation each.
    let kkt = &summary["certificate"]["kkt"];
    assert_eq!((&kkt["entries"], &kkt["of"]), (&10.into(), &10.into()));
    assert!(kkt["residual"].as_f64() >= Some(0.0) && kkt["relative"].as_f64() <= Some(1.0), "{kkt}");
    assert_eq!(summary["terms"]["ends"]["role"], "constraint");
    let stiffness = ["deviation", "error", "identified", "interval", "truth", "unfinished", "value"];
    assert_eq!(keys(&summary["unknowns"]["stiffness"]), stiffness);
    assert_eq!(keys(&summary["estimate"]["u"]), ["doubts", "rel_l2", "unfinished"]);
    assert!(summary["rel_l2"]["u"].as_f64().unwrap() > 0.0);
    assert_eq!(desk.files("runs/bar-0"), FILES);
    let written = std::fs::read_to_string(desk.path("runs/bar-0/summary.json")).unwrap();
    assert_eq!(&serde_json::from_str::<serde_json::Value>(&written).unwrap(), summary);
}

#[test]
fn the_run_folder_tells_what_was_run() {
    let desk = Desk::new();
    desk.run(&["solve", "bar.toml", "--seed", "3", "--steps", "7", "--set", "constants.load=2\n[x]"]);
    assert_eq!(desk.files("."), ["bar.toml"], "the override is no number");
    let output = desk.run(&["solve", "bar.toml", "--seed", "3", "--steps", "7", "--set", "constants.load=2"]);
    assert!(stdout(&output).contains("relative L2 error"), "{}", stdout(&output));
    let problem = std::fs::read_to_string(desk.path("runs/bar-3/problem.toml")).unwrap();
    for text in [
        "--seed 3 --steps 7",
        "# plan: 7 steps of adam, seed 3",
        "# override: constants.load=2",
        "load = 2\n",
        "seed = 3\n",
    ] {
        assert!(problem.contains(text), "{problem}");
    }
    assert_eq!(code(&desk.run(&["check", "runs/bar-3/problem.toml"])), 0);
    let history = std::fs::read_to_string(desk.path("runs/bar-3/history.csv")).unwrap();
    let rows: Vec<&str> = history.lines().collect();
    assert!(
        rows[0].starts_with(
            "step,stage,method,seconds,objective,violation,rate,step_norm,gradient_norm,pde_mse"
        )
    );
    let later = "ends_max,multiplier_ends,unknown_stiffness,kkt,gain,predicted,actual,condition,rank,\
                 refused,radius,damping,penalty,ends_rms,rel_l2_u";
    assert!(rows[0].ends_with(later), "{}", rows[0]);
    assert_eq!(rows.len(), 8);
    assert!(rows.iter().all(|row| row.split(',').count() == rows[0].split(',').count()), "{history}");
}

#[test]
fn no_run_overwrites_another() {
    let desk = Desk::new();
    for _ in 0..3 {
        assert_eq!(code(&desk.run(&["solve", "bar.toml", "--steps", "1"])), 0);
    }
    assert_eq!(desk.files("runs"), ["bar-0", "bar-0-2", "bar-0-3"]);
    std::fs::create_dir(desk.path("empty")).unwrap();
    for folder in ["empty", "some/where"] {
        assert_eq!(code(&desk.run(&["solve", "bar.toml", "--steps", "1", "--out", folder])), 0);
        assert_eq!(desk.files(folder), FILES);
    }
}

#[test]
#[cfg(unix)]
fn a_link_to_an_empty_folder_is_that_folder() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("there")).unwrap();
    std::os::unix::fs::symlink("there", desk.path("link")).unwrap();
    let output = desk.run(&["solve", "bar.toml", "--steps", "1", "--out", "link"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(desk.path("there/summary.json").is_file() && desk.path("link").is_symlink());
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let desk = Desk::new();
    for threads in ["1", "2"] {
        // Enough points for several tiles and lanes.
        let points = ["--set", "term.pde.points=3000"];
        let arguments = ["solve", "bar.toml", "--steps", "30", "--threads", threads, "--out", threads];
        assert_eq!(code(&desk.run(&[&arguments[..], &points].concat())), 0);
    }
    let read = |run: &str| std::fs::read(desk.path(run).join("checkpoint.safetensors")).unwrap();
    assert!(read("1") == read("2"));
    let checkpoint = Checkpoint::read(&desk.path("1/checkpoint.safetensors")).unwrap();
    assert_eq!((checkpoint.metadata.place.step, checkpoint.metadata.method.as_str()), (30, "adamflip"));
}

#[test]
fn a_diverging_run_says_so_and_keeps_finite_numbers() {
    let desk = Desk::new();
    // The rate grows beyond all bounds after some hundred steps; no row of the history but the first and the
    // last.
    let stages = "train.stages=[{ method = \"adam\", steps = 500, lr = 1e-3, lr_end = 1e300 }]";
    let output = desk.run(&["solve", "bar.toml", "--json", "--set", stages, "--set", "train.observe=1000"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert_eq!(last_json(&output)["status"], "diverged");
    assert_eq!(desk.files("runs/bar-0"), FILES);
    let checkpoint = Checkpoint::read(&desk.path("runs/bar-0/checkpoint.safetensors")).unwrap();
    assert!(checkpoint.snapshot.θ.iter().all(|x| x.is_finite()));
    // The state that is kept is the one at the start of the last step in the history.
    let kept = last_json(&output)["steps"].as_u64().unwrap();
    assert!(kept > 1, "it diverges on the way, not at once");
    assert_eq!(last_step(&desk), kept + 1);
    assert_eq!(checkpoint.metadata.place.step as u64, kept);
    let output = desk.run(&["solve", "bar.toml", "--set", stages]);
    assert!(
        stdout(&output).contains("the last finite state was kept") && stdout(&output).contains("lower `lr`")
    );
}

#[test]
fn a_time_budget_ends_the_run() {
    let desk = Desk::new();
    let output =
        desk.run(&["solve", "bar.toml", "--json", "--steps", "1000000000", "--set", "train.max_seconds=0.2"]);
    assert_eq!((code(&output), &last_json(&output)["status"]), (0, &"time_budget".into()));
    assert!(last_json(&output)["seconds"].as_f64().unwrap() >= 0.2);
    assert_eq!(last_step(&desk), last_json(&output)["steps"]);
}

#[test]
fn no_steps_are_steps_too() {
    let desk = Desk::new();
    let output = desk.run(&["solve", "bar.toml", "--json", "--steps", "0"]);
    assert_eq!((code(&output), &last_json(&output)["steps"]), (0, &0.into()), "{}", stderr(&output));
    assert_eq!(desk.files("runs/bar-0"), FILES);
    for method in ["adam", "adamflip"] {
        let output = desk.run(&["solve", "bar.toml", "--json", "--method", method, "--steps", "0"]);
        assert_eq!(last_json(&output)["method"], method);
    }
}

#[test]
fn a_reference_with_gaps_is_told() {
    let desk = Desk::new();
    let output = desk.run(&["solve", "bar.toml", "--json", "--steps", "1", "--set", "reference.u=log(x)"]);
    let said =
        "the reference of u is not finite at 5 of 55 grid points, e.g. x = 0, t = 0; they are left out";
    assert!(stderr(&output).contains(said), "{}", stderr(&output));
    assert!(last_json(&output)["rel_l2"]["u"].as_f64().is_some(), "{}", stdout(&output));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_written_does_not_cost_the_checkpoint() {
    let desk = Desk::new();
    let mut child = desk.start(&["solve", "bar.toml", "--json", "--steps", "1000000000"]);
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.by_ref().take(2).count(), 2);
    // A file cannot be written where a folder stands.
    std::fs::create_dir(desk.path("runs/bar-0/summary.json")).unwrap();
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(Checkpoint::read(&desk.path("runs/bar-0/checkpoint.safetensors")).is_ok());
}

#[cfg(unix)]
#[test]
fn control_c_keeps_the_run() {
    let desk = Desk::new();
    let mut child = desk.start(&["solve", "bar.toml", "--json", "--steps", "1000000000"]);
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    // The handler is in place before the first event, and training runs from the second on.
    let started: Vec<String> = lines.by_ref().take(2).map(Result::unwrap).collect();
    assert!(started[1].contains("\"max_violation\":"), "{started:?}");
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let last = lines.last().unwrap().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let summary: serde_json::Value = serde_json::from_str(&last).unwrap();
    assert_eq!((&summary["event"], &summary["status"]), (&"summary".into(), &"interrupted".into()));
    assert_eq!(desk.files("runs/bar-0"), FILES);
    let checkpoint = Checkpoint::read(&desk.path("runs/bar-0/checkpoint.safetensors")).unwrap();
    assert_eq!(summary["steps"], checkpoint.metadata.place.step);
    assert_eq!(last_step(&desk), summary["steps"]);
}
