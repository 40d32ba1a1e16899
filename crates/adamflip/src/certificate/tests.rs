//! Certificates of small problems: what is drawn, what is bounded, what is met, and optimality.

use super::*;
use crate::problem::Measure;
use crate::train::{Signal, Trainer};

fn problem(text: &str) -> Problem {
    crate::testing::problem(text)
}

/// A problem on the unit interval with these terms, not trained.
fn untrained(terms: &str) -> Trainer {
    let text = format!("fields = [\"u\"]\n[domain]\nx = [0, 1]\n{terms}[network]\nhidden = [3]");
    Trainer::new(problem(&text), 0, Vec::new()).unwrap()
}

fn state(trainer: &Trainer) -> State<'_> {
    let (problem, model) = (trainer.problem(), trainer.objective().model());
    State { problem, model, θ: trainer.θ(), seed: trainer.seed(), points: trainer.points() }
}

#[test]
fn every_term_is_measured_where_training_never_was() {
    let trainer = untrained(
        "[term.a]\nequation = \"u = 1\"\npoints = 8\n\
         [term.b]\non = [\"x = 0\", \"x = 1\"]\nequation = \"u = 3*x\"\npoints = 2\n",
    );
    let violations = trainer.certify().violations;
    // The ends are two points, and there are no others.
    assert_eq!(violations.iter().map(|v| (v.term, v.points)).collect::<Vec<_>>(), [(0, MANY), (1, 2)]);
    assert_eq!(violation(&state(&trainer), 0, FEW).points, FEW);
    let [inside, ends] = &violations[..] else { panic!() };
    assert!(inside.rms() < inside.max && inside.mse < inside.mse_bound.unwrap());
    // 1 − 0.05^(1/10000) = 3.0e-4.
    assert!((inside.exceeded_share.unwrap() - 2.995e-4).abs() < 1e-7);
    assert_eq!((ends.mse_bound, ends.exceeded_share), (None, None));
    assert!(ends.worst == [0.0] || ends.worst == [1.0]);
}

/// The boundary of an interval is two points, though it is one place.
#[test]
fn both_ends_of_an_interval_are_measured() {
    let trainer = untrained(
        "[term.a]\nequation = \"u = 1\"\npoints = 8\n\
         [term.b]\non = \"boundary\"\nequation = \"u = 9*x\"\npoints = 2\n",
    );
    let state = state(&trainer);
    let points = fresh(state.problem, &state.problem.terms[1], (0, 1), &state.points[1], FEW).unwrap();
    assert!(points.column(0).contains(&0.0) && points.column(0).contains(&1.0), "{points:?}");
}

#[test]
fn observations_have_no_bounds() {
    let trainer = untrained(
        "[term.a]\nequation = \"u = 1\"\npoints = 8\n[term.data]\ndata = \"reference\"\nobserve = [\"u\"]\npoints = 5\n[reference]\nu = \"x\"\n",
    );
    let data = &trainer.certify().violations[1];
    assert_eq!((data.points, data.mse_bound, data.exceeded_share), (5, None, None));
}

/// The peak exp(−(200(x − a))²) is two hundredths wide, a fifth of what FEW points are apart in the plane:
/// the draw finds a part of its height, the search all.
#[test]
fn the_search_climbs_to_the_peak_without_leaving_the_place() {
    let peak = "exp(-(200*(x - 0.31))^2 - (200*(t - 0.62))^2)";
    let text = format!(
        "fields = [\"u\"]\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.inside]\nequation = \"1e-9*u = {peak}\"\npoints = 8\n\
         [term.side]\non = \"x = 0.31\"\nequation = \"1e-9*u = exp(-(4000*(t - 0.62))^2)\"\npoints = 8\n\
         [term.all]\non = \"boundary\"\nequation = \"1e-9*u = t\"\npoints = 8\n\
         [network]\nhidden = [3]\nscale_outputs = false"
    );
    let trainer = Trainer::new(problem(&text), 0, Vec::new()).unwrap();
    let state = state(&trainer);
    for (term, place) in [(0, [0.31, 0.62]), (1, [0.31, 0.62])] {
        let points =
            fresh(state.problem, &state.problem.terms[term], (0, term), &state.points[term], FEW).unwrap();
        let residual = &state.problem.terms[term].residual;
        let columns = values(residual, state.model, &[], state.θ, &points);
        let plain = columns[0].iter().fold(0.0, |max: f64, r| max.max(r.abs()));
        let found = violation(&state, term, FEW);
        // Four halvings bring a point within a thirtieth of the spacing of the peak.
        assert!(plain < 0.9 && found.max > 0.9, "{plain} {}", found.max);
        assert!(found.worst.iter().zip(place).all(|(a, b)| (a - b).abs() < 2e-3), "{:?}", found.worst);
    }
    assert_eq!(violation(&state, 1, FEW).worst[0], 0.31, "it stays on the line");
    let side = violation(&state, 2, FEW);
    // Up to the share of the field.
    assert!(
        (side.max - 1.0).abs() < 1e-8 && side.worst[1] == 1.0,
        "the end of the sides themselves: {side:?}"
    );
    assert!([0.0, 1.0].contains(&side.worst[0]), "{:?}", side.worst);
}

