//! The normal step: towards A d + c = 0, by a dogleg.
//!
//! The path runs from 0 to the minimiser of ‖A d + c‖ along −Aᵀc (Cauchy), and on to −A⁺c (Gauss–Newton).
//! Along it ‖A d + c‖ falls and ‖d‖ rises, so the best point on it within the radius is the end or where it
//! leaves the ball (Powell 1970).

use super::pseudoinverse::Pseudoinverse;
use super::region::to_boundary;
use crate::linalg::{add_scaled, dot, norm, set_scaled};
use crate::optim::Jacobian;

/// The dogleg's corners and the step.
#[derive(Debug)]
pub(super) struct Normal {
    cauchy: Vec<f64>,
    newton: Vec<f64>,
    image: Vec<f64>,
    /// d_n.
    pub(super) step: Vec<f64>,
    /// ‖Aᵀc‖ of the last call.
    pub(super) slope: f64,
}

impl Normal {
    pub(super) fn new(parameters: usize, constraints: usize) -> Self {
        let zeros = || vec![0.0; parameters];
        Self { cauchy: zeros(), newton: zeros(), image: vec![0.0; constraints], step: zeros(), slope: 0.0 }
    }

    /// Both corners for these constraints, of which inactive ones are zero.
    pub(super) fn corners(&mut self, space: &mut Pseudoinverse, rows: &Jacobian, c: &[f64]) {
        self.cauchy.fill(0.0);
        rows.add_transposed(c, &mut self.cauchy);
        rows.times(&self.cauchy, &mut self.image);
        space.active.mask(&mut self.image);
        let (squared, curvature) = (dot(&self.cauchy, &self.cauchy), dot(&self.image, &self.image));
        self.slope = squared.sqrt();
        let length = if curvature > 0.0 { -squared / curvature } else { 0.0 };
        self.cauchy.iter_mut().for_each(|d| *d *= length);
        space.least_squares(rows, c, &mut self.newton);
    }

    /// d_n within the radius.
    pub(super) fn within(&mut self, radius: f64) {
        dogleg(&self.cauchy, &mut self.newton, radius, &mut self.step);
    }
}

/// The end of the dogleg within the radius into `out`. Overwrites `newton` by the path's second leg if it
/// needs it.
pub(super) fn dogleg(cauchy: &[f64], newton: &mut [f64], radius: f64, out: &mut [f64]) {
    if norm(newton) <= radius {
        out.copy_from_slice(newton);
        return;
    }
    let length = norm(cauchy);
    if length >= radius {
        set_scaled(out, radius / length, cauchy);
        return;
    }
    add_scaled(newton, -1.0, cauchy);
    out.copy_from_slice(cauchy);
    add_scaled(out, to_boundary(cauchy, newton, radius), newton);
}
