//! The errors in numbers, names, operators and simple places, each with its place and its hint; those of
//! the other forms are in [`super::messages_forms`].

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
use Read::{Equation, Expression as Value, Number, Place as Region};

fn read(how: Read, text: &Spanned<String>) -> Vec<Diagnostic> {
    let mut graph = Graph::new();
    let mistakes = match how {
        Equation => equation(text, &scope(), &mut graph).err(),
        Value => expression(text, &scope(), &mut graph).err(),
        Number => number(text, &scope()).err(),
        Region => place(text, &scope(), &mut graph).err(),
    };
    assert!(
        mistakes.as_ref().is_none_or(|mistakes| !mistakes.is_empty()),
        "refused without a reason: {text:?}"
    );
    mistakes.unwrap_or_default()
}

fn shown(how: Read, text: &str) -> Vec<String> {
    lines(text, read(how, &spanned(text)))
}

/// One line an error: the marked text, the message, the label, the hint.
pub(super) fn lines(text: &str, mistakes: Vec<Diagnostic>) -> Vec<String> {
    let line = |mistake: Diagnostic| {
        let marked = &text[mistake.span.start..mistake.span.end];
        let hint = mistake.hint.unwrap_or_default();
        format!("[{marked}] {} | {} | {hint}", mistake.message, mistake.label)
    };
    mistakes.into_iter().map(line).collect()
}

