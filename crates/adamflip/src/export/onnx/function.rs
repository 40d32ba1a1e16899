//! Activations and functions by operators. Where onnxruntime has no operator in double precision, a formula
//! of others takes its place, exact to rounding.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI};

use super::OnnxError;
use super::builder::{Builder, Tensor};
use crate::jet::Activation;
use crate::lang::Function;

/// σ(z).
pub(super) fn activate(builder: &mut Builder, activation: Activation, z: Tensor) -> Tensor {
    match activation {
        Activation::Tanh => builder.apply("Tanh", &[z]),
        Activation::Sin => builder.apply("Sin", &[z]),
        Activation::Swish => {
            let logistic = builder.apply("Sigmoid", &[z]);
            builder.apply("Mul", &[z, logistic])
        }
        Activation::Gelu => gelu(builder, z),
        Activation::Softplus => softplus(builder, z),
    }
}

/// A function of the equation language.
pub(super) fn function(builder: &mut Builder, function: Function, x: Tensor) -> Result<Tensor, OnnxError> {
    let operator = match function {
        Function::Sin => "Sin",
        Function::Cos => "Cos",
        Function::Tanh => "Tanh",
        Function::Exp => "Exp",
        Function::Log => "Log",
        Function::Sqrt => "Sqrt",
        Function::Abs => "Abs",
        Function::Sign => "Sign",
        Function::Tan => return Ok(tangent(builder, x)),
        Function::Sinh => return Ok(sinh(builder, x)),
        Function::Cosh => return Ok(cosh(builder, x)),
        Function::Atan => return Ok(atan(builder, x)),
        Function::Asin => return Ok(asin(builder, x)),
        Function::Acos => return Ok(acos(builder, x)),
        Function::Erf => return Ok(erf(builder, x)),
        Function::Gamma | Function::Digamma => return Err(OnnxError::Function { name: function.name() }),
    };
    Ok(builder.apply(operator, &[x]))
}

fn with_number(builder: &mut Builder, operator: &str, x: Tensor, number: f64) -> Tensor {
    let number = builder.number(number);
    builder.apply(operator, &[x, number])
}

fn number_with(builder: &mut Builder, operator: &str, number: f64, x: Tensor) -> Tensor {
    let number = builder.number(number);
    builder.apply(operator, &[number, x])
}

/// e^(factor·x).
fn exponential(builder: &mut Builder, x: Tensor, factor: f64) -> Tensor {
    let scaled = with_number(builder, "Mul", x, factor);
    builder.apply("Exp", &[scaled])
}

/// ln(1 + eᶻ) = max(z, 0) + ln(1 + e^{−|z|}).
fn softplus(builder: &mut Builder, z: Tensor) -> Tensor {
    let size = builder.apply("Abs", &[z]);
    let tail = exponential(builder, size, -1.0);
    let tail = with_number(builder, "Add", tail, 1.0);
    let tail = builder.apply("Log", &[tail]);
    let positive = with_number(builder, "Max", z, 0.0);
    builder.apply("Add", &[positive, tail])
}

fn tangent(builder: &mut Builder, x: Tensor) -> Tensor {
    let (sine, cosine) = (builder.apply("Sin", &[x]), builder.apply("Cos", &[x]));
    builder.apply("Div", &[sine, cosine])
}

/// (eˣ + e⁻ˣ)/2.
fn cosh(builder: &mut Builder, x: Tensor) -> Tensor {
    let (rising, falling) = (exponential(builder, x, 1.0), exponential(builder, x, -1.0));
    let sum = builder.apply("Add", &[rising, falling]);
    with_number(builder, "Mul", sum, 0.5)
}

/// tanh x · cosh x: nothing cancels near zero.
fn sinh(builder: &mut Builder, x: Tensor) -> Tensor {
    let (tanh, cosh) = (builder.apply("Tanh", &[x]), cosh(builder, x));
    builder.apply("Mul", &[tanh, cosh])
}

/// The step of the midpoint rule in [`erfc`]: its error is e^{−(π/h)²} = 7e-18.
const STEP: f64 = 0.5;
/// The nodes of the rule: the first that is left out has the weight e^{−(13.5·h)²} = 2e-20.
const NODES: u32 = 13;

/// The squares of the nodes.
fn squares() -> impl Iterator<Item = f64> {
    (0..NODES).map(|k| ((f64::from(k) + 0.5) * STEP).powi(2))
}

/// erfc x for x ≥ 0: the midpoint rule for (2x/π)·e^{−x²}·∫₀^∞ e^{−v²}/(x² + v²) dv, and what the pole at v =
/// ix adds, 2/(1 + e^{2πx/h}) (Hunter and Regan, Math. Comp. 26, 1972). All terms are positive: nothing
/// cancels.
fn erfc(builder: &mut Builder, x: Tensor) -> Tensor {
    let square = builder.apply("Mul", &[x, x]);
    let mut sum: Option<Tensor> = None;
    for node in squares() {
        let below = with_number(builder, "Add", square, node);
        let term = number_with(builder, "Div", (-node).exp(), below);
        sum = Some(sum.map_or(term, |sum| builder.apply("Add", &[sum, term])));
    }
    let bell = exponential(builder, square, -1.0);
    let bell = builder.apply("Mul", &[bell, x]);
    let bell = with_number(builder, "Mul", bell, 2.0 * STEP / PI);
    let pole = exponential(builder, x, 2.0 * PI / STEP);
    let pole = with_number(builder, "Add", pole, 1.0);
    let pole = number_with(builder, "Div", 2.0, pole);
    let integral = sum.map_or(bell, |sum| builder.apply("Mul", &[bell, sum]));
    builder.apply("Add", &[integral, pole])
}

