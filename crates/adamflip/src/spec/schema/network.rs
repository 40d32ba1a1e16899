//! `[network]`: layers, embeddings of the inputs, and how fields follow from outputs.

use super::Number;
use crate::diagnostic::Spanned;

/// The network's shape.
#[derive(Clone, Debug)]
pub struct Network {
    /// The widths of the hidden layers: `"8x20"` or `[20, 20]`.
    pub hidden: Vec<usize>,
    /// The nonlinearities, one for each hidden layer.
    pub activations: Vec<Activation>,
    /// How the layers are connected.
    pub architecture: Architecture,
    /// Does the file say anything about its layers and inputs? What it leaves open is chosen by what the problem says of its fields.
    pub is_given: bool,
    /// Does the file say in which coordinates it is periodic, or that it is in none?
    pub has_periods: bool,
    /// Whether the domain is scaled to [-1, 1] before the first layer.
    pub scale_inputs: bool,
    /// How large the fields are.
    pub scale_outputs: OutputScales,
    /// Random Fourier features of the inputs.
    pub fourier: Option<Fourier>,
    /// Coordinates in which the fields are periodic, each with its period if that is not the length of its range.
    pub periodic: Vec<(Spanned<String>, Option<Spanned<Number>>)>,
    /// Random weight factorization.
    pub factorized: Option<Factorized>,
    /// One network for each field instead of one for all.
    pub separate: bool,
    /// How fields follow from the network's output `N`: a field (none if the problem has but one) and a formula.
    pub ansatz: Vec<(Option<Spanned<String>>, Spanned<String>)>,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            hidden: vec![20; 4],
            activations: vec![Activation::Tanh; 4],
            architecture: Architecture::Mlp,
            is_given: false,
            has_periods: false,
            scale_inputs: true,
            scale_outputs: OutputScales::Auto,
            fourier: None,
            periodic: Vec::new(),
            factorized: None,
            separate: false,
            ansatz: Vec::new(),
        }
    }
}

/// How large the fields are that a network of size one computes.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputScales {
    /// As large as conditions, data and sources say.
    Auto,
    /// A field's number, the middle of its values and their size; other fields are the network's outputs themselves.
    Given(Vec<(usize, [f64; 2])>),
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

/// How the hidden layers are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// One after the other.
    Mlp,
    /// Every layer chooses between two encodings of the input (Wang, Teng, Perdikaris 2021); all widths are equal.
    Gated,
    /// Every layer adds to the one before; all widths are equal.
    Residual,
}

/// sin and cos of random combinations of the inputs (Tancik et al. 2020).
#[derive(Clone, Debug, PartialEq)]
pub struct Fourier {
    /// How many numbers, sines and cosines together.
    pub features: usize,
    /// The standard deviation of their coefficients.
    pub scale: f64,
    /// Coordinates with a deviation of their own, by number.
    pub scales: Vec<(usize, f64)>,
}

/// Weights as exp(s) V, s normal (Wang, Wang, Seidman, Perdikaris 2022).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factorized {
    /// The mean of s.
    pub mean: f64,
    /// The standard deviation of s.
    pub deviation: f64,
}

impl Default for Factorized {
    /// What its authors recommend.
    fn default() -> Self {
        Self { mean: 1.0, deviation: 0.1 }
    }
}
