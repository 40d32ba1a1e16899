//! A solution for other programs: ONNX, NumPy, CSV, ParaView; and a folder that opens again.

#![allow(clippy::print_stdout, mixed_script_confusables)]

use adamflip::{Problem, Solution, Term};

fn main() -> Result<(), adamflip::Error> {
    let solution = Problem::builder(["u"])
        .coordinate("x", [0, 1])
        .term(Term::new("ode", "u_x = -u"))
        .term(Term::new("start", "u = 1").on("x = 0"))
        .set(&["network", "hidden"], "2x10")
        .set(&["train", "accuracy"], 1e-4)
        .build()?
        .solve()?;
    let folder = std::env::temp_dir().join("adamflip-export");
    solution.save(&folder)?;
    for name in ["u.onnx", "u.npz", "u.csv", "u.vti"] {
        solution.export(folder.join(name))?;
    }
    let again = Solution::load(&folder)?;
    println!("u(1) = {:.6}, from {}", again.evaluate("u", &[[1.0]])?[0], folder.display());
    Ok(())
}
