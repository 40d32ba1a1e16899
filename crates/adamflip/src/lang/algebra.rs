//! How expressions are made: every constructor folds constants and applies the identities that cost nothing.
//!
//! Rules change a value by rounding at most (and treat 0·a as 0). They also keep signs at the front — a +
//! (−b) is a − b, a·(−b) is −(a·b) — so that an expression has one form and its display reads back to the
//! same [`Id`].

use std::f64::consts::E;

use super::columns;
use super::function::{Function, integer_power};
use super::graph::{Binary, Graph, Id, Leaf, Node, Unary};
use super::special::cole_hopf;

impl Graph {
    /// A number.
    pub fn constant(&mut self, value: f64) -> Id {
        // −0 + 0 is 0: one zero, whatever its sign.
        self.intern(Node::Constant(value + 0.0))
    }

    /// An input.
    pub fn leaf(&mut self, leaf: Leaf) -> Id {
        self.intern(Node::Leaf(leaf))
    }

    /// a + b
    pub fn add(&mut self, a: Id, b: Id) -> Id {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(a), Some(b)) => return self.constant(a + b),
            (Some(0.0), _) => return b,
            (_, Some(0.0)) => return a,
            _ if a == b => {
                let two = self.constant(2.0);
                return self.mul(two, a);
            }
            _ => {}
        }
        match (self.without_minus(b), *self.node(a)) {
            (Some(b), _) => self.sub(a, b),
            (None, Node::Unary(Unary::Negate, a)) => self.sub(b, a),
            (None, _) => self.intern(Node::Binary(Binary::Add, a, b)),
        }
    }

    /// a − b
    pub fn sub(&mut self, a: Id, b: Id) -> Id {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(a), Some(b)) => return self.constant(a - b),
            (Some(0.0), _) => return self.neg(b),
            (_, Some(0.0)) => return a,
            _ if a == b => return self.constant(0.0),
            _ => {}
        }
        match self.without_minus(b) {
            Some(b) => self.add(a, b),
            None => self.intern(Node::Binary(Binary::Subtract, a, b)),
        }
    }

    /// a·b
    pub fn mul(&mut self, a: Id, b: Id) -> Id {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(a), Some(b)) => return self.constant(a * b),
            (Some(factor), None) => return self.scale(factor, b),
            (None, Some(factor)) => return self.scale(factor, a),
            (None, None) => {}
        }
        if a == b {
            return self.square(a);
        }
        match (*self.node(a), *self.node(b)) {
            (Node::Unary(Unary::Negate, a), _) => {
                let product = self.mul(a, b);
                self.neg(product)
            }
            (_, Node::Unary(Unary::Negate, b)) => {
                let product = self.mul(a, b);
                self.neg(product)
            }
            _ => self.intern(Node::Binary(Binary::Multiply, a, b)),
        }
    }

    /// A constant times an expression that is not constant: the constant stands first, and there is only one.
    fn scale(&mut self, factor: f64, a: Id) -> Id {
        if factor == 0.0 {
            return self.constant(0.0);
        }
        if factor == 1.0 {
            return a;
        }
        if factor == -1.0 {
            return self.neg(a);
        }
        match *self.node(a) {
            Node::Unary(Unary::Negate, a) => self.scale(-factor, a),
            Node::Binary(Binary::Multiply, inner, a) if let Some(inner) = self.constant_value(inner) => {
                self.scale(factor * inner, a)
            }
            _ => {
                let factor = self.constant(factor);
                self.intern(Node::Binary(Binary::Multiply, factor, a))
            }
        }
    }

    /// a/b
    pub fn div(&mut self, a: Id, b: Id) -> Id {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(a), Some(b)) => return self.constant(a / b),
            (Some(0.0), _) => return a,
            (_, Some(1.0)) => return a,
            (_, Some(-1.0)) => return self.neg(a),
            _ => {}
        }
        match (*self.node(a), *self.node(b)) {
            (Node::Unary(Unary::Negate, a), _) => {
                let quotient = self.div(a, b);
                self.neg(quotient)
            }
            (_, Node::Unary(Unary::Negate, b)) => {
                let quotient = self.div(a, b);
                self.neg(quotient)
            }
            _ => self.intern(Node::Binary(Binary::Divide, a, b)),
        }
    }

    /// −a
    pub fn neg(&mut self, a: Id) -> Id {
        match *self.node(a) {
            Node::Constant(value) => self.constant(-value),
            Node::Unary(Unary::Negate, a) => a,
            Node::Binary(Binary::Subtract, a, b) => self.sub(b, a),
            _ => match self.without_minus(a) {
                Some(a) => a,
                None => self.negated_factor(a),
            },
        }
    }

    /// −a, the sign taken into a leading constant where there is one.
    fn negated_factor(&mut self, a: Id) -> Id {
        match *self.node(a) {
            Node::Binary(operation @ (Binary::Multiply | Binary::Divide), factor, b)
                if let Some(factor) = self.constant_value(factor) =>
            {
                let factor = self.constant(-factor);
                self.intern(Node::Binary(operation, factor, b))
            }
            _ => self.intern(Node::Unary(Unary::Negate, a)),
        }
    }

    /// The expression b where the given one is −b with its sign in front: −b, a negative number, or one as
    /// factor.
    fn without_minus(&mut self, a: Id) -> Option<Id> {
        match *self.node(a) {
            Node::Unary(Unary::Negate, b) => Some(b),
            Node::Constant(value) if value < 0.0 => Some(self.constant(-value)),
            Node::Binary(Binary::Multiply, factor, b) => match self.constant_value(factor) {
                Some(factor) if factor < 0.0 => Some(self.scale(-factor, b)),
                _ => None,
            },
            Node::Binary(Binary::Divide, dividend, b) => match self.constant_value(dividend) {
                Some(dividend) if dividend < 0.0 => {
                    let dividend = self.constant(-dividend);
                    Some(self.div(dividend, b))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// a²
    pub fn square(&mut self, a: Id) -> Id {
        match self.constant_value(a) {
            Some(value) => self.constant(value * value),
            None => self.intern(Node::Unary(Unary::Square, a)),
        }
    }

    /// aⁿ by repeated multiplication.
    pub fn integer_power(&mut self, a: Id, n: i32) -> Id {
        match (n, self.constant_value(a)) {
            (0, _) => self.constant(1.0),
            (1, _) => a,
            (_, Some(value)) => self.constant(integer_power(value, n)),
            (2, None) => self.square(a),
            _ => self.intern(Node::Unary(Unary::Power(n), a)),
        }
    }

    /// aᵇ: repeated multiplication for whole constant exponents, a square root for ½, `powf` otherwise.
    pub fn power(&mut self, a: Id, b: Id) -> Id {
        match (self.constant_value(a), self.constant_value(b)) {
            (_, Some(b)) if f64::from(b as i32) == b => return self.integer_power(a, b as i32),
            (_, Some(0.5)) => return self.function(Function::Sqrt, a),
            (Some(a), Some(b)) => return self.constant(a.powf(b)),
            (Some(E), None) => return self.function(Function::Exp, b),
            _ => {}
        }
        self.intern(Node::Binary(Binary::Power, a, b))
    }

    /// The smaller of both.
    pub fn min(&mut self, a: Id, b: Id) -> Id {
        self.extremum(Binary::Minimum, a, b)
    }

    /// The larger of both.
    pub fn max(&mut self, a: Id, b: Id) -> Id {
        self.extremum(Binary::Maximum, a, b)
    }

    fn extremum(&mut self, which: Binary, a: Id, b: Id) -> Id {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(a), Some(b)) if which == Binary::Minimum => self.constant(columns::minimum(a, b)),
            (Some(a), Some(b)) => self.constant(columns::maximum(a, b)),
            _ if a == b => a,
            _ => self.intern(Node::Binary(which, a, b)),
        }
    }

    /// f(a)
    pub fn function(&mut self, function: Function, a: Id) -> Id {
        match self.constant_value(a) {
            Some(value) => self.constant(function.value(value)),
            None => self.intern(Node::Unary(Unary::Function(function), a)),
        }
    }

    /// The solution of Burgers' equation at x, t for the viscosity nu.
    pub fn cole_hopf(&mut self, arguments: [Id; 3]) -> Id {
        match arguments.map(|argument| self.constant_value(argument)) {
            [Some(x), Some(t), Some(nu)] => self.constant(cole_hopf(x, t, nu)),
            _ => self.intern(Node::ColeHopf(arguments)),
        }
    }

    /// The node rebuilt over the images of its operands.
    pub(crate) fn rebuild(&mut self, node: Node, of: impl Fn(Id) -> Id) -> Id {
        match node {
            Node::Constant(value) => self.constant(value),
            Node::Leaf(leaf) => self.leaf(leaf),
            Node::Unary(Unary::Negate, a) => self.neg(of(a)),
            Node::Unary(Unary::Square, a) => self.square(of(a)),
            Node::Unary(Unary::Power(n), a) => self.integer_power(of(a), n),
            Node::Unary(Unary::Function(function), a) => self.function(function, of(a)),
            Node::Binary(Binary::Add, a, b) => self.add(of(a), of(b)),
            Node::Binary(Binary::Subtract, a, b) => self.sub(of(a), of(b)),
            Node::Binary(Binary::Multiply, a, b) => self.mul(of(a), of(b)),
            Node::Binary(Binary::Divide, a, b) => self.div(of(a), of(b)),
            Node::Binary(Binary::Power, a, b) => self.power(of(a), of(b)),
            Node::Binary(which @ (Binary::Minimum | Binary::Maximum), a, b) => {
                self.extremum(which, of(a), of(b))
            }
            Node::Binary(which @ (Binary::Less | Binary::LessEqual), a, b) => {
                self.comparison(which, of(a), of(b))
            }
            Node::ColeHopf(arguments) => self.cole_hopf(arguments.map(of)),
            Node::Select(arguments) => self.select(arguments.map(of)),
            Node::Caputo { of: operand, order, by } => self.caputo(of(operand), of(order), by),
            Node::Integral { of: operand, lower, upper, by } => {
                self.integral(of(operand), of(lower), of(upper), by)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities() {
        let mut graph = Graph::new();
        let g = &mut graph;
        let (x, y) = (g.leaf(Leaf::Coordinate(0)), g.leaf(Leaf::Coordinate(1)));
        let (zero, one, two) = (g.constant(0.0), g.constant(1.0), g.constant(2.0));
        let minus_x = g.neg(x);
        let minus_y = g.neg(y);
        let difference = g.sub(x, y);
        let product = g.mul(x, y);
        assert_eq!(g.add(x, zero), x);
        assert_eq!(g.sub(zero, x), minus_x);
        assert_eq!(g.mul(x, one), x);
        assert_eq!(g.mul(zero, x), zero);
        assert_eq!(g.div(x, one), x);
        assert_eq!(g.power(x, one), x);
        assert_eq!(g.power(x, zero), one);
        assert_eq!(g.power(x, two), g.square(x));
        assert_eq!(g.mul(x, x), g.square(x));
        assert_eq!(g.add(x, x), g.mul(two, x));
        assert_eq!(g.sub(x, x), zero);
        assert_eq!(g.neg(minus_x), x);
        assert_eq!(g.add(x, minus_y), difference);
        assert_eq!(g.add(minus_y, x), difference);
        assert_eq!(g.neg(difference), g.sub(y, x));
        assert_eq!(g.mul(minus_x, minus_y), product);
        assert_eq!(g.add(one, two), g.constant(3.0));
    }

    #[test]
    fn constants_meet_in_one_factor() {
        let mut graph = Graph::new();
        let x = graph.leaf(Leaf::Coordinate(0));
        let (two, three, six) = (graph.constant(2.0), graph.constant(3.0), graph.constant(6.0));
        let inner = graph.mul(x, three);
        assert_eq!(graph.mul(two, inner), graph.mul(six, x));
    }

    #[test]
    fn powers_take_the_cheapest_form() {
        let mut graph = Graph::new();
        let x = graph.leaf(Leaf::Coordinate(0));
        let e = graph.constant(E);
        let half = graph.constant(0.5);
        assert_eq!(graph.power(e, x), graph.function(Function::Exp, x));
        assert_eq!(graph.power(x, half), graph.function(Function::Sqrt, x));
    }
}
