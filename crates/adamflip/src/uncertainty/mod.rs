//! How far a solution can be trusted: intervals of its unknowns, and its error without a reference.
//!
//! Sits after `certificate` in the flow. Both answers come from the problem linearized at the trained θ
//! ([`Linearized`]): every term t is a sum of squares wₜ/nₜ·Σr², so that the trained θ is the minimum of a
//! quadratic function with matrix H = Σ 2wₜ/nₜ·JₜᵀJₜ (constraints with a large weight), and moves by
//! −H⁻¹·2wₜ/nₜ·Jₜᵀe when the residuals of a term are disturbed by e. What disturbs them is known from the
//! residuals that are left: noise where they are observations, and where they are equations what the network
//! cannot do.
//!
//! - [`intervals`]: the covariance of the unknowns is that of θ for disturbances of that size;
//! - [`profiles`]: a slower check of them, which fits everything again for other values of an unknown;
//! - [`estimate()`]: the error of a field is its variance for the same disturbances, and the step that
//!   training would still have to take;
//! - [`unexplained`]: data that the solution does not meet.

mod balance;
mod data;
mod digits;
mod estimate;
mod interval;
mod likelihood;
mod linear;
mod part;
mod student;
#[cfg(test)]
mod tests;
mod window;

pub use data::{unexplained, unexplained_share};
pub use digits::{decimals, digits};
pub use estimate::{Caveat, Estimate, MISSED, estimate};
pub use interval::{Identified, Interval, intervals};
pub use likelihood::{Profile, profiles};
pub use linear::{Linearized, MOST_PARAMETERS};

use crate::certificate::State;

/// What is known of a solution beside its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assessment {
    /// Of every unknown.
    pub intervals: Vec<Interval>,
    /// Of every field.
    pub estimates: Vec<Estimate>,
}

/// The largest residual of an equation by its summands, where it can be told.
pub fn missed(state: &State<'_>) -> Option<f64> {
    balance::balances(state).into_iter().map(|balance| balance.share).reduce(f64::max)
}

/// Intervals and estimates at a trained state; none where the problem cannot be linearized there
/// ([`Linearized::new`]).
pub fn assess(state: &State<'_>) -> Assessment {
    if state.model.windows().is_some() {
        let estimates = window::estimates(state).unwrap_or_default();
        return Assessment { intervals: Vec::new(), estimates };
    }
    let of = |linear: Linearized| Assessment {
        intervals: intervals(state, &linear),
        estimates: estimate(state, &linear),
    };
    Linearized::new(state).map(of).unwrap_or_default()
}
