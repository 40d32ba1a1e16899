//! The weights ρ of the constraints in the merit: fixed, or balanced by curvature.
//!
//! One number for all problems is no choice: with ρ = 1e4 the wave equation u_tt = 4u_xx ends three times
//! nearer than with 100, and Burgers' equation ninety times further off (120 steps,
//! `results/2026-11-18-newtonflip.md`). What decides is how much the parameters feel an equation. Balanced,
//! the weight of an equation is ρ = c·tr(H_f)/tr(H_h): its curvature is the share c of the objective's,
//! whatever the units of either. Multiply an equation by a thousand, and every step stays the same.
//!
//! c, the *hardness*, starts low and grows fourfold where neither objective nor constraints have improved for
//! a while and what is left is a compromise between them: a constraint is not to be compromised. At a
//! compromise ∇f + Jᵀλ and the gradient of the penalty point against each other, to a cosine of −1. Where
//! fresh points are what keeps both from zero, they have nothing to do with each other (measured: a mean of
//! −0.7 at the first plateau of Burgers' equation, between −0.05 and 0.2 all the way after). More
//! hardness would only narrow the valley of curved constraints there: on Burgers' equation c came to 1e4, the
//! steps to a hundredth of their length, and f stood at five times what it comes to now.

use super::super::spectrum::RANK_TOLERANCE;
use super::super::{Block, Evaluation, Form};
use crate::linalg::{dot, norm};

/// The share of a new balance in the weights: those of fresh points scatter.
const FRESH: f64 = 0.2;
/// The most that a balance may differ from the weights so far.
const LEAP: f64 = 10.0;
/// Steps without improvement before the constraints become harder.
const PATIENCE: f64 = 20.0;
/// What counts as an improvement of the running means.
const IMPROVEMENT: f64 = 0.9;
/// The share of the latest step in the running means, and in that of the cosine, which scatters more.
const LATEST: f64 = 0.2;
const STEADY: f64 = 0.05;
const GROWTH: f64 = 4.0;
/// Objective and penalty pull against each other where the mean cosine between them is below this: between
/// the −0.7 of a compromise and the −0.05 of scatter.
const COMPROMISE: f64 = -0.15;
/// The most hardness: beyond, curved constraints leave steps no room, and rounding of their squares hides the
/// objective.
const MOST: f64 = 1e4;

/// The name of that mean in saved states.
const OPPOSITION: &str = "opposition";

/// How the weights are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Weighting {
    /// The same for every constraint.
    Fixed(f64),
    /// By curvature, from this hardness on.
    Balanced(f64),
}

/// One scalar equation: what its entries of h are, and how many.
#[derive(Clone, Copy, Debug)]
struct Equation {
    form: Form,
    count: usize,
}

/// The weights of all equations.
#[derive(Debug)]
pub(crate) struct Penalty {
    weighting: Weighting,
    equations: Vec<Equation>,
    /// The equation of every entry of h.
    owner: Vec<usize>,
    /// The form of every entry of h.
    forms: Vec<Form>,
    /// ρ of every equation.
    weights: Vec<f64>,
    /// c, then the running means of objective and violation, the best of both, and the steps since either
    /// improved.
    course: [f64; 6],
    /// The running mean of the cosine between the gradients of objective and penalty; not a number where
    /// points stay: nothing else is in the way there.
    opposition: f64,
    /// The weight of constraints in their mean square, whose curvature is not known apart.
    aggregated: f64,
}

impl Penalty {
    /// One weight for each block.
    pub(crate) fn new(weighting: Weighting, aggregated: f64, blocks: &[Block]) -> Self {
        let hardness = match weighting {
            Weighting::Fixed(_) => f64::NAN,
            Weighting::Balanced(hardness) => hardness,
        };
        let entries =
            |(number, block): (usize, &Block)| std::iter::repeat_n((number, block.form), block.size);
        let (owner, forms): (Vec<usize>, Vec<Form>) = blocks.iter().enumerate().flat_map(entries).unzip();
        let course = [hardness, f64::NAN, f64::NAN, f64::INFINITY, f64::INFINITY, 0.0];
        let (equations, weights, opposition) = (Vec::new(), Vec::new(), f64::NAN);
        let mut penalty =
            Self { weighting, equations, owner: Vec::new(), forms, weights, course, opposition, aggregated };
        penalty.set_equations(&owner);
        penalty
    }

    /// From now on it is fresh points that objective and constraints are measured at.
    pub(crate) fn points_changed(&mut self) {
        if self.opposition.is_nan() {
            self.opposition = 0.0;
        }
    }

