//! Scouts: short tries where an attempt is no answer, and the choice among all attempts at the end.
//!
//! A scout takes the warm start and a soft stage, from another seed and other values of the unknowns. The
//! best of a round goes on through the last stage, and at the end of the run or of its time the best of all
//! attempts is kept.

use super::attempts::Kept;
use super::quality::Quality;
use super::{Status, Trainer, Why, starts};
use crate::problem::Unknown;
use crate::problem::plan::Piece;

/// Scouts of a round: of a problem with unknown numbers, whose starts decide, and of others.
const SCOUTS_INVERSE: usize = 6;
const SCOUTS: usize = 3;

impl Trainer {
    /// How many scouts a round has.
    pub(super) fn scouts(&self) -> usize {
        if self.problem.unknowns.is_empty() { SCOUTS } else { SCOUTS_INVERSE }
    }

    /// The first scout of a round, where there is to be another round.
    pub(super) fn starts_again(&mut self, quality: &Quality) -> bool {
        if !self.may_restart() {
            return false;
        }
        self.keep_if_best(*quality);
        let has_data = self.problem.terms.iter().any(|term| !term.measured().is_empty());
        self.attempts.pieces = Piece::attempt(self.plan.len(), has_data);
        (self.attempts.rounds, self.attempts.scouted) = (self.attempts.rounds + 1, None);
        let what =
            if self.problem.unknowns.is_empty() { "other seeds" } else { "other seeds and start values" };
        self.decide(format!("{}: {} short tries from {what}", quality.text(), self.scouts()));
        self.enter_scout(0)
    }

    fn enter_scout(&mut self, scout: usize) -> bool {
        let number = (self.attempts.rounds - 1) * self.scouts() + scout + 1;
        let values = starts::values(&self.problem.unknowns, number);
        self.attempts.scout = Some(scout);
        self.attempts.parts += 1;
        self.enter_attempt(Some(starts::seed(self.asked_seed, number)), values)
    }

    /// Is the current scout at its end?
    pub(super) fn ends_scout(&self, status: Status) -> bool {
        let over = match status {
            Status::TimeBudget => self.why == Why::Share,
            Status::Interrupted | Status::Feasible => false,
            Status::Diverged => true,
            _ => self.stage + 2 == self.stages.len() && !self.is_done(),
        };
        self.attempts.scout.is_some() && over
    }

    /// Goes on with the next scout, or with the best of all; false where it cannot be had.
    pub(super) fn next_scout(&mut self) -> bool {
        let Some(scout) = self.attempts.scout else { return false };
        let quality = self.quality(false);
        let here = self.kept(quality);
        self.decide(format!(
            "try {}{}: {}",
            scout + 1,
            origin(&here, &self.problem.unknowns),
            quality.text()
        ));
        if self.attempts.scouted.as_ref().is_none_or(|best| quality.rank() < best.quality.rank()) {
            self.attempts.scouted = Some(here);
        }
        if scout + 1 < self.scouts() {
            return self.enter_scout(scout + 1);
        }
        let Some(best) = self.attempts.scouted.take() else { return false };
        self.decide(format!("the best of them went on{}", origin(&best, &self.problem.unknowns)));
        (self.attempts.looks, self.attempts.is_answer) = (1, false);
        self.attempts.parts += 1;
        self.go_back(best)
    }

    /// At the end of the run or of its time: the best of all attempts. Says how the run ended with it.
    pub(super) fn settle(&mut self, status: Status) -> Status {
        let scouted = self.attempts.scouted.take();
        self.attempts.scout = None;
        let Some(mut best) = self.attempts.best.take() else { return status };
        let here = self.quality(true);
        if let Some(scouted) = scouted.filter(|scouted| scouted.quality.rank() < best.quality.rank()) {
            best = scouted;
        }
        if here.rank() <= best.quality.rank() && status != Status::Diverged {
            let decided = if self.attempts.starts.is_empty() || here.fails() {
                "the last attempt was the best and was kept".to_owned()
            } else {
                "the answer depends on where unknowns start: the last attempt was the best and was kept"
                    .to_owned()
            };
            self.decide(decided);
            return status;
        }
        self.decide(format!(
            "an earlier attempt was better and was taken back{}",
            origin(&best, &self.problem.unknowns)
        ));
        match self.go_back(best) {
            false => status,
            true if status == Status::TimeBudget => status,
            true => {
                // Nothing more was planned for it.
                (self.until, self.why) = (Some(0), Why::Plan);
                Status::MaxSteps
            }
        }
    }
}

/// Where an attempt came from, in words.
fn origin(kept: &Kept, unknowns: &[Unknown]) -> String {
    let mut parts: Vec<String> = kept.seed.iter().map(|seed| format!("seed {seed}")).collect();
    parts.extend(
        unknowns.iter().zip(&kept.starts).map(|(unknown, start)| format!("{} = {start:.3e}", unknown.name)),
    );
    if parts.is_empty() { String::new() } else { format!(" from {}", parts.join(", ")) }
}
