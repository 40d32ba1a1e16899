//! An equation as a function of the fields themselves: what a table of values, or a condition on the fields,
//! can be put into. Networks and ansatz play no part.

use super::names::Names;
use super::reference::truth;
use crate::derivative::Partial;
use crate::lang::{Graph, HERE, Id, Leaf, Tape};
use crate::spec;

/// Left − right of one equation, from coordinates and from what it reads of fields.
#[derive(Clone, Debug)]
pub struct FieldResidual {
    /// Its inputs are coordinates, and attribute k for the k-th reading.
    pub tape: Tape,
    /// What it reads of fields.
    pub readings: Vec<Reading>,
}

/// A field or a derivative of it, at the point or elsewhere.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The field's number.
    pub field: usize,
    /// The derivative.
    pub partial: Partial,
    /// The coordinates of the point where it is read; none for the point itself.
    pub site: Option<Tape>,
}

impl FieldResidual {
    /// Nothing where the equation has integrals or Caputo derivatives, unknowns without a truth, measured
    /// values or normals.
    pub(super) fn of(spec: &spec::Spec, names: &Names, graph: &mut Graph, id: Id) -> Option<Self> {
        if graph.is_nonlocal(id) {
            return None;
        }
        let (mut readings, mut replaced) = (Vec::new(), Vec::new());
        for leaf in graph.leaves(&[id]) {
            let image = match leaf {
                Leaf::Jet { field, partial, site } => {
                    let site = if site == HERE { None } else { Some(site_tape(graph, site)?) };
                    readings.push(Reading { field, partial, site });
                    graph.leaf(Leaf::Attribute(readings.len() - 1))
                }
                Leaf::Unknown(unknown) => {
                    let value = truth(spec, names, unknown)?;
                    graph.constant(value)
                }
                Leaf::Attribute(_) | Leaf::Slot(_) => return None,
                Leaf::Coordinate(_) => continue,
            };
            replaced.push((leaf, image));
        }
        let find = |leaf: Leaf| replaced.iter().find(|(known, _)| *known == leaf).map(|&(_, image)| image);
        let id = graph.substitute(id, &mut |leaf| find(leaf));
        Some(Self { tape: Tape::lower(graph, &[id]), readings })
    }
}

/// The coordinates of a site, where they follow from those of the point.
fn site_tape(graph: &Graph, site: usize) -> Option<Tape> {
    let coordinates = graph.site_coordinates(site);
    let known = graph.leaves(coordinates).iter().all(|leaf| matches!(leaf, Leaf::Coordinate(_)));
    known.then(|| Tape::lower(graph, coordinates))
}
