//! Histories of u = (t − START)³ sin x, whose Caputo derivatives are known, through lowered tapes.

use super::*;
use crate::derivative::Partial;
use crate::lang::{Function, HERE, Tape};
use std::f64::consts::FRAC_PI_2;

const START: f64 = 0.5;
const END: f64 = 2.0;
const RANGES: [(f64, f64); 2] = [(-1.0, 2.0), (START, END)];
const T: usize = 1;
const KINDS: [Caputo; 3] = [Caputo::Lines, Caputo::Scattered, Caputo::L1];
const POINTS: [[f64; 2]; 3] = [[0.3, 0.6], [-0.8, 1.4], [1.9, 2.0]];

fn context(kind: Caputo, nodes: Option<usize>, unknowns: &[Quantity]) -> Context<'_> {
    Context { ranges: &RANGES, unknowns, rule: Rule { kind, nodes } }
}

fn unknown(start: f64, lower: f64, upper: f64) -> Quantity {
    Quantity { start, bounds: Some((lower, upper)) }
}

/// The derivative of u at a point.
fn u(partial: Partial, point: &[f64]) -> f64 {
    let (times, turns) = (partial.order_in(T), partial.order_in(0));
    let factor: f64 = (0..times).map(|i| 3.0 - i as f64).product();
    let power = if times > 3 { 0.0 } else { (point[1] - START).powi(3 - times as i32) };
    factor * power * (point[0] + turns as f64 * FRAC_PI_2).sin()
}

/// D^α u and its derivative by α.
fn exact(order: f64, point: &[f64]) -> (f64, f64) {
    let elapsed = point[1] - START;
    let value = 6.0 / Function::Gamma.value(4.0 - order) * elapsed.powf(3.0 - order) * point[0].sin();
    (value, value * (Function::Digamma.value(4.0 - order) - elapsed.ln()))
}

/// The outputs at a point, each with its derivatives by the unknowns; jets are those of u.
fn evaluate(graph: &Graph, outputs: &[Id], point: &[f64], unknowns: &[f64]) -> Vec<(f64, Vec<f64>)> {
    let tape = Tape::lower(graph, outputs);
    let place = |site: usize| match site {
        HERE => point.to_vec(),
        site => graph
            .site_coordinates(site)
            .iter()
            .map(|&c| evaluate(graph, &[c], point, unknowns)[0].0)
            .collect(),
    };
    let input = |leaf: &Leaf| match *leaf {
        Leaf::Coordinate(c) => point[c],
        Leaf::Unknown(unknown) => unknowns[unknown],
        Leaf::Jet { partial, site, .. } => u(partial, &place(site)),
        Leaf::Attribute(_) | Leaf::Slot(_) => f64::NAN,
    };
    let mut values: Vec<f64> = tape.inputs().iter().map(input).collect();
    values.resize(tape.registers(), 0.0);
    tape.forward(&mut values, 1);
    let slopes = |&output: &usize| {
        let mut adjoints = vec![0.0; tape.registers()];
        adjoints[output] = 1.0;
        tape.reverse(&values, &mut adjoints, 1);
        let of = |unknown| tape.inputs().iter().position(|&leaf| leaf == Leaf::Unknown(unknown));
        let adjoint = |unknown| of(unknown).map_or(0.0, |register: usize| adjoints[register]);
        (values[output], (0..unknowns.len()).map(adjoint).collect())
    };
    tape.outputs().iter().map(slopes).collect()
}

/// The points at which the residuals of an expansion are taken.
fn places(expanded: &Expanded, point: &[f64; 2]) -> Vec<[f64; 2]> {
    match &expanded.line {
        None => vec![*point],
        Some(line) => (0..line.nodes.len()).map(|node| [point[0], line.at(node, point[1])]).collect(),
    }
}

fn jet(graph: &mut Graph, coordinates: &[usize]) -> Id {
    graph.leaf(Leaf::Jet { field: 0, partial: Partial::new(coordinates).unwrap(), site: HERE })
}