#[test]
fn every_error_has_its_place_and_hint() {
    #[rustfmt::skip]
    let table: &[(Read, &str, &[&str])] = &[
        (Equation, "", &["[] the equation is empty | nothing here | write one like `u_t = u_xx`"]),
        (Equation, "u_t + u", &["[u_t + u] an equation needs `=` | no `=` here | write `u_t + u = 0`"]),
        (Equation, "periodic",
            &["[periodic] an equation needs `=` | no `=` here | a periodic condition compares both ends: `on = \"x = 0\"` with `equation = [\"u = u(1, t)\", \"u_x = u_x(1, t)\"]`; or write `periodic = [\"x\"]` in [network]"]),
        (Equation, "Neumann",
            &["[Neumann] an equation needs `=` | no `=` here | write the slope along the outward normal: `u_n = 0`"]),
        (Equation, "u_t == u_xx", &["[==] an equation is written with one `=` | two `=` | write `=`"]),
        (Equation, "u = v = p", &["[=] only one `=` is allowed | second `=` | write two equations"]),
        (Equation, "= u",
            &["[=] unexpected `=` | a number, a name or `(` is expected | complete what stands before it"]),
        (Equation, "u_t + = u",
            &["[=] unexpected `=` | a number, a name or `(` is expected | complete what follows `+`"]),
        (Equation, "u_t + u_xx =",
            &["[=] the text ends too early | a number, a name or `(` is expected after this | complete what follows `=`"]),
        (Equation, "u = 2x", &["[2x] an operator is missing | nothing stands between these two | write `2*x`"]),
        (Equation, "u = 2(x + 1)",
            &["[2(] an operator is missing | nothing stands between these two | write `2*(…)`"]),
        (Equation, "u = sin x",
            &["[sin x] an operator is missing | nothing stands between these two | write `sin(x)`"]),
        (Equation, "u = (x + 1)(x - 1)",
            &["[)(] an operator is missing | nothing stands between these two | write `(…)*(…)`"]),
        (Equation, "u = 1 2",
            &["[1 2] an operator is missing | nothing stands between these two | put an operator between the two numbers"]),
        (Equation, "u = (x + 1", &["[(] `(` is never closed | opened here | add `)`"]),
        (Equation, "u = x + 1)", &["[)] unexpected `)` | closes nothing | remove it, or add `(` before"]),
        (Equation, "u = kapa*q + vu", &[
            "[kapa] `kapa` is not defined | not defined | did you mean `kappa`?",
            "[q] `q` is not defined | not defined | known names: `x`, `t`, `y`, `u`, `v`, `p`, `kappa`, `nu`, `pi`, `e`",
            "[vu] `vu` is not defined | not defined | did you mean `nu`?",
        ]),
        (Equation, "u = (x + (kapa))", &["[kapa] `kapa` is not defined | not defined | did you mean `kappa`?"]),
        (Equation, "u_z = 0",
            &["[z] `u_z` is not a derivative by coordinates | `z` is not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Equation, "u_ = 0",
            &["[u_] `u_` has an empty subscript | by which coordinate? | the coordinates are `x`, `t`, `y`"]),
        (Equation, "u_x_t = 0",
            &["[_t] `u_x_t` is not a derivative by coordinates | `_t` is not a coordinate | write `u_xt`"]),
        (Equation, "u_xxxxx = 0",
            &["[u_xxxxx] `u_xxxxx` is a derivative of order 5 | order too high | derivatives up to order 4 are supported"]),
        (Equation, "w_x = 0", &["[w] `w` is not a field | not a field | the fields are `u`, `v`, `p`"]),
        (Equation, "kappa_x = u",
            &["[kappa_x] `kappa` is an unknown and has no derivatives | derivative of an unknown | the fields are `u`, `v`, `p`"]),
        (Equation, "nu_x = u",
            &["[nu_x] `nu` is a constant and has no derivatives | derivative of a constant | the fields are `u`, `v`, `p`"]),
        (Equation, "uu_x = 0", &["[uu] `uu` is not a field | not a field | the fields are `u`, `v`, `p`"]),
        (Equation, "u = sin(x, t)", &["[sin(x, t)] `sin` takes one argument | 2 given | write `sin(a)`"]),
        (Equation, "u = max(x)", &["[max(x)] `max` takes at least 2 arguments | 1 given | write `max(a, b)`"]),
        (Equation, "u = ln()", &["[ln()] `ln` takes one argument | 0 given | write `ln(a)`"]),
        (Equation, "u = cole_hopf(x, t)",
            &["[cole_hopf(x, t)] `cole_hopf` takes 3 arguments | 2 given | write `cole_hopf(x, t, nu)`"]),
        (Equation, "u = cole_hopf(x, u, nu)",
            &["[u] `cole_hopf` takes coordinates and constants only | depends on a field | `cole_hopf` has no derivatives by what is trained"]),
        (Equation, "u = sine(x)", &["[sine] `sine` is not a function | unknown function | did you mean `sin`?"]),
        (Equation, "u(x, 0) = 0",
            &["[u(x, 0)] a point of `u` has 3 coordinates | 2 given | write `u(x, t, y)`, or `u*(…)` for a product"]),
        (Equation, "u = sin", &["[sin] `sin` is a function | without its arguments | write `sin(a)`"]),
        (Equation, "u = d(x)",
            &["[d(x)] `d` takes at least 2 arguments | 1 given | write `d(expression, coordinate)`"]),
        (Equation, "u = d(u, nu)",
            &["[nu] derivatives are taken by coordinates | not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Equation, "u = d(u, x, x + t)",
            &["[x + t] derivatives are taken by coordinates | not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Equation, "u = d(u_xx, x, x, x)",
            &["[d(u_xx, x, x, x)] this derivative cannot be taken | it contains a derivative beyond order 4 | differentiate less often, or write the derivative out"]),
        (Equation, "u = d(cole_hopf(x, t, nu), x)",
            &["[d(cole_hopf(x, t, nu), x)] this derivative cannot be taken | `cole_hopf` cannot be differentiated | differentiate less often, or write the derivative out"]),
        (Equation, "u = 1/0", &["[0] division by zero | the value is 0 | divide by something that is not zero, or multiply the equation by it"]),
        (Equation, "u_t/0 + u_xx = 1", &["[0] division by zero | the value is 0 | divide by something that is not zero, or multiply the equation by it"]),
        (Equation, "u_t/(nu - nu) = 1",
            &["[(nu - nu)] division by zero | the value is 0 | divide by something that is not zero, or multiply the equation by it"]),
        (Equation, "u = d(0^x, x)",
            &["[d(0^x, x)] this is not a finite number | the value is -inf | look for a division by zero, an overflow, or a function outside its domain"]),
        (Equation, "u = 1e300*(1e300*x)",
            &["[1e300*(1e300*x)] this is not a finite number | the value is inf | look for a division by zero, an overflow, or a function outside its domain"]),
        (Equation, "u = log(-1)*q", &[
            "[log(-1)] this is not a finite number | the value is NaN | look for a division by zero, an overflow, or a function outside its domain",
            "[q] `q` is not defined | not defined | known names: `x`, `t`, `y`, `u`, `v`, `p`, `kappa`, `nu`, `pi`, `e`",
        ]),
        (Equation, "u² = 3·x", &[
            "[²] unexpected character `²` | has no meaning here | write `^2`",
            "[·] unexpected character `·` | has no meaning here | write `*` for a product",
        ]),
        (Equation, "u = 0,5",
            &["[,] unexpected `,` | separates the arguments of a function | write a decimal point as `.`, and places joined by `and`"]),
        (Equation, "u = x and v = t",
            &["[and] unexpected `and` | joins places and conditions | give each equation a term of its own"]),
        (Equation, "u < 3",
            &["[<] `<` is no condition that a solution can end on | a strict inequality | write `<=`; with a margin, `u >= 0.01`, where the bound itself is not allowed"]),
        (Equation, "0 <= u > x",
            &["[>] `>` is no condition that a solution can end on | a strict inequality | write `>=`; with a margin, `u >= 0.01`, where the bound itself is not allowed"]),
        (Equation, "u >= 0 = v",
            &["[=] unexpected `=` | an inequality before it | write the equation and the inequality in terms of their own"]),
        (Equation, "u = v <= 1",
            &["[<=] unexpected `<=` | an `=` before it | write the equation and the inequality in terms of their own"]),
        (Equation, "0 <= q <= 1",
            &["[q] `q` is not defined | not defined | known names: `x`, `t`, `y`, `u`, `v`, `p`, `kappa`, `nu`, `pi`, `e`"]),
        (Value, "u <= 1",
            &["[<=] unexpected `<=` | a comparison | comparisons are equations of a term, or stand inside `where(condition, a, b)` and in `on`"]),
        (Equation, "Kappa = Pi", &[
            "[Kappa] `Kappa` is not defined | not defined | did you mean `kappa`?",
            "[Pi] `Pi` is not defined | not defined | did you mean `pi`?",
        ]),
        (Value, "u = 3", &["[=] unexpected `=` | only an equation has `=` | give the right side alone"]),
        (Value, "", &["[] the expression is empty | nothing here | write a value like `sin(pi*x)`"]),
        (Value, "sin(u, ",
            &["[,] the text ends too early | a number, a name or `(` is expected after this | complete what follows `,`"]),
        (Value, "*x",
            &["[*] unexpected `*` | a number, a name or `(` is expected | complete what stands before it"]),
        (Value, "()", &["[)] unexpected `)` | a number, a name or `(` is expected | complete what follows `(`"]),
        (Number, "u + 1", &["[u] `u` is a field | only constants may stand here | the constants are `nu`"]),
        (Number, "x", &["[x] `x` is a coordinate | only constants may stand here | the constants are `nu`"]),
        (Number, "2*kappa",
            &["[kappa] `kappa` is an unknown | only constants may stand here | the constants are `nu`"]),
        (Number, "0/0", &["[0] division by zero | the value is 0 | divide by something that is not zero, or multiply the equation by it"]),
        (Number, "1e300/1e-300",
            &["[1e300/1e-300] this is not a finite number | the value is inf | look for a division by zero, an overflow, or a function outside its domain"]),
        (Number, "numm", &["[numm] `numm` is not defined | not defined | known names: `nu`, `pi`, `e`"]),
        (Region, "t", &["[t] a place needs `=` or a comparison | a value alone | write like `t = 0`, `x < 0.5`, or the name of a shape"]),
        (Region, "t = ",
            &["[=] the text ends too early | a number, a name or `(` is expected after this | complete what follows `=`"]),
        (Region, "t = x", &["[x] `x` is a coordinate | only constants may stand here | the constants are `nu`"]),
        (Region, "u = 0",
            &["[u] a place fixes a coordinate | not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Region, "x + 1 = 0",
            &["[x + 1] a place fixes a coordinate | not a coordinate | the coordinates are `x`, `t`, `y`"]),
        (Region, "x = 0 and x = 1", &["[x] `x` is fixed twice | second value | write several places as a list"]),
        (Region, "x = 0 or x = 1",
            &["[or] unexpected `or` | joins conditions in parentheses | write several places as a list"]),
        (Region, "x = 0, t = 0",
            &["[,] unexpected `,` | separates the arguments of a function | write a decimal point as `.`, and places joined by `and`"]),
        (Region, "x = 1/0", &["[0] division by zero | the value is 0 | divide by something that is not zero, or multiply the equation by it"]),
        (Region, "x = 0 and t",
            &["[t] a place needs `=` or a comparison | a value alone | write like `t = 0`, `x < 0.5`, or the name of a shape"]),
        (Region, "z = q", &[
            "[z] a place fixes a coordinate | not a coordinate | the coordinates are `x`, `t`, `y`",
            "[q] `q` is not defined | not defined | known names: `nu`, `pi`, `e`",
        ]),
        (Number, "q_x + 1", &["[q_x] `q_x` is not defined | not defined | known names: `nu`, `pi`, `e`"]),
        (Region, "x_t = 0",
            &["[x_t] a place fixes a coordinate | not a coordinate | the coordinates are `x`, `t`, `y`"]),
    ];
    for (how, text, expected) in table {
        assert_eq!(shown(*how, text), *expected, "{how:?} {text}");
    }
}

#[test]
fn unknown_functions_are_listed_or_guessed() {
    assert!(shown(Value, "heaviside(x)")[0].contains("the functions are `sin`, `cos`, "));
}

#[test]
fn ambiguous_subscripts() {
    let (coordinates, fields) = (["x".to_owned(), "xx".to_owned()], ["u".to_owned()]);
    let scope = Scope { coordinates: &coordinates, fields: &fields, ..Scope::default() };
    let mistakes = expression(&spanned("u_xx"), &scope, &mut Graph::new()).unwrap_err();
    assert_eq!(mistakes[0].message, "`u_xx` can be read in two ways");
    assert_eq!(mistakes[0].hint.as_deref(), Some("write `d(u, …)` and list the coordinates `x`, `xx`"));
}

#[test]
fn deep_nesting() {
    let text = "(".repeat(10_000);
    assert_eq!(read(Value, &spanned(&text))[0].message, "the expression is nested too deeply");
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
    let at = |text: &str| place(&spanned(text), &scope(), &mut Graph::new()).unwrap().fixed;
    assert_eq!(at("t = 0"), [(1, 0.0)]);
    assert_eq!(at("x = -1 and t = 2*nu"), [(0, -1.0), (1, 2.0 * 0.01 / std::f64::consts::PI)]);
}

#[test]
fn repeated_derivatives_stay_bounded() {
    let text = (0..150).fold("exp(sin(x)*tan(x))".to_owned(), |inner, _| format!("d({inner}, x)"));
    assert_eq!(read(Value, &spanned(&text)).len(), 1);
}
