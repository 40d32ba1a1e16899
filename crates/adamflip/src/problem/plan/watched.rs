//! The stages of a plan that watches itself: those of the default plan, and what it adds to them.
//!
//! An attempt after the first begins softly: conditions and equations are losses, added up with those of the
//! data. Where there are data they come first. With the equations at a small weight the fields follow the
//! data, the unknowns follow the fields (they stand in no other term, so a step of Gauss and Newton fits them
//! however small the weight is), and then the weight grows: an equation that holds before the data were
//! looked at does not let go of a wrong coefficient. A stage of a wider network follows the last.

use serde::{Deserialize, Serialize};

use super::Stage;
use crate::optim::Method;

/// Steps of the soft stage of an attempt without data, and of each with.
const SOFT: usize = 60;
const DATA: usize = 40;
/// The factors of the equations in the stages of an attempt with data. Constraints count a hundredfold in
/// `gauss_newton`, so that its last has them about as data are.
const FACTORS: [f64; 4] = [1e-4, 1e-6, 1e-4, 1e-2];

/// A stage of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// The stage of this number of the plan as it was.
    Planned(usize),
    /// Levenberg and Marquardt's method on the sum of all losses.
    Soft,
    /// One of the stages by which data come first: the warm start, then Levenberg and Marquardt's method with
    /// heavier and heavier equations.
    DataFirst(usize),
    /// The last stage once more, with hidden layers of these widths.
    Grown(Vec<usize>),
}

impl Stage {
    /// Some steps of a method with its usual settings.
    pub(super) fn usual(method: Method, steps: usize) -> Self {
        let (resample, hidden, equations) = (None, None, None);
        Self { method, steps, resample, hidden, equations, open: None, given: Vec::new(), default: true }
    }

    /// The name and the settings that a file would give.
    pub(crate) fn written(&self) -> (&'static str, &[(String, crate::optim::SettingValue)]) {
        (self.method.name(), &self.given)
    }
}

/// The stages that pieces of a plan stand for; those that the plan does not have are left out.
pub fn pieced(plan: &[Stage], pieces: &[Piece]) -> Vec<Stage> {
    pieces.iter().filter_map(|piece| piece.stage(plan)).collect()
}

impl Piece {
    /// The stages of an attempt after the first, for a plan of this many.
    pub(crate) fn attempt(plan: usize, has_data: bool) -> Vec<Self> {
        let last = plan.saturating_sub(1);
        let mut pieces: Vec<Self> = match has_data {
            true => (0..FACTORS.len()).map(Self::DataFirst).collect(),
            false => (0..last).map(Self::Planned).chain([Self::Soft]).collect(),
        };
        pieces.push(Self::Planned(last));
        pieces
    }

    /// The stage that it stands for.
    pub fn stage(&self, plan: &[Stage]) -> Option<Stage> {
        match self {
            &Self::Planned(number) => plan.get(number).cloned(),
            Self::Soft => Some(Stage::usual(Method::GaussNewton(Default::default()), SOFT)),
            &Self::DataFirst(number) => {
                let first = if number == 0 {
                    plan.first()?.clone()
                } else {
                    Stage::usual(Method::GaussNewton(Default::default()), DATA)
                };
                Some(Stage { equations: Some(*FACTORS.get(number)?), ..first })
            }
            Self::Grown(hidden) => Some(Stage { hidden: Some(hidden.clone()), ..plan.last()?.clone() }),
        }
    }
}
