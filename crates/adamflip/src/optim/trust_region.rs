//! `trust_region`: a trust region on the coupled loss, with quasi-Newton curvature.
//!
//! - Minimises what `lbfgs` does, L = f + p·Σ h or f + p·Σ mean(r²), with balanced `weights` too: d minimises
//!   ∇Lᵀd + ½dᵀBd over ‖d‖ ≤ Δ by conjugate gradients that end at the ball, and go to it along negative
//!   curvature (Steihaug 1983). With q the ratio of the fall of L to the one that was promised, d is taken if
//!   q > 1e-3; Δ is doubled where q > ¾ and ‖d‖ > 0.8Δ, and halved where q < 0.1.
//! - B is of limited memory: SR1, which sees negative curvature and learns from refused steps too, or damped
//!   BFGS. The authors take the Hessian itself, second derivatives of the whole coupled system, which costs
//!   as many gradients as there are parameters or products; that is not offered here. Their finding that BFGS
//!   models are too rough for a region holds against this one.
//! - Needs one evaluation of the values a step, to see that the function is still the same, and one gradient
//!   at the point that is tried; a step costs about 16·memory²·P multiplications at the most for the model
//!   and the conjugate gradients.
//! - Defaults: SR1, 20 pairs, Δ = 1 at first, p = 1; ratios and factors of Nocedal and Wright, algorithm 6.2;
//!   conjugate gradients end at min(0.1, √‖∇L‖)·‖∇L‖.
//! - It ends where Δ is rounding of θ. Fresh points are another function: its gradient is computed again, B
//!   and Δ go on.
//! - Reference: Xu and Darve 2021, *Trust region method for coupled systems of PDE solvers and deep neural
//!   networks*; Nocedal and Wright, chapters 4, 6 and 7.
//! - Use it after Adam, as the baseline of the literature; `lbfgs` and `ssbroyden` with their line search are
//!   usually ahead.

use super::al::Lagrangian;
use super::balance::{Weighted, balanced};
use super::method::{Configure, MethodFacts, Pace};
use super::settings::{SettingGroup, SettingValue, balance, lbfgs as keys, setting};
use super::trsqp::{Model, ratio, to_boundary};
use super::{
    Balancing, Block, ConstrainedProblem, End, Form, Optimizer, QuasiNewton, State, StepReport, restore_lists,
};
use crate::linalg::{add_scaled, dot, norm};

/// Settings of [`TrustRegion`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrustRegionSettings {
    /// p, the weight of all constraints.
    pub penalty: f64,
    /// The formula for B.
    pub quasi_newton: QuasiNewton,
    /// Pairs that B remembers.
    pub memory: usize,
    /// Δ at first.
    pub radius: f64,
    /// How the losses of the terms are weighed against each other, in place of the penalty.
    pub balancing: Option<Balancing>,
}

impl Default for TrustRegionSettings {
    fn default() -> Self {
        Self { penalty: 1.0, quasi_newton: QuasiNewton::Sr1, memory: 20, radius: 1.0, balancing: None }
    }
}

/// The ratio from which a step is taken, and those below and above which the region changes.
const RATIOS: [f64; 3] = [1e-3, 0.1, 0.75];
/// The part of the region that a good step must use before it grows.
const USED: f64 = 0.8;
/// The relative residual at which the conjugate gradients end at the latest.
const FORCING: f64 = 0.1;

const REGION: SettingGroup = &[
    setting("quasi_newton", "\"bfgs\" or \"sr1\"", "the formula of the curvature"),
    setting("memory", "a whole number from 1 to 1000, as in `memory = 20`", "curvature pairs"),
    setting("radius", "a positive number, as in `radius = 1`", "the trust region at first"),
];

impl Configure for TrustRegionSettings {
    const FACTS: MethodFacts =
        MethodFacts { pace: Pace::QuasiNewton, ..MethodFacts::penalty("trust_region") };

