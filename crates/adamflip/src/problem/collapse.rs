//! Which linear operators a term's equations need, as few as possible.
//!
//! An equation is split into Σ c·∂^μ u + rest. A derivative that occurs only in such sums, and that no other stream
//! needs on the way, is a *candidate*: if all candidates of all equations and fields together enter through fewer
//! fixed combinations than there are candidates, the combinations travel as streams instead of the parts.
//! u_t + u u_x = ν u_xx needs {u, u_x, u_t − ν u_xx}; Navier–Stokes needs ∂_t − νΔ once for both velocities.

use std::collections::BTreeSet;

use crate::derivative::Partial;
use crate::jet::{Operator, Streams};
use crate::lang::{Graph, Id, Leaf};

/// The streams of a set of residuals, and the residuals rewritten on slots: slot `stream·fields + field`.
pub(super) fn collapse(graph: &mut Graph, residuals: &[Id], fields: usize) -> (Streams, Vec<Id>) {
    let split: Vec<(Vec<(Leaf, f64)>, Id)> = residuals.iter().map(|&id| graph.linear_parts(id)).collect();
    let linear: Vec<Linear> = split.iter().map(|(parts, _)| Linear::new(parts)).collect();
    let rests: Vec<Id> = split.iter().map(|&(_, rest)| rest).collect();
    let forced = forced(graph, &linear, &rests);
    let candidates: BTreeSet<Partial> =
        linear.iter().flat_map(Linear::partials).filter(|partial| !forced.contains(partial)).collect();
    let combinations = combinations(&linear, &candidates, fields);
    let mut wanted: Vec<Operator> = forced.iter().map(|&partial| partial.into()).collect();
    let collapsed = combinations.len() < candidates.len();
    match collapsed {
        true => wanted.extend(combinations.iter().cloned()),
        false => wanted.extend(candidates.iter().map(|&partial| Operator::from(partial))),
    }
    let streams = Streams::new(&wanted);
    let combinations = if collapsed { combinations } else { Vec::new() };
    let rewrite = Rewrite { streams: &streams, fields, combinations: &combinations, candidates: &candidates };
    let residuals =
        linear.iter().zip(rests).map(|(linear, rest)| rewrite.residual(graph, linear, rest)).collect();
    (streams, residuals)
}

/// Σ c·∂^μ of fields: the linear part of one equation.
struct Linear {
    parts: Vec<(usize, Partial, f64)>,
}

impl Linear {
    fn new(parts: &[(Leaf, f64)]) -> Self {
        let jet = |&(leaf, c): &(Leaf, f64)| match leaf {
            Leaf::Jet { field, partial, .. } => Some((field, partial, c)),
            _ => None,
        };
        Self { parts: parts.iter().filter_map(jet).collect() }
    }

    fn partials(&self) -> impl Iterator<Item = Partial> + '_ {
        self.parts.iter().map(|&(_, partial, _)| partial)
    }

    /// The candidates' part of one field, scaled so that its largest coefficient is one: (scale, operator).
    fn combination(&self, field: usize, candidates: &BTreeSet<Partial>) -> Option<(f64, Operator)> {
        let own = self.parts.iter().filter(|(f, partial, _)| *f == field && candidates.contains(partial));
        let sum = Operator::new(own.map(|&(_, partial, c)| (partial, c)));
        let larger = |a: f64, b: f64| if b.abs() > a.abs() { b } else { a };
        let scale = sum.parts().iter().map(|&(_, c)| c).reduce(larger)?;
        Some((scale, Operator::new(sum.parts().iter().map(|&(partial, c)| (partial, c / scale)))))
    }
}

/// The derivatives that must travel on their own: those inside nonlinear parts, and every lower derivative that the
/// chain rule of a needed one mentions.
fn forced(graph: &Graph, linear: &[Linear], rests: &[Id]) -> BTreeSet<Partial> {
    let nonlinear = graph.leaves(rests).into_iter().filter_map(|leaf| match leaf {
        Leaf::Jet { partial, .. } => Some(partial),
        _ => None,
    });
    let mut forced: BTreeSet<Partial> = nonlinear.chain([Partial::VALUE]).collect();
    let all: Vec<Partial> = forced.iter().copied().chain(linear.iter().flat_map(Linear::partials)).collect();
    forced.extend(all.into_iter().flat_map(Partial::proper_parts));
    forced
}

/// The distinct combinations of candidates over all equations and fields.
fn combinations(linear: &[Linear], candidates: &BTreeSet<Partial>, fields: usize) -> Vec<Operator> {
    let mut distinct: Vec<Operator> = Vec::new();
    for (_, operator) in linear.iter().flat_map(|l| (0..fields).filter_map(|f| l.combination(f, candidates)))
    {
        if !distinct.iter().any(|known| same(known, &operator)) {
            distinct.push(operator);
        }
    }
    distinct
}

/// Equal up to the rounding of constant arithmetic such as ν = 0.01/π distributed over a sum.
fn same(a: &Operator, b: &Operator) -> bool {
    let close = |x: f64, y: f64| (x - y).abs() <= 1e-14 * x.abs().max(y.abs());
    a.parts().len() == b.parts().len()
        && a.parts().iter().zip(b.parts()).all(|(a, b)| a.0 == b.0 && close(a.1, b.1))
}

struct Rewrite<'a> {
    streams: &'a Streams,
    fields: usize,
    combinations: &'a [Operator],
    candidates: &'a BTreeSet<Partial>,
}

impl Rewrite<'_> {
    /// rest + Σ c·slot over the derivatives that travel alone + Σ scale·slot over the combinations.
    fn residual(&self, graph: &mut Graph, linear: &Linear, rest: Id) -> Id {
        let alone = |partial: &Partial| self.combinations.is_empty() || !self.candidates.contains(partial);
        let mut sum = self.slots(graph, rest);
        for &(field, partial, c) in linear.parts.iter().filter(|(_, partial, _)| alone(partial)) {
            sum = self.add(graph, sum, c, field, &partial.into());
        }
        if !self.combinations.is_empty() {
            for field in 0..self.fields {
                if let Some((scale, operator)) = linear.combination(field, self.candidates) {
                    let known = self.combinations.iter().find(|known| same(known, &operator));
                    sum = self.add(graph, sum, scale, field, known.unwrap_or(&operator));
                }
            }
        }
        sum
    }

    fn add(&self, graph: &mut Graph, sum: Id, c: f64, field: usize, operator: &Operator) -> Id {
        let slot = self.slot(graph, field, operator);
        let factor = graph.constant(c);
        let product = graph.mul(factor, slot);
        graph.add(sum, product)
    }

    fn slot(&self, graph: &mut Graph, field: usize, operator: &Operator) -> Id {
        let stream = self.streams.find(operator).expect("every wanted operator has a stream");
        graph.leaf(Leaf::Slot(stream * self.fields + field))
    }

    /// The same expression with slots in place of derivatives.
    fn slots(&self, graph: &mut Graph, id: Id) -> Id {
        let mut replaced = Vec::new();
        for leaf in graph.leaves(&[id]) {
            if let Leaf::Jet { field, partial, .. } = leaf {
                replaced.push((leaf, self.slot(graph, field, &partial.into())));
            }
        }
        graph.substitute(id, &mut |leaf| replaced.iter().find(|(known, _)| *known == leaf).map(|&(_, id)| id))
    }
}
