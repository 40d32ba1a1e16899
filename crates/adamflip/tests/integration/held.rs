//! Noisy data and a coefficient that is a field: the plan ends before it fits the noise.

use adamflip::evaluate;
use adamflip::train::{Signal, Status, Trainer};

const ROD: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
[unknowns]
a = { of = ["x"], start = 0.7, bounds = [0.1, 3], hidden = [8], truth = "1 + 0.5*x" }
[term.balance]
equation = "d(a*u_x, x) = d((1 + 0.5*x)*pi*cos(pi*x), x)"
points = 40
[term.ends]
on = ["x = 0", "x = 1"]
equation = ["u = 0", "a = 1 + 0.5*x"]
points = 2
[term.data]
data = "reference"
observe = ["u"]
points = 150
noise = 0.2
[reference]
u = "sin(pi*x)"
[network]
hidden = [8, 8]
"#;

fn trainer(train: &str) -> Trainer {
    let text = format!("{ROD}[train]\n{train}");
    crate::testing::trainer(&text, 2)
}

fn error_of_a(trainer: &Trainer) -> f64 {
    evaluate::errors(trainer.problem(), trainer.model(), trainer.θ()).unwrap()[1].relative_l2
}

#[test]
fn a_run_ends_before_it_fits_noise() {
    let mut ours = trainer("seed = 2");
    assert_eq!(ours.points()[2].len(), 135);
    let status = ours.run(&mut |_| Signal::Continue);
    assert_eq!(status, Status::Converged, "{}", ours.advice(status));
    assert!(ours.advice(status).contains("held out"), "{}", ours.advice(status));
    let held = error_of_a(&ours);
    // The same stages to their end, with all observations.
    let mut own = trainer(
        "resample = 1\nstages = [{ method = \"adam\", steps = 300, lr = 3e-3 }, { method = \"newtonflip\", steps = 400 }]",
    );
    assert_eq!(own.points()[2].len(), 150);
    own.run(&mut |_| Signal::Continue);
    let fitted = error_of_a(&own);
    // 0.23 and 0.75: the noise of 135 observations is a fifth of the field.
    assert!(held < 0.6 * fitted && held < 0.3, "{held} {fitted}");
}

#[test]
fn it_resumes_to_the_bit() {
    let mut straight = trainer("seed = 2");
    straight.run(&mut |_| Signal::Continue);
    let stop = straight.steps_taken() - 7;
    let mut first = trainer("seed = 2");
    first.run(&mut |progress| if progress.step < stop { Signal::Continue } else { Signal::Interrupt });
    let mut second = trainer("seed = 2");
    second.restore(first.snapshot()).unwrap();
    second.run(&mut |_| Signal::Continue);
    assert_eq!((second.θ(), second.steps_taken()), (straight.θ(), straight.steps_taken()));
}

#[test]
fn what_is_held_out_stays_so_for_every_value_of_a_constant() {
    let text = ROD
        .replace("[unknowns]", "[constants]\nk = [2, 1]\n[unknowns]")
        .replace("d(a*u_x, x) =", "d(a*u_x, x) = k*");
    let trainer = crate::testing::trained(&text, 2);
    assert_eq!((trainer.shortfall(), trainer.points()[2].len()), (None, 135));
}
