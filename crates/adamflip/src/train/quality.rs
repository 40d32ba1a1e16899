//! How good an attempt is by its own measures. The reference is never looked at.
//!
//! Four shares, each of what would be nothing: of data that are not explained, of equations that are not met
//! (residual by summands), of conditions that are not met (by those of the untrained network), and the
//! estimated relative error.

use serde::{Deserialize, Serialize};

use super::Trainer;
use crate::problem::{Role, Term};
use crate::uncertainty::{self, MISSED};

/// Data of which more than this share is left are not explained: the rule of [`uncertainty::unexplained`].
const UNEXPLAINED: f64 = 0.5;
/// An estimate above this is no answer: it is an order of magnitude at best.
const LOST: f64 = 0.2;
/// Shares beyond this say nothing more.
const MOST: f64 = 10.0;

/// The measures of a state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Quality {
    /// Of data, the largest share that is left.
    pub(super) unexplained: f64,
    /// The largest residual of an equation by its summands.
    pub(super) missed: f64,
    /// The largest residual of a condition by that of the untrained network.
    pub(super) unmet: f64,
    /// The largest estimated error of a field.
    pub(super) estimate: f64,
    /// Was the error estimated?
    pub(super) is_known: bool,
}

impl Quality {
    /// Is it no answer?
    pub(super) fn fails(&self) -> bool {
        self.unexplained > UNEXPLAINED || self.missed > MISSED || self.estimate > LOST
    }

    /// Are data the reason?
    pub(super) fn misses_data(&self) -> bool {
        self.unexplained > UNEXPLAINED
    }

    /// The smaller, the better. Of two that fail estimates say nothing; any answer is better than none.
    pub(super) fn rank(&self) -> f64 {
        if self.fails() { 1.0 + self.unexplained + self.missed + self.unmet } else { self.estimate }
    }

    /// What is wrong, in words.
    pub(super) fn text(&self) -> String {
        let percent = |share: f64| match 100.0 * share {
            percent if percent < 10.0 => format!("{percent:.1}%"),
            percent => format!("{percent:.0}%"),
        };
        if self.misses_data() {
            format!("{} of the data is left unexplained", percent(self.unexplained))
        } else if self.missed > MISSED {
            format!("the equations are missed by {} of their summands", percent(self.missed))
        } else if self.is_known {
            format!("the estimated error is {}", percent(self.estimate))
        } else {
            format!("equations to {} of their summands", percent(self.missed))
        }
    }
}

impl Trainer {
    /// The quality of the current state. An estimate takes the time of several steps; without one it counts
    /// as none.
    pub(super) fn quality(&mut self, with_estimate: bool) -> Quality {
        let unmet = self.unmet();
        let state = self.state_here();
        let bounded = |share: f64| if share <= MOST { share } else { MOST };
        let unexplained = bounded(uncertainty::unexplained_share(&state));
        let missed = bounded(uncertainty::missed(&state).unwrap_or(0.0));
        let known = with_estimate && unexplained <= UNEXPLAINED && missed <= MISSED;
        let estimate =
            if known { Self::largest_estimate(&uncertainty::assess(&state).estimates) } else { 1.0 };
        Quality { unexplained, missed, unmet: bounded(unmet), estimate, is_known: known }
    }

    /// Of networks that are too large to be estimated nothing is known against the answer.
    fn largest_estimate(estimates: &[uncertainty::Estimate]) -> f64 {
        estimates.iter().map(|estimate| estimate.relative_l2).fold(0.0, f64::max)
    }

    /// The largest root mean square of a condition by that of the untrained network.
    fn unmet(&mut self) -> f64 {
        let (_, untrained) = super::model(self.here(), self.seed);
        let first = self.first();
        let before: Vec<f64> = self.objective.measure(&untrained).iter().map(|misfit| misfit.mse).collect();
        let after = self.objective.measure(&self.θ[first..]);
        let terms = self.problem.terms.iter().zip(before.iter().zip(after));
        // What an equation leaves is measured by its summands: an untrained network may meet one that says
        // nothing yet.
        let is_condition = |term: &Term| term.role == Role::Constraint && !term.is_everywhere_inside();
        let conditions = terms.filter(|(term, (before, _))| is_condition(term) && **before > 0.0);
        let share = conditions.map(|(_, (before, after))| (after.mse / before).sqrt());
        // What is not a number is far from met.
        share.fold(0.0, |most: f64, share| if share <= most { most } else { share.min(MOST) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_better_than_none_whatever_is_estimated() {
        let quality = |unexplained, missed, estimate| Quality {
            unexplained,
            missed,
            unmet: 0.0,
            estimate,
            is_known: true,
        };
        let answer = quality(0.1, 1e-3, 0.15);
        let [data, equation, lost] =
            [quality(0.8, 1e-5, 1.0), quality(0.0, 0.3, 1.0), quality(0.0, 0.0, 0.3)];
        assert!(!answer.fails() && [data, equation, lost].iter().all(Quality::fails));
        assert!([data, equation, lost].iter().all(|none| answer.rank() < none.rank()));
        assert!(equation.rank() < data.rank());
        assert_eq!(data.text(), "80% of the data is left unexplained");
        assert_eq!(quality(0.0, 0.05, 1.0).text(), "the equations are missed by 5.0% of their summands");
    }
}
