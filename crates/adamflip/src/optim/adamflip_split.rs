//! `adamflip_split`: feedback linearization with the normal and the tangential part of the step apart (ours).
//!
//! - With G = J Jᵀ + εI and Π = I − JᵀG⁻¹J: the gradient along the constraints g = Π²∇f gets Adam's moments
//!   (twice, because damping makes Π leave a share ε/(σ²+ε) of what it should remove, which moves the
//!   solution by as much; squared, it does not matter), kept in the eigenbasis of the layers
//!   ([`rotate`](AdamSettings::rotate)). Their step t = −η m̂ ⊘ (√v̂ + δ) is projected once more, t ← Πt,
//!   because its elementwise scaling turned it out of the tangent space. The normal step n = −γ JᵀG⁻¹h is
//!   taken as it is. θ ← θ + t + n.
//! - Nothing that pulls towards h = 0 is averaged or rescaled, so h contracts by 1 − γ a step while the rate
//!   may fall as it likes. In Algorithm 1 the moments mix both parts, and h falls as slowly as η·K lets it.
//! - Needs ∇f and J each step, one m × m factorization and four solves, two products with J and two with Jᵀ;
//!   made for pointwise constraints, whose J keeps its rank at h = 0.
//! - γ may differ by named constraint: n = −JᵀG⁻¹Γh with Γ = diag(γ_i), so that h_i contracts by 1 − γ_i.
//!   What `adapt` raises and lowers is then the largest, and the others in proportion.
//! - Defaults: η from 1e-3 to 1e-5, β = (0.95, 0.99), a turn of the bases every 10 steps, γ = 0.1 held, ε
//!   relative, 1e-4, projected again: ours, from trials on Burgers (γ = 0.5 and β₂ = 0.999 were worse); the
//!   table of what each part brings is in `results/2026-11-16-methods.md`.
//! - `adapt`: the gain is raised by a twentieth, up to 1, after every step that brought at least half of the
//!   reduction of ‖h‖ that its linearization promised, and halved after one that did not although the normal
//!   part was the longer one. (Where the tangential part was, its curvature is what moved h, and a smaller
//!   gain would only let h grow.)
//! - `rows`: the Gram matrix takes m² and its factor m³ operations, of which nothing is to be gained where
//!   thousands of points say almost the same. Of more rows than that, every ⌈m/rows⌉-th point takes its turn:
//!   h and its multipliers are those of these rows, whose row space is nearly that of all where conditions
//!   are smooth, and each point has its turn every few steps (a block method of Kaczmarz). 1,000: ours,
//!   `results/2026-11-18-any-size.md`.
//! - Of inequalities h ≤ 0 the tangential gradient is that beside those which descent comes to within a step,
//!   with λ ≥ 0, and the normal step is the shortest with h + J(t + n) ≤ (1 − γ)h: an active set each.
//! - Reference: the split is found critical for SQP with Adam by Piermarini, Curtis et al. 2026.
//! - Use it first for networks with pointwise constraints, after a short stage of Adam.

use super::adam::{AdamSettings, moments_state, restore_moments};
use super::controller::{begin, shorten};
use super::method::{Configure, Gains, MethodFacts};
use super::moments::Moments;
use super::multiplier::{Damping, each_entry};
use super::normal::Normal;
use super::reduction::Reduction;
use super::settings::{SettingGroup, SettingValue, adam, feedback, setting};
use super::turns::Turns;
use super::{
    Betas, ConstrainedProblem, Decay, Evaluation, Inequalities, Matrix, Optimizer, Rate, State, StepReport,
    Want,
};
use crate::linalg::{add_scaled, dot, norm, set_scaled};

/// Settings of [`AdamFlipSplit`].
#[derive(Clone, Debug, PartialEq)]
pub struct AdamFlipSplitSettings {
    /// Rate, moments and clipping of the tangential part.
    pub adam: AdamSettings,
    /// γ, the share of h that a step is to remove.
    pub gain: f64,
    /// γ of each named constraint in order; those beyond the end of the list have `gain`.
    pub gains: Vec<f64>,
    /// ε.
    pub damping: Damping,
    /// Does the gain follow the reduction of ‖h‖?
    pub adapt: bool,
    /// Is the tangential step projected again after Adam's scaling?
    pub reproject: bool,
    /// The most rows of the constraints that a step looks at.
    pub rows: usize,
}