    /// One weight for each of these equations, given for every entry of h.
    pub(crate) fn set_equations(&mut self, owner: &[usize]) {
        assert_eq!(owner.len(), self.forms.len(), "one equation for each entry of h");
        let most = owner.iter().max().map_or(0, |most| most + 1);
        self.equations = vec![Equation { form: Form::Residuals, count: 0 }; most];
        for (&equation, &form) in owner.iter().zip(&self.forms) {
            let count = self.equations[equation].count + 1;
            self.equations[equation] = Equation { form, count };
        }
        self.owner = owner.to_vec();
        let weight = |equation: &Equation| match (self.weighting, equation.form) {
            (Weighting::Fixed(weight), _) => weight,
            (Weighting::Balanced(_), Form::MeanSquare) => self.aggregated,
            // To be found at the first step.
            (Weighting::Balanced(_), Form::Residuals) => f64::NAN,
        };
        self.weights = self.equations.iter().map(weight).collect();
    }

    /// Gives every equation a weight of its own that stays.
    pub(super) fn fix(&mut self, weights: &[f64]) {
        self.weights.copy_from_slice(weights);
    }

    /// The largest weight; not a number where there is none.
    pub(crate) fn largest(&self) -> f64 {
        self.weights.iter().copied().fold(f64::NAN, f64::max)
    }

    /// Everything that changes from step to step, as far as this state has it.
    pub(crate) fn lists(&mut self, state: &[(String, Vec<f64>)]) -> Vec<(&'static str, &mut [f64])> {
        let mut lists: Vec<(_, &mut [f64])> =
            vec![("penalty", &mut self.weights), ("hardness", &mut self.course)];
        // States from before do not have it: it begins again.
        if state.iter().any(|(name, _)| name == OPPOSITION) {
            lists.push((OPPOSITION, std::slice::from_mut(&mut self.opposition)));
        }
        lists
    }

    pub(crate) fn saved(&self) -> [(&'static str, Vec<f64>); 3] {
        let course = self.course.to_vec();
        [("penalty", self.weights.clone()), ("hardness", course), (OPPOSITION, vec![self.opposition])]
    }

    /// The weights at a point where the objective's matrix has this trace.
    pub(super) fn balance(&mut self, trace: f64, at: &Evaluation) {
        if matches!(self.weighting, Weighting::Balanced(_)) {
            self.balance_by(trace, at.rows().map(|row| dot(row, row)));
        }
    }

    /// The same by the squared lengths of the rows of all entries of h.
    pub(crate) fn balance_by(&mut self, trace: f64, rows: impl Iterator<Item = f64>) {
        if matches!(self.weighting, Weighting::Fixed(_)) {
            return;
        }
        let mut squares = vec![0.0; self.equations.len()];
        rows.zip(&self.owner).for_each(|(row, &equation)| squares[equation] += row);
        let mean = |(squares, equation): (&f64, &Equation)| squares / equation.count.max(1) as f64;
        let felt = RANK_TOLERANCE.powi(2) * squares.iter().zip(&self.equations).map(mean).fold(0.0, f64::max);
        for ((equation, squares), weight) in self.equations.iter().zip(squares).zip(&mut self.weights) {
            if equation.form == Form::MeanSquare || equation.count == 0 {
                continue;
            }
            // A condition that holds by construction: its rows are rounding.
            if mean((&squares, equation)) <= felt {
                *weight = 0.0;
                continue;
            }
            let balanced = self.course[0] * trace * equation.count as f64 / (2.0 * squares);
            if balanced.is_finite() && balanced > 0.0 {
                let before = if *weight > 0.0 { *weight } else { balanced };
                // Where a network is saturated for once, a constraint is hardly felt: that is no reason to
                // hammer at it.
                let balanced = balanced.clamp(before / LEAP, before * LEAP);
                *weight = before.powf(1.0 - FRESH) * balanced.powf(FRESH);
            } else if weight.is_nan() {
                // Nothing that is trained changes the objective.
                *weight = 1.0;
            }
        }
    }

    /// Takes in objective and violation at the start of a step, ∇f + Jᵀλ and the gradient of the penalty.
    /// Hardens where neither improves and these pull against each other.
    pub(crate) fn observe(&mut self, at: &Evaluation, lagrangian: &[f64], penalty: &[f64]) {
        if matches!(self.weighting, Weighting::Fixed(_)) || self.owner.is_empty() {
            return;
        }
        let now = [at.objective, self.cost(&at.violated()) / self.course[0]];
        let [hardness, means @ .., since] = &mut self.course;
        *since += 1.0;
        let (means, best) = means.split_at_mut(2);
        for ((mean, best), now) in means.iter_mut().zip(best).zip(now) {
            *mean = if mean.is_finite() { (1.0 - LATEST) * *mean + LATEST * now } else { now };
            if *mean < IMPROVEMENT * *best {
                (*best, *since) = (*mean, 0.0);
            }
        }
        let cosine = dot(lagrangian, penalty) / (norm(lagrangian) * norm(penalty));
        if cosine.is_finite() {
            self.opposition += STEADY * (cosine - self.opposition);
        }
        let opposed = self.opposition.is_nan() || self.opposition < COMPROMISE;
        if *since >= PATIENCE && opposed {
            (*hardness, *since) = ((GROWTH * *hardness).min(MOST.max(*hardness)), 0.0);
        }
    }

    /// max(h, −λ/2ρ) in place of h for inequalities; says which of them have come to the second.
    pub(crate) fn shift(&self, λ: &[f64], at: &mut Evaluation) -> Vec<usize> {
        let mut inactive = Vec::new();
        if at.inequalities.is_empty() {
            return inactive;
        }
        let weights: Vec<f64> = self.entries().map(|(_, share)| share).collect();
        for i in at.inequalities.entries() {
            // Weights vanish where no parameter changes the constraint: λ is zero there.
            let least = if weights[i] > 0.0 { -λ[i].max(0.0) / (2.0 * weights[i]) } else { 0.0 };
            if at.constraints[i] <= least {
                at.constraints[i] = least;
                inactive.push(i);
            }
        }
        inactive
    }

    /// The same, and no rows for those.
    pub(super) fn activate(&self, λ: &[f64], at: &mut Evaluation) {
        let columns = at.gradient.len();
        for i in self.shift(λ, at) {
            at.jacobian.rows_mut()[i * columns..(i + 1) * columns].fill(0.0);
        }
    }

    /// Of every entry of h what it is, and its weight: ρ/n of n residuals, ρ of a mean square.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Form, f64)> {
        self.owner.iter().map(|&equation| {
            let Equation { form, count } = self.equations[equation];
            let weight = self.weights[equation];
            (form, if form == Form::Residuals { weight / count as f64 } else { weight })
        })
    }

