//! Bad input: a message with place and hint, exit code 2, nothing on stdout and nothing written.

use super::*;

/// The problem with one text replaced.
fn replaced(from: &str, to: &str) -> Vec<u8> {
    assert!(PROBLEM.contains(from), "{from}");
    PROBLEM.replacen(from, to, 1).into_bytes()
}

/// `what` is only for the message of a failing test.
pub(crate) fn refused(what: &str, desk: &Desk, arguments: &[&str], expected: &[&str]) {
    let before = desk.files(".");
    let output = desk.run(arguments);
    let said = stderr(&output);
    assert_eq!(code(&output), 2, "{what}, {arguments:?}: {said}");
    assert_eq!(stdout(&output), "", "{arguments:?}");
    assert_eq!(desk.files("."), before, "{arguments:?}");
    for text in expected {
        assert!(said.contains(text), "{what}, {arguments:?}: `{text}` is not in\n{said}");
    }
    assert!(!said.contains('\u{1b}') && !said.contains("panicked"), "{said}");
}

#[test]
fn every_error_in_a_file_has_its_place_and_hint() {
    #[rustfmt::skip]
    let cases: [(&str, Vec<u8>, &str, &str); 11] = [
        ("not UTF-8",            b"title = \"\xff\"\n".to_vec(),                        "not UTF-8",        "line 1"),
        ("not TOML",             replaced("[domain]", "[domain"),                       "error:",           "bar.toml:5"),
        ("unknown key",          replaced("[network]\nhidden", "[network]\nhiden"),     "hiden",            "did you mean `hidden`"),
        ("undefined name",       replaced("= load\"", "= laod\""),                      "laod",             "bar.toml:16"),
        ("no such coordinate",   replaced("u_xx", "u_yy"),                              "u_yy",             "bar.toml:16"),
        ("no points",            replaced("points   = 40", "points   = 0"),             "at least 1",       "bar.toml:17"),
        ("points as text",       replaced("points   = 40", "points   = \"many\""),      "points",           "bar.toml:17"),
        ("empty domain",         replaced("x = [0, 1]", "x = [1, 1]"),                  "empty",            "bar.toml:6"),
        ("nan constant",         replaced("load = 1.0", "load = nan"),                  "load",             "bar.toml:10"),
        ("constant that is nan", replaced("load = 1.0", "load = \"0/0\""),              "bar.toml:10",      "hint:"),
        ("no equals sign",       replaced("\"u = 0\"", "\"u\""),                        "needs `=`",        "bar.toml:21"),
    ];
    for (kind, content, first, second) in cases {
        let desk = Desk::with("bar.toml", &content);
        for command in ["solve", "check"] {
            let expected = [first, second, "hint:", "error:"];
            refused(kind, &desk, &[command, "bar.toml"], &expected);
        }
    }
}

#[test]
fn all_errors_are_shown_at_once() {
    let text = String::from_utf8(replaced("load = 1.0", "load = nan")).unwrap();
    let desk = Desk::with("bar.toml", text.replace("u_xx", "u_yy").replace("\"u = 0\"", "\"u\"").as_bytes());
    refused(
        "three errors",
        &desk,
        &["check", "bar.toml"],
        &["bar.toml:10", "bar.toml:16", "bar.toml:21", "3 errors"],
    );
}

#[test]
fn files_that_are_none() {
    let desk = Desk::new();
    refused("absent", &desk, &["solve", "bat.toml"], &["there is no file `bat.toml`", "hint:", "bar.toml"]);
    refused("folder", &desk, &["solve", "."], &["is a folder", "hint:", "bar.toml"]);
    refused("no file", &desk, &["solve"], &["<FILE>"]);
}

#[test]
fn options_that_make_no_sense() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("full")).unwrap();
    std::fs::write(desk.path("full/precious"), "").unwrap();
    let cases: [(&[&str], &[&str]); 10] = [
        (&["--out", "full"], &["`full` is not empty", "hint:", "--out"]),
        (&["--out", "bar.toml"], &["is a file", "hint:"]),
        (&["--profile", "paper"], &["paper", "hint:"]),
        (&["--set", "train.sed=1"], &["sed", "hint:"]),
        (&["--set", "train"], &["hint:"]),
        (&["--method", "adamflop"], &["adamflip"]),
        (&["--threads", "0"], &["--threads"]),
        (&["--seed=-1"], &["--seed"]),
        (&["--steps", "many"], &["--steps"]),
        (&["--frobnicate"], &["--frobnicate"]),
    ];
    for (options, expected) in cases {
        refused("option", &desk, &[&["solve", "bar.toml"], options].concat(), expected);
    }
    assert_eq!(desk.files("full"), ["precious"]);
    refused("case", &desk, &["bench", "--problems", "burger"], &["burgers"]);
    refused("seconds", &desk, &["bench", "--seconds", "0"], &["seconds"]);
}
