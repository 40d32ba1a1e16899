//! Small problems, and what tests do with them: for the tests beside the code and, by `#[path]`, for those in
//! `tests/`.

// Neither of the two needs all of it.
#![allow(dead_code)]

use adamflip::problem::{self, Problem};
use adamflip::spec::{self, Overrides};
use adamflip::train::{Signal, Trainer};

/// A rod held at both ends: nearly linear, so that it trains in a moment.
pub(crate) const ROD: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
[term.pde]
equation = "u_xx = 1"
points = 8
[term.ends]
on = ["x = 0", "x = 1"]
equation = "u = 0"
points = 2
[network]
hidden = [6]
scale_outputs = false
"#;

/// Heat in a rod between cold ends, which starts as a half-wave.
pub(crate) const HEAT: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
t = [0, 0.2]
[term.pde]
equation = "u_t = u_xx"
points = 40
[term.initial]
on = "t = 0"
equation = "u = sin(pi*x)"
points = 12
[term.walls]
on = ["x = 0", "x = 1"]
equation = "u = 0"
points = 8
[network]
hidden = "2x10"
"#;

/// Exponential decay whose rate is to be found from noisy observations.
pub(crate) const DECAY: &str = r#"
fields = ["u"]
[domain]
t = [0, 1]
[unknowns]
k = { start = 1.0, truth = 2.0 }
[term.ode]
equation = "u_t = -k*u"
points   = 40
role     = "objective"
[term.start]
on       = "t = 0"
equation = "u = 1"
points   = 1
role     = "constraint"
[term.data]
data   = "reference"
points = 20
noise  = 0.05
role   = "objective"
weight = 0.1
[reference]
u = "exp(-2*t)"
[network]
hidden = [6]
[train]
stages = [{ method = "adam", steps = 100, lr = 1e-2 }, { method = "newtonflip", steps = 40 }]
"#;

/// The problem of a text, which is right.
pub(crate) fn problem(text: &str) -> Problem {
    problem_with(text, &[])
}

/// The same with these keys set, as `--set` does.
pub(crate) fn problem_with(text: &str, set: &[&str]) -> Problem {
    let overrides = Overrides { profile: None, set: set.iter().map(|&set| set.to_owned()).collect() };
    problem::build(spec::parse("p.toml", text, &overrides)).unwrap_or_else(|error| panic!("{error}"))
}

/// What is said of a text that is wrong, one error a part.
pub(crate) fn messages(text: &str) -> Vec<String> {
    let error = problem::build(spec::parse("p.toml", text, &Overrides::default())).unwrap_err();
    error.diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect()
}

/// A trainer of the stages of the text.
pub(crate) fn trainer(text: &str, seed: u64) -> Trainer {
    trainer_of(problem(text), seed)
}

/// The same of a problem.
pub(crate) fn trainer_of(problem: Problem, seed: u64) -> Trainer {
    let stages = problem.stages.clone();
    Trainer::new(problem, seed, stages).unwrap()
}

/// A trainer of the stages of the text, at their end.
pub(crate) fn trained(text: &str, seed: u64) -> Trainer {
    let mut trainer = trainer(text, seed);
    trainer.run(&mut |_| Signal::Continue);
    trainer
}