fn caputo(graph: &mut Graph, order: Id) -> Id {
    let u = jet(graph, &[]);
    graph.caputo(u, order, T)
}

fn expanded(graph: &mut Graph, residuals: &[Id], context: &Context<'_>) -> Expanded {
    expand(graph, residuals, context).unwrap()
}

/// How far a discretisation of u may be off: rounding for the spectral rules, which are exact for cubics; for
/// L1 with 400 steps of at most 1/267, h^{2+s} with s ≥ −1 times the second derivative 6e ≤ 9.
fn tolerance(kind: Caputo) -> f64 {
    if kind == Caputo::L1 { 9.0 / 267.0 } else { 1e-12 }
}

fn nodes(kind: Caputo) -> Option<usize> {
    (kind == Caputo::L1).then_some(400)
}

#[test]
fn constant_orders() {
    for kind in KINDS {
        for order in [0.01, 0.5, 0.99, 0.99999, 1.01, 1.5, 1.99] {
            let mut graph = Graph::new();
            let constant = graph.constant(order);
            let residual = caputo(&mut graph, constant);
            let result = expanded(&mut graph, &[residual], &context(kind, nodes(kind), &[]));
            assert_eq!(result.line.is_some(), kind == Caputo::Lines);
            for point in POINTS {
                let values = evaluate(&graph, &result.residuals, &point, &[]);
                for (value, place) in values.iter().zip(places(&result, &point)) {
                    let error = (value.0 - exact(order, &place).0).abs();
                    assert!(error < tolerance(kind), "{kind:?} {order} {place:?}: {error}");
                }
            }
        }
    }
}

#[test]
fn unknown_orders_and_their_derivative() {
    for kind in KINDS {
        for (bounds, orders) in [((0.0, 1.0), [0.02, 0.4, 0.97]), ((1.0, 2.0), [1.02, 1.6, 1.97])] {
            let start = 0.5 * (bounds.0 + bounds.1);
            let unknowns = [unknown(start, bounds.0, bounds.1)];
            let mut graph = Graph::new();
            let order = graph.leaf(Leaf::Unknown(0));
            let residual = caputo(&mut graph, order);
            let result = expanded(&mut graph, &[residual], &context(kind, nodes(kind), &unknowns));
            for (order, point) in orders.into_iter().flat_map(|order| POINTS.map(|point| (order, point))) {
                let at = |order: f64| evaluate(&graph, &result.residuals, &point, &[order]);
                let (before, values, after) = (at(order - 1e-4), at(order), at(order + 1e-4));
                for (row, place) in places(&result, &point).into_iter().enumerate() {
                    let (value, slope) = exact(order, &place);
                    let (found, found_slope) = (values[row].0, values[row].1[0]);
                    // The error of L1 grows with |ln h| < 7 under d/dα.
                    assert!((found - value).abs() < tolerance(kind), "{kind:?} {order} {place:?}");
                    assert!(
                        (found_slope - slope).abs() < 7.0 * tolerance(kind),
                        "{kind:?} {order} {place:?}"
                    );
                    let difference = (after[row].0 - before[row].0) / 2e-4;
                    // h²/6 = 2e-9 times a third derivative: at most |ln h|³ = 343 for L1, and rounding
                    // 1e-12/1e-4.
                    assert!((found_slope - difference).abs() < 1e-6, "{kind:?} {order} {place:?}");
                }
            }
        }
    }
}

