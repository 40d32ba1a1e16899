//! Many solves from code: the same equation for several coefficients, each started from the one before.

#![allow(clippy::print_stdout, mixed_script_confusables)]

use adamflip::{Problem, Signal, Solution, Term};

fn main() -> Result<(), adamflip::Error> {
    let mut before: Option<Solution> = None;
    for k in [1.0, 2.0, 4.0, 8.0] {
        let problem = Problem::builder(["u"])
            .coordinate("x", [0, 1])
            .constant("k", k)
            .term(Term::new("ode", "u_xx = k^2*u"))
            .term(Term::new("left", "u = 1").on("x = 0"))
            .term(Term::new("right", "u = 0").on("x = 1"))
            .set(&["network", "hidden"], "2x10")
            .set(&["train", "accuracy"], 1e-4)
            .build()?;
        let mut trainer = problem.trainer(0)?;
        if let Some(before) = &before {
            trainer.start_from(&before.state())?;
        }
        trainer.run(&mut |_| Signal::Continue);
        let solution = Solution::of(&trainer);
        let (u, steps) = (solution.evaluate("u", &[[0.5]])?[0], trainer.steps_taken());
        println!("k = {k}: u(1/2) = {u:.6} (exactly {:.6}) after {steps} steps", 0.5 / (0.5 * k).cosh());
        before = Some(solution);
    }
    Ok(())
}
