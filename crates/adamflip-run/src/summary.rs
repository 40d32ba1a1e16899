//! What a run came to: the last JSON line, `summary.json`, and the table for people.

mod answer;
mod certificate;
mod expected;
pub(crate) mod stored;
mod tolerance;
mod unknown;
mod warning;
mod windows;

use std::path::Path;

use adamflip::certificate::{Certificate, Violation};
use adamflip::evaluate::FieldError;
use adamflip::objective::ResidualStats;
use adamflip::optim::End;
use adamflip::problem::{Problem, Term, plan};
use adamflip::train::{Active, Decision, StageEnd, Status, Trainer, Why};
use adamflip::uncertainty::{Assessment, MOST_PARAMETERS, unexplained};
use serde::Serialize;

use crate::ordered::Ordered;
use crate::session::Time;
use crate::words::{counted, role_name, short, text_table};
use answer::{Answer, Evidence};
use certificate::CertificateSummary;
use expected::{Expected, expected};
use tolerance::ToleranceSummary;
pub(crate) use unknown::Known;
use unknown::{UnknownSummary, unknowns};
use warning::Caution;
pub use warning::text as warning_text;
use windows::Windows;

/// The summary of a run, in the shape of the contract.
#[derive(Serialize)]
pub struct Summary {
    event: &'static str,
    problem: String,
    method: &'static str,
    seed: u64,
    steps: usize,
    status: &'static str,
    /// Whether the answer can be used, and why.
    answer: Answer,
    seconds: f64,
    /// The same summed over all processors; only known of a run in one session.
    #[serde(skip_serializing_if = "Option::is_none")]
    processor_seconds: Option<f64>,
    ms_per_step: f64,
    rel_l2: Ordered<f64>,
    /// The relative L2 errors that are expected without a look at the reference.
    estimate: Ordered<Expected>,
    terms: Ordered<TermSummary>,
    certificate: CertificateSummary,
    unknowns: Ordered<UnknownSummary>,
    run: String,
    /// What the status means and what to do about it.
    advice: String,
    /// Stages that ended before their last step, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    early_ends: Vec<EarlyEnd>,
    /// What the plan decided, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decisions: Vec<Decision>,
    /// Windows of time that were solved one after the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    windows: Option<Windows>,
    warnings: Vec<Caution>,
    /// Data that the solution does not explain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unexplained: Vec<String>,
    #[serde(skip)]
    outcome: Status,
    /// Is there no answer after a run that was to give one?
    #[serde(skip)]
    is_missing: bool,
}

#[derive(Serialize)]
struct TermSummary {
    role: &'static str,
    mse: f64,
    max: f64,
    /// Only where the file asks for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerance: Option<ToleranceSummary>,
    /// On points that training never saw.
    fresh: Fresh,
    /// Of inequalities with multipliers: at how many points of training they hold something back.
    #[serde(skip_serializing_if = "Option::is_none")]
    active: Option<ActiveSummary>,
}

#[derive(Serialize)]
struct ActiveSummary {
    points: usize,
    of: usize,
    largest_multiplier: f64,
}

#[derive(Serialize)]
struct Fresh {
    points: usize,
    rms: f64,
    max: f64,
    /// With 95% confidence the root mean square over the whole place is below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    rms_bound: Option<f64>,
    /// With 95% confidence `max` is exceeded on less than this share of the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    exceeded_share: Option<f64>,
}

