//! Small pieces of rewriting: an expression where one coordinate has another value, and sums.

use crate::lang::{Graph, Id, Leaf};

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
