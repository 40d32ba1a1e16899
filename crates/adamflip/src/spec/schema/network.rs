//! `[network]`: layers, embeddings of the inputs, and how fields follow from outputs.

use super::Number;
use crate::diagnostic::Spanned;
use crate::jet::Activation;
use crate::network::{Architecture, Factorized, Fourier};

/// The network's shape.
#[derive(Clone, Debug)]
pub struct Network {
    /// The widths of the hidden layers: `"8x20"` or `[20, 20]`.
    pub hidden: Vec<usize>,
    /// The nonlinearities, one for each hidden layer.
    pub activations: Vec<Activation>,
    /// How the layers are connected.
    pub architecture: Architecture,
    /// Does the file say anything about its layers and inputs? What it leaves open is chosen by what the
    /// problem says of its fields.
    pub is_given: bool,
    /// Does the file say in which coordinates it is periodic, or that it is in none?
    pub has_periods: bool,
    /// Whether the domain is scaled to [-1, 1] before the first layer.
    pub scale_inputs: bool,
    /// How large the fields are.
    pub scale_outputs: OutputScales,
    /// Random Fourier features of the inputs.
    pub fourier: Option<Fourier>,
    /// Coordinates in which the fields are periodic, each with its period if that is not the length of its
    /// range.
    pub periodic: Vec<(Spanned<String>, Option<Spanned<Number>>)>,
    /// Random weight factorization.
    pub factorized: Option<Factorized>,
    /// One network for each field instead of one for all.
    pub separate: bool,
    /// Coordinates at whose ends the conditions are met by construction.
    pub fourier_hard: Vec<Spanned<String>>,
    /// How fields follow from the network's output `N`: a field (none if the problem has but one) and a
    /// formula.
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
            fourier_hard: Vec::new(),
            ansatz: Vec::new(),
        }
    }
}

/// How large the fields are that a network of size one computes.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputScales {
    /// As large as conditions, data and sources say.
    Auto,
    /// A field's number, the middle of its values and their size; other fields are the network's outputs
    /// themselves.
    Given(Vec<(usize, [f64; 2])>),
}
