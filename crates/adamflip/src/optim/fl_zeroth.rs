//! `fl_zeroth`: feedback linearization from values alone, for terms that cannot be differentiated.
//!
//! - Along K random directions u of signs ±1, D F = (F(θ + σu) − F(θ − σu))/2σ for f and every entry of h.
//!   With U the directions as rows and A = D h, a = D f (one column a direction), λ = −(AAᵀ/K + εI)⁻¹(A a/K −
//!   γh), θ ← θ − (η/K)·Uᵀ(a + Aᵀλ).
//! - That is the step of `fl` in the metric P = UᵀU/K, whose mean is the identity: AAᵀ/K = J P Jᵀ is an
//!   estimate of J Jᵀ without bias, and J P(∇f + Jᵀλ) = γh holds for whatever directions were drawn. So h
//!   contracts by 1 − ηγ a step as if J were known, as long as K is not below the number of constraints; what
//!   is random is the step along them. The product of averaged estimates, (ĴĴᵀ), would be too large by a
//!   factor of about 1 + P/K.
//! - Needs 2K + 1 evaluations of the values a step, and neither gradients nor memory of their size: one m × m
//!   solve. P has eigenvalues of about 1 + P/K, so that rates must be smaller by that than those of `fl`:
//!   evaluations grow with the number of parameters.
//! - Defaults: K = 20, σ = 1e-4 (differences of second order lose σ²F‴/6 to curvature and 1e-16·F/σ to
//!   rounding); η, γ and ε as `fl`. Ours, `results/2026-11-18-zeroth.md`.
//! - Same seed, same directions: those of a step follow from the seed and the number of the step.
//! - Reference: Zhang, Zardini, Ozdaglar, Shamma and Li 2025, *Zeroth-order constrained optimization from a
//!   control perspective via feedback linearization*; Nesterov and Spokoiny 2017 for the differences. The
//!   metric is ours.
//! - Use it where derivatives do not exist or are not at hand; where they are, `fl` costs P/K times less.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::method::{Configure, MethodFacts};
use super::settings::{SettingGroup, SettingValue, setting};
use super::{
    Block, ConstrainedProblem, Evaluation, Feedback, Fl, FlSettings, Optimizer, Rate, State, StepReport,
    Want, restore_lists,
};

/// Settings of [`FlZeroth`].
#[derive(Clone, Debug, PartialEq)]
pub struct FlZerothSettings {
    /// Rate, controller and clipping.
    pub fl: FlSettings,
    /// K, the directions of a step.
    pub directions: usize,
    /// σ, how far the values of a difference are from θ in every coordinate.
    pub radius: f64,
    /// The seed of the directions.
    pub seed: u64,
}

impl Default for FlZerothSettings {
    fn default() -> Self {
        Self { fl: FlSettings::default(), directions: 20, radius: 1e-4, seed: 0 }
    }
}

const DIFFERENCES: SettingGroup = &[
    setting(
        "directions",
        "a whole number from 1 to 1000000, as in `directions = 20`",
        "random directions of a step",
    ),
    setting("radius", "a positive number, as in `radius = 1e-4`", "how far values are looked at from θ"),
    setting("seed", "a whole number from zero, as in `seed = 0`", "of the random directions"),
];

impl Configure for FlZerothSettings {
    const FACTS: MethodFacts = MethodFacts {
        without_constraints: Some("is plain random descent"),
        ..MethodFacts::multipliers("fl_zeroth", false)
    };

    fn parts(&self) -> Vec<SettingGroup> {
        let mut parts = self.fl.parts();
        parts.push(DIFFERENCES);
        parts
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        match key {
            "directions" => self.directions = value.whole(1..=1_000_000)?,
            "radius" => self.radius = value.positive()?,
            "seed" => self.seed = value.whole(0..=1 << 52)? as u64,
            _ => self.fl.set(key, value)?,
        }
        Some(())
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, steps: usize) -> Box<dyn Optimizer> {
        Box::new(FlZeroth::new(self, problem.parameters(), problem.constraints(), steps))
    }

    fn rate(&mut self) -> Option<&mut Rate> {
        Some(&mut self.fl.rate)
    }

    fn feedback(&self) -> Option<&Feedback> {
        Some(&self.fl.feedback)
    }
}

/// Feedback linearization from values.
#[derive(Debug)]
pub struct FlZeroth {
    settings: FlZerothSettings,
    /// In the coordinates c of a step, θ + Uᵀc/√K.
    fl: Fl,
    /// Steps so far: the number of the directions' stream.
    count: f64,
    directions: Directions,
    /// c.
    along: Vec<f64>,
    /// Room for the values at both ends of a direction.
    ends: [Evaluation; 2],
    /// The squared lengths that rows of A had of late.
    lengths: Vec<f64>,
}

