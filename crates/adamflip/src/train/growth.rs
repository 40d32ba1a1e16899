//! A wider network with the same function.
//!
//! New units read what units of their width would read, with weights as they are drawn at first, and nothing
//! reads them: the weights out of them are zero. So the fields are the same numbers, while the gradient by
//! those weights is not zero, and training takes them up. (Net2Net of Chen, Goodfellow and Shlens, ICLR 2016,
//! keeps the function by copies of units instead, which a method with curvature cannot tell apart.) A method
//! starts again after it: what it knew was of other parameters.

use std::sync::Arc;

use super::attempts::Decision;
use super::quality::Quality;
use super::{Status, Trainer, model};
use crate::jet::{Op, Program};
use crate::objective::Objective;
use crate::optim::ConstrainedProblem;
use crate::problem::plan::{LARGE, Piece, can_grow};
use crate::problem::{NetworkPlan, Problem};
use crate::sample;

/// How much wider; by 1.5 a step with curvature takes five times as long.
const WIDER: f64 = 1.5;
/// How often.
const MOST: usize = 2;
/// An estimated error that is enough where there is a time and the file says no more.
const ENOUGH: f64 = 1e-7;

impl Problem {
    /// The same with hidden layers of these widths in the network of the fields sought.
    pub(crate) fn widened(&self, hidden: &[usize]) -> Self {
        let mut problem = self.clone();
        problem.network.hidden = hidden.to_vec();
        let sought = self.sought;
        let of_fields = |plan: &&mut NetworkPlan| plan.fields.iter().all(|&field| field < sought);
        for plan in problem.networks.iter_mut().filter(of_fields) {
            plan.shape.hidden = hidden.to_vec();
        }
        problem
    }
}

impl Trainer {
    /// A last stage with a wider network, where the network is what limits the answer; false where it must
    /// not or need not grow.
    pub(super) fn grows(&mut self, quality: &Quality) -> bool {
        let network = &self.problem.network;
        let may = self.problem.train.grow.unwrap_or(!network.is_given) && can_grow(network);
        let alone = self.is_single() && !self.held.is_in_use();
        // Without an end that is asked for nobody waits for steps that take five times as long; who gives a
        // time wants what can be had in it.
        let (accuracy, time) = (self.problem.train.accuracy, self.problem.train.max_seconds);
        let Some(good) = accuracy.or(time.map(|_| ENOUGH)) else { return false };
        if !may || !alone || quality.estimate <= good || self.attempts.growths() >= MOST {
            return false;
        }
        let wider: Vec<usize> =
            network.hidden.iter().map(|&width| (width as f64 * WIDER).ceil() as usize).collect();
        let parameters = model(&self.problem.widened(&wider), self.seed).1.len();
        if parameters as f64 > LARGE {
            return false;
        }
        let text = format!(
            "the losses stood still and {}: hidden layers of {:?} grew to {wider:?} with their function kept",
            quality.text(),
            network.hidden
        );
        self.attempts.decide(Decision::new(self.step, text));
        // The others are of the narrower network.
        self.settle(Status::MaxSteps);
        self.append(Piece::Grown(wider));
        true
    }

    /// Widens the network; the fields stay as they are.
    pub(super) fn widen(&mut self, hidden: &[usize]) {
        let wide = self.problem.widened(hidden);
        // Other numbers than those that the units there began with.
        let (_, mut θ) = model(&wide, self.seed.wrapping_add(hidden.iter().sum::<usize>() as u64));
        carry(&self.problem, &wide, &self.θ, &mut θ);
        self.set_network(wide, hidden);
        (self.start, self.last_finite) = (θ.clone(), θ.clone());
        self.θ = θ;
    }

    /// Takes up a problem with hidden layers of these widths; θ is still to come.
    pub(super) fn set_network(&mut self, problem: Problem, hidden: &[usize]) {
        self.problem = problem;
        let (model, _) = model(&self.problem, self.seed);
        self.objective = Objective::new(&self.problem, Arc::new(model), &self.points);
        self.attempts.hidden = hidden.to_vec();
        (self.start, self.last_finite) =
            (vec![0.0; self.objective.parameters()], vec![0.0; self.objective.parameters()]);
    }
}

/// The parameters of all networks and unknowns in their new places; what was not there before stays as drawn,
/// but what reads it does so with weight zero.
fn carry(narrow: &Problem, wide: &Problem, from: &[f64], to: &mut [f64]) {
    let program =
        |problem: &Problem, plan: &NetworkPlan| plan.program(&problem.domain, &mut sample::stream(0, 0));
    let (mut first, mut first_wide) = (0, 0);
    for (plan, wide_plan) in narrow.networks.iter().zip(&wide.networks) {
        let (old, new) = (program(narrow, plan), program(wide, wide_plan));
        let (size, wide_size) =
            (plan.parametrization(&old).parameters(), wide_plan.parametrization(&new).parameters());
        let (own, own_wide) = (&from[first..first + size], &mut to[first_wide..first_wide + wide_size]);
        if size == wide_size {
            own_wide.copy_from_slice(own)
        } else {
            carry_network((&old, own), (&new, own_wide))
        }
        (first, first_wide) = (first + size, first_wide + wide_size);
    }
    to[first_wide..].copy_from_slice(&from[first..]);
}

fn carry_network((old, from): (&Program, &[f64]), (new, to): (&Program, &mut [f64])) {
    for (old_op, new_op) in old.ops().iter().zip(new.ops()) {
        let &Op::Linear { input, output, weight, bias } = old_op else { continue };
        let &Op::Linear { weight: to_weight, bias: to_bias, .. } = new_op else { continue };
        let (inputs, units) = (old.width(input), old.width(output));
        let (wide_inputs, wide_units) = (new.width(input), new.width(output));
        for row in 0..wide_inputs {
            let target = &mut to[to_weight + row * wide_units..][..units];
            match row < inputs {
                true => target.copy_from_slice(&from[weight + row * units..][..units]),
                false => target.fill(0.0),
            }
        }
        to[to_bias..to_bias + units].copy_from_slice(&from[bias..bias + units]);
    }
}

#[cfg(test)]
mod tests;
