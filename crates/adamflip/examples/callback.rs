//! Watching a solve, and ending it when the watcher has seen enough.

#![allow(clippy::print_stdout, mixed_script_confusables)]

use adamflip::{Problem, Signal, SolveOptions, Term};

fn main() -> Result<(), adamflip::Error> {
    let problem = Problem::builder(["u"])
        .coordinate("x", [0, 1])
        .term(Term::new("ode", "u_xx = -u"))
        .term(Term::new("start", "u = 0").on("x = 0"))
        .term(Term::new("slope", "u_x = 1").on("x = 0"))
        .set(&["network", "hidden"], "2x10")
        .build()?;
    let mut last = f64::INFINITY;
    let solution = problem.solve_with(SolveOptions::default(), |progress| {
        last = progress.misfits.iter().map(|misfit| misfit.mse).fold(0.0, f64::max);
        if progress.step.is_multiple_of(100) {
            println!("step {:4} by {:12}: largest mean square {last:.2e}", progress.step, progress.method);
        }
        if last < 1e-12 { Signal::Interrupt } else { Signal::Continue }
    })?;
    println!("u(1) = {:.7}, sin(1) = {:.7}", solution.evaluate("u", &[[1.0]])?[0], 1f64.sin());
    Ok(())
}
