//! Texts that are almost right, and texts that are nothing at all: none may break the language, every error
//! lies inside its text, and the work is bounded.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::oracle::{rich, rich_text, spanned};
use super::*;

/// Texts of the normal run; each goes through every reader.
const CASES: u32 = 20_000;
/// Texts of the long run.
const MANY: u32 = 1_000_000;

/// The words of the language, and some that are none.
const WORDS: &[&str] = &[
    "u",
    "u_x",
    "u_xxxxx",
    "u_n",
    "u_q",
    "v",
    "k",
    "k_t",
    "k(",
    "x",
    "y",
    "t",
    "n",
    "n_x",
    "flux",
    "nu",
    "kappa",
    "q",
    "_",
    "π",
    "1",
    ".5",
    "1e999",
    "0",
    "2",
    "+",
    "-",
    "*",
    "**",
    "^",
    "/",
    "(",
    ")",
    ",",
    "=",
    "==",
    "<",
    "<=",
    ">",
    ">=",
    "≤",
    "&",
    "&&",
    "and",
    "or",
    "sin(",
    "sin",
    "d(",
    "max(",
    "cole_hopf(",
    "where(",
    "grad(",
    "div(",
    "dot(",
    "laplacian(",
    "caputo(",
    "integral(",
    "u(",
    "u_x(",
    "g(",
    "twin(",
    "slope(",
    "inverse(",
    "left",
    "current",
    "outflow",
    "boundary",
    "hole",
    " ",
    "\"",
    "\\",
    "²",
    "\u{0}",
];

/// Equations, expressions, places and regions that are mostly right.
fn valid() -> impl Strategy<Value = String> {
    let words = prop::sample::select(WORDS);
    prop_oneof![
        4 => rich_text(4),
        4 => (rich_text(3), rich_text(3)).prop_map(|(a, b)| format!("{a} = {b}")),
        2 => (rich_text(2), rich_text(2)).prop_map(|(a, b)| format!("x = 0 and {a} < {b} and boundary")),
        1 => Just("plate - (hole + a & b) & plate".to_owned()),
        2 => prop::collection::vec(words, 0..20).prop_map(|words| words.concat()),
        1 => "\\PC{0,40}",
    ]
}

