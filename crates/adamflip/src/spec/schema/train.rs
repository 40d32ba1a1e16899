//! `[train]`: points and methods.

use crate::diagnostic::{Span, Spanned};
use crate::sample::Sampler;

/// Whose decisions the plan is made of, where the file has no stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Planned {
    /// The plan watches itself: it starts again, or grows the network, where a run ends without an answer.
    #[default]
    Auto,
    /// The same stages once, whatever comes of them.
    Fixed,
}

/// How the network is trained.
#[derive(Clone, Debug)]
pub struct Train {
    /// The seed of every random number.
    pub seed: u64,
    /// How points are drawn where a term does not say.
    pub sampler: Sampler,
    /// Fresh points every this many steps; 0 means never, nothing said the planner's default.
    pub resample: Option<usize>,
    /// The methods, one after the other; empty means the planner's default.
    pub stages: Vec<Stage>,
    /// Does the plan watch itself?
    pub plan: Planned,
    /// May the network grow? Where the file does not say, one that was chosen for it may.
    pub grow: Option<bool>,
    /// Stop after this time.
    pub max_seconds: Option<f64>,
    /// End when the estimated relative error of every field is below this.
    pub accuracy: Option<f64>,
    /// This many slabs of time, solved one after the other.
    pub windows: Option<Spanned<usize>>,
    /// The folder of another run, whose solution is the start.
    pub start: Option<String>,
    /// Steps between observations.
    pub observe: Option<usize>,
    /// A stage ends where the KKT residual and the violation are both below this.
    pub tolerance: Option<f64>,
    /// A stage ends when nothing has improved over this many steps.
    pub patience: Option<usize>,
    /// End when every tolerance of the terms is met.
    pub stop_when_feasible: bool,
    /// The most parts into which the points of a term are dealt: how many threads and ranks can share it. The
    /// order of sums, and so the last bits, follow from it.
    pub lanes: usize,
}

impl Default for Train {
    fn default() -> Self {
        Self {
            seed: 0,
            sampler: Sampler::Latin,
            resample: None,
            stages: Vec::new(),
            plan: Planned::Auto,
            grow: None,
            max_seconds: None,
            accuracy: None,
            windows: None,
            start: None,
            observe: None,
            tolerance: None,
            patience: None,
            stop_when_feasible: false,
            lanes: 16,
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
    /// The widths to which the network has grown before this stage.
    pub hidden: Option<Vec<usize>>,
    /// A factor of the weights of all terms without data in this stage.
    pub equations: Option<f64>,
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
