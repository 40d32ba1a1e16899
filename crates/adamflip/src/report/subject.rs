//! What a report is about: a trained state, what was measured of it, and what whoever ran it knows.

use crate::certificate::{Certificate, State};
use crate::evaluate::FieldError;
use crate::history::History;
use crate::uncertainty::Assessment;

/// A run, to be reported.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The problem, the networks, their parameters, the seed and the training points.
    pub state: State<'a>,
    /// The errors of [`crate::evaluate::errors`].
    pub errors: &'a [FieldError],
    /// What was observed in training; may be empty.
    pub history: &'a History,
    /// The certificate of [`crate::certificate::certify`].
    pub certificate: &'a Certificate,
    /// The intervals and estimates of [`crate::uncertainty::assess`].
    pub assessment: &'a Assessment,
    /// What the library does not know.
    pub facts: &'a RunFacts,
}

/// What a run was, in words and numbers that the library itself does not know. Empty texts are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFacts {
    /// The version of the program.
    pub version: String,
    /// The plan: `2000 steps of adam, 8000 of adamflip_split`.
    pub plan: String,
    /// Steps taken.
    pub steps: usize,
    /// Why it ended.
    pub status: String,
    /// What to do about it.
    pub advice: String,
    /// The time of training.
    pub seconds: f64,
    /// The threads it used.
    pub threads: usize,
    /// The machine.
    pub machine: String,
    /// When.
    pub date: String,
    /// What to type to run it again.
    pub command: String,
    /// Further lines, each with its name.
    pub more: Vec<(String, String)>,
}
