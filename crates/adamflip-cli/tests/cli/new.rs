//! `new`: starter files that say what they mean and train.

use super::*;

const KINDS: [&str; 4] = ["forward", "inverse", "ode", "fractional"];

#[test]
fn every_kind_is_correct_and_learns() {
    let desk = Desk::new();
    for kind in KINDS {
        let output = desk.run(&["new", kind, "--kind", kind]);
        let file = format!("{kind}.toml");
        assert_eq!((code(&output), stdout(&output)), (0, format!("{file}\n")), "{}", stderr(&output));
        let check = desk.run(&["check", &file, "--json"]);
        assert_eq!(code(&check), 0, "{}", stderr(&check));
        let error = |steps: &str| {
            let output = desk.run(&["solve", &file, "--json", "--steps", steps]);
            last_json(&output)["rel_l2"]["u"].as_f64()
        };
        let listed = stdout(&desk.run(&["list", "--problems", ".", "--runs", ".", "--json"]));
        assert!(
            listed.contains(&format!("\"name\":\"{kind}\""))
                && listed.contains(&format!("\"kind\":\"{kind}\""))
        );
        // The networks begin near zero, where the error is about 1.
        let (first, later) = (error("0").unwrap(), error("320").unwrap());
        assert!(later < 0.01 * first, "{kind}: {first} {later}");
    }
}

#[test]
fn every_key_is_explained() {
    let desk = Desk::new();
    for kind in KINDS {
        desk.run(&["new", kind, "--kind", kind]);
        let text = std::fs::read_to_string(desk.path(&format!("{kind}.toml"))).unwrap();
        for (number, line) in text.lines().enumerate() {
            assert!(line.len() < 121, "{kind}:{}: {line}", number + 1);
        }
        for key in [
            "[domain]",
            "points   =",
            "role     =",
            "on       =",
            "[reference]",
            "hidden     =",
            "seed     =",
        ] {
            let line = text.lines().find(|line| line.starts_with(key)).unwrap();
            assert!(line.contains('#'), "{kind}: {line}");
        }
    }
}

#[test]
fn nothing_is_overwritten() {
    let desk = Desk::new();
    let refused = |name: &str, expected: &str| {
        let output = desk.run(&["new", name]);
        assert_eq!((code(&output), stderr(&output)), (2, expected.to_owned()));
    };
    refused(
        "bar",
        "error: there is already a file `bar.toml`\nhint: nothing is overwritten: choose another name\n",
    );
    refused(
        "none/heat",
        "error: there is no folder for `none/heat.toml`\nhint: make the folder first, or name the file here\n",
    );
    refused(
        "..",
        "error: `..` is not the name of a problem\nhint: write a name, for example `adamflip new heat`\n",
    );
    assert_eq!(std::fs::read_to_string(desk.path("bar.toml")).unwrap(), PROBLEM);
}
