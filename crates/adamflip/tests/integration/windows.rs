//! Windows of time: one solution at the end, whose windows fit together, that is judged as one and resumes to
//! the bit.

use adamflip::checkpoint::Checkpoint;
use adamflip::geometry::Points;
use adamflip::problem::Problem;
use adamflip::train::{Signal, Status, Trainer};
use adamflip::{evaluate, problem, spec, uncertainty};

/// A swing with two conditions at its start.
const SWING: &str = r#"
fields = ["u"]
[domain]
t = [0, 6]
[term.motion]
equation = "u_tt = -u"
points = 40
[term.start]
on = "t = 0"
equation = ["u = 1", "u_t = 0"]
points = 1
[reference]
u = "cos(t)"
[network]
hidden = [10]
scale_outputs = false
"#;

/// Heat whose ends and start are one term.
const HEAT: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
t = [0, 1]
[term.pde]
equation = "u_t = 0.1*u_xx"
points = 100
[term.edge]
on = ["x = 0", "x = 1", "t = 0"]
equation = "u = exp(-0.1*pi^2*t)*sin(pi*x)"
points = 40
[reference]
u = "exp(-0.1*pi^2*t)*sin(pi*x)"
[network]
hidden = [10]
"#;

fn built(text: &str) -> Problem {
    crate::testing::problem(text)
}

fn refused(text: &str) -> String {
    let rejected = problem::build(spec::parse("p.toml", text, &Default::default())).unwrap_err();
    rejected.diagnostics.iter().map(|mistake| mistake.message.clone()).collect::<Vec<_>>().join("; ")
}

fn trainer(text: &str, train: &str) -> Trainer {
    let problem = built(&format!("{text}\n[train]\n{train}"));
    let stages = problem.stages.clone();
    Trainer::new(problem, 1, stages).unwrap()
}

fn error(trainer: &Trainer) -> f64 {
    evaluate::errors(trainer.problem(), trainer.model(), trainer.θ()).unwrap()[0].relative_l2
}

#[test]
fn windows_fit_together_and_are_judged_as_one() {
    for (text, windows) in [(SWING, 3), (HEAT, 2)] {
        let stages = "stages = [{ method = \"adam\", steps = 100, lr = 3e-3 }, { method = \"newtonflip\", steps = 60 }]";
        let mut trainer = trainer(text, &format!("windows = {windows}\n{stages}"));
        assert_eq!(trainer.run(&mut |_| Signal::Continue), Status::MaxSteps);
        assert_eq!((trainer.windows().unwrap().count(), trainer.steps_taken()), (windows, windows * 160));
        let error = error(&trainer);
        assert!(error < 1e-3, "{error}");
        let estimates = uncertainty::assess(&trainer.state()).estimates;
        let ratio = estimates[0].relative_l2 / error;
        assert!((0.05..20.0).contains(&ratio), "{ratio}");
        // The certificate sees the starts of all windows: a jump there would be a violation.
        let certificate = trainer.certify();
        assert!(certificate.violations.iter().all(|violation| violation.max < 0.05), "{certificate:?}");
        assert!(certificate.violations[1].points >= windows);
        let bounds = trainer.windows().unwrap().clone();
        for &bound in &bounds.bounds[1..windows] {
            let mut points = Points::new(trainer.problem().coordinates.len(), 2);
            points.column_mut(0).fill(0.5);
            points.column_mut(bounds.coordinate).copy_from_slice(&[bound.next_down(), bound]);
            let u =
                evaluate::predict(trainer.problem(), trainer.model(), trainer.θ(), &points).swap_remove(0);
            assert!((u[0] - u[1]).abs() < 2e-3, "{u:?} at {bound}");
        }
    }
}

#[test]
fn a_jump_between_windows_is_a_violation() {
    let stages = "stages = [{ method = \"newtonflip\", steps = 60 }]";
    let mut trainer = trainer(SWING, &format!("windows = 2\n{stages}"));
    trainer.run(&mut |_| Signal::Continue);
    let mut θ = trainer.θ().to_vec();
    // The last parameter of a network is the bias of its output.
    let last = θ.len() - 1;
    θ[last] += 0.5;
    let state = adamflip::certificate::State { θ: &θ, ..trainer.state() };
    let start = adamflip::certificate::violation(&state, 1, 10);
    assert!((start.max - 0.5).abs() < 0.05, "{start:?}");
}

