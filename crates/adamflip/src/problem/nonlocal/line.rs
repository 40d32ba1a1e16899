//! Caputo derivatives on lines: every point stands for the line along the coordinate that ends there, with
//! nodes at shares of its length that all lines have in common.
//!
//! The derivative at a node is a row of numbers, times a power of the length, times values at all nodes; the
//! network is evaluated there and nowhere else. Lines of one length would leave it free between the nodes,
//! where noisy data then are fitted.

use super::caputo::gauss_nodes;
use super::rewrite::{moved, sum};
use super::{Context, Expansion, Line, NonlocalError, Reason, check_sites};
use crate::fractional::{self, Gauss};
use crate::lang::{Graph, Id, Leaf, Node};
use crate::spec::Caputo;

/// The nodes that all lines of a term have in common.
pub(super) struct Nodes {
    coordinate: usize,
    /// Gauss–Legendre on (0, 1).
    pub(super) rule: Gauss,
}

impl Nodes {
    pub(super) fn line(&self, context: &Context<'_>) -> Line {
        let (start, _) = context.ranges[self.coordinate];
        Line { coordinate: self.coordinate, start, nodes: self.rule.nodes().to_vec() }
    }

    /// The length of the line, from the start to the point.
    fn length(&self, graph: &mut Graph, context: &Context<'_>) -> Id {
        let start = graph.constant(context.ranges[self.coordinate].0);
        let end = graph.leaf(Leaf::Coordinate(self.coordinate));
        graph.sub(end, start)
    }

    /// How far the node is from the start.
    fn elapsed(&self, graph: &mut Graph, row: usize, context: &Context<'_>) -> Id {
        let (length, share) = (self.length(graph, context), graph.constant(self.rule.nodes()[row]));
        graph.mul(share, length)
    }

    /// The expression at a node.
    pub(super) fn at(&self, graph: &mut Graph, id: Id, row: usize, context: &Context<'_>) -> Id {
        let (start, elapsed) =
            (graph.constant(context.ranges[self.coordinate].0), self.elapsed(graph, row, context));
        let value = graph.add(start, elapsed);
        moved(graph, id, self.coordinate, value, context.ranges.len())
    }
}

/// The nodes of the lines, where the rule asks for lines and there is a fractional order among these
/// expressions, a list for each equation.
pub(super) fn nodes(
    graph: &Graph,
    equations: &[Vec<Id>],
    context: &Context<'_>,
) -> Result<Option<Nodes>, Vec<NonlocalError>> {
    let along = |id: &Id| fractional_by(graph, *id);
    let Some(coordinate) = equations.iter().flatten().find_map(along) else { return Ok(None) };
    if context.rule.kind != Caputo::Lines {
        return Ok(None);
    }
    let refused = |(equation, nodes): (usize, &Vec<Id>)| {
        let reason = nodes.iter().find_map(|&id| off_line(graph, id, coordinate))?;
        Some(reason.of(equation))
    };
    let refusals: Vec<NonlocalError> = equations.iter().enumerate().filter_map(refused).collect();
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let count = gauss_nodes(context).map_err(|reason| vec![reason.of(0)])?;
    Ok(Some(Nodes { coordinate, rule: Gauss::new(count, 0.0) }))
}

/// The coordinate of a Caputo derivative that is not plain.
pub(super) fn fractional_by(graph: &Graph, id: Id) -> Option<usize> {
    let Node::Caputo { order, by, .. } = *graph.node(id) else { return None };
    let whole = matches!(*graph.node(order), Node::Constant(value) if value == 1.0 || value == 2.0);
    (!whole).then_some(by)
}