impl FlZeroth {
    /// For a stage of `steps` steps on a problem of this size.
    pub fn new(settings: FlZerothSettings, parameters: usize, constraints: usize, steps: usize) -> Self {
        let fl = Fl::new(settings.fl.clone(), settings.directions, constraints, steps);
        let directions = Directions::new(settings.directions, parameters);
        let (along, end) = (vec![0.0; settings.directions], Evaluation::new(parameters, constraints));
        Self {
            settings,
            fl,
            count: 0.0,
            directions,
            along,
            ends: [end.clone(), end],
            lengths: vec![0.0; constraints],
        }
    }
}

impl Optimizer for FlZeroth {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        let Self { settings, fl, count, directions, along: c, ends, lengths } = self;
        directions.draw(settings.seed, *count as u64);
        *count += 1.0;
        c.fill(0.0);
        let mut along = Along { problem, θ, directions, ends, lengths, radius: settings.radius };
        let report = fl.step(&mut along, c);
        let step_norm = directions.add(c, θ);
        StepReport { step_norm, ..report }
    }

    delegate!(to fl: multipliers, diagnose, points_changed);

    fn state(&self) -> State {
        let mut state = self.fl.state();
        state.extend([("directions", vec![self.count]), ("lengths", self.lengths.clone())]);
        state
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let (mut count, mut lengths) = ([0.0], self.lengths.clone());
        let own: &mut [(&str, &mut [f64])] = &mut [("directions", &mut count), ("lengths", &mut lengths)];
        let restored = restore_lists(state, own) && self.fl.restore(state);
        if restored {
            (self.count, self.lengths) = (count[0], lengths);
        }
        restored
    }
}

/// The directions of one step, as bits.
#[derive(Debug)]
struct Directions {
    count: usize,
    /// Their entries.
    length: usize,
    /// 64 signs in each, every direction from a new one on.
    signs: Vec<u64>,
    /// Room for θ ± σu, and for Uᵀc/√K.
    point: Vec<f64>,
}

impl Directions {
    fn new(count: usize, parameters: usize) -> Self {
        Self { count, length: parameters, signs: Vec::new(), point: vec![0.0; parameters] }
    }

    fn draw(&mut self, seed: u64, step: u64) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(step);
        let words = self.count * self.length.div_ceil(64);
        self.signs.clear();
        self.signs.extend(std::iter::repeat_with(|| random.next_u64()).take(words));
    }

    /// The entries of a direction.
    fn of(&self, number: usize) -> impl Iterator<Item = f64> + '_ {
        let words = self.length.div_ceil(64);
        let signs = &self.signs[number * words..(number + 1) * words];
        (0..self.length).map(|i| if signs[i / 64] >> (i % 64) & 1 == 1 { 1.0 } else { -1.0 })
    }

    /// point = θ + s·u.
    fn look(&mut self, number: usize, s: f64, θ: &[f64]) {
        let mut point = std::mem::take(&mut self.point);
        point.iter_mut().zip(θ).zip(self.of(number)).for_each(|((point, θ), u)| *point = θ + s * u);
        self.point = point;
    }

    /// θ ← θ + Uᵀc/√K; says how far that is.
    fn add(&mut self, c: &[f64], θ: &mut [f64]) -> f64 {
        let mut step = std::mem::take(&mut self.point);
        step.fill(0.0);
        let share = 1.0 / (self.count as f64).sqrt();
        for (number, c) in c.iter().enumerate() {
            step.iter_mut().zip(self.of(number)).for_each(|(step, u)| *step += share * c * u);
        }
        crate::linalg::add_scaled(θ, 1.0, &step);
        self.point = step;
        crate::linalg::norm(&self.point)
    }
}

/// A problem as a function of c, around c = 0.
struct Along<'a> {
    problem: &'a mut dyn ConstrainedProblem,
    θ: &'a [f64],
    directions: &'a mut Directions,
    ends: &'a mut [Evaluation; 2],
    lengths: &'a mut [f64],
    radius: f64,
}

