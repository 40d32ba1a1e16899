//! The residuals of one term as tapes over streams.

use super::collapse::{Group, collapse};
use crate::lang::{Graph, HERE, Id, Leaf, Tape};

/// Expressions of fields at points, most often residuals r = left − right of a term: what depends on
/// coordinates and attributes alone is computed once for a set of points (`precomputed`), the rest every step
/// (`tape`).
#[derive(Clone, Debug)]
pub struct Residual {
    /// The networks' evaluations that the tape reads.
    pub groups: Vec<Group>,
    /// Where the networks are evaluated: at the point itself (`None`), or at coordinates computed from the
    /// point's.
    pub sites: Vec<Option<Tape>>,
    /// Columns that depend on the point alone; its inputs are coordinates and attributes.
    pub precomputed: Tape,
    /// The residuals; its inputs are unknowns and slots. The first slots are outputs of the groups, in order,
    /// the others precomputed columns. Of an inequality g ≤ 0 its output is what is violated, max(g, 0).
    pub tape: Tape,
    /// Of inequalities the tape's registers of g; empty where the residuals are those of equations.
    pub signed: Vec<usize>,
}

impl Residual {
    /// Prepares expressions for networks whose outputs are these fields.
    pub fn new(graph: &mut Graph, residuals: &[Id], networks: &[Vec<usize>]) -> Self {
        Self::of(graph, residuals, networks, false)
    }

    /// The same of inequalities g ≤ 0, if they are some.
    pub fn of(graph: &mut Graph, residuals: &[Id], networks: &[Vec<usize>], inequalities: bool) -> Self {
        let (mut groups, rewritten) = collapse(graph, residuals, networks);
        let slots = groups.iter().map(Group::slots).sum();
        let (precomputed, outputs) = graph.hoist(&rewritten, slots);
        let (mut known, mut sites) = (Vec::new(), Vec::new());
        for site in groups.iter_mut().flat_map(|group| &mut group.sites) {
            let position = known.iter().position(|&other| other == *site).unwrap_or_else(|| {
                known.push(*site);
                sites.push((*site != HERE).then(|| Tape::lower(graph, graph.site_coordinates(*site))));
                known.len() - 1
            });
            *site = position;
        }
        let precomputed = Tape::lower(graph, &precomputed);
        let (tape, signed) = match inequalities {
            true => {
                let violated = violated(graph, &outputs);
                Tape::lower(graph, &[violated, outputs].concat()).split_outputs(residuals.len())
            }
            false => (Tape::lower(graph, &outputs), Vec::new()),
        };
        Self { precomputed, tape, signed, groups, sites }
    }

    /// The number of residuals at a point.
    pub fn equations(&self) -> usize {
        self.tape.outputs().len()
    }

    /// Are they inequalities?
    pub fn is_inequality(&self) -> bool {
        !self.signed.is_empty()
    }

    /// The registers of the residuals, of inequalities with their signs if these are asked for.
    pub fn registers(&self, signed: bool) -> &[usize] {
        if signed && self.is_inequality() { &self.signed } else { self.tape.outputs() }
    }

    /// The number of slots that are outputs of networks.
    pub fn network_slots(&self) -> usize {
        self.groups.iter().map(Group::slots).sum()
    }

    /// The unknowns that the residuals depend on.
    pub fn unknowns(&self) -> impl Iterator<Item = usize> + '_ {
        self.tape.inputs().iter().filter_map(|leaf| match *leaf {
            Leaf::Unknown(unknown) => Some(unknown),
            _ => None,
        })
    }
}

/// max(g, 0).
pub(super) fn violated(graph: &mut Graph, residuals: &[Id]) -> Vec<Id> {
    let zero = graph.constant(0.0);
    residuals.iter().map(|&g| graph.max(g, zero)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Span, Spanned};
    use crate::lang::{Scope, equation};

    fn streams(coordinates: &[&str], fields: &[&str], equations: &[&str]) -> usize {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let (coordinates, fields) = (owned(coordinates), owned(fields));
        let constants = [("nu".to_owned(), 0.01 / std::f64::consts::PI)];
        let scope =
            Scope { coordinates: &coordinates, fields: &fields, constants: &constants, ..Scope::default() };
        let mut graph = Graph::new();
        let spanned = |text: &&str| Spanned { value: (*text).to_owned(), span: Span::default() };
        let ids: Vec<Id> =
            equations.iter().map(|text| equation(&spanned(text), &scope, &mut graph).unwrap()).collect();
        let networks = [(0..fields.len()).collect()];
        Residual::new(&mut graph, &ids, &networks).groups[0].streams.count()
    }

    #[test]
    fn equations_get_as_few_streams_as_they_need() {
        type Names = &'static [&'static str];
        #[rustfmt::skip]
        let cases: &[(Names, Names, Names, usize, &str)] = &[
            (&["x", "t"],      &["u"],           &["u_t + u*u_x = nu*u_xx"],        3, "u, u_x, u_t − ν u_xx"),
            (&["x", "y", "t"], &["u"],           &["u_t = 0.1*(u_xx + u_yy)"],      4, "u, u_x, u_y, u_t − ν Δu"),
            (&["x", "y"],      &["u"],           &["-u_xx - u_yy = sin(x)"],        4, "u, u_x, u_y, Δu"),
            (&["x", "t"],      &["u"],           &["u_t + 2*u_x = 0"],              2, "u, u_t + 2 u_x"),
            (&["x", "t"],      &["u"],           &["u_t + 6*u*u_x + u_xxx = 0"],    4, "u, u_x, u_xx, u_t + u_xxx"),
            (&["x", "t"],      &["u"],           &["u_t = u_xx*u"],                 4, "u_xx is nonlinear: u, u_x, u_t, u_xx"),
            (&["x", "t"],      &["u"],           &["u = sin(x)"],                   1, "u"),
            (&["x", "t"],      &["u", "v"],      &["u_t = u_xx", "v_t = 2*v_xx"],   4, "two combinations for two candidates"),
            (&["x", "y", "t"], &["u", "v", "p"], &[
                "u_t + u*u_x + v*u_y + p_x = nu*(u_xx + u_yy)",
                "v_t + u*v_x + v*v_y + p_y = nu*(v_xx + v_yy)",
                "u_x + v_y = 0"],                                                   4, "value, x, y, ∂_t − νΔ"),
        ];
        for (coordinates, fields, equations, expected, why) in cases {
            assert_eq!(streams(coordinates, fields, equations), *expected, "{equations:?}: {why}");
        }
    }
}
