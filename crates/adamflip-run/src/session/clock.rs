//! The time of a training: how long it took, when its budget or a share of it is over, and when states are
//! saved.

use std::path::Path;
use std::time::Duration;

use adamflip::train::Share;

use crate::summary::stored;

/// The time between checkpoints where none is asked for: this many times as long as the last one took, that
/// half a percent of all time goes to them, and not less than some seconds.
const PATIENCE: u32 = 200;
const LEAST: Duration = Duration::from_secs(5);

/// How long a training took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    /// In all sessions.
    pub(crate) seconds: f64,
    /// Of all processors and the whole process; only known of a run in one session.
    pub(crate) processor: Option<f64>,
}

impl Time {
    /// What the summary of a run tells.
    pub(super) fn of(run: &Path) -> Option<Self> {
        let summary = stored::summary(run)?;
        Some(Self { seconds: summary["seconds"].as_f64()?, processor: summary["processor_seconds"].as_f64() })
    }
}

/// The end of the time budget. One that was used up before begins again.
pub(super) fn budget(max_seconds: Option<f64>, before: Duration) -> Option<Duration> {
    let most = Duration::try_from_secs_f64(max_seconds?).ok()?;
    Some(if before < most { most } else { before.saturating_add(most) })
}

/// When the share of the time of the current part of a run is over.
#[derive(Default)]
pub(super) struct Shares {
    part: Option<Share>,
    end: Duration,
}

impl Shares {
    pub(super) fn are_up(&mut self, part: Option<Share>, now: Duration, most: Duration) -> bool {
        if self.part != part {
            let share = part.map_or(1.0, |part| part.of);
            (self.part, self.end) = (part, now + most.saturating_sub(now).mul_f64(share));
        }
        part.is_some() && now >= self.end
    }
}

/// When checkpoints are written.
pub(super) struct Saves {
    asked: Option<Duration>,
    next: Duration,
}

impl Saves {
    pub(super) fn new(asked: Option<Duration>, now: Duration) -> Self {
        Self { asked, next: now + asked.unwrap_or(LEAST) }
    }

    pub(super) fn are_due(&self, now: Duration) -> bool {
        now >= self.next
    }

    /// One took so long, and it is now so late.
    pub(super) fn took(&mut self, cost: Duration, now: Duration) {
        self.next = now + self.asked.unwrap_or_else(|| LEAST.max(cost * PATIENCE));
    }
}
