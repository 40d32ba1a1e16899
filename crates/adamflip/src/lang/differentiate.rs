//! The derivative of any expression by a coordinate: the chain rule, upward through the graph.
//!
//! A field's derivative is the next [`Partial`]; unknowns and constants have derivative 0.

use std::f64::consts::FRAC_2_SQRT_PI;

use super::function::Function;
use super::graph::{Binary, Graph, HERE, Id, Leaf, Node, Unary};
use crate::derivative::MAX_ORDER;

/// Why an expression has no derivative here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDifferentiable {
    /// The derivative of a field would exceed the highest order.
    #[error("it contains a derivative beyond order {MAX_ORDER}")]
    Order {
        /// Which field.
        field: usize,
    },
    /// The function has a value but no derivative in the language.
    #[error("`{name}` cannot be differentiated")]
    Function {
        /// Its name.
        name: &'static str,
    },
    /// Attributes are known at the points alone.
    #[error("it contains a value that is known at the points alone")]
    Attribute,
    /// What a slot holds is not known to the expression.
    #[error("it contains a value computed beforehand")]
    Slot,
}

impl Graph {
    /// The derivative of an expression by a coordinate, on which every field depends.
    pub fn differentiate(&mut self, id: Id, coordinate: usize) -> Result<Id, NotDifferentiable> {
        self.derivative(id, coordinate, &|_, _| true)
    }

