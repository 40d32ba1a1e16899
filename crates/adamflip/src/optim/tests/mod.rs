//! The methods on small analytic problems with known solutions, and one step of each against a hand-written
//! one.

use super::*;

mod inequalities;
mod matrix;
mod minimize;
pub(crate) mod problems;
mod steps;
pub(crate) mod work;
mod zeroth;

/// f = ½‖θ − c‖² subject to θ₀ + θ₁ = 1 (aggregated: (θ₀ + θ₁ − 1)², or as it is).
struct Plane {
    center: [f64; 2],
    aggregated: bool,
    calls: usize,
}

impl ConstrainedProblem for Plane {
    fn parameters(&self) -> usize {
        2
    }

    fn constraints(&self) -> usize {
        1
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        self.calls += 1;
        let difference = [θ[0] - self.center[0], θ[1] - self.center[1]];
        let violation = θ[0] + θ[1] - 1.0;
        let (h, slope) =
            if self.aggregated { (violation * violation, 2.0 * violation) } else { (violation, 1.0) };
        out.objective = 0.5 * (difference[0].powi(2) + difference[1].powi(2));
        out.constraints[0] = h;
        out.gradient.copy_from_slice(&difference);
        match want {
            Want::Values => {}
            Want::Gradients | Want::Products => out.jacobian.rows_mut().copy_from_slice(&[slope, slope]),
            Want::Combination(w) => out.gradient.iter_mut().for_each(|g| *g += w[0] * slope),
        }
    }
}

fn plane(aggregated: bool) -> Plane {
    Plane { center: [2.0, 0.5], aggregated, calls: 0 }
}

#[test]
fn one_adam_step_is_the_formula() {
    let settings = AdamSettings { rate: Rate::constant(0.1), ..AdamSettings::default() };
    let mut adam = Adam::new(settings, 2, 1, 1);
    let mut θ = [0.3, -0.2];
    let report = adam.step(&mut plane(true), &mut θ);
    // m̂ = g and √v̂ = |g| after one step: Δ = η·g/(|g| + δ).
    let violation = 0.3 - 0.2 - 1.0;
    let g: [f64; 2] = [0.3 - 2.0 + 2.0 * violation, -0.2 - 0.5 + 2.0 * violation];
    for i in 0..2 {
        let expected = [0.3, -0.2][i] - 0.1 * g[i] / (g[i].abs() + 1e-8);
        // Rounding of a handful of operations.
        assert!((θ[i] - expected).abs() < 1e-14);
    }
    assert_eq!(report.violation, violation * violation);
}

#[test]
fn two_adamflip_steps_are_the_algorithm_box() {
    let settings = AdamFlipSettings {
        adam: AdamSettings { rate: Rate::constant(0.01), ..AdamFlipSettings::default().adam },
        feedback: Feedback {
            gain: 5.0,
            integral_gain: 0.1,
            damping: Damping::Absolute(1e-3),
            ..Feedback::default()
        },
        ..AdamFlipSettings::default()
    };
    let mut method = AdamFlip::new(settings, 2, 1, 2);
    let mut problem = plane(true);
    let mut θ = [0.3, -0.2];
    let (mut expected, mut m, mut v, mut z) = ([0.3f64, -0.2], [0.0; 2], [0.0; 2], 0.0);
    for t in 1..=2 {
        method.step(&mut problem, &mut θ);
        let violation: f64 = expected[0] + expected[1] - 1.0;
        let (h, j) = (violation * violation, 2.0 * violation);
        let f = [expected[0] - 2.0, expected[1] - 0.5];
        let λ = -(j * f[0] + j * f[1] - 5.0 * h - 0.1 * z) / (2.0 * j * j + 1e-3);
        z += 0.01 * h;
        for i in 0..2 {
            let g = f[i] + j * λ;
            m[i] = 0.95 * m[i] + 0.05 * g;
            v[i] = 0.999 * v[i] + 0.001 * g * g;
            let (m, v) = (m[i] / (1.0 - 0.95f64.powi(t)), v[i] / (1.0 - 0.999f64.powi(t)));
            expected[i] -= 0.01 * m / (v.sqrt() + 1e-8);
        }
        // The bias corrections are applied as scalars, so a few roundings differ.
        assert!((θ[0] - expected[0]).abs() < 1e-12 && (θ[1] - expected[1]).abs() < 1e-12);
        assert!((method.multipliers()[0] - λ).abs() < 1e-12);
    }
    assert_eq!(problem.calls, 2, "one evaluation a step");
}

#[test]
fn adamflip_finds_the_kkt_point() {
    // The projection of (2, ½) onto θ₀ + θ₁ = 1 is (1.25, −0.25), with multiplier 0.75.
    let rate = Rate { start: 3e-2, decay: Decay::Exponential(1e-6) };
    let adam = AdamSettings { rate, ..AdamFlipSettings::default().adam };
    let feedback =
        Feedback { gain: 10.0, integral_gain: 0.0, damping: Damping::Relative(1e-10), ..Feedback::default() };
    let mut method =
        AdamFlip::new(AdamFlipSettings { adam, feedback, ..AdamFlipSettings::default() }, 2, 1, 20_000);
    let mut θ = [0.0, 3.0];
    for _ in 0..20_000 {
        method.step(&mut plane(false), &mut θ);
    }
    // The rate ends at 1e-6, which bounds what is left of Adam's oscillation.
    assert!((θ[0] - 1.25).abs() < 1e-5 && (θ[1] + 0.25).abs() < 1e-5, "{θ:?}");
    assert!((method.multipliers()[0] - 0.75).abs() < 1e-3);
}

