//! What is allowed but probably not meant, and what is worth knowing.

use adamflip::inspect::{self, Level};
use adamflip::optim::Method;
use adamflip::problem::{Adaptive, Problem, Role, Source, Stage};
use adamflip::{evaluate, sample};

/// What is said about a problem and its plan.
#[derive(Debug)]
pub(super) struct Remarks {
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// All remarks about a problem and its plan; `thinned` is the problem with the points that are looked at.
pub(super) fn remarks(
    problem: &Problem,
    thinned: &Problem,
    stages: &[Stage],
    seed: u64,
) -> Result<Remarks, sample::SampleError> {
    let (mut warnings, mut notes) = (Vec::new(), Vec::new());
    roles(problem, stages, &mut warnings);
    warnings.extend(stages.iter().filter_map(|stage| too_fast(stage, problem)));
    warnings.extend(stages.iter().filter_map(|stage| crowded(stage, problem)));
    notes.extend(held(problem, stages));
    for finding in inspect::findings(thinned, seed)? {
        match finding.level() {
            Level::Warning => warnings.push(finding.text(problem)),
            Level::Note => notes.push(finding.text(problem)),
        }
    }
    references(thinned, &mut warnings);
    notes.extend(reading(problem));
    if stages.iter().all(|stage| stage.steps == 0) {
        warnings.push("there are no steps: nothing will be trained".to_owned());
    }
    Ok(Remarks { warnings, notes })
}

fn roles(problem: &Problem, stages: &[Stage], found: &mut Vec<String>) {
    let has = |role| problem.terms.iter().any(|term| term.role == role);
    let constrained = stages.iter().find_map(|stage| Some((stage, stage.method.without_constraints()?)));
    if let Some((stage, like)) = constrained.filter(|_| !has(Role::Constraint)) {
        let name = stage.method.name();
        found.push(format!(
            "no term is a constraint, so `{name}` {like}: write `role = \"constraint\"` in the terms to be met"
        ));
    }
    if !has(Role::Objective) {
        found.push("no term is an objective: nothing is made small but the constraints".to_owned());
    }
}

/// The discrete controller is stable while η·K ≤ 1, with momentum while η·K ≤ 1 − β.
fn too_fast(stage: &Stage, problem: &Problem) -> Option<String> {
    let constraints = problem.terms.iter().filter(|term| term.role == Role::Constraint).count();
    let gain = stage.method.feedback()?.largest(constraints);
    let (name, product) = (stage.method.name(), stage.method.rate()?.start * gain);
    let (limit, why) = match &stage.method {
        Method::FlMomentum(settings) => (1.0 - settings.momentum, " (1 less `momentum`)"),
        _ => (1.0, ""),
    };
    // Rounding of the limit is no error of the file.
    (product > limit * (1.0 + 1e-9)).then(|| {
        format!(
            "lr times gain is {product:.3} in a stage of {name}: above {limit:.3}{why} constraints may overshoot; lower `gain`"
        )
    })
}

/// Beyond this many constraints their factorization outweighs the evaluation of some ten thousand points.
const MANY: usize = 2_000;

/// Pointwise constraints that cost more than they bring: their Gram matrix is factorized in every step.
fn crowded(stage: &Stage, problem: &Problem) -> Option<String> {
    let pointwise = problem.terms.iter().filter(|term| term.is_pointwise(&stage.method));
    let entries: usize = pointwise.map(|term| term.source.count() * term.residual.equations()).sum();
    (entries > MANY).then(|| {
        format!(
            "{} meets {entries} constraints one by one, and factorizing their Gram matrix takes {:.1} Gflop a step: some hundreds of \
             points are enough for smooth conditions, or write `pointwise = false`",
            stage.method.name(),
            (entries as f64).powi(3) / 3e9
        )
    })
}

/// Points that stay although the file asks for fresh ones.
fn held(problem: &Problem, stages: &[Stage]) -> Vec<String> {
    let mut notes = Vec::new();
    if problem.resample == 0 {
        return notes;
    }
    for stage in stages {
        if stage.method.keeps_all_points() {
            let name = stage.method.name();
            let note =
                format!("all points stay in a stage of {name}, which compares each step with the one before");
            if !notes.contains(&note) && problem.terms.iter().any(|term| !term.source.is_fixed()) {
                notes.push(note);
            }
            continue;
        }
        for term in problem.terms.iter().filter(|term| term.is_pointwise(&stage.method)) {
            let Source::Drawn { adaptive, .. } = &term.source else { continue };
            let note = match (stage.method.keeps_points(), adaptive) {
                (true, _) => format!(
                    "the points of `{}` stay in a stage of {}, which remembers something of each",
                    term.name,
                    stage.method.name()
                ),
                (false, Some(Adaptive::Rar { .. })) => format!(
                    "`{}` gets no more points in a stage of {}: each would be one more constraint",
                    term.name,
                    stage.method.name()
                ),
                _ => continue,
            };
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
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
        remarks(&problem, &problem, &problem.stages, 0).unwrap().warnings
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
        let words = ["no term is a constraint", "the field `v`", "the unknown `k`", "no [reference]"];
        assert_eq!(found.len(), words.len(), "{found:?}");
        for (warning, word) in found.iter().zip(words) {
            assert!(warning.contains(word), "{warning}: {word}");
        }
    }

    const WALLS: &str = "fields = ['u']\n[domain]\nx = [0, 1]\n[term.pde]\nequation = 'u_xx = 1'\npoints = 8\n\
        [term.walls]\non = ['x = 0', 'x = 1']\nequation = 'u = 0'\npoints = 4\n[reference]\nu = 'x*(x - 1)/2'\n";

    #[test]
    fn every_controller_is_held_against_its_rate() {
        for (stage, product) in [
            ("method = 'fl', lr = 0.1, gain = 20", "is 2.000 in a stage of fl"),
            ("method = 'fl_momentum', lr = 0.01, gain = 20", "above 0.100 (1 less `momentum`)"),
            ("method = 'adamflip', lr = 1e-3, gain = { walls = 5000 }", "is 5.000 in a stage of adamflip"),
            ("method = 'adamflip_metric', lr = 1, gain = [3]", "is 3.000 in a stage of adamflip_metric"),
        ] {
            let found = warned(&format!("{WALLS}[train]\nstages = [{{ steps = 5, {stage} }}]"));
            assert!(found.len() == 1 && found[0].contains(product), "{stage}: {found:?}");
        }
        for method in Method::NAMES {
            let stage = format!("{{ steps = 5, method = '{method}' }}");
            assert_eq!(warned(&format!("{WALLS}[train]\nstages = [{stage}]")), [""; 0], "{method}");
        }
    }

    #[test]
    fn points_that_stay_are_named() {
        let noted = |text: &str| {
            let problem =
                adamflip::problem::build(adamflip::spec::parse("p.toml", text, &Default::default())).unwrap();
            held(&problem, &problem.stages)
        };
        let stages =
            "[train]\nresample = 5\nstages = [{ method = 'adam', steps = 5 }, { method = 'al', steps = 5 }]";
        let text = "the points of `walls` stay in a stage of al, which remembers something of each";
        assert_eq!(noted(&format!("{WALLS}{stages}")), [text]);
        assert_eq!(noted(&format!("{WALLS}{}", stages.replace("resample = 5", "resample = 0"))), [""; 0]);
        let text = "all points stay in a stage of trsqp, which compares each step with the one before";
        assert_eq!(noted(&format!("{WALLS}{}", stages.replace("'al'", "'trsqp'"))), [text]);
        let growing = WALLS.replace("points = 4", "points = 4\nadaptive = 'rar'");
        let text =
            "`walls` gets no more points in a stage of adamflip_split: each would be one more constraint";
        assert_eq!(noted(&format!("{growing}{}", stages.replace("'al'", "'adamflip_split'"))), [text]);
    }
}