#[test]
fn lines_have_the_slopes_of_the_line_matrix() {
    let unknowns = [unknown(0.3, 0.0, 1.0)];
    let mut graph = Graph::new();
    let order = graph.leaf(Leaf::Unknown(0));
    let residual = caputo(&mut graph, order);
    let result = expanded(&mut graph, &[residual], &context(Caputo::Lines, Some(9), &unknowns));
    let rule = fractional::Gauss::new(9, 0.0);
    for end in [END, 0.5 * (START + END)] {
        let at = places(&result, &[0.7, end]);
        let values = evaluate(&graph, &result.residuals, &[0.7, end], &[0.3]);
        for (row, value) in values.into_iter().enumerate() {
            let entries = fractional::line_row(&rule, row, end - START, -0.3);
            let slope = |place: &[f64; 2]| u(Partial::new(&[T]).unwrap(), place);
            let (sum, by_s) = entries.iter().zip(&at).fold((0.0, 0.0), |sum, (entry, place)| {
                (sum.0 + entry.0 * slope(place), sum.1 + entry.1 * slope(place))
            });
            // The same sums in another order; d/dα = −d/ds.
            assert!((value.0 - sum).abs() < 1e-13 && (value.1[0] + by_s).abs() < 1e-13, "{row}");
        }
    }
}

#[test]
fn l1_is_that_of_numbers() {
    let mut graph = Graph::new();
    let order = graph.constant(1.3);
    let residual = caputo(&mut graph, order);
    let result = expanded(&mut graph, &[residual], &context(Caputo::L1, Some(7), &[]));
    let (point, s) = ([0.7, 1.6], -0.3_f64);
    let h = (point[1] - START) / 7.0;
    let value = |j: usize| u(Partial::new(&[T]).unwrap(), &[point[0], point[1] - j as f64 * h]);
    let weights = fractional::l1_weights(7, s).into_iter().enumerate();
    let sum: f64 = weights.map(|(j, b)| b.0 * (value(j) - value(j + 1))).sum();
    let expected = h.powf(s) / Function::Gamma.value(s + 2.0) * sum;
    // Rounding of seven terms.
    assert!((evaluate(&graph, &result.residuals, &point, &[])[0].0 - expected).abs() < 1e-13);
}

#[test]
fn orders_of_coordinates_and_unknowns() {
    for kind in KINDS {
        for whole in [0.0, 1.0] {
            let unknowns = [unknown(0.3 + whole, 0.1 + whole, 0.5 + whole)];
            let mut graph = Graph::new();
            // α = κ + x/10 + t/8, between 0.0625 and 0.95 where κ is between 0.1 and 0.5.
            let [x, t] = [0, T].map(|c| graph.leaf(Leaf::Coordinate(c)));
            let unknown = graph.leaf(Leaf::Unknown(0));
            let (tenth, eighth) = (graph.constant(0.1), graph.constant(0.125));
            let (x, t) = (graph.mul(tenth, x), graph.mul(eighth, t));
            let order = sum(&mut graph, [unknown, x, t]);
            let residual = caputo(&mut graph, order);
            let result = expanded(&mut graph, &[residual], &context(kind, nodes(kind), &unknowns));
            for point in POINTS {
                let values = evaluate(&graph, &result.residuals, &point, &[0.2 + whole]);
                for (value, place) in values.iter().zip(places(&result, &point)) {
                    let order = 0.2 + whole + place[0] / 10.0 + place[1] / 8.0;
                    let (expected, slope) = exact(order, &place);
                    assert!((value.0 - expected).abs() < tolerance(kind), "{kind:?} {place:?}");
                    assert!((value.1[0] - slope).abs() < 7.0 * tolerance(kind), "{kind:?} {place:?}");
                }
            }
        }
    }
}

#[test]
fn an_order_of_time_alone_is_known_at_every_node() {
    let mut graph = Graph::new();
    let t = graph.leaf(Leaf::Coordinate(T));
    let half = graph.constant(0.5);
    let order = graph.mul(half, t);
    let residual = caputo(&mut graph, order);
    let result = expanded(&mut graph, &[residual], &context(Caputo::Lines, None, &[]));
    for end in [END, 0.5 * (START + END)] {
        let values = evaluate(&graph, &result.residuals, &[0.7, end], &[]);
        for (value, place) in values.iter().zip(places(&result, &[0.7, end])) {
            assert!((value.0 - exact(place[1] / 2.0, &place).0).abs() < 1e-12);
        }
    }
}

