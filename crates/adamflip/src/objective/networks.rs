//! The networks of a problem and the first θ: from the plan of a network to its program.

use std::sync::Arc;

use rand::Rng;

use crate::geometry::{Domain, Windows};
use crate::jet::Program;
use crate::model::Model;
use crate::network::{self, Parametrization};
use crate::problem::{NetworkPlan, Problem};
use crate::sample;

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
    let program = plan.program(domain, rng);
    let θ = network::initialize(&program, plan.shape.factorized, rng);
    let parametrization = plan.parametrization(&program);
    (program, parametrization, θ)
}
