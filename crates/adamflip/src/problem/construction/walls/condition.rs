//! What a condition at one end of a coordinate says of a field: its value, its slope, or that it is periodic.

use super::super::jets;
use crate::diagnostic::Spanned;
use crate::geometry::{Boundary, Part};
use crate::lang::{self, Graph, HERE, Id, Leaf};
use crate::problem::names::Names;

/// What is said at one end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Condition {
    Value(Id),
    /// The derivative by the coordinate (not along the normal).
    Slope(Id),
    Periodic,
}

/// An end of a coordinate.
pub(super) struct Wall {
    pub(super) coordinate: usize,
    pub(super) value: f64,
    /// The opposite end.
    pub(super) other: f64,
    /// The component of the outward normal.
    pub(super) outward: f64,
}

impl Wall {
    /// What an equation says there of a field, nothing if it is about others; an error where that cannot be
    /// built in.
    pub(super) fn read(
        &self,
        graph: &mut Graph,
        text: &Spanned<String>,
        names: &Names,
        field: usize,
    ) -> Result<Option<Condition>, ()> {
        // An equation with an error has its message; an inequality stays a term.
        let Ok(Some(id)) = lang::equality(text, &names.scope(&names.normals()), graph) else {
            return Ok(None);
        };
        let (zero, outward) = (graph.constant(0.0), graph.constant(self.outward));
        let normal = |leaf: Leaf| match leaf {
            Leaf::Attribute(c) => Some(if c == self.coordinate { outward } else { zero }),
            _ => None,
        };
        let id = graph.substitute(id, &mut |leaf| normal(leaf));
        let leaves = jets(graph, id);
        let own = |leaf: &Leaf| matches!(leaf, Leaf::Jet { field: of, .. } if *of == field);
        if !leaves.iter().any(own) {
            return Ok(None);
        }
        if self.is_periodic(graph, id, &leaves) {
            return Ok(Some(Condition::Periodic));
        }
        let &[leaf @ Leaf::Jet { partial, site: HERE, .. }] = &leaves[..] else { return Err(()) };
        let one = graph.constant(1.0);
        let factor = graph.tangent(id, &[(leaf, one)]).map_err(|_| ())?;
        let factor = graph.collected(factor).unwrap_or(factor);
        if graph.is_nonlocal(id) || graph.depends_on(factor, |leaf| !matches!(leaf, Leaf::Coordinate(_))) {
            return Err(());
        }
        let rest = graph.substitute(id, &mut |other| (other == leaf).then_some(zero));
        let quotient = graph.div(rest, factor);
        let given = graph.neg(quotient);
        let given = at(graph, given, self.coordinate, self.value);
        match partial.coordinates().collect::<Vec<_>>()[..] {
            [] => Ok(Some(Condition::Value(given))),
            [by] if by == self.coordinate => Ok(Some(Condition::Slope(given))),
            _ => Err(()),
        }
    }

    /// Whether the equation says that a field or its slope is the same at the opposite end.
    fn is_periodic(&self, graph: &mut Graph, id: Id, leaves: &[Leaf]) -> bool {
        let &[Leaf::Jet { field, partial, site: HERE }, Leaf::Jet { field: other, partial: same, site }] =
            leaves
        else {
            return false;
        };
        if field != other || partial != same {
            return false;
        }
        let opposite = graph.site_coordinates(site).to_vec();
        let fits = opposite.into_iter().enumerate().all(|(c, there)| match c == self.coordinate {
            true => graph.constant(self.other) == there,
            false => graph.leaf(Leaf::Coordinate(c)) == there,
        });
        let here = graph.leaf(Leaf::Jet { field, partial, site: HERE });
        let joined = graph.substitute(id, &mut |leaf| matches!(leaf, Leaf::Jet { .. }).then_some(here));
        fits && graph.collected(joined) == Some(graph.constant(0.0))
    }
}

/// Whether a part is all of an end, alone or as a piece of the whole boundary.
pub(super) fn is_wall(part: &Part, coordinate: usize, value: f64) -> bool {
    let whole = part.ranges.is_empty() && part.within.is_empty();
    let here = part.fixed[..] == [(coordinate, value)] && part.boundary.is_none();
    whole && (here || part.fixed.is_empty() && part.boundary == Some(Boundary::All))
}

/// An expression where a coordinate has a value.
pub(super) fn at(graph: &mut Graph, id: Id, coordinate: usize, value: f64) -> Id {
    let value = graph.constant(value);
    graph.substitute(id, &mut |leaf| (leaf == Leaf::Coordinate(coordinate)).then_some(value))
}
