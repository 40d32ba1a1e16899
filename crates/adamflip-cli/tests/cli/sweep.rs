//! `sweep`: grids, random search, results.

use super::*;

fn rows(desk: &Desk, name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(desk.path(name)).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn a_grid_tries_all_combinations_and_sorts_them() {
    let desk = Desk::new();
    let over = ["--over", "network.hidden=2x4,2x6", "--over", "train.stages[1].lr=1e-2,1e-3"];
    let output = desk.run(&[&["sweep", "bar.toml", "--seeds", "0,1"][..], &over].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(desk.files("runs/sweep-bar/runs").len(), 8);
    let results = rows(&desk, "runs/sweep-bar/results.csv");
    assert_eq!(
        results[0].join(","),
        "run,network.hidden,train.stages[1].lr,seed,status,steps,rel_l2.u,mse.ends,max.ends,error.stiffness,seconds,steps/s,reason"
    );
    assert_eq!(results[1][..6].join(","), "001-0,2x4,1e-2,0,max_steps,50");
    assert_eq!(results[8][..5].join(","), "004-1,2x6,1e-3,1,max_steps");
    let table = rows(&desk, "runs/sweep-bar/table.csv");
    assert_eq!((table.len(), table[0][4].as_str()), (5, "rel_l2.u mean"));
    let errors: Vec<f64> = table[1..].iter().map(|row| row[4].parse().unwrap()).collect();
    assert!(errors.is_sorted(), "{errors:?}");
    let problem = std::fs::read_to_string(desk.path("runs/sweep-bar/runs/002-0/problem.toml")).unwrap();
    assert!(problem.contains("hidden = \"2x4\"") && problem.contains("lr = 0.001"), "{problem}");
    let best = format!("--set network.hidden={} --set 'train.stages[1].lr={}'", table[1][0], table[1][1]);
    assert!(stderr(&output).contains(&best), "{}", stderr(&output));
    assert!(stdout(&output).contains("train.stages[1].lr"));
}

#[test]
fn a_random_search_is_seeded_and_resumable() {
    let desk = Desk::new();
    let over =
        ["--over", "train.stages[1].lr=1e-4..1e-1", "--over", "term.pde.points=10..20", "--steps", "5"];
    let command = [&["sweep", "bar.toml", "--random", "4", "--json"][..], &over].concat();
    let first = desk.run(&command);
    assert_eq!(code(&first), 0, "{}", stderr(&first));
    let again = desk.run(&command);
    assert_eq!(last_json(&first), last_json(&again));
    assert_eq!(desk.files("runs"), ["sweep-bar"], "the same request has the same folder");
    let last = last_json(&first);
    assert_eq!((&last["event"], &last["metric"]), (&"sweep".into(), &"rel_l2.u".into()));
    for row in last["rows"].as_array().unwrap() {
        let number = |key: &str| row["values"][key].as_str().unwrap().parse::<f64>().unwrap();
        assert!((1e-4..=1e-1).contains(&number("train.stages[1].lr")), "{row}");
        assert!((10.0..=20.0).contains(&number("term.pde.points")), "{row}");
    }
    desk.run(&[&command[..], &["--draw-seed", "1"]].concat());
    assert_eq!(desk.files("runs"), ["sweep-bar", "sweep-bar-2"], "other draws are another request");
}

#[test]
fn any_metric_can_be_sorted_by() {
    let desk = Desk::new();
    let command =
        ["sweep", "bar.toml", "--steps", "3", "--over", "term.ends.points=2,4", "--metric", "violation"];
    let output = desk.run(&[&command[..], &["--json", "--method", "adam"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let last = last_json(&output);
    let means: Vec<f64> =
        [0, 1].map(|row| last["rows"][row]["numbers"]["violation"]["mean"].as_f64().unwrap()).into();
    assert!(last["metric"] == "violation" && means.is_sorted(), "{last}");
}

#[test]
fn errors_show_before_anything_is_trained() {
    let desk = Desk::new();
    let cases: [(&[&str], &[&str]); 11] = [
        (&[], &["--over"]),
        (
            &["--over", "network.hidden"],
            &["error: `--over network.hidden` has no `=`\nhint: write for example `--over"],
        ),
        (&["--over", "network.hidden="], &["`--over network.hidden=` has no values after `=`", "hint:"]),
        (&["--over", "network.hidden=2x4,"], &["has an empty value", "a comma too many"]),
        (&["--over", "train.sed=1,2"], &["unknown key `sed`", "--> --over:1:7", "^^^ unknown key", "`seed`"]),
        (&["--over", "network.hidden=2x4,foo"], &["network.hidden=foo", "^^^ not understood", "hint:"]),
        (&["--over", "train.seed=1,2"], &["`--over train.seed=1` would have no effect", "--seeds"]),
        (&["--over", "constants.load=1..2"], &["`constants.load` are a range", "--random N"]),
        (&["--over", "constants.load=2..1", "--random", "3"], &["is an empty range", "hint:"]),
        (&["--over", "constants.load=1", "--over", "constants.load=2"], &["two `--over`"]),
        (
            &["--over", "constants.load=1", "--metric", "rel_l2.v"],
            &["unknown metric `rel_l2.v`", "`rel_l2.u`?"],
        ),
    ];
    for (options, expected) in cases {
        bad_input::refused("option", &desk, &[&["sweep", "bar.toml"], options].concat(), expected);
    }
}
