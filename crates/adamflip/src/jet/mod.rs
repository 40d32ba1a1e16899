//! The derivative engine: values and derivatives of a network at many points, forward and in reverse.
//!
//! For a batch of points every needed derivative travels through the network as a *stream* ([`Streams`]); a
//! network is a list of primitives ([`Program`]); a [`Sweep`] runs the streams of one term through it,
//! forward to the outputs, and in reverse to the gradient with respect to the parameters, or to the Jacobian
//! row of every point. The engine knows nothing of equations: what is done with the outputs is the business
//! of `objective`.
//!
//! Points are handled in panels of [`PANEL`], the unit of the kernels' memory layout, and in tiles of a few
//! panels that stay in the second-level cache from the first layer forward to the first layer back.

mod activation;
mod adjoints;
mod diagonal;
mod entry;
mod gate;
mod gate_diagonal;
mod linear;
mod math;
mod pointwise;
mod pointwise_diagonal;
mod program;
mod reverse;
mod rows;
mod streams;
mod sum;
mod sweep;
#[cfg(test)]
mod tests;

pub use activation::Activation;
pub use entry::{Entry, EntryTerm};
pub(crate) use linear::{Product, WeightGradient};
pub use program::{Op, Program, Register};
pub use reverse::Layer;
pub(crate) use rows::LinearRows;
pub use streams::{Operator, Streams};
pub(crate) use sweep::CACHE;
pub use sweep::{Sweep, Workspace};

/// Points in a panel: two vectors of the widest instruction set.
pub const PANEL: usize = 16;

/// The most streams that one term may need (the fourth order in four coordinates takes 70).
pub const MAX_STREAMS: usize = 128;

/// Numbers from one block (one stream of one panel) of a register to the next.
///
/// A block whose size is a multiple of half the first-level cache's period would put all blocks' rows on the
/// same cache sets; eight further lines spread them.
pub(crate) const fn block_stride(units: usize) -> usize {
    const LINE: usize = 8;
    let size = units * PANEL;
    if (size / LINE).is_multiple_of(32) { size + 8 * LINE } else { size }
}
