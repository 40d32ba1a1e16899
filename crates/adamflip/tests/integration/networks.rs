//! Networks from shapes: what each architecture computes, what enters it, and how its weights are trained.

use std::sync::Arc;

use adamflip::derivative::Partial;
use adamflip::jet::{Activation, Op, Operator, PANEL, Program, Streams, Sweep};
use adamflip::network::{
    self, Architecture, Factorized, Fourier, Input, Parametrization, Shape, build, initialize,
};
use adamflip::sample;

const PERIOD: f64 = 4.0;

/// x with a period, y not; t is a coordinate of the problem that the networks do not read.
const INPUTS: [Input; 2] = [
    Input { coordinate: 1, center: 0.5, factor: 2.0, period: None, even: false },
    Input { coordinate: 0, center: 0.0, factor: 0.5, period: Some(PERIOD), even: false },
];

const PLAIN: [Input; 2] = [
    Input { coordinate: 0, center: 0.1, factor: 0.9, period: None, even: false },
    Input { coordinate: 1, center: -0.2, factor: 1.1, period: None, even: false },
];

fn shape(architecture: Architecture) -> Shape<'static> {
    Shape {
        hidden: &[5, 5, 5, 5],
        activations: &[Activation::Tanh, Activation::Swish],
        architecture,
        outputs: 2,
        inputs: &PLAIN,
        fourier: None,
        factorized: None,
    }
}

/// Every partial derivative up to the fourth order in three coordinates.
fn operators() -> Vec<Operator> {
    let lists = (0..4u32.pow(4)).map(|code| {
        let digits = (0..4).map(move |i| code / 4u32.pow(i) % 4);
        digits.filter(|&c| c < 3).map(|c| c as usize).collect::<Vec<_>>()
    });
    lists.map(|by| Partial::new(&by).unwrap().into()).collect()
}

/// The streams of output 0 at up to a panel of points, `[stream][point]`.
fn jets(program: &Program, θ: &[f64], points: &[[f64; 3]], wanted: &[Operator]) -> (Streams, Vec<Vec<f64>>) {
    let sweep = Sweep::new(Arc::new(program.clone()), Streams::new(wanted), 1);
    let mut work = sweep.workspace();
    let packed: Vec<f64> = (0..program.inputs())
        .flat_map(|c| (0..PANEL).map(move |p| points.get(p).unwrap_or(&points[0])[c]))
        .collect();
    sweep.forward(θ, &packed, &mut work);
    let outputs = sweep.outputs(&work, 1);
    let column = |s: usize| outputs[s * sweep.output_stride()..][..points.len()].to_vec();
    (sweep.streams().clone(), (0..sweep.streams().count()).map(column).collect())
}

/// The layers of a program in order: what each makes of a vector.
fn layers<'a>(program: &'a Program, θ: &'a [f64]) -> Vec<impl Fn(&[f64]) -> Vec<f64> + 'a> {
    let of = |op: &'a Op| match *op {
        Op::Linear { output, weight, bias, .. } => Some(move |x: &[f64]| {
            let units = program.width(output);
            let unit = |j| {
                x.iter().enumerate().fold(θ[bias + j], |sum, (k, x)| sum + x * θ[weight + k * units + j])
            };
            (0..units).map(unit).collect::<Vec<f64>>()
        }),
        _ => None,
    };
    program.ops().iter().filter_map(of).collect()
}

fn map(f: impl Fn(f64) -> f64, x: &[f64]) -> Vec<f64> {
    x.iter().map(|&x| f(x)).collect()
}

fn swish(z: f64) -> f64 {
    z / (1.0 + (-z).exp())
}

#[test]
fn gated_and_residual_networks_are_those_of_the_papers() {
    let point = [0.3, 0.7, 0.0];
    let x: Vec<f64> = PLAIN.iter().map(|i| (point[i.coordinate] - i.center) * i.factor).collect();
    for architecture in [Architecture::Mlp, Architecture::Gated, Architecture::Residual] {
        let program = build(&shape(architecture), 3, &mut sample::stream(0, 0));
        let θ: Vec<f64> = initialize(&program, None, &mut sample::stream(1, 0))
            .iter()
            .enumerate()
            .map(|(i, w)| w + 0.01 * (i % 7) as f64)
            .collect();
        let layers = layers(&program, &θ);
        let activate = |layer: usize, z: &[f64]| if layer == 0 { map(f64::tanh, z) } else { map(swish, z) };
        let expected = match architecture {
            Architecture::Mlp => {
                let h = (0..4).fold(x.clone(), |h, l| activate(l, &layers[l](&h)));
                layers[4](&h)
            }
            Architecture::Gated => {
                let (u, v) = (activate(0, &layers[0](&x)), activate(0, &layers[1](&x)));
                let h = (0..4).fold(x.clone(), |h, l| {
                    let a = activate(l, &layers[2 + l](&h));
                    (0..5).map(|j| a[j] * u[j] + (1.0 - a[j]) * v[j]).collect()
                });
                layers[6](&h)
            }
            Architecture::Residual => {
                let h = activate(0, &layers[0](&x));
                let inner = activate(2, &layers[2](&activate(1, &layers[1](&h))));
                let h: Vec<f64> = h.iter().zip(inner).map(|(h, inner)| h + inner).collect();
                // The fourth layer has no partner.
                layers[4](&activate(3, &layers[3](&h)))
            }
        };
        let (_, found) = jets(&program, &θ, &[point], &[]);
        // Sums of at most five products in another order.
        assert!((found[0][0] - expected[0]).abs() < 1e-14, "{architecture:?}: {found:?} {expected:?}");
    }
}

