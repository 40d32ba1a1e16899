//! Attempts: a run that ends without an answer starts again elsewhere.
//!
//! An attempt that fails by its own measures ([`Quality`]) is followed by a round of *scouts*: short runs of
//! the warm start and a soft stage, each from another seed and other values of the unknowns. The best of them
//! goes on through the last stage; at the end the best of all attempts is kept. Where there is a time, it is
//! looked at after a share of it, so that time is left for others; where its losses still fall, it goes on.
//!
//! ```text
//! attempt ─ fails ─→ scout 1 … scout n ─→ the best of them ─ fails ─→ another round, or a wider network
//!         ─ is an answer, but the losses stand still ─→ a wider network ─→ the end
//! ```
//!
//! An attempt with seed s is what a run with seed s would be, to the bit: its steps and draws of points are
//! counted from its own beginning. So the stages, seed and start values of the attempt that was kept are a
//! plan that finds the same again (`written`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::held::Held;
use super::quality::Quality;
use super::{Share, Status, Trainer, Why, model, points};
use crate::objective::Objective;
use crate::problem::plan::{Piece, is_default, pieced};
use crate::problem::{Stage, Unknown};
use crate::spec::Planned;

/// Rounds in a run that has a time to use up, and in one that has none.
const ROUNDS_IN_TIME: usize = 4;
const ROUNDS: usize = 1;
/// The share of the time after which the first attempt is looked at, the share of what is left then for the
/// next look, and the most looks.
const FIRST_LOOK: f64 = 0.4;
const NEXT_LOOK: f64 = 0.5;
const LOOKS: usize = 3;
/// The share of the time left that all scouts of a round may take.
const SCOUTING: f64 = 0.5;
/// Parts of the time of windows and constants have smaller numbers.
const PARTS: usize = 1 << 32;
/// Losses that came down to this over the last fifth of a stage are on their way.
const PROMISING: f64 = 0.8;

/// Something that the plan decided, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Steps of the run before it.
    pub step: usize,
    /// In words.
    pub text: String,
}

impl Decision {
    pub(super) fn new(step: usize, text: String) -> Self {
        Self { step, text }
    }
}

/// Where a watched plan stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attempts {
    /// The seed of the current attempt, where it is not that of the run.
    pub(super) seed: Option<u64>,
    /// The first values of the unknowns, where they are not those of the file.
    pub(super) starts: Vec<f64>,
    /// Steps of the run before the current attempt.
    pub(super) origin: usize,
    /// Rounds of scouts so far, and the scout that is on its way.
    pub(super) rounds: usize,
    pub(super) scout: Option<usize>,
    /// Looks at the current attempt, and the parts of time so far.
    pub(super) looks: usize,
    pub(super) parts: usize,
    /// Is the current attempt an answer, so that nobody needs to look again?
    pub(super) is_answer: bool,
    /// The stages, where they are not those of the plan.
    pub(super) pieces: Vec<Piece>,
    /// Stages of the current attempt that have ended, with their steps.
    pub(super) taken: Vec<(Piece, usize)>,
    /// The widths of the hidden layers, where the network has grown.
    pub(super) hidden: Vec<usize>,
    /// The best full attempt that has ended, and the best scout of the round.
    pub(super) best: Option<Kept>,
    pub(super) scouted: Option<Kept>,
    /// What was decided.
    pub(super) decisions: Vec<Decision>,
}

/// An attempt that may be gone back to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) seed: Option<u64>,
    pub(super) starts: Vec<f64>,
    pub(super) pieces: Vec<Piece>,
    pub(super) taken: Vec<(Piece, usize)>,
    pub(super) quality: Quality,
    /// In a file of its own list.
    #[serde(skip)]
    pub(super) θ: Vec<f64>,
}

impl Attempts {
    /// The seed of the current attempt of a run with this seed.
    pub fn seed_of(&self, run: u64) -> u64 {
        self.seed.unwrap_or(run)
    }

    /// The widths to which the network has grown; empty where it has not.
    pub fn widths(&self) -> &[usize] {
        &self.hidden
    }

    pub(super) fn decide(&mut self, decision: Decision) {
        self.decisions.push(decision);
    }

    pub(super) fn growths(&self) -> usize {
        self.pieces.iter().filter(|piece| matches!(piece, Piece::Grown(_))).count()
    }

