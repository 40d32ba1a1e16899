//! Rows of a Jacobian kept in factors: sums of outer products instead of written-out numbers.
//!
//! Through a dense layer z = aW + b that carries several streams (a value and its derivatives), the row of a
//! constraint is Σ_s a_s ⊗ z̄_s in W and z̄_0 in b, with a_s the layer's inputs and z̄_s the adjoints of its
//! outputs at the constraint's point. So n inputs and n outputs take 2nS numbers instead of n², and a product
//! of two rows is
//!
//! Σ_{s,t} (z̄_s·z̄'_t) (a_s·a'_t + [s = t = 0]):    4nS² operations instead of 2n².
//!
//! Where that is not fewer, a part of the rows is written out all the same (`Form::Written`).
//!
//! Rows lie in *strips*, in which they stand side by side in panels of `jet::PANEL`, the layout of the jets
//! that they come from: what is copied here is ready for the matrix kernels.

mod products;
mod strip;

pub(crate) use products::{add_times, add_transposed, gram, gram_between, squares};
pub(crate) use strip::{Strip, StripForm, StripPart};
