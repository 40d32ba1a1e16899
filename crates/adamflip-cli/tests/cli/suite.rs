//! `suite`: the standard problems.

use super::*;

fn standard() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems/standard")
}

#[test]
fn every_standard_problem_passes_the_check() {
    let desk = Desk::new();
    for name in names(&standard()).iter().filter(|name| name.ends_with(".toml")) {
        let output = desk.run(&["check", &standard().join(name).to_string_lossy(), "--json"]);
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
        let text = std::fs::read_to_string(standard().join(name)).unwrap();
        // They are solved by the default network and plan.
        assert!(!text.contains("[network]") && !text.contains("[train]"), "{name}");
    }
}

#[test]
fn a_problem_is_solved_within_its_time_and_stands_beside_the_published() {
    let desk = Desk::new();
    let folder = standard().to_string_lossy().into_owned();
    let command =
        ["suite", "wave", "lorenz_inverse", "--budget", "1s", "--jobs", "1", "--problems", folder.as_str()];
    let output = desk.run(&[&command[..], &["--json"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let last = last_json(&output);
    assert_eq!((&last["event"], &last["folder"]), (&"suite".into(), &"runs/suite".into()));
    let [wave, lorenz] = &last["rows"].as_array().unwrap()[..] else { panic!("{last}") };
    assert_eq!((&wave["problem"], &wave["runs"], &wave["failed"]), (&"wave".into(), &1.into(), &0.into()));
    assert!(wave["errors"]["u"]["mean"].as_f64().unwrap() > 0.0, "{wave}");
    assert!(wave["published"]["source"].as_str().unwrap().contains("PINNacle"), "{wave}");
    // A second for the steps; the estimate after them is not counted.
    assert!(wave["seconds"]["mean"].as_f64().unwrap() < 10.0, "{wave}");
    assert!(lorenz["errors"]["sigma"]["mean"].is_number() && lorenz["published"].is_null(), "{lorenz}");
    assert_eq!(desk.files("runs/suite/runs"), ["lorenz_inverse-0-1s", "wave-0-1s"]);
    // The same again shows what was found.
    let again = desk.run(&command);
    let text = stdout(&again);
    assert!(text.contains("wave") && text.contains("[1] Hao et al., PINNacle"), "{text}");
    assert_eq!(text, std::fs::read_to_string(desk.path("runs/suite/results/table.txt")).unwrap());
}

#[test]
fn what_is_no_standard_problem_is_refused() {
    let desk = Desk::new();
    for (arguments, expected) in [
        (&["suite", "heat"][..], &["heat", "possible values", "allen_cahn"][..]),
        (&["suite", "wave", "--budget", "2 fortnights"], &["--budget", "`5m`"]),
        (&["suite", "wave", "--problems", "none"], &["none/wave.toml"]),
    ] {
        let output = desk.run(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        let said = stderr(&output);
        assert!(expected.iter().all(|word| said.contains(word)), "{said}");
        assert!(!desk.path("runs").exists());
    }
}
