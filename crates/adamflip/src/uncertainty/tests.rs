//! Intervals and estimates against what is known: a regression by hand, repeated noisy data, solutions in
//! closed form.

use super::*;
use crate::testing::{DECAY, problem, trained, trainer_of};
use crate::train::{Signal, Trainer};

/// The coefficient of a straight line through the origin, u = k·t, has the variance σ²/Σt² of a textbook,
/// where the equation holds so much more than the data that the network follows it.
#[test]
fn a_regression_has_the_deviation_of_the_textbook() {
    let text = DECAY
        .replace("u_t = -k*u", "u_t = k")
        .replace("u = 1\"", "u = 0\"")
        .replace("exp(-2*t)", "2*t")
        .replace("steps = 40", "steps = 200")
        .replace("weight = 0.1", "weight = 1e-2");
    let trainer = trained(&text, 1);
    let interval = &assess(&trainer.state()).intervals[0];
    let data = &trainer.points()[2];
    let (times, measured) = (data.column(0), data.attribute(0));
    let sum: f64 = times.iter().map(|t| t * t).sum();
    let slope = times.iter().zip(measured).map(|(t, u)| t * u).sum::<f64>() / sum;
    let residual = times.iter().zip(measured).map(|(t, u)| (u - slope * t).powi(2)).sum::<f64>();
    let deviation = (residual / (times.len() - 1) as f64 / sum).sqrt();
    // The network bends a little towards the data: a weight of 1e-2 beside an equation of weight 1.
    assert!((interval.value - slope).abs() < 0.05 * deviation, "{} {slope}", interval.value);
    assert!((interval.deviation / deviation - 1.0).abs() < 0.05, "{} {deviation}", interval.deviation);
    assert!(interval.unfinished < 1e-2 * deviation, "{}", interval.unfinished);
    // Nineteen degrees of freedom: 2.093 deviations to each side.
    let half = 0.5 * (interval.upper - interval.lower) - interval.unfinished;
    assert!((half / interval.deviation - 2.093).abs() < 0.02, "{half}");
    assert_eq!(interval.identified, Identified::Yes);
}

#[test]
fn intervals_cover_the_truth_as_often_as_they_say() {
    let covered = |seed: u64| {
        let trainer = trained(DECAY, seed);
        let interval = &assess(&trainer.state()).intervals[0];
        (interval.lower..interval.upper).contains(&2.0)
    };
    let count = (0..200).filter(|&seed| covered(seed)).count();
    // 190 are expected; fewer than 180 or more than 198 would be three deviations away.
    assert!((180..=198).contains(&count), "{count} of 200");
}

/// With the unknown order in the source too, u = t³ solves the equation for every order.
#[test]
fn an_order_that_every_value_solves_is_not_identified() {
    let text = |source: &str| {
        format!(
            r#"
fields = ["u"]
[domain]
t = [0, 1]
[unknowns]
alpha = {{ start = 0.6, bounds = [0.05, 0.95] }}
[term.ode]
equation = "caputo(u, t, alpha) = gamma(4)/gamma(4 - {source})*t^(3 - {source})"
points   = 40
role     = "objective"
[term.start]
on       = "t = 0"
equation = "u = 0"
points   = 1
role     = "constraint"
[term.data]
data   = "reference"
points = 20
role   = "objective"
[reference]
u = "t^3"
[network]
hidden = [8]
[train]
stages = [{{ method = "adam", steps = 200, lr = 1e-2 }}, {{ method = "newtonflip", steps = 60 }}]
"#
        )
    };
    let identified = |source: &str| {
        let trainer = trained(&text(source), 0);
        assess(&trainer.state()).intervals[0].identified
    };
    assert_eq!(identified("alpha"), Identified::No);
    assert_eq!(identified("0.5"), Identified::Yes);
}