    fn parts(&self) -> Vec<SettingGroup> {
        let mut parts = vec![keys::PENALTY, REGION];
        parts.extend(balance::parts(&self.balancing));
        parts
    }

    fn choices() -> Vec<Self> {
        balance::choices().map(|balancing| Self { balancing, ..Self::default() }).collect()
    }

    fn needed(&self, key: &str) -> Option<&'static str> {
        balance::needed(key)
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        match key {
            "penalty" => self.penalty = value.not_negative()?,
            "quasi_newton" => {
                self.quasi_newton = match value.text()? {
                    "bfgs" => QuasiNewton::DampedBfgs,
                    "sr1" => QuasiNewton::Sr1,
                    _ => return None,
                };
            }
            "memory" => self.memory = value.whole(1..=keys::MOST_PAIRS)?,
            "radius" => self.radius = value.positive()?,
            _ => balance::set(&mut self.balancing, key, value)?,
        }
        Some(())
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, _steps: usize) -> Box<dyn Optimizer> {
        balanced(self.balancing, super::lbfgs::EVERY, problem, |size, blocks| {
            TrustRegion::new(self, size, blocks)
        })
    }
}

/// A trust region on the weighted sum.
#[derive(Debug)]
pub struct TrustRegion {
    settings: TrustRegionSettings,
    lagrangian: Lagrangian,
    model: Model,
    /// Δ.
    radius: f64,
    /// θ, ∇L there, and f and h: where the last step ended.
    point: Vec<f64>,
    gradient: Vec<f64>,
    known: Vec<f64>,
    /// h where the last step began.
    start: Vec<f64>,
    conjugate: Conjugate,
    trial: Vec<f64>,
    trial_gradient: Vec<f64>,
    end: Option<End>,
}

impl TrustRegion {
    /// For a problem of this many parameters whose constraints come in these blocks.
    pub fn new(settings: TrustRegionSettings, parameters: usize, blocks: &[Block]) -> Self {
        let mut lagrangian = Lagrangian::new(parameters, blocks);
        lagrangian.set(|form| match form {
            Form::MeanSquare => (settings.penalty, 0.0),
            // ½μ·mean(r²) = p·mean(r²).
            Form::Residuals => (0.0, 2.0 * settings.penalty),
        });
        let constraints = lagrangian.λ.len();
        let list = || vec![0.0; parameters];
        Self {
            lagrangian,
            model: Model::new(settings.quasi_newton, settings.memory, parameters),
            radius: settings.radius,
            point: list(),
            gradient: list(),
            known: vec![f64::NAN; constraints + 1],
            start: vec![f64::NAN; constraints],
            conjugate: Conjugate::new(parameters),
            trial: list(),
            trial_gradient: list(),
            end: None,
            settings,
        }
    }

    /// Looks at the values, and at the gradient where the function or θ is not the one of the last step's
    /// end.
    fn meet(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) {
        self.lagrangian.values(problem, θ);
        let at = &self.lagrangian.at;
        self.start.copy_from_slice(&at.constraints);
        let same = self.known[0] == at.objective && self.known[1..] == at.constraints;
        if !(same && self.point == θ) {
            self.point.copy_from_slice(θ);
            self.lagrangian.gradient(problem, θ, &mut self.gradient);
        }
    }

    /// Tries the step of the current region: the fall of L over the promised one.
    fn attempt(&mut self, problem: &mut dyn ConstrainedProblem) -> f64 {
        let value = self.lagrangian.value();
        let promised = self.conjugate.solve(&self.model, &self.gradient, self.radius);
        self.trial.copy_from_slice(&self.point);
        add_scaled(&mut self.trial, 1.0, &self.conjugate.step);
        let after = self.lagrangian.gradient(problem, &self.trial, &mut self.trial_gradient);
        // Sums of numbers of order one carry their value to some roundings.
        ratio(value - after, promised, 10.0 * f64::EPSILON * value.abs().max(1.0))
    }