/// The equation has no meaning on the axis, and is not asked there.
#[test]
fn an_axis_is_approached_but_not_touched() {
    let text = "fields = [\"u\"]\n[domain]\nr = [0, 1]\n[term.pde]\nequation = \"1e-9*u_r/r = 1/(r + 0.01)\"\npoints = 8\n\
                [network]\nhidden = [3]";
    let trainer = Trainer::new(problem(text), 0, Vec::new()).unwrap();
    let state = state(&trainer);
    let drawn = fresh(state.problem, &state.problem.terms[0], (0, 0), &state.points[0], FEW).unwrap();
    let nearest = drawn.column(0).iter().copied().fold(1.0, f64::min);
    let found = violation(&state, 0, FEW);
    assert!(found.max.is_finite() && found.exceeded_share.is_some(), "{found:?}");
    assert!(0.0 < found.worst[0] && found.worst[0] < nearest, "{found:?}");
}

/// Without a network the residual is the source, which grows with t. It is judged at points of its own, not
/// on lines.
#[test]
fn what_holds_on_lines_is_judged_at_points() {
    let text = "fields = [\"u\"]\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.pde]\n\
                equation = [\"caputo(u, t, 0.5) = 1e9*t*(x - x^2)\", \"u = 0\"]\npoints = 80\n[network]\nhidden = [3]";
    let trainer = Trainer::new(problem(text), 0, Vec::new()).unwrap();
    // The first lines are whole. Fresh ones are not: what a network does between the nodes of whole lines
    // must not stay unseen.
    assert!(trainer.points()[0].column(1).iter().all(|end| *end == 1.0));
    let drawn =
        fresh(trainer.problem(), &trainer.problem().terms[0], (0, 0), &trainer.points()[0], FEW).unwrap();
    let ends = drawn.column(1).iter().copied();
    let (shortest, longest) = (ends.clone().fold(1.0, f64::min), ends.fold(0.0, f64::max));
    assert!(0.75 < shortest && shortest < 0.76 && 0.99 < longest && longest < 1.0, "{shortest} {longest}");
    let found = violation(&state(&trainer), 0, FEW);
    assert!(found.points >= FEW && found.mse_bound.is_some(), "{found:?}");
    assert!(found.worst[1] > 0.99 && (found.worst[0] - 0.5).abs() < 0.05, "{found:?}");
    // However many nodes the lines have.
    let many = problem(&text.replace("points = 80", "points = 80\nnodes = 80"));
    assert!(many.terms[0].line.is_some() && many.terms[0].validation().line.is_none());
    // The same where time is all there is.
    let text = "fields = [\"u\"]\n[domain]\nt = [0, 1]\n[term.pde]\nequation = \"caputo(u, t, 0.5) = 1e9*t\"\npoints = 80\n\
                [network]\nhidden = [3]\n[train]\nresample = 1";
    let trainer = Trainer::new(problem(text), 0, Vec::new()).unwrap();
    let found = violation(&state(&trainer), 0, FEW);
    assert!(found.points >= FEW && found.mse_bound.is_some() && found.worst[0] > 0.99, "{found:?}");
    assert!(!trainer.problem().terms[0].source.repeats(&trainer.problem().domain));
}

#[test]
fn what_lies_between_the_measured_and_its_bound_is_not_met() {
    let mut trainer = untrained("[term.a]\nequation = \"u = 20*x\"\npoints = 8\n");
    let measured = violation(&state(&trainer), 0, MANY);
    let between = 0.5 * (measured.rms() + measured.rms_bound().unwrap());
    for (limit, met) in [(between, false), (2.0 * measured.rms(), true)] {
        let mut problem = trainer.problem().clone();
        problem.terms[0].tolerance = Some((Measure::Rms, limit));
        let measured = Violation { tolerance: problem.terms[0].tolerance, ..measured.clone() };
        assert_eq!(measured.is_met(), Some(met));
        trainer = Trainer::new(problem, 0, Vec::new()).unwrap();
        assert_eq!(is_certified(&state(&trainer)), met);
    }
    // The largest has no bound: it is held against the limit as it is.
    let tolerance = Some((Measure::Max, 1.001 * measured.max));
    assert_eq!(Violation { tolerance, ..measured }.is_met(), Some(true));
}

