//! What the forms beyond arithmetic mean: each in terms of simpler ones.

use super::oracle::{parse_rich, rich, spanned};
use super::*;

#[test]
fn forms_mean_what_they_abbreviate() {
    #[rustfmt::skip]
    let table = [
        ("laplacian(u)",                   "u_xx + u_yy"),
        ("laplacian(u*x)",                 "d(u*x, x, x) + d(u*x, y, y)"),
        ("laplacian(k)",                   "k_xx"),
        ("div(kappa*grad(u))",             "kappa*u_xx + kappa*u_yy"),
        ("div(u, v)",                      "u_x + v_y"),
        ("div(-grad(u)/2)",                "d(-u_x/2, x) + d(-u_y/2, y)"),
        ("div(grad(u) + x*grad(v))",       "d(u_x + x*v_x, x) + d(u_y + x*v_y, y)"),
        ("div(k*slope(u))",                "d(k*u_x, x) + d(k*u_y, y)"),
        ("dot(grad(u), grad(v))",          "u_x*v_x + u_y*v_y"),
        ("u_n",                            "n_x*u_x + n_y*u_y"),
        ("k_n",                            "n_x*k_x"),
        ("dot(grad(u), n)",                "u_n"),
        ("d(u*v, n)",                      "n_x*d(u*v, x) + n_y*d(u*v, y)"),
        ("d(u, t, n)",                     "n_x*u_xt + n_y*u_yt"),
        ("outflow",                        "kappa*u_x*u_n"),
        ("where(x > 0.5, 1, 2)",           "where(0.5 < x, 1, 2)"),
        ("where(x < 0, 1, t < 1, u, 3)",   "where(x < 0, 1, where(t < 1, u, 3))"),
        ("where(0 < x < 1, u, v)",         "where(0 < x and x < 1, u, v)"),
        ("where(left, u, v)",              "where(x < 0.5, u, v)"),
        ("where(1 < 2 and x < 1, u, v)",   "where(x < 1, u, v)"),
        ("where(2 < 1 or x < 1, u, v)",    "where(x < 1, u, v)"),
        ("where(2 < 1 and x < 1, u, v)",   "v"),
        ("d(where(x < 1, u, v), x)",       "where(x < 1, u_x, v_x)"),
        ("u(x, t, y)",                     "u"),
        ("k(x)",                           "k"),
        ("d(u(0, t, y), t)",               "u_t(0, t, y)"),
        ("d(u(2*x + t, t^2, y), t)",       "u_x(2*x + t, t^2, y) + 2*t*u_t(2*x + t, t^2, y)"),
        ("d(k(2*x), x)",                   "2*k_x(2*x)"),
        ("d(k(2*x), t)",                   "0"),
        ("d(k, t)",                        "0"),
        ("d(k*u, t)",                      "k*u_t"),
        ("integral(u, x)",                 "integral(u, x, -1, 1)"),
        ("integral(u, x, y)",              "integral(integral(u, x, -1, 1), y, 0, 0.5)"),
        ("integral(u, x, t, y)",           "integral(integral(integral(u, x), t), y)"),
        ("integral(u, x, 1, 1)",           "0"),
        ("d(integral(u, x), t)",           "integral(u_t, x)"),
        ("d(integral(u*x, x), x)",         "0"),
        ("d(integral(u, t, 0, t), t)",     "u"),
        ("d(integral(u, t, t, 1), t)",     "-u"),
        ("laplacian(integral(u, t, 0, t))", "integral(u_xx, t, 0, t) + integral(u_yy, t, 0, t)"),
        ("d(caputo(u, t, 0.5), x)",        "caputo(u_x, t, 0.5)"),
        ("caputo(3, t, 0.5)",              "0"),
        ("g(x)",                           "exp(-x^2)"),
        ("g(g(u))",                        "exp(-exp(-u^2)^2)"),
        ("d(current, x)",                  "kappa*u_xx"),
        ("d(g(u), x)",                     "d(exp(-u^2), x)"),
        ("inverse(2, 1)",                  "1"),
    ];
    let mut graph = Graph::new();
    for (text, simpler) in table {
        let (left, right) = (parse_rich(text, &mut graph), parse_rich(simpler, &mut graph));
        let shown = [left, right].map(|id| graph.display(id, &rich()));
        assert_eq!(left, right, "{text}: {shown:?}");
    }
}

