//! A rate from noisy measurements that are in memory: its value and its 95% interval.

#![allow(clippy::print_stdout, mixed_script_confusables)]

use adamflip::{Arrays, Problem, Term};

fn main() -> Result<(), adamflip::Error> {
    // 60 measurements of exp(-3x) with an error of about 1%.
    let x: Vec<f64> = (0..60).map(|i| f64::from(i) / 59.0).collect();
    let wiggle = |i: usize| 0.01 * (12.9898 * i as f64 + 1.0).sin();
    let u = x.iter().enumerate().map(|(i, x)| f64::exp(-3.0 * x) + wiggle(i)).collect();
    let mut sensors = Arrays::new("sensors.npz");
    sensors.push("x", &[60], x)?;
    sensors.push("u", &[60], u)?;
    let solution = Problem::builder(["u"])
        .coordinate("x", [0, 1])
        .unknown("k", 1.0)
        .term(Term::new("ode", "u_x = -k*u").points(60))
        .term(Term::observed("sensors").data(sensors))
        .set(&["network", "hidden"], "2x10")
        .set(&["train", "max_seconds"], 5)
        .build()?
        .solve()?;
    for (interval, (name, value)) in solution.intervals().iter().zip(solution.unknowns()) {
        match interval.ends() {
            Some([lower, upper]) => println!("{name} = {value:.4}, between {lower:.4} and {upper:.4}"),
            None => println!("{name} = {value:.4}, not determined by the data"),
        }
    }
    Ok(())
}
