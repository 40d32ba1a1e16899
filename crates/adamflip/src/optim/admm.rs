//! `admm`: the alternating direction method of multipliers, with a copy z of the constraints' values that
//! stays in the feasible set.
//!
//! - min f(θ) subject to h(θ) = z, |z| ≤ τ: f and the condition on z never meet in one step. On L = f + Σ
//!   mean(λ·(h−z)) + ½ρ Σ mean((h−z)²), means over the residuals of each pointwise constraint (an aggregated
//!   one as it is), θ takes some steps of Adam or L-BFGS, then z ← clip(h + λ/ρ, ±τ), the projection, and λ ←
//!   λ + ρ(h − z).
//! - τ = `slack` is what may be left of every constraint: 0 asks for h = 0 (z is zero then, and the method
//!   that of multipliers with inexact minimisations, after Hestenes and Powell); the noise of data, or a
//!   tolerance, makes a band in which the constraint does not pull in the end: λ → 0 inside of it, though
//!   every round still pulls towards the copy of the last one. Of an aggregated constraint z is in \[0, τ\],
//!   of an inequality h ≤ 0 at most τ, and λ ≥ 0.
//! - Needs what `al` needs: values and one combined gradient a step; with L-BFGS one gradient for each trial.
//! - Defaults: ρ = 10, 20 steps between changes of z and λ, Adam at 1e-3, τ = 0: ours. ρ stays, as in the
//!   reference.
//! - A multiplier belongs to a point: points of pointwise constraints stay during the stage.
//! - Reference: Song, Yuan and Yue 2024 (ADMM-PINNs), where the copy is that of a control and the projection
//!   its bounds; Boyd et al. 2011.
//! - Use it where constraints are to hold within a band rather than exactly, and as a baseline of the
//!   literature.

use super::adam::{finish, moments_state, restore_moments};
use super::al::Lagrangian;
use super::descent::{Descent, DescentSettings};
use super::method::{Configure, JacobianRows, Keeps, MethodFacts};
use super::moments::Moments;
use super::settings::{SettingGroup, SettingValue, adam as adam_keys, lbfgs, setting};
use super::{AdamSettings, Block, ConstrainedProblem, Form, Optimizer, Rate, Sense, State, StepReport};

/// Settings of [`Admm`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdmmSettings {
    /// Adam in θ.
    pub adam: AdamSettings,
    /// L-BFGS in θ in place of Adam; none for Adam.
    pub descent: Option<DescentSettings>,
    /// ρ.
    pub penalty: f64,
    /// Steps in θ between changes of z and λ.
    pub inner: usize,
    /// τ.
    pub slack: f64,
}

impl Default for AdmmSettings {
    fn default() -> Self {
        Self { adam: AdamSettings::default(), descent: None, penalty: 10.0, inner: 20, slack: 0.0 }
    }
}

const KEYS: SettingGroup = &[
    setting("solver", "\"adam\" or \"lbfgs\"", "what takes the steps between changes of the multipliers"),
    setting("penalty", "a positive number, as in `penalty = 10`", "ρ, the weight of the squares"),
    setting(
        "inner",
        "a whole number from 1, as in `inner = 20`",
        "steps between changes of the multipliers and the copy",
    ),
    setting("slack", "a number from zero, as in `slack = 1e-3`", "τ, what may be left of every constraint"),
];

impl Configure for AdmmSettings {
    const FACTS: MethodFacts = MethodFacts {
        keeps: Keeps::Constraints,
        jacobian: JacobianRows::Combined,
        matrices: [0.0, 0.0],
        ..MethodFacts::multipliers("admm", true)
    };

    fn parts(&self) -> Vec<SettingGroup> {
        let mut parts = vec![adam_keys::RATE, adam_keys::MOMENTS, adam_keys::CLIP, KEYS];
        if self.descent.is_some() {
            parts.extend([lbfgs::MEMORY, lbfgs::WOLFE]);
        }
        parts
    }

    fn choices() -> Vec<Self> {
        vec![Self { descent: Some(DescentSettings::default()), ..Self::default() }]
    }

