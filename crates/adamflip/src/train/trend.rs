//! Do the losses still fall? Running means over the steps of a stage, robust to single steps and fresh
//! points.

use crate::objective::ResidualStats;
use crate::optim::StepReport;
use crate::problem::{Problem, Role};

/// A mean over about the last `window` numbers, without bias from the first on. What is not finite does not
/// count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mean {
    keep: f64,
    sum: f64,
    weight: f64,
}

impl Mean {
    pub(super) fn over(window: usize) -> Self {
        Self { keep: 1.0 - 1.0 / window.max(1) as f64, sum: 0.0, weight: 0.0 }
    }

    pub(super) fn add(&mut self, x: f64) {
        if x.is_finite() {
            (self.sum, self.weight) = (self.keep * self.sum + x, self.keep * self.weight + 1.0);
        }
    }

    /// The mean; not a number before the first.
    pub(super) fn value(&self) -> f64 {
        self.sum / self.weight
    }

    fn numbers(&self) -> [f64; 2] {
        [self.sum, self.weight]
    }

    fn restore(&mut self, next: &mut impl FnMut() -> f64) {
        (self.sum, self.weight) = (next(), next());
    }
}

/// The logarithm of a loss over the last twentieth and the last quarter of a stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trend {
    recent: Mean,
    longer: Mean,
}

impl Trend {
    pub(super) fn over(steps: usize) -> Self {
        Self { recent: Mean::over(steps / 20), longer: Mean::over(steps / 4) }
    }

    pub(super) fn add(&mut self, loss: f64) {
        [&mut self.recent, &mut self.longer].into_iter().for_each(|mean| mean.add(loss.ln()));
    }

    /// Has it come down by a twentieth at least? The means lie a fifth of the stage apart, so over the whole
    /// stage that is a quarter.
    pub(super) fn falls(&self) -> bool {
        self.ratio() < 0.95
    }

    /// The latest mean over the longer one.
    fn ratio(&self) -> f64 {
        (self.recent.value() - self.longer.value()).exp()
    }
}

/// What a stage was like so far.
#[derive(Clone, Debug)]
pub(super) struct Trends {
    /// Steps so far.
    pub(super) count: usize,
    /// The mean square of every term.
    pub(super) terms: Vec<Trend>,
    /// The reductions of ‖h‖ that steps promised and brought.
    pub(super) predicted: Mean,
    pub(super) actual: Mean,
    /// The last condition number and rank that were asked for.
    pub(super) condition: f64,
    pub(super) rank: f64,
}

impl Trends {
    /// For a stage of this many steps.
    pub(super) fn new(problem: &Problem, steps: usize) -> Self {
        let mean = Mean::over(steps / 20);
        let terms = vec![Trend::over(steps); problem.terms.len()];
        Self { count: 0, terms, predicted: mean, actual: mean, condition: f64::NAN, rank: f64::NAN }
    }

    pub(super) fn add(&mut self, report: &StepReport, misfits: &[ResidualStats]) {
        self.count += 1;
        self.terms.iter_mut().zip(misfits).for_each(|(trend, misfit)| trend.add(misfit.mse));
        self.predicted.add(report.predicted);
        self.actual.add(report.actual);
        if !report.rank.is_nan() {
            (self.condition, self.rank) = (report.condition, report.rank);
        }
    }

