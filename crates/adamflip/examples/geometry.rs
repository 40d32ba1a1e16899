//! A plate with a hole: shapes by name, a flux condition on one of them, and an image for ParaView.

#![allow(clippy::print_stdout, mixed_script_confusables)]

use adamflip::{Problem, Signal, SolveOptions, Term, Value};

fn main() -> Result<(), adamflip::Error> {
    let disk = Value::table([("center", Value::from([0.0, 0.0])), ("radius", 0.4.into())]);
    let sides = Value::table([("x", Value::from([-1, 1])), ("y", [-1, 1].into())]);
    let problem = Problem::builder(["T"])
        .name("plate")
        .coordinate("x", [-1, 1])
        .coordinate("y", [-1, 1])
        .shape("plate", Value::table([("box", sides)]))
        .shape("hole", Value::table([("disk", disk)]))
        .inside("plate - hole")
        .term(Term::new("heat", "laplacian(T) = 0"))
        .term(Term::new("left", "T = 1").on("x = -1"))
        .term(Term::new("right", "T = 0").on("x = 1"))
        .term(Term::new("insulated", "T_n = 0").on("hole").on("y = -1").on("y = 1"))
        .build()?;
    let options = SolveOptions { seconds: Some(5.0), ..SolveOptions::default() };
    let solution = problem.solve_with(options, |_| Signal::Continue)?;
    println!("T beside the hole: {:.4}", solution.evaluate("T", &[[0.0, 0.5]])?[0]);
    println!("{}", solution.certificate());
    let folder = std::env::temp_dir().join("adamflip-plate.vti");
    solution.export(&folder)?;
    println!("{}", folder.display());
    Ok(())
}
