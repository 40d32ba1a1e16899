//! How much of the matrices of earlier points is kept: as much as fresh points ask for.
//!
//! A = β(A + H) of earlier points keeps a step from fitting the present ones alone, and closes every
//! direction that any of the earlier matrices felt. While θ moves far that is too many: on the wave equation
//! even β = 0.2 leaves a loss 300 times as large after 65 steps (`results/2026-11-19-stride.md`). So β starts
//! at zero and follows what is measured: a step lowers the loss at its points by a factor, and the next one
//! finds it at other points. The share of the fall (of its logarithm) that is still there tells whether
//! steps fit the equation or the points.

/// β grows where fresh points keep less than this share of the fall, and shrinks where they keep more than
/// that one.
const FITS_POINTS: f64 = 0.25;
const FITS_ALL: f64 = 0.5;
/// β grows where the logarithm of the loss falls by less than this in a step, and shrinks only where it falls
/// by more than that: a short way is left then, and earlier matrices make a better region than μ.
const SLOW: f64 = 0.1;
const FAST: f64 = 0.2;
/// The factor by which 1 − β changes with every set of points.
const CHANGE: f64 = 1.1;
/// The share of the latest step in the running means.
const LATEST: f64 = 0.1;
/// A fall by more than exp(3) in a step counts as that.
const MOST: f64 = 3.0;

/// β, and how it follows from what fresh points leave of the fall.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The most of β.
    most: f64,
    /// β, the running means of the fall that was left and of that which was made, the loss before the last
    /// step and after it.
    state: [f64; 5],
}

impl Memory {
    pub(crate) fn new(most: f64) -> Self {
        Self { most, state: [0.0, 0.0, 0.0, f64::NAN, f64::NAN] }
    }

    /// A step has changed the loss at its points from one to the other.
    pub(crate) fn stepped(&mut self, before: f64, after: f64) {
        (self.state[3], self.state[4]) = (before, after);
    }

    /// β where points have changed and the loss is this at the new ones.
    pub(crate) fn kept(&mut self, now: f64) -> f64 {
        let [share, left, made, before, after] = &mut self.state;
        if *before > 0.0 && *after > 0.0 && now > 0.0 {
            let means = [(left, *before / now), (made, *before / *after)];
            let [left, made] = means.map(|(mean, fall)| {
                *mean += LATEST * (fall.ln().clamp(-MOST, MOST) - *mean);
                *mean
            });
            let open = 1.0 - *share;
            let open = if left < (FITS_POINTS * made).max(SLOW) {
                open / CHANGE
            } else if left > (FITS_ALL * made).max(FAST) {
                open * CHANGE
            } else {
                open
            };
            *share = (1.0 - open).clamp(0.0, self.most);
        }
        // Each step counts once.
        (*before, *after) = (f64::NAN, f64::NAN);
        *share
    }

    /// What changes from step to step, to be saved and restored.
    pub(crate) fn list(&mut self) -> &mut [f64] {
        &mut self.state
    }

    pub(crate) fn saved(&self) -> Vec<f64> {
        self.state.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Falls by half at its points, of which fresh points keep a share (in the logarithm), many times.
    fn after(share: f64, mut memory: Memory) -> f64 {
        let mut loss = 1.0;
        let mut kept = 0.0;
        for _ in 0..100 {
            memory.stepped(loss, 0.5 * loss);
            loss *= 0.5f64.powf(share);
            kept = memory.kept(loss);
        }
        kept
    }

    #[test]
    fn what_fits_the_equation_needs_no_memory() {
        assert_eq!(after(0.9, Memory::new(0.8)), 0.0);
        let mut used = Memory::new(0.8);
        used.list()[0] = 0.8;
        assert_eq!(after(0.9, used), 0.0);
    }

    #[test]
    fn what_fits_the_points_alone_gets_all_of_it() {
        assert_eq!(after(0.1, Memory::new(0.8)), 0.8);
        assert_eq!(after(0.1, Memory::new(0.0)), 0.0);
        // In between β stays where it is.
        let mut used = Memory::new(0.8);
        used.list()[..3].copy_from_slice(&[0.4, 0.4, 1.0]);
        assert_eq!(after(0.4, used), 0.4);
    }

    /// Refused steps, and losses without a logarithm.
    #[test]
    fn steps_without_a_fall_change_nothing() {
        let mut memory = Memory::new(0.8);
        for (before, after, now) in
            [(f64::NAN, f64::NAN, 1.0), (1.0, 0.0, 1.0), (0.0, 0.0, 0.0), (1.0, 0.5, 0.0)]
        {
            memory.stepped(before, after);
            assert_eq!(memory.kept(now), 0.0);
        }
        assert_eq!(memory.saved()[..3], [0.0; 3]);
    }
}
