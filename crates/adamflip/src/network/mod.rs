//! From a shape to a network: the list of jet primitives, and the initial parameters.
//!
//! [`Shape`] says in plain words what is wanted; [`build`] makes the primitives, [`initialize`] the first θ.
//! Where the trained numbers are not the weights themselves, a [`Parametrization`] stands between the two.

mod architecture;
mod embedding;
mod initial;
mod parametrization;

use rand::Rng;

pub use initial::initialize;
pub use parametrization::Parametrization;

use crate::geometry::Domain;
use crate::jet::{Activation, Program};
use crate::sample;

/// How the hidden layers are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Architecture {
    /// Fully connected: h ← σ(Wh + b).
    #[default]
    Mlp,
    /// The modified perceptron of Wang, Teng and Perdikaris (SIAM J. Sci. Comput. 43, 2021): with gates
    /// u = σ(W_u x + b_u) and v = σ(W_v x + b_v) every hidden layer is followed by h ← h∘u + (1 − h)∘v.
    /// Layers of another width get a pair of gates of that width.
    Gated,
    /// The first layer maps to the width; then blocks of two layers, h ← h + σ(W₂ σ(W₁ h + b₁) + b₂), as of
    /// the deep Ritz method (E and Yu, Commun. Math. Stat. 6, 2018). A last layer without a partner, and a
    /// block whose width changes, have no shortcut.
    Residual,
}

/// How one coordinate enters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input {
    /// Its number in the problem.
    pub coordinate: usize,
    /// Entering as (x − center)·factor.
    pub center: f64,
    /// The slope of that.
    pub factor: f64,
    /// With a period it enters as sine and cosine of 2π(x − center)/period only: the network is periodic,
    /// exactly.
    pub period: Option<f64>,
    /// Of a periodic one the cosine alone: the network is even about the center and half a period from it.
    pub even: bool,
}

impl Input {
    /// All coordinates of a domain; with `scale` each is mapped from its range to [−1, 1].
    pub fn all(domain: &Domain, scale: bool) -> Vec<Self> {
        let ends = domain.lower.iter().zip(&domain.upper).enumerate();
        ends.map(|(coordinate, (&lower, &upper))| {
            let (center, factor) =
                if scale { (0.5 * (lower + upper), 2.0 / (upper - lower)) } else { (0.0, 1.0) };
            Self { coordinate, center, factor, period: None, even: false }
        })
        .collect()
    }
}

/// Random Fourier features (Tancik et al. 2020): sin ω·ξ and cos ω·ξ of the scaled coordinates ξ, beside
/// them.
///
/// The frequencies ω are fixed, normal with deviation `scale`. Those in periodic coordinates are rounded to
/// whole waves, so that the features have the period, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Fourier {
    /// How many numbers, sines and cosines together.
    pub features: usize,
    /// The deviation of the frequencies.
    pub scale: f64,
    /// Coordinates, by number, whose frequencies are this many times larger.
    pub scales: Vec<(usize, f64)>,
}

/// Random weight factorization W = V·diag(exp s) (Wang et al., arXiv 2210.01274): how the s begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factorized {
    /// The mean of the s.
    pub mean: f64,
    /// Their deviation.
    pub deviation: f64,
}

impl Default for Factorized {
    /// What its authors recommend.
    fn default() -> Self {
        Self { mean: 1.0, deviation: 0.1 }
    }
}

/// What a network is to look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// The widths of the hidden layers.
    pub hidden: &'a [usize],
    /// One for each hidden layer; the last one (tanh if there is none) stands for all that follow.
    pub activations: &'a [Activation],
    /// How the hidden layers are connected.
    pub architecture: Architecture,
    /// The number of outputs.
    pub outputs: usize,
    /// The coordinates that the network reads; at least one.
    pub inputs: &'a [Input],
    /// Random features of the coordinates.
    pub fourier: Option<&'a Fourier>,
    /// How the weights are trained; the primitives are the same with and without.
    pub factorized: Option<Factorized>,
}

/// The primitives of a network for points of `dimension` coordinates. `rng` serves the frequencies of Fourier
/// features and is left alone without.
///
/// # Panics
/// If there is no input, or one beyond the dimension.
pub fn build(shape: &Shape<'_>, dimension: usize, rng: &mut impl Rng) -> Program {
    let mut program = Program::new(dimension);
    let register = embedding::enter(&mut program, shape, rng);
    let hidden = architecture::hidden(&mut program, shape, register);
    program.linear(hidden, shape.outputs);
    program
}

/// A fully connected network from all coordinates of `domain` to `outputs` numbers.
///
/// With `scale_inputs` every coordinate is mapped from its range to [−1, 1] on entry.
pub fn perceptron(
    domain: &Domain,
    hidden: &[usize],
    activation: Activation,
    outputs: usize,
    scale_inputs: bool,
) -> Program {
    let shape = Shape {
        hidden,
        activations: &[activation],
        architecture: Architecture::Mlp,
        outputs,
        inputs: &Input::all(domain, scale_inputs),
        fourier: None,
        factorized: None,
    };
    // Without Fourier features nothing is drawn.
    build(&shape, shape.inputs.len(), &mut sample::stream(0, 0))
}