    fn needed(&self, key: &str) -> Option<&'static str> {
        lbfgs::has(key).then_some("solver = \"lbfgs\"")
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        match (key, &mut self.descent) {
            ("solver", descent) => {
                *descent = match value.text()? {
                    "adam" => None,
                    "lbfgs" => Some(DescentSettings::default()),
                    _ => return None,
                };
            }
            ("penalty", _) => self.penalty = value.positive()?,
            ("inner", _) => self.inner = value.whole(1..=1_000_000_000)?,
            ("slack", _) => self.slack = value.not_negative()?,
            (_, Some(descent)) if lbfgs::has(key) => lbfgs::set_descent(descent, key, value)?,
            _ => adam_keys::set(&mut self.adam, key, value)?,
        }
        Some(())
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, steps: usize) -> Box<dyn Optimizer> {
        Box::new(Admm::new(self, problem.parameters(), &problem.constraint_blocks(), steps))
    }

    fn rate(&mut self) -> Option<&mut Rate> {
        Some(&mut self.adam.rate)
    }
}

/// The alternating direction method of multipliers.
#[derive(Debug)]
pub struct Admm {
    settings: AdmmSettings,
    steps: usize,
    /// f + Σ a(λ̃h + ½ρh²) with λ̃ = λ − ρz: L but for what does not depend on θ.
    lagrangian: Lagrangian,
    /// The least z of every entry; the largest is τ.
    least: Vec<f64>,
    λ: Vec<f64>,
    z: Vec<f64>,
    moments: Moments,
    descent: Option<Descent>,
    /// Steps so far.
    count: f64,
}

impl Admm {
    /// For a stage of `steps` steps on a problem of this many parameters whose constraints come in these
    /// blocks.
    pub fn new(settings: AdmmSettings, parameters: usize, blocks: &[Block], steps: usize) -> Self {
        let mut lagrangian = Lagrangian::new(parameters, blocks);
        lagrangian.set(|_| (0.0, settings.penalty));
        let constraints = lagrangian.λ.len();
        let least = |block: &Block| {
            let least = match (block.form, block.sense) {
                (Form::MeanSquare, _) => 0.0,
                (Form::Residuals, Sense::Zero) => -settings.slack,
                (Form::Residuals, Sense::AtMostZero) => f64::NEG_INFINITY,
            };
            std::iter::repeat_n(least, block.size)
        };
        let least: Vec<f64> = blocks.iter().flat_map(least).collect();
        let bound = |least: &f64| if *least == f64::NEG_INFINITY { settings.slack } else { 0.0 };
        let mut admm = Self {
            settings,
            steps,
            lagrangian,
            λ: vec![0.0; constraints],
            z: least.iter().map(bound).collect(),
            least,
            moments: Moments::new(parameters),
            descent: settings.descent.map(|descent| Descent::new(descent, parameters, constraints)),
            count: 0.0,
        };
        admm.shift();
        admm
    }

    /// One step in θ; whether it was finite. h where it began is in the Lagrangian after it.
    fn minimise(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> (StepReport, bool) {
        let Self { settings, lagrangian, moments, descent, .. } = self;
        let report = match descent {
            Some(descent) => descent.step(lagrangian, problem, θ),
            None => {
                lagrangian.differentiate(problem, θ);
                let η = settings.adam.rate.at(self.count as usize, self.steps);
                finish(&settings.adam, η, moments, &mut lagrangian.at, θ)
            }
        };
        let finite = [report.objective, report.violation, report.gradient_norm].iter().all(|x| x.is_finite());
        (report, finite)
    }

    /// The projection and the multipliers at this θ.
    fn alternate(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) {
        let weight = self.settings.penalty;
        self.lagrangian.values(problem, θ);
        let Self { lagrangian, λ, z, least, descent, .. } = self;
        if !lagrangian.at.is_finite() {
            return;
        }
        for (i, h) in lagrangian.at.constraints.iter().enumerate() {
            // Of an inequality z is what is best for it at every θ, so that what is met is not held: with z =
            // τ the Lagrangian is that of Powell, Hestenes and Rockafellar.
            let is_bound = least[i] == f64::NEG_INFINITY;
            let copy = (h + λ[i] / weight).max(least[i]).min(self.settings.slack);
            z[i] = if is_bound { self.settings.slack } else { copy };
            λ[i] += weight * (h - z[i]);
            λ[i] = if is_bound { λ[i].max(0.0) } else { λ[i] };
            lagrangian.λ[i] = λ[i] - weight * z[i];
        }
        if let Some(descent) = descent {
            descent.renew();
        }
    }

    /// λ̃ of the Lagrangian from λ and z.
    fn shift(&mut self) {
        for ((shifted, λ), z) in self.lagrangian.λ.iter_mut().zip(&self.λ).zip(&self.z) {
            *shifted = λ - self.settings.penalty * z;
        }
    }
}

impl Optimizer for Admm {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        let (report, finite) = self.minimise(problem, θ);
        if finite {
            self.count += 1.0;
            if (self.count as usize).is_multiple_of(self.settings.inner) {
                self.alternate(problem, θ);
            }
        }
        StepReport { kkt: report.gradient_norm, penalty: self.settings.penalty, ..report }
    }

