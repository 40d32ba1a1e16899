//! Tolerances held against misfits of training: the first question, before fresh points are asked.

use crate::objective::ResidualStats;
use crate::problem::{Measure, Term};

/// Does the term meet its tolerance, if it has one, with this misfit?
pub(super) fn within(term: &Term, misfit: &ResidualStats) -> bool {
    term.tolerance.is_none_or(|(measure, limit)| {
        let measured = match measure {
            Measure::Max => misfit.max,
            Measure::Rms => misfit.mse.sqrt(),
            Measure::Mse => misfit.mse,
        };
        measured < limit
    })
}