impl Summary {
    /// What a trainer came to by the method of its plan, how it ended and how long it took.
    pub(crate) fn of(
        trainer: &mut Trainer,
        method: &'static str,
        (outcome, time): (Status, Time),
        (errors, certificate, assessment): (&[FieldError], &Certificate, &Assessment),
        run: &Path,
    ) -> Self {
        let misfits = trainer.misfits();
        let problem = trainer.problem();
        // A run that ended early was trained by an earlier one.
        let method = match trainer.stages().get(trainer.stage()) {
            Some(stage) if trainer.steps_taken() > 0 => stage.method.name(),
            _ => method,
        };
        let field = |error: &FieldError| (problem.fields[error.field].clone(), error.relative_l2);
        let measured: Ordered<f64> = errors.iter().map(field).collect();
        let estimate = expected(problem, &assessment.estimates);
        let unexplained: Vec<String> =
            unexplained(&trainer.state()).iter().map(|term| term.name.clone()).collect();
        let windows = Windows::of(trainer);
        let seen = Evidence {
            outcome,
            shortfall: trainer.shortfall(),
            steps: trainer.steps_taken(),
            our_plan: plan::is_default(trainer.stages()),
            measured: &measured,
            estimate: &estimate,
            unexplained: &unexplained,
        };
        let answer = Answer::of(&seen);
        let is_missing = answer.is_missing(&seen);
        Self {
            event: "summary",
            problem: problem.name.clone(),
            method,
            seed: trainer.seed(),
            steps: trainer.steps_taken(),
            status: outcome.name(),
            seconds: time.seconds,
            processor_seconds: time.processor,
            ms_per_step: 1e3 * time.seconds / trainer.steps_taken().max(1) as f64,
            rel_l2: measured,
            estimate,
            answer,
            terms: terms(problem, &misfits, &certificate.violations, &trainer.active()),
            certificate: CertificateSummary::of(certificate),
            unknowns: unknowns(problem, trainer.θ(), &assessment.intervals),
            run: run.to_string_lossy().into_owned(),
            advice: trainer.advice(outcome),
            early_ends: trainer.early_ends().iter().map(|end| EarlyEnd::of(end, trainer)).collect(),
            decisions: trainer.decisions().to_vec(),
            windows,
            warnings: trainer.warnings().iter().map(Caution::of).collect(),
            unexplained,
            outcome,
            is_missing,
        }
    }

    /// How training ended.
    pub fn status(&self) -> Status {
        self.outcome
    }

    /// Did the run reach its goal: every tolerance is met, and there is an answer where there was to be one?
    pub fn is_met(&self) -> bool {
        let missed = |term: &TermSummary| term.tolerance.as_ref().is_some_and(|verdict| !verdict.met);
        let fails = self.outcome == Status::Diverged || self.is_missing;
        !(fails || self.terms.0.iter().any(|(_, term)| missed(term)))
    }

    /// The table for people, with what happened and where the results are.
    pub fn table(&self, threads: usize) -> String {
        let header = ["term", "role", "mse", "max", "fresh rms", "fresh max", "tolerance"];
        let row = |(name, term): &(String, TermSummary)| {
            let tolerance = term.tolerance.as_ref().map_or(String::new(), ToleranceSummary::text);
            let numbers = [term.mse, term.max, term.fresh.rms, term.fresh.max].map(short);
            let cells = [name.clone(), term.role.into()].into_iter().chain(numbers).chain([tolerance]);
            cells.collect::<Vec<String>>()
        };
        let table = text_table(&header, self.terms.0.iter().map(row), 2..=5);
        format!("{table}\n\n{}", self.lines(threads).join("\n"))
    }

    /// The errors that were measured, and those that are expected.
    fn errors(&self) -> Vec<String> {
        let joined = |list: Vec<String>| list.join(", ");
        let measured = self.rel_l2.0.iter().map(|(name, e)| format!("{name} {}", short(*e))).collect();
        let expected =
            self.estimate.0.iter().map(|(name, e)| format!("{name} {}", short(e.rel_l2))).collect();
        let [measured, expected]: [Vec<String>; 2] = [measured, expected];
        let mut lines = Vec::new();
        if !measured.is_empty() {
            lines.push(format!(" relative L2 error  {}", joined(measured)));
        }
        if expected.is_empty() {
            lines.push(format!(
                " estimated error    none: it is made for up to {MOST_PARAMETERS} parameters and finite residuals"
            ));
        } else {
            lines.push(format!(" estimated error    {} (without the reference)", joined(expected)));
            let mut doubts: Vec<(&str, Vec<&str>)> = Vec::new();
            for (name, doubt) in
                self.estimate.0.iter().flat_map(|(n, e)| e.doubts.iter().map(move |d| (n, d)))
            {
                match doubts.iter_mut().find(|(known, _)| known == doubt) {
                    Some((_, names)) => names.push(name),
                    None => doubts.push((doubt, vec![name])),
                }
            }
            let said = |(doubt, names): (&str, Vec<&str>)| {
                format!(" doubtful           {}: {doubt}", names.join(", "))
            };
            lines.extend(doubts.into_iter().map(said));
        }
        lines
    }

