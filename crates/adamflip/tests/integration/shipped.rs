//! Every shipped problem: it builds as it is, and small and for a few hundred steps its violation falls.

use std::path::PathBuf;

use adamflip::export;
use adamflip::problem::{self, Problem, Role};
use adamflip::spec::{self, Overrides};
use adamflip::train::{Signal, Status, Trainer};

/// Steps of each of the two stages, and the factor by which the violation must fall in both together: a fresh
/// network is near zero, where many conditions nearly hold already, so a half is much for some and little for
/// most.
const USUAL: (usize, f64) = (200, 0.5);

/// Problems that need other numbers, each with its reason.
#[rustfmt::skip]
const OTHERS: &[(&str, (usize, f64), &str)] = &[
    ("peak_rar",       (1000, 0.5), "a source of size 80 drives the network from zero before the walls are felt"),
    ("poisson_lshape", (600, 0.5),  "sixty points on six edges: the walls come down after the interior"),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../problems")
}

/// The names of all problem files.
pub(crate) fn shipped() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let mut names: Vec<String> =
        files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn load(name: &str, set: Vec<String>) -> spec::Parsed {
    let path = folder().join(format!("{name}.toml"));
    spec::load(&path, &Overrides { profile: None, set }).unwrap()
}

pub(crate) fn build(name: &str, set: Vec<String>) -> Problem {
    problem::build(load(name, set)).unwrap_or_else(|rejected| panic!("{name}: {rejected:?}"))
}

/// A small network, few points that stay, and two short stages.
fn small(name: &str, steps: usize) -> Trainer {
    let mut set = vec![
        "network.hidden=3x16".to_owned(),
        "train.resample=0".to_owned(),
        format!(
            r#"train.stages=[{{method="adam",steps={steps},lr=5e-3}},{{method="adamflip",steps={steps},lr=2e-3,gain=20}}]"#
        ),
    ];
    for term in &load(name, Vec::new()).spec.terms {
        if let Some(points) = &term.points {
            set.push(format!("term.{}.points={}", term.name.value, points.value.min(60)));
        }
    }
    let problem = build(name, set);
    let stages = problem.stages.clone();
    Trainer::new(problem, 3, stages).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The sum of the mean squares of all constraints.
fn violation(trainer: &mut Trainer) -> f64 {
    let misfits = trainer.misfits();
    let terms = trainer.problem().terms.iter().zip(misfits);
    terms.filter(|(term, _)| term.role == Role::Constraint).map(|(_, misfit)| misfit.mse).sum()
}

#[test]
fn every_problem_builds() {
    for name in shipped() {
        build(&name, Vec::new());
    }
}

#[test]
fn training_brings_the_violation_down() {
    let mut stubborn = Vec::new();
    for name in shipped() {
        let other = OTHERS.iter().find(|row| row.0 == name);
        let (steps, factor) = other.map_or(USUAL, |row| row.1);
        let mut trainer = small(&name, steps);
        // Also: no shipped problem has constraints in trouble, and none is to be told so.
        trainer.observe(25);
        let before = violation(&mut trainer);
        assert_eq!(trainer.run(&mut |_| Signal::Continue), Status::MaxSteps, "{name}");
        assert_eq!(trainer.warnings(), [], "{name}");
        let after = violation(&mut trainer);
        if after > factor * before {
            stubborn.push(format!("{name}: violation {before:.2e} to {after:.2e}"));
        }
        assert!(trainer.misfits().iter().all(|misfit| misfit.mse.is_finite()), "{name}");
        assert!(trainer.θ().iter().all(|θ| θ.is_finite()), "{name}");
    }
    assert!(stubborn.is_empty(), "{stubborn:#?}");
}

#[test]
fn pointwise_constraints_of_shipped_problems_raise_no_alarm() {
    for name in ["burgers_forward", "heat_forward", "kovasznay", "pantograph", "heat_inverse", "interface"] {
        let mut set = vec!["network.hidden=2x12".to_owned(), "train.resample=0".to_owned()];
        set.push(
            r#"train.stages=[{method="adam",steps=100,lr=5e-3},{method="adamflip_split",steps=300,lr=1e-3}]"#
                .into(),
        );
        let terms = load(name, Vec::new()).spec.terms.into_iter();
        let counted = terms.filter_map(|term| Some((term.name.value, term.points?.value.min(30))));
        set.extend(counted.map(|(term, points)| format!("term.{term}.points={points}")));
        let problem = build(name, set);
        let stages = problem.stages.clone();
        let mut trainer = Trainer::new(problem, 3, stages).unwrap();
        trainer.observe(25);
        assert_eq!(trainer.run(&mut |_| Signal::Continue), Status::MaxSteps, "{name}");
        assert_eq!(trainer.warnings(), [], "{name}");
    }
}

#[test]
fn exceptions_are_shipped_problems() {
    let names = shipped();
    for (name, _, reason) in OTHERS {
        assert!(names.iter().any(|shipped| shipped == name) && !reason.is_empty(), "{name}");
    }
}

#[test]
fn the_shortest_burgers_file_is_short() {
    let text = std::fs::read_to_string(folder().join("burgers_short.toml")).unwrap();
    assert!(text.lines().count() <= 25);
}

#[test]
fn a_diverging_run_keeps_the_last_finite_state() {
    let stages = r#"train.stages=[{method="adamflip",steps=50,lr=1e200}]"#.to_owned();
    let problem = build("burgers_forward", vec![stages]);
    let stages = problem.stages.clone();
    let mut trainer = Trainer::new(problem, 0, stages).unwrap();
    assert_eq!(trainer.run(&mut |_| Signal::Continue), Status::Diverged);
    assert!(trainer.θ().iter().all(|θ| θ.is_finite()));
    assert!(trainer.misfits().iter().all(|misfit| misfit.mse.is_finite()));
}

/// Everything in a problem but where in the file it was written.
fn without_places(problem: &Problem) -> String {
    // The file names its data files by where they are.
    let mut problem = problem.clone();
    problem.file = std::sync::Arc::default();
    let text = format!("{problem:?}");
    let mut pieces = text.split("Span {");
    let first = pieces.next().unwrap_or_default().to_owned();
    first + &pieces.map(|piece| piece.split_once('}').unwrap().1).collect::<String>()
}

/// What a run keeps of its problem is the same problem, with its data files beside it.
#[test]
fn the_resolved_file_is_the_same_problem() {
    for name in shipped() {
        let set = vec!["network.hidden=2x7".to_owned(), "train.seed=4".to_owned()];
        let resolved = load(&name, set.clone()).resolved(4);
        let beside = tempfile::tempdir().unwrap();
        let path = beside.path().join(format!("{name}.toml"));
        std::fs::write(&path, resolved.text()).unwrap();
        std::fs::create_dir(beside.path().join(spec::DATA)).unwrap();
        for file in &resolved.files {
            let mut content = export::data_file(file).unwrap();
            let mut copy = std::fs::File::create(beside.path().join(spec::DATA).join(&file.name)).unwrap();
            std::io::copy(&mut content, &mut copy).unwrap();
        }
        let again = problem::build(spec::load(&path, &Overrides::default()).unwrap())
            .unwrap_or_else(|rejected| panic!("{name}: {:?}\n{}", rejected.diagnostics, resolved.text()));
        assert!(without_places(&again) == without_places(&build(&name, set)), "{name}:\n{}", resolved.text());
        let again = spec::load(&path, &Overrides::default()).unwrap().resolved(4);
        assert_eq!((again.text(), again.values()), (resolved.text(), resolved.values()));
    }
}