    /// What changes from step to step, as numbers.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let mut numbers = vec![self.count as f64, self.condition, self.rank];
        let means = self.terms.iter().flat_map(|trend| [&trend.recent, &trend.longer]);
        numbers.extend([&self.predicted, &self.actual].into_iter().chain(means).flat_map(Mean::numbers));
        numbers
    }

    /// Takes them back, in the same order.
    pub(super) fn restore(&mut self, next: &mut impl FnMut() -> f64) {
        (self.count, self.condition, self.rank) = (next() as usize, next(), next());
        let means = self.terms.iter_mut().flat_map(|trend| [&mut trend.recent, &mut trend.longer]);
        [&mut self.predicted, &mut self.actual].into_iter().chain(means).for_each(|mean| mean.restore(next));
    }

    /// Has the loss of an objective come down to half between the last quarter of the stage and its last
    /// twentieth?
    pub(super) fn falls_fast(&self, problem: &Problem) -> bool {
        let mut terms = self.terms.iter().zip(&problem.terms);
        terms.any(|(trend, term)| term.role == Role::Objective && trend.ratio() < 0.5)
    }

    /// Has the loss of one of the terms that count come down to this share between the last quarter of the
    /// stage and its last twentieth?
    pub(super) fn comes_down(&self, to: f64, counts: impl Fn(usize) -> bool) -> bool {
        self.terms.iter().enumerate().any(|(term, trend)| counts(term) && trend.ratio() < to)
    }

    /// Does any loss fall by so much that the next steps are worth taking: by a fifth between the last
    /// quarter of the stage and its last twentieth?
    pub(super) fn still_falls(&self) -> bool {
        self.terms.iter().any(|trend| trend.ratio() < 0.8)
    }

    /// The names of the terms of a role that still fall, where more steps bring something: they are a part of
    /// all losses that counts, and either all losses together fall too, or these fall fast.
    pub(super) fn worth_more<'a>(&self, problem: &'a Problem, role: Role) -> Vec<&'a str> {
        let terms = || problem.terms.iter().zip(&self.terms);
        let sum = |mean: fn(&Trend) -> f64| -> f64 {
            let losses = terms().map(|(term, trend)| term.weight * mean(trend).exp());
            losses.filter(|loss| loss.is_finite()).sum()
        };
        let (recent, longer) = (sum(|trend| trend.recent.value()), sum(|trend| trend.longer.value()));
        let counts = |(term, trend): &(&crate::problem::Term, &Trend)| {
            term.weight * trend.recent.value().exp() >= PART * recent
                && (recent < 0.99 * longer || trend.ratio() < 0.8)
        };
        let falling = terms().filter(|(term, trend)| term.role == role && trend.falls());
        falling.filter(counts).map(|(term, _)| term.name.as_str()).collect()
    }
}

/// The share of all losses below which that of a term does not count: a tenth in the residuals.
const PART: f64 = 1e-2;

/// An improvement that counts, relative to the best so far.
const IMPROVEMENT: f64 = 1e-3;

/// How long nothing may improve: neither the objective nor the violation, each on average over a tenth of the
/// patience.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    steps: usize,
    tracks: [(Mean, f64); 2],
    /// Steps since the last improvement.
    since: usize,
}

impl Patience {
    pub(super) fn new(steps: usize) -> Self {
        Self { steps, tracks: [(Mean::over(steps / 10), f64::INFINITY); 2], since: 0 }
    }

    /// Takes in a step; true when the patience is over.
    pub(super) fn over(&mut self, problem: &Problem, misfits: &[ResidualStats]) -> bool {
        self.since += 1;
        for ((mean, best), role) in self.tracks.iter_mut().zip([Role::Objective, Role::Constraint]) {
            let terms = problem.terms.iter().zip(misfits).filter(|(term, _)| term.role == role);
            mean.add(terms.map(|(term, misfit)| term.weight * misfit.mse).sum());
            if mean.value() < (1.0 - IMPROVEMENT) * *best {
                (*best, self.since) = (mean.value(), 0);
            }
        }
        self.since >= self.steps
    }

    /// What changes from step to step, as numbers.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let tracks = self.tracks.iter().flat_map(|(mean, best)| [mean.sum, mean.weight, *best]);
        std::iter::once(self.since as f64).chain(tracks).collect()
    }

    /// Takes them back, in the same order.
    pub(super) fn restore(&mut self, next: &mut impl FnMut() -> f64) {
        self.since = next() as usize;
        for (mean, best) in &mut self.tracks {
            mean.restore(next);
            *best = next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_no_bias_and_forget() {
        let mut mean = Mean::over(10);
        assert!(mean.value().is_nan());
        mean.add(3.0);
        mean.add(f64::NAN);
        // One number is its own mean, but for rounding.
        assert!((mean.value() - 3.0).abs() < 1e-15);
        (0..200).for_each(|_| mean.add(1.0));
        // 2·0.9²⁰⁰ is 1e-9.
        assert!((mean.value() - 1.0).abs() < 1e-8);
    }

    #[test]
    fn a_falling_loss_is_told_from_a_noisy_flat_one() {
        let trend = |loss: &dyn Fn(usize) -> f64| {
            let mut trend = Trend::over(1000);
            (0..1000).for_each(|step| trend.add(loss(step)));
            trend.falls()
        };
        assert!(trend(&|step| (-0.002 * step as f64).exp()));
        // Noise of ±20%, always the same numbers.
        let noise = |step: usize| 1.0 + 0.2 * ((step * 7919) as f64).sin();
        assert!(!trend(&noise));
        assert!(!trend(&|step| if step < 500 { 1.0 } else { 1.5 }));
        assert!(trend(&|step| noise(step) * (-0.002 * step as f64).exp()));
    }
}