impl Default for AdamFlipSplitSettings {
    fn default() -> Self {
        Self {
            adam: AdamSettings {
                rate: Rate { start: 1e-3, decay: Decay::Exponential(1e-5) },
                betas: Betas { first: 0.95, second: 0.99 },
                rotate: 10,
                ..AdamSettings::default()
            },
            gain: 0.1,
            gains: Vec::new(),
            damping: Damping::Relative(1e-4),
            adapt: false,
            reproject: true,
            rows: 1_000,
        }
    }
}

const KEYS: SettingGroup = &[
    setting(
        "normal_gain",
        "a number above 0 and up to 1, as in `normal_gain = 0.1`, or such numbers by constraint, as in \
         `normal_gain = { walls = 0.5 }`",
        "γ, the share of the constraints that a step removes",
    ),
    setting("adapt", "true or false", "does γ follow the reduction of the constraints?"),
    setting("reproject", "true or false", "is the tangential step projected again?"),
    setting(
        "rows",
        "a positive whole number, as in `rows = 1000`",
        "of the constraints in a step, at the most",
    ),
];

impl Configure for AdamFlipSplitSettings {
    const FACTS: MethodFacts = MethodFacts::multipliers("adamflip_split", true);

    fn parts(&self) -> Vec<SettingGroup> {
        vec![adam::RATE, adam::MOMENTS, adam::ROTATION, adam::CLIP, KEYS, feedback::DAMPING]
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        match key {
            "normal_gain" => {
                (self.gain, self.gains) = value.gains(self.gain, |x| x > 0.0 && x <= 1.0)?;
            }
            "adapt" => self.adapt = value.flag()?,
            "reproject" => self.reproject = value.flag()?,
            "rows" => self.rows = value.whole(1..=usize::MAX)?,
            "epsilon" | "damping" => feedback::set_damping(&mut self.damping, key, value)?,
            _ => adam::set(&mut self.adam, key, value)?,
        }
        Some(())
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, steps: usize) -> Box<dyn Optimizer> {
        let method = AdamFlipSplit::new(self, problem.parameters(), problem.constraints(), steps);
        Box::new(method.with_matrices(&problem.matrices()))
    }

    fn rate(&mut self) -> Option<&mut Rate> {
        Some(&mut self.adam.rate)
    }

    fn rows_at_once(&self) -> usize {
        self.rows
    }

    fn gains(&self) -> Option<Gains<'_>> {
        Some(Gains { key: "normal_gain", others: self.gain, each: &self.gains })
    }
}

/// The least gain that a schedule comes down to.
const LEAST_GAIN: f64 = 1e-3;

/// The gain with what the last step promised: ‖h‖ before it, ‖h + JΔθ‖, and the lengths of its tangential and
/// normal parts. NaN before the first step; ‖h‖ also where points have changed since.
const GAIN: usize = 0;
const BEFORE: usize = 1;
const EXPECTED: usize = 2;
const TANGENT: usize = 3;
const NORMAL: usize = 4;

/// Tangential moments, normal step.
#[derive(Debug)]
pub struct AdamFlipSplit {
    settings: AdamFlipSplitSettings,
    steps: usize,
    /// γ of every entry of h as a share of the largest, which follows the schedule; empty until the first
    /// step, which asks the problem for its named constraints.
    shares: Vec<f64>,
    at: Evaluation,
    turns: Turns,
    normal: Normal,
    moments: Moments,
    reduction: Reduction,
    λ: Vec<f64>,
    /// Those of the rows whose turn it is, and what of these rows a step should remove.
    own: Vec<f64>,
    asked: Vec<f64>,
    /// The step.
    step: Vec<f64>,
    /// Right sides of the solves: J t, and h.
    right: [Vec<f64>; 2],
    schedule: [f64; 5],
}

