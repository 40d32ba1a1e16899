//! The messages for errors, the shipped files, and files changed at random.

mod adaptive;
mod embeddings;
mod mutations;
mod names;
mod networks;
mod notation;
mod observations;
mod overrides;
mod regions;
mod sections;
mod shapes;
mod syntax;
mod unknowns;
mod values;

use super::{Overrides, Parsed, parse};
use crate::diagnostic::render;

/// The smallest valid problem; the tests of messages change one thing in it.
const SMALL: &str = "\
fields = ['u']
[domain]
x = [0, 1]
[term.pde]
equation = 'u_xx = 0'
points = 10
";

const BURGERS: &str = include_str!("../../../../../problems/burgers_forward.toml");

fn read(text: &str) -> Parsed {
    parse("small.toml", text, &Overrides::default())
}

/// The rendered errors of a text.
fn complaints(text: &str) -> String {
    let parsed = read(text);
    render(&parsed.sources, &parsed.diagnostics, false)
}

/// The rendered errors of the small problem after one change.
fn changed(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from} is not in the small problem");
    complaints(&SMALL.replacen(from, to, 1))
}

/// The rendered errors of the small problem with something added at its end.
fn added(text: &str) -> String {
    complaints(&format!("{SMALL}{text}\n"))
}

/// The rendered errors of a problem in the plane with these lines in `[shapes]`.
fn shaped(lines: &str) -> String {
    let plane = SMALL.replace("x = [0, 1]", "x = [0, 1]\ny = [0, 1]");
    complaints(&format!("{plane}[shapes]\n{lines}\n"))
}

#[test]
fn the_small_problem_has_no_error() {
    assert_eq!(complaints(SMALL), "");
}
