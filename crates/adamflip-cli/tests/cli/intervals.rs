//! How well unknowns are known: `adamflip intervals`, and what `solve` says of them and of the error.

use super::*;

/// A decay whose rate is to be found from noisy observations.
fn decay() -> String {
    super::testing::DECAY.replace("k = {", "rate = {").replace("-k*u", "-rate*u")
}

#[test]
fn unknowns_come_with_intervals() {
    let desk = Desk::with("decay.toml", decay().as_bytes());
    let output = desk.run(&["solve", "decay.toml", "--out", "run", "--json"]);
    let summary = last_json(&output);
    let known = &summary["unknowns"]["rate"];
    let ends = |known: &serde_json::Value| {
        let end = |i: usize| known["interval"][i].as_f64().unwrap();
        (end(0), known["value"].as_f64().unwrap(), end(1))
    };
    let (lower, value, upper) = ends(known);
    assert!(lower < value && value < upper && known["identified"] == true, "{known}");
    assert!(summary["estimate"]["u"]["rel_l2"].as_f64().unwrap() > 0.0, "{summary}");
    // The same from the folder, and the profile beside it.
    let output = desk.run(&["intervals", "run", "--likelihood", "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let again = last_json(&output);
    assert_eq!(ends(&again["unknowns"]["rate"]), (lower, value, upper));
    let curve = again["unknowns"]["rate"]["likelihood"]["curve"].as_array().unwrap();
    assert_eq!(curve.len(), 9);
    let table = stdout(&desk.run(&["intervals", "run"]));
    assert!(table.contains("rate") && table.contains("±"), "{table}");
}

/// The bar has neither data nor an initial state: any stiffness does.
#[test]
fn an_unknown_that_nothing_determines_has_a_warning_and_no_interval() {
    let desk = Desk::new();
    let output = desk.run(&["solve", "bar.toml", "--out", "run"]);
    assert!(stdout(&output).contains("`stiffness` is not determined"), "{}", stdout(&output));
    let known = &last_json(&desk.run(&["intervals", "run", "--json"]))["unknowns"]["stiffness"];
    assert!(known["identified"] == false && known["interval"].is_null(), "{known}");
    assert!(stdout(&desk.run(&["intervals", "run"])).contains("–"));
}

#[test]
fn a_run_without_unknowns_has_none() {
    let text = "fields = [\"u\"]\n[domain]\nx = [0, 1]\n[term.ode]\nequation = \"u_x = u\"\npoints = 9\n\
                [network]\nhidden = [4]\n[train]\nstages = [{ method = \"adam\", steps = 3 }]\n";
    let desk = Desk::with("plain.toml", text.as_bytes());
    let output = desk.run(&["solve", "plain.toml", "--out", "run"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let output = desk.run(&["intervals", "run"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("the run in `run` has no unknown numbers"), "{}", stderr(&output));
}
