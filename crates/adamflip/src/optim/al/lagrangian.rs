//! The augmented Lagrangian as a function of θ.
//!
//! L = f + Σ_i a_i (λ_i c_i + ½ μ_i c_i²), with a_i = 1/n for the n residuals of a pointwise block, so that
//! the sum is mean(λ·c) + ½ mean(μ·c²), and a_i = 1 for a mean square, λc + ½μc². The constraint c_i is h_i
//! itself, or for residuals, where a rule asks for that, its square. Of an inequality h ≤ 0 it is max(h,
//! −λ/μ), the function of Powell, Hestenes and Rockafellar: a(λ + μc) is max(0, a(λ + μh)) then. The gradient
//! is ∇f + Jᵀw, w_i = a_i (λ_i + μ_i c_i) ∂c_i/∂h_i: a combination whose weights depend on h at the same θ.

use super::super::{Block, ConstrainedProblem, Evaluation, Form, Inequalities, Jacobian, Want};

/// Multipliers, penalties and the last evaluation.
#[derive(Debug)]
pub(crate) struct Lagrangian {
    blocks: Vec<Block>,
    /// Is f in it?
    objective: bool,
    /// λ, one an entry of h.
    pub(crate) λ: Vec<f64>,
    /// μ, one an entry of h.
    pub(crate) μ: Vec<f64>,
    /// a, one an entry of h.
    pub(crate) share: Vec<f64>,
    /// Is c the square of h, or of what is violated of it?
    squared: Vec<bool>,
    /// Is c at most zero where it is met?
    at_most: Vec<bool>,
    /// w of the last gradient.
    pub(crate) weights: Vec<f64>,
    pub(crate) at: Evaluation,
}

impl Lagrangian {
    /// With λ = μ = 0: f alone.
    pub(crate) fn new(parameters: usize, blocks: &[Block]) -> Self {
        let share: Vec<f64> = blocks
            .iter()
            .flat_map(|block| {
                let share = if block.form == Form::Residuals { 1.0 / block.size as f64 } else { 1.0 };
                std::iter::repeat_n(share, block.size)
            })
            .collect();
        let constraints = share.len();
        let mut at = Evaluation::new(parameters, constraints).asking(blocks);
        let mut at_most = vec![false; constraints];
        at.inequalities.entries().for_each(|i| at_most[i] = true);
        // The rows of J are wanted of mean squares only, of which there are few.
        if blocks.iter().any(|block| block.form == Form::Residuals) {
            at.jacobian = Jacobian::new(parameters, 0);
        }
        let list = || vec![0.0; constraints];
        let squared = vec![false; constraints];
        let (blocks, objective) = (blocks.to_vec(), true);
        Self { blocks, objective, λ: list(), μ: list(), share, squared, at_most, weights: list(), at }
    }

    /// ‖h‖² without f, of any h that is not empty. The rows of J are wanted: a combination would have ∇f in
    /// it.
    pub(crate) fn violation(parameters: usize, constraints: usize) -> Self {
        let whole = Self::new(parameters, &[Block::mean_squares(constraints)]);
        Self { objective: false, μ: vec![2.0; constraints], ..whole }
    }

    fn forms(blocks: &[Block]) -> impl Iterator<Item = Form> {
        blocks.iter().flat_map(|block| std::iter::repeat_n(block.form, block.size))
    }

    /// Sets λ and μ by form.
    pub(crate) fn set(&mut self, start: impl Fn(Form) -> (f64, f64)) {
        for ((form, λ), μ) in Self::forms(&self.blocks).zip(&mut self.λ).zip(&mut self.μ) {
            (*λ, *μ) = start(form);
        }
    }

    /// Makes it f + Σ wℓ over the blocks: ℓ is the sum of mean squares, and the mean square of residuals.
    pub(crate) fn weigh_blocks(&mut self, weights: &[f64]) {
        let mut entry = 0;
        for (block, &weight) in self.blocks.iter().zip(weights) {
            let (λ, μ) = if block.form == Form::Residuals { (0.0, 2.0 * weight) } else { (weight, 0.0) };
            self.λ[entry..entry + block.size].fill(λ);
            self.μ[entry..entry + block.size].fill(μ);
            entry += block.size;
        }
    }

