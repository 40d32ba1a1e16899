//! Weights that balance the terms of a sum of losses, Σ wᵢℓᵢ: what penalties need to be a fair match for
//! constraints.
//!
//! Every term has a weight of its own, those of the objective too: ℓ is its weighted mean square, with what
//! the file says of its weight in it already (which the first two rules undo). For `adam`, `lbfgs`,
//! `ssbroyden` and `gauss_newton`; the weights take the place of their `penalty`. Every few steps one of
//!
//! - [`Annealed`](Weights::Annealed): w ← αw + (1−α)·max|∇ℓᵣ|/mean|∇ℓᵢ| over the entries of the gradients;
//!   the reference r is the first loss of the objective, with weight one. α = 0.9 and every 10 steps, the
//!   authors' program, whose denominator has w in it; that of the paper, and ours, has not.
//! - [`Tangent`](Weights::Tangent): w = Σⱼtr Kⱼ/tr Kᵢ, the mean squared length of ∂r over the residuals of
//!   each term: the trace of its block of the neural tangent kernel. Means rather than sums, as terms differ
//!   in points. A loss whose residuals are not known counts as the square of one: ‖∇ℓ‖²/4ℓ. Every 100 steps
//!   (ours).
//! - [`Relobralo`](Weights::Relobralo): with w(t, t′) = m·softmax(ℓᵢ(t)/𝒯ℓᵢ(t′)) for m terms, w ← α(ρw +
//!   (1−ρ)w(t, 0)) + (1−α)w(t, t−1), ρ one with probability E\[ρ\] and zero else. α = E\[ρ\] = 0.999, 𝒯 =
//!   0.1, every step.
//! - [`SoftAdapt`](Weights::SoftAdapt): w = m·softmax(βsᵢ/Σ|sⱼ|), s the change of the losses: the authors'
//!   normalized form, since losses of 1e-4 change by nothing that a softmax sees. β = 0.1, every step. The
//!   factor m, which theirs has not, makes equal weights one.
//!
//! Those of methods with curvature, for which other weights are another function, change every 100 steps, of
//! `gauss_newton` every 10 (ours), unless the file says otherwise.
//!
//! Cost: the first two want the gradient of every term, which one evaluation gives (`adam` has no other), the
//! second the rows' lengths too; the others the losses alone.
//!
//! Reference: Wang, Teng and Perdikaris 2021; Wang, Yu and Perdikaris 2022; Bischof and Kraus 2021; Heydari,
//! Thompson and Mehmood 2019.

mod balanced;
mod rules;

use super::{Block, ConstrainedProblem, Evaluation, Form, StepReport};
pub(crate) use balanced::{Weighted, balanced};
use rules::Seen;

/// A rule of the weights, and how often it is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balancing {
    /// The rule.
    pub weights: Weights,
    /// Steps between changes; those of the rule and the method where nothing is said.
    pub every: Option<usize>,
}

/// How the terms are weighed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weights {
    /// By their gradients: learning-rate annealing.
    Annealed {
        /// α.
        memory: f64,
    },
    /// By the traces of their blocks of the neural tangent kernel.
    Tangent,
    /// By the falls of their losses, with random looks back at the first.
    Relobralo {
        /// α.
        memory: f64,
        /// 𝒯.
        temperature: f64,
        /// E\[ρ\].
        lookback: f64,
    },
    /// By the latest changes of their losses.
    SoftAdapt {
        /// β.
        sharpness: f64,
    },
}

impl Weights {
    /// Steps between changes for a method of first order.
    fn usual(&self) -> usize {
        match self {
            Weights::Annealed { .. } => 10,
            Weights::Tangent => 100,
            Weights::Relobralo { .. } | Weights::SoftAdapt { .. } => 1,
        }
    }
}

/// The weights of a run.
#[derive(Clone, Debug)]
pub(crate) struct Balance {
    rule: Weights,
    every: usize,
    /// The terms, in the order of [`ConstrainedProblem::apart`].
    blocks: Vec<Block>,
    /// The entries that are the losses of f.
    losses: Vec<usize>,
    /// Steps so far.
    count: f64,
    /// One for each term.
    weights: Vec<f64>,
    /// The losses when the weights were last looked at, and when they were first; not numbers before.
    before: Vec<f64>,
    first: Vec<f64>,
    /// What the weights come to as multipliers of h.
    multipliers: Vec<f64>,
}

