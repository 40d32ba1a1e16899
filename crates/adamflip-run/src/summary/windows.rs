//! Windows of time, and how far they came.

use adamflip::train::Trainer;
use serde::Serialize;

use crate::words::counted;

/// The windows of a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Windows {
    /// Where they begin, and where the current one ends.
    bounds: Vec<f64>,
    /// How many were too long, and were halved.
    halved: usize,
    /// The time up to which the problem is solved, and where it ends.
    reached: f64,
    end: f64,
}

impl Windows {
    /// Nothing where the problem was solved as a whole.
    pub(super) fn of(trainer: &Trainer) -> Option<Self> {
        let [from, to, end] = trainer.window()?;
        Some(Self {
            bounds: trainer.windows()?.bounds.clone(),
            halved: trainer.window_ends().iter().filter(|window| window.is_given_up).count(),
            // The last window is judged like any solution.
            reached: if to == end { end } else { from },
            end,
        })
    }

    pub(super) fn text(&self) -> String {
        let count = self.bounds.len() - 1;
        let halved = match self.halved {
            0 => String::new(),
            1 => "; one was too long and was halved".to_owned(),
            n => format!("; {n} were too long and were halved"),
        };
        format!("{} of t, solved up to {} of {}{halved}", counted(count, "window"), self.reached, self.end)
    }
}