impl AdamFlipSplit {
    /// For a stage of `steps` steps on a problem of this size.
    pub fn new(settings: AdamFlipSplitSettings, parameters: usize, constraints: usize, steps: usize) -> Self {
        let unknown = f64::NAN;
        let size = if constraints > settings.rows { 0 } else { constraints };
        Self {
            schedule: [settings.gain, unknown, unknown, unknown, unknown],
            settings,
            steps,
            shares: Vec::new(),
            at: Evaluation::new(parameters, constraints),
            turns: Turns::default(),
            normal: Normal::new(size),
            moments: Moments::new(parameters),
            reduction: Reduction::new(parameters, constraints),
            λ: vec![0.0; constraints],
            own: Vec::new(),
            asked: Vec::new(),
            step: vec![0.0; parameters],
            right: [Vec::new(), Vec::new()],
        }
    }

    /// For a problem whose θ holds these matrices, in whose bases the moments may be kept.
    pub fn with_matrices(mut self, matrices: &[Matrix]) -> Self {
        self.moments = self.moments.turning(self.settings.adam.rotate, matrices);
        self
    }

    /// Learns the sizes of the named constraints; once. A gain that was restored stays.
    fn meet(&mut self, problem: &dyn ConstrainedProblem) {
        if self.shares.len() == self.λ.len() {
            return;
        }
        let blocks = problem.constraint_blocks();
        self.at.inequalities = Inequalities::of(&blocks);
        self.shares = each_entry(&blocks, &self.settings.gains, self.settings.gain);
        let largest = self.shares.iter().copied().fold(0.0, f64::max);
        if largest > 0.0 {
            self.shares.iter_mut().for_each(|gain| *gain /= largest);
        }
        self.settings.gain = largest;
        if self.moments.count == 0.0 {
            self.schedule[GAIN] = largest;
        }
        // The active set of inequalities is sought among all rows.
        let rows = if self.at.inequalities.is_empty() { self.settings.rows } else { usize::MAX };
        self.turns = Turns::new(rows, &problem.equations());
        let size = self.turns.size();
        self.normal.resize(size);
        self.normal.meet(self.at.inequalities.clone());
        [&mut self.own, &mut self.asked]
            .into_iter()
            .chain(&mut self.right)
            .for_each(|list| list.resize(size, 0.0));
    }

    /// λ = −G⁻¹J∇f with one step of refinement, and g = ∇f + Jᵀλ in place of ∇f.
    fn tangential_gradient(&mut self, η: f64) {
        if self.λ.is_empty() {
            return;
        }
        self.turns.take(self.moments.count as usize, &self.at.jacobian);
        let j = self.turns.jacobian(&self.at.jacobian);
        self.own.fill(0.0);
        // Inequalities that descent along ∇f does not come to are none of this step.
        for i in self.at.inequalities.entries() {
            self.own[i] = self.at.constraints[i].min(0.0) * self.settings.gain / η;
        }
        self.normal.gather(j, &self.at.gradient, None, &mut self.own);
        self.normal.factor(self.settings.damping, &mut self.own);
        // Again, for what the damping left: J(∇f + Jᵀλ) = −ελ, since Gλ = −J∇f.
        let [along, _] = &mut self.right;
        set_scaled(along, self.normal.ε, &self.own);
        self.normal.solve([along]);
        add_scaled(&mut self.own, 1.0, along);
        // λ ≥ 0 of inequalities, but for rounding of the refinement.
        for i in self.at.inequalities.entries() {
            self.own[i] = self.own[i].max(0.0);
        }
        j.add_transposed(&self.own, &mut self.at.gradient);
        self.turns.scatter(&self.own, &mut self.λ);
    }