/// One change of a text.
#[derive(Clone, Debug)]
enum Mutation {
    Delete(usize, usize),
    Insert(usize, &'static str),
    Character(usize, char),
    Swap(usize, usize),
    Nest(&'static str, usize),
    Repeat(&'static str, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = || 0..200_usize;
    let nests =
        prop::sample::select(&["(", "-", "sin(", "twin(", "d(", "u(", "where(", "integral(", "2^"][..]);
    let joints = prop::sample::select(&[" + ", "*", " and ", " - ", ", ", " < ", " & ", "^"][..]);
    prop_oneof![
        4 => (at(), 1..6_usize).prop_map(|(from, count)| Mutation::Delete(from, count)),
        6 => (at(), prop::sample::select(WORDS)).prop_map(|(at, word)| Mutation::Insert(at, word)),
        2 => (at(), any::<char>()).prop_map(|(at, character)| Mutation::Character(at, character)),
        3 => (at(), at()).prop_map(|(a, b)| Mutation::Swap(a, b)),
        1 => (nests, 1..40_usize).prop_map(|(nest, depth)| Mutation::Nest(nest, depth)),
        1 => (joints, 1..20_usize).prop_map(|(joint, times)| Mutation::Repeat(joint, times)),
    ]
}

fn mutated(mut text: String, mutation: &Mutation) -> String {
    let boundary = |text: &str, at: usize| text.floor_char_boundary(at.min(text.len()));
    match *mutation {
        Mutation::Delete(from, count) => {
            let (from, to) = (boundary(&text, from), boundary(&text, from.saturating_add(count)));
            text.replace_range(from..to, "");
        }
        Mutation::Insert(at, word) => text.insert_str(boundary(&text, at), word),
        Mutation::Character(at, character) => text.insert(boundary(&text, at), character),
        Mutation::Swap(a, b) => {
            let mut characters: Vec<char> = text.chars().collect();
            if !characters.is_empty() {
                let count = characters.len();
                characters.swap(a % count, b % count);
            }
            text = characters.into_iter().collect();
        }
        Mutation::Nest(nest, depth) => {
            let close = if nest.ends_with('(') { ")".repeat(depth) } else { String::new() };
            text = format!("{}{text}{close}", nest.repeat(depth));
        }
        // Lengths stay moderate: a long text is not a wilder one.
        Mutation::Repeat(joint, times) if text.len() < 500 => text = vec![text; times].join(joint),
        Mutation::Repeat(..) => {}
    }
    text
}

fn inside(text: &str, mistakes: &[Diagnostic]) -> Result<(), TestCaseError> {
    for mistake in mistakes {
        let span = mistake.span;
        prop_assert!(span.start <= span.end && span.end <= text.len(), "{text}: {mistake:?}");
        let whole = text.is_char_boundary(span.start) && text.is_char_boundary(span.end);
        prop_assert!(whole, "{text}: {mistake:?}");
        prop_assert!(!mistake.label.is_empty() && mistake.hint.is_some(), "{text}: {mistake:?}");
    }
    Ok(())
}

/// Refused with a reason, or understood.
fn refused<T>(text: &str, read: Result<T, Vec<Diagnostic>>) -> Result<(), TestCaseError> {
    match read {
        Ok(_) => Ok(()),
        Err(mistakes) => {
            prop_assert!(!mistakes.is_empty(), "refused without a reason: {text}");
            inside(text, &mistakes)
        }
    }
}

/// Every reader on the text.
fn unbroken(text: &str) -> Result<(), TestCaseError> {
    let (source, scope, mut graph) = (spanned(text), rich(), Graph::new());
    if let Ok(id) = equation(&source, &scope, &mut graph) {
        graph.display(id, &scope);
    }
    refused(text, equation(&source, &scope, &mut graph))?;
    refused(text, expression(&source, &scope, &mut graph))?;
    refused(text, number(&source, &scope))?;
    refused(text, place(&source, &scope, &mut graph))?;
    let names = ["plate", "hole", "a", "b"].map(str::to_owned);
    refused(text, shapes(&source, &names))?;
    defined(text, &source)
}

/// The text as a definition, a function, and in use.
fn defined(text: &str, source: &Spanned<String>) -> Result<(), TestCaseError> {
    let mut list = scope_definitions();
    list.push(Definition::new("first".to_owned(), None, source.clone()));
    list.push(Definition::new(
        "second".to_owned(),
        Some(vec!["x".to_owned(), "q".to_owned()]),
        source.clone(),
    ));
    let mistakes = definitions(&mut list, &rich());
    inside(text, &mistakes)?;
    let scope = Scope { definitions: &list, ..rich() };
    for use_of in ["u = first", "u = second(u, 2) + second(first, second(x, t))"] {
        let read = equation(&spanned(use_of), &scope, &mut Graph::new());
        // Without a reason only where the definition itself has one.
        prop_assert!(read.is_ok() || !mistakes.is_empty() || read.is_err_and(|m| !m.is_empty()), "{text}");
    }
    Ok(())
}

fn scope_definitions() -> Vec<Definition> {
    rich().definitions.to_vec()
}

/// The same texts in every run.
fn run(cases: u32) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let texts = (valid(), prop::collection::vec(mutation(), 0..5))
        .prop_map(|(text, mutations)| mutations.iter().fold(text, mutated));
    runner.run(&texts, |text| unbroken(&text)).unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn no_text_breaks_the_language() {
    run(CASES);
}

/// A million texts take minutes: on request.
#[test]
#[ignore = "minutes"]
fn no_text_of_a_million_breaks_the_language() {
    run(MANY);
}
