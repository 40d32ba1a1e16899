//! What ranks that train one run agree on: that all of them can go on, that they train the same, what follows
//! a step.
//!
//! Rank 0 writes the folder, reads the clock and tells; the others do the same steps
//! ([`Member`](crate::Member)). Whatever one rank alone can find out (a file that is not there, a disk that
//! is full, a signal) is told to all at fixed places, so that none waits for one that has gone.

use adamflip::ranks::Ranks;
use adamflip::train::{Signal, Trainer};

use crate::choices::Task;
use crate::error::{ErrorKind, RunError};
use crate::stages::plan_text;

/// What to do about ranks that see other files.
const SHARED: &str =
    "every rank reads the problem and the run folder: put both on a file system that all machines share";

/// The same result on all ranks: of those that failed, the first says why, the others end without a word.
pub fn together<T>(ranks: &Ranks, result: Result<T, RunError>) -> Result<T, RunError> {
    if ranks.is_alone() {
        return result;
    }
    let code = result.as_ref().map_or_else(|error| error.kind().code(), |_| 0.0);
    let codes = ranks.gather(&[code]);
    let Some(first) = codes.iter().position(|code| *code != 0.0) else { return result };
    ranks.part();
    match result {
        Err(error) if first == 0 && ranks.is_first() => Err(error),
        Err(error) if first == ranks.rank() => Err(error.of_rank(first, SHARED)),
        _ => Err(RunError::told(ErrorKind::of_code(codes[first]))),
    }
}

/// An error that all ranks have found: the first tells it.
fn found_by_all(ranks: &Ranks, error: RunError) -> RunError {
    ranks.part();
    if ranks.is_first() { error } else { RunError::told(error.kind()) }
}

/// Do all ranks train the same problem in the same way, on processors that round alike?
pub(crate) fn alike(ranks: &Ranks, task: &Task) -> Result<(), RunError> {
    if ranks.is_alone() {
        return Ok(());
    }
    let origin = together(ranks, task.origin().map(|origin| format!("{origin:?}")))?;
    let stages = format!("{} {:?} {}", plan_text(&task.stages), task.stages, task.seed);
    let processor = format!("{} {}", std::env::consts::ARCH, adamflip::bench::instructions());
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let install = "start the same program on all machines";
    let kinds =
        "the last bits depend on the instructions of a processor: start all ranks on machines of one kind";
    let hints = [install, SHARED, "give all ranks the same arguments", kinds];
    let names = ["another version of adamflip", "another problem or other data", "another plan or seed"];
    let names = names.into_iter().chain(["a processor of another kind"]);
    let texts = [version, origin, stages, processor];
    let digests: Vec<f64> = texts.iter().map(|text| text_digest(text)).collect();
    let all = ranks.gather(&digests);
    for (at, (name, hint)) in names.zip(hints).enumerate() {
        let other = all.chunks_exact(texts.len()).position(|digests| digests[at] != all[at]);
        if let Some(rank) = other {
            let error = RunError::input(format!("rank {rank} has {name} than rank 0"), hint);
            return Err(found_by_all(ranks, error));
        }
    }
    Ok(())
}

/// Takes ranks into a training that all of them have ready.
pub(crate) fn join(trainer: &mut Trainer, ranks: &Ranks) -> Result<(), RunError> {
    if ranks.is_alone() {
        return Ok(());
    }
    let lanes = trainer.objective().lanes();
    if ranks.size() > lanes {
        let hint = format!(
            "start {lanes} ranks or fewer; or give the terms more `points`, or more parts with `--set train.lanes=N`"
        );
        let message = format!("there are {} ranks, but the points come in only {lanes} parts", ranks.size());
        return Err(found_by_all(ranks, RunError::input(message, hint)));
    }
    let states = ranks.gather(&[trainer.steps_taken() as f64, state_digest(trainer.θ())]);
    if let Some(rank) = states.chunks_exact(2).position(|state| state != &states[..2]) {
        let message = format!("rank {rank} sees another state of the run than rank 0");
        return Err(found_by_all(ranks, RunError::input(message, SHARED)));
    }
    trainer.join(ranks.clone());
    Ok(())
}

/// What follows a step, as all ranks see it.
#[derive(Debug)]
pub(crate) struct Votes {
    ranks: Ranks,
    /// Did any rank ask for the end?
    pub(crate) is_stopped: bool,
    error: Option<RunError>,
}

/// Somebody asks for the end.
const STOP: f64 = 4.0;

impl Votes {
    pub(crate) fn new(ranks: &Ranks) -> Self {
        Self { ranks: ranks.clone(), is_stopped: false, error: None }
    }

    /// The signal of rank 0, unless one of the ranks is asked to stop. Ranks that have come to other numbers
    /// end here.
    pub(crate) fn follow(&mut self, signal: Signal, stops: bool, θ: &[f64]) -> Signal {
        if self.ranks.is_alone() {
            self.is_stopped = stops;
            return signal;
        }
        let own = if stops { STOP } else { code(signal) };
        let votes = self.ranks.gather(&[own, state_digest(θ)]);
        self.is_stopped = votes.chunks_exact(2).any(|vote| vote[0] == STOP);
        if let Some(rank) = votes.chunks_exact(2).position(|vote| vote[1] != votes[1]) {
            let message = format!("rank {rank} has come to other numbers than rank 0");
            let hint = "this is a fault of a machine or of the program; `adamflip resume` goes on from the last state";
            let error = found_by_all(&self.ranks, RunError::not_kept(message, hint));
            (self.error, self.is_stopped) = (Some(error), true);
        }
        if self.is_stopped { Signal::Interrupt } else { signal_of(votes[0]) }
    }

    /// What was found wrong.
    pub(crate) fn check(&mut self) -> Result<(), RunError> {
        self.error.take().map_or(Ok(()), Err)
    }
}

fn code(signal: Signal) -> f64 {
    match signal {
        Signal::Continue => 0.0,
        Signal::TimeUp => 1.0,
        Signal::ShareUp => 2.0,
        Signal::Interrupt => 3.0,
    }
}

fn signal_of(code: f64) -> Signal {
    match code {
        1.0 => Signal::TimeUp,
        2.0 => Signal::ShareUp,
        3.0 => Signal::Interrupt,
        _ => Signal::Continue,
    }
}

fn state_digest(θ: &[f64]) -> f64 {
    digest(θ.iter().map(|θ| θ.to_bits()))
}

/// A number that stands for a text.
pub fn text_digest(text: &str) -> f64 {
    digest(text.bytes().map(u64::from))
}

/// Some 53 bits of words, as a number that is exact.
fn digest(words: impl Iterator<Item = u64>) -> f64 {
    // Two odd constants of the golden ratio and of π: what one loses by its top bits the shift brings down.
    let mix = |sum: u64, word: u64| {
        let mixed = (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 29)
    };
    (words.fold(0x2439_52D7_0A5B_3C91, mix) >> 11) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_tells_the_last_bit_and_the_order() {
        let numbers = [1.0, -0.0, 3.5];
        let other = [1.0, 0.0, 3.5];
        assert_ne!(state_digest(&numbers), state_digest(&other));
        assert_ne!(state_digest(&[1.0, 2.0]), state_digest(&[2.0, 1.0]));
        assert_eq!(state_digest(&numbers).fract(), 0.0);
    }

    #[test]
    fn signals_have_codes_of_their_own() {
        for signal in [Signal::Continue, Signal::TimeUp, Signal::ShareUp, Signal::Interrupt] {
            assert_eq!(signal_of(code(signal)), signal);
            assert_ne!(code(signal), STOP);
        }
    }
}
