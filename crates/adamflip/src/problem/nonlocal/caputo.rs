//! Caputo derivatives as expressions: with nodes of each point's own, by Gauss–Jacobi or by L1.
//!
//! Names as in [`crate::fractional`]: n the next whole order, s = n−1−α, e the time since the start. Where
//! the order is a constant, the graph's own arithmetic folds weights to numbers.

use super::order::{self, Order};
use super::rewrite::{moved, sum};
use super::{Context, Expansion, Reason, check_sites, no_nodes};
use crate::fractional::Gauss;
use crate::lang::{Binary, Function, Id, Leaf};
use crate::spec::Caputo;

/// Gauss nodes where the file does not say: to rounding for functions that vary a few times over the range.
const GAUSS_NODES: usize = 16;
/// Steps of L1 where the file does not say.
const L1_STEPS: usize = 100;
/// More Gauss nodes than this are never better, only slower.
pub(in crate::problem) const MOST_GAUSS_NODES: usize = 128;
/// Gauss nodes are laid for orders this far from whole numbers at least. Nearer ones use them too, with
/// weights of their own.
const MARGIN: f64 = 1e-3;

pub(super) fn gauss_nodes(context: &Context<'_>) -> Result<usize, Reason> {
    match context.rule.nodes.unwrap_or(GAUSS_NODES) {
        0 => Err(no_nodes()),
        count if count <= MOST_GAUSS_NODES => Ok(count),
        count => Err(Reason::new(
            format!("{count} nodes of a Caputo derivative are too many"),
            format!("at most {MOST_GAUSS_NODES}"),
            "the usual 16 are exact to rounding for smooth solutions; for singular ones set caputo = \"l1\"",
        )),
    }
}

