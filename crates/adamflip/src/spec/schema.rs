//! What a problem file says, typed but not yet understood: equations are still text.

use crate::diagnostic::{Span, Spanned};

/// A number written out (`0.5`), or a constant formula (`"0.01/pi"`) that `lang` evaluates later.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A finite number.
    Literal(f64),
    /// A formula.
    Text(String),
}

/// A whole problem file. What was wrong in the file is left out here, or stands as a harmless placeholder where a
/// gap would cause more errors (a constant without a valid value still is a known name).
#[derive(Clone, Debug)]
pub struct Spec {
    /// The file's name without folder and extension.
    pub name: String,
    /// What the problem is, for people.
    pub title: Option<String>,
    /// The functions sought, one network output each.
    pub fields: Vec<Spanned<String>>,
    /// The coordinates and their ranges, in file order; the network's inputs.
    pub domain: Vec<Axis>,
    /// Named constants, in file order.
    pub constants: Vec<(Spanned<String>, Spanned<Number>)>,
    /// Unknown coefficients of an inverse problem, in file order.
    pub unknowns: Vec<Unknown>,
    /// The equations, in file order.
    pub terms: Vec<Term>,
    /// The known solution.
    pub reference: Option<Reference>,
    /// The network.
    pub network: Network,
    /// How to train it.
    pub train: Train,
}

/// A coordinate and its range: `x = [-1, 1]`.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The coordinate's name.
    pub name: Spanned<String>,
    /// The lower end.
    pub lower: Spanned<Number>,
    /// The upper end.
    pub upper: Spanned<Number>,
}

/// A coefficient to be found: `kappa = { start = 1.0, bounds = [0, 10], truth = 0.1 }`.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// Its name in equations.
    pub name: Spanned<String>,
    /// Where training starts.
    pub start: Spanned<Number>,
    /// The range that it must not leave.
    pub bounds: Option<(Spanned<Number>, Spanned<Number>)>,
    /// The known answer, for the error in the report.
    pub truth: Option<Spanned<Number>>,
}

/// Equations, the place where they hold, a number of points, and a role.
#[derive(Clone, Debug)]
pub struct Term {
    /// `pde` in `[term.pde]`.
    pub name: Spanned<String>,
    /// The equations; never empty.
    pub equations: Vec<Spanned<String>>,
    /// The parts of the boundary where they hold (`"t = 0"`); empty means the interior.
    pub on: Vec<Spanned<String>>,
    /// How many points.
    pub points: Spanned<usize>,
    /// Objective or constraint.
    pub role: Role,
    /// The factor of its loss.
    pub weight: f64,
    /// How its points are drawn, if not as `[train]` says.
    pub sampler: Option<Spanned<Sampler>>,
    /// What must hold after training.
    pub tolerance: Option<Tolerance>,
}

/// What a term is to the optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// To be made small; the default in the interior.
    Objective,
    /// To be met; the default where the term has a place (`on`).
    Constraint,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampler {
    /// Independent and uniform.
    Uniform,
    /// A regular grid.
    Grid,
    /// Latin hypercube.
    Latin,
    /// The Sobol sequence.
    Sobol,
    /// The Halton sequence.
    Halton,
}

/// A bound that a term must meet after training: `"max < 1e-3"`.
#[derive(Clone, Debug)]
pub struct Tolerance {
    /// What is measured.
    pub measure: Measure,
    /// What it must stay below.
    pub limit: f64,
    /// Where it was written.
    pub span: Span,
}

/// A norm of the residuals of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The largest absolute residual.
    Max,
    /// The root of the mean square.
    Rms,
    /// The mean square.
    Mse,
}

/// The known solution and the grid on which the error is measured.
#[derive(Clone, Debug)]
pub struct Reference {
    /// A formula for each known field.
    pub fields: Vec<(Spanned<String>, Spanned<String>)>,
    /// The number of grid points along each coordinate.
    pub grid: Vec<(Spanned<String>, Spanned<usize>)>,
}

/// The network's shape.
#[derive(Clone, Debug)]
pub struct Network {
    /// The widths of the hidden layers: `"8x20"` or `[20, 20]`.
    pub hidden: Vec<usize>,
    /// The nonlinearity between layers.
    pub activation: Activation,
    /// Whether the domain is scaled to [-1, 1] before the first layer.
    pub scale_inputs: bool,
}

impl Default for Network {
    fn default() -> Self {
        Self { hidden: vec![32; 4], activation: Activation::Tanh, scale_inputs: true }
    }
}

/// A nonlinearity, by its name in problem files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// tanh z
    Tanh,
    /// sin z
    Sin,
    /// z / (1 + e⁻ᶻ)
    Swish,
    /// z Φ(z), Φ the normal distribution function
    Gelu,
    /// log(1 + eᶻ)
    Softplus,
}

/// How the network is trained.
#[derive(Clone, Debug)]
pub struct Train {
    /// The seed of every random number.
    pub seed: u64,
    /// How points are drawn where a term does not say.
    pub sampler: Sampler,
    /// Fresh points every so many steps; 0 means never.
    pub resample: usize,
    /// The methods, one after the other; empty means the planner's default.
    pub stages: Vec<Stage>,
    /// Stop after this time.
    pub max_seconds: Option<f64>,
    /// Steps between observations.
    pub observe: Option<usize>,
}

impl Default for Train {
    fn default() -> Self {
        Self {
            seed: 0,
            sampler: Sampler::Latin,
            resample: 0,
            stages: Vec::new(),
            max_seconds: None,
            observe: None,
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
}