    /// Takes in the pair of the last step, taken or not.
    fn learn(&mut self) {
        let y = &mut self.conjugate.image;
        y.copy_from_slice(&self.trial_gradient);
        add_scaled(y, -1.0, &self.gradient);
        self.model.learn(&self.conjugate.step, y);
    }

    /// Δ after a step of this length and ratio.
    fn adjust(&mut self, ratio: f64, length: f64) {
        let [_, poor, good] = RATIOS;
        if ratio > good && length > USED * self.radius {
            self.radius *= 2.0;
        } else if ratio.is_nan() || ratio < poor {
            // A step inside the ball would only be proposed again.
            self.radius = 0.5 * self.radius.min(length);
        }
    }

    fn remember(&mut self) {
        self.known[0] = self.lagrangian.at.objective;
        self.known[1..].copy_from_slice(&self.lagrangian.at.constraints);
    }
}

impl Optimizer for TrustRegion {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        self.meet(problem, θ);
        self.end = None;
        let at = &self.lagrangian.at;
        let mut report = StepReport {
            objective: at.objective,
            violation: at.violation(),
            gradient_norm: norm(&self.gradient),
            radius: self.radius,
            refused: 0.0,
            ..StepReport::default()
        };
        let started = [at.objective, report.violation, report.gradient_norm, self.lagrangian.value()];
        if !started.iter().all(|number| number.is_finite()) {
            self.known.fill(f64::NAN);
            return report;
        }
        self.remember();
        let ratio = self.attempt(problem);
        let length = norm(&self.conjugate.step);
        self.learn();
        self.adjust(ratio, length);
        // What a model of rounding promises is no step.
        let taken = ratio > RATIOS[0] && length > 0.0 && self.trial != self.point;
        if taken {
            (report.rate, report.step_norm) = (1.0, length);
            std::mem::swap(&mut self.point, &mut self.trial);
            std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
            self.remember();
            θ.copy_from_slice(&self.point);
        } else {
            report.refused = 1.0;
            if self.radius <= f64::EPSILON * norm(θ).max(1.0) {
                self.end = Some(End::of_no_step(report.gradient_norm));
                self.radius = self.settings.radius;
            }
        }
        report
    }

    fn end(&self) -> Option<End> {
        self.end
    }

    fn state(&self) -> State {
        vec![
            ("point", self.point.clone()),
            ("gradient", self.gradient.clone()),
            ("known", self.known.clone()),
            ("region", vec![self.radius, self.model.scale, self.model.pairs as f64]),
            ("steps", self.model.steps.clone()),
            ("changes", self.model.changes.clone()),
        ]
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let mut region = [0.0; 3];
        let Self { point, gradient, known, model, .. } = self;
        let lists: &mut [(&str, &mut [f64])] = &mut [
            ("point", point),
            ("gradient", gradient),
            ("known", known),
            ("region", &mut region),
            ("steps", &mut model.steps),
            ("changes", &mut model.changes),
        ];
        if !restore_lists(state, lists) {
            return false;
        }
        let room = model.steps.len() / point.len().max(1);
        (self.radius, model.scale, model.pairs) = (region[0], region[1], (region[2] as usize).min(room));
        model.rebuild();
        true
    }
}

impl Weighted for TrustRegion {
    fn set_weights(&mut self, weights: &[f64]) {
        self.lagrangian.weigh_blocks(weights);
    }

    fn weights_changed(&mut self) {
        self.known.fill(f64::NAN);
    }

    fn start(&self) -> &[f64] {
        &self.start
    }
}

/// The step in the ball, by conjugate gradients.
#[derive(Debug)]
struct Conjugate {
    /// d.
    step: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
}

impl Conjugate {
    fn new(parameters: usize) -> Self {
        let zeros = || vec![0.0; parameters];
        Self { step: zeros(), residual: zeros(), direction: zeros(), image: zeros() }
    }