impl Expansion<'_> {
    /// The Caputo derivative of an expression that has no history in it any more.
    pub(super) fn caputo(&mut self, of: Id, order: Id, by: usize) -> Result<Id, Reason> {
        if self.graph.leaves(&[of]).iter().any(|leaf| matches!(leaf, Leaf::Attribute(_))) {
            return Err(Reason::new(
                "the Caputo derivative of a value that is known at the points alone does not exist",
                "its earlier values are not known",
                "take the Caputo derivative of fields and coordinates",
            ));
        }
        let (next, centre) = match order::understand(self.graph, order, self.context)? {
            Order::Whole(times) => return self.derivative(of, by, times),
            Order::Fractional { next, centre } => (next, centre),
        };
        match (self.context.rule.kind, self.line) {
            (Caputo::L1, _) => self.l1(of, order, by, next),
            (Caputo::Lines, Some((nodes, row))) => self.on_line(of, order, next, nodes, row),
            (Caputo::Lines | Caputo::Scattered, _) => self.scattered(of, order, by, next, centre),
        }
    }

    pub(super) fn derivative(&mut self, of: Id, by: usize, times: usize) -> Result<Id, Reason> {
        (0..times).try_fold(of, |of, _| self.graph.differentiate(of, by)).map_err(|error| {
            Reason::new(
                format!("the Caputo derivative needs a derivative that does not exist: {error}"),
                "what is differentiated",
                "take the Caputo derivative of an expression with lower derivatives",
            )
        })
    }

    /// s = n − 1 − α.
    pub(super) fn exponent(&mut self, order: Id, next: usize) -> Id {
        let whole = self.graph.constant(next as f64 - 1.0);
        self.graph.sub(whole, order)
    }

    /// e, the point's own time since the start.
    fn elapsed(&mut self, by: usize) -> Id {
        let start = self.graph.constant(self.context.ranges[by].0);
        let own = self.graph.leaf(Leaf::Coordinate(by));
        self.graph.sub(own, start)
    }

    /// The expression at the time (1 − τ)·e after the start.
    fn back(&mut self, of: Id, by: usize, elapsed: Id, τ: f64) -> Id {
        let start = self.graph.constant(self.context.ranges[by].0);
        let rest = self.graph.constant(1.0 - τ);
        let step = self.graph.mul(rest, elapsed);
        let place = self.graph.add(start, step);
        moved(self.graph, of, by, place, self.context.ranges.len())
    }

    /// base^power/Γ(s+2) where base > 0, else 0. The power is taken of 1 there: log 0 must not reach the
    /// derivative by α.
    pub(super) fn prefactor(&mut self, base: Id, power: Id, s: Id) -> Id {
        let graph = &mut *self.graph;
        let (zero, one, two) = (graph.constant(0.0), graph.constant(1.0), graph.constant(2.0));
        let later = graph.comparison(Binary::Less, zero, base);
        let safe = graph.select([later, base, one]);
        let argument = graph.add(s, two);
        let gamma = graph.function(Function::Gamma, argument);
        let power = graph.power(safe, power);
        let factor = graph.div(power, gamma);
        graph.select([later, factor, zero])
    }

    /// Gauss–Jacobi nodes of every point's own.
    fn scattered(&mut self, of: Id, order: Id, by: usize, next: usize, centre: f64) -> Result<Id, Reason> {
        let count = gauss_nodes(self.context)?;
        check_sites(self.graph, &[of], count)?;
        let of = self.derivative(of, by, next)?;
        let rule = Gauss::new(count, (next as f64 - 1.0 - centre).clamp(MARGIN - 1.0, -MARGIN));
        let s = self.exponent(order, next);
        let weights = self.weights(&rule, s);
        let elapsed = self.elapsed(by);
        let mut terms = Vec::new();
        for (&τ, weight) in rule.nodes().iter().zip(weights) {
            let value = self.back(of, by, elapsed, τ);
            terms.push(self.graph.mul(weight, value));
        }
        let mean = sum(self.graph, terms);
        let power = self.plus(s, 1.0);
        let factor = self.prefactor(elapsed, power, s);
        Ok(self.graph.mul(factor, mean))
    }

    /// [`Gauss::weights`].
    fn weights(&mut self, rule: &Gauss, s: Id) -> Vec<Id> {
        let count = rule.nodes().len();
        let mut moments = vec![self.graph.constant(1.0)];
        for k in 0..count - 1 {
            let (above, below) = (self.plus(s, -rule.power() - k as f64), self.plus(s, k as f64 + 2.0));
            let ratio = self.graph.div(above, below);
            let moment = self.graph.mul(moments[k], ratio);
            moments.push(moment);
        }
        let weight = |q: usize| {
            let coefficients: Vec<f64> = (0..count).map(|k| rule.coefficient(k)[q]).collect();
            self.combination(&coefficients, &moments)
        };
        (0..count).map(weight).collect()
    }

    /// Equal steps from the start to every point.
    fn l1(&mut self, of: Id, order: Id, by: usize, next: usize) -> Result<Id, Reason> {
        let steps = self.context.rule.nodes.unwrap_or(L1_STEPS);
        if steps == 0 {
            return Err(no_nodes());
        }
        check_sites(self.graph, &[of], steps + 1)?;
        let of = self.derivative(of, by, next - 1)?;
        let s = self.exponent(order, next);
        let power = self.plus(s, 1.0);
        let elapsed = self.elapsed(by);
        let mut terms = Vec::new();
        let (mut later, mut lower) = (self.back(of, by, elapsed, 0.0), self.graph.constant(0.0));
        for j in 1..=steps {
            let earlier = self.back(of, by, elapsed, j as f64 / steps as f64);
            let base = self.graph.constant(j as f64);
            let upper = self.graph.power(base, power);
            let (weight, change) = (self.graph.sub(upper, lower), self.graph.sub(later, earlier));
            terms.push(self.graph.mul(weight, change));
            (later, lower) = (earlier, upper);
        }
        let total = sum(self.graph, terms);
        let inverse = self.graph.constant(1.0 / steps as f64);
        let step = self.graph.mul(inverse, elapsed);
        let factor = self.prefactor(step, s, s);
        Ok(self.graph.mul(factor, total))
    }

    pub(super) fn plus(&mut self, a: Id, number: f64) -> Id {
        let number = self.graph.constant(number);
        self.graph.add(a, number)
    }

    /// Σ c_i·a_i.
    pub(super) fn combination(&mut self, coefficients: &[f64], of: &[Id]) -> Id {
        let mut terms = Vec::new();
        for (&coefficient, &a) in coefficients.iter().zip(of) {
            let coefficient = self.graph.constant(coefficient);
            terms.push(self.graph.mul(coefficient, a));
        }
        sum(self.graph, terms)
    }
}
