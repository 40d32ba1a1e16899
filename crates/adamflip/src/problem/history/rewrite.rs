//! Rewriting an expression: its parts, its value elsewhere, its operations over new operands.

use std::collections::BTreeSet;

use crate::lang::{Binary, Graph, Id, Leaf, Node, Unary};

/// All that an expression is made of, itself included, children first.
pub(super) fn below(graph: &Graph, id: Id) -> Vec<Id> {
    let (mut found, mut open) = (BTreeSet::from([id]), vec![id]);
    while let Some(id) = open.pop() {
        open.extend(graph.node(id).children().filter(|&child| found.insert(child)));
    }
    // Children lie before their parents.
    found.into_iter().collect()
}

/// The expression where one coordinate has another value.
pub(super) fn moved(graph: &mut Graph, id: Id, coordinate: usize, value: Id, dimension: usize) -> Id {
    let mut place: Vec<Id> = (0..dimension).map(|c| graph.leaf(Leaf::Coordinate(c))).collect();
    place[coordinate] = value;
    graph.moved(id, &place)
}

/// The sum of the terms, the first ones innermost.
pub(super) fn sum(graph: &mut Graph, terms: impl IntoIterator<Item = Id>) -> Id {
    let zero = graph.constant(0.0);
    terms.into_iter().fold(zero, |sum, term| graph.add(sum, term))
}

/// An operation made anew over the images of its operands.
pub(super) fn rebuilt(graph: &mut Graph, node: Node, of: impl Fn(Id) -> Id) -> Id {
    match node {
        Node::Constant(value) => graph.constant(value),
        Node::Leaf(leaf) => graph.leaf(leaf),
        Node::Unary(Unary::Negate, a) => graph.neg(of(a)),
        Node::Unary(Unary::Square, a) => graph.square(of(a)),
        Node::Unary(Unary::Power(n), a) => graph.integer_power(of(a), n),
        Node::Unary(Unary::Function(function), a) => graph.function(function, of(a)),
        Node::Binary(Binary::Add, a, b) => graph.add(of(a), of(b)),
        Node::Binary(Binary::Subtract, a, b) => graph.sub(of(a), of(b)),
        Node::Binary(Binary::Multiply, a, b) => graph.mul(of(a), of(b)),
        Node::Binary(Binary::Divide, a, b) => graph.div(of(a), of(b)),
        Node::Binary(Binary::Power, a, b) => graph.power(of(a), of(b)),
        Node::Binary(Binary::Minimum, a, b) => graph.min(of(a), of(b)),
        Node::Binary(Binary::Maximum, a, b) => graph.max(of(a), of(b)),
        Node::Binary(which @ (Binary::Less | Binary::LessEqual), a, b) => {
            graph.comparison(which, of(a), of(b))
        }
        Node::ColeHopf(arguments) => graph.cole_hopf(arguments.map(of)),
        Node::Select(arguments) => graph.select(arguments.map(of)),
        Node::Caputo { of: operand, order, by } => graph.caputo(of(operand), of(order), by),
        Node::Integral { of: operand, lower, upper, by } => {
            graph.integral(of(operand), of(lower), of(upper), by)
        }
    }
}