    /// The gain of this step, from what the last one promised and brought.
    fn next_gain(&mut self) -> f64 {
        let [gain, before, expected, tangent, normal] = self.schedule;
        if !self.settings.adapt || before.is_nan() {
            return gain;
        }
        let (promised, brought) = (before - expected, before - norm(&self.at.violated()));
        let next = match (brought >= 0.5 * promised, normal >= tangent) {
            (true, _) => (1.05 * gain).min(1.0f64.max(self.settings.gain)),
            (false, true) => (0.5 * gain).max(LEAST_GAIN.min(self.settings.gain)),
            (false, false) => gain,
        };
        self.schedule[GAIN] = next;
        next
    }

    /// t + n in `step`, and J(t + n) for the account of ‖h‖.
    fn find_step(&mut self, η: f64, gain: f64) {
        let AdamSettings { betas, delta, .. } = self.settings.adam;
        let j = self.turns.jacobian(&self.at.jacobian);
        self.step.fill(0.0);
        self.schedule[TANGENT] = self.moments.step(betas, delta, η, &self.at.gradient, &mut self.step);
        let [along, towards] = &mut self.right;
        match self.settings.reproject {
            true => j.times(&self.step, along),
            false => along.fill(0.0),
        }
        let asked = self.turns.of(&self.shares).zip(self.turns.of(&self.at.constraints));
        self.asked.iter_mut().zip(asked).for_each(|(asked, (share, h))| *asked = share * h);
        towards.copy_from_slice(&self.asked);
        if !self.at.inequalities.is_empty() {
            // Those that t would violate, or does not bring back, decide on the second active set.
            let wanted: Vec<f64> = along.iter().zip(&*towards).map(|(t, n)| t + gain * n).collect();
            self.normal.factor_again(&wanted);
        }
        self.normal.solve([along, towards]);
        // ‖JᵀG⁻¹h‖² = hᵀG⁻¹h but for the damping.
        self.schedule[NORMAL] = gain * dot(towards, &self.asked).max(0.0).sqrt();
        along.iter_mut().zip(&*towards).for_each(|(along, towards)| *along = -*along - gain * *towards);
        j.add_transposed(along, &mut self.step);
        let whole = self.turns.is_whole() && self.at.inequalities.is_empty();
        if whole && self.settings.reproject && self.normal.solvable {
            // With Ga = −Jt − Γh for the weights a of the rows: Jt + JJᵀa = −Γh − εa.
            let expected = &mut self.reduction.expected;
            set_scaled(expected, -gain, &self.asked);
            add_scaled(expected, -self.normal.ε, along);
        } else {
            self.at.jacobian.times(&self.step, &mut self.reduction.expected);
        }
    }
}

impl Optimizer for AdamFlipSplit {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        problem.evaluate(θ, Want::Products, &mut self.at);
        self.meet(problem);
        let η = self.settings.adam.rate.at(self.moments.count as usize, self.steps);
        self.tangential_gradient(η);
        let mut report = begin(&self.at, η);
        if !self.at.is_finite() || !report.gradient_norm.is_finite() {
            return report;
        }
        report.kkt = report.gradient_norm;
        (report.condition, report.rank) = (self.normal.spectrum.condition, self.normal.spectrum.rank);
        report.gain = self.next_gain();
        self.reduction.begin(&self.at, θ, &mut report);
        shorten(&mut self.at.gradient, report.gradient_norm, self.settings.adam.clip);
        self.find_step(η, report.gain);
        add_scaled(θ, 1.0, &self.step);
        report.step_norm = norm(&self.step);
        self.reduction.promise(&self.at, &mut report);
        self.schedule[BEFORE] = self.reduction.before;
        self.schedule[EXPECTED] = norm(&self.reduction.expected);
        report
    }

    fn multipliers(&self) -> &[f64] {
        &self.λ
    }

    fn diagnose(&mut self, wanted: bool) {
        self.normal.diagnose(wanted);
    }

    fn points_changed(&mut self) {
        self.reduction.forget();
        self.schedule[BEFORE] = self.reduction.before;
    }

    fn state(&self) -> State {
        let mut state = moments_state(&self.moments);
        state.push(("schedule", self.schedule.to_vec()));
        state
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let restored = restore_moments(&mut self.moments, &mut [("schedule", &mut self.schedule)], state);
        self.reduction.before = self.schedule[BEFORE];
        restored
    }
}
