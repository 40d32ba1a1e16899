//! The state of the method as lists of numbers. What is computed from θ and the pairs again is not in it.

use super::method::TrSqp;
use super::pretraining::Pretraining;
use super::{TrSqpOutcome, region::Region};
use crate::optim::{State, restore_lists};

const OUTCOMES: [TrSqpOutcome; 5] = [
    TrSqpOutcome::Running,
    TrSqpOutcome::Converged,
    TrSqpOutcome::Infeasible,
    TrSqpOutcome::ShortStep,
    TrSqpOutcome::SmallRadius,
];

pub(super) fn state(method: &TrSqp) -> State {
    let outcome = OUTCOMES.iter().position(|&outcome| outcome == method.outcome).unwrap_or(0);
    let counters =
        vec![method.pretrain as f64, method.curvature.pairs as f64, outcome as f64, method.pending.into()];
    let mut state = vec![
        ("counters", counters),
        ("region", vec![method.region.radius, method.region.penalty, method.curvature.scale]),
        ("expected", [&method.expected[..], &[method.before]].concat()),
        ("multipliers", method.λ.clone()),
        ("lagrangian", method.lagrangian.clone()),
        ("step", method.step.clone()),
        ("steps", method.curvature.steps.clone()),
        ("changes", method.curvature.changes.clone()),
    ];
    state.extend(method.pretraining.iter().flat_map(Pretraining::state));
    state
}

pub(super) fn restore(method: &mut TrSqp, state: &[(String, Vec<f64>)]) -> bool {
    let [mut counters, mut region, mut expected] = [[0.0; 4], [0.0; 4], [0.0; 4]];
    let small: [(&str, &mut [f64]); 3] =
        [("counters", &mut counters), ("region", &mut region[..3]), ("expected", &mut expected[..3])];
    if !restore_lists(state, &mut small.into_iter().collect::<Vec<_>>()) {
        return false;
    }
    let [pretrain, pairs, outcome, pending] = counters.map(|counter| counter as usize);
    let room = method.curvature.steps.len() / method.step.len().max(1);
    let Some(&outcome) = OUTCOMES.get(outcome).filter(|_| pairs <= room) else { return false };
    let (parameters, constraints) = (method.step.len(), method.λ.len());
    let mut pretraining = TrSqp::begin_pretraining(&method.settings, pretrain, parameters, constraints);
    if pretraining.as_mut().is_some_and(|by| !by.restore(state)) {
        return false;
    }
    let mut large: [(&str, &mut [f64]); 5] = [
        ("multipliers", &mut method.λ),
        ("lagrangian", &mut method.lagrangian),
        ("step", &mut method.step),
        ("steps", &mut method.curvature.steps),
        ("changes", &mut method.curvature.changes),
    ];
    if !restore_lists(state, &mut large) {
        return false;
    }
    method.pretraining = pretraining;
    (method.pretrain, method.curvature.pairs, method.outcome) = (pretrain, pairs, outcome);
    method.pending = pending == 1;
    method.region = Region { radius: region[0], penalty: region[1] };
    method.curvature.scale = region[2];
    (method.expected, method.before) = ([expected[0], expected[1]], expected[2]);
    method.factorized = [f64::NAN; 3];
    method.curvature.rebuild();
    true
}
