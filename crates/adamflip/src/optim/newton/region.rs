//! The trust region of the whole step, by its multiplier: (H + μI)d = −g is the best step of length ‖d(μ)‖.
//!
//! A larger μ is a smaller region, and turns the step from that of Gauss and Newton into one of gradient
//! descent. Every region costs a factorization and the values at its end, but no derivatives.

/// A step that brings less than this part of what the model says is refused.
const ACCEPT: f64 = 1e-3;
/// Regions tried from one point at the most.
pub(crate) const TRIES: usize = 12;
/// What μ is multiplied by after each of them in vain: gently at first, then quickly to steps of gradient
/// descent.
const GROWTH: [f64; TRIES] = [4.0, 4.0, 4.0, 16.0, 16.0, 64.0, 1e3, 1e3, 1e3, 1e3, 1e3, 1e3];
/// The largest μ, as a share of tr(H)/P: larger than all eigenvalues of H for networks of thousands of
/// parameters.
const MOST: f64 = 1e6;

/// μ as a share of tr(H)/P, and how it changes.
#[derive(Debug)]
pub(crate) struct Region {
    start: f64,
    least: f64,
    /// What else the least is multiplied by: 1, or rounding where nothing is squared.
    depth: f64,
    /// μ, and how many steps in a row have brought what was promised.
    state: [f64; 2],
}

impl Region {
    pub(crate) fn new(start: f64, least: f64) -> Self {
        Self { start, least, depth: 1.0, state: [start, 0.0] }
    }

    pub(crate) fn damping(&self) -> f64 {
        self.state[0]
    }

    /// The least μ, likewise.
    pub(crate) fn least(&self) -> f64 {
        self.depth * self.least
    }

    pub(crate) fn state(&self) -> Vec<f64> {
        self.state.to_vec()
    }

    pub(crate) fn list(&mut self) -> &mut [f64] {
        &mut self.state
    }

    /// Where nothing is squared there are twice as many digits, for the least damping as well.
    pub(crate) fn refine(&mut self) {
        self.depth = f64::EPSILON;
    }

    /// Where squares are.
    pub(crate) fn coarsen(&mut self) {
        self.depth = 1.0;
    }

    /// As at first: where no region is better, whatever it has come to says nothing of the next point.
    pub(crate) fn reset(&mut self) {
        self.state = [self.start, 0.0];
    }

    /// Takes or refuses a step by what it brought of what was promised.
    pub(crate) fn judge(&mut self, fall: f64, promised: f64, attempt: usize) -> bool {
        let least = self.least();
        let [damping, streak] = &mut self.state;
        if fall.is_nan() || fall < ACCEPT * promised {
            let growth = GROWTH[attempt.min(TRIES - 1)];
            // From a damping that only rows feel it is twice as far.
            let growth = if *damping < f64::EPSILON { growth * growth } else { growth };
            // Less than rounding is none.
            *damping = (growth * *damping).max(least).clamp(self.depth * f64::EPSILON, MOST);
            *streak = 0.0;
            return false;
        }
        match fall / promised {
            // A step that brings less than a quarter of what was promised is taken, but no longer ones are
            // asked for.
            ratio if ratio < 0.1 => (*damping, *streak) = ((2.0 * *damping).min(MOST), 0.0),
            ratio if ratio < 0.25 => *streak = 0.0,
            ratio if ratio < 0.5 => (*damping, *streak) = ((*damping / 3.0).max(least), 0.0),
            // Several that do in a row: bolder each time.
            _ => {
                *streak = (*streak + 1.0).min(3.0);
                *damping = (*damping / 3f64.powf(*streak)).max(least);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Refusals lead from the least damping to gradient descent, whatever the least is.
    #[test]
    fn damping_grows_until_the_step_is_one_of_descent() {
        for least in [0.0_f64, 1e-14, 1e7] {
            let mut region = Region::new(least.min(MOST), least);
            assert!((0..TRIES).all(|attempt| !region.judge(f64::NAN, 1.0, attempt)));
            assert!((1e3..=MOST).contains(&region.damping()), "{}", region.damping());
        }
    }

    /// Without squares μ may be the square of what it was, and refusals still lead to descent.
    #[test]
    fn a_refined_region_is_as_deep_as_rows() {
        let mut region = Region::new(1e-30, 1e-14);
        region.refine();
        assert!(region.judge(1.0, 1.0, 0));
        assert_eq!(region.damping(), f64::EPSILON * 1e-14);
        assert!((0..TRIES).all(|attempt| !region.judge(f64::NAN, 1.0, attempt)));
        assert!(region.damping() >= 1e3, "{}", region.damping());
    }

    #[test]
    fn boldness_grows_with_success_and_ends_with_a_refusal() {
        let mut region = Region::new(1.0, 0.0);
        let mut after = |fall| {
            let taken = region.judge(fall, 1.0, 0);
            (taken, region.damping())
        };
        assert_eq!(after(1.0), (true, 1.0 / 3.0));
        assert_eq!(after(1.0), (true, 1.0 / 3.0 / 9.0));
        let (taken, damping) = after(-1.0);
        assert!(!taken && (damping - 4.0 / 27.0).abs() < 1e-15);
        let (taken, damping) = after(0.9);
        assert!(taken && (damping - 4.0 / 81.0).abs() < 1e-15);
    }
}