#[test]
fn the_verdict_is_a_sentence() {
    let terms = "[term.a]\nequation = \"u = 1\"\npoints = 8\ntolerance = \"rms < A\"\n\
                 [term.b]\nequation = \"u = 1\"\npoints = 8\ntolerance = \"max < B\"\n\
                 [term.c]\non = \"x = 1\"\nequation = \"u = 1\"\npoints = 1\ntolerance = \"max < 9\"\n";
    let say = |terms: &str| {
        let trainer = untrained(terms);
        let standing = trainer.certify().verdict();
        (standing.name(), standing.sentence())
    };
    let with = |a: &str, b: &str| say(&terms.replace('A', a).replace('B', b));
    let (name, met) = with("9", "9");
    assert_eq!(name, "met");
    insta::assert_snapshot!(met, @"all 3 tolerances met, each with 95% confidence, a maximum on all but 0.030% of its place");
    insta::assert_snapshot!(with("1e-9", "9").1, @"1 of 3 tolerances missed: a");
    assert_eq!(with("1e-9", "1e-9"), ("missed", "2 of 3 tolerances missed: a, b".to_owned()));
    let alone = say(&terms[terms.find("[term.c]").unwrap()..]);
    insta::assert_snapshot!(alone.1, @"the tolerance is met");
    let none = say("[term.a]\nequation = \"u = 1\"\npoints = 8\n");
    assert_eq!(none.0, "not_asked");
    insta::assert_snapshot!(none.1, @r#"no tolerance was asked for: add tolerance = "rms < 1e-3" to a term"#);
}

/// A slope that the ends do not allow: at the optimum ∇f is not zero, and the constraints hold against it.
fn sloped(steps: usize) -> Trainer {
    let problem = problem(
        "fields = [\"u\"]\n[domain]\nx = [0, 1]\n[term.slope]\nequation = \"u_x = 0.1\"\npoints = 64\n\
         [term.ends]\non = [\"x = 0\", \"x = 1\"]\nequation = \"u = 0\"\npoints = 2\nrole = \"constraint\"\n\
         [network]\nhidden = [4]\nscale_outputs = false\n[train]\nsampler = \"grid\"\n\
         stages = [{ method = \"adam\", steps = 50 }, { method = \"newtonflip\", steps = 200 }]",
    );
    let stages = problem.stages.clone();
    let mut trainer = Trainer::new(problem, 0, stages).unwrap();
    trainer.run(&mut |progress| if progress.step < steps { Signal::Continue } else { Signal::Interrupt });
    trainer
}

#[test]
fn what_newtonflip_has_solved_is_optimal() {
    let (before, after) = (sloped(1).certify().kkt.unwrap(), sloped(250).certify().kkt.unwrap());
    assert_eq!((after.entries, after.of), (2, 2));
    assert!(before.relative > 0.05, "{before:?}");
    // The history of this run has 3.5e-9 at step 249: a hundred times that leaves room for other roundings.
    assert!(after.relative < 1e-6 && after.residual < 1e-6 * before.residual, "{before:?} {after:?}");
}

#[test]
fn of_many_constraints_some_are_used_and_the_residual_is_larger() {
    let text = "fields = [\"u\"]\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.fit]\nequation = \"u = sin(6*x)\"\npoints = 8\n\
                [term.ends]\non = \"boundary\"\nequation = \"u = 0\"\npoints = 40\nrole = \"constraint\"\npointwise = false\n\
                [network]\nhidden = [12]";
    let trainer = Trainer::new(problem(text), 0, Vec::new()).unwrap();
    let (some, all) = (kkt::kkt_of(&state(&trainer), 6).unwrap(), kkt(&state(&trainer)).unwrap());
    assert_eq!((some.entries, some.of, all.entries), (6, 40, 40));
    assert!(some.residual > all.residual, "{some:?} {all:?}");
}

#[test]
fn without_constraints_all_of_the_gradient_is_left_and_without_numbers_nothing() {
    let none = untrained("[term.a]\nequation = \"u = 1\"\npoints = 8\n").certify().kkt.unwrap();
    assert_eq!((none.entries, none.relative), (0, 1.0));
    let broken = untrained("[term.a]\nequation = \"u = log(x - 2)\"\npoints = 8\n").certify();
    assert!(broken.kkt.is_none() && broken.violations[0].max.is_nan());
    assert_eq!(broken.violations[0].exceeded_share, None);
}