    /// From now on the constraints of residuals are their squares.
    pub(crate) fn square_residuals(&mut self) {
        for (form, squared) in Self::forms(&self.blocks).zip(&mut self.squared) {
            *squared = form == Form::Residuals;
        }
    }

    /// What is violated of h.
    fn violated(&self, entry: usize) -> f64 {
        let h = self.at.constraints[entry];
        if self.at_most[entry] && h < 0.0 { 0.0 } else { h }
    }

    /// c of the last evaluation, one an entry of h.
    pub(crate) fn constraint(&self, entry: usize) -> f64 {
        match (self.squared[entry], self.at_most[entry]) {
            (true, _) => self.violated(entry).powi(2),
            (false, true) => self.shifted(entry),
            (false, false) => self.at.constraints[entry],
        }
    }

    /// max(h, −λ/μ), with which an inequality is like an equality.
    fn shifted(&self, entry: usize) -> f64 {
        let (h, λ, μ) = (self.at.constraints[entry], self.λ[entry], self.μ[entry]);
        // Without a penalty there is λh alone.
        if μ > 0.0 && h < -λ / μ { -λ / μ } else { h }
    }

    /// Takes these entries for inequalities.
    pub(crate) fn ask(&mut self, inequalities: &Inequalities) {
        self.at.inequalities.clone_from(inequalities);
        inequalities.entries().for_each(|i| self.at_most[i] = true);
    }

    /// λ ≥ 0 of inequalities.
    pub(crate) fn keep_signs(&mut self) {
        self.at.inequalities.cut(&mut self.λ);
    }

    /// L of the last evaluation.
    pub(crate) fn value(&self) -> f64 {
        let term = |i: usize| {
            let c = self.constraint(i);
            self.share[i] * c * (self.λ[i] + 0.5 * self.μ[i] * c)
        };
        let objective = if self.objective { self.at.objective } else { 0.0 };
        objective + (0..self.λ.len()).map(term).sum::<f64>()
    }

    /// f and h at θ.
    pub(crate) fn values(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) {
        problem.evaluate(θ, Want::Values, &mut self.at);
    }

    /// L and its gradient at θ.
    pub(crate) fn gradient(
        &mut self,
        problem: &mut dyn ConstrainedProblem,
        θ: &[f64],
        out: &mut [f64],
    ) -> f64 {
        self.differentiate(problem, θ);
        out.copy_from_slice(&self.at.gradient);
        self.value()
    }

    /// f, h and ∇L at θ, in `at`. One evaluation where the weights do not depend on h or all rows of J are at
    /// hand, two otherwise.
    pub(crate) fn differentiate(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) {
        if self.μ.iter().all(|μ| *μ == 0.0) && !self.squared.contains(&true) {
            self.weigh();
            problem.evaluate(θ, Want::Combination(&self.weights), &mut self.at);
        } else if self.at.jacobian.constraints() == 0 {
            self.values(problem, θ);
            self.weigh();
            problem.evaluate(θ, Want::Combination(&self.weights), &mut self.at);
        } else {
            problem.evaluate(θ, Want::Products, &mut self.at);
            self.weigh();
            let Evaluation { gradient, jacobian, .. } = &mut self.at;
            if !self.objective {
                gradient.fill(0.0);
            }
            jacobian.add_transposed(&self.weights, gradient);
        }
    }

    /// w = a (λ + μc) ∂c/∂h; where μ is zero and c is h, without regard to h, which may not be there yet.
    fn weigh(&mut self) {
        for i in 0..self.weights.len() {
            let slope = if self.squared[i] { 2.0 * self.violated(i) } else { 1.0 };
            let pull = if self.μ[i] == 0.0 { 0.0 } else { self.μ[i] * self.constraint(i) };
            self.weights[i] = self.share[i] * (self.λ[i] + pull) * slope;
        }
    }
}
