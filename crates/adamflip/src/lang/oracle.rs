//! What the tests hold the language against: a direct recursive evaluator, and random expressions as text.

use proptest::prelude::*;
use std::sync::LazyLock;

use super::function::integer_power;
use super::graph::{Binary, Graph, Id, Leaf, Node, Unary};
use super::special::cole_hopf;
use super::{Definition, Scope, equation as read_equation, expression};
use crate::diagnostic::{Span, Spanned};

static NAMES: LazyLock<[Vec<String>; 3]> = LazyLock::new(|| {
    [&["x", "t", "y"][..], &["u", "v", "p"], &["kappa"]]
        .map(|names| names.iter().map(|&name| name.to_owned()).collect())
});

static CONSTANTS: LazyLock<[(String, f64); 1]> =
    LazyLock::new(|| [("nu".to_owned(), 0.01 / std::f64::consts::PI)]);

const RANGES: [(f64, f64); 3] = [(-1.0, 1.0), (0.0, 2.0), (0.0, 0.5)];

/// Coordinates x, t, y; fields u, v, p; unknown kappa; constant nu.
pub(super) fn scope() -> Scope<'static> {
    let [coordinates, fields, unknowns] = &*NAMES;
    Scope {
        coordinates,
        fields,
        unknowns,
        constants: &*CONSTANTS,
        time: Some(1),
        ranges: &RANGES,
        ..Scope::default()
    }
}

static RICH: LazyLock<(Vec<String>, Vec<String>, Vec<Definition>)> = LazyLock::new(|| {
    let strings = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let define = |(name, parameters, body): &(&str, Option<&[&str]>, &str)| {
        Definition::new((*name).to_owned(), parameters.map(strings), spanned(body))
    };
    let definitions = [
        ("current", None, "kappa*u_x"),
        ("left", None, "x < 0.5"),
        ("g", Some(&["s"][..]), "exp(-s^2)"),
        ("twin", Some(&["s"]), "s*g(s) + s"),
        ("slope", Some(&["s"]), "grad(s)"),
        ("inverse", Some(&["a", "b"]), "1/(a - b)"),
        ("outflow", None, "current*u_n"),
    ];
    (strings(&["u", "v", "k"]), strings(&["n_x", "n_y", "flux"]), definitions.iter().map(define).collect())
});

/// As [`scope`], with the field k of x alone instead of p, a normal and the data `flux`, and definitions.
pub(super) fn rich() -> Scope<'static> {
    static DEPENDENCE: LazyLock<[Option<Vec<usize>>; 3]> = LazyLock::new(|| [None, None, Some(vec![0])]);
    let (fields, attributes, definitions) = &*RICH;
    Scope { fields, attributes, definitions, dependence: &*DEPENDENCE, ..scope() }
}

pub(super) fn parse_rich(text: &str, graph: &mut Graph) -> Id {
    expression(&spanned(text), &rich(), graph).unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"))
}

/// Random expressions with the forms beyond arithmetic; some are refused.
pub(super) fn rich_text(depth: u32) -> impl Strategy<Value = String> {
    let leaves =
        &["x", "t", "u", "v_x", "k", "u_n", "flux", "n_x", "kappa", "2", "0.5", "-3", "current", "pi"][..];
    proptest::sample::select(leaves).prop_map(str::to_owned).prop_recursive(depth, 40, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        let three = (inner.clone(), inner.clone(), inner.clone());
        let points = &["u(0, t, y)", "u_x(x + t, 2*t, 0.5)", "v(-x, t, y)", "k_x(0)", "u_t(pi, t, x*y)"][..];
        let conditions = &["<", "<=", ">", ">="][..];
        prop_oneof![
            3 => (inner.clone(), proptest::sample::select(&["+", "-", "*", "/"][..]), inner.clone())
                .prop_map(|(a, sign, b)| format!("({a}) {sign} ({b})")),
            2 => (three.clone(), proptest::sample::select(conditions), two.clone()).prop_map(
                |((a, b, c), sign, (d, e))| format!("where({a} {sign} {b} and (left or {c} < {d}), {e}, {a})")
            ),
            2 => proptest::sample::select(points).prop_map(str::to_owned),
            1 => inner.clone().prop_map(|a| format!("where({a} < x < 1, {a}, left, 1, {a}^2)")),
            1 => inner.clone().prop_map(|a| format!("integral({a}, x)")),
            1 => inner.clone().prop_map(|a| format!("integral({a}, x, y)")),
            1 => inner.clone().prop_map(|a| format!("integral({a}, t, x*y, t)")),
            1 => inner.clone().prop_map(|a| format!("integral({a}, x, t + 0, y)")),
            1 => inner.clone().prop_map(|a| format!("caputo({a}, t, 0.5*kappa)")),
            1 => inner.clone().prop_map(|a| format!("laplacian({a})")),
            1 => two.clone().prop_map(|(a, b)| format!("div(({a})*grad({b}))")),
            1 => two.prop_map(|(a, b)| format!("dot(grad({a}), slope({b}) - n)")),
            1 => inner.clone().prop_map(|a| format!("d({a}, t, n)")),
            1 => inner.prop_map(|a| format!("g({a})")),
        ]
    })
}

/// A text that begins at byte 0 of its source.
pub(super) fn spanned(text: &str) -> Spanned<String> {
    Spanned { value: text.to_owned(), span: Span { source: 0, start: 0, end: text.len() } }
}

pub(super) fn try_parse(text: &str, graph: &mut Graph) -> Option<Id> {
    expression(&spanned(text), &scope(), graph).ok()
}

pub(super) fn parse(text: &str, graph: &mut Graph) -> Id {
    expression(&spanned(text), &scope(), graph).unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"))
}

