//! The two forms of the model: the same where squares lose nothing, and rows where they do.

use super::super::{ConstrainedProblem, GaussNewton, NewtonFlip, NewtonFlipSettings, Optimizer};
use super::tests::{Linear, sines, whole};
use super::*;

mod network;

fn with(factor: ModelFactor) -> NewtonFlipSettings {
    let settings = NewtonFlipSettings::default();
    NewtonFlipSettings { newton: NewtonSettings { factor, ..settings.newton }, ..settings }
}

fn after(steps: usize, settings: NewtonFlipSettings, problem: &mut Linear) -> (Vec<f64>, NewtonFlip) {
    let mut θ = sines(problem.size, 0.9);
    let mut optimizer = NewtonFlip::new(settings, problem.size, &problem.constraint_blocks());
    for step in 0..steps {
        optimizer.step(problem, &mut θ);
        if step % 2 == 1 {
            optimizer.points_changed();
        }
    }
    (θ, optimizer)
}

/// Squared, to be refined, or triangular.
fn stage(state: &State) -> usize {
    state.iter().find(|(name, _)| *name == "factor").map(|(_, list)| list[0] as usize).unwrap()
}

fn owned(state: State) -> Vec<(String, Vec<f64>)> {
    state.into_iter().map(|(name, list)| (name.to_owned(), list)).collect()
}

/// To the bit, with NaN where something is not known yet.
fn same(one: &[(String, Vec<f64>)], other: &[(String, Vec<f64>)]) -> bool {
    format!("{one:?}") == format!("{other:?}")
}

/// Damping, memory, multipliers and weights: all of it by rows and by squares.
#[test]
fn both_forms_take_the_same_steps() {
    for (size, residuals, constraints) in [(3, 5, 1), (20, 40, 7), (60, 50, 15)] {
        for steps in 1..6 {
            let run = |factor| after(steps, with(factor), &mut Linear::new(size, residuals, constraints));
            let ((squared, first), (rows, second)) = (run(ModelFactor::Squared), run(ModelFactor::Qr));
            assert_eq!((stage(&first.state()), stage(&second.state())), (0, 2));
            let apart = squared.iter().zip(&rows).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            // Rounding times the condition number of the damped matrix, 1e4 or so.
            assert!(apart < 1e-9 * norm(&squared), "{size} after {steps}: {apart:e}");
            let multipliers = first.multipliers().iter().zip(second.multipliers());
            let most = norm(first.multipliers());
            assert!(multipliers.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max) < 1e-7 * most, "{size}");
        }
    }
}

/// ‖Aθ − a‖² with singular values σ of A from 1 to 1e-10, evenly in their logarithm, and √σ of a along each:
/// where σ is not seen, √σ of the residual stays. θ grows to 1e5, so that rounding of Aθ is 1e-11.
fn graded(size: usize) -> Linear {
    let mut problem = Linear::new(size, size + 20, 0);
    let rows = size + 20;
    let singular = |j: usize| 10f64.powf(-10.0 * j as f64 / (size - 1) as f64);
    problem.residuals =
        (0..rows * size).map(|at| if at / size == at % size { singular(at % size) } else { 0.0 }).collect();
    problem.values = (0..rows).map(|i| if i < size { singular(i).sqrt() } else { 0.0 }).collect();
    let (left, right) = (sines(rows, 0.4), sines(size, 1.3));
    for row in problem.residuals.chunks_exact_mut(size) {
        let along = 2.0 * dot(row, &right) / dot(&right, &right);
        add_scaled(row, -along, &right);
    }
    let share = 2.0 / dot(&left, &left);
    for column in 0..size {
        let along: f64 = (0..rows).map(|i| share * left[i] * problem.residuals[i * size + column]).sum();
        (0..rows).for_each(|i| problem.residuals[i * size + column] -= along * left[i]);
    }
    let along = share * dot(&left, &problem.values);
    add_scaled(&mut problem.values, -along, &left);
    problem
}

