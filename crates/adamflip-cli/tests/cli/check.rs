//! `check`: what a problem was understood to be.

use super::*;

#[test]
fn a_problem_is_told_in_words() {
    let desk = Desk::new();
    let output = desk.run(&["check", "bar.toml"]);
    let said = stdout(&output);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    let expected = [
        "A bar under its own weight (bar)",
        "x, t in [0, 1]",
        "stiffness from 1, truth 1",
        "2x6 tanh, inputs scaled to [-1, 1], 67 parameters",
        "20 steps of adam (lr 1e-3), then 30 steps of adamflip",
        "pde: objective, 40 points everywhere (latin)",
        "ends: constraint, 10 points on x = 0, x = 1 (latin)",
        "1 stream: u",
        "50 points",
        "ms a step",
        "stiffness*u_xx + u_t - 1 = 0",
        "note: nothing is said on t = 0",
    ];
    for text in expected {
        assert!(said.contains(text), "`{text}` is not in\n{said}");
    }
    assert_eq!(desk.files("."), ["bar.toml"]);
}

#[test]
fn one_object_with_json() {
    let desk = Desk::new();
    let output =
        desk.run(&["check", "bar.toml", "--json", "--threads", "1", "--method", "adam", "--steps", "9"]);
    let lines = json_lines(&output);
    let [report] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((&report["event"], &report["points"]), (&"check".into(), &50.into()));
    assert_eq!((&report["threads"], &report["steps"]), (&1.into(), &9.into()));
    assert_eq!(report["stages"][0]["method"], "adam");
    assert_eq!(report["networks"][0]["parameters"], 67);
    assert!(report["flops_per_step"].as_u64().unwrap() > 0 && report["ms_per_step"].as_f64().unwrap() > 0.0);
    assert_eq!(
        (&report["warnings"], &report["notes"][0]),
        (&serde_json::json!([]), &"nothing is said on t = 0".into())
    );
    // Both second derivatives of an equation with an unknown factor travel on their own.
    assert_eq!(report["terms"]["pde"]["streams"].as_array().unwrap().len(), 4);
}

#[test]
fn oddities_are_warned_about() {
    let desk = Desk::with("bar.toml", PROBLEM.split("[reference]").next().unwrap().as_bytes());
    let all = ["check", "bar.toml", "--set", "term.ends.role=objective", "--method"];
    let check = |method| stdout(&desk.run(&[&all[..], &[method]].concat()));
    let said = check("adamflip");
    assert!(said.contains("warning: no term is a constraint"), "{said}");
    // Gauss–Newton is as good without.
    assert!(!check("newtonflip").contains("constraint"));
    assert!(said.contains("warning: there is no [reference]"), "{said}");
}

#[test]
fn conditions_and_references_are_tested() {
    let text = PROBLEM.replace("equation = \"u = 0\"", "equation = \"u = 1\"");
    let text = text.replace(
        "[reference]",
        "[term.start]\non = \"t = 0\"\nequation = \"u = 0\"\npoints = 5\n[reference]",
    );
    let desk = Desk::with("bar.toml", text.as_bytes());
    let output = desk.run(&["check", "bar.toml"]);
    let said = stdout(&output);
    let expected = [
        "warning: [term.ends] and [term.start] disagree where they meet: at x = 0, t = 0 they say u = 1 and u = 0",
        "warning: the reference does not satisfy [term.ends]: left minus right is 1.0e0 (rms), -1.0e0 at x = ",
        "warning: the reference does not satisfy [term.start]:",
    ];
    for text in expected {
        assert!(said.contains(text), "`{text}` is not in\n{said}");
    }
    // Warnings are no errors.
    assert_eq!(code(&output), 0);
}

#[test]
fn strict_inequalities_are_refused() {
    let desk =
        Desk::with("bar.toml", PROBLEM.replace("equation = \"u = 0\"", "equation = \"u < 1\"").as_bytes());
    let output = desk.run(&["check", "bar.toml"]);
    assert_eq!((code(&output), stdout(&output)), (2, String::new()));
    assert!(stderr(&output).contains("inequalit"), "{}", stderr(&output));
}

/// What the options ask for is held against the memory of the machine, as is what the file asks for.
#[test]
fn a_plan_that_does_not_fit_is_refused() {
    let desk = Desk::new();
    for options in [["--method", "newtonflip"], ["--finish", "trsqp"]] {
        let output =
            desk.run(&[&["check", "bar.toml", "--set", "term.ends.points=1000000"], &options[..]].concat());
        assert_eq!((code(&output), stdout(&output)), (2, String::new()));
        let said = stderr(&output);
        assert!(said.contains("GiB") && said.contains("`pointwise = false`"), "{said}");
    }
}