impl ConstrainedProblem for Along<'_> {
    fn parameters(&self) -> usize {
        self.directions.count
    }

    fn constraints(&self) -> usize {
        self.problem.constraints()
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        self.problem.constraint_blocks()
    }

    fn equations(&self) -> Vec<usize> {
        self.problem.equations()
    }

    /// At c = 0, where `fl` asks for everything in one evaluation.
    fn evaluate(&mut self, _c: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let Self { problem, θ, directions, ends, lengths, radius } = self;
        problem.evaluate(θ, Want::Values, &mut ends[0]);
        out.objective = ends[0].objective;
        out.constraints.copy_from_slice(&ends[0].constraints);
        if want == Want::Values {
            return;
        }
        let count = directions.count;
        let scale = 1.0 / (2.0 * *radius * (count as f64).sqrt());
        for number in 0..count {
            for (end, side) in ends.iter_mut().zip([*radius, -*radius]) {
                directions.look(number, side, θ);
                problem.evaluate(&directions.point, Want::Values, end);
            }
            let [ahead, behind] = &**ends;
            out.gradient[number] = scale * (ahead.objective - behind.objective);
            let rows = out.jacobian.rows_mut();
            for (i, (ahead, behind)) in ahead.constraints.iter().zip(&behind.constraints).enumerate() {
                rows[i * count + number] = scale * (ahead - behind);
            }
        }
        for (row, length) in out.jacobian.rows_mut().chunks_exact_mut(count).zip(lengths.iter_mut()) {
            drop_rounding(row, length);
        }
    }
}

/// A row whose squared length is below this share of what it was of late is rounding.
const ROUNDING: f64 = 1e-16;
/// What a step leaves of the length that is remembered, so that a constraint that flattens out is not lost
/// for good.
const KEPT: f64 = 0.99;

/// Where all directions leave a constraint as it is (few of them in few coordinates may), differences are
/// rounding, and a controller that takes it for a gradient divides by it.
fn drop_rounding(row: &mut [f64], length: &mut f64) {
    let squared = crate::linalg::dot(row, row);
    if squared < ROUNDING * *length {
        row.fill(0.0);
    }
    // A number that is not finite is not to be remembered.
    if squared.is_finite() {
        *length = squared.max(KEPT * *length);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::problems::{hs40, hs77};
    use super::*;

    /// Nothing but values is asked for, and of those twice as many as directions and one.
    #[test]
    fn values_are_all_it_needs() {
        let mut problem = hs40();
        let settings = FlZerothSettings { directions: 7, ..FlZerothSettings::default() };
        let mut method = FlZeroth::new(settings, 4, 3, 3);
        let mut θ = problem.start.clone();
        (0..3).for_each(|_| _ = method.step(&mut problem, &mut θ));
        assert_eq!(problem.calls, [45, 0]);
    }

    /// However few the directions, h falls by the share that was asked for.
    #[test]
    fn constraints_contract_as_if_their_gradients_were_known() {
        for directions in [2, 3, 50] {
            let mut problem = hs77();
            let feedback =
                Feedback { gain: 1.0, damping: super::super::Damping::Absolute(0.0), ..Feedback::default() };
            let fl = FlSettings { rate: Rate::constant(1e-5), feedback, clip: None };
            let settings = FlZerothSettings { fl, directions, ..FlZerothSettings::default() };
            let mut θ = problem.start.clone();
            let before = problem.at(&θ).constraints;
            FlZeroth::new(settings, 5, 2, 1).step(&mut problem, &mut θ);
            let after = problem.at(&θ).constraints;
            for (before, after) in before.iter().zip(&after) {
                // A step of 1e-5 times gradients of a few hundred, squared, and differences to 1e-6.
                assert!((1.0 - after / before - 1e-5).abs() < 1e-6, "{directions}: {before} to {after}");
            }
        }
    }

    #[test]
    fn directions_are_signs_of_their_own_for_every_step_and_seed() {
        let draw = |seed, step| {
            let mut directions = Directions::new(3, 70);
            directions.draw(seed, step);
            let mut all: Vec<f64> =
                (0..3).flat_map(|number| directions.of(number).collect::<Vec<_>>()).collect();
            assert!(all.iter().all(|u| u.abs() == 1.0));
            // Five standard deviations of a sum of 210 signs.
            assert!(all.iter().sum::<f64>().abs() < 73.0);
            directions.look(1, 0.5, &[1.0; 70]);
            assert!(directions.point.iter().zip(&all[70..]).all(|(x, u)| *x == 1.0 + 0.5 * u));
            all.push(seed as f64);
            all
        };
        assert_eq!(draw(0, 4), draw(0, 4));
        assert!(draw(0, 4)[..210] != draw(0, 5)[..210] && draw(0, 4)[..210] != draw(1, 4)[..210]);
    }
}