#[test]
fn what_squares_lose_rows_keep() {
    let left = |factor| {
        let mut problem = graded(40);
        let settings = NewtonSettings { factor, ..NewtonSettings::default() };
        let mut optimizer = GaussNewton::new(settings, 40, &[]);
        let mut θ = vec![0.0; 40];
        for _ in 0..60 {
            optimizer.step(&mut problem, &mut θ);
        }
        norm(&problem.misfit(&problem.residuals, &problem.values, &θ))
    };
    // √σ of the smallest singular value is 1e-5.
    let squared = left(ModelFactor::Squared);
    assert!(squared > 1e-6, "{squared:e}");
    for factor in [ModelFactor::Qr, ModelFactor::Auto] {
        let rows = left(factor);
        // Ten times the rounding of Aθ.
        assert!(rows < 1e-10, "{factor:?}: {rows:e}");
    }
}

/// Saved before every step, through the change of forms, with fresh points and without: the same bits.
#[test]
fn forms_resume_to_the_bit() {
    let mut problem = graded(30);
    let settings = NewtonSettings { factor: ModelFactor::Auto, ..NewtonSettings::default() };
    let make = || GaussNewton::new(settings, 30, &[]);
    let (mut optimizer, mut θ, mut stages) = (make(), vec![0.0; 30], Vec::new());
    for step in 0..30 {
        stages.push(stage(&optimizer.state()));
        let saved = owned(optimizer.state());
        let mut resumed = make();
        assert!(resumed.restore(&saved));
        assert!(same(&saved, &owned(resumed.state())));
        if step % 3 == 2 {
            optimizer.points_changed();
            resumed.points_changed();
        }
        let mut copy = θ.clone();
        optimizer.step(&mut problem, &mut θ);
        resumed.step(&mut problem, &mut copy);
        assert_eq!(θ, copy, "step {step}");
        // Back to before the step, perhaps from rows to squares, and on again.
        let next = owned(optimizer.state());
        assert!(optimizer.restore(&saved));
        assert!(same(&saved, &owned(optimizer.state())));
        assert!(optimizer.restore(&next));
        assert!(same(&next, &owned(optimizer.state())));
    }
    stages.dedup();
    assert_eq!(stages, [0, 1, 2], "it was squared at first and had rows at the end");
}

/// A state from before there were rows continues with squares.
#[test]
fn states_without_a_form_are_squared() {
    let (_, optimizer) = after(3, with(ModelFactor::Auto), &mut Linear::new(20, 40, 7));
    let state = optimizer.state().into_iter().filter(|(name, _)| *name != "factor");
    let state = owned(state.collect());
    let mut resumed =
        NewtonFlip::new(with(ModelFactor::Auto), 20, &Linear::new(20, 40, 7).constraint_blocks());
    assert!(resumed.restore(&state));
    assert!(same(&owned(resumed.state()), &owned(optimizer.state())));
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| after(4, with(ModelFactor::Qr), &mut Linear::new(150, 600, 30)).0)
    };
    let once = run(1);
    assert!(run(2) == once && run(3) == once);
}

/// Rows that are not finite for once: θ and what is remembered stay, and the next step is as if nothing had
/// been.
#[test]
fn rows_that_are_not_finite_are_not_remembered() {
    let settings = NewtonFlipSettings { newton: with(ModelFactor::Qr).newton, ..whole() };
    let (mut θ, mut optimizer) = after(2, settings, &mut Linear::new(20, 40, 7));
    let before = optimizer.state();
    let mut broken = Linear::new(20, 40, 7);
    broken.residuals[3] = f64::INFINITY;
    let start = θ.clone();
    let report = optimizer.step(&mut broken, &mut θ);
    assert!(!report.gradient_norm.is_finite() && report.step_norm == 0.0 && θ == start);
    let memory =
        |state: &State| state.iter().find(|(name, _)| *name == "memory").map(|(_, list)| list.clone());
    assert!(memory(&before).is_some() && memory(&before) == memory(&optimizer.state()));
    let report = optimizer.step(&mut Linear::new(20, 40, 7), &mut θ);
    assert!(report.gradient_norm.is_finite() && θ.iter().all(|x| x.is_finite()));
}
