//! What of a run does not change while it trains.

use adamflip::history::unknown_column;
use adamflip::problem::plan::is_default;
use adamflip::problem::{Problem, Role, Stage};
use adamflip_run::error_column;

/// The columns of a trust region; empty for methods without.
pub(crate) const TRUST_REGION: [&str; 3] = ["radius", "damping", "penalty"];

/// Names and plans.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    pub(crate) title: String,
    /// Methods and their steps.
    pub(crate) stages: Vec<(String, usize)>,
    pub(crate) terms: Vec<Named<Role>>,
    /// With their truths, where known.
    pub(crate) unknowns: Vec<Named<Option<f64>>>,
    /// The fields with a reference.
    pub(crate) fields: Vec<String>,
    /// The seconds after which training ends.
    pub(crate) budget: Option<f64>,
    /// Does it take steps as long as they help?
    pub(crate) is_open: bool,
}

/// A name and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct Named<T> {
    pub(crate) name: String,
    pub(crate) known: T,
}

impl Outline {
    /// Of a problem that is trained in these stages, the last of them extended to this many steps in all.
    pub(crate) fn of(problem: &Problem, stages: &[Stage], steps: usize) -> Self {
        let known = problem.reference.iter().flat_map(|reference| &reference.fields);
        let mut outline = Self {
            title: problem.title.as_ref().unwrap_or(&problem.name).clone(),
            stages: stages.iter().map(|stage| (stage.method.name().to_owned(), stage.steps)).collect(),
            terms: problem.terms.iter().map(|term| named(&term.name, term.role)).collect(),
            unknowns: problem.unknowns.iter().map(|unknown| named(&unknown.name, unknown.truth)).collect(),
            fields: known.map(|(field, _)| problem.fields[*field].clone()).collect(),
            budget: problem.train.max_seconds,
            is_open: is_default(stages),
        };
        outline.reach(steps);
        outline
    }

    /// Lengthens the last stage to this many steps in all.
    pub(crate) fn reach(&mut self, steps: usize) {
        let more = steps.saturating_sub(self.steps());
        if let Some((_, last)) = self.stages.last_mut() {
            *last += more;
        }
    }

    /// The steps of all stages.
    pub(crate) fn steps(&self) -> usize {
        self.stages.iter().map(|(_, steps)| steps).sum()
    }

    /// The columns of the history that are looked at.
    pub(crate) fn columns(&self) -> Vec<String> {
        let misfits =
            self.terms.iter().flat_map(|term| ["mse", "max"].map(|of| format!("{}_{of}", term.name)));
        let unknowns = self.unknowns.iter().map(|unknown| unknown_column(&unknown.name));
        let errors = self.fields.iter().map(|field| error_column(field));
        ["step", "seconds", "refused"]
            .into_iter()
            .chain(TRUST_REGION)
            .map(str::to_owned)
            .chain(misfits)
            .chain(unknowns)
            .chain(errors)
            .collect()
    }
}

fn named<T>(name: &str, known: T) -> Named<T> {
    Named { name: name.to_owned(), known }
}
