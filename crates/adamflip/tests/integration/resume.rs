//! Exact resume: a run that is written to a file and read again, at any step, ends with the bits of one that
//! is not.

use adamflip::checkpoint::Checkpoint;
use adamflip::optim::Method;
use adamflip::problem::Problem;
use adamflip::train::{Signal, Status, Trainer};

/// A small inverse problem with everything that changes while it trains: points that are drawn again, drawn
/// by their residuals or added, data, an unknown, patience, tolerances that are asked for.
fn text(stages: &str, train: &str) -> String {
    format!(
        r#"
fields = ["u"]
[domain]
x = [0, 1]
t = [0, 1]
[unknowns]
k = {{ start = 0.5, bounds = [0, 2] }}
[term.pde]
equation = "u_t = k*u_xx"
points = 24
adaptive = "rad"
tolerance = "max < 1e-9"
[term.again]
equation = "u_t - k*u_xx = 0"
points = 6
adaptive = "rar"
[term.start]
on = "t = 0"
equation = "u = sin(pi*x)"
points = 7
sampler = "sobol"
[term.walls]
on = ["x = 0", "x = 1"]
equation = "u = 0"
points = 5
sampler = "uniform"
[term.sensors]
data = "reference"
points = 9
noise = 0.01
role = "constraint"
pointwise = false
[reference]
u = "exp(-pi^2*t)*sin(pi*x)"
[network]
hidden = [6]
[train]
resample = 5
{train}
stages = [{stages}]
"#
    )
}

fn problem(text: &str) -> Problem {
    crate::testing::problem(text)
}

fn trainer(problem: &Problem) -> Trainer {
    let mut trainer = Trainer::new(problem.clone(), 3, problem.stages.clone()).unwrap();
    trainer.observe(4);
    trainer
}

/// The state as the bytes of its file.
fn bytes(trainer: &Trainer, folder: &tempfile::TempDir) -> Vec<u8> {
    let path = folder.path().join("state");
    Checkpoint::of(trainer).write(&path).unwrap();
    std::fs::read(path).unwrap()
}

/// Runs to the end, through a file after each of the given steps.
fn through_files(problem: &Problem, steps: &[usize], folder: &tempfile::TempDir) -> (Status, Trainer) {
    let mut current = trainer(problem);
    for &stop in steps {
        let status = current.run(&mut |progress| {
            if progress.step >= stop { Signal::Interrupt } else { Signal::Continue }
        });
        if status != Status::Interrupted {
            return (status, current);
        }
        let path = folder.path().join("checkpoint");
        Checkpoint::of(&current).write(&path).unwrap();
        current = Trainer::new(problem.clone(), 3, problem.stages.clone()).unwrap();
        current.restore(Checkpoint::read(&path).unwrap().snapshot).unwrap();
    }
    let status = current.run(&mut |_| Signal::Continue);
    (status, current)
}

fn same_bits(problem: &Problem, stops: &[&[usize]], name: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut straight = trainer(problem);
    let status = straight.run(&mut |_| Signal::Continue);
    let expected = bytes(&straight, &folder);
    for stop in stops {
        let (reached, resumed) = through_files(problem, stop, &folder);
        assert_eq!(reached, status, "{name} after {stop:?}");
        assert_eq!(resumed.advice(reached), straight.advice(status), "{name} after {stop:?}");
        assert!(bytes(&resumed, &folder) == expected, "{name} after {stop:?}: other bits");
    }
}

