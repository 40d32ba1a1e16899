//! Streams against nested dual numbers and finite differences; gradients and rows against central
//! differences.

use std::sync::Arc;

use adamflip::derivative::Partial;
use adamflip::jet::{Activation, Entry, Op, Operator, PANEL, Program, Streams, Sweep, Workspace};
use adamflip::network::{self, Architecture, Fourier, Input, Shape};
use adamflip::sample;
use num_dual::{Dual, DualNum};
use proptest::prelude::*;

const COORDINATES: usize = 3;
const ACTIVATIONS: [Activation; 5] =
    [Activation::Tanh, Activation::Sin, Activation::Swish, Activation::Gelu, Activation::Softplus];

/// Four nested dual numbers: one direction of differentiation each, so ε₁ε₂ε₃ε₄ carries any fourth
/// derivative.
type D1 = Dual<f64>;
type D2 = Dual<D1>;
type D3 = Dual<D2>;
type D4 = Dual<D3>;

/// A network of primitives or of one of the architectures, with an activation drawn for every layer.
#[derive(Clone, Debug)]
struct Case {
    program: Program,
    θ: Vec<f64>,
    points: Vec<[f64; COORDINATES]>,
    operators: Vec<Operator>,
    weights: Vec<f64>,
}

/// Kinds of networks that [`program`] makes.
const KINDS: usize = 8;

fn program(kind: usize, widths: &[usize], activations: &[Activation], outputs: usize) -> Program {
    let architecture = match kind {
        0..3 => return primitives(kind, widths, activations, outputs),
        3 | 5 | 6 => Architecture::Gated,
        4 => Architecture::Residual,
        _ => Architecture::Mlp,
    };
    let input = |coordinate, period| Input { coordinate, center: 0.1, factor: 0.9, period, even: false };
    let inputs = match kind {
        3 | 4 => vec![input(0, None), input(1, None), input(2, None)],
        // A part of the coordinates, not in order, and a periodic one; all periodic.
        5 | 7 => vec![input(2, None), input(0, Some(3.0))],
        _ => vec![input(0, Some(4.0)), input(1, Some(5.0))],
    };
    let fourier = (kind > 5).then(|| Fourier { features: 5, scale: 1.5, scales: Vec::new() });
    let shape = Shape {
        hidden: widths,
        activations,
        architecture,
        outputs,
        inputs: &inputs,
        fourier: fourier.as_ref(),
        factorized: None,
    };
    network::build(&shape, COORDINATES, &mut sample::stream(7, 0))
}

fn primitives(kind: usize, widths: &[usize], activations: &[Activation], outputs: usize) -> Program {
    let mut program = Program::new(COORDINATES);
    let scaled = [(0.1, 0.9), (-0.2, 1.1), (0.0, 0.7)].into_iter().enumerate();
    let mut register =
        program.enter(scaled.map(|(c, (center, factor))| Entry::scaled(c, center, factor)).collect());
    for (&width, &activation) in widths.iter().zip(activations) {
        let linear = program.linear(register, width);
        let layer = program.pointwise(linear, activation);
        register = match kind {
            0 => layer,
            1 => {
                let closed = program.linear(register, width);
                program.gate(linear, layer, closed, activation)
            }
            _ => {
                let twice = program.pointwise(linear, Activation::Sin);
                let sum = program.sum(linear, layer);
                let sum = program.sum(sum, twice);
                let double = program.sum(sum, sum);
                program.concatenate(double, layer)
            }
        };
    }
    program.linear(register, outputs);
    program
}

fn partial() -> impl Strategy<Value = Partial> {
    prop::collection::vec(0..COORDINATES, 0..=4).prop_map(|by| Partial::new(&by).unwrap())
}

fn operator() -> impl Strategy<Value = Operator> {
    prop_oneof![
        partial().prop_map(Operator::from),
        prop::collection::vec((partial(), -2.0..2.0f64), 2..4).prop_map(Operator::new),
        // Slopes and squares alone, the shape with kernels of its own.
        prop::collection::vec((0..COORDINATES, 1..=2usize, -2.0..2.0f64), 1..4).prop_map(|parts| {
            Operator::new(parts.into_iter().map(|(c, order, k)| (Partial::new(&vec![c; order]).unwrap(), k)))
        }),
    ]
    // The value travels on its own: operators with a part of order zero are not streams.
    .prop_filter("order zero", |o| {
        o.as_partial() == Some(Partial::VALUE) || o.parts().iter().all(|p| p.0.order() > 0)
    })
}

