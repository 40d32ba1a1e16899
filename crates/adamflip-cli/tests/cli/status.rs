//! What a run says of its end: tolerances, statuses, warnings, diagnostics.

use super::*;

/// Solves the bar with these overrides; the exit code and the summary.
fn solve(desk: &Desk, set: &[&str]) -> (i32, serde_json::Value) {
    let mut arguments = vec!["solve", "bar.toml", "--json"];
    set.iter().for_each(|set| arguments.extend(["--set", *set]));
    let output = desk.run(&arguments);
    assert!(!stdout(&output).is_empty(), "{}", stderr(&output));
    (code(&output), last_json(&output))
}

#[test]
fn tolerances_decide_the_exit_code() {
    let desk = Desk::new();
    for (tolerance, expected, met) in
        [("max < 1e3", 0, true), ("max < 1e-9", 1, false), ("rms < 1e-9", 1, false)]
    {
        let (code, summary) = solve(&desk, &[&format!("term.ends.tolerance={tolerance}")]);
        let verdict = &summary["terms"]["ends"]["tolerance"];
        assert_eq!((code, &verdict["met"]), (expected, &met.into()), "{tolerance}: {summary}");
        // Ten points are trained on; the verdict is that of others.
        assert_eq!(verdict["points"], 10_000);
        let overall = if met { "met" } else { "missed" };
        assert_eq!(summary["certificate"]["verdict"], overall);
        let measured = verdict["measured"].as_f64().unwrap();
        assert_ne!(Some(measured), summary["terms"]["ends"]["max"].as_f64());
    }
    let output = desk.run(&["solve", "bar.toml", "--steps", "5", "--set", "term.ends.tolerance=mse < 1e-20"]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    assert!(text.contains("mse < 1e-20 NOT MET"), "{text}");
    assert!(
        text.contains("`ends` missed: mse ") && text.contains("at 10000 points where 1e-20 was asked"),
        "{text}"
    );
    assert!(text.contains(" certificate        1 of 1 tolerance missed: ends"), "{text}");
    assert!(text.contains(" KKT residual       "), "{text}");
}

#[test]
fn every_early_end_has_its_status() {
    let desk = Desk::new();
    let long = "train.stages=[{ method = \"adam\", steps = 100000, lr = 1e-2 }]";
    let still = "train.stages=[{ method = \"adam\", steps = 100000, lr = 1e-12 }]";
    let easy = "term.ends.tolerance=max < 0.5";
    for (set, status) in [
        (&[long, easy, "train.stop_when_feasible=true"][..], "feasible"),
        (&[still, "train.patience=100"], "stagnated"),
        (&[long, "train.tolerance=1e3", "term.ends.role=\"objective\""], "converged"),
    ] {
        let (code, summary) = solve(&desk, set);
        assert_eq!((code, &summary["status"]), (0, &status.into()), "{summary}");
        assert!(summary["advice"].as_str().unwrap().len() > 20, "{summary}");
        assert!(summary["steps"].as_u64().unwrap() < 100_000);
    }
}

#[test]
fn contradicting_constraints_are_told_once() {
    let text =
        format!("{PROBLEM}\n[term.again]\non = [\"x = 0\", \"x = 1\"]\nequation = \"u = 1\"\npoints = 10\n");
    let desk = Desk::with("bar.toml", text.as_bytes());
    let stages = "train.stages=[{ method = \"adamflip\", steps = 300, lr = 1e-3 }]";
    let output = desk.run(&["solve", "bar.toml", "--json", "--set", stages]);
    let said = stderr(&output);
    assert_eq!(said.matches("contradict each other").count(), 1, "{said}");
    assert!(said.contains("warning: the constraints `ends` and `again` contradict each other"), "{said}");
    let summary = last_json(&output);
    let warnings = summary["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{summary}");
    assert_eq!(warnings[0]["kind"], "conflicting");
    assert_eq!(warnings[0]["terms"], serde_json::json!(["ends", "again"]));
    assert!(summary["advice"].as_str().unwrap().contains("`ends` and `again` contradict each other"));
}

#[test]
fn the_history_has_diagnostics_of_every_row() {
    let desk = Desk::new();
    let stages =
        "train.stages=[{ method = \"adamflip\", steps = 40 }, { method = \"adamflip_split\", steps = 40 }]";
    let output = desk.run(&["solve", "bar.toml", "--set", stages, "--set", "train.observe=10"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let history = std::fs::read_to_string(desk.path("runs/bar-0/history.csv")).unwrap();
    let mut lines = history.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |name: &str| header.iter().position(|known| *known == name).unwrap();
    let steps: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(steps, ["1", "10", "20", "30", "40", "50", "60", "70", "80"]);
    for row in &rows {
        for name in ["kkt", "gain", "predicted", "rank", "multiplier_ends", "ends_rms", "ends_max"] {
            let value: f64 = row[column(name)].parse().unwrap();
            assert!(value.is_finite(), "{name} in step {}: {value}", row[0]);
        }
        let square: f64 = row[column("ends_mse")].parse().unwrap();
        let root: f64 = row[column("ends_rms")].parse().unwrap();
        assert!((root * root / square - 1.0).abs() < 1e-12, "a root and its square, to rounding");
    }
    // Aggregated: one constraint. Pointwise: ten residuals.
    assert_eq!(rows[0][column("rank")], "1e0");
    assert_ne!(rows[8][column("rank")], "1e0");
}
