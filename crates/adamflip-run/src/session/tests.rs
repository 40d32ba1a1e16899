//! A session as a front end drives it.

use std::path::Path;

use adamflip::spec;

use super::*;
use crate::choices::Choices;

const PROBLEM: &str = "fields = ['u']\n[domain]\nx = [0, 1]\n\
    [term.pde]\nequation = 'u_x = 1'\npoints = 8\n\
    [term.start]\non = 'x = 0'\nequation = 'u = 0'\npoints = 1\nrole = 'constraint'\n\
    [network]\nhidden = '1x4'\n[train]\nstages = [{ method = 'adamflip', steps = 12 }]\n";

fn session(out: &Path) -> Session {
    let parsed = spec::parse("small.toml", PROBLEM, &spec::Overrides::default());
    Session::create(parsed, &Choices::default(), Some(out), "a test").unwrap()
}

/// Trains until this many steps were seen; the steps that were told.
fn train(session: &mut Session, most: usize) -> (Summary, Vec<usize>) {
    let mut told = Vec::new();
    let summary = session.train(&TrainOptions::default(), &mut |event| {
        if let Event::Step(step) = event {
            told.push(step.progress.step);
        }
        if told.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    (summary.unwrap(), told)
}

fn parameters(run: &Path) -> Vec<f64> {
    crate::open(run).unwrap().θ().to_vec()
}

#[test]
fn a_run_that_was_interrupted_goes_on_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, broken] = ["whole", "broken"].map(|name| folder.path().join(name));
    let (summary, told) = train(&mut session(&whole), usize::MAX);
    assert_eq!((summary.status(), told), (Status::MaxSteps, (1..=12).collect::<Vec<_>>()));
    let mut first = session(&broken);
    let (summary, told) = train(&mut first, 5);
    assert_eq!((summary.status(), told), (Status::Interrupted, (1..=5).collect::<Vec<_>>()));
    // Once in the same session, once in another.
    assert_eq!(train(&mut first, 3).1, [6, 7, 8]);
    drop(first);
    let (summary, told) = train(&mut Session::resume(&broken, None).unwrap(), usize::MAX);
    assert_eq!((summary.status(), told), (Status::MaxSteps, vec![9, 10, 11, 12]));
    assert_eq!(parameters(&whole), parameters(&broken));
    assert_eq!(crate::history(&broken).unwrap().steps().len(), 12);
}

#[test]
fn several_sessions_train_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let runs: Vec<_> = (0..3).map(|number| folder.path().join(number.to_string())).collect();
    std::thread::scope(|scope| {
        for run in &runs {
            scope.spawn(|| train(&mut session(run), usize::MAX));
        }
    });
    assert!(runs.iter().all(|run| parameters(run) == parameters(&runs[0])));
}

#[test]
fn nobody_else_works_in_the_folder_of_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let first = session(&run);
    let error = Session::resume(&run, None).err().unwrap();
    assert!(error.message().contains("works in"), "{error}");
    drop(first);
    assert!(Session::resume(&run, None).is_ok());
}
