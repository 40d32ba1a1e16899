//! `[train]`: points and methods.

use crate::diagnostic::{Span, Spanned};
use crate::sample::Sampler;

/// How the network is trained.
#[derive(Clone, Debug)]
pub struct Train {
    /// The seed of every random number.
    pub seed: u64,
    /// How points are drawn where a term does not say.
    pub sampler: Sampler,
    /// Fresh points every so many steps; 0 means never, nothing said the planner's default.
    pub resample: Option<usize>,
    /// The methods, one after the other; empty means the planner's default.
    pub stages: Vec<Stage>,
    /// Stop after this time.
    pub max_seconds: Option<f64>,
    /// End when the estimated relative error of every field is below this.
    pub accuracy: Option<f64>,
    /// So many slabs of time, solved one after the other.
    pub windows: Option<Spanned<usize>>,
    /// The folder of another run, whose solution is the start.
    pub start: Option<String>,
    /// Steps between observations.
    pub observe: Option<usize>,
    /// A stage ends where the KKT residual and the violation are both below this.
    pub tolerance: Option<f64>,
    /// A stage ends when nothing has improved over so many steps.
    pub patience: Option<usize>,
    /// End when every tolerance of the terms is met.
    pub stop_when_feasible: bool,
}

impl Default for Train {
    fn default() -> Self {
        Self {
            seed: 0,
            sampler: Sampler::Latin,
            resample: None,
            stages: Vec::new(),
            max_seconds: None,
            accuracy: None,
            windows: None,
            start: None,
            observe: None,
            tolerance: None,
            patience: None,
            stop_when_feasible: false,
        }
    }
}

/// One method and its steps: `{ method = "adam", steps = 2000, lr = 1e-3 }`.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The method's name.
    pub method: Spanned<String>,
    /// How many steps.
    pub steps: Spanned<usize>,
    /// Steps between draws of fresh points in this stage, where it has a number of its own; 0: never.
    pub resample: Option<usize>,
    /// Everything else, for the planner to check.
    pub settings: Vec<(Spanned<String>, Spanned<Setting>)>,
    /// Where the stage was written.
    pub span: Span,
}

/// The value of a method's setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A finite number.
    Number(f64),
    /// Text.
    Text(String),
    /// `true` or `false`.
    Bool(bool),
    /// A list of finite numbers.
    Numbers(Vec<f64>),
    /// Finite numbers by name, at least one: `gain = { initial = 100, walls = 500 }`.
    Named(Vec<(Spanned<String>, f64)>),
}
