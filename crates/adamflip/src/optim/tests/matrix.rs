//! Every method on every analytic problem: a row for each method, with its settings and what it must reach.

use super::problems::{Analytic, infeasible, rank_deficient, regular};
use super::work::{self, Table, Work};
use super::*;
use crate::simd::portably;

/// A method with settings for these problems (functions of order one, not networks).
pub(super) struct Row {
    pub(super) label: &'static str,
    pub(super) steps: usize,
    /// By the name of the problem.
    pub(super) method: fn(&str) -> Method,
}

/// All rows; a test sees to it that every method that can meet constraints has one. `adam` cannot: it
/// minimises f + Σh.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row { label: "fl",              steps: 24_000, method: fl },
    Row { label: "fl_zeroth",       steps: 24_000, method: fl_zeroth },
    Row { label: "fl_momentum",     steps: 24_000, method: fl_momentum },
    Row { label: "adamflip",        steps: 24_000, method: adamflip },
    Row { label: "adamflip_metric", steps: 24_000, method: adamflip_metric },
    Row { label: "adamflip_split",  steps: 24_000, method: adamflip_split },
    Row { label: "al ascent",       steps: 24_000, method: al_ascent },
    Row { label: "al ascent, pi",   steps: 24_000, method: al_controlled },
    Row { label: "al outer",        steps:    600, method: al_outer },
    Row { label: "al adaptive",     steps: 24_000, method: al_adaptive },
    Row { label: "admm",            steps: 24_000, method: admm },
    Row { label: "admm, lbfgs",     steps:  1_200, method: admm_lbfgs },
    Row { label: "lbfgs",           steps:    600, method: lbfgs },
    Row { label: "ssbroyden",       steps:    600, method: ssbroyden },
    Row { label: "trust_region",    steps:  1_200, method: trust_region },
    Row { label: "trsqp",           steps:    600, method: trsqp },
];

pub(super) const FALLING: Rate = Rate { start: 3e-2, decay: Decay::Exponential(1e-6) };

fn feedback(gain: f64) -> Feedback {
    Feedback { gain, damping: Damping::Relative(1e-8), ..Feedback::default() }
}

fn fl(problem: &str) -> Method {
    // The curvature of Rosenbrock's valley is near a thousand.
    let (rate, gain) = if problem.starts_with("rosenbrock") { (1e-3, 100.0) } else { (1e-2, 10.0) };
    Method::Fl(FlSettings { rate: Rate::constant(rate), feedback: feedback(gain), clip: None })
}

fn fl_zeroth(problem: &str) -> Method {
    let Method::Fl(mut fl) = fl(problem) else { unreachable!() };
    // Four directions for two to five parameters: the metric has eigenvalues above two.
    (fl.rate.start, fl.feedback.gain) = (0.4 * fl.rate.start, 2.5 * fl.feedback.gain);
    Method::FlZeroth(FlZerothSettings { fl, directions: 4, ..FlZerothSettings::default() })
}

fn fl_momentum(_: &str) -> Method {
    let fl = FlSettings { rate: Rate::constant(1e-3), feedback: feedback(50.0), clip: None };
    Method::FlMomentum(FlMomentumSettings { fl, momentum: 0.9 })
}

fn adamflip(_: &str) -> Method {
    let adam = AdamSettings { rate: FALLING, ..AdamFlipSettings::default().adam };
    Method::AdamFlip(AdamFlipSettings { adam, feedback: feedback(10.0), ..AdamFlipSettings::default() })
}

fn adamflip_metric(_: &str) -> Method {
    let adam = AdamSettings { rate: Rate::constant(1e-2), delta: 1.0, ..AdamSettings::default() };
    Method::AdamFlipMetric(AdamFlipMetricSettings { adam, feedback: feedback(1.0) })
}

fn adamflip_split(_: &str) -> Method {
    let adam = AdamSettings { rate: FALLING, ..AdamSettings::default() };
    Method::AdamFlipSplit(AdamFlipSplitSettings { adam, ..AdamFlipSplitSettings::default() })
}

fn al(settings: AlSettings, end: f64, dual: Dual) -> Method {
    let rate = Rate { decay: Decay::Exponential(end), ..FALLING };
    Method::Al(AlSettings { adam: AdamSettings { rate, ..AdamSettings::default() }, dual, ..settings })
}

fn al_ascent(_: &str) -> Method {
    let rate = Rate { decay: Decay::Exponential(1e-5), ..FALLING };
    al(AlSettings::ascent(), 1e-5, Dual::Ascent(Ascent { penalty: 3.0, rate, update: Update::Adam }))
}

fn al_controlled(_: &str) -> Method {
    let rule = Ascent { penalty: 3.0, rate: Rate::constant(0.05), update: Update::proportional_integral() };
    al(AlSettings::ascent(), 1e-5, Dual::Ascent(rule))
}

fn al_outer(_: &str) -> Method {
    let rule = Outer { adam: 0, lbfgs: 200, penalty: 10.0, ..Outer::default() };
    al(AlSettings::outer(), 1e-5, Dual::Outer(rule))
}

