//! What is allowed but probably not meant, and what is worth knowing.

use adamflip::inspect::{self, Level};
use adamflip::optim::Method;
use adamflip::problem::{Problem, Role, Source, Stage};
use adamflip::{evaluate, sample};

/// What is said about a problem and its plan.
#[derive(Debug)]
pub(super) struct Remarks {
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// All remarks about a problem and its plan.
pub(super) fn remarks(
    problem: &Problem,
    stages: &[Stage],
    seed: u64,
) -> Result<Remarks, sample::SampleError> {
    let (mut warnings, mut notes) = (Vec::new(), Vec::new());
    roles(problem, stages, &mut warnings);
    warnings.extend(stages.iter().filter_map(too_fast));
    for finding in inspect::findings(problem, seed)? {
        match finding.level() {
            Level::Warning => warnings.push(finding.text(problem)),
            Level::Note => notes.push(finding.text(problem)),
        }
    }
    references(problem, &mut warnings);
    notes.extend(reading(problem));
    if stages.iter().all(|stage| stage.steps == 0) {
        warnings.push("there are no steps: nothing will be trained".to_owned());
    }
    Ok(Remarks { warnings, notes })
}

fn roles(problem: &Problem, stages: &[Stage], found: &mut Vec<String>) {
    let has = |role| problem.terms.iter().any(|term| term.role == role);
    let constrained = stages.iter().find(|stage| !matches!(stage.method, Method::Adam(_)));
    if let Some(stage) = constrained.filter(|_| !has(Role::Constraint)) {
        let name = stage.method.name();
        found.push(format!(
            "no term is a constraint, so `{name}` works like adam: write `role = \"constraint\"` in the terms to be met"
        ));
    }
    if !has(Role::Objective) {
        found.push("no term is an objective: nothing is made small but the constraints".to_owned());
    }
}

/// The discrete controller is stable while η·K ≤ 1.
fn too_fast(stage: &Stage) -> Option<String> {
    let Method::AdamFlip(settings) = &stage.method else { return None };
    let (rate, gain) = (settings.adam.rate.start, settings.feedback.gain);
    (rate * gain > 1.0).then(|| {
        format!(
            "lr times gain is {:.3} in a stage of adamflip: above 1 constraints may overshoot; lower `gain`",
            rate * gain
        )
    })
}

/// What was assumed or left out when files were read.
fn reading(problem: &Problem) -> Vec<String> {
    let data = problem.terms.iter().filter_map(|term| match &term.source {
        Source::Given { notes, .. } => Some(notes),
        _ => None,
    });
    let mut notes: Vec<String> = Vec::new();
    for note in data.chain(problem.reference.iter().map(|reference| &reference.notes)).flatten() {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    notes
}

fn references(problem: &Problem, found: &mut Vec<String>) {
    let Some(reference) = &problem.reference else {
        found.push("there is no [reference]: the error of the solution cannot be measured".to_owned());
        return;
    };
    let known = |field: usize| reference.fields.iter().any(|(number, _)| *number == field);
    for (number, name) in problem.fields.iter().enumerate().filter(|(number, _)| !known(*number)) {
        found.push(match inspect::unknown_fields(problem).any(|field| field == number) {
            true => format!("the unknown `{name}` has no `truth`: its error cannot be measured"),
            false => format!("[reference] has no formula for `{name}`: its error cannot be measured"),
        });
    }
    match evaluate::gaps(problem) {
        Ok(gaps) => found.extend(gaps.iter().map(|gap| gap.text(problem))),
        Err(error) => found.push(format!("the error of the solution cannot be measured: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(text: &str) -> Vec<String> {
        let parsed = adamflip::spec::parse("p.toml", text, &Default::default());
        let problem = adamflip::problem::build(parsed).unwrap();
        remarks(&problem, &problem.stages, 0).unwrap().warnings
    }

    #[test]
    fn a_shipped_problem_has_none() {
        assert_eq!(warned(include_str!("../../../../problems/navier_stokes.toml")), [""; 0]);
    }

    #[test]
    fn no_steps_and_gaps_are_named() {
        let found = warned(
            "fields = [\"u\"]\n[domain]\nx = [0, 1]\n[term.pde]\nequation = \"u_x = 1/x\"\npoints = 4\n\
             [reference]\nu = \"log(x)\"\n[train]\nstages = [{ method = \"adam\", steps = 0 }]",
        );
        let words = ["not finite at 1 of 1001 grid points, e.g. x = 0;", "there are no steps"];
        assert_eq!(found.len(), words.len(), "{found:?}");
        for (warning, word) in found.iter().zip(words) {
            assert!(warning.contains(word), "{warning}: {word}");
        }
    }

    #[test]
    fn every_oddity_is_named() {
        let found = warned(
            "fields = [\"u\", \"v\"]\n[domain]\nx = [0, 1]\n[unknowns]\nk = { start = 1 }\n\
             [term.pde]\nequation = \"u_x = 1\"\npoints = 4\n\
             [train]\nstages = [{ method = \"adamflip\", steps = 5, lr = 0.1, gain = 100 }]",
        );
        let words = [
            "no term is a constraint",
            "lr times gain is 10.000",
            "the field `v`",
            "the unknown `k`",
            "no [reference]",
        ];
        assert_eq!(found.len(), words.len(), "{found:?}");
        for (warning, word) in found.iter().zip(words) {
            assert!(warning.contains(word), "{warning}: {word}");
        }
    }
}
