//! The step by conjugate gradients on (R̃ᵀR̃ + μI)d = −R̃ᵀb, for many rows and many parameters: products
//! alone.
//!
//! Begun at zero, every iteration lowers ½‖b + R̃d‖² + ½μ‖d‖², so that a step which is cut short still points
//! downhill. Each takes R̃v and R̃ᵀw, about the work of two thirds of a gradient where the factors of all
//! rows are kept. The [preconditioner](Nystrom) deflates the largest eigenvalues; it is built again every N
//! steps, since it takes as many products as its rank and the matrix changes slowly.

use super::nystrom::Nystrom;
use super::{Solver, Weighted};
use crate::linalg::{add_scaled, dot, norm};
use crate::optim::State;

/// How far, and with what help.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KrylovSettings {
    /// Iterations of a solve at the most.
    pub iterations: usize,
    /// The residual of the system, relative to its right side, at which a solve ends.
    pub tolerance: f64,
    /// The rank of the preconditioner; none for 0.
    pub rank: usize,
    /// Steps between two of them.
    pub refresh: usize,
}

impl Default for KrylovSettings {
    fn default() -> Self {
        Self { iterations: 100, tolerance: 1e-3, rank: 100, refresh: 20 }
    }
}

/// Conjugate gradients with their preconditioner.
#[derive(Debug)]
pub struct Krylov {
    settings: KrylovSettings,
    nystrom: Nystrom,
    /// Steps so far.
    count: [f64; 1],
    μ: f64,
    residual: Vec<f64>,
    direction: Vec<f64>,
    /// R̃ᵀR̃ times the direction, and the preconditioned residual.
    image: Vec<f64>,
    turned: Vec<f64>,
    /// R̃ times the direction.
    along: Vec<f64>,
}

impl Krylov {
    pub(crate) fn new(settings: KrylovSettings, parameters: usize) -> Self {
        let list = || vec![0.0; parameters];
        Self {
            settings,
            nystrom: Nystrom::new(settings.rank, parameters),
            count: [0.0],
            μ: 0.0,
            residual: list(),
            direction: list(),
            image: list(),
            turned: list(),
            along: Vec::new(),
        }
    }
}

impl Solver for Krylov {
    fn linearize(&mut self, rows: &mut Weighted<'_>) -> bool {
        self.along.resize(rows.count(), 0.0);
        if !rows.trace().is_finite() {
            return false;
        }
        if (self.count[0] as usize).is_multiple_of(self.settings.refresh) {
            self.nystrom.build(rows, self.count[0] as u64, &mut self.along);
        }
        self.count[0] += 1.0;
        true
    }

    fn damp(&mut self, μ: f64) -> bool {
        self.μ = μ;
        μ.is_finite()
    }

    fn solve(&mut self, rows: &mut Weighted<'_>, b: &[f64], step: &mut [f64]) {
        step.fill(0.0);
        rows.transposed(b, &mut self.residual);
        self.residual.iter_mut().for_each(|x| *x = -*x);
        let enough = self.settings.tolerance * norm(&self.residual);
        let mut before = 0.0;
        for iteration in 0..self.settings.iterations {
            if norm(&self.residual) <= enough {
                break;
            }
            self.nystrom.apply(self.μ, &self.residual, &mut self.turned);
            let now = dot(&self.residual, &self.turned);
            let share = if iteration == 0 { 0.0 } else { now / before };
            self.direction.iter_mut().zip(&self.turned).for_each(|(p, z)| *p = z + share * *p);
            rows.times(&self.direction, &mut self.along);
            rows.transposed(&self.along, &mut self.image);
            add_scaled(&mut self.image, self.μ, &self.direction);
            let curvature = dot(&self.direction, &self.image);
            if !(curvature > 0.0 && now > 0.0) {
                break;
            }
            add_scaled(step, now / curvature, &self.direction);
            add_scaled(&mut self.residual, -now / curvature, &self.image);
            before = now;
        }
    }

    fn lists(&mut self) -> Vec<(&'static str, &mut [f64])> {
        let mut lists = vec![("count", &mut self.count[..])];
        lists.extend(self.nystrom.lists());
        lists
    }

    fn saved(&self) -> State {
        let mut state = vec![("count", self.count.to_vec())];
        state.extend(self.nystrom.saved());
        state
    }
}
