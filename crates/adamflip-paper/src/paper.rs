//! The numbers of the paper: *AdamFLIP: Adaptive Momentum Feedback Linearization Optimization for Hard
//! Constrained PINN Training* (Lu, Zhang, Mou, Li, Lin, 2026). Its times are those of an NVIDIA H100.

use super::benchmark::Benchmark;
use super::cell::MethodId;
use super::quantity::{Condition, Quantity};
use Condition::{Boundary, Data, Initial, Physics};
use Quantity::{Error, MeanSquare, Seconds, Unknown, UnknownError};

/// A mean and, where given, the standard deviation over three seeds.
pub(crate) type Value = (f64, Option<f64>);

/// Problem, quantity, and the numbers of Standard PINN (adam), AdamFLIP, FL-PINN, AL-PINN and trSQP-PINN.
type Row = (&'static str, Quantity, [f64; 5]);

/// Table 1, "Consolidated error comparison".
#[rustfmt::skip]
const TABLE: [Row; 43] = [
    ("burgers_forward", Error("u"),                [2.51e-1, 3.12e-2, 1.06e-1, 8.20e-2, 4.43e-1]),
    ("burgers_forward", MeanSquare(Initial),       [4.26e-3, 1.00e-4, 6.82e-4, 2.34e-3, 9.91e-2]),
    ("burgers_forward", MeanSquare(Boundary),      [2.44e-3, 1.00e-4, 4.40e-4, 6.25e-5, 9.80e-2]),
    ("burgers_forward", MeanSquare(Physics),       [1.49e-3, 2.60e-3, 1.13e-2, 2.97e-3, 1.31e-3]),
    ("burgers_forward", Seconds,                   [113.0, 115.0, 133.0, 155.0, 625.0]),

    ("burgers_inverse", Error("u"),                [5.46e-1, 5.74e-2, 4.19e-1, 4.02e-1, 4.54e-1]),
    ("burgers_inverse", MeanSquare(Initial),       [9.00e-3, 2.90e-3, 2.26e-2, 3.06e-2, 4.41e-1]),
    ("burgers_inverse", MeanSquare(Boundary),      [1.00e-4, 3.50e-3, 2.04e-2, 2.73e-2, 2.56e-1]),
    ("burgers_inverse", MeanSquare(Physics),       [1.00e-4, 2.11e-2, 1.80e-3, 2.48e-2, 5.20e-3]),
    ("burgers_inverse", MeanSquare(Data),          [1.13e-1, 1.20e-3, 6.62e-2, 5.94e-2, 4.07e-1]),
    ("burgers_inverse", UnknownError("kappa1"),    [3.33e-2, 1.54e-2, 1.28e-1, 5.94e-1, 9.82e-1]),
    ("burgers_inverse", UnknownError("kappa2"),    [6.50e-3, 3.60e-3, 9.65e-2, 7.97e-2, 1.90e-2]),
    ("burgers_inverse", Seconds,                   [248.0, 324.0, 334.0, 334.0, 621.0]),

    ("tfmdwe_forward",  Error("u"),                [7.71e-1, 2.85e-1, 4.26e-1, 4.93e-1, 4.56e-1]),
    ("tfmdwe_forward",  MeanSquare(Initial),       [1.65e-3, 1.42e-5, 1.36e-4, 1.11e-3, 1.69e-3]),
    ("tfmdwe_forward",  MeanSquare(Boundary),      [2.19e-2, 1.47e-4, 4.20e-3, 5.16e-2, 2.90e-2]),
    ("tfmdwe_forward",  MeanSquare(Physics),       [1.07e-1, 8.87e-2, 1.19e-1, 7.88e-1, 8.13e-1]),
    ("tfmdwe_forward",  Seconds,                   [56.0, 50.0, 52.0, 53.0, 105.0]),

    ("tfmdwe_inverse",  Error("u"),                [2.22e-1, 3.95e-2, 5.99e-1, 8.81e-1, 6.67e-1]),
    ("tfmdwe_inverse",  MeanSquare(Initial),       [9.01e-4, 1.77e-5, 1.56e-5, 2.60e-4, 1.19e-4]),
    ("tfmdwe_inverse",  MeanSquare(Boundary),      [2.27e-2, 2.57e-4, 4.08e-4, 3.74e-3, 3.59e-3]),
    ("tfmdwe_inverse",  MeanSquare(Physics),       [7.01e-2, 6.53e-2, 1.82e-1, 4.92e-3, 3.78e-3]),
    ("tfmdwe_inverse",  MeanSquare(Data),          [3.59e-3, 1.13e-4, 2.61e-2, 5.62e-2, 5.44e-2]),
    ("tfmdwe_inverse",  UnknownError("alpha"),     [1.93e-1, 3.40e-2, 7.40e-2, 9.54e-2, 1.64e-1]),
    ("tfmdwe_inverse",  Seconds,                   [120.0, 133.0, 141.0, 134.0, 144.0]),

    ("heat_forward",    Error("u"),                [3.43e-2, 7.53e-3, 9.49e-3, 3.09e-2, 6.60e-1]),
    ("heat_forward",    MeanSquare(Initial),       [1.20e-4, 5.59e-5, 1.13e-4, 3.65e-5, 1.22e-1]),
    ("heat_forward",    MeanSquare(Boundary),      [1.56e-4, 6.35e-5, 1.70e-4, 7.89e-5, 2.62e-2]),
    ("heat_forward",    MeanSquare(Physics),       [1.82e-3, 2.00e-4, 7.35e-4, 7.41e-4, 1.07e-2]),
    ("heat_forward",    Seconds,                   [261.0, 336.0, 354.0, 364.0, 1260.0]),

    ("heat_inverse",    Error("u"),                [2.90e-2, 1.59e-2, 4.06e-2, 3.98e-2, 6.42e-1]),
    ("heat_inverse",    MeanSquare(Initial),       [3.06e-5, 1.43e-5, 1.80e-5, 1.71e-4, 4.81e-4]),
    ("heat_inverse",    MeanSquare(Boundary),      [1.19e-4, 1.03e-5, 8.73e-6, 3.07e-4, 4.57e-3]),
    ("heat_inverse",    MeanSquare(Physics),       [2.79e-4, 9.13e-5, 7.44e-5, 2.29e-4, 3.73e-3]),
    ("heat_inverse",    MeanSquare(Data),          [5.22e-5, 1.51e-5, 8.81e-5, 9.18e-5, 2.59e-2]),
    ("heat_inverse",    UnknownError("kappa"),     [9.00e-4, 5.00e-4, 6.70e-3, 2.00e-3, 8.84e-1]),
    ("heat_inverse",    Seconds,                   [297.0, 346.0, 360.0, 361.0, 1300.0]),

    ("navier_stokes",   Error("u"),                [3.62e-2, 1.18e-2, 7.70e-2, 5.19e-2, 1.96e0]),
    ("navier_stokes",   Error("v"),                [3.48e-2, 1.06e-2, 8.13e-2, 3.69e-2, 9.68e-1]),
    ("navier_stokes",   MeanSquare(Initial),       [2.15e-5, 1.26e-5, 1.98e-3, 1.10e-3, 7.82e-4]),
    ("navier_stokes",   MeanSquare(Boundary),      [1.02e-4, 4.86e-5, 2.72e-3, 8.13e-4, 3.56e-4]),
    ("navier_stokes",   MeanSquare(Physics),       [6.11e-4, 2.53e-4, 1.08e-2, 8.56e-4, 1.29e1]),
    ("navier_stokes",   Seconds,                   [155.0, 335.0, 414.0, 410.0, 720.0]),
];

/// The tables "Parameter estimation results" of the appendix; the order of the fractional problem is not
/// among them.
#[rustfmt::skip]
const COEFFICIENTS: [Row; 3] = [
    ("burgers_inverse", Unknown("kappa1"),         [0.9667, 1.0154, 0.8723, 1.5940, 1.9821]),
    ("burgers_inverse", Unknown("kappa2"),         [0.0097, 0.0067, 0.0996, 0.0829, 0.0222]),
    ("heat_inverse",    Unknown("kappa"),          [0.0991, 0.0995, 0.0933, 0.1020, 0.9840]),
];

/// A row of the study of the moments.
pub(crate) struct Betas {
    pub(crate) betas: (f64, f64),
    pub(crate) error: Value,
}

/// "Ablation study on the momentum parameters": heat, forward, K_p = 1000, K_i = 0.01, three seeds.
#[rustfmt::skip]
pub(crate) const BETAS: [Betas; 6] = [
    Betas { betas: (0.0,  0.9),    error: (2.15e-1, Some(3.34e-2)) },
    Betas { betas: (0.5,  0.99),   error: (1.00e-1, Some(1.28e-2)) },
    Betas { betas: (0.9,  0.99),   error: (1.33e-1, Some(1.56e-2)) },
    Betas { betas: (0.9,  0.999),  error: (1.10e-1, Some(1.89e-2)) },
    Betas { betas: (0.95, 0.999),  error: (8.48e-3, Some(5.01e-2)) },
    Betas { betas: (0.99, 0.9999), error: (7.53e-3, Some(6.99e-3)) },
];

/// A row of the study of the gain: mean squares.
pub(crate) struct Gain {
    pub(crate) gain: f64,
    pub(crate) physics: Value,
    pub(crate) initial: Value,
    pub(crate) boundary: Value,
}

/// "Ablation study on the proportional penalty gain": three seeds; the problem and the moments are not said.
#[rustfmt::skip]
pub(crate) const GAINS: [Gain; 8] = [
    gain(10.0,   (3.83e-4, 5.66e-5), (9.83e-1, 1.17e-1), (8.48e-2, 4.87e-2)),
    gain(50.0,   (4.71e-3, 5.96e-4), (3.88e-2, 5.31e-3), (3.55e-2, 7.72e-3)),
    gain(100.0,  (7.34e-3, 4.68e-4), (2.54e-2, 1.33e-2), (2.95e-2, 1.48e-2)),
    gain(200.0,  (1.01e-2, 1.07e-3), (3.55e-2, 3.08e-2), (2.68e-2, 1.49e-2)),
    gain(500.0,  (1.12e-2, 6.52e-4), (2.27e-2, 1.76e-2), (1.89e-2, 1.29e-2)),
    gain(1000.0, (1.30e-2, 1.02e-3), (1.26e-2, 4.99e-3), (1.31e-2, 4.80e-3)),
    gain(2000.0, (1.43e-2, 1.56e-3), (8.16e-3, 6.20e-4), (9.25e-3, 1.50e-3)),
    gain(5000.0, (2.25e-2, 3.38e-3), (1.10e-2, 4.69e-3), (9.28e-3, 4.49e-3)),
];

const fn gain(gain: f64, physics: (f64, f64), initial: (f64, f64), boundary: (f64, f64)) -> Gain {
    const fn value(of: (f64, f64)) -> Value {
        (of.0, Some(of.1))
    }
    Gain { gain, physics: value(physics), initial: value(initial), boundary: value(boundary) }
}

/// The paper's number of a problem by a method; for our own best, that of AdamFLIP.
pub(crate) fn number(problem: &Benchmark, quantity: Quantity, method: MethodId) -> Option<f64> {
    // Of the steps before the last the paper says nothing: its number for that one stands beside them.
    let quantity = match quantity {
        Quantity::LateError(field) => Quantity::Error(field),
        other => other,
    };
    let rows = TABLE.iter().chain(&COEFFICIENTS);
    let (.., numbers) = rows.into_iter().find(|(name, of, _)| *name == problem.name && *of == quantity)?;
    let column = if method == MethodId::Best { MethodId::AdamFlip } else { method } as usize;
    numbers.get(column).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::BENCHMARKS;

    #[test]
    fn every_row_of_our_table_has_its_numbers_but_the_pressure() {
        for problem in &BENCHMARKS {
            for quantity in problem.quantities() {
                let known = MethodId::ALL.map(|method| number(problem, quantity, method).is_some());
                let expected = quantity != Error("p");
                assert_eq!(known, [expected; 6], "{} {quantity:?}", problem.name);
            }
            assert_eq!(number(problem, Seconds, MethodId::AdamFlip), Some(f64::from(problem.seconds)));
        }
        assert_eq!(number(&BENCHMARKS[1], Unknown("kappa2"), MethodId::Al), Some(0.0829));
        assert_eq!(number(&BENCHMARKS[3], Unknown("alpha"), MethodId::Al), None);
    }

    #[test]
    fn values_and_errors_of_the_coefficients_agree() {
        // The paper gives three or four digits of each.
        for (problem, unknown, truth) in
            [(1, "kappa1", 1.0), (1, "kappa2", 0.01 / std::f64::consts::PI), (5, "kappa", 0.1)]
        {
            for method in MethodId::ALL {
                let value = number(&BENCHMARKS[problem], Unknown(unknown), method).unwrap();
                let error = number(&BENCHMARKS[problem], UnknownError(unknown), method).unwrap();
                assert!(((value - truth).abs() - error).abs() < 5e-4, "{unknown} {method:?}");
            }
        }
    }
}
