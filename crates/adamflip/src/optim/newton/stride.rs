//! The share of the model's step that is taken.
//!
//! The step of Gauss and Newton is long in directions that the residuals hardly feel, and the model of a
//! network holds over a part of it only. There are two ways to a shorter step. A larger μ closes just those
//! directions, in which the solution has yet to move far; a share of the step keeps all of them open at the
//! same pace. Both are used: the share here, and μ where no share would do ([`super::region`]). On the wave
//! equation u_tt = 4u_xx the loss is 1.2e-6 after 70 steps of 0.3, and 4.6e-3 after as many whole ones
//! (`results/2026-11-19-stride.md`).
//!
//! Where the whole step would bring nine tenths of what it promises, it is taken: a linear problem is solved
//! in one. That costs the values at its end, which take a tenth of the time of a step or less.

/// The least share, and the first. One that is free to fall ends at a fiftieth on the wave equation, since μ
/// comes down to its floor instead, and the loss then falls by 3% a step.
const LEAST: f64 = 0.3;
/// The factor by which it changes.
const CHANGE: f64 = 1.4;
/// Parts of what was promised from which on it grows, and below which it shrinks.
const TRUSTED: f64 = 0.9;
const DOUBTED: f64 = 0.5;

/// A promise below this part of the merit is beyond what its values can judge to four digits.
const FAINT: f64 = 1e4 * f64::EPSILON;

/// The share, and how it follows from what steps bring.
#[derive(Debug)]
pub(crate) struct Stride {
    share: f64,
}

impl Stride {
    pub(crate) fn new() -> Self {
        Self { share: LEAST }
    }

    /// The share of a step that promises this part of the merit: all of it at the end of an exact problem,
    /// where a share would stop short of what rounding still lets through.
    pub(crate) fn share_of(&self, part: f64) -> f64 {
        if part <= FAINT { 1.0 } else { self.share }
    }

    /// Is the whole step to be taken, which would bring this part of what it promises?
    pub(crate) fn trusts(&mut self, ratio: f64) -> bool {
        let trusted = ratio > TRUSTED;
        if trusted {
            self.share = 1.0;
        }
        trusted
    }

    /// Takes in what a step brought of what was promised of it.
    pub(crate) fn judge(&mut self, ratio: f64) {
        if ratio > TRUSTED {
            self.share = (CHANGE * self.share).min(1.0);
        } else if ratio < DOUBTED {
            self.share = (self.share / CHANGE).max(LEAST);
        }
    }

    /// What changes from step to step, to be saved and restored.
    pub(crate) fn list(&mut self) -> &mut [f64] {
        std::slice::from_mut(&mut self.share)
    }

    pub(crate) fn saved(&self) -> Vec<f64> {
        vec![self.share]
    }
}

/// What the model promises along a step: linear·s − curved·s² for a share s of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promise {
    linear: f64,
    curved: f64,
}

impl Promise {
    pub(crate) const NONE: Self = Self { linear: f64::NAN, curved: f64::NAN };

    /// By the slope along the whole step and the fall at its end.
    pub(crate) fn new(linear: f64, whole: f64) -> Self {
        Self { linear, curved: linear - whole }
    }

    /// The fall at the end of this share of the step.
    pub(crate) fn at(self, share: f64) -> f64 {
        share * (self.linear - share * self.curved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_a_step_has_a_share_of_the_promise() {
        // 2s − s²: the whole step is the best.
        let promise = Promise::new(2.0, 1.0);
        assert_eq!([promise.at(1.0), promise.at(0.5)], [1.0, 0.75]);
        assert!(Promise::NONE.at(1.0).is_nan());
    }

    #[test]
    fn a_model_that_holds_gets_the_whole_step_and_one_that_does_not_a_part() {
        let mut stride = Stride::new();
        (0..4).for_each(|_| stride.judge(1.0));
        assert_eq!(stride.share_of(1.0), 1.0);
        stride.judge(0.7);
        assert_eq!(stride.share_of(1.0), 1.0);
        assert!(!stride.trusts(0.7) && stride.trusts(0.95));
        (0..9).for_each(|_| stride.judge(0.2));
        assert_eq!(stride.share_of(1.0), LEAST);
    }
}
