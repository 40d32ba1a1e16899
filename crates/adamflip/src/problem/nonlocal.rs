//! Nonlocal terms: Caputo derivatives and integrals, taken apart into sums over other points.
//!
//! Between the equation language, which leaves [`Node::Caputo`] and [`Node::Integral`] in its graph, and the
//! tapes, which know sites alone. All of it is arithmetic of the graph: the derivative by an unknown order is
//! the tape's own. The mathematics is in [`crate::fractional`], the rules in [`caputo`] and [`line`], what an
//! order may be in [`order`].

mod caputo;
mod line;
mod order;
mod rewrite;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;

use crate::fractional;
use crate::lang::{Graph, Id, Leaf, Node};
use crate::spec::Caputo;
pub(super) use caputo::MOST_GAUSS_NODES;
use line::Nodes;
use rewrite::{moved, sum};

/// More points than this for one row of a term are not meant: the network is evaluated at each.
const MOST_SITES: usize = 4096;
/// Nodes of an integral over one coordinate, where the file does not say: exact up to degree 63.
const INTEGRAL_NODES: usize = 32;
/// The same where integrals are nested.
const NESTED_NODES: usize = 16;

/// How the histories of a term are discretised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// How Caputo derivatives are.
    pub(super) kind: Caputo,
    /// The number of nodes (steps for L1) of Caputo derivatives and of integrals.
    pub(super) nodes: Option<usize>,
}

/// A number that training moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quantity {
    /// Where it starts.
    pub(super) start: f64,
    /// The interval that it does not leave.
    pub(super) bounds: Option<(f64, f64)>,
}

/// What is known around the equations of a term.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    /// The range of every coordinate. Histories begin at the lower end.
    pub(super) ranges: &'a [(f64, f64)],
    /// The unknowns.
    pub(super) unknowns: &'a [Quantity],
    /// The discretisation.
    pub(super) rule: Rule,
}

/// Residuals without Caputo derivatives and integrals.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expanded {
    /// The residuals; on lines `residuals[node * equations + equation]`.
    pub(super) residuals: Vec<Id>,
    /// Where the points of the term lie on lines.
    pub(super) line: Option<Line>,
}

/// A point of the term stands for the line along a coordinate that ends there: one residual for each node and
/// equation.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Along which coordinate.
    pub coordinate: usize,
    /// Where all lines begin.
    pub start: f64,
    /// The nodes as shares of its length, ascending.
    pub nodes: Vec<f64>,
}

impl Line {
    /// The value of the coordinate at a node of the line with this end.
    pub fn at(&self, node: usize, end: f64) -> f64 {
        self.start + (end - self.start) * self.nodes[node]
    }
}

/// Why a nonlocal term cannot be taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NonlocalError {
    /// In which equation.
    pub(super) equation: usize,
    /// What is wrong.
    pub(super) message: String,
    /// What stands there.
    pub(super) label: String,
    /// What to do.
    pub(super) hint: String,
}

/// A refusal before it is known in which equation.
#[derive(Debug)]
struct Reason {
    message: String,
    label: String,
    hint: String,
}

impl Reason {
    fn new(message: impl Into<String>, label: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), label: label.into(), hint: hint.into() }
    }

    fn of(self, equation: usize) -> NonlocalError {
        NonlocalError { equation, message: self.message, label: self.label, hint: self.hint }
    }
}

/// Takes all Caputo derivatives and integrals of the residuals apart.
pub(super) fn expand(
    graph: &mut Graph,
    residuals: &[Id],
    context: &Context<'_>,
) -> Result<Expanded, Vec<NonlocalError>> {
    let nodes: Vec<Vec<Id>> = residuals.iter().map(|&residual| graph.reachable(&[residual])).collect();
    let line = line::nodes(graph, &nodes, context)?;
    let nested = nodes.iter().flatten().any(|&id| has_nested_integral(graph, id));
    let mut expansion = Expansion { graph, context, nested, line: None, slopes: HashMap::new() };
    let stations: Vec<Option<usize>> = match &line {
        None => vec![None],
        Some(nodes) => (0..nodes.rule.nodes().len()).map(Some).collect(),
    };
    let (mut expanded, mut refusals) = (Vec::new(), Vec::new());
    for station in stations {
        expansion.line = line.as_ref().zip(station);
        for (equation, (&residual, nodes)) in residuals.iter().zip(&nodes).enumerate() {
            match expansion.residual(residual, nodes) {
                Ok(id) => expanded.push(id),
                Err(reason) => refusals.push(reason.of(equation)),
            }
        }
        // Further nodes of a line would repeat the refusals.
        if !refusals.is_empty() {
            return Err(refusals);
        }
    }
    check_sites(expansion.graph, &expanded, 1).map_err(|reason| vec![reason.of(0)])?;
    Ok(Expanded { residuals: expanded, line: line.map(|nodes| nodes.line(context)) })
}

/// One pass over the residuals, on lines one for each node.
struct Expansion<'a> {
    graph: &'a mut Graph,
    context: &'a Context<'a>,
    nested: bool,
    /// The nodes and the one at which the residuals are taken.
    line: Option<(&'a Nodes, usize)>,
    /// What is differentiated, its order, → its derivative at every node of the line.
    slopes: HashMap<(Id, usize), Vec<Id>>,
}