fn al_adaptive(_: &str) -> Method {
    al(AlSettings::adaptive(), 1e-4, Dual::Adaptive(Adaptive::default()))
}

fn admm(_: &str) -> Method {
    let rate = Rate { decay: Decay::Exponential(1e-5), ..FALLING };
    Method::Admm(AdmmSettings {
        adam: AdamSettings { rate, ..AdamSettings::default() },
        ..AdmmSettings::default()
    })
}

fn admm_lbfgs(_: &str) -> Method {
    Method::Admm(AdmmSettings { descent: Some(DescentSettings::default()), ..AdmmSettings::default() })
}

fn trust_region(_: &str) -> Method {
    Method::TrustRegion(TrustRegionSettings { penalty: 1e3, ..TrustRegionSettings::default() })
}

fn lbfgs(_: &str) -> Method {
    Method::Lbfgs(LbfgsSettings { penalty: 1e3, ..LbfgsSettings::default() })
}

fn ssbroyden(_: &str) -> Method {
    Method::SsBroyden(SsBroydenSettings { penalty: 1e3, ..SsBroydenSettings::default() })
}

fn trsqp(_: &str) -> Method {
    Method::TrSqp(TrSqpSettings::default())
}

/// How near the solution θ must come.
fn tolerance(row: &str, problem: &str) -> f64 {
    match (row, problem) {
        // f grows with the fourth power of the distance: 5e-2 is f below 1e-5.
        (_, "hs26") => 5e-2,
        // A curved valley with a floor of slope 0.01; the monotone v̄ remembers the steep start.
        ("adamflip_metric", "hs27") => 0.1,
        // The same valley without adaptive scaling; 1e-6 after these steps, still falling.
        ("fl" | "fl_momentum", "hs27") => 1e-5,
        // And at less than half the rate.
        ("fl_zeroth", "hs27") => 2e-3,
        // Adam moves both multipliers at its own rate whatever the size of the two violations, so that they
        // end somewhere between the two demands.
        ("al ascent", "infeasible pair") => 0.1,
        // The penalties, in the hundreds, make curved valleys of these, in which Adam crawls; still falling.
        ("al adaptive", "hs6" | "hs7" | "hs77") => 0.2,
        // The squares' multipliers only grow: what is left is λ*/2λ, with λ in the hundreds, over the slopes.
        ("al adaptive", _) => 2e-2,
        // Rates end at 1e-5.
        ("al ascent" | "al ascent, pi", _) => 1e-5,
        // The rates have ended before the multipliers of hs78 have.
        ("admm", _) => 1e-4,
        // A penalty p = 1000 leaves λ*/2p of violation.
        ("lbfgs" | "ssbroyden" | "trust_region", _) => 5e-3,
        // Of the others: ε shifts the solution by up to 1e-8 of λ, and rates end at 1e-6, where they fall.
        _ => 1e-6,
    }
}

/// ‖h‖₁ that may be left where it can vanish.
fn violation(row: &str) -> f64 {
    match row {
        // As above: λ* of order one over 2λ, over 2p.
        "al adaptive" => 1e-2,
        // As above, times slopes of ten.
        "admm" => 1e-3,
        "lbfgs" | "ssbroyden" | "trust_region" => 2e-3,
        // ε and the last rate, times gradients up to 20.
        _ => 1e-5,
    }
}

fn run(row: &Row, problem: &mut Analytic) -> (Vec<f64>, StepReport, Option<Work>) {
    let method = (row.method)(problem.name);
    let mut optimizer = method.optimizer(problem, row.steps);
    let mut θ = problem.start.clone();
    // One hundredth tells methods apart that end at rounding or where their penalty leaves them.
    let near = tolerance(row.label, problem.name).max(1e-2);
    let mut work = None;
    work::factorizations();
    for _ in 1..row.steps {
        optimizer.step(problem, &mut θ);
        if work.is_none() && problem.error(&θ) < near {
            let [values, gradients] = problem.calls;
            work = Some(Work { values, gradients, factorizations: work::factorizations() });
        }
    }
    optimizer.diagnose(true);
    let report = optimizer.step(problem, &mut θ);
    (θ, report, work)
}

#[test]
fn every_method_has_a_row() {
    let rows = ROWS.iter().map(|row| (row.method)("").name());
    let without: Vec<_> =
        Method::NAMES.into_iter().filter(|&name| !rows.clone().any(|row| row == name)).collect();
    // Adam has no constraints; the Gauss–Newton methods want sums of squares, and have tests of their own.
    assert_eq!(without, ["adam", "gauss_newton", "newtonflip", "newton_rows", "newton_cg"]);
}