    /// d within the radius; the fall that the model promises.
    fn solve(&mut self, model: &Model, gradient: &[f64], radius: f64) -> f64 {
        self.step.fill(0.0);
        self.residual.copy_from_slice(gradient);
        self.direction.iter_mut().zip(gradient).for_each(|(p, g)| *p = -g);
        let length = norm(gradient);
        let tolerance = length * FORCING.min(length.sqrt());
        let mut promised = 0.0;
        // B is a multiple of the identity and two terms for a pair at the most: as many iterations and one in
        // exact arithmetic.
        for _ in 0..2 * (2 * model.pairs + 1) {
            let squared = dot(&self.residual, &self.residual);
            if squared.sqrt() <= tolerance {
                break;
            }
            model.times(&self.direction, &mut self.image);
            let curved = dot(&self.direction, &self.image);
            let boundary = to_boundary(&self.step, &self.direction, radius);
            let inside = curved > 0.0 && squared / curved < boundary;
            let along = if inside { squared / curved } else { boundary };
            promised += along * squared - 0.5 * along * along * curved;
            add_scaled(&mut self.step, along, &self.direction);
            if !inside {
                break;
            }
            add_scaled(&mut self.residual, along, &self.image);
            let share = dot(&self.residual, &self.residual) / squared;
            self.direction.iter_mut().zip(&self.residual).for_each(|(p, r)| *p = share * *p - r);
        }
        promised
    }
}

#[cfg(test)]
mod tests {
    use super::super::Method;
    use super::super::tests::problems::rosenbrock_on_a_circle;
    use super::*;

    /// The model's own promise is what the ball's step brings on it, and no step of the ball is better:
    /// random ones are not.
    #[test]
    fn steps_are_in_the_ball_and_keep_the_promise_on_the_model() {
        let mut model = Model::new(QuasiNewton::Sr1, 5, 6);
        for k in 0..5 {
            let s: Vec<f64> = (0..6).map(|i| ((i * 7 + k * 3) as f64).sin()).collect();
            // Curvatures from −1 to 4: indefinite.
            let y: Vec<f64> = s.iter().enumerate().map(|(i, s)| (i as f64 - 1.0) * s).collect();
            model.learn(&s, &y);
        }
        let g: Vec<f64> = (0..6).map(|i| (i as f64).cos()).collect();
        for radius in [1e-3, 0.3, 10.0] {
            let mut conjugate = Conjugate::new(6);
            let promised = conjugate.solve(&model, &g, radius);
            let d = conjugate.step.clone();
            let mut image = vec![0.0; 6];
            model.times(&d, &mut image);
            let fall = -dot(&g, &d) - 0.5 * dot(&d, &image);
            assert!((fall - promised).abs() < 1e-10 * promised, "{fall} {promised}");
            assert!(norm(&d) <= radius * (1.0 + 1e-12));
            // At least what the gradient alone brings (the point of Cauchy).
            model.times(&g, &mut image);
            let (gg, gbg) = (dot(&g, &g), dot(&g, &image));
            let most = radius / gg.sqrt();
            let along = if gbg > 0.0 { (gg / gbg).min(most) } else { most };
            assert!(promised >= (along * gg - 0.5 * along * along * gbg) * (1.0 - 1e-12));
        }
    }

    #[test]
    fn minima_are_found_and_the_end_is_told() {
        for formula in ["sr1", "bfgs"] {
            let settings = [("quasi_newton", formula.into()), ("penalty", 10.0.into())];
            let mut problem = rosenbrock_on_a_circle();
            let mut method = Method::with("trust_region", &settings).unwrap().optimizer(&problem, 400);
            let mut θ = problem.start.clone();
            let mut last = f64::INFINITY;
            for _ in 0..400 {
                let report = method.step(&mut problem, &mut θ);
                let loss = report.objective + 10.0 * problem.at(&θ).constraints[0].powi(2);
                assert!(loss.is_finite() && report.objective.is_finite());
                last = report.gradient_norm;
                if method.end() == Some(End::Converged) {
                    break;
                }
            }
            // Rounding of a loss of order 0.1 with curvatures of a thousand.
            assert!(last < 1e-6, "{formula}: {last} at {θ:?}");
        }
    }
}