pub(super) fn equation(text: &str, graph: &mut Graph) -> Id {
    read_equation(&spanned(text), &scope(), graph).unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"))
}

/// The value by plain recursion, operation by operation.
pub(super) fn evaluate(graph: &Graph, id: Id, leaf: &dyn Fn(Leaf) -> f64) -> f64 {
    let of = |id: Id| evaluate(graph, id, leaf);
    match *graph.node(id) {
        Node::Constant(value) => value,
        Node::Leaf(which) => leaf(which),
        Node::Unary(Unary::Negate, a) => -of(a),
        Node::Unary(Unary::Square, a) => of(a) * of(a),
        Node::Unary(Unary::Power(n), a) => integer_power(of(a), n),
        Node::Unary(Unary::Function(function), a) => function.value(of(a)),
        Node::Binary(Binary::Add, a, b) => of(a) + of(b),
        Node::Binary(Binary::Subtract, a, b) => of(a) - of(b),
        Node::Binary(Binary::Multiply, a, b) => of(a) * of(b),
        Node::Binary(Binary::Divide, a, b) => of(a) / of(b),
        Node::Binary(Binary::Power, a, b) => of(a).powf(of(b)),
        Node::Binary(Binary::Minimum, a, b) => of(a).min(of(b)),
        Node::Binary(Binary::Maximum, a, b) => of(a).max(of(b)),
        Node::Binary(Binary::Less, a, b) => f64::from(of(a) < of(b)),
        Node::Binary(Binary::LessEqual, a, b) => f64::from(of(a) <= of(b)),
        Node::Select([condition, yes, no]) => of(if of(condition) != 0.0 { yes } else { no }),
        Node::Caputo { .. } | Node::Integral { .. } => f64::NAN,
        Node::ColeHopf([x, t, nu]) => cole_hopf(of(x), of(t), of(nu)),
    }
}

/// The value of an expression of the coordinates.
pub(super) fn at_point(graph: &Graph, id: Id, point: &[f64]) -> f64 {
    evaluate(graph, id, &|leaf| match leaf {
        Leaf::Coordinate(coordinate) => point[coordinate],
        _ => f64::NAN,
    })
}

/// Some value between 0.2 and 1.2 for every leaf: away from the poles and kinks of the functions that tests
/// use.
pub(super) fn leaf_values(seed: u64) -> impl Fn(Leaf) -> f64 {
    move |leaf| {
        let number = match leaf {
            Leaf::Coordinate(index) => index as u64,
            Leaf::Unknown(index) => 10 + index as u64,
            Leaf::Slot(index) => 20 + index as u64,
            Leaf::Attribute(index) => 30 + index as u64,
            Leaf::Jet { field, partial, site } => {
                let base = 100 + 50 * field as u64 + 1000 * site as u64;
                partial.coordinates().fold(base, |number, coordinate| 7 * number + coordinate as u64)
            }
        };
        // Multiples of the golden ratio are spread evenly.
        0.2 + ((number * 31 + seed * 17) as f64 * 0.618_033_988_749_894_9).fract()
    }
}

/// Leaves of expressions that finite differences in space can move.
pub(super) const COORDINATES: &[&str] = &["x", "t", "2", "0.5", "pi"];
/// Leaves of all kinds.
pub(super) const LEAVES: &[&str] = &["x", "t", "u", "v", "u_x", "u_xx", "v_xt", "kappa", "nu", "2", "0.5"];

/// Random expressions without poles and kinks where their leaves lie between 0 and 2, of moderate size
/// everywhere.
pub(super) fn smooth(leaves: &'static [&'static str], depth: u32) -> impl Strategy<Value = String> {
    proptest::sample::select(leaves).prop_map(str::to_owned).prop_recursive(depth, 24, 2, move |inner| {
        prop_oneof![
            (inner.clone(), proptest::sample::select(&["+", "-", "*"][..]), inner.clone())
                .prop_map(|(a, sign, b)| format!("({a}) {sign} ({b})")),
            (proptest::sample::select(&["sin", "cos", "tanh", "atan", "erf"][..]), inner.clone())
                .prop_map(|(f, a)| format!("{f}({a})")),
            inner.clone().prop_map(|a| format!("exp(sin({a}))")),
            inner.clone().prop_map(|a| format!("sqrt(1.5 + cos({a}))")),
            inner.clone().prop_map(|a| format!("log(3 + sin({a}))")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.clone().prop_map(|a| format!("tanh({a})^3")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})/(2 + cos({b}))")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("(2 + sin({a}))^cos({b})")),
        ]
    })
}

/// Random expressions of every kind.
pub(super) fn any(depth: u32) -> impl Strategy<Value = String> {
    proptest::sample::select(&["x", "u", "v", "u_x", "v_xt", "kappa", "nu", "2", "0.5", "1", "0", "pi", "3e-7", "e"][..]).prop_map(str::to_owned).prop_recursive(depth, 40, 2, |inner| {
        prop_oneof![
            6 => (inner.clone(), proptest::sample::select(&["+", "-", "*", "/"][..]), inner.clone())
                .prop_map(|(a, sign, b)| format!("({a}) {sign} ({b})")),
            1 => (proptest::sample::select(&["sin", "exp", "sqrt", "abs", "ln", "gamma", "sign"][..]), inner.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            2 => inner.clone().prop_map(|a| format!("-({a})")),
            1 => (inner.clone(), -4..5).prop_map(|(a, n)| format!("({a})^{n}")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})^({b})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("max({a}, {b})")),
            1 => inner.prop_map(|a| format!("d({a}, x)")),
        ]
    })
}
