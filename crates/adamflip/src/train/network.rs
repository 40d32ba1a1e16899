//! The networks of a problem and the first θ: from the plan of a network to its program.

use std::sync::Arc;

use rand::Rng;

use crate::geometry::{Domain, Windows};
use crate::jet::{Activation, Program};
use crate::model::Model;
use crate::network::{self, Architecture, Factorized, Fourier, Input, Parametrization, Shape};
use crate::problem::{NetworkPlan, Problem};
use crate::sample;
use crate::spec;

/// The networks of a problem and the first θ: their parameters, then those of the unknowns.
pub fn model(problem: &Problem, seed: u64) -> (Model, Vec<f64>) {
    // Stream 0 of the seed is the networks', the others are the terms' points.
    let mut rng = sample::stream(seed, 0);
    let networks: Vec<_> =
        problem.networks.iter().map(|plan| network(plan, &problem.domain, &mut rng)).collect();
    let mut θ: Vec<f64> = networks.iter().flat_map(|(_, _, θ)| θ).copied().collect();
    θ.extend(problem.unknowns.iter().map(|unknown| unknown.parameter()));
    (Model::new(networks.into_iter().map(|(program, parametrization, _)| (program, parametrization))), θ)
}

/// The networks of all windows of a problem; without windows, of the problem.
pub fn model_of(problem: &Problem, seed: u64, windows: Option<&Windows>) -> Model {
    let Some(windows) = windows else { return model(problem, seed).0 };
    let networks = |window| Arc::new(model(&problem.window(windows, window, |_| None), seed).0);
    Model::in_windows(windows.clone(), (0..windows.count()).map(networks).collect())
}

/// One network, how its weights follow from θ, and its first θ.
fn network(plan: &NetworkPlan, domain: &Domain, rng: &mut impl Rng) -> (Program, Parametrization, Vec<f64>) {
    let shape = &plan.shape;
    let mut inputs = Input::all(domain, shape.scale_inputs);
    inputs.retain(|input| plan.coordinates.contains(&input.coordinate));
    for input in &mut inputs {
        let scales = shape.fourier.iter().flat_map(|fourier| &fourier.scales);
        let own = scales.filter(|(c, _)| *c == input.coordinate).map(|&(_, scale)| scale).next();
        input.frequency = own.unwrap_or(1.0);
        input.period = plan.periods.iter().find(|(c, _)| *c == input.coordinate).map(|&(_, period)| period);
    }
    let factorized = shape.factorized.map(|f| Factorized { mean: f.mean, deviation: f.deviation });
    let activations: Vec<Activation> = shape.activations.iter().copied().map(activation).collect();
    let program = network::build(
        &Shape {
            hidden: &shape.hidden,
            activations: &activations,
            architecture: match shape.architecture {
                spec::Architecture::Mlp => Architecture::Mlp,
                spec::Architecture::Gated => Architecture::Gated,
                spec::Architecture::Residual => Architecture::Residual,
            },
            outputs: plan.fields.len(),
            inputs: &inputs,
            fourier: shape.fourier.as_ref().map(|f| Fourier { features: f.features, scale: f.scale }),
            factorized,
        },
        domain.dimension(),
        rng,
    );
    let θ = network::initialize(&program, factorized, rng);
    let parametrization = Parametrization::new(&program, factorized.is_some());
    (program, parametrization, θ)
}

fn activation(activation: spec::Activation) -> Activation {
    match activation {
        spec::Activation::Tanh => Activation::Tanh,
        spec::Activation::Sin => Activation::Sin,
        spec::Activation::Swish => Activation::Swish,
        spec::Activation::Gelu => Activation::Gelu,
        spec::Activation::Softplus => Activation::Softplus,
    }
}