fn case() -> impl Strategy<Value = Case> {
    // Mostly narrow, and now and then wide enough for padded blocks and several register tiles.
    let width = prop_oneof![6 => 1..7usize, 1 => prop::sample::select(&[16usize, 17, 33, 64][..])];
    let shape = (0..KINDS, prop::collection::vec(width, 1..4), 1..3usize);
    let activations = prop::collection::vec(prop::sample::select(&ACTIVATIONS[..]), 3);
    let points = prop::collection::vec([-1.0..1.0, -1.0..1.0, -1.0..1.0], 1..40);
    (shape, activations, points, prop::collection::vec(operator(), 1..4), any::<u64>()).prop_map(
        |((kind, widths, outputs), activations, points, operators, seed)| {
            // Products of wide layers reach sizes at which finite differences say nothing: those stay narrow.
            let narrow = |width: usize| if matches!(kind, 1 | 2) { width.min(6) } else { width };
            let widths: Vec<usize> = widths.into_iter().map(narrow).collect();
            let program = program(kind, &widths, &activations, outputs);
            let numbers =
                |count: usize, salt: u64| (0..count as u64).map(|i| noise(seed ^ salt, i)).collect();
            let θ = numbers(program.parameters(), 1);
            let weights = numbers(outputs * operators.len() * points.len(), 2);
            Case { program, θ, points, operators, weights }
        },
    )
}

/// A fixed pseudo-random number in (−0.8, 0.8) by index.
fn noise(seed: u64, index: u64) -> f64 {
    let mixed = (seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd1b5_4a32_d192_ed03);
    ((mixed ^ (mixed >> 29)) % 100_000) as f64 / 100_000.0 * 1.6 - 0.8
}

/// The points as panels, padded with the first point.
fn panels(points: &[[f64; COORDINATES]]) -> Vec<f64> {
    let panels = points.len().div_ceil(PANEL);
    let mut packed = Vec::new();
    for panel in 0..panels {
        for c in 0..COORDINATES {
            packed.extend((0..PANEL).map(|p| points.get(panel * PANEL + p).unwrap_or(&points[0])[c]));
        }
    }
    packed
}

fn sweep(case: &Case) -> Sweep {
    let panels = case.points.len().div_ceil(PANEL);
    Sweep::new(Arc::new(case.program.clone()), Streams::new(&case.operators), panels)
}

/// output[operator][field] at every point, through the engine.
fn engine(case: &Case, θ: &[f64]) -> Vec<f64> {
    let sweep = sweep(case);
    let mut work = sweep.workspace();
    sweep.forward(θ, &panels(&case.points), &mut work);
    let outputs = sweep.outputs(&work, sweep.panels());
    let fields = case.program.width(case.program.output());
    positions(case, &sweep, fields).map(|at| outputs[at]).collect()
}

/// Where (point, operator, field) stands among the outputs, in this order.
fn positions(case: &Case, sweep: &Sweep, fields: usize) -> impl Iterator<Item = usize> {
    let (streams, stride) = (sweep.streams().count(), sweep.output_stride());
    let chosen: Vec<usize> = case.operators.iter().map(|o| sweep.streams().find(o).unwrap()).collect();
    (0..case.points.len()).flat_map(move |point| {
        chosen.clone().into_iter().flat_map(move |stream| {
            (0..fields)
                .map(move |field| (point / PANEL * streams + stream) * stride + field * PANEL + point % PANEL)
        })
    })
}

/// A sweep gone forward, the adjoints of its outputs seeded with the weights: ready to reverse.
fn seeded(case: &Case) -> (Sweep, Workspace) {
    let sweep = sweep(case);
    let mut work = sweep.workspace();
    sweep.forward(&case.θ, &panels(&case.points), &mut work);
    let adjoints = sweep.output_adjoints(&mut work, sweep.panels());
    adjoints.fill(0.0);
    let fields = case.program.width(case.program.output());
    for (at, weight) in positions(case, &sweep, fields).zip(&case.weights) {
        adjoints[at] += weight;
    }
    (sweep, work)
}

/// The gradient of Σ weight·output.
fn gradient(case: &Case) -> Vec<f64> {
    let (sweep, mut work) = seeded(case);
    let mut gradient = vec![0.0; case.θ.len()];
    sweep.reverse(&case.θ, &mut work, sweep.panels(), &mut gradient);
    gradient
}

/// The same point by point.
fn rows(case: &Case) -> Vec<f64> {
    let (sweep, mut work) = seeded(case);
    let mut rows = vec![0.0; case.θ.len() * sweep.panels() * PANEL];
    sweep.rows(&case.θ, &mut work, sweep.panels(), &mut rows);
    rows
}