    /// Σ ρ·mean(h²), with mean squares as they are.
    pub(crate) fn violation(&self, at: &Evaluation) -> f64 {
        self.cost(&at.constraints)
    }

    /// The same of these constraints.
    pub(super) fn cost(&self, h: &[f64]) -> f64 {
        let part = |((form, share), h): ((Form, f64), &f64)| match form {
            Form::MeanSquare => share * h,
            Form::Residuals => share * h * h,
        };
        self.entries().zip(h).map(part).sum()
    }

    /// What the gradients of the entries of h are added with in that of the merit.
    pub(super) fn slopes(&self, h: &[f64]) -> Vec<f64> {
        let slope = |((form, share), h): ((Form, f64), &f64)| match form {
            Form::MeanSquare => share,
            Form::Residuals => 2.0 * share * h,
        };
        self.entries().zip(h).map(slope).collect()
    }

    /// 2ρx for residuals x, zero for mean squares: what the penalty of x comes to as multipliers.
    pub(crate) fn multipliers(&self, x: &[f64]) -> Vec<f64> {
        let weight = |((form, share), x): ((Form, f64), &f64)| match form {
            Form::MeanSquare => 0.0,
            Form::Residuals => 2.0 * share * x,
        };
        self.entries().zip(x).map(weight).collect()
    }

    /// The weights of mean squares in the matrix; zero for residuals, whose rows are added apart.
    pub(super) fn squares(&self) -> Vec<f64> {
        self.entries().map(|(form, share)| if form == Form::MeanSquare { share } else { 0.0 }).collect()
    }

    /// √2ρ·h + λ/√2ρ of the residuals: what belongs to their scaled rows where the square of the merit is
    /// completed.
    pub(super) fn right_side(&self, h: &[f64], λ: &[f64]) -> Vec<f64> {
        let entries = self.entries().zip(h).zip(λ);
        let residuals = entries.filter(|(((form, _), _), _)| *form == Form::Residuals);
        let right = |(((_, share), h), λ): (((Form, f64), &f64), &f64)| {
            let root = (2.0 * share).sqrt();
            if root > 0.0 { root * h + λ / root } else { 0.0 }
        };
        residuals.map(right).collect()
    }

    /// The rows of residuals with the roots of their weights: the matrix of the constraints is SᵀS.
    pub(super) fn scaled_rows(&self, at: &Evaluation) -> Vec<f64> {
        let residuals = at.rows().zip(self.entries()).filter(|(_, (form, _))| *form == Form::Residuals);
        let mut scaled = Vec::new();
        for (row, (_, share)) in residuals {
            let root = (2.0 * share).sqrt();
            scaled.extend(row.iter().map(|x| root * x));
        }
        scaled
    }
}