/// Why an expression needs values beside the nodes of lines along the coordinate.
fn off_line(graph: &Graph, id: Id, coordinate: usize) -> Option<Reason> {
    let scattered = |message: &str, label: &str| {
        Some(Reason::new(message, label, "set caputo = \"scattered\" in this term"))
    };
    let inner = |of: Id| graph.reachable(&[of]).into_iter().find_map(|id| fractional_by(graph, id));
    match *graph.node(id) {
        Node::Caputo { by, .. } if fractional_by(graph, id).is_some() && by != coordinate => scattered(
            "Caputo derivatives by different coordinates have no lines in common",
            "another coordinate than that of the first Caputo derivative",
        ),
        Node::Caputo { of, .. } if inner(of).is_some() => scattered(
            "a Caputo derivative of a Caputo derivative cannot be taken on lines",
            "one Caputo derivative within another",
        ),
        Node::Integral { of, by, .. } if by == coordinate && inner(of).is_some() => scattered(
            "an integral along the lines of a Caputo derivative needs it between their nodes",
            "a Caputo derivative under an integral over its own coordinate",
        ),
        _ => None,
    }
}

impl Expansion<'_> {
    /// The row of [`fractional::line_row`] at a node of the lines, times the derivatives at all nodes.
    pub(super) fn on_line(
        &mut self,
        of: Id,
        order: Id,
        next: usize,
        nodes: &Nodes,
        row: usize,
    ) -> Result<Id, Reason> {
        let slopes = self.slopes(of, next, nodes)?;
        let order = nodes.at(self.graph, order, row, self.context);
        let s = self.exponent(order, next);
        if let Node::Constant(s) = *self.graph.node(s) {
            let entries = fractional::line_row(&nodes.rule, row, 1.0, s);
            let entries: Vec<f64> = entries.into_iter().map(|entry| entry.0).collect();
            let sum = self.combination(&entries, &slopes);
            let (length, power) = (nodes.length(self.graph, self.context), self.graph.constant(s + 1.0));
            let scale = self.graph.power(length, power);
            return Ok(self.graph.mul(scale, sum));
        }
        let moments = self.line_moments(nodes.rule.nodes()[row], s, slopes.len());
        let mut terms = Vec::new();
        for (k, moment) in moments.into_iter().enumerate() {
            let coefficient = self.combination(nodes.rule.coefficient(k), &slopes);
            terms.push(self.graph.mul(moment, coefficient));
        }
        let mean = sum(self.graph, terms);
        let elapsed = nodes.elapsed(self.graph, row, self.context);
        let power = self.plus(s, 1.0);
        let factor = self.prefactor(elapsed, power, s);
        Ok(self.graph.mul(factor, mean))
    }

    /// The n-th derivative at every node of the lines.
    fn slopes(&mut self, of: Id, next: usize, nodes: &Nodes) -> Result<Vec<Id>, Reason> {
        if let Some(known) = self.slopes.get(&(of, next)) {
            return Ok(known.clone());
        }
        let count = nodes.rule.nodes().len();
        check_sites(self.graph, &[of], count)?;
        let derivative = self.derivative(of, nodes.coordinate, next)?;
        let slopes: Vec<Id> =
            (0..count).map(|row| nodes.at(self.graph, derivative, row, self.context)).collect();
        self.slopes.insert((of, next), slopes.clone());
        Ok(slopes)
    }

    /// [`fractional::line_moments`].
    fn line_moments(&mut self, x: f64, s: Id, count: usize) -> Vec<Id> {
        let below = self.plus(s, 2.0);
        let (twice, one) = (self.graph.constant(2.0 * x), self.graph.constant(1.0));
        let quotient = self.graph.div(twice, below);
        let mut moments = vec![one, self.graph.sub(quotient, one)];
        for k in 1..count.saturating_sub(1) {
            let kf = k as f64;
            let ahead = self.graph.constant((2.0 * kf + 1.0) * (2.0 * x - 1.0));
            let (forward, below) = (self.plus(s, 1.0 - kf), self.plus(s, kf + 2.0));
            let (last, older) = (self.graph.mul(ahead, moments[k]), self.graph.mul(forward, moments[k - 1]));
            let next = self.graph.add(last, older);
            moments.push(self.graph.div(next, below));
        }
        moments.truncate(count);
        moments
    }
}
