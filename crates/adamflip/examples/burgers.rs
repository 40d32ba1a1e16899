//! Burgers' equation stated in code, solved within a budget, and compared with nothing but itself.

#![allow(clippy::print_stdout, mixed_script_confusables)]

use adamflip::{Problem, Signal, SolveOptions, Term};

fn main() -> Result<(), adamflip::Error> {
    let problem = Problem::builder(["u"])
        .name("burgers")
        .coordinate("x", [-1, 1])
        .coordinate("t", [0, 1])
        .constant("nu", "0.01/pi")
        .term(Term::new("pde", "u_t + u*u_x = nu*u_xx").points(2000))
        .term(Term::new("initial", "u = -sin(pi*x)").on("t = 0").points(100))
        .term(Term::new("walls", "u = 0").on("x = -1").on("x = 1").points(100))
        .build()?;
    let seconds = std::env::args().nth(1).and_then(|argument| argument.parse().ok()).unwrap_or(60.0);
    let options = SolveOptions { seconds: Some(seconds), ..SolveOptions::default() };
    let solution = problem.solve_with(options, |_| Signal::Continue)?;
    let points: Vec<[f64; 2]> = (0..=8).map(|i| [-1.0 + 0.25 * f64::from(i), 0.5]).collect();
    for (point, u) in points.iter().zip(solution.evaluate("u", &points)?) {
        println!("u({:5.2}, {}) = {u:8.5}", point[0], point[1]);
    }
    for estimate in solution.estimates() {
        println!("estimated relative error: {:.1e}", estimate.relative_l2);
    }
    println!("{}", solution.certificate());
    Ok(())
}
