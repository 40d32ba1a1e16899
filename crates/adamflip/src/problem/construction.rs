//! Conditions that hold by construction: fields as expressions of what the networks compute (their outputs,
//! sized or put into the file's ansatz), built from what the terms say.
//!
//! | file | what it meets |
//! | --- | --- |
//! | `walls` | conditions at both ends of the coordinates of `fourier_hard` |
//! | `projection` | linear equations of the fields, of terms with `project` |
//!
//! Walls come first: where the projected equations hold at a wall, their projection leaves its values as they
//! are.

mod projection;
#[cfg(test)]
mod tests;
mod walls;

use super::names::Names;
use crate::derivative::Partial;
use crate::diagnostic::Diagnostic;
use crate::geometry::{Domain, Points};
use crate::lang::{Graph, HERE, Id, Leaf, Tape};
use crate::sample::{self, Sampler};
use crate::spec;

/// The fields over the networks' own values.
#[derive(Clone, Debug, Default)]
pub(super) struct Construction {
    graph: Graph,
    /// One for each field; none where it is the network's value itself.
    fields: Vec<Option<Id>>,
    /// Coordinates of which networks see the cosine alone, cos(π(x − lower)/(upper − lower)).
    pub(super) even: Vec<usize>,
    /// Coordinates in which networks are periodic, and their periods.
    pub(super) periods: Vec<(usize, f64)>,
}

impl Construction {
    /// What the file asks for.
    pub(super) fn of(
        spec: &spec::Spec,
        names: &Names,
        domain: Option<&Domain>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut construction = Self { fields: vec![None; names.fields.len()], ..Self::default() };
        let Some(domain) = domain else { return construction };
        if !spec.network.fourier_hard.is_empty() {
            construction.meet_walls(spec, names, domain, diagnostics);
        }
        if spec.terms.iter().any(|term| term.project) {
            construction.project(spec, names, domain, diagnostics);
        }
        construction
    }

    /// Whether there is any.
    pub(super) fn is_any(&self) -> bool {
        !self.even.is_empty() || !self.periods.is_empty() || self.fields.iter().any(Option::is_some)
    }

    /// Whether a field is more than its network's value.
    pub(super) fn is_of(&self, field: usize) -> bool {
        self.fields.get(field).is_some_and(Option::is_some)
    }

    /// The field over the networks' values (field, value); nothing where it is the value itself.
    pub(super) fn expression(
        &self,
        field: usize,
        graph: &mut Graph,
        value: &mut dyn FnMut(&mut Graph, usize) -> Option<Id>,
    ) -> Option<Id> {
        let own = (*self.fields.get(field)?)?;
        let mut values = Vec::new();
        for leaf in self.graph.leaves(&[own]) {
            if let Leaf::Jet { field, .. } = leaf {
                values.push((leaf, value(graph, field)?));
            }
        }
        let id = graph.imported(&self.graph, own);
        Some(
            graph.substitute(id, &mut |leaf| {
                values.iter().find(|(known, _)| *known == leaf).map(|&(_, id)| id)
            }),
        )
    }

    /// A field as it stands so far.
    fn current(&mut self, field: usize) -> Id {
        let value = self.graph.leaf(Leaf::Jet { field, partial: Partial::VALUE, site: HERE });
        self.fields[field].unwrap_or(value)
    }
}

/// Points at which conditions are looked at.
const POINTS: usize = 64;

/// The values of expressions of coordinates at some points of the domain, one column each; `fixed`
/// coordinates as given.
fn values(graph: &Graph, ids: &[Id], domain: &Domain, fixed: &[(usize, f64)]) -> Option<Vec<Vec<f64>>> {
    let place = crate::geometry::Place::interior();
    let mut points: Points =
        sample::draw(domain, &place, Sampler::Halton, POINTS, &mut sample::stream(0, 0)).ok()?;
    fixed.iter().for_each(|&(coordinate, value)| points.column_mut(coordinate).fill(value));
    Some(super::at_points::at_points(&Tape::lower(graph, ids), &points))
}

/// The jets of an expression.
fn jets(graph: &Graph, id: Id) -> Vec<Leaf> {
    graph.leaves(&[id]).into_iter().filter(|leaf| matches!(leaf, Leaf::Jet { .. })).collect()
}