/// sign x · (1 − erfc |x|).
fn erf(builder: &mut Builder, x: Tensor) -> Tensor {
    let (size, sign) = (builder.apply("Abs", &[x]), builder.apply("Sign", &[x]));
    let rest = erfc(builder, size);
    let value = number_with(builder, "Sub", 1.0, rest);
    builder.apply("Mul", &[sign, value])
}

/// z·Φ(z), with Φ(z) = erfc(|z|/√2)/2 for negative z and one minus that for the others.
fn gelu(builder: &mut Builder, z: Tensor) -> Tensor {
    let size = builder.apply("Abs", &[z]);
    let size = with_number(builder, "Mul", size, FRAC_1_SQRT_2);
    let tail = erfc(builder, size);
    let tail = with_number(builder, "Mul", tail, 0.5);
    let rest = number_with(builder, "Sub", 1.0, tail);
    let negative = with_number(builder, "Less", z, 0.0);
    let distribution = builder.apply("Where", &[negative, tail, rest]);
    builder.apply("Mul", &[z, distribution])
}

/// How often the angle is halved in [`atan`]: tan(π/16) = 0.2 remains.
const HALVINGS: u32 = 3;
/// The terms of the series there: the first that is left out is 0.2²⁵/25 = 1e-19.
const TERMS: u32 = 12;
/// Beyond this the angle is π/2 to rounding, and the square still a number.
const STEEPEST: f64 = 1e100;

/// atan y = 2·atan(y/(1 + √(1 + y²))), three times, then the series y − y³/3 + y⁵/5 − ….
fn atan(builder: &mut Builder, y: Tensor) -> Tensor {
    let y = with_number(builder, "Min", y, STEEPEST);
    let mut y = with_number(builder, "Max", y, -STEEPEST);
    for _ in 0..HALVINGS {
        let square = builder.apply("Mul", &[y, y]);
        let square = with_number(builder, "Add", square, 1.0);
        y = halved(builder, y, square);
    }
    let series = series(builder, y);
    with_number(builder, "Mul", series, f64::from(1 << HALVINGS))
}

/// y/(1 + √square).
fn halved(builder: &mut Builder, y: Tensor, square: Tensor) -> Tensor {
    let root = builder.apply("Sqrt", &[square]);
    let below = with_number(builder, "Add", root, 1.0);
    builder.apply("Div", &[y, below])
}

/// y·Σ (−y²)ⁿ/(2n + 1), by Horner's scheme.
fn series(builder: &mut Builder, y: Tensor) -> Tensor {
    let square = builder.apply("Mul", &[y, y]);
    let negative = builder.apply("Neg", &[square]);
    let mut sum = builder.number(1.0 / f64::from(2 * TERMS - 1));
    for n in (0..TERMS - 1).rev() {
        let product = builder.apply("Mul", &[sum, negative]);
        sum = with_number(builder, "Add", product, 1.0 / f64::from(2 * n + 1));
    }
    builder.apply("Mul", &[y, sum])
}

/// asin x = 2·atan(x/(1 + √(1 − x²))).
fn asin(builder: &mut Builder, x: Tensor) -> Tensor {
    let square = builder.apply("Mul", &[x, x]);
    let square = number_with(builder, "Sub", 1.0, square);
    let half = halved(builder, x, square);
    let angle = atan(builder, half);
    with_number(builder, "Mul", angle, 2.0)
}

/// π/2 − asin x.
fn acos(builder: &mut Builder, x: Tensor) -> Tensor {
    let angle = asin(builder, x);
    number_with(builder, "Sub", FRAC_PI_2, angle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formula of [`erfc`], in plain numbers. That its operators say the same is checked by onnxruntime.
    #[test]
    fn the_midpoint_rule_is_exact_to_rounding() {
        for i in 0..=700 {
            let x = f64::from(i) / 100.0;
            let sum: f64 = squares().map(|node| (-node).exp() / (x * x + node)).sum();
            let value =
                2.0 * STEP * x / PI * (-x * x).exp() * sum + 2.0 / (1.0 + (2.0 * PI * x / STEP).exp());
            // A few roundings, and those of x² in the exponential: relative to the value, x²·2⁻⁵³ more.
            let error = (value / libm::erfc(x) - 1.0).abs();
            assert!(error < 1e-15 + x * x * 3e-16, "{x}: {error}");
        }
    }

    #[test]
    fn the_series_of_the_angle_is_exact_to_rounding() {
        let halved = |y: f64| y / (1.0 + (1.0 + y * y).sqrt());
        for y in [0.0f64, 1e-9, 0.3, 1.0, 7.0, 1e6, STEEPEST] {
            let small = (0..HALVINGS).fold(y, |y, _| halved(y));
            let term = |n: u32| (-small * small).powi(n as i32) / f64::from(2 * n + 1);
            let value = f64::from(1 << HALVINGS) * small * (0..TERMS).map(term).sum::<f64>();
            // A few roundings.
            assert!((value - y.atan()).abs() <= 1e-15 * y.atan(), "{y}: {value}");
        }
    }
}