    fn lines(&self, threads: usize) -> Vec<String> {
        let mut lines = vec![format!(" answer             {}", self.answer.text)];
        lines.extend(self.errors());
        for (name, unknown) in &self.unknowns.0 {
            lines.push(format!(" {name:<17}  {}", unknown.text()));
            lines.extend(unknown.trouble(name).map(|text| format!(" warning            {text}")));
        }
        for term in &self.unexplained {
            lines.push(format!(
                " warning            the data of `{term}` are not explained: of one quantity more than half of its size is left; start \
                 unknowns nearer, or look at the equations"
            ));
        }
        let threads = counted(threads, "thread");
        lines.push(format!(
            " time               {:.1} s: {} steps, {:.3} ms a step, {threads}",
            self.seconds, self.steps, self.ms_per_step
        ));
        for EarlyEnd { method, step, reason, next, .. } in &self.early_ends {
            lines.push(format!(
                " stage              `{method}` ended at step {step}: {reason}; `{next}` came next"
            ));
        }
        lines.extend(
            self.decisions
                .iter()
                .map(|Decision { step, text }| format!(" plan               step {step}: {text}")),
        );
        lines.extend(self.windows.iter().map(|windows| format!(" windows            {}", windows.text())));
        lines.push(format!(" status             {}", self.advice));
        for (name, term) in &self.terms.0 {
            let missed = term.tolerance.as_ref().filter(|verdict| !verdict.met);
            lines.extend(missed.map(|verdict| format!(" tolerance          {}", verdict.missed(name))));
        }
        for (name, term) in &self.terms.0 {
            lines.extend(term.active.as_ref().map(|active| {
                let ActiveSummary { points, of, largest_multiplier } = active;
                let most = short(*largest_multiplier);
                format!(" active             {name}: at {points} of {of} points, multipliers up to {most}")
            }));
        }
        lines.extend(self.certificate.lines());
        lines.push(format!(" run                {}", self.run));
        lines
    }
}

/// A stage that ended before its last step.
#[derive(Serialize)]
struct EarlyEnd {
    method: String,
    step: usize,
    status: &'static str,
    reason: &'static str,
    /// The method of the next stage.
    next: &'static str,
}

impl EarlyEnd {
    fn of(end: &StageEnd, trainer: &Trainer) -> Self {
        let reason = match (end.status, end.why) {
            (_, Why::Method(End::Infeasible)) => "the constraints contradict each other here",
            (_, Why::Method(End::NoProgress)) => "it found no better step",
            (Status::Converged, _) => "it converged",
            _ => "nothing improved any more",
        };
        let next = trainer.stages().get(end.stage + 1).map_or("nothing", |stage| stage.method.name());
        Self { method: end.method.clone(), step: end.step, status: end.status.name(), reason, next }
    }
}

fn terms(
    problem: &Problem,
    misfits: &[ResidualStats],
    violations: &[Violation],
    active: &[Active],
) -> Ordered<TermSummary> {
    let summary = |(((number, term), misfit), violation): (((usize, &Term), &ResidualStats), &Violation)| {
        let tolerance = ToleranceSummary::of(problem, violation);
        let role = role_name(term.role);
        let fresh = Fresh {
            points: violation.points,
            rms: violation.rms(),
            max: violation.max,
            rms_bound: violation.rms_bound(),
            exceeded_share: violation.exceeded_share,
        };
        let active = active.iter().find(|active| active.term == number).map(|active| ActiveSummary {
            points: active.active,
            of: active.of,
            largest_multiplier: active.multiplier,
        });
        (term.name.clone(), TermSummary { role, mse: misfit.mse, max: misfit.max, tolerance, fresh, active })
    };
    problem.terms.iter().enumerate().zip(misfits).zip(violations).map(summary).collect()
}
