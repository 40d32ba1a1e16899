//! Pretraining as Cheng and Na have it: L-BFGS on ‖c‖², until its steps are used up or nothing is left to
//! lower.

use crate::optim::al::Lagrangian;
use crate::optim::descent::{Descent, DescentSettings};
use crate::optim::{ConstrainedProblem, Inequalities, State, StepReport};

/// The lists of a descent by its own names and by those in the state of the whole method, which has `steps`
/// too.
const NAMES: [(&str, &str); 5] = [
    ("point", "pretrain_point"),
    ("gradient", "pretrain_gradient"),
    ("known", "pretrain_known"),
    ("steps", "pretrain_steps"),
    ("changes", "pretrain_changes"),
];

/// ‖c‖² and the descent on it.
#[derive(Debug)]
pub(super) struct Pretraining {
    violation: Lagrangian,
    descent: Descent,
}

impl Pretraining {
    pub(super) fn new(memory: usize, parameters: usize, constraints: usize) -> Self {
        let settings = DescentSettings { memory, ..DescentSettings::default() };
        let violation = Lagrangian::violation(parameters, constraints);
        Self { violation, descent: Descent::new(settings, parameters, constraints) }
    }

    /// Learns which constraints are inequalities: of them ‖c‖² has what is violated.
    pub(super) fn meet(&mut self, inequalities: &Inequalities) {
        self.violation.ask(inequalities);
    }

    pub(super) fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        self.descent.step(&mut self.violation, problem, θ)
    }

    /// c where the last step ended.
    pub(super) fn constraints(&self) -> &[f64] {
        self.descent.constraints()
    }

    pub(super) fn state(&self) -> State {
        let name = |own: &str| NAMES.iter().find(|(known, _)| *known == own).map(|(_, name)| *name);
        self.descent.state().into_iter().filter_map(|(own, list)| Some((name(own)?, list))).collect()
    }

    pub(super) fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let own =
            |name: &str| NAMES.iter().find(|(_, known)| *known == name).map(|(own, _)| (*own).to_owned());
        let lists: Vec<_> =
            state.iter().filter_map(|(name, list)| Some((own(name)?, list.clone()))).collect();
        self.descent.restore(&lists)
    }
}