#[test]
fn a_run_in_windows_resumes_to_the_bit() {
    let stages = "stages = [{ method = \"adam\", steps = 10 }, { method = \"newtonflip\", steps = 10 }]";
    let train = format!("windows = 2\nresample = 1\n{stages}");
    let again = || trainer(HEAT, &train);
    let mut straight = again();
    straight.run(&mut |_| Signal::Continue);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.safetensors");
    for stop in [5, 15, 20, 21, 33] {
        let mut first = again();
        let status = first.run(&mut |progress| match progress.step < stop {
            true => Signal::Continue,
            false => Signal::Interrupt,
        });
        assert_eq!(status, Status::Interrupted);
        Checkpoint::of(&first).write(&path).unwrap();
        let mut second = again();
        second.restore(Checkpoint::read(&path).unwrap().snapshot).unwrap();
        second.run(&mut |_| Signal::Continue);
        assert_eq!(second.θ(), straight.θ(), "after {stop}");
        assert_eq!(second.windows(), straight.windows());
    }
}

#[test]
fn a_window_that_is_too_long_is_halved() {
    // Seven waves are too many for six units.
    let text = SWING
        .replace("u_tt = -u", "u_tt = -49*u")
        .replace("cos(t)", "cos(7*t)")
        .replace("hidden = [10]", "hidden = [6]")
        .replace("points = 40", "points = 120");
    let mut trainer = trainer(&text, "accuracy = 1e-3");
    let status = trainer.run(&mut |progress| match progress.step < 20_000 {
        true => Signal::Continue,
        false => Signal::TimeUp,
    });
    let ends = trainer.window_ends();
    assert!(ends.iter().any(|window| window.is_given_up), "{status:?} {ends:?}");
    assert!(trainer.windows().unwrap().count() > 1);
    assert_eq!(trainer.window().map(|[_, to, end]| to == end), Some(true), "{ends:?}");
    let error = error(&trainer);
    assert!(error < 0.05, "{error} {ends:?}");
}

#[test]
fn a_problem_that_is_solved_as_a_whole_has_no_windows() {
    let mut trainer = trainer(SWING, "seed = 1");
    assert!(trainer.problem().windows.is_some());
    trainer.run(&mut |_| Signal::Continue);
    assert!(trainer.windows().is_none() && trainer.window_ends().is_empty());
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let two = "\n[train]\nwindows = 2\n";
    let swing = |from: &str, to: &str| refused(&format!("{}{two}", SWING.replace(from, to)));
    for (found, expected) in [
        (
            refused(&format!(
                "{}{two}",
                SWING
                    .replace("t = [", "s = [")
                    .replace("t = 0\"", "s = 0\"")
                    .replace("u_tt", "u_ss")
                    .replace("u_t ", "u_s ")
                    .replace("(t)", "(s)")
            )),
            "no coordinate is called `t`",
        ),
        (swing("on = \"t = 0\"", "on = \"t = 6\""), "no term holds at the first time"),
        (
            swing("points = 1", "points = 1\n[term.later]\non = \"t = 3\"\nequation = \"u = 0\"\npoints = 1"),
            "`later` holds at t = 3 alone",
        ),
        (
            swing(
                "points = 1",
                "points = 1\n[term.early]\non = \"t < 1\"\nequation = \"u_tt = -u\"\npoints = 3",
            ),
            "`early` has no points in window 2",
        ),
        (swing("-u\"", "-u(t - 1)\""), "`motion` reads the solution at other times"),
        (swing("[network]", "[network]\nansatz = \"1 + t*N\""), "the ansatz depends on `t`"),
        (
            swing("[network]", "[unknowns]\nk = { start = 1 }\n[network]"),
            "a problem with unknowns has no windows",
        ),
    ] {
        assert!(found.contains(expected), "{found:?} lacks {expected:?}");
    }
    assert!(refused(&format!("{SWING}\n[train]\nwindows = 0\n")).contains("windows"));
}
