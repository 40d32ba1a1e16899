//! `bench`: one line a case and method.

use super::*;

#[test]
fn every_method_has_its_line() {
    let desk = Desk::new();
    let short = ["--seconds", "0.02", "--repeat", "2", "--threads", "1"];
    let pair = ["bench", "--json", "--problems", "burgers", "--methods", "adam,adamflip"];
    let output = desk.run(&[&pair, &short[..]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let lines = json_lines(&output);
    assert_eq!(lines.len(), 2);
    for (line, method) in lines.iter().zip(["adam", "adamflip"]) {
        assert_eq!((&line["event"], &line["problem"]), (&"bench".into(), &"burgers".into()));
        assert_eq!(
            (&line["method"], &line["points"], &line["threads"]),
            (&method.into(), &300.into(), &1.into())
        );
        for key in ["ms_per_step", "gflops", "peak_fraction"] {
            assert!(line[key].as_f64().unwrap() > 0.0, "{key}: {line}");
        }
    }
    let few = ["bench", "--problems", "heat", "--methods", "adam", "--points", "64"];
    let output = desk.run(&[&few, &short[..]].concat());
    assert!(stdout(&output).contains("1064") && stdout(&output).contains("FMA peak"), "{}", stdout(&output));
    assert_eq!(desk.files("."), ["bar.toml"]);
}