impl Balance {
    /// For a method that changes its weights every `usual` steps where the rule's own number would be too
    /// often.
    pub(crate) fn new(settings: Balancing, usual: usize, problem: &dyn ConstrainedProblem) -> Self {
        let losses = problem.losses();
        let blocks = apart(&losses, &problem.constraint_blocks());
        let list = |number| vec![number; blocks.len()];
        Self {
            rule: settings.weights,
            every: settings.every.unwrap_or(usual.max(settings.weights.usual())),
            weights: list(1.0),
            before: list(f64::NAN),
            first: list(f64::NAN),
            multipliers: Vec::with_capacity(problem.constraints()),
            count: 0.0,
            losses,
            blocks,
        }
    }

    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The entries of h of the problem with its objective apart.
    pub(crate) fn entries(&self) -> usize {
        self.blocks.iter().map(|block| block.size).sum()
    }

    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub(crate) fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Is it time to look at the weights?
    pub(crate) fn is_due(&self) -> bool {
        (self.count as usize).is_multiple_of(self.every.max(1))
    }

    /// Looks at a problem with its objective apart where it is time to, from its values and gradients at θ;
    /// says whether the weights changed. Numbers that are not finite change nothing.
    pub(crate) fn look(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64], at: &Evaluation) -> bool {
        if !self.is_due() || !at.is_finite() {
            return false;
        }
        let mut seen = Seen { blocks: &self.blocks, at, problem, θ };
        let losses = seen.losses();
        let before = self.weights.clone();
        match self.rule {
            Weights::Annealed { memory } => {
                let reference = self.losses.first().map_or(0, |&entry| block_of(&self.blocks, entry));
                rules::anneal(memory, reference, &mut seen, &mut self.weights);
            }
            Weights::Tangent => rules::tangent(&mut seen, &mut self.weights),
            _ if self.before.iter().any(|loss| loss.is_nan()) => self.first.copy_from_slice(&losses),
            Weights::Relobralo { memory, temperature, lookback } => {
                let against = [&self.first[..], &self.before];
                let looks = rules::looks_back(lookback, self.count as u64);
                rules::relobralo([memory, temperature], looks, &losses, against, &mut self.weights);
            }
            Weights::SoftAdapt { sharpness } => {
                rules::soft_adapt(sharpness, &losses, &self.before, &mut self.weights);
            }
        }
        self.before.copy_from_slice(&losses);
        self.weights != before
    }

    /// What the gradients of the entries are added with: w of mean squares, 2wh/n of n residuals.
    pub(crate) fn slopes(&self, h: &[f64]) -> Vec<f64> {
        let mut slopes = Vec::with_capacity(h.len());
        for (block, weight) in self.blocks.iter().zip(&self.weights) {
            let own = &h[slopes.len()..][..block.size];
            slopes.extend(own.iter().map(|h| weight * slope(block, *h)));
        }
        slopes
    }

    /// Ends a step that began at this h: the report tells f and the violation without weights, and the
    /// largest weight.
    pub(crate) fn end(&mut self, h: &[f64], report: &mut StepReport) {
        self.count += 1.0;
        let slopes = self.slopes(h);
        self.multipliers.clear();
        (report.objective, report.violation) = (0.0, 0.0);
        for (entry, (h, slope)) in h.iter().zip(slopes).enumerate() {
            match self.losses.contains(&entry) {
                true => report.objective += h,
                false => {
                    report.violation += h.abs();
                    self.multipliers.push(slope);
                }
            }
        }
        report.penalty = self.weights.iter().copied().fold(f64::NAN, f64::max);
    }

    /// What must be saved to go on exactly.
    pub(crate) fn lists(&mut self) -> [(&'static str, &mut [f64]); 4] {
        [
            ("weights", &mut self.weights),
            ("weights_before", &mut self.before),
            ("weights_first", &mut self.first),
            ("weights_count", std::slice::from_mut(&mut self.count)),
        ]
    }

    pub(crate) fn state(&self) -> super::State {
        vec![
            ("weights", self.weights.clone()),
            ("weights_before", self.before.clone()),
            ("weights_first", self.first.clone()),
            ("weights_count", vec![self.count]),
        ]
    }
}

/// The slope of a block's loss by one of its entries.
fn slope(block: &Block, h: f64) -> f64 {
    match block.form {
        Form::MeanSquare => 1.0,
        Form::Residuals => 2.0 * h / block.size as f64,
    }
}

/// The blocks of h with the losses of f at their entries.
fn apart(losses: &[usize], groups: &[Block]) -> Vec<Block> {
    let (mut blocks, mut entry, mut losses) = (Vec::new(), 0, losses.iter().peekable());
    for group in groups {
        while losses.next_if_eq(&&entry).is_some() {
            blocks.push(Block::mean_squares(1));
            entry += 1;
        }
        blocks.push(*group);
        entry += group.size;
    }
    blocks.extend(losses.map(|_| Block::mean_squares(1)));
    blocks
}

/// The number of the block that an entry belongs to.
fn block_of(blocks: &[Block], entry: usize) -> usize {
    let mut end = 0;
    let before = blocks.iter().take_while(|block| {
        end += block.size;
        end <= entry
    });
    before.count()
}

#[cfg(test)]
mod tests;
