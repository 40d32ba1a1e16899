//! What can be found out about a problem before it is trained: conditions that contradict each other or are
//! never sampled, a reference that does not solve the equations, terms of very different size, unknowns that
//! nothing depends on.
//!
//! Sits beside [`crate::evaluate`]: looks at a [`Problem`] and its first parameters, and trains nothing.
//! Everything is found numerically, at points, so it holds for any equation; a [`Finding`] says where and by
//! how much.
//!
//! | file | what it looks at |
//! | --- | --- |
//! | `sampled` | parts of a place without points |
//! | `said` | parts of the boundary without conditions, and what an ansatz fixes there |
//! | `conflict`, `prescribed` | conditions that give a field different values at one point |
//! | `bounds` | inequalities that leave no room to each other or to an equation |
//! | `compatible` | values of one condition that another does not allow at the points of both |
//! | `size` | how large the fields are |
//! | `start` | losses and gradients at the first parameters |
//! | `reference`, `table` | the known solution put into the equations; what residuals are small against |
//! | `observed` | where there are no data |
//! | `zero` | fields or coefficients of zero that solve everything |
//! | `elsewhere` | derivatives over jumps, fields outside the domain |

mod bounds;
mod compatible;
mod conflict;
mod coverage;
mod elsewhere;
mod finding;
mod observed;
mod place;
mod prescribed;
mod probe;
mod reference;
mod sampled;
mod size;
mod start;
mod table;
#[cfg(test)]
mod tests;
mod zero;

pub use finding::{BoundaryPart, Finding, Level};
pub use place::{brief, part_text, place_text, point_text, unknown_fields, where_text};

pub use coverage::by_construction;
pub use size::{FieldSize, Shown, sizes};

use crate::problem::Problem;
use crate::sample::SampleError;

/// Everything worth knowing, what is probably an error first. Runs on the current rayon pool.
///
/// The errors are those of drawing the terms' points.
pub fn findings(problem: &Problem, seed: u64) -> Result<Vec<Finding>, SampleError> {
    let mut found = start::unused(problem);
    found.extend(sampled::unsampled(problem, seed)?);
    found.extend(conflict::disagreements(problem));
    found.extend(bounds::without_room(problem));
    found.extend(compatible::incompatible(problem));
    found.extend(elsewhere::jumps(problem));
    found.extend(elsewhere::outside(problem, seed)?);
    found.extend(start::at_start(problem, seed)?);
    found.extend(reference::unsolved(problem, seed)?);
    found.extend(observed::unobserved(problem, seed)?);
    found.extend(zero::solutions(problem, seed)?);
    found.extend(coverage::idle_ansatz(problem));
    found.extend(coverage::unsaid(problem));
    found.sort_by_key(Finding::level);
    Ok(found)
}