    /// w with which the last gradient ∇f + Jᵀw was formed, as those of `al`.
    fn multipliers(&self) -> &[f64] {
        &self.lagrangian.weights
    }

    fn state(&self) -> State {
        let mut state = moments_state(&self.moments);
        state.extend([
            ("multiplier", self.λ.clone()),
            ("copy", self.z.clone()),
            ("steps_taken", vec![self.count]),
        ]);
        state.extend(self.descent.iter().flat_map(Descent::state));
        state
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let Self { moments, λ, z, count, descent, .. } = self;
        let further: &mut [(&str, &mut [f64])] =
            &mut [("multiplier", λ), ("copy", z), ("steps_taken", std::slice::from_mut(count))];
        // Nothing may change unless all of it fits.
        if descent.as_ref().is_some_and(|descent| !descent.fits(state))
            || !restore_moments(moments, further, state)
        {
            return false;
        }
        self.shift();
        self.descent.as_mut().is_none_or(|descent| descent.restore(state))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::problems::{hs40, quadratic};
    use super::*;

    #[test]
    fn within_the_slack_nothing_pulls() {
        // The free minimum is (1, −1, 2, ½): h is 1.5 and 3 there.
        let mut problem = quadratic();
        let free = [1.0, -1.0, 2.0, 0.5];
        let violation = problem.at(&free).constraints;
        let run = |slack: f64, problem: &mut super::super::tests::problems::Analytic| {
            let settings = AdmmSettings {
                descent: Some(DescentSettings::default()),
                slack,
                // In the band every round goes on from the copy of the last: by 1/(1 + 6ρ) of what is left,
                // at least.
                penalty: 0.5,
                inner: 5,
                ..AdmmSettings::default()
            };
            let mut method = Admm::new(settings, 4, &problem.constraint_blocks(), 3_000);
            let mut θ = problem.start.clone();
            (0..3_000).for_each(|_| _ = method.step(problem, &mut θ));
            (θ, method.λ)
        };
        let (θ, λ) = run(4.0, &mut problem);
        // The rounding that its line search takes for equal, over curvatures of one.
        assert!(
            θ.iter().zip(free).all(|(x, y)| (x - y).abs() < 1e-5) && λ.iter().all(|λ| λ.abs() < 1e-5),
            "{θ:?}"
        );
        let (θ, λ) = run(0.5, &mut problem);
        let h = problem.at(&θ).constraints;
        for ((h, free), λ) in h.iter().zip(violation).zip(λ) {
            assert!(h.abs() < 0.5 + 1e-6, "{h} of {free}");
            // A multiplier where the band is left else, of the sign that holds it back.
            assert!(λ.abs() < 1e-6 || (h.abs() - 0.5).abs() < 1e-6 && λ * h > 0.0, "{h} {λ}");
        }
    }

    #[test]
    fn by_pairs_it_goes_on_with_the_same_bits() {
        let settings = AdmmSettings {
            descent: Some(DescentSettings::default()),
            inner: 3,
            slack: 0.1,
            ..AdmmSettings::default()
        };
        let mut problem = hs40();
        let make = || Admm::new(settings, 4, &hs40().constraint_blocks(), 30);
        let (mut whole, mut θ) = (make(), problem.start.clone());
        (0..7).for_each(|_| _ = whole.step(&mut problem, &mut θ));
        let saved: Vec<(String, Vec<f64>)> =
            whole.state().into_iter().map(|(name, list)| (name.to_owned(), list)).collect();
        let (mut resumed, mut again) = (make(), θ.clone());
        assert!(resumed.restore(&saved) && !make().restore(&saved[..3]));
        for _ in 0..10 {
            let (report, same) = (whole.step(&mut problem, &mut θ), resumed.step(&mut problem, &mut again));
            assert_eq!((format!("{report:?}"), &θ), (format!("{same:?}"), &again));
        }
    }
}