/// The network written out for any kind of number: the independent rule.
fn network<T: DualNum<Primitive = f64>>(program: &Program, θ: &[f64], x: &[T]) -> Vec<T> {
    let enter = |entry: &Entry| {
        let start = T::from(entry.offset);
        entry.terms.iter().fold(start, |sum, t| sum + (x[t.coordinate].clone() - t.center) * t.factor)
    };
    let mut registers: Vec<Vec<T>> = Vec::new();
    for op in program.ops() {
        let value = match *op {
            Op::Enter { first, output } => {
                program.entries()[first..first + program.width(output)].iter().map(enter).collect()
            }
            Op::Linear { input, output, weight, bias } => {
                let units = program.width(output);
                let unit = |j: usize| {
                    let terms = registers[input].iter().enumerate();
                    terms.fold(T::from(θ[bias + j]), |sum, (k, a)| {
                        sum + a.clone() * θ[weight + k * units + j]
                    })
                };
                (0..units).map(unit).collect()
            }
            Op::Pointwise { input, activation, .. } => {
                registers[input].iter().map(|z| activate(activation, z.clone())).collect()
            }
            Op::Gate { input, open, closed, activation, .. } => {
                let gates = registers[open].iter().zip(&registers[closed]);
                let mix = |(z, (u, v)): (&T, (&T, &T))| {
                    let a = activate(activation, z.clone());
                    a.clone() * u.clone() + (T::from(1.0) - a) * v.clone()
                };
                registers[input].iter().zip(gates).map(mix).collect()
            }
            Op::Concatenate { left, right, .. } => {
                [registers[left].clone(), registers[right].clone()].concat()
            }
            Op::Sum { left, right, .. } => {
                registers[left].iter().zip(&registers[right]).map(|(a, b)| a.clone() + b.clone()).collect()
            }
        };
        registers.push(value);
    }
    registers.pop().unwrap()
}

fn activate<T: DualNum<Primitive = f64>>(activation: Activation, z: T) -> T {
    let logistic = |z: T| ((-z).exp() + 1.0).recip();
    match activation {
        Activation::Tanh => z.tanh(),
        Activation::Sin => z.sin(),
        Activation::Swish => z.clone() * logistic(z),
        Activation::Gelu => z.clone() * normal_distribution(z),
        Activation::Softplus => (z.exp() + 1.0).ln(),
    }
}

/// Φ(z) = ½ + φ(z)·Σ z^{2n+1} / (1·3·5···(2n+1)): no cancellation for any sign of z. The 160 summands suffice
/// to
/// |z| = 10; beyond, Φ is 0 or 1 and its derivatives are below 1e-18.
fn normal_distribution<T: DualNum<Primitive = f64>>(z: T) -> T {
    if z.re().abs() > 10.0 {
        return T::from(if z.re() > 0.0 { 1.0 } else { 0.0 });
    }
    let square = z.clone() * z.clone();
    let density = (square.clone() * -0.5).exp() * (1.0 / std::f64::consts::TAU.sqrt());
    let mut power = z;
    let mut sum = T::from(0.0);
    for n in 0..160 {
        sum += power.clone();
        power = power * square.clone() * (1.0 / (2 * n + 3) as f64);
    }
    sum * density + 0.5
}