#[test]
fn at_the_start_all_is_zero() {
    for (kind, lower) in
        [(Caputo::Scattered, 0.0), (Caputo::L1, 0.0), (Caputo::Scattered, 1.0), (Caputo::L1, 1.0)]
    {
        let unknowns = [unknown(lower + 0.5, lower, lower + 1.0)];
        let mut graph = Graph::new();
        let order = graph.leaf(Leaf::Unknown(0));
        let residual = caputo(&mut graph, order);
        let result = expanded(&mut graph, &[residual], &context(kind, None, &unknowns));
        for order in [lower, lower + 0.3, lower + 1.0] {
            let value = evaluate(&graph, &result.residuals, &[0.3, START], &[order]);
            assert_eq!(value, [(0.0, vec![0.0])], "{kind:?} {order}");
        }
    }
}

#[test]
fn whole_orders_are_plain_derivatives() {
    for kind in KINDS {
        let mut graph = Graph::new();
        let (one, two) = (graph.constant(1.0), graph.constant(2.0));
        let residuals = [caputo(&mut graph, one), caputo(&mut graph, two)];
        let result = expanded(&mut graph, &residuals, &context(kind, None, &[]));
        assert_eq!(result.residuals, [jet(&mut graph, &[T]), jet(&mut graph, &[T, T])]);
        assert_eq!(result.line, None);
    }
}

#[test]
fn everything_on_a_line_is_taken_at_its_nodes() {
    let mut graph = Graph::new();
    let order = graph.constant(0.5);
    let history = caputo(&mut graph, order);
    let (u_xx, t) = (jet(&mut graph, &[0, 0]), graph.leaf(Leaf::Coordinate(T)));
    let product = graph.mul(t, u_xx);
    let (first, second) = (graph.sub(history, product), jet(&mut graph, &[0]));
    let result = expanded(&mut graph, &[first, second], &context(Caputo::Lines, Some(5), &[]));
    for end in [END, 0.5 * (START + END)] {
        let values = evaluate(&graph, &result.residuals, &[0.4, end], &[]);
        assert_eq!(values.len(), 10);
        for (node, place) in places(&result, &[0.4, end]).into_iter().enumerate() {
            let u_xx = u(Partial::new(&[0, 0]).unwrap(), &place);
            // Rounding of five terms below 10.
            assert!((values[2 * node].0 - exact(0.5, &place).0 + place[1] * u_xx).abs() < 1e-13);
            assert_eq!(values[2 * node + 1].0, u(Partial::new(&[0]).unwrap(), &place));
        }
    }
    // The network is evaluated at the nodes and nowhere else.
    assert!(check_sites(&graph, &result.residuals, MOST_SITES / 5).is_ok());
}

/// ∫ of over a coordinate between numbers.
fn between(graph: &mut Graph, of: Id, by: usize, lower: f64, upper: f64) -> Id {
    let (lower, upper) = (graph.constant(lower), graph.constant(upper));
    graph.integral(of, lower, upper, by)
}

#[test]
fn integrals_of_polynomials_are_exact() {
    let mut graph = Graph::new();
    let (zero, start) = (graph.constant(0.0), graph.constant(START));
    let [x, t] = [0, T].map(|c| graph.leaf(Leaf::Coordinate(c)));
    let u = jet(&mut graph, &[]);
    let moment = graph.mul(t, u);
    let power = graph.integer_power(x, 7);
    let wedge = graph.integral(t, zero, x, T);
    let residuals = [
        // Volterra: ∫ u dr from the start to t = e⁴/4·sin x.
        graph.integral(u, start, t, T),
        // ∫ t·u dt over [START, END]: ∫ (e + START)·e³ de·sin x.
        between(&mut graph, moment, T, START, END),
        // ∫ x⁷ dx from 0 to x.
        graph.integral(power, zero, x, 0),
        // ∫₀¹ ∫₀ˣ t dt dx = 1/6: the inner end moves with x.
        between(&mut graph, wedge, 0, 0.0, 1.0),
    ];
    for kind in [Caputo::Lines, Caputo::Scattered] {
        let result = expanded(&mut graph, &residuals, &context(kind, None, &[]));
        let whole: f64 = END - START;
        for [x, t] in POINTS {
            let expected = [
                (t - START).powi(4) / 4.0 * x.sin(),
                (whole.powi(5) / 5.0 + START * whole.powi(4) / 4.0) * x.sin(),
                x.powi(8) / 8.0,
                1.0 / 6.0,
            ];
            for (value, expected) in evaluate(&graph, &result.residuals, &[x, t], &[]).iter().zip(expected) {
                assert!((value.0 - expected).abs() < 1e-13 * (1.0 + expected.abs()), "{value:?} {expected}");
            }
        }
    }
}

