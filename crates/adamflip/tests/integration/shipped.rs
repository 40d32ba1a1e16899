//! Every shipped problem, small and for a few hundred steps: losses, violations and errors fall.

use adamflip::train::{Signal, Status, Trainer};
use adamflip::{evaluate, problem, spec};

const SHIPPED: [(&str, &str); 3] = [
    ("burgers_forward", include_str!("../../../../problems/burgers_forward.toml")),
    ("heat_forward", include_str!("../../../../problems/heat_forward.toml")),
    ("navier_stokes", include_str!("../../../../problems/navier_stokes.toml")),
];

fn small(text: &str) -> Trainer {
    let stages =
        r#"train.stages=[{method="adam",steps=300,lr=5e-3},{method="adamflip",steps=300,lr=2e-3,gain=20}]"#;
    let set = [
        "network.hidden=3x16",
        "term.pde.points=200",
        "term.initial.points=64",
        "term.walls.points=64",
        stages,
    ];
    let overrides = spec::Overrides { profile: None, set: set.map(str::to_owned).to_vec() };
    let problem = problem::build(spec::parse("shipped.toml", text, &overrides)).unwrap();
    let stages = problem.stages.clone();
    Trainer::new(problem, 3, stages).unwrap()
}

fn errors(trainer: &Trainer) -> Vec<f64> {
    let errors = evaluate::errors(trainer.problem(), trainer.objective().model(), trainer.θ()).unwrap();
    errors.iter().map(|error| error.relative_l2).collect()
}

#[test]
fn training_brings_violations_and_errors_down() {
    for (name, text) in SHIPPED {
        let mut trainer = small(text);
        let (start, before) = (trainer.misfits(), errors(&trainer));
        assert_eq!(trainer.run(&mut |_| Signal::Continue), Status::MaxSteps);
        let (end, after) = (trainer.misfits(), errors(&trainer));
        // Six hundred steps of a small network: the conditions of every problem fall at least fivefold from their
        // values at initialisation, and every field with a scale of its own gets closer to the reference.
        for (start, end) in start[1..].iter().zip(&end[1..]) {
            assert!(end.mse < 0.2 * start.mse, "{name}: {} to {}", start.mse, end.mse);
        }
        assert!(after[0] < 0.6 * before[0], "{name}: relative L2 {} to {}", before[0], after[0]);
    }
}

#[test]
fn a_diverging_run_keeps_the_last_finite_state() {
    let set = vec![r#"train.stages=[{method="adamflip",steps=50,lr=1e200}]"#.to_owned()];
    let overrides = spec::Overrides { profile: None, set };
    let problem = problem::build(spec::parse("shipped.toml", SHIPPED[0].1, &overrides)).unwrap();
    let stages = problem.stages.clone();
    let mut trainer = Trainer::new(problem, 0, stages).unwrap();
    assert_eq!(trainer.run(&mut |_| Signal::Continue), Status::Diverged);
    assert!(trainer.θ().iter().all(|θ| θ.is_finite()));
    assert!(trainer.misfits().iter().all(|misfit| misfit.mse.is_finite()));
}