/// Only the product of two rates is in the equation: either may be anything.
#[test]
fn of_a_product_neither_factor_is_identified() {
    let text = DECAY
        .replace("-k*u", "-k*m*u")
        .replace("k = {", "m = { start = 100 }\nk = {")
        .replace("steps = 40", "steps = 80");
    let trainer = trained(&text, 0);
    let intervals = assess(&trainer.state()).intervals;
    assert!(intervals.iter().all(|interval| interval.identified == Identified::No), "{intervals:?}");
    assert!(intervals.iter().all(|interval| interval.ends().is_none()));
}

/// A coefficient that is found to be zero is known as well as any other.
#[test]
fn an_unknown_that_is_zero_is_identified() {
    let text = DECAY.replace("exp(-2*t)", "1 + 0*t").replace("truth = 2.0", "truth = 0.0");
    let trainer = trained(&text, 0);
    let interval = &assess(&trainer.state()).intervals[0];
    assert_eq!(interval.identified, Identified::Yes);
    // Four deviations: once in thousands of seeds.
    assert!(interval.value.abs() < 4.0 * interval.deviation, "{interval:?}");
}

/// Data that must be met exactly leave nothing to tell their noise by.
#[test]
fn a_fit_through_all_observations_has_no_interval() {
    let text = DECAY.replace("points = 20", "points = 4").replace("weight = 0.1", "weight = 1e6");
    let trainer = trained(&text.replace("hidden = [6]", "hidden = [12]"), 0);
    let interval = &assess(&trainer.state()).intervals[0];
    assert_eq!((interval.identified, interval.ends()), (Identified::NoiseUnknown, None));
}

/// A thousandth of the field has a thousandth of its noise, and counts for next to nothing in the fit: what
/// is known stays as it was. One variance for both would halve that of the field.
#[test]
fn every_observed_quantity_has_its_own_noise() {
    let observed = "data   = \"reference\"\nobserve = [\"u\", \"0.001*u\"]";
    let text = DECAY.replace("data   = \"reference\"", observed).replace("weight = 0.1", "weight = 0.2");
    let alone = &assess(&trained(DECAY, 5).state()).intervals[0];
    let both = &assess(&trained(&text, 5).state()).intervals[0];
    // The fit is the same to a millionth; training ends a little elsewhere.
    assert!((both.deviation / alone.deviation - 1.0).abs() < 0.05, "{both:?} {alone:?}");
}

