//! Whether a condition is met by construction.

use super::{Residual, Source, given};
use crate::geometry::Domain;
use crate::lang::Leaf;

/// Points at which it is tried.
const POINTS: usize = 64;

/// Whether the residuals vanish at points of the place whatever the networks compute there.
pub(super) fn by_construction(residual: &Residual, source: &Source, domain: &Domain) -> bool {
    let Source::Drawn { place, sampler, normals, .. } = source else { return false };
    let few = Source::Drawn {
        place: place.clone(),
        sampler: *sampler,
        count: POINTS,
        normals: *normals,
        adaptive: None,
    };
    let Ok(points) = few.draw(domain, 0, 1, 0) else { return false };
    let columns = given(&residual.given, &points);
    let (tape, slots) = (&residual.tape, residual.network_slots());
    let mut values = vec![0.0; tape.registers() * points.len()];
    for (input, (leaf, column)) in tape.inputs().iter().zip(values.chunks_exact_mut(points.len())).enumerate()
    {
        match *leaf {
            Leaf::Slot(slot) if slot >= slots => column.copy_from_slice(&columns[slot - slots]),
            // Any numbers will do, as long as they are not special.
            _ => column
                .iter_mut()
                .zip(0..)
                .for_each(|(value, i)| *value = f64::sin(1.7 * (input * 97 + i) as f64 + 0.3)),
        }
    }
    tape.forward(&mut values, points.len());
    // A residual of numbers of size one that cancels leaves rounding only.
    tape.outputs()
        .iter()
        .all(|&register| values[register * points.len()..][..points.len()].iter().all(|r| r.abs() < 1e-10))
}