    /// The lists of numbers of the attempts that are kept.
    pub(super) fn lists(&self) -> [Vec<f64>; 2] {
        [&self.best, &self.scouted].map(|kept| kept.as_ref().map(|kept| kept.θ.clone()).unwrap_or_default())
    }

    /// Takes them back; false where one is missing or of another length.
    #[must_use]
    pub(super) fn set_lists(&mut self, lists: [Vec<f64>; 2], parameters: usize) -> bool {
        let mut fits = true;
        for (kept, list) in [&mut self.best, &mut self.scouted].into_iter().zip(lists) {
            fits &= list.len() == if kept.is_some() { parameters } else { 0 };
            kept.iter_mut().for_each(|kept| kept.θ.clone_from(&list));
        }
        fits
    }
}

impl Trainer {
    /// What the plan decided so far, and why.
    pub fn decisions(&self) -> &[Decision] {
        &self.attempts.decisions
    }

    /// Does the plan watch itself? Not where stages or their number were asked for, nor where one state
    /// cannot be held against another: in windows and with constants that come to their value step by step.
    pub(super) fn is_watched(&self) -> bool {
        let ours = self.problem.train.plan == Planned::Auto && is_default(&self.plan) && !self.extended;
        let curved = self.plan.last().is_some_and(|stage| stage.method.uses_curvature());
        ours && curved && self.is_single()
    }

    /// Is there one network for one problem, from the beginning to the end?
    pub(super) fn is_single(&self) -> bool {
        self.marching.is_none() && self.problem.continuation.is_empty()
    }

    /// Can it start again? A problem that can be cut into windows is cut instead, and one that started from
    /// another solution has its start.
    pub(super) fn may_restart(&self) -> bool {
        let rounds = if self.problem.train.max_seconds.is_some() { ROUNDS_IN_TIME } else { ROUNDS };
        let cut = self.problem.windows.is_some() || self.problem.train.start.is_some();
        self.is_watched() && !cut && self.attempts.growths() == 0 && self.attempts.rounds < rounds
    }

    /// The share of the time until the next look.
    pub(super) fn look_share(&self) -> Option<Share> {
        let Attempts { scout, looks, parts, is_answer, rounds, .. } = self.attempts;
        let number = PARTS + parts;
        if let (Some(scout), true) = (scout, self.is_watched()) {
            let share = SCOUTING / self.scouts() as f64;
            return Some(Share { number, of: share / (1.0 - scout as f64 * share) });
        }
        let of = if looks == 0 && rounds == 0 { FIRST_LOOK } else { NEXT_LOOK };
        (!is_answer && looks < LOOKS && self.may_restart()).then_some(Share { number, of })
    }

    /// The kind of the current stage.
    pub(super) fn piece(&self) -> Piece {
        self.attempts.pieces.get(self.stage).cloned().unwrap_or(Piece::Planned(self.stage))
    }

    /// Remembers how many steps the current stage took.
    pub(super) fn note_stage(&mut self) {
        let (piece, steps) = (self.piece(), self.course.as_ref().map_or(0, |course| course.taken));
        if steps > 0 {
            self.attempts.taken.push((piece, steps));
        }
    }

    /// The stages of the current attempt with the steps that it took in each.
    pub(super) fn stages_taken(&self) -> Vec<(Stage, usize)> {
        let now = self.course.as_ref().map(|course| (self.piece(), course.taken));
        let all = self.attempts.taken.iter().cloned().chain(now.filter(|(_, steps)| *steps > 0));
        all.filter_map(|(piece, steps)| Some((piece.stage(&self.plan)?, steps))).collect()
    }

    /// The unknowns with the values from which the current attempt started.
    pub(super) fn starts(&self) -> impl Iterator<Item = (&Unknown, f64)> {
        self.problem.unknowns.iter().zip(self.attempts.starts.iter().copied())
    }

    /// After the share of an attempt: it goes on, or the next begins. False where no share is given.
    pub(super) fn looked_at(&mut self) -> bool {
        if !self.is_watched() {
            return false;
        }
        (self.attempts.parts, self.attempts.looks) = (self.attempts.parts + 1, self.attempts.looks + 1);
        if self.stage + 1 < self.stages.len() {
            return true;
        }
        let quality = self.quality(true);
        self.attempts.is_answer = !quality.fails();
        if !self.attempts.is_answer && !self.is_promising(&quality) {
            self.starts_again(&quality);
        }
        true
    }

