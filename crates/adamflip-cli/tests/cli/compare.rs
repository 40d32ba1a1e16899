//! `compare`: tables, figure, resuming, and children that do not outlive their parent for long.

use std::io::BufRead;

use super::*;

const COMPARE: [&str; 6] = ["compare", "bar.toml", "--methods", "adam,fl_momentum", "--seeds", "0,1"];

fn read(desk: &Desk, name: &str) -> String {
    std::fs::read_to_string(desk.path(name)).unwrap()
}

/// The bits of all runs of a batch.
fn states(desk: &Desk, folder: &str) -> Vec<Vec<u8>> {
    let runs = format!("{folder}/runs");
    let states = desk.files(&runs).into_iter().map(|run| format!("{runs}/{run}/checkpoint.safetensors"));
    states.map(|state| std::fs::read(desk.path(&state)).unwrap()).collect()
}

#[test]
fn methods_and_seeds_make_one_table_in_all_formats() {
    let desk = Desk::new();
    let output = desk.run(&[&COMPARE[..], &["--jobs", "2"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let folder = "runs/compare-bar";
    let files = [
        "batch.json",
        "errors.svg",
        "lock",
        "logs",
        "runs",
        "table.csv",
        "table.md",
        "table.tex",
        "table.txt",
    ];
    assert_eq!(desk.files(folder), files);
    assert_eq!(desk.files("runs/compare-bar/runs"), ["adam-0", "adam-1", "fl_momentum-0", "fl_momentum-1"]);
    let text = read(&desk, "runs/compare-bar/table.txt");
    assert_eq!(stdout(&output), text);
    let columns: Vec<&str> = text.lines().nth(2).unwrap().split_whitespace().collect();
    let expected =
        ["method", "runs", "rel_l2.u", "mse.ends", "max.ends", "error.stiffness", "seconds", "steps/s"];
    assert_eq!(columns, expected);
    let rows: Vec<&str> = text.lines().skip(4).take(2).collect();
    assert!(rows[0].starts_with(" adam ") && rows[1].starts_with(" fl_momentum "), "{text}");
    assert!(rows.iter().all(|row| row.matches('±').count() == 6), "{text}");
    assert_eq!(rows.concat().matches("* ").count(), 6, "each column has one best: {text}");
    let latex = read(&desk, "runs/compare-bar/table.tex");
    assert!(
        latex.contains("method & runs & rel\\_l2.u & mse.ends") && latex.contains("\n  fl\\_momentum & 2 & ")
    );
    assert!(read(&desk, "runs/compare-bar/table.md").contains("\n| fl\\_momentum | 2 | "));
    let csv = read(&desk, "runs/compare-bar/table.csv");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert!(rows.len() == 3 && rows.iter().all(|row| row.len() == 3 + 3 * 6), "{csv}");
    // The mean of the errors in the two summaries.
    let error = |run: &str| {
        let summary = read(&desk, &format!("runs/compare-bar/runs/{run}/summary.json"));
        serde_json::from_str::<serde_json::Value>(&summary).unwrap()["rel_l2"]["u"].as_f64().unwrap()
    };
    assert_eq!(rows[1][3].parse::<f64>().unwrap(), (error("adam-0") + error("adam-1")) / 2.0);
    let svg = read(&desk, "runs/compare-bar/errors.svg");
    assert_eq!(svg.matches("<polyline").count(), 4, "two methods in two panels");
    assert!([">steps<", ">seconds<", ">fl_momentum<"].iter().all(|text| svg.contains(text)), "{svg}");
}

#[test]
fn the_same_again_keeps_what_has_ended_and_another_request_is_refused() {
    let desk = Desk::new();
    let first = desk.run(&[&COMPARE[..], &["--out", "all"]].concat());
    let state = std::fs::metadata(desk.path("all/runs/adam-0/summary.json")).unwrap().modified().unwrap();
    let again = desk.run(&[&COMPARE[..], &["--out", "all", "--format", "csv"]].concat());
    assert_eq!((code(&first), code(&again)), (0, 0));
    assert!(stderr(&again).contains("4 runs had ended before"), "{}", stderr(&again));
    assert_eq!(stdout(&again), read(&desk, "all/table.csv"));
    let later = std::fs::metadata(desk.path("all/runs/adam-0/summary.json")).unwrap().modified().unwrap();
    assert_eq!(state, later);
    let other = desk.run(&["compare", "bar.toml", "--methods", "adam", "--seeds", "0,1", "--out", "all"]);
    assert_eq!(code(&other), 2);
    let expected = "error: the folder `all` has runs with other methods, settings or values\n\
                    hint: choose another folder with `--out DIR`, or go on with\n      \
                    adamflip compare bar.toml --methods adam,fl_momentum --seeds 0,1 --out all\n";
    assert_eq!(stderr(&other), expected);
    std::fs::write(desk.path("bar.toml"), PROBLEM.replace("points   = 40", "points   = 41")).unwrap();
    let changed = desk.run(&[&COMPARE[..], &["--out", "all"]].concat());
    assert!(stderr(&changed).contains("of a file that was changed since"), "{}", stderr(&changed));
}

#[test]
fn changed_data_are_another_request() {
    let desk = Desk::new();
    let data = "[term.data]\ndata = \"d.csv\"\nrole = \"objective\"\n";
    std::fs::write(desk.path("bar.toml"), format!("{PROBLEM}{data}")).unwrap();
    let run = |value: &str| {
        std::fs::write(desk.path("d.csv"), format!("x,t,u\n0.5,0.5,{value}\n")).unwrap();
        desk.run(&["compare", "bar.toml", "--methods", "adam", "--steps", "3", "--out", "all"])
    };
    assert_eq!((code(&run("1")), code(&run("1"))), (0, 0));
    let changed = run("2");
    assert_eq!(code(&changed), 2);
    assert!(stderr(&changed).contains("of data that were changed since"), "{}", stderr(&changed));
}

#[test]
fn settings_make_rows_and_failures_are_shown() {
    let desk = Desk::new();
    // The rate grows beyond all bounds.
    let wild = "wild:train.stages=[{ method = \"adam\", steps = 500, lr = 1e-3, lr_end = 1e300 }]";
    let settings = ["--settings", "base:", "--settings", wild, "--methods", "plan"];
    let output = desk.run(&[&["compare", "bar.toml", "--json"][..], &settings].concat());
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let lines = json_lines(&output);
    assert_eq!((&lines[0]["event"], &lines[0]["runs"]), (&"start".into(), &2.into()));
    let runs: Vec<_> = lines.iter().filter(|line| line["event"] == "run").collect();
    let failed = runs.iter().find(|run| run["run"] == "plan-wild-0").unwrap();
    assert_eq!((runs.len(), &failed["status"]), (2, &"failed".into()));
    assert!(failed["reason"].as_str().unwrap().starts_with("diverged after step "), "{failed}");
    let last = lines.last().unwrap();
    assert_eq!((&last["event"], &last["rows"][1]["failed"]), (&"comparison".into(), &1.into()));
    assert_eq!((&last["rows"][0]["method"], &last["rows"][0]["setting"]), (&"plan".into(), &"base".into()));
    assert!(last["rows"][0]["numbers"]["rel_l2.u"]["mean"].as_f64().unwrap() > 0.0);
    assert!(last["rows"][0]["numbers"]["rel_l2.u"]["deviation"].is_null(), "one seed has none");
    let text = read(&desk, "runs/compare-bar/table.txt");
    assert!(text.contains("plan wild, seed 0, failed: diverged") && text.contains("0 of 1"), "{text}");
    assert!(!text.contains('±'), "{text}");
}

#[test]
fn the_usual_methods_are_compared_but_none_twice() {
    let desk = Desk::new();
    let output = desk.run(&["compare", "bar.toml", "--steps", "21"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(desk.files("runs/compare-bar/runs"), ["adam-0", "adamflip-0", "plan-0"]);
    let stages = "train.stages=[{ method = \"adam\", steps = 2 }]";
    desk.run(&["compare", "bar.toml", "--set", stages]);
    assert_eq!(desk.files("runs/compare-bar-2/runs"), ["adamflip-0", "plan-0"], "the plan is that of adam");
}

#[test]
fn errors_show_before_anything_is_trained() {
    let desk = Desk::new();
    let cases: [(&[&str], &[&str]); 9] = [
        (&["--methods", "adamflop"], &["invalid value 'adamflop'", "'adamflip'"]),
        (&["--methods", ""], &["--methods"]),
        (&["--seeds", "0,-1"], &["--seeds"]),
        (&["--settings", "wide"], &["error: `--settings wide` has no `:` after the name", "hint: write"]),
        (
            &["--settings", "wide:network.hiden=2x9"],
            &["unknown key `hiden`", "--> --settings wide:1:9", "^^^^^ unknown key", "did you mean `hidden`"],
        ),
        (&["--settings", "a:train.seed=1"], &["`--settings a train.seed=1` would have no effect", "--seeds"]),
        (&["--set", "train.sed=1"], &["unknown key `sed`", "--> --set:1:7"]),
        (&["--profile", "paper"], &["paper", "hint:"]),
        (&["--json", "--format", "csv"], &["--json"]),
    ];
    for (options, expected) in cases {
        bad_input::refused("option", &desk, &[&["compare", "bar.toml"], options].concat(), expected);
    }
    std::fs::write(desk.path("file"), "").unwrap();
    std::fs::create_dir(desk.path("full")).unwrap();
    std::fs::write(desk.path("full/precious"), "").unwrap();
    for (folder, expected) in [("file", "is a file"), ("full", "`full` is not empty")] {
        bad_input::refused("folder", &desk, &["compare", "bar.toml", "--out", folder], &[expected, "--out"]);
    }
}

/// Runs that would take far too long, but for the word of the user.
#[cfg(unix)]
const LONG: [&str; 10] =
    ["compare", "bar.toml", "--methods", "adam,fl", "--steps", "100000000", "--out", "all", "--jobs", "2"];

/// Starts long runs and waits until both are trained.
#[cfg(unix)]
fn started(desk: &Desk) -> std::process::Child {
    let mut child = desk.start(&[&LONG[..], &["--json"]].concat());
    let lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let events = lines.map(|line| serde_json::from_str::<serde_json::Value>(&line).unwrap());
    let trained = |event: &serde_json::Value| {
        let running = event["running"].as_array();
        running.is_some_and(|runs| runs.len() == 2 && runs.iter().all(|run| run["step"].as_u64() > Some(0)))
    };
    assert!(events.into_iter().any(|event| trained(&event)));
    child
}

#[cfg(unix)]
fn status(desk: &Desk, run: &str) -> serde_json::Value {
    serde_json::from_str::<serde_json::Value>(&read(desk, &format!("all/runs/{run}/summary.json"))).unwrap()["status"]
        .clone()
}

#[cfg(unix)]
#[test]
fn control_c_stops_the_children_and_says_how_to_go_on() {
    let desk = Desk::new();
    let child = started(&desk);
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = stderr(&output);
    assert!(
        said.contains("0 of 2 runs have ended, in `all`; the same command goes on:\n  adamflip compare"),
        "{said}"
    );
    for run in ["adam-0", "fl-0"] {
        assert_eq!(status(&desk, run), "interrupted");
    }
    // The children have let go of their runs: otherwise they would be listed as running.
    let listed = stdout(&desk.run(&["list", "--runs", "all/runs"]));
    assert_eq!(listed.matches("interrupted").count(), 2, "{listed}");
}

#[cfg(unix)]
#[test]
fn a_killed_parent_leaves_no_children_and_its_runs_go_on_with_the_same_bits() {
    let desk = Desk::new();
    let plain = ["compare", "bar.toml", "--methods", "adam,fl", "--seeds", "0,1", "--out"];
    assert_eq!(code(&desk.run(&[&plain[..], &["whole"]].concat())), 0);
    // Killed at once, with whatever has been started.
    for _ in 0..3 {
        let mut child = desk.start(&[&plain[..], &["all"]].concat());
        std::thread::sleep(std::time::Duration::from_millis(40));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = desk.run(&[&plain[..], &["all"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(states(&desk, "all") == states(&desk, "whole"));
}

#[cfg(unix)]
#[test]
fn orphans_stop_by_themselves() {
    let desk = Desk::new();
    let mut child = started(&desk);
    child.kill().unwrap();
    child.wait().unwrap();
    // They notice that nobody holds their stdin, and leave a checkpoint and a summary. A step takes a
    // millisecond.
    for run in ["adam-0", "fl-0"] {
        let summary = desk.path(&format!("all/runs/{run}/summary.json"));
        let patience = std::time::Instant::now();
        while !summary.exists() {
            assert!(patience.elapsed().as_secs() < 60, "`{run}` goes on without its parent");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!(status(&desk, run), "interrupted");
    }
}

#[cfg(unix)]
#[test]
fn a_run_in_which_somebody_works_is_waited_for() {
    let desk = Desk::new();
    // A run of the batch that somebody else has started.
    let arguments = ["solve", "bar.toml", "--method", "adam", "--json", "--out", "all/runs/adam-0"];
    let steps = ["--steps", "1000000000", "--set", "train.max_seconds=1.5"];
    std::fs::create_dir_all(desk.path("all/runs")).unwrap();
    let mut foreign = desk.start(&[&arguments[..], &steps].concat());
    let mut lines = std::io::BufReader::new(foreign.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("start"));
    let output = desk.run(&["compare", "bar.toml", "--methods", "adam", "--out", "all"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("another adamflip still works in `all/runs/adam-0`: waiting for it"), "{said}");
    lines.for_each(drop);
    foreign.wait().unwrap();
}
