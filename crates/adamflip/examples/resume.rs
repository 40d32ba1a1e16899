//! A run that is interrupted, saved, and goes on with the same bits in another trainer.

#![allow(clippy::print_stdout, mixed_script_confusables)]

use adamflip::checkpoint::Checkpoint;
use adamflip::{Problem, Term};

fn main() -> Result<(), adamflip::Error> {
    let problem = Problem::builder(["u"])
        .coordinate("t", [0, 1])
        .term(Term::new("ode", "u_t = -u^2"))
        .term(Term::new("start", "u = 1").on("t = 0"))
        .build()?;
    let mut whole = problem.trainer(0)?;
    whole.advance(60);
    let mut first = problem.trainer(0)?;
    first.advance(25);
    let path = std::env::temp_dir().join("adamflip-resume.safetensors");
    Checkpoint::of(&first).write(&path)?;
    let mut second = problem.trainer(0)?;
    second.restore(Checkpoint::read(&path)?.snapshot)?;
    second.advance(35);
    println!("same bits after step {}: {}", second.steps_taken(), second.θ() == whole.θ());
    Ok(())
}