#[test]
fn integrals_and_caputo_derivatives_in_each_other() {
    // D^α of ∫ u dr from the start to t is that of e⁴/4; ∫ D^α u dx over [0, 1] has 1 − cos 1 in place of sin
    // x.
    let alpha = 0.6;
    for kind in [Caputo::Lines, Caputo::Scattered] {
        let mut graph = Graph::new();
        let (start, t) = (graph.constant(START), graph.leaf(Leaf::Coordinate(T)));
        let (u, order) = (jet(&mut graph, &[]), graph.constant(alpha));
        let accumulated = graph.integral(u, start, t, T);
        let (inner, outer) = (graph.caputo(u, order, T), graph.caputo(accumulated, order, T));
        let residuals = [outer, between(&mut graph, inner, 0, 0.0, 1.0)];
        let result = expanded(&mut graph, &residuals, &context(kind, Some(12), &[]));
        for point in POINTS {
            let values = evaluate(&graph, &result.residuals, &point, &[]);
            for (node, [x, t]) in places(&result, &point).into_iter().enumerate() {
                let e = t - START;
                let fourth = 6.0 / Function::Gamma.value(5.0 - alpha) * e.powf(4.0 - alpha) * x.sin();
                let third = 6.0 / Function::Gamma.value(4.0 - alpha) * e.powf(3.0 - alpha);
                // Polynomials in t, and twelve Gauss nodes for sin x on [0, 1]: rounding.
                assert!((values[2 * node].0 - fourth).abs() < 1e-12, "{kind:?}");
                assert!((values[2 * node + 1].0 - third * (1.0 - 1.0_f64.cos())).abs() < 1e-12, "{kind:?}");
            }
        }
    }
}

#[test]
fn scattered_derivatives_nest() {
    // D^0.4 D^0.5 e³ = D^0.9 e³, as e³ and its first derivative vanish at the start.
    let mut graph = Graph::new();
    let (a, b) = (graph.constant(0.5), graph.constant(0.4));
    let inner = caputo(&mut graph, a);
    let outer = graph.caputo(inner, b, T);
    let result = expanded(&mut graph, &[outer], &context(Caputo::Scattered, Some(24), &[]));
    for point in POINTS {
        // The inner derivative is e^2.5, whose slope e^1.5 converges like 24^(−5) = 1e-7 only.
        let value = evaluate(&graph, &result.residuals, &point, &[])[0].0;
        assert!((value - exact(0.9, &point).0).abs() < 1e-5, "{point:?}");
    }
}

/// The message of the only refusal.
fn refused(graph: &mut Graph, residual: Id, context: &Context<'_>) -> String {
    let zero = graph.constant(0.0);
    let refusals = expand(graph, &[zero, residual], context).unwrap_err();
    assert!(refusals.iter().all(|refusal| refusal.equation == 1 && !refusal.hint.is_empty()), "{refusals:?}");
    refusals.into_iter().map(|refusal| format!("{} ({})", refusal.message, refusal.label)).collect()
}

