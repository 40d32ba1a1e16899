//! The step in the metric of Gauss–Newton: both parts at once.
//!
//! d = −D(g + Jᵀλ) with D = (H + μI)⁻¹ and (J D Jᵀ + εI)λ = γh − J D g, so that Jd = −γh: the step of sequential quadratic
//! programming, and Algorithm 2 of feedback linearization with D for its metric. Kept to be compared with the split step: of
//! hundreds of conditions on a smooth boundary most combinations are rounding, which D, large where H is small, makes much of.

use super::Newton;
use crate::linalg::{Cholesky, Factor, add_symmetric, multiply_vector, solve_factored, solve_lower_rows};

/// ε, as a share of the mean diagonal entry of J D Jᵀ.
const EPSILON: f64 = 1e-12;

impl Newton {
    /// Sets the step for a factor of H + μI and a gain; `false` where J D Jᵀ has none.
    pub(super) fn step_in_metric(&mut self, gain: f64) -> bool {
        let (size, count) = (self.gradient.len(), self.at.constraints.len());
        self.step.copy_from_slice(&self.gradient);
        if count > 0 {
            let mut half = self.at.jacobian.rows().to_vec();
            solve_lower_rows(&self.factor, size, &mut half);
            let mut gram = vec![0.0; count * count];
            add_symmetric(&mut gram, 1.0, Factor::of(&half, size), Factor::transposed(&half, size));
            let mean = (0..count).map(|i| gram[i * count + i]).sum::<f64>() / count as f64;
            (0..count).for_each(|i| gram[i * count + i] += EPSILON * mean);
            if Cholesky::new(count).factor(&mut gram).is_err() {
                return false;
            }
            self.room.copy_from_slice(&self.gradient);
            solve_factored(&self.factor, [&mut self.room]);
            let mut multipliers = vec![0.0; count];
            multiply_vector(&mut multipliers, self.at.jacobian.rows(), &self.room);
            let h = self.at.constraints.iter();
            multipliers.iter_mut().zip(h).for_each(|(image, h)| *image = gain * h - *image);
            solve_factored(&gram, [&mut multipliers]);
            self.at.jacobian.add_transposed(&multipliers, &mut self.step);
        }
        solve_factored(&self.factor, [&mut self.step]);
        self.step.iter_mut().for_each(|step| *step = -*step);
        true
    }
}
