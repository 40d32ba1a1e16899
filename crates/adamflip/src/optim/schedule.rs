//! Learning rates over the course of a stage.

/// A learning rate η that may fall over the steps of a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// η of the first step.
    pub start: f64,
    /// How it falls.
    pub decay: Decay,
}

/// How a rate falls from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decay {
    /// Not at all.
    Constant,
    /// By the same factor every step, down to the given end.
    Exponential(f64),
    /// Along half a cosine, down to the given end.
    Cosine(f64),
    /// As η/(√t·log t) with t = 2, 3, …: square-summable but not summable, as the convergence theorem asks.
    Theorem,
}

impl Rate {
    /// A constant rate.
    pub const fn constant(rate: f64) -> Self {
        Self { start: rate, decay: Decay::Constant }
    }

    /// η of step `step` (from 0) of `steps`.
    pub fn at(&self, step: usize, steps: usize) -> f64 {
        let progress = step.min(steps) as f64 / steps.max(1) as f64;
        match self.decay {
            Decay::Constant => self.start,
            Decay::Exponential(end) => self.start * (end / self.start).powf(progress),
            Decay::Cosine(end) => {
                end + 0.5 * (self.start - end) * (1.0 + (std::f64::consts::PI * progress).cos())
            }
            Decay::Theorem => {
                let t = (step + 2) as f64;
                self.start / (t.sqrt() * t.ln())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_start_and_end_where_they_should() {
        for decay in [Decay::Exponential(1e-5), Decay::Cosine(1e-5)] {
            let rate = Rate { start: 1e-3, decay };
            // One rounding of powf or cos.
            assert!((rate.at(0, 100) - 1e-3).abs() < 1e-15);
            assert!((rate.at(100, 100) - 1e-5).abs() < 1e-15);
            assert!((0..100).all(|t| rate.at(t + 1, 100) < rate.at(t, 100)));
        }
        assert_eq!(Rate::constant(0.1).at(7, 10), 0.1);
        let theorem = Rate { start: 0.5, decay: Decay::Theorem };
        // η/(√t log t) at t = 9: one rounding each of a root, a logarithm and a product.
        assert!((theorem.at(7, 10) - 0.5 / (3.0 * 9f64.ln())).abs() < 1e-16);
        assert!((0..100).all(|t| theorem.at(t + 1, 10) < theorem.at(t, 10)));
    }
}