#[test]
fn a_coordinate_named_n_is_no_normal() {
    let names = ["n", "x"].map(str::to_owned);
    let (fields, attributes) = (["u".to_owned()], ["n_x".to_owned()]);
    let scope = Scope { coordinates: &names, fields: &fields, attributes: &attributes, ..Scope::default() };
    let mut graph = Graph::new();
    let mut read = |text: &str| expression(&spanned(text), &scope, &mut graph).unwrap();
    assert_eq!(read("u_n"), read("d(u, n)"));
    assert_ne!(read("u_n"), read("n_x*u_x"));
    // A field's derivative is none of the normal's components either.
    let fields = ["n".to_owned()];
    let scope =
        Scope { coordinates: &names[1..], fields: &fields, attributes: &attributes, ..Scope::default() };
    assert_eq!(
        expression(&spanned("n_x"), &scope, &mut graph),
        expression(&spanned("d(n, x)"), &scope, &mut graph)
    );
}

#[test]
fn places() {
    let mut graph = Graph::new();
    let mut at = |text: &str| place(&spanned(text), &rich(), &mut graph).unwrap();
    let read = at("x = 0 and boundary and 0.25 < y and t <= 2*1 and hole");
    assert_eq!(read.fixed, [(0, 0.0)]);
    assert_eq!(read.ranges, [(2, Some(0.25), None), (1, None, Some(2.0))]);
    let names: Vec<&str> = read.names.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["boundary", "hole"]);
    assert_eq!((read.names[1].1.start, read.names[1].1.end), (49, 53));
    assert_eq!(at("0 < x < 1 and x > 0.5").ranges, [(0, Some(0.5), Some(1.0))]);
    let read = at("x^2 + y^2 > 0.25 and (x < 0 or y < 0) and left and x < y");
    assert_eq!((read.ranges.len(), read.conditions.len()), (0, 4));
    let shown: Vec<String> = read.conditions.iter().map(|&id| graph.display(id, &rich())).collect();
    assert_eq!(shown, ["0.25 < x^2 + y^2", "x < 0 or y < 0", "x < 0.5", "x < y"]);
}

fn defined(list: &[(&str, Option<&[&str]>, &str)]) -> Vec<Definition> {
    let strings = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let define = |(name, parameters, body): &(&str, Option<&[&str]>, &str)| {
        Definition::new((*name).to_owned(), parameters.map(strings), spanned(body))
    };
    list.iter().map(define).collect()
}

#[test]
fn a_broken_definition_is_reported_once() {
    let mut list = defined(&[
        ("a", None, "q + 1"),
        ("b", Some(&["s"]), "a*s"),
        ("c", None, "b(x) + sine(x)"),
        ("sound", Some(&["s"]), "s^2"),
    ]);
    let messages: Vec<String> =
        definitions(&mut list, &rich()).into_iter().map(|mistake| mistake.message).collect();
    assert_eq!(messages, ["`q` is not defined", "`sine` is not a function"]);
    assert_eq!(
        list.iter().map(|definition| definition.broken).collect::<Vec<_>>(),
        [true, true, true, false]
    );
    let scope = Scope { definitions: &list, ..rich() };
    let read = |text: &str| equation(&spanned(text), &scope, &mut Graph::new());
    assert_eq!(read("u = b(x) + a"), Err(Vec::new()));
    assert_eq!(read("u = b(x) + w").unwrap_err().len(), 1);
    assert!(read("u = sound(x)").is_ok());
    assert_eq!(place(&spanned("a and x = 0"), &scope, &mut Graph::new()), Err(Vec::new()));
}

#[test]
fn nesting_of_definitions_is_bounded() {
    // Each level doubles what the one before makes, with nothing in common: 2^60 expressions.
    let names: Vec<String> = (0..60).map(|level| format!("f{level}")).collect();
    let mut list = defined(&[("f", Some(&["s"]), "s + 1")]);
    for level in 0..names.len() {
        let before = if level == 0 { "f" } else { &names[level - 1] };
        let body = format!("{before}(s + {level}.5) * {before}(sin(s))");
        list.extend(defined(&[(&names[level], Some(&["s"]), &body)]));
    }
    assert_eq!(definitions(&mut list, &rich()), []);
    let scope = Scope { definitions: &list, ..rich() };
    let mistakes = equation(&spanned("u = f59(x)"), &scope, &mut Graph::new()).unwrap_err();
    assert!(mistakes[0].message.ends_with("this grows too large"), "{mistakes:?}");
}

#[test]
fn long_chains_of_definitions_end() {
    let mut list = defined(&[("f0", None, "x")]);
    for level in 1..5000 {
        list.extend(defined(&[(&format!("f{level}"), None, &format!("f{} + 1", level - 1))]));
    }
    let mistakes = definitions(&mut list, &rich());
    assert_eq!(mistakes.len(), 1);
    assert!(mistakes[0].message.ends_with("definitions are nested too deeply"), "{}", mistakes[0].message);
}