    /// At the end of an attempt that has steps or time left: another, or a wider network.
    pub(super) fn goes_further(&mut self, status: Status) -> bool {
        if !self.is_watched() || matches!(self.why, Why::Accurate | Why::HeldOut) || self.stages.is_empty() {
            return false;
        }
        let quality = self.quality(true);
        let is_lost = status == Status::Diverged;
        (is_lost || quality.fails()) && self.starts_again(&quality) || !is_lost && self.grows(&quality)
    }

    /// Do the losses that count still come down?
    fn is_promising(&self, quality: &Quality) -> bool {
        let counts = |term: usize| !quality.misses_data() || !self.problem.terms[term].measured().is_empty();
        self.course.as_ref().is_some_and(|course| course.trends.comes_down(PROMISING, counts))
    }

    pub(super) fn decide(&mut self, text: String) {
        let decision = Decision::new(self.step, text);
        self.attempts.decide(decision);
    }

    /// The current attempt as it stands.
    pub(super) fn kept(&mut self, quality: Quality) -> Kept {
        self.note_stage();
        let Attempts { seed, starts, pieces, taken, .. } = &self.attempts;
        let (starts, pieces, taken) = (starts.clone(), pieces.clone(), taken.clone());
        Kept { seed: *seed, starts, pieces, taken, quality, θ: self.θ.clone() }
    }

    pub(super) fn keep_if_best(&mut self, quality: Quality) {
        if self.attempts.best.as_ref().is_none_or(|best| quality.rank() < best.quality.rank()) {
            self.attempts.best = Some(self.kept(quality));
        }
    }

    /// Takes up an attempt where it was left; its last stage starts again.
    pub(super) fn go_back(&mut self, kept: Kept) -> bool {
        self.attempts.pieces = kept.pieces;
        if !self.enter_attempt(kept.seed, kept.starts) {
            return false;
        }
        let steps: usize = kept.taken.iter().map(|(_, steps)| steps).sum();
        self.attempts.origin = self.step.saturating_sub(steps);
        (self.attempts.scout, self.attempts.taken) = (None, kept.taken);
        self.θ = kept.θ;
        (self.start, self.last_finite) = (self.θ.clone(), self.θ.clone());
        self.stage = self.stages.len() - 1;
        self.redraw();
        true
    }

    /// Begins a run within the run, with this seed and these first values of unknowns; false where it has no
    /// points.
    pub(super) fn enter_attempt(&mut self, seed: Option<u64>, starts: Vec<f64>) -> bool {
        (self.attempts.seed, self.attempts.starts) = (seed, starts);
        self.seed = self.attempts.seed_of(self.asked_seed);
        self.attempts.taken.clear();
        if !self.take_up_stages() {
            return false;
        }
        (self.attempts.origin, self.before) = (self.step, self.step);
        (self.stage, self.until, self.course, self.optimizer) = (0, None, None, None);
        self.early.clear();
        true
    }

    /// The stages, points and networks of the current attempt, from its beginning; false where it has no
    /// points.
    pub(super) fn take_up_stages(&mut self) -> bool {
        if !self.attempts.pieces.is_empty() {
            self.stages = pieced(&self.plan, &self.attempts.pieces);
        }
        let Ok(mut points) = points::first(&self.problem, self.seed) else { return false };
        self.held = Held::new(&self.problem, &self.plan, self.seed, &mut points);
        let (model, mut θ) = model(&self.problem, self.seed);
        let first = θ.len() - self.problem.unknowns.len();
        for ((unknown, start), parameter) in self.starts().zip(&mut θ[first..]) {
            *parameter = Unknown { start, ..unknown.clone() }.parameter();
        }
        self.objective = Objective::new(&self.problem, Arc::new(model), &points);
        (self.start, self.last_finite) = (θ.clone(), θ.clone());
        (self.points, self.θ) = (points, θ);
        true
    }

    /// One more stage after the last, and goes on to it.
    pub(super) fn append(&mut self, piece: Piece) {
        self.note_stage();
        if self.attempts.pieces.is_empty() {
            self.attempts.pieces = (0..self.plan.len()).map(Piece::Planned).collect();
        }
        self.attempts.pieces.push(piece);
        self.stages = pieced(&self.plan, &self.attempts.pieces);
        (self.stage, self.until) = (self.stages.len() - 1, None);
        (self.course, self.optimizer) = (None, None);
    }
}
