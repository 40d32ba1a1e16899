//! Expressions as a graph: a flat vector of nodes, equal subexpressions stored once.
//!
//! Children always lie before their parents, so every algorithm on the graph is a loop over ids, upward or
//! downward, of linear cost and without recursion.

use std::collections::HashMap;

use super::function::Function;
use crate::derivative::Partial;

/// An expression of a [`Graph`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Id(u32);

/// What an expression takes from outside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Leaf {
    /// A coordinate of the point.
    Coordinate(usize),
    /// A number that belongs to the point like its coordinates: a component of the outward normal, a measured
    /// value.
    Attribute(usize),
    /// An unknown of an inverse problem.
    Unknown(usize),
    /// A derivative of a field, the field itself being the derivative of order 0.
    Jet {
        /// Which field.
        field: usize,
        /// Which derivative.
        partial: Partial,
        /// Where: [`HERE`] or another point (see [`Graph::site`]).
        site: usize,
    },
    /// A value computed beforehand (see [`Graph::hoist`]).
    Slot(usize),
}

/// The site of jets at the point itself.
pub const HERE: usize = 0;

/// Operations on one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// −a
    Negate,
    /// a²
    Square,
    /// aⁿ, n other than 0, 1 and 2.
    Power(i32),
    /// f(a)
    Function(Function),
}

/// Operations on two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// a + b
    Add,
    /// a − b
    Subtract,
    /// a·b
    Multiply,
    /// a/b
    Divide,
    /// aᵇ
    Power,
    /// The smaller of both.
    Minimum,
    /// The larger of both.
    Maximum,
    /// 1 where a < b, else 0.
    Less,
    /// 1 where a ≤ b, else 0.
    LessEqual,
}

/// One expression over earlier ones.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Node {
    /// A number.
    Constant(f64),
    /// An input.
    Leaf(Leaf),
    /// An operation on one operand.
    Unary(Unary, Id),
    /// An operation on two operands.
    Binary(Binary, Id, Id),
    /// The Cole–Hopf solution of Burgers' equation at x, t for the viscosity nu.
    ColeHopf([Id; 3]),
    /// The second operand where the first is not 0, else the third.
    Select([Id; 3]),
    /// The Caputo derivative of `of` by a coordinate; taken apart into sites before lowering.
    Caputo {
        /// What is differentiated.
        of: Id,
        /// The order α.
        order: Id,
        /// By which coordinate, from 0 on.
        by: usize,
    },
    /// The integral of `of` over a coordinate; taken apart into sites before lowering.
    Integral {
        /// What is integrated.
        of: Id,
        /// From where.
        lower: Id,
        /// To where.
        upper: Id,
        /// Over which coordinate.
        by: usize,
    },
}

/// Expressions that share their equal parts.
#[derive(Clone, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    known: HashMap<Key, Id>,
    /// The coordinates of every site but [`HERE`].
    sites: Vec<Vec<Id>>,
    /// By which coordinate something was differentiated that jumps along it.
    pub(super) jump: Option<usize>,
}

/// Without the table of what is known, which has no order.
impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { nodes, sites, jump, .. } = self;
        f.debug_struct("Graph").field("nodes", nodes).field("sites", sites).field("jump", jump).finish()
    }
}

/// What makes two nodes equal: constants by their bits, commutative operations in either order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Key {
    Constant(u64),
    Leaf(Leaf),
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
    ColeHopf([Id; 3]),
    Select([Id; 3]),
    Caputo(Id, Id, usize),
    Integral([Id; 3], usize),
}

impl Leaf {
    /// A field's value at the point itself.
    pub(super) fn value_of(field: usize) -> Self {
        Self::Jet { field, partial: Partial::VALUE, site: HERE }
    }
}

impl Id {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Binary {
    fn commutes(self) -> bool {
        matches!(self, Self::Add | Self::Multiply | Self::Minimum | Self::Maximum)
    }
}

impl Node {
    /// The operands, left to right.
    pub fn children(&self) -> impl Iterator<Item = Id> + use<> {
        let children = match *self {
            Self::Constant(_) | Self::Leaf(_) => [None; 3],
            Self::Unary(_, a) => [Some(a), None, None],
            Self::Binary(_, a, b) => [Some(a), Some(b), None],
            Self::ColeHopf(arguments) | Self::Select(arguments) => arguments.map(Some),
            Self::Caputo { of, order, .. } => [Some(of), Some(order), None],
            Self::Integral { of, lower, upper, .. } => [of, lower, upper].map(Some),
        };
        children.into_iter().flatten()
    }