#[test]
fn every_method_goes_on_with_the_same_bits() {
    for name in Method::NAMES {
        let stages = format!(r#"{{ method = "adam", steps = 3 }}, {{ method = "{name}", steps = 19 }}"#);
        // In the warm start, between stages, before and after points change, at an observation, at the last
        // step, and often.
        let stops: [&[usize]; 8] =
            [&[1], &[3], &[4], &[5], &[10], &[22], &[2, 3, 4, 5, 6, 7, 12, 16], &[5, 10, 15, 20, 21]];
        same_bits(&problem(&text(&stages, "patience = 1000")), &stops, name);
    }
}

#[test]
fn every_kind_of_state_goes_on_with_the_same_bits() {
    let cases = [
        r#"{ method = "adamflip_split", steps = 20, rotate = 3 }"#,
        r#"{ method = "adam", steps = 20, rotate = 3, lr_end = 1e-5 }"#,
        r#"{ method = "adamflip", steps = 20, integral_gain = 0.1, smoothing = 0.9 }"#,
        r#"{ method = "al", steps = 20, dual = "adaptive" }"#,
        r#"{ method = "trsqp", steps = 20, quasi_newton = "bfgs" }"#,
        r#"{ method = "trsqp", steps = 20, pretrain = 5, pretrain_method = "lbfgs" }"#,
        r#"{ method = "ssbroyden", steps = 20, carry = false }"#,
        r#"{ method = "newtonflip", steps = 20, memory = 0 }"#,
        r#"{ method = "admm", steps = 20, solver = "lbfgs", inner = 3, slack = 0.01 }"#,
        r#"{ method = "adam", steps = 20, weights = "relobralo" }"#,
        r#"{ method = "lbfgs", steps = 20, weights = "annealed", weights_every = 3 }"#,
        r#"{ method = "gauss_newton", steps = 20, weights = "ntk", weights_every = 3 }"#,
        r#"{ method = "lbfgs", steps = 9 }, { method = "adamflip_split", steps = 9 }, { method = "al", steps = 4 }"#,
    ];
    let every: Vec<usize> = (1..22).collect();
    for stages in cases {
        for train in ["", "patience = 6", "tolerance = 0.5", "stop_when_feasible = true"] {
            same_bits(&problem(&text(stages, train)), &[&[7], &every], stages);
        }
    }
}

#[test]
fn the_number_of_threads_may_change_on_the_way() {
    let stages = r#"{ method = "adam", steps = 5 }, { method = "adamflip_split", steps = 10 }"#;
    let problem = problem(&text(stages, ""));
    let folder = tempfile::tempdir().unwrap();
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let path = folder.path().join("checkpoint");
    pool(3).install(|| {
        let mut first = trainer(&problem);
        first.run(&mut |progress| if progress.step < 8 { Signal::Continue } else { Signal::Interrupt });
        Checkpoint::of(&first).write(&path).unwrap();
    });
    let resumed = pool(1).install(|| {
        let mut second = Trainer::new(problem.clone(), 3, problem.stages.clone()).unwrap();
        second.restore(Checkpoint::read(&path).unwrap().snapshot).unwrap();
        second.run(&mut |_| Signal::Continue);
        bytes(&second, &folder)
    });
    let straight = pool(2).install(|| {
        let mut trainer = trainer(&problem);
        trainer.run(&mut |_| Signal::Continue);
        bytes(&trainer, &folder)
    });
    assert!(resumed == straight);
}

#[test]
fn a_finished_run_can_be_extended() {
    let problem = problem(&text(r#"{ method = "adamflip", steps = 6, lr = 1e-3, lr_end = 1e-4 }"#, ""));
    let folder = tempfile::tempdir().unwrap();
    let extended = |stop: usize| {
        let mut trainer = trainer(&problem);
        trainer.run(&mut |_| Signal::Continue);
        assert_eq!((trainer.steps_taken(), trainer.ended()), (6, Some(Status::MaxSteps)));
        trainer.extend(5);
        let mut rates = Vec::new();
        let mut watch = |progress: &adamflip::train::Progress<'_>| {
            rates.push(progress.report.rate);
            if progress.step == stop { Signal::Interrupt } else { Signal::Continue }
        };
        trainer.run(&mut watch);
        trainer.run(&mut watch);
        // The schedule has ended, so the rate stays.
        assert!(rates.iter().all(|rate| (rate - 1e-4).abs() < 1e-18), "{rates:?}");
        assert_eq!((trainer.steps_taken(), trainer.steps_planned()), (11, 11));
        bytes(&trainer, &folder)
    };
    assert!(extended(0) == extended(8));
}

/// The default plan goes on by itself while losses fall; a number that was asked for is the number of steps,
/// also where the run is interrupted on the way.
#[test]
fn an_open_plan_takes_as_many_more_as_were_asked_for() {
    // Adam moves u from 0 towards 3 by a hundredth of every weight a step: the loss falls steadily from 9 for
    // sixty steps.
    let text = "fields = [\"u\"]\ndomain = { x = [0, 1] }\nnetwork = { hidden = [4] }\n\
        term.level = { equation = \"u = 3\", points = 8 }\n\
        train = { resample = 0, stages = [{ method = \"adam\", steps = 40, lr = 0.01 }] }";
    let mut problem = problem(text);
    problem.stages[0].open = Some(1_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let reopened = || {
        let mut trainer = Trainer::new(problem.clone(), 3, problem.stages.clone()).unwrap();
        trainer.restore(Checkpoint::read(&path).unwrap().snapshot).unwrap();
        trainer
    };
    let pause_at = |trainer: &mut Trainer, step: usize| {
        let watch = &mut |progress: &adamflip::train::Progress<'_>| match progress.step < step {
            true => Signal::Continue,
            false => Signal::Interrupt,
        };
        assert_eq!(trainer.run(watch), Status::Interrupted);
        Checkpoint::of(trainer).write(&path).unwrap();
    };
    // The premise: the losses still fall at the end of the plan, so that it takes fifty more.
    let mut open = trainer(&problem);
    pause_at(&mut open, 41);
    assert_eq!(open.steps_planned(), 90);
    // Interrupted before the end of the plan, and again on the way.
    let mut first = trainer(&problem);
    pause_at(&mut first, 15);
    let mut second = reopened();
    second.extend(3);
    assert_eq!(second.steps_planned(), 43);
    pause_at(&mut second, 42);
    let mut third = reopened();
    assert_eq!(third.run(&mut |_| Signal::Continue), Status::MaxSteps);
    assert_eq!((third.steps_taken(), third.steps_planned()), (43, 43));
    // After its end.
    third.extend(2);
    assert_eq!(third.run(&mut |_| Signal::Continue), Status::MaxSteps);
    assert_eq!((third.steps_taken(), third.steps_planned()), (45, 45));
}

#[test]
fn a_state_of_another_problem_or_plan_is_refused() {
    let stages = r#"{ method = "adam", steps = 5 }, { method = "adamflip", steps = 5 }"#;
    let own = problem(&text(stages, ""));
    let mut donor = trainer(&own);
    donor.run(&mut |progress| if progress.step < 7 { Signal::Continue } else { Signal::Interrupt });
    let refusal = |text: &str| {
        let problem = problem(text);
        let mut other = Trainer::new(problem.clone(), 3, problem.stages.clone()).unwrap();
        other.restore(donor.snapshot()).unwrap_err().to_string()
    };
    let base = text(stages, "");
    assert!(refusal(&base.replace("[6]", "[7]")).contains("parameters"));
    assert!(refusal(&base.replace("points = 7", "points = 8")).contains("points"));
    assert!(
        refusal(&text(r#"{ method = "adam", steps = 5 }"#, ""))
            .contains("it stands in stage 2, the plan has 1")
    );
    let other = stages.replace("adamflip", "al");
    assert!(refusal(&text(&other, "")).contains("not one of `al`"));
}