#[test]
fn the_first_layer_sees_coordinates_then_waves_then_features() {
    let fourier = Some(&Fourier { features: 5, scale: 3.0, scales: Vec::new() });
    let shape = Shape { hidden: &[], inputs: &INPUTS, fourier, ..shape(Architecture::Mlp) };
    let program = build(&shape, 3, &mut sample::stream(0, 0));
    let first = program.ops().iter().find_map(|op| match *op {
        Op::Linear { input, .. } => Some(program.width(input)),
        _ => None,
    });
    assert_eq!(first, Some(1 + 2 + 5), "y, the sine and cosine of x, five features");
    // In the periodic coordinate the frequencies are whole numbers of waves.
    for entry in &program.entries()[1..] {
        let in_x = entry.terms.iter().filter(|term| term.coordinate == 0);
        let waves: f64 = in_x.map(|term| term.factor * PERIOD / std::f64::consts::TAU).sum();
        assert!((waves - waves.round()).abs() < 1e-14, "{waves}");
    }
    let again = build(&shape, 3, &mut sample::stream(0, 0));
    assert_eq!(program, again, "the same frequencies from the same generator");
}

#[test]
fn periodic_networks_are_periodic_in_every_derivative() {
    for architecture in [Architecture::Mlp, Architecture::Gated, Architecture::Residual] {
        for fourier in [None, Some(&Fourier { features: 6, scale: 2.0, scales: Vec::new() })] {
            let shape = Shape { inputs: &INPUTS, fourier, ..shape(architecture) };
            let program = build(&shape, 3, &mut sample::stream(0, 0));
            let θ = initialize(&program, None, &mut sample::stream(1, 0));
            let ends = [[-2.0, 0.3, 0.0], [2.0, 0.3, 0.0], [-1.7, 0.3, 0.0], [2.3, 0.3, 0.0]];
            let (streams, found) = jets(&program, &θ, &ends, &operators());
            for (operator, values) in streams.operators().iter().zip(&found) {
                let size = values.iter().fold(1.0f64, |m, v| m.max(v.abs()));
                for pair in values.chunks(2) {
                    // Phases differ by one rounding of 2π·waves; derivatives of the fourth order magnify it
                    // by the number of layers and factors that it passes, some hundred.
                    let gap = (pair[0] - pair[1]).abs();
                    assert!(gap <= 1e-13 * size, "{architecture:?} {operator:?}: {gap:e} of {size}");
                }
            }
        }
    }
}

#[test]
fn coordinates_that_are_not_read_do_not_matter() {
    let shape = Shape { inputs: &INPUTS, ..shape(Architecture::Gated) };
    let program = build(&shape, 3, &mut sample::stream(0, 0));
    let θ = initialize(&program, None, &mut sample::stream(1, 0));
    let (streams, found) = jets(&program, &θ, &[[0.4, 0.3, 0.0], [0.4, 0.3, 7.0]], &operators());
    for (operator, values) in streams.operators().iter().zip(&found) {
        assert_eq!(values[0], values[1]);
        let by_t = operator.as_partial().is_some_and(|partial| partial.order_in(2) > 0);
        assert_eq!(values[0] == 0.0, by_t, "{operator:?}: {values:?}");
    }
}

#[test]
fn gates_of_every_width_and_shortcuts_where_they_fit() {
    let hidden = &[4, 6, 6, 6, 4];
    let gated = build(&Shape { hidden, ..shape(Architecture::Gated) }, 3, &mut sample::stream(0, 0));
    let count = |program: &Program, kind: fn(&Op) -> bool| program.ops().iter().filter(|op| kind(op)).count();
    assert_eq!(count(&gated, |op| matches!(op, Op::Gate { .. })), 5);
    assert_eq!(count(&gated, |op| matches!(op, Op::Linear { .. })), 5 + 2 * 2 + 1);
    let residual = build(&Shape { hidden, ..shape(Architecture::Residual) }, 3, &mut sample::stream(0, 0));
    assert_eq!(count(&residual, |op| matches!(op, Op::Sum { .. })), 0, "4 → 6 and 6 → 4 have no shortcut");
    let hidden = &[6, 4, 6, 6, 6];
    let residual = build(&Shape { hidden, ..shape(Architecture::Residual) }, 3, &mut sample::stream(0, 0));
    assert_eq!(count(&residual, |op| matches!(op, Op::Sum { .. })), 2);
}

