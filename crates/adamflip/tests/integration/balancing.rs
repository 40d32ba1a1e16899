//! Losses apart from each other on networks, and what balanced weights bring.

use adamflip::evaluate;
use adamflip::optim::{ConstrainedProblem, Evaluation, Form, Method, ResidualRole, Want};
use adamflip::problem;
use adamflip::spec::{self, Overrides};
use adamflip::train::{Signal, Trainer};

use crate::objective::{load, objective};

const HEAT: &str = include_str!("../../../../problems/heat_forward.toml");
const BURGERS: &str = include_str!("../../../../problems/burgers_short.toml");

/// A trainer of a shipped problem under these settings.
fn trainer(text: &str, set: &[String]) -> Trainer {
    let overrides = Overrides { profile: None, set: set.to_vec() };
    let problem = problem::build(spec::parse("problem.toml", text, &overrides)).unwrap();
    let stages = problem.stages.clone();
    Trainer::new(problem, 0, stages).unwrap()
}

/// Two objectives and two constraints, in an order of their own: every entry of h in the mean, every row of
/// J, and Gauss and Newton's matrix by the weights are those of the problem as it is.
#[test]
fn losses_apart_are_the_same_losses() {
    let last =
        "[term.last]\nequation = \"u_t = 0\"\non = \"t = 1\"\npoints = 9\nrole = \"constraint\"\n[reference]";
    let set = [
        "term.pde.points=30",
        "term.initial.points=20",
        "term.walls.points=20",
        "term.initial.weight=3",
        "term.walls.role=objective",
        "network.hidden=2x6",
    ];
    let (mut objective, θ) = objective(&load(&HEAT.replace("[reference]", last), &set));
    objective.set_pointwise(None);
    let mut whole = Evaluation::new(θ.len(), 2);
    objective.evaluate(&θ, Want::Gradients, &mut whole);
    assert_eq!(objective.losses(), [0, 2], "pde, initial, walls, last");
    let mut matrix = vec![0.0; θ.len() * θ.len()];
    objective.add_gauss_newton(&θ, &[0.5, 2.0], &mut matrix);
    let (mut apart, mut again) = (Evaluation::new(θ.len(), 4), vec![0.0; matrix.len()]);
    objective.apart(&mut |problem| {
        assert_eq!((problem.constraints(), problem.constraint_blocks().len()), (4, 4));
        problem.evaluate(&θ, Want::Products, &mut apart);
        problem.add_gauss_newton(&θ, &[1.0, 0.5, 1.0, 2.0], &mut again);
        let blocks = problem.residual_blocks();
        let entries = (0..4).map(|entry| (ResidualRole::Constraint(entry), Form::MeanSquare));
        assert!(blocks.iter().map(|block| (block.role, block.form)).eq(entries));
    });
    let [pde, initial, walls, last] = apart.constraints[..] else { panic!() };
    assert_eq!((apart.objective, initial, last), (0.0, whole.constraints[0], whole.constraints[1]));
    // One rounding of a sum.
    assert!((pde + walls - whole.objective).abs() <= 1e-15 * whole.objective);
    let rows: Vec<&[f64]> = apart.rows().collect();
    assert!(rows[1] == whole.rows().next().unwrap() && rows[3] == whole.rows().nth(1).unwrap());
    for (i, g) in whole.gradient.iter().enumerate() {
        assert!((rows[0][i] + rows[2][i] - g).abs() <= 1e-15 * (rows[0][i].abs() + rows[2][i].abs()));
    }
    assert_eq!(matrix, again);
    assert_eq!(objective.constraints(), 2, "and together again");
}

/// Relative L2 of u and the sum of the conditions' mean squares after a warm start and this many steps of a
/// stage.
fn run(text: &str, set: &[&str], warm: usize, stage: &str) -> [f64; 2] {
    let warm = format!("{{ method = 'adam', steps = {warm}, lr = 1e-3 }}");
    let mut set: Vec<String> = set.iter().map(|&s| s.to_owned()).collect();
    set.push(format!("train.stages=[{warm}, {stage}]"));
    let mut trainer = trainer(text, &set);
    trainer.run(&mut |_| Signal::Continue);
    let error = evaluate::errors(trainer.problem(), trainer.model(), trainer.θ()).unwrap()[0].relative_l2;
    let misfits = trainer.misfits();
    [error, misfits[1].mse + misfits[2].mse]
}

#[test]
#[ignore = "minutes: a table that no page of results has yet"]
fn table_of_balancing() {
    let steps: usize = std::env::var("STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(2_000);
    let rate = "lr = 1e-3, lr_end = 1e-5";
    let mut rows = vec![("adam", String::new())];
    rows.extend(
        ["annealed", "ntk", "relobralo", "softadapt"].map(|rule| ("adam", format!(", weights = '{rule}'"))),
    );
    rows.extend([("adamflip", ", gain = 10".to_owned()), ("adamflip_split", String::new())]);
    let burgers = [
        "term.pde.points=1000",
        "term.initial.points=50",
        "term.walls.points=50",
        "network.hidden=4x20",
        "train.resample=100",
    ];
    let heat = [
        "term.pde.points=1000",
        "network.hidden=3x24",
        "train.resample=100",
        "reference.grid={x=21,y=21,t=21}",
    ];
    for (name, text, set) in [("burgers", BURGERS, &burgers[..]), ("heat", HEAT, &heat[..])] {
        for (method, more) in &rows {
            let stage = format!("{{ method = '{method}', steps = {steps}, {rate}{more} }}");
            let [error, conditions] = run(text, set, steps / 2, &stage);
            println!("| {name} | {method}{more} | {error:.1e} | {conditions:.0e} |");
        }
    }
}

#[test]
#[ignore = "minutes: the rows on Burgers of results/2026-11-18-zeroth.md"]
fn what_values_alone_cost_on_burgers() {
    let set = [
        "term.pde.points=500",
        "term.initial.points=50",
        "term.walls.points=50",
        "network.hidden=3x16",
        "train.resample=0",
    ];
    let stages = [
        "{ method = 'adam', steps = 1, lr = 1e-9 }",
        "{ method = 'fl', steps = 300 }",
        "{ method = 'fl_zeroth', steps = 300, lr = 1e-4, gain = 1000 }",
        "{ method = 'fl_zeroth', steps = 300, lr = 1e-4, gain = 1000, directions = 100 }",
    ];
    for stage in stages {
        let [error, conditions] = run(BURGERS, &set, 200, stage);
        println!("| {stage} | {error:.2e} | {conditions:.2e} |");
    }
    assert!(Method::named("fl_zeroth").is_some());
}
