//! Every mistake that the language knows, with its place and its hint; and that no text, however wild, breaks it.

use proptest::prelude::*;

use super::oracle::{scope, spanned};
use super::*;

/// Which entry point reads the text.
#[derive(Clone, Copy, Debug)]
enum Read {
    Equation,
    Expression,
    Number,
    Place,
}
use Read::{Equation, Expression as Value, Number, Place};

fn read(how: Read, text: &Spanned<String>) -> Vec<Diagnostic> {
    let mut graph = Graph::new();
    match how {
        Equation => equation(text, &scope(), &mut graph).err(),
        Value => expression(text, &scope(), &mut graph).err(),
        Number => number(text, &scope()).err(),
        Place => place(text, &scope()).err(),
    }
    .unwrap_or_default()
}

/// One line a mistake: the marked text, the message, the label, the hint.
fn shown(how: Read, text: &str) -> Vec<String> {
    let line = |mistake: Diagnostic| {
        let marked = &text[mistake.span.start..mistake.span.end];
        let hint = mistake.hint.unwrap_or_default();
        format!("[{marked}] {} | {} | {hint}", mistake.message, mistake.label)
    };
    read(how, &spanned(text)).into_iter().map(line).collect()
}

#[test]
fn every_mistake_has_its_place_and_hint() {
    #[rustfmt::skip]
    let table: &[(Read, &str, &[&str])] = &[
        (Equation, "", &["[] the equation is empty | nothing here | "]),
        (Equation, "u_t + u", &["[u_t + u] an equation needs `=` | no `=` here | write `u_t + u = 0`"]),
    ];
    for (how, text, expected) in table {
        assert_eq!(shown(*how, text), *expected, "{how:?} {text}");
    }
}

#[test]
fn escaped_texts_are_marked_whole() {
    let span = crate::diagnostic::Span { source: 2, start: 10, end: 30 };
    let mistakes = read(Equation, &Spanned { value: "q = 1".to_owned(), span });
    assert_eq!(mistakes[0].span, span);
    let exact = crate::diagnostic::Span { source: 2, start: 10, end: 15 };
    let mistakes = read(Equation, &Spanned { value: "1 = q".to_owned(), span: exact });
    assert_eq!(mistakes[0].span, crate::diagnostic::Span { source: 2, start: 14, end: 15 });
}

#[test]
fn numbers_and_places() {
    let value = |text: &str| number(&spanned(text), &scope()).unwrap();
    assert_eq!(value("0.01/pi"), 0.01 / std::f64::consts::PI);
    assert_eq!(value("2*pi - e"), std::f64::consts::TAU - std::f64::consts::E);
    assert_eq!(value("gamma(5)/min(2, 3)^3"), 3.0);
    let at = |text: &str| place(&spanned(text), &scope()).unwrap();
    assert_eq!(at("t = 0"), [(1, 0.0)]);
    assert_eq!(at("x = -1 and t = 2*nu"), [(0, -1.0), (1, 2.0 * 0.01 / std::f64::consts::PI)]);
}

#[test]
fn repeated_derivatives_stay_bounded() {
    let text = (0..150).fold("exp(sin(x)*tan(x))".to_owned(), |inner, _| format!("d({inner}, x)"));
    assert_eq!(read(Value, &spanned(&text)).len(), 1);
}

fn in_bounds(text: &str) -> Result<(), TestCaseError> {
    for how in [Equation, Value, Number, Place] {
        for mistake in read(how, &spanned(text)) {
            let span = mistake.span;
            prop_assert!(span.start <= span.end && span.end <= text.len(), "{text}: {mistake:?}");
            prop_assert!(
                text.is_char_boundary(span.start) && text.is_char_boundary(span.end),
                "{text}: {mistake:?}"
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn any_characters(text in "\\PC{0,40}") {
        in_bounds(&text)?;
    }

    #[test]
    fn any_words(words in prop::collection::vec(prop::sample::select(&[
        "u", "u_x", "u_xxxxx", "u_q", "x", "nu", "kappa", "q", "_", "u_", "π", "1", ".5", "1e999", "+", "-", "*", "**", "^", "/",
        "(", ")", ",", "=", "==", "and", "or", "sin", "d(", "d", "max(", "cole_hopf(", "pow(", " ", "²", "0",
    ][..]), 0..14)) {
        in_bounds(&words.concat())?;
        in_bounds(&words.join(" "))?;
    }
}