impl Expansion<'_> {
    /// The residual with its histories taken apart, innermost first; `nodes` are all that it is made of.
    fn residual(&mut self, residual: Id, nodes: &[Id]) -> Result<Id, Reason> {
        // At the point itself, and, of what has a history along the line, at its node.
        let (mut here, mut there) = (HashMap::new(), HashMap::new());
        for &id in nodes {
            let node = *self.graph.node(id);
            let is_history = self.line.is_some() && line::fractional_by(self.graph, id).is_some();
            if is_history || node.children().any(|child| there.contains_key(&child)) {
                let new = self.on_line_node(node, is_history, &here, &there)?;
                there.insert(id, new);
                continue;
            }
            let of = |id: Id| here[&id];
            let new = match node {
                Node::Caputo { of: operand, order, by } => self.caputo(of(operand), of(order), by)?,
                Node::Integral { of: operand, lower, upper, by } => {
                    self.integral(of(operand), of(lower), of(upper), by)?
                }
                node if node.children().all(|child| here[&child] == child) => id,
                node => self.graph.rebuild(node, of),
            };
            here.insert(id, new);
        }
        Ok(self.at_node(residual, &here, &there))
    }

    /// What has a history along the line, or a part that has, at the node.
    fn on_line_node(
        &mut self,
        node: Node,
        is_history: bool,
        here: &HashMap<Id, Id>,
        there: &HashMap<Id, Id>,
    ) -> Result<Id, Reason> {
        match node {
            // What it is the history of has none of its own: that was refused.
            Node::Caputo { of, order, by } if is_history => self.caputo(here[&of], here[&order], by),
            // Along another coordinate: one along the line was refused.
            Node::Integral { of, lower, upper, by } => {
                let [of, lower, upper] = [of, lower, upper].map(|id| self.at_node(id, here, there));
                self.integral(of, lower, upper, by)
            }
            node => {
                let children: HashMap<Id, Id> =
                    node.children().map(|child| (child, self.at_node(child, here, there))).collect();
                Ok(self.graph.rebuild(node, |child| children[&child]))
            }
        }
    }

    /// An expression where the residual is taken: at the point, or at the node of its line.
    fn at_node(&mut self, id: Id, here: &HashMap<Id, Id>, there: &HashMap<Id, Id>) -> Id {
        match (there.get(&id), self.line) {
            (Some(known), _) => *known,
            (None, None) => here[&id],
            (None, Some((nodes, row))) => nodes.at(self.graph, here[&id], row, self.context),
        }
    }

    /// Σ_q w_q·(upper − lower)·of(lower + (upper − lower)·ξ_q).
    fn integral(&mut self, of: Id, lower: Id, upper: Id, by: usize) -> Result<Id, Reason> {
        let given = |leaf: &Leaf| matches!(leaf, Leaf::Coordinate(_) | Leaf::Attribute(_));
        if !self.graph.leaves(&[lower, upper]).iter().all(given) {
            return Err(Reason::new(
                "the ends of an integral must not depend on fields or unknowns",
                "the points of integration would move in training",
                "give ends that depend on coordinates alone, or scale the coordinate",
            ));
        }
        let usual = if self.nested { NESTED_NODES } else { INTEGRAL_NODES };
        let count = NonZeroUsize::new(self.context.rule.nodes.unwrap_or(usual)).ok_or_else(no_nodes)?;
        check_sites(self.graph, &[of], count.get())?;
        let length = self.graph.sub(upper, lower);
        let mut terms = Vec::new();
        for (ξ, weight) in fractional::legendre(count) {
            let (ξ, weight) = (self.graph.constant(ξ), self.graph.constant(weight));
            let step = self.graph.mul(ξ, length);
            let place = self.graph.add(lower, step);
            let value = moved(self.graph, of, by, place, self.context.ranges.len());
            terms.push(self.graph.mul(weight, value));
        }
        let mean = sum(self.graph, terms);
        Ok(self.graph.mul(length, mean))
    }
}

fn no_nodes() -> Reason {
    Reason::new(
        "a rule of integration needs at least one node",
        "`nodes = 0`",
        "leave `nodes` out for the usual number",
    )
}

/// Refuses what would be too many sites once everything is repeated so often.
fn check_sites(graph: &Graph, outputs: &[Id], times: usize) -> Result<(), Reason> {
    let site = |leaf| match leaf {
        Leaf::Jet { site, .. } => Some(site),
        _ => None,
    };
    let sites: BTreeSet<usize> = graph.leaves(outputs).into_iter().filter_map(site).collect();
    let total = sites.len().max(1).saturating_mul(times);
    if total <= MOST_SITES {
        return Ok(());
    }
    Err(Reason::new(
        format!("the network would be needed at {total} places for each point"),
        format!("at most {MOST_SITES}"),
        "set fewer `nodes` in this term",
    ))
}

fn has_nested_integral(graph: &Graph, id: Id) -> bool {
    let Node::Integral { of, .. } = *graph.node(id) else { return false };
    graph.reachable(&[of]).into_iter().any(|id| matches!(graph.node(id), Node::Integral { .. }))
}