#[test]
fn orders_that_are_refused() {
    let message = |order: &dyn Fn(&mut Graph) -> Id, unknowns: &[Quantity]| {
        let mut graph = Graph::new();
        let order = order(&mut graph);
        let residual = caputo(&mut graph, order);
        refused(&mut graph, residual, &context(Caputo::Scattered, None, unknowns))
    };
    for order in [0.0, -0.5, 2.5, f64::NAN] {
        assert!(message(&|graph| graph.constant(order), &[]).contains("not between 0 and 2"));
    }
    let unknown_order = |graph: &mut Graph| graph.leaf(Leaf::Unknown(0));
    assert!(message(&unknown_order, &[Quantity { start: 0.5, bounds: None }]).contains("without bounds"));
    assert!(message(&unknown_order, &[unknown(0.5, 0.5, 1.5)]).contains("from 0.5 to 1.5"));
    // The coordinate t ends at 2.
    assert!(message(&|graph| graph.leaf(Leaf::Coordinate(T)), &[]).contains("from 0.5 to 2"));
    assert!(message(&|graph| jet(graph, &[]), &[]).contains("a field without bounds"));
    let logarithm = |graph: &mut Graph| {
        let x = graph.leaf(Leaf::Coordinate(0));
        graph.function(Function::Log, x)
    };
    assert!(message(&logarithm, &[]).contains("not a number"));
}

#[test]
fn histories_that_are_refused() {
    let mut graph = Graph::new();
    let (half, end) = (graph.constant(0.5), graph.constant(END));
    let (start, κ) = (graph.constant(START), graph.leaf(Leaf::Unknown(0)));
    let (u, u_tttt) = (jet(&mut graph, &[]), jet(&mut graph, &[T; 4]));
    let history = caputo(&mut graph, half);
    let other = graph.caputo(u, half, 0);
    let attribute = graph.leaf(Leaf::Attribute(0));
    let (lines, scattered) = (context(Caputo::Lines, None, &[]), context(Caputo::Scattered, None, &[]));
    let both = graph.add(history, other);
    assert!(refused(&mut graph, both, &lines).contains("different coordinates"));
    let nested = graph.caputo(history, half, T);
    assert!(refused(&mut graph, nested, &lines).contains("Caputo derivative of a Caputo"));
    let along = graph.integral(history, start, end, T);
    assert!(refused(&mut graph, along, &lines).contains("along the lines"));
    let fifth = graph.caputo(u_tttt, half, T);
    assert!(refused(&mut graph, fifth, &scattered).contains("beyond order 4"));
    let measured = graph.caputo(attribute, half, T);
    assert!(refused(&mut graph, measured, &context(Caputo::L1, None, &[])).contains("points alone"));
    let moving = graph.integral(u, start, κ, T);
    assert!(refused(&mut graph, moving, &scattered).contains("ends of an integral"));
    for nodes in [0, 129] {
        for kind in [Caputo::Lines, Caputo::Scattered] {
            let mistakes = expand(&mut graph, &[history], &context(kind, Some(nodes), &[])).unwrap_err();
            assert_eq!(mistakes.len(), 1);
        }
    }
    assert!(refused(&mut graph, history, &context(Caputo::L1, Some(0), &[])).contains("at least one"));
}

#[test]
fn too_many_sites_are_refused_before_they_are_made() {
    let mut graph = Graph::new();
    let u = jet(&mut graph, &[]);
    let inner = between(&mut graph, u, T, START, END);
    let outer = between(&mut graph, inner, 0, 0.0, 1.0);
    assert!(expand(&mut graph, &[outer], &context(Caputo::Lines, Some(64), &[])).is_ok());
    let mut graph = graph.clone();
    let size = graph.len();
    let message = refused(&mut graph, outer, &context(Caputo::Lines, Some(65), &[]));
    assert!(message.contains("4225 places") && message.contains("at most 4096"), "{message}");
    // The inner integral with its 65 sites of at most ten expressions each.
    assert!(graph.len() < size + 650);
}