/// Without its second end the problem has a solution for every slope.
#[test]
fn a_field_that_nothing_determines_is_doubted() {
    let text = |ends: &str| {
        format!(
            r#"
fields = ["u"]
[domain]
x = [0, 1]
[term.ode]
equation = "u_xx = -pi^2*sin(pi*x)"
points   = 60
role     = "objective"
[term.ends]
on       = {ends}
equation = "u = 0"
points   = 2
role     = "constraint"
[network]
hidden = [10]
[train]
stages = [{{ method = "adam", steps = 200, lr = 1e-2 }}, {{ method = "newtonflip", steps = 40 }}]
"#
        )
    };
    let doubted = |ends: &str| {
        let trainer = trained(&text(ends), 0);
        assess(&trainer.state()).estimates[0].caveats.contains(&Caveat::Undetermined)
    };
    assert!(doubted(r#""x = 0""#));
    assert!(!doubted(r#"["x = 0", "x = 1"]"#));
}

#[test]
fn the_error_is_estimated_without_the_reference() {
    let text = |steps: usize| {
        format!(
            r#"
fields = ["u"]
[domain]
x = [0, 1]
[term.ode]
equation = "u_xx = -pi^2*sin(pi*x)"
points   = 60
role     = "objective"
[term.ends]
on       = ["x = 0", "x = 1"]
equation = "u = 0"
points   = 2
role     = "constraint"
[reference]
u = "sin(pi*x)"
[network]
hidden = [10]
[train]
stages = [{{ method = "adam", steps = 200, lr = 1e-2 }}, {{ method = "newtonflip", steps = {steps} }}]
"#
        )
    };
    let mut trusted = 0;
    for steps in [3, 10, 40] {
        let trainer = trained(&text(steps), 0);
        let error = crate::evaluate::errors(trainer.problem(), trainer.objective().model(), trainer.θ())
            .unwrap()[0]
            .relative_l2;
        let estimate = &assess(&trainer.state()).estimates[0];
        let ratio = estimate.relative_l2 / error;
        if estimate.caveats.is_empty() {
            trusted += 1;
            // Never below a third, which would be false comfort; up to five times above where the run is
            // unfinished.
            assert!((0.3..5.0).contains(&ratio), "after {steps}: {ratio} of {error}");
        }
    }
    assert!(trusted >= 2);
}

/// A network that can be the solution, and is beside it by less and less: estimate and evaluation follow to
/// rounding.
#[test]
fn estimates_have_no_floor_above_rounding() {
    let text = "fields = [\"u\"]\n[domain]\nx = [0, 1]\n[term.ode]\nequation = \"u_x = 1 - u^2\"\npoints = 60\n\
        role = \"objective\"\n[term.start]\non = \"x = 0\"\nequation = \"u = 0\"\npoints = 1\nrole = \"constraint\"\n\
        [reference]\nu = \"tanh(x)\"\n[network]\nhidden = [1]\n[train]\n\
        stages = [{ method = \"adam\", steps = 300, lr = 3e-2 }, { method = \"newtonflip\", steps = 60 }]";
    let trainer = trained(text, 0);
    let error = |θ: &[f64]| {
        crate::evaluate::errors(trainer.problem(), trainer.objective().model(), θ).unwrap()[0].relative_l2
    };
    assert!(error(trainer.θ()) < 1e-12, "{:e}", error(trainer.θ()));
    for apart in [1e-3, 1e-6, 1e-9, 1e-11] {
        let beside: Vec<f64> =
            trainer.θ().iter().enumerate().map(|(i, θ)| θ + apart * (1.0 + i as f64).sin()).collect();
        let estimate = &assess(&crate::certificate::State { θ: &beside, ..trainer.state() }).estimates[0];
        let ratio = estimate.relative_l2 / error(&beside);
        // All of it is a step that was not taken: what the estimate knows to first order, and never less than
        // half.
        assert!((0.5..3.0).contains(&ratio), "{apart:e}: {ratio} of {:e}", error(&beside));
    }
}

#[test]
fn a_problem_that_is_too_large_has_no_estimate() {
    let text = DECAY.replace("hidden = [6]", "hidden = [80, 80]").replace("steps = 100", "steps = 1");
    let mut problem = problem(&text);
    problem.stages.truncate(1);
    let mut trainer = trainer_of(problem, 0);
    trainer.run(&mut |_| Signal::Continue);
    assert!(trainer.θ().len() > MOST_PARAMETERS);
    assert_eq!(assess(&trainer.state()), Assessment::default());
}

/// A field whose square is no number has no relative error.
#[test]
fn a_field_beyond_all_numbers_has_no_estimate() {
    let text = r#"
fields = ["u"]
[domain]
t = [0, 1]
[term.ode]
equation = "u_t = -u"
points   = 20
role     = "objective"
[network]
hidden = [4]
[train]
stages = [{ method = "adam", steps = 1 }]
"#;
    let trainer = trained(text, 0);
    let state = trainer.state();
    assert_eq!(assess(&state).estimates.len(), 1);
    let mut θ = state.θ.to_vec();
    // The bias of the last layer.
    *θ.last_mut().unwrap() = 1e200;
    assert_eq!(assess(&State { θ: &θ, ..state }).estimates, []);
}

/// Where the problem is nearly linear in its parameters near the solution, the profile is a parabola and both
/// intervals agree; and it covers what it should.
#[test]
fn the_profile_agrees_with_the_interval() {
    let trainer = trained(DECAY, 3);
    let state = trainer.state();
    let linear = Linearized::new(&state).unwrap();
    let interval = &intervals(&state, &linear)[0];
    let profile = &profiles(&state, &linear)[0];
    let half = 0.5 * (interval.upper - interval.lower);
    // e^{−kt} is curved in k: for a deviation of a twentieth of k the ends move by a few percent of the
    // width.
    for (end, other) in [(profile.lower, interval.lower), (profile.upper, interval.upper)] {
        assert!((end - other).abs() < 0.15 * half, "{profile:?} {interval:?}");
    }
    assert!(profile.curve.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1), "{profile:?}");
}

/// Where √k does not exist k cannot be: the interval ends there, and the profile has no such points.
#[test]
fn the_profile_ends_where_the_equations_do() {
    let text = DECAY
        .replace("u_t = -k*u", "u_t = sqrt(k)")
        .replace("start = 1.0, truth = 2.0", "start = 0.02")
        .replace("u = 1\"", "u = 0\"")
        .replace("exp(-2*t)", "0.1*t")
        .replace("noise  = 0.05", "noise  = 1.0");
    let trainer = trained(&text, 3);
    let state = trainer.state();
    let linear = Linearized::new(&state).unwrap();
    let (interval, profile) = (&intervals(&state, &linear)[0], &profiles(&state, &linear)[0]);
    let range = interval.upper - interval.lower;
    assert!(interval.lower < 0.0, "not a test: {interval:?}");
    assert!(profile.lower > interval.lower - range && profile.lower < interval.value, "{profile:?}");
    assert!(profile.curve.iter().all(|(k, t)| *k >= 0.0 && t.is_finite()), "{profile:?}");
}

/// u = 0 meets data that are all zero for every rate.
#[test]
fn zeros_determine_nothing() {
    let text = DECAY.replace("u = 1\"", "u = 0\"").replace("exp(-2*t)", "0*t");
    let trainer = trained(&text, 0);
    assert_eq!(assess(&trainer.state()).intervals[0].identified, Identified::No);
}

/// Exponential decay meets observations of itself; of a rise that the equation excludes it does not, nor
/// before it is trained.
#[test]
fn data_that_the_solution_does_not_meet_are_named() {
    let named = |text: &str| -> Vec<String> {
        let trainer = trained(text, 0);
        unexplained(&trainer.state()).iter().map(|term| term.name.clone()).collect()
    };
    assert_eq!(named(DECAY), [""; 0]);
    let fixed = DECAY.replace("k*u", "2*u").replace("k = { start = 1.0, truth = 2.0 }", "");
    assert_eq!(named(&fixed), [""; 0]);
    assert_eq!(
        named(&fixed.replace("\"exp(-2*t)\"", "\"1 + 3*t\"").replace("weight = 0.1", "weight = 1e-4")),
        ["data"]
    );
    let zero = DECAY.replace("exp(-2*t)", "0*t");
    assert_eq!(named(&zero.replace("steps = 100", "steps = 1").replace("steps = 40", "steps = 1")), [""; 0]);
}

/// One of three observed quantities that the equations exclude: the two large ones, which are met, must not
/// hide it.
#[test]
fn every_observed_quantity_is_judged_on_its_own() {
    let text = |small: &str| {
        format!(
            "fields = ['u', 'v', 'w']\n[domain]\nt = [0, 1]\n[unknowns]\nk = {{ start = 1.5, truth = 2 }}\n\
             [term.ode]\nequation = ['u_t = -k*u', 'v_t = -k*v', 'w = 0']\npoints = 40\n\
             [term.data]\ndata = 'reference'\npoints = 30\nnoise = 0.01\nweight = 0.1\n\
             [reference]\nu = 'exp(-2*t)'\nv = '3*exp(-2*t)'\nw = '{small}'\n\
             [network]\nhidden = [8]\n[train]\nstages = [{{ method = 'adam', steps = 100, lr = 1e-2 }}, {{ method = 'newtonflip', steps = 60 }}]"
        )
    };
    let wrong = trained(&text("0.1*(1 + t)"), 0);
    let names: Vec<&str> = unexplained(&wrong.state()).iter().map(|term| term.name.as_str()).collect();
    assert_eq!(names, ["data"]);
    let interval = &assess(&wrong.state()).intervals[0];
    assert_eq!((interval.identified, interval.ends()), (Identified::Unexplained, None));
    let right = trained(&text("0*t"), 0);
    assert!(unexplained(&right.state()).is_empty());
    assert_eq!(assess(&right.state()).intervals[0].identified, Identified::Yes);
}

/// A rod with this equation, held at both ends, after this many steps.
fn rod(equation: &str, steps: usize) -> Trainer {
    let text = format!(
        "fields = [\"u\"]\n[domain]\nx = [0, 1]\n[term.ode]\nequation = \"{equation}\"\npoints = 60\n\
         [term.ends]\non = [\"x = 0\", \"x = 1\"]\nequation = \"u = 0\"\npoints = 2\n[network]\nhidden = [10]\n\
         [train]\nstages = [{{ method = \"newtonflip\", steps = {steps} }}]"
    );
    trained(&text, 0)
}

#[test]
fn an_equation_that_is_missed_is_a_doubt_and_no_small_error() {
    let missed = |steps: usize| {
        let estimate = assess(&rod("u_xx = -pi^2*sin(pi*x)", steps).state()).estimates.remove(0);
        let percent = estimate.caveats.iter().find_map(|caveat| match caveat {
            Caveat::Unbalanced { term: 0, percent } => Some(*percent),
            _ => None,
        });
        (percent, estimate.relative_l2)
    };
    let (percent, estimate) = missed(0);
    assert!(percent.unwrap() > 30 && estimate >= 0.3, "{percent:?} {estimate}");
    assert_eq!(missed(60).0, None);
}

/// The same network in other units of its equation has the same error, to rounding of an ill-conditioned
/// matrix.
#[test]
fn units_of_an_equation_do_not_matter_to_the_estimate() {
    let estimate = |trainer: &Trainer| assess(&trainer.state()).estimates[0].relative_l2;
    let plain = rod("u_xx = -pi^2*sin(pi*x)", 30);
    let small = rod("1e-8*u_xx = -1e-8*pi^2*sin(pi*x)", 0);
    let moved = crate::certificate::State { θ: plain.θ(), ..small.state() };
    let (plain, small) = (estimate(&plain), assess(&moved).estimates[0].relative_l2);
    assert!((plain / small - 1.0).abs() < 0.1, "{plain} {small}");
}

/// A condition that holds by construction has rows of rounding: it says nothing of the error, whatever weight
/// would make up for them.
#[test]
fn conditions_that_hold_by_construction_are_not_felt() {
    let text = "fields = [\"u\"]\n[domain]\nx = [0, 1]\nt = [0, 0.1]\n\
                [term.pde]\nequation = \"u_t = u_xx/4\"\npoints = 100\n\
                [term.initial]\non = \"t = 0\"\nequation = \"u = sin(2*pi*x)\"\npoints = 20\n\
                [term.ends]\non = \"x = 0\"\nequation = [\"u = u(1, t)\", \"u_x = u_x(1, t)\"]\npoints = 10\n\
                [reference]\nu = \"exp(-pi^2*t)*sin(2*pi*x)\"\n\
                [network]\nhidden = [8]\nperiodic = [\"x\"]\n\
                [train]\nstages = [{ method = \"newtonflip\", steps = 40 }]";
    let trainer = trained(text, 0);
    let state = trainer.state();
    let truth = crate::evaluate::errors(state.problem, state.model, state.θ).unwrap()[0].relative_l2;
    let estimate = assess(&state).estimates.remove(0);
    assert!(truth < 1e-2 && estimate.caveats.is_empty(), "{truth} {estimate:?}");
    assert!((0.1..10.0).contains(&(estimate.relative_l2 / truth)), "{} for {truth}", estimate.relative_l2);
}