#[test]
fn the_integral_term_pulls_towards_feasibility() {
    // With the wrong sign (the paper's own runs) z would push h away: λ must grow in magnitude towards more
    // correction as z accumulates violation of the same sign.
    let pull = |integral_gain: f64| {
        let feedback =
            Feedback { gain: 1.0, integral_gain, damping: Damping::Absolute(0.0), ..Feedback::default() };
        let adam = AdamSettings { rate: Rate::constant(1e-3), ..AdamFlipSettings::default().adam };
        let mut method =
            AdamFlip::new(AdamFlipSettings { adam, feedback, ..AdamFlipSettings::default() }, 2, 1, 2);
        let mut θ = [2.0, 2.0];
        method.step(&mut plane(false), &mut θ);
        method.step(&mut plane(false), &mut θ);
        method.multipliers()[0]
    };
    // h = 3 > 0 must fall: g = ∇f + Jᵀλ must have a larger component along ∇h, so λ rises with the integral
    // gain.
    assert!(pull(100.0) > pull(0.0));
}

#[test]
fn steps_that_are_not_finite_change_nothing() {
    for name in Method::NAMES {
        let mut problem = Plane { center: [f64::NAN, 0.0], aggregated: true, calls: 0 };
        let mut method = Method::named(name).unwrap().optimizer(&problem, 10);
        let mut θ = [0.3, -0.2];
        let report = method.step(&mut problem, &mut θ);
        assert_eq!(θ, [0.3, -0.2], "{name}");
        assert!(report.objective.is_nan());
    }
}

#[test]
fn a_controller_with_memory_survives_values_that_are_not_finite() {
    for gain in [0.0, 10.0] {
        let feedback =
            Feedback { gain, integral_gain: 0.01, damping: Damping::Relative(1e-6), ..Feedback::default() };
        let settings = AdamFlipSettings { feedback, ..AdamFlipSettings::default() };
        let mut method = AdamFlip::new(settings, 2, 1, 10);
        let mut θ = [f64::INFINITY, 0.0];
        let report = method.step(&mut plane(false), &mut θ);
        assert!(!report.violation.is_finite());
        assert_eq!(method.state().pop().unwrap().1, [0.0], "z is as it was");
    }
}

#[test]
fn a_purely_integral_controller_acts() {
    let feedback =
        Feedback { gain: 0.0, integral_gain: 5.0, damping: Damping::Absolute(0.0), ..Feedback::default() };
    let mut method = AdamFlip::new(AdamFlipSettings { feedback, ..AdamFlipSettings::default() }, 2, 1, 10);
    let mut θ = [2.0, 2.0];
    method.step(&mut plane(false), &mut θ);
    assert!(method.state().pop().unwrap().1[0] > 0.0);
}

#[test]
fn a_promise_is_not_held_against_other_points() {
    for name in ["fl", "fl_momentum", "adamflip", "adamflip_metric", "adamflip_split"] {
        let mut method = Method::named(name).unwrap().optimizer(&plane(true), 20);
        let mut θ = [0.3, -0.2];
        let mut actual = |changed: bool| {
            if changed {
                method.points_changed();
            }
            method.step(&mut plane(true), &mut θ).actual.is_nan()
        };
        assert_eq!([false, false, true, false].map(&mut actual), [true, false, true, false], "{name}");
    }
}

#[test]
fn a_gain_does_not_fall_because_points_changed() {
    let gain = |changed: bool| {
        let settings = AdamFlipSplitSettings { adapt: true, ..AdamFlipSplitSettings::default() };
        let mut method = AdamFlipSplit::new(settings, 2, 1, 20);
        let gain = method.step(&mut plane(true), &mut [0.3, -0.2]).gain;
        if changed {
            method.points_changed();
        }
        // As if h had become much larger.
        method.step(&mut plane(true), &mut [30.0, -20.0]).gain / gain
    };
    assert_eq!([gain(false), gain(true)], [0.5, 1.0]);
}

#[test]
fn restored_methods_go_on_with_the_same_bits() {
    for name in Method::NAMES {
        let make = || Method::named(name).unwrap().optimizer(&plane(true), 20);
        let (mut whole, mut θ) = (make(), [0.3, -0.2]);
        for _ in 0..10 {
            whole.step(&mut plane(true), &mut θ);
        }
        let saved: Vec<(String, Vec<f64>)> =
            whole.state().into_iter().map(|(name, list)| (name.to_owned(), list)).collect();
        let (mut resumed, mut again) = (make(), θ);
        assert!(resumed.restore(&saved), "{name}");
        for _ in 0..10 {
            let report = whole.step(&mut plane(true), &mut θ);
            let same = resumed.step(&mut plane(true), &mut again);
            // As text, in which one NaN is like another.
            assert_eq!(format!("{report:?}"), format!("{same:?}"), "{name}");
        }
        assert_eq!(θ, again, "{name}");
        assert!(!make().restore(&[]), "{name} refuses a foreign state");
    }
}
