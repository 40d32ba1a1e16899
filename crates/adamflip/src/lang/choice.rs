//! How conditions, choices, Caputo derivatives and integrals are made; the rest of the constructors is in
//! [`super::algebra`].
//!
//! A condition is 1 where it holds and 0 elsewhere, so that `and` is the smaller of two and `or` the larger.

use super::graph::{Binary, Graph, Id, Node};

impl Graph {
    /// 1 where a < b (or a ≤ b), else 0.
    pub fn comparison(&mut self, which: Binary, a: Id, b: Id) -> Id {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(a), Some(b)) => {
                let holds = if which == Binary::Less { a < b } else { a <= b };
                self.constant(if holds { 1.0 } else { 0.0 })
            }
            _ => self.intern(Node::Binary(which, a, b)),
        }
    }

    /// The second where the first is not 0, else the third.
    pub fn select(&mut self, [condition, yes, no]: [Id; 3]) -> Id {
        match self.constant_value(condition) {
            Some(0.0) => no,
            Some(_) => yes,
            None if yes == no => yes,
            None => self.intern(Node::Select([condition, yes, no])),
        }
    }

    /// The Caputo derivative of order `order` by a coordinate.
    pub fn caputo(&mut self, of: Id, order: Id, by: usize) -> Id {
        match self.constant_value(of) {
            // Of a constant it is 0.
            Some(_) => self.constant(0.0),
            None => self.intern(Node::Caputo { of, order, by }),
        }
    }

    /// The integral over a coordinate from `lower` to `upper`.
    pub fn integral(&mut self, of: Id, lower: Id, upper: Id, by: usize) -> Id {
        match self.constant_value(of) {
            Some(0.0) => of,
            _ if lower == upper => self.constant(0.0),
            _ => self.intern(Node::Integral { of, lower, upper, by }),
        }
    }

    /// Where both conditions hold.
    pub(super) fn both(&mut self, a: Id, b: Id) -> Id {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(0.0), _) | (_, Some(1.0)) => a,
            (_, Some(0.0)) | (Some(1.0), _) => b,
            _ => self.min(a, b),
        }
    }

    /// Where one condition holds, or both.
    pub(super) fn either(&mut self, a: Id, b: Id) -> Id {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(0.0), _) | (_, Some(1.0)) => b,
            (_, Some(0.0)) | (Some(1.0), _) => a,
            _ => self.max(a, b),
        }
    }
}