/// ∂^μ of all outputs at x, by four nested dual numbers.
fn nested(case: &Case, x: &[f64; COORDINATES], partial: Partial) -> Vec<f64> {
    let by: Vec<usize> = partial.coordinates().collect();
    let seed = |level: usize, c: usize| if by.get(level) == Some(&c) { 1.0 } else { 0.0 };
    let lifted: Vec<D4> = (0..COORDINATES)
        .map(|c| {
            let mut d1 = D1::from(x[c]);
            d1.eps = seed(0, c);
            let mut d2 = D2::new(d1, D1::from(0.0));
            d2.eps = D1::from(seed(1, c));
            let mut d3 = D3::new(d2, D2::from(0.0));
            d3.eps = D2::from(seed(2, c));
            let mut d4 = D4::new(d3, D3::from(0.0));
            d4.eps = D3::from(seed(3, c));
            d4
        })
        .collect();
    let pick = |d4: D4| {
        let d3 = if by.len() > 3 { d4.eps } else { d4.re };
        let d2 = if by.len() > 2 { d3.eps } else { d3.re };
        let d1 = if by.len() > 1 { d2.eps } else { d2.re };
        if by.is_empty() { d1.re } else { d1.eps }
    };
    network(&case.program, &case.θ, &lifted).into_iter().map(pick).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        // The same networks in every run: a tolerance of finite differences is not a matter of luck.
        rng_seed: proptest::test_runner::RngSeed::Fixed(2026),
        ..ProptestConfig::default()
    })]

    /// Every stream of every operator, at the first and the last point. A fourth derivative of three squared
    /// gates sums products of up to eight slopes that reach 1e6 and cancel: 1e-16·1e6 with a reserve of ten.
    /// A wrong or missing summand would show in the first digits.
    #[test]
    fn streams_equal_nested_dual_numbers(case in case()) {
        let fields = case.program.width(case.program.output());
        let found = engine(&case, &case.θ);
        for point in [0, case.points.len() - 1] {
            for (o, operator) in case.operators.iter().enumerate() {
                let mut expected = vec![0.0; fields];
                let mut size = 1.0f64;
                for &(partial, c) in operator.parts() {
                    for (sum, value) in expected.iter_mut().zip(nested(&case, &case.points[point], partial)) {
                        *sum += c * value;
                        size = size.max((c * value).abs());
                    }
                }
                for field in 0..fields {
                    let value = found[(point * case.operators.len() + o) * fields + field];
                    prop_assert!((value - expected[field]).abs() <= 1e-9 * size,
                        "{operator:?}: {value} against {}", expected[field]);
                }
            }
        }
    }

    /// First-order streams against differences of the engine's own values in the coordinates. With step 1e-5
    /// a central difference is off by 2e-11 of the third derivative and 1e-11 of the value; the reserve is
    /// for their change within the step.
    #[test]
    fn slopes_equal_finite_differences(case in case(), c in 0..COORDINATES) {
        let of = |by: &[usize]| Case { operators: vec![Partial::new(by).unwrap().into()], ..case.clone() };
        let shifted = |by: f64| {
            let mut moved = of(&[]);
            moved.points.iter_mut().for_each(|x| x[c] += by);
            engine(&moved, &case.θ)
        };
        let (right, left) = (shifted(1e-5), shifted(-1e-5));
        let third = engine(&of(&[c, c, c]), &case.θ);
        for (i, slope) in engine(&of(&[c]), &case.θ).iter().enumerate() {
            let difference = (right[i] - left[i]) / 2e-5;
            let bound = 1e-9 * (1.0 + right[i].abs() + third[i].abs());
            prop_assert!((slope - difference).abs() <= bound, "{slope} against {difference}, bound {bound}");
        }
    }

    /// The reverse sweep against central differences in up to twelve parameters: truncation about 1e-10 and
    /// rounding about 1e-11 of the largest output, and gradients of fourth derivatives reach 1e3.
    #[test]
    fn gradients_equal_central_differences(case in case()) {
        let gradient = gradient(&case);
        let total = |θ: &[f64]| engine(&case, θ).iter().zip(&case.weights).map(|(o, w)| o * w).sum::<f64>();
        let size = engine(&case, &case.θ).iter().zip(&case.weights).map(|(o, w)| (o * w).abs()).sum::<f64>();
        let largest = gradient.iter().fold(1.0f64, |m, g| m.max(g.abs()));
        for i in (0..case.θ.len()).step_by(case.θ.len().div_ceil(12)) {
            let moved = |by: f64| {
                let mut θ = case.θ.clone();
                θ[i] += by;
                total(&θ)
            };
            let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            prop_assert!((gradient[i] - difference).abs() <= 1e-6 * (largest + size),
                "parameter {i}: {} against {difference}", gradient[i]);
        }
    }

    /// Rows are per-point gradients: their sum over the points is the gradient, up to the order of summation.
    #[test]
    fn rows_sum_to_the_gradient(case in case()) {
        let (rows, gradient) = (rows(&case), gradient(&case));
        let points = rows.len() / gradient.len();
        for (row, gradient) in rows.chunks(points).zip(&gradient) {
            let size: f64 = row.iter().map(|r| r.abs()).sum();
            prop_assert!((row.iter().sum::<f64>() - gradient).abs() <= 1e-12 * (1.0 + size));
        }
    }

    /// The row of a point is the gradient of that point alone.
    #[test]
    fn a_row_is_the_gradient_of_its_point(case in case()) {
        let last = case.points.len() - 1;
        let mut alone = case.clone();
        alone.weights[..last * case.weights.len() / case.points.len()].fill(0.0);
        let (rows, gradient) = (rows(&case), gradient(&alone));
        let points = rows.len() / gradient.len();
        let largest = gradient.iter().fold(1.0f64, |m, g| m.max(g.abs()));
        for (row, gradient) in rows.chunks(points).zip(&gradient) {
            prop_assert!((row[last] - gradient).abs() <= 1e-12 * largest);
        }
    }
}