    /// The derivative of an expression by a coordinate; `depends` says whether a field changes with a
    /// coordinate.
    pub fn derivative(
        &mut self,
        id: Id,
        coordinate: usize,
        depends: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Id, NotDifferentiable> {
        let zero = self.constant(0.0);
        let mut derivatives = vec![zero; id.index() + 1];
        for id in self.reachable(&[id]) {
            if self.jumps(*self.node(id), coordinate, |child| derivatives[child.index()] == zero) {
                self.jump.get_or_insert(coordinate);
            }
            derivatives[id.index()] = match *self.node(id) {
                Node::Constant(_) => zero,
                Node::Leaf(leaf) => self.leaf_derivative(leaf, coordinate, depends)?,
                Node::Integral { of, lower, upper, by } => {
                    let slopes = [of, lower, upper].map(|id| derivatives[id.index()]);
                    self.integral_derivative([of, lower, upper], slopes, by, coordinate)?
                }
                node if node.children().all(|child| derivatives[child.index()] == zero) => zero,
                Node::Unary(unary, a) => {
                    let outer = self.unary_derivative(unary, a, id)?;
                    self.mul(outer, derivatives[a.index()])
                }
                Node::Binary(binary, a, b) => self.binary_derivative(
                    binary,
                    (a, derivatives[a.index()]),
                    (b, derivatives[b.index()]),
                    id,
                ),
                Node::ColeHopf(_) => return Err(NotDifferentiable::Function { name: "cole_hopf" }),
                Node::Select([condition, yes, no]) => {
                    self.select([condition, derivatives[yes.index()], derivatives[no.index()]])
                }
                Node::Caputo { of, order, by } if by != coordinate && derivatives[order.index()] == zero => {
                    self.caputo(derivatives[of.index()], order, by)
                }
                Node::Caputo { .. } => return Err(NotDifferentiable::Function { name: "caputo" }),
            };
        }
        Ok(derivatives[id.index()])
    }

    /// The coordinate by which something was differentiated that jumps along it: the jump is not in the
    /// derivative.
    pub fn jump(&self) -> Option<usize> {
        self.jump
    }

    /// Whether a node certainly jumps along a coordinate: between constants, or between expressions of
    /// fields. Formulas of the coordinates may fit together.
    fn jumps(&self, node: Node, coordinate: usize, is_constant: impl Fn(Id) -> bool) -> bool {
        let switches = |id| self.leaves(&[id]).contains(&Leaf::Coordinate(coordinate));
        let has_field = |id| self.leaves(&[id]).iter().any(|leaf| matches!(leaf, Leaf::Jet { .. }));
        match node {
            Node::Select([condition, yes, no]) => {
                let is_jump = is_constant(yes) && is_constant(no) || has_field(yes) || has_field(no);
                is_jump && switches(condition)
            }
            Node::Unary(Unary::Function(Function::Sign), a) => !is_constant(a) && switches(a),
            _ => false,
        }
    }

    /// Leibniz' rule: the integral of the derivative, and the integrand at each limit times the slope of the
    /// limit. The integrand is known at a limit that is the point's own coordinate, as in
    /// `integral(u, t, 0, t)`.
    fn integral_derivative(
        &mut self,
        [of, lower, upper]: [Id; 3],
        [slope, lower_slope, upper_slope]: [Id; 3],
        by: usize,
        coordinate: usize,
    ) -> Result<Id, NotDifferentiable> {
        let zero = self.constant(0.0);
        let mut sum = match by == coordinate {
            true => zero,
            false => self.integral(slope, lower, upper, by),
        };
        for (limit, slope, sign) in [(upper, upper_slope, 1.0), (lower, lower_slope, -1.0)] {
            if slope == zero {
                continue;
            }
            if *self.node(limit) != Node::Leaf(Leaf::Coordinate(by)) {
                return Err(NotDifferentiable::Function { name: "integral" });
            }
            let end = self.scaled(sign, of);
            sum = self.add(sum, end);
        }
        Ok(sum)
    }

    fn leaf_derivative(
        &mut self,
        leaf: Leaf,
        coordinate: usize,
        depends: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Id, NotDifferentiable> {
        Ok(match leaf {
            Leaf::Jet { field, site: HERE, .. } if !depends(field, coordinate) => self.constant(0.0),
            Leaf::Coordinate(of) => self.constant(if of == coordinate { 1.0 } else { 0.0 }),
            Leaf::Unknown(_) => self.constant(0.0),
            Leaf::Attribute(_) => return Err(NotDifferentiable::Attribute),
            Leaf::Jet { field, partial, site: HERE } => {
                let partial = partial.then(coordinate).ok_or(NotDifferentiable::Order { field })?;
                self.leaf(Leaf::Jet { field, partial, site: HERE })
            }
            Leaf::Jet { field, partial, site } => {
                // The chain rule: Σ ∂_c u(site)·∂site_c/∂coordinate.
                let coordinates = self.site_coordinates(site).to_vec();
                let mut sum = self.constant(0.0);
                for (c, there) in coordinates.into_iter().enumerate().filter(|&(c, _)| depends(field, c)) {
                    let slope = self.differentiate(there, coordinate)?;
                    if self.constant_value(slope) != Some(0.0) {
                        let partial = partial.then(c).ok_or(NotDifferentiable::Order { field })?;
                        let jet = self.leaf(Leaf::Jet { field, partial, site });
                        let product = self.mul(slope, jet);
                        sum = self.add(sum, product);
                    }
                }
                sum
            }
            Leaf::Slot(_) => return Err(NotDifferentiable::Slot),
        })
    }

    /// The derivative of a unary operation by its operand `a`, `value` being the operation itself.
    pub(super) fn unary_derivative(
        &mut self,
        unary: Unary,
        a: Id,
        value: Id,
    ) -> Result<Id, NotDifferentiable> {
        Ok(match unary {
            Unary::Negate => self.constant(-1.0),
            Unary::Square => self.scaled(2.0, a),
            Unary::Power(n) => {
                let power = self.integer_power(a, n.saturating_sub(1));
                self.scaled(n.into(), power)
            }
            Unary::Function(function) => self.function_derivative(function, a, value)?,
        })
    }

    fn function_derivative(&mut self, function: Function, a: Id, value: Id) -> Result<Id, NotDifferentiable> {
        let one = self.constant(1.0);
        Ok(match function {
            Function::Sin => self.function(Function::Cos, a),
            Function::Cos => {
                let sine = self.function(Function::Sin, a);
                self.neg(sine)
            }
            Function::Tan => {
                let square = self.square(value);
                self.add(one, square)
            }
            Function::Asin => self.arc_derivative(1.0, a),
            Function::Acos => self.arc_derivative(-1.0, a),
            Function::Atan => {
                let square = self.square(a);
                let sum = self.add(one, square);
                self.div(one, sum)
            }
            Function::Sinh => self.function(Function::Cosh, a),
            Function::Cosh => self.function(Function::Sinh, a),
            Function::Tanh => {
                let square = self.square(value);
                self.sub(one, square)
            }
            Function::Exp => value,
            Function::Log => self.div(one, a),
            Function::Sqrt => {
                let half = self.constant(0.5);
                self.div(half, value)
            }
            Function::Abs => self.function(Function::Sign, a),
            Function::Sign => self.constant(0.0),
            Function::Erf => {
                let square = self.square(a);
                let exponent = self.neg(square);
                let bell = self.function(Function::Exp, exponent);
                self.scaled(FRAC_2_SQRT_PI, bell)
            }
            Function::Gamma => {
                let digamma = self.function(Function::Digamma, a);
                self.mul(value, digamma)
            }
            Function::Digamma => return Err(NotDifferentiable::Function { name: "digamma" }),
        })
    }

    /// ±1/√(1 − a²)
    fn arc_derivative(&mut self, sign: f64, a: Id) -> Id {
        let (sign, one) = (self.constant(sign), self.constant(1.0));
        let square = self.square(a);
        let difference = self.sub(one, square);
        let root = self.function(Function::Sqrt, difference);
        self.div(sign, root)
    }

    /// The derivative of a binary operation, each operand given with its own.
    pub(super) fn binary_derivative(
        &mut self,
        binary: Binary,
        (a, da): (Id, Id),
        (b, db): (Id, Id),
        value: Id,
    ) -> Id {
        match binary {
            Binary::Add => self.add(da, db),
            Binary::Subtract => self.sub(da, db),
            Binary::Multiply => {
                let (left, right) = (self.mul(da, b), self.mul(a, db));
                self.add(left, right)
            }
            Binary::Divide => {
                // (da − (a/b)·db)/b needs no b².
                let change = self.mul(value, db);
                let difference = self.sub(da, change);
                self.div(difference, b)
            }
            Binary::Power => self.power_derivative((a, da), (b, db), value),
            Binary::Minimum => self.extremum_derivative(-0.5, (a, da), (b, db)),
            Binary::Maximum => self.extremum_derivative(0.5, (a, da), (b, db)),
            Binary::Less | Binary::LessEqual => self.constant(0.0),
        }
    }

    /// b·a^(b−1)·da + a^b·log(a)·db, either part only where it is not 0: log(a) must not spoil a constant
    /// exponent.
    fn power_derivative(&mut self, (a, da): (Id, Id), (b, db): (Id, Id), value: Id) -> Id {
        let (zero, one) = (self.constant(0.0), self.constant(1.0));
        let mut sum = zero;
        if da != zero {
            let lower = self.sub(b, one);
            let power = self.power(a, lower);
            let slope = self.mul(b, power);
            sum = self.mul(slope, da);
        }
        if db != zero {
            let logarithm = self.function(Function::Log, a);
            let slope = self.mul(value, logarithm);
            let part = self.mul(slope, db);
            sum = self.add(sum, part);
        }
        sum
    }

    /// Half of da + db ± sign(a − b)·(da − db): max(a, b) is (a + b + |a − b|)/2, and min has the other sign.
    fn extremum_derivative(&mut self, half: f64, (a, da): (Id, Id), (b, db): (Id, Id)) -> Id {
        let sum = self.add(da, db);
        let mean = self.scaled(0.5, sum);
        let (gap, change) = (self.sub(a, b), self.sub(da, db));
        let sign = self.function(Function::Sign, gap);
        let turn = self.mul(sign, change);
        let turn = self.scaled(half, turn);
        self.add(mean, turn)
    }

    fn scaled(&mut self, factor: f64, a: Id) -> Id {
        let factor = self.constant(factor);
        self.mul(factor, a)
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::{self, COORDINATES};
    use super::*;
    use crate::derivative::Partial;
    use proptest::prelude::*;

    /// Expressions of the coordinates alone, so that finite differences can move them.
    fn difference(graph: &Graph, id: Id, at: &[f64], coordinate: usize) -> f64 {
        let h = 1e-3;
        let f = |i: f64| {
            let mut point = at.to_vec();
            point[coordinate] += i * h;
            oracle::at_point(graph, id, &point)
        };
        (8.0 * (f(1.0) - f(-1.0)) - (f(2.0) - f(-2.0))) / (12.0 * h)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn agrees_with_finite_differences(text in oracle::smooth(COORDINATES, 4), x in 0.1..0.9, t in 0.1..0.9) {
            let mut graph = Graph::new();
            let id = oracle::parse(&text, &mut graph);
            for coordinate in 0..2 {
                let derivative = graph.differentiate(id, coordinate).unwrap();
                let exact = oracle::at_point(&graph, derivative, &[x, t]);
                let approximate = difference(&graph, id, &[x, t], coordinate);
                // h⁴ times fifth derivatives of nested functions, up to about 1e5, relative.
                prop_assert!((exact - approximate).abs() < 1e-5 * (1.0 + exact.abs()), "{text}: {exact} {approximate}");
            }
        }
    }

    #[test]
    fn every_function_and_operation() {
        let texts = [
            "sin(2*x)",
            "cos(x^2)",
            "tan(x*t)",
            "asin(x*t)",
            "acos(x/2)",
            "atan(3*x)",
            "sinh(x)",
            "cosh(x*t)",
            "tanh(x^3)",
            "exp(-x^2)",
            "log(1 + x)",
            "sqrt(x + t)",
            "abs(x - 0.9)",
            "erf(x*t)",
            "gamma(1 + x)",
            "min(x^2, 0.5*t)",
            "max(x*t, t^2)",
            "x^-2",
            "x^2.5",
            "t^x",
            "x^t",
            "x/t",
            "(1 + x)/(2 - t*x)",
            "sign(x)*x",
            "3^x",
        ];
        for text in texts {
            let mut graph = Graph::new();
            let id = oracle::parse(text, &mut graph);
            let derivative = graph.differentiate(id, 0).unwrap();
            let exact = oracle::at_point(&graph, derivative, &[0.37, 0.58]);
            // h⁴ = 1e-12 times fifth derivatives below 1e4.
            let error = (exact - difference(&graph, id, &[0.37, 0.58], 0)).abs();
            assert!(error < 1e-8 * (1.0 + exact.abs()), "{text}: {error}");
        }
    }

    #[test]
    fn fields_become_their_next_derivative() {
        let mut graph = Graph::new();
        for (text, derivative) in [
            ("d(u, x)", "u_x"),
            ("d(u_t, x, x)", "u_xxt"),
            ("d(u^2/2, x)", "2*u*u_x/2"),
            ("d(u*v, t)", "u_t*v + u*v_t"),
            ("d(kappa*u_x, x)", "kappa*u_xx"),
            ("d(sin(pi*x), x)", "pi*cos(pi*x)"),
            ("d(d(x^3, x), x)", "3*2*x"),
        ] {
            let (left, right) = (oracle::parse(text, &mut graph), oracle::parse(derivative, &mut graph));
            assert_eq!(left, right, "{text}");
        }
    }

    #[test]
    fn what_has_no_derivative() {
        let mut graph = Graph::new();
        let fourth = graph.leaf(Leaf::Jet { field: 1, partial: Partial::new(&[0; 4]).unwrap(), site: HERE });
        assert_eq!(graph.differentiate(fourth, 0), Err(NotDifferentiable::Order { field: 1 }));
        let slot = graph.leaf(Leaf::Slot(0));
        assert_eq!(graph.differentiate(slot, 0), Err(NotDifferentiable::Slot));
        let exact = oracle::parse("cole_hopf(x, t, nu)", &mut graph);
        assert!(matches!(graph.differentiate(exact, 0), Err(NotDifferentiable::Function { .. })));
        let still = oracle::parse("cole_hopf(0.5, t, nu)", &mut graph);
        assert_eq!(graph.differentiate(still, 0), Ok(graph.constant(0.0)));
    }
}