    fn key(&self) -> Key {
        match *self {
            Self::Constant(value) => Key::Constant(value.to_bits()),
            Self::Leaf(leaf) => Key::Leaf(leaf),
            Self::Unary(unary, a) => Key::Unary(unary, a),
            Self::Binary(binary, a, b) if binary.commutes() => Key::Binary(binary, a.min(b), a.max(b)),
            Self::Binary(binary, a, b) => Key::Binary(binary, a, b),
            Self::ColeHopf(arguments) => Key::ColeHopf(arguments),
            Self::Select(arguments) => Key::Select(arguments),
            Self::Caputo { of, order, by } => Key::Caputo(of, order, by),
            Self::Integral { of, lower, upper, by } => Key::Integral([of, lower, upper], by),
        }
    }
}

impl Graph {
    /// The empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// The expression behind an id.
    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id.index()]
    }

    /// How many distinct expressions there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node as it is, stored once.
    pub(super) fn intern(&mut self, node: Node) -> Id {
        let next = Id(self.nodes.len() as u32);
        let id = *self.known.entry(node.key()).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    /// The value of a constant expression.
    pub(super) fn constant_value(&self, id: Id) -> Option<f64> {
        match *self.node(id) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Whether a Caputo derivative or an integral is in it.
    pub(crate) fn is_nonlocal(&self, id: Id) -> bool {
        let is_sum = |id: &Id| matches!(self.node(*id), Node::Caputo { .. } | Node::Integral { .. });
        self.reachable(&[id]).iter().any(is_sum)
    }

    /// All that the outputs are made of, themselves included, children first.
    pub(crate) fn reachable(&self, outputs: &[Id]) -> Vec<Id> {
        let mut seen = vec![false; outputs.iter().max().map_or(0, |id| id.index() + 1)];
        for output in outputs {
            seen[output.index()] = true;
        }
        for index in (0..seen.len()).rev() {
            if seen[index] {
                for child in self.nodes[index].children() {
                    seen[child.index()] = true;
                }
            }
        }
        (0..seen.len() as u32).map(Id).filter(|id| seen[id.index()]).collect()
    }

    /// The site with these coordinates, expressions of the point's own coordinates and attributes, one for
    /// each coordinate of the problem; [`HERE`] where they are the point's own.
    pub fn site(&mut self, coordinates: Vec<Id>) -> usize {
        let own = |(index, &id): (usize, &Id)| *self.node(id) == Node::Leaf(Leaf::Coordinate(index));
        if coordinates.iter().enumerate().all(own) {
            return HERE;
        }
        let known = self.sites.iter().position(|site| *site == coordinates);
        known.unwrap_or_else(|| {
            self.sites.push(coordinates);
            self.sites.len() - 1
        }) + 1
    }

    /// The coordinates of a site other than [`HERE`].
    pub fn site_coordinates(&self, site: usize) -> &[Id] {
        &self.sites[site - 1]
    }

    /// The distinct leaves of the outputs, sorted: coordinates, attributes, unknowns, jets by field and
    /// derivative, slots.
    pub fn leaves(&self, outputs: &[Id]) -> Vec<Leaf> {
        let leaf = |id: Id| match *self.node(id) {
            Node::Leaf(leaf) => Some(leaf),
            _ => None,
        };
        let mut leaves: Vec<Leaf> = self.reachable(outputs).into_iter().filter_map(leaf).collect();
        leaves.sort_unstable();
        leaves
    }

    /// Whether the expression contains a leaf of this kind.
    pub fn depends_on(&self, id: Id, is: impl Fn(Leaf) -> bool) -> bool {
        self.leaves(&[id]).into_iter().any(is)
    }

    /// The name of what the expression sums up over other points, if it does: `caputo` before `integral`.
    pub fn nonlocal(&self, id: Id) -> Option<&'static str> {
        let name = |id: Id| match self.node(id) {
            Node::Caputo { .. } => Some("caputo"),
            Node::Integral { .. } => Some("integral"),
            _ => None,
        };
        self.reachable(&[id]).into_iter().filter_map(name).min()
    }

    /// Every id mapped to itself: where a rewriting pass starts.
    pub(super) fn identity(&self) -> Vec<Id> {
        (0..self.nodes.len() as u32).map(Id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_expressions_are_one() {
        let mut graph = Graph::new();
        let (x, y) = (graph.leaf(Leaf::Coordinate(0)), graph.leaf(Leaf::Coordinate(1)));
        assert_eq!(graph.add(x, y), graph.add(y, x));
        assert_ne!(graph.sub(x, y), graph.sub(y, x));
        assert_eq!(graph.constant(0.5), graph.constant(0.5));
        assert_eq!(graph.constant(0.0), graph.constant(-0.0));
    }

    #[test]
    fn leaves_are_sorted_and_distinct() {
        let mut graph = Graph::new();
        let unknown = graph.leaf(Leaf::Unknown(0));
        let x = graph.leaf(Leaf::Coordinate(0));
        let sum = graph.add(unknown, x);
        let product = graph.mul(sum, x);
        assert_eq!(graph.leaves(&[product, x]), [Leaf::Coordinate(0), Leaf::Unknown(0)]);
        assert_eq!(graph.leaves(&[]), []);
    }
}