#[test]
fn every_method_solves_every_problem_with_so_much_work() {
    let mut table = Table::default();
    for row in ROWS {
        for mut problem in regular() {
            let (θ, report, work) = portably(|| run(row, &mut problem));
            let (error, name) = (problem.error(&θ), problem.name);
            assert!(error < tolerance(row.label, name), "{} on {name}: {error:.1e}", row.label);
            assert!(report.violation < violation(row.label), "{} on {name}: {report:?}", row.label);
            table.add(row.label, name, work);
        }
    }
    // Evaluations and factorizations of an m × m matrix until no coordinate is farther from the solution than
    // the tolerance, or 0.01 where that is more.
    insta::assert_snapshot!(table.to_string(), @r"
                                      quadratic rosenbrock        hs6        hs7       hs26       hs27       hs39       hs40       hs77       hs78       hs79
    fl: gradients                           331         42       1103        152       1388        916        130         85       1240         33        281
    fl: factorizations                      331         42       1103        152       1388        916        130         85       1240         33        281
    fl_zeroth: values                     11970        423      29655       4140      38043     114138       5058       7866      55971      14229      37143
    fl_zeroth: factorizations              1330         47       3295        460       4227      12682        562        874       6219       1581       4127
    fl_momentum: gradients                  285         80       1050        139       1319      12669        382        126       1151         65        285
    fl_momentum: factorizations             285         80       1050        139       1319      12669        382        126       1151         65        285
    adamflip: gradients                     232        719        216        101        950       3050        256         66        232         52        156
    adamflip: factorizations                232        719        216        101        950       3050        256         66        232         52        156
    adamflip_metric: gradients             3204       5930       2805        630      11886       7844       1195        308       8130        347        630
    adamflip_metric: factorizations        3204       5930       2805        630      11886       7844       1195        308       8130        347        630
    adamflip_split: gradients               139         40        260         77        848        917         78         33        303         40         47
    adamflip_split: factorizations          139         40        260         77        848        917         78         33        303         40         47
    al ascent: values                       826        139       5278       9585       1502       9473       2049         57      10707        381        886
    al ascent: gradients                    826        139       5278       9585       1502       9473       2049         57      10707        381        886
    al ascent, pi: values                   892        118       5664      10133       1620       9060       3219        292      11108        407        972
    al ascent, pi: gradients                892        118       5664      10133       1620       9060       3219        292      11108        407        972
    al outer: values                         37         17        130         41         59         63         86         42        103         38         65
    al outer: gradients                      21          9         76         24         33         36         52         24         59         22         38
    al adaptive: values                    2614         83       6470      22558        993      16331      13011       2558       2420        562       3218
    al adaptive: gradients                 2614         83       6470      22558        993      16331      13011       2558       2420        562       3218
    admm: values                           1428        206       7846      13314       2458       1878       1825         57      14033       3139       1367
    admm: gradients                        1360        197       7473      12680       2341       1789       1739         55      13365       2990       1302
    admm, lbfgs: values                      45         17        112         34         59         52        695        110         68         47         38
    admm, lbfgs: gradients                   23          9         64         19         33         28        605         82         36         25         20
    lbfgs: values                            49         22        547        106        294        145        103         35        216         49         76
    lbfgs: gradients                         25         12        324         60        169         84         56         21        116         26         40
    ssbroyden: values                        34         15        664        116        167        128         66         37        154         52         75
    ssbroyden: gradients                     20          8        390         66        102         73         35         22         87         32         43
    trust_region: values                     13         27        911        305        429        285        101         53        259         49         73
    trust_region: gradients                   7         14        456        153        215        143         51         27        130         25         37
    trsqp: values                             6         10         25         12         13         14          6          7         17          8          9
    trsqp: gradients                          6          9         20         11         13         12          6          6         16          7          8
    trsqp: factorizations                     6          8         14         10         13         12          6          6         16          6          7
    ");
}

#[test]
fn conflicting_constraints_end_at_the_least_violation() {
    for row in ROWS {
        let mut problem = infeasible();
        let (θ, report, _) = run(row, &mut problem);
        let label = row.label;
        assert!(problem.error(&θ) < tolerance(label, problem.name), "{label}: {θ:?}");
        assert!((report.violation - 1.0).abs() < 1e-6, "{label}: {report:?}");
        // Where the method knows its Jacobian.
        if !report.rank.is_nan() {
            assert_eq!((report.rank, report.condition), (1.0, f64::INFINITY), "{label}");
            // Nothing more can be promised, and nothing came.
            assert!(report.predicted.abs() < 1e-6 && report.actual.abs() < 1e-6, "{label}: {report:?}");
        }
    }
}

#[test]
fn redundant_constraints_are_met_and_counted() {
    for row in ROWS {
        let mut problem = rank_deficient();
        let (θ, report, _) = run(row, &mut problem);
        let label = row.label;
        assert!(problem.error(&θ) < tolerance(label, problem.name), "{label}: {θ:?}");
        assert!(report.violation < violation(label), "{label}: {report:?}");
        assert!(report.rank == 1.0 || report.rank.is_nan(), "{label}: {report:?}");
        // The residual of a damped least-squares multiplier: ε of λ at the most. `al` and `admm` have
        // multipliers of their own, whose error is that of θ; `lbfgs`, `ssbroyden` and `trust_region` have
        // none.
        let kkt = if label.starts_with("al") || label.starts_with("admm") { 1e-3 } else { 1e-6 };
        let none = ["lbfgs", "ssbroyden", "trust_region"].contains(&label);
        assert!(report.kkt < kkt || none, "{label}: {report:?}");
    }
}