#[test]
fn factorized_weights_begin_as_the_plain_ones() {
    let program = build(&shape(Architecture::Gated), 3, &mut sample::stream(0, 0));
    let plain = initialize(&program, None, &mut sample::stream(1, 0));
    let factorized = Factorized { mean: 1.0, deviation: 0.1 };
    let θ = initialize(&program, Some(factorized), &mut sample::stream(1, 0));
    let parametrization = Parametrization::new(&program, true);
    assert_eq!(θ.len(), parametrization.parameters());
    // One s for each unit of the gates, the four layers and the output.
    assert_eq!(θ.len(), plain.len() + 6 * 5 + 2);
    let mut weights = vec![f64::NAN; parametrization.weights()];
    parametrization.expand(&θ, &mut weights);
    // exp(s)·exp(−s) is 1 to a few roundings.
    assert!(weights.iter().zip(&plain).all(|(w, p)| (w - p).abs() <= 1e-15), "{weights:?} {plain:?}");
    let identity = Parametrization::new(&program, false);
    assert!(identity.is_identity() && !parametrization.is_identity());
    assert_eq!(identity.parameters(), plain.len());
}

#[test]
fn factorized_gradients_equal_central_differences() {
    let program = Arc::new(build(&shape(Architecture::Residual), 3, &mut sample::stream(0, 0)));
    let parametrization = Parametrization::new(&program, true);
    let factorized = Factorized { mean: 0.5, deviation: 0.3 };
    let θ = initialize(&program, Some(factorized), &mut sample::stream(1, 0));
    let laplacian = Operator::new([0, 1].map(|c| (Partial::new(&[c, c]).unwrap(), 1.0)));
    let sweep = Sweep::new(program, Streams::new(&[laplacian]), 1);
    let points: Vec<f64> = (0..3 * PANEL).map(|i| (i as f64 * 0.37).sin()).collect();
    let seeds = |len: usize| (0..len).map(|i| (i as f64 * 0.73).cos());
    let total = |θ: &[f64]| {
        let mut weights = vec![0.0; parametrization.weights()];
        parametrization.expand(θ, &mut weights);
        let mut work = sweep.workspace();
        sweep.forward(&weights, &points, &mut work);
        let outputs = sweep.outputs(&work, 1);
        let sum = outputs.iter().zip(seeds(outputs.len())).map(|(o, s)| o * s).sum::<f64>();
        let adjoints = sweep.output_adjoints(&mut work, 1);
        seeds(adjoints.len()).zip(adjoints).for_each(|(seed, adjoint)| *adjoint = seed);
        (sum, weights, work)
    };
    let (_, weights, work) = total(&θ);
    let mut of_weights = vec![0.0; weights.len()];
    sweep.reverse(&weights, &mut work.clone(), 1, &mut of_weights);
    let mut gradient = vec![f64::NAN; θ.len()];
    parametrization.pull_back(&θ, &of_weights, &mut gradient);
    for i in 0..θ.len() {
        let moved = |by: f64| {
            let mut θ = θ.clone();
            θ[i] += by;
            total(&θ).0
        };
        // Truncation and rounding of a central difference with step 1e-5: 1e-10 of third derivatives, which
        // reach 1e3.
        let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        assert!((gradient[i] - difference).abs() <= 1e-7, "{i}: {} against {difference}", gradient[i]);
    }
    let mut rows = vec![0.0; weights.len() * PANEL];
    sweep.rows(&weights, &mut work.clone(), 1, &mut rows);
    let mut of_points = vec![f64::NAN; θ.len() * PANEL];
    parametrization.pull_back_rows(&θ, &rows, PANEL, &mut of_points);
    for (row, gradient) in of_points.chunks(PANEL).zip(&gradient) {
        let size: f64 = row.iter().map(|r| r.abs()).sum();
        assert!((row.iter().sum::<f64>() - gradient).abs() <= 1e-12 * (1.0 + size));
    }
}

#[test]
fn a_perceptron_is_a_plain_shape() {
    let domain = adamflip::geometry::Domain::new(vec![0.0, -1.0], vec![4.0, 1.0]).unwrap();
    let perceptron = network::perceptron(&domain, &[5, 6], Activation::Sin, 2, true);
    let inputs = Input::all(&domain, true);
    let plain = Shape {
        hidden: &[5, 6],
        activations: &[Activation::Sin],
        inputs: &inputs,
        ..shape(Architecture::Mlp)
    };
    assert_eq!(perceptron, build(&plain, 2, &mut sample::stream(0, 0)));
}
