//! What the tests hold the language against: a direct recursive evaluator, and random expressions as text.

use proptest::prelude::*;
use std::sync::LazyLock;

use super::function::integer_power;
use super::graph::{Binary, Graph, Id, Leaf, Node, Unary};
use super::special::cole_hopf;
use super::{Scope, equation as read_equation, expression};
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

/// Some value between 0.2 and 1.2 for every leaf: away from the poles and kinks of the functions that tests use.
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

/// Random expressions without poles and kinks where their leaves lie between 0 and 2, of moderate size everywhere.
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
