//! The rules against formulas written out by hand, the seam, and runs that are resumed.

use super::super::tests::problems::{Analytic, hs40, quadratic};
use super::super::{Apart, Jacobian, Method, Optimizer, SettingValue, Want};
use super::*;

/// f = ‖A(θ − a)‖² and two mean squares, all linear least squares; one parameter has nothing to do with the
/// last.
struct Fit {
    scale: f64,
}

impl Fit {
    const START: [f64; 3] = [0.5, -1.0, 2.0];

    /// Residuals and rows of the three terms.
    fn terms(&self, θ: &[f64]) -> [(Vec<f64>, Vec<Vec<f64>>); 3] {
        let s = self.scale;
        [
            (vec![θ[0] - 1.0, 2.0 * θ[1] + θ[2]], vec![vec![1.0, 0.0, 0.0], vec![0.0, 2.0, 1.0]]),
            (vec![s * (θ[0] + θ[1])], vec![vec![s, s, 0.0]]),
            (vec![0.5 * θ[2]], vec![vec![0.0, 0.0, 0.5]]),
        ]
    }
}

fn of_squares((r, rows): &(Vec<f64>, Vec<Vec<f64>>)) -> (f64, Vec<f64>) {
    let value = r.iter().map(|r| r * r).sum();
    let slope = |k: usize| r.iter().zip(rows).map(|(r, row)| 2.0 * r * row[k]).sum();
    (value, (0..3).map(slope).collect())
}

impl ConstrainedProblem for Fit {
    fn parameters(&self) -> usize {
        3
    }

    fn constraints(&self) -> usize {
        2
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        vec![Block::mean_squares(1); 2]
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let [f, first, second] = self.terms(θ).map(|term| of_squares(&term));
        out.objective = f.0;
        out.constraints.copy_from_slice(&[first.0, second.0]);
        out.gradient.copy_from_slice(&f.1);
        match want {
            Want::Values => {}
            Want::Combination(w) => {
                (0..3).for_each(|k| out.gradient[k] += w[0] * first.1[k] + w[1] * second.1[k]);
            }
            _ => out.jacobian.rows_mut().copy_from_slice(&[first.1, second.1].concat()),
        }
    }

    fn residual_blocks(&self) -> Vec<crate::optim::ResidualBlock> {
        use crate::optim::{ResidualBlock, ResidualRole::*};
        let block = |role, size| ResidualBlock { role, weight: 1.0, form: Form::MeanSquare, size };
        vec![block(Objective, 2), block(Constraint(0), 1), block(Constraint(1), 1)]
    }

    fn visit_rows(&mut self, θ: &[f64], visit: &mut crate::optim::VisitRows<'_>) {
        let mut first = 0;
        for (residuals, rows) in self.terms(θ) {
            visit(first, &residuals, &rows.concat());
            first += residuals.len();
        }
    }
}

fn balancing(name: &str) -> Balancing {
    let mut balancing = None;
    crate::optim::settings::balance::set(&mut balancing, "weights", &name.into()).unwrap();
    balancing.unwrap()
}

/// The weights after looks at these points.
fn weights(balancing: Balancing, problem: &mut Fit, points: &[[f64; 3]]) -> Vec<f64> {
    let mut balance = Balance::new(Balancing { every: Some(1), ..balancing }, 1, problem);
    let mut at = Evaluation::new(3, balance.entries());
    for θ in points {
        problem.apart(&mut |problem| {
            problem.evaluate(θ, Want::Products, &mut at);
            balance.look(problem, θ, &at);
        });
        balance.end(&at.constraints, &mut StepReport::default());
    }
    balance.weights().to_vec()
}

fn assert_close(x: &[f64], y: &[f64]) {
    // A dozen roundings.
    assert!(x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-13 * y.abs()), "{x:?} against {y:?}");
}

#[test]
fn annealing_is_the_formula() {
    let mut problem = Fit { scale: 3.0 };
    let [f, first, second] = problem.terms(&Fit::START).map(|term| of_squares(&term).1);
    let largest = f.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
    let target = |g: &[f64]| 3.0 * largest / g.iter().map(|g| g.abs()).sum::<f64>();
    let once = |g: &[f64]| 0.9 + 0.1 * target(g);
    let twice = |g: &[f64]| 0.9 * once(g) + 0.1 * target(g);
    let rule = balancing("annealed");
    assert_close(&weights(rule, &mut problem, &[Fit::START]), &[1.0, once(&first), once(&second)]);
    assert_close(&weights(rule, &mut problem, &[Fit::START; 2]), &[1.0, twice(&first), twice(&second)]);
    // All is well with a term that holds exactly: its gradient vanishes, and its weight stays.
    assert_eq!(weights(rule, &mut problem, &[[0.5, -1.0, 0.0]])[2], 1.0);
}

#[test]
fn the_tangent_kernels_traces_are_the_formula() {
    let rule = balancing("ntk");
    for scale in [1.0, 100.0] {
        // ‖∂r‖²: 1 + 5, 2s², 1/4.
        let traces = [6.0, 2.0 * scale * scale, 0.25];
        let sum: f64 = traces.iter().sum();
        let expected: Vec<f64> = traces.iter().map(|trace| sum / trace).collect();
        assert_close(&weights(rule, &mut Fit { scale }, &[Fit::START]), &expected);
    }
    // f of which no residuals are known is one residual's square: ‖∇f‖²/4f.
    let mut problem = hs40().grouped(&[3]);
    let θ = problem.start.clone();
    let at = problem.at(&θ);
    let mut balance = Balance::new(rule, 1, &problem);
    let mut out = Evaluation::new(4, 4);
    let mut apart = Apart::new(&mut problem);
    apart.evaluate(&θ, Want::Products, &mut out);
    assert!(balance.look(&mut apart, &θ, &out));
    let squared = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>();
    let traces =
        [squared(&at.gradient) / (4.0 * at.objective.abs()), at.rows().map(squared).sum::<f64>() / 3.0];
    let sum = traces[0] + traces[1];
    assert_close(balance.weights(), &[sum / traces[0], sum / traces[1]]);
}

#[test]
fn falls_of_losses_are_the_formulas() {
    let mut problem = Fit { scale: 1.0 };
    let points = [Fit::START, [0.7, -0.9, 1.5], [0.8, -0.9, 1.0]];
    let losses = points.map(|θ| problem.terms(&θ).map(|term| of_squares(&term).0));
    let softmax = |x: [f64; 3]| {
        let sum: f64 = x.iter().map(|x| x.exp()).sum();
        x.map(|x| 3.0 * x.exp() / sum)
    };
    let ratio = |to: usize| softmax(std::array::from_fn(|i| losses[2][i] / (0.5 * losses[to][i])));
    let early = softmax(std::array::from_fn(|i| losses[1][i] / (0.5 * losses[0][i])));
    for lookback in [0.0, 1.0] {
        let rule = Weights::Relobralo { memory: 0.8, temperature: 0.5, lookback };
        let found = weights(Balancing { weights: rule, every: None }, &mut problem, &points);
        let expected: Vec<f64> = (0..3)
            .map(|i| {
                // After the second look, whose last and first losses are the same.
                let second = 0.8 * if lookback == 1.0 { 1.0 } else { early[i] } + 0.2 * early[i];
                let past = if lookback == 1.0 { second } else { ratio(0)[i] };
                0.8 * past + 0.2 * ratio(1)[i]
            })
            .collect();
        assert_close(&found, &expected);
    }
    let changes: [f64; 3] = std::array::from_fn(|i| losses[2][i] - losses[1][i]);
    let sum: f64 = changes.iter().map(|s| s.abs()).sum();
    let rule = Weights::SoftAdapt { sharpness: 0.3 };
    let found = weights(Balancing { weights: rule, every: None }, &mut problem, &points);
    assert_close(&found, &softmax(changes.map(|s| 0.3 * s / sum)));
}

#[test]
fn looks_back_are_as_frequent_as_they_should_be() {
    let kept = (0..2_000).filter(|&step| rules::looks_back(0.9, step)).count() as f64;
    // Four standard deviations of a binomial count, √(2000·0.9·0.1) = 13.
    assert!((kept - 1_800.0).abs() < 54.0, "{kept}");
}

#[test]
fn the_objective_goes_where_its_losses_are() {
    let [a, b] = [Block::mean_squares(1), Block::residuals(4)];
    assert_eq!(apart(&[0], &[b]), [a, b]);
    assert_eq!(apart(&[0, 5], &[b]), [a, b, a]);
    assert_eq!(apart(&[4, 5, 6], &[b, b]), [b, a, a, a, b]);
    assert_eq!((block_of(&[b, a, b], 3), block_of(&[b, a, b], 4), block_of(&[b, a, b], 8)), (0, 1, 2));
}

/// Terms of one weight: the balanced sum is the plain one, and its first step too.
#[test]
fn balanced_methods_start_as_the_plain_ones_do() {
    for name in ["adam", "lbfgs", "ssbroyden", "gauss_newton"] {
        let plain = if name == "adam" { vec![] } else { vec![("penalty", 1.0.into())] };
        // Losses are seen for the first time: no weight has changed.
        let run = |settings: &[(&str, SettingValue)]| {
            let mut problem = Fit { scale: 1.0 };
            let mut θ = Fit::START;
            let mut method = Method::with(name, settings).unwrap().optimizer(&problem, 9);
            let report = method.step(&mut problem, &mut θ);
            (θ, report.objective, report.violation)
        };
        let (θ, f, h) = run(&plain);
        let (balanced, objective, violation) = run(&[("weights", "softadapt".into())]);
        assert_close(&balanced, &θ);
        assert_close(&[objective, violation], &[f, h]);
    }
}

/// A consistent system: every weighting of it has the same solution.
#[test]
fn balanced_methods_find_what_all_terms_agree_on() {
    for name in ["adam", "lbfgs", "ssbroyden", "gauss_newton"] {
        for rule in ["annealed", "ntk", "relobralo", "softadapt"] {
            let mut problem = Consistent(Fit { scale: 10.0 });
            let mut settings: Vec<(&str, SettingValue)> = vec![("weights", rule.into())];
            if name == "adam" {
                settings.extend([("lr", 0.1.into()), ("lr_end", 1e-5.into())]);
            }
            let mut method = Method::with(name, &settings).unwrap().optimizer(&problem, 1_000);
            let mut θ = Fit::START;
            let steps = if name == "adam" { 1_000 } else { 60 };
            let mut report = StepReport::default();
            (0..steps).for_each(|_| report = method.step(&mut problem, &mut θ));
            let loss = report.objective + report.violation;
            // From 26; the solution is 1, −1, 2. Adam, whose rate falls to 1e-5, is on its way down a narrow
            // valley.
            let limit = if name == "adam" { 0.02 } else { 1e-6 };
            assert!(loss < limit, "{name}, {rule}: {loss} at {θ:?}");
            assert!(report.penalty >= 1.0 && method.multipliers().len() == 2, "{name}, {rule}: {report:?}");
        }
    }
}

/// The same with a last term that agrees with the others.
struct Consistent(Fit);

impl ConstrainedProblem for Consistent {
    fn parameters(&self) -> usize {
        3
    }

    fn constraints(&self) -> usize {
        2
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        self.0.constraint_blocks()
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let moved = [θ[0], θ[1], θ[2]];
        self.0.evaluate(&moved, want, out);
        // (θ₂ − 2)²/4 in place of θ₂²/4.
        let (change, slope) = ((1.0 - θ[2]), -1.0);
        out.constraints[1] += change;
        match want {
            Want::Values => {}
            Want::Combination(w) => out.gradient[2] += w[1] * slope,
            _ => out.jacobian.rows_mut()[5] += slope,
        }
    }

    fn residual_blocks(&self) -> Vec<crate::optim::ResidualBlock> {
        self.0.residual_blocks()
    }

    fn visit_rows(&mut self, θ: &[f64], visit: &mut crate::optim::VisitRows<'_>) {
        self.0.visit_rows(θ, &mut |first, residuals, rows| {
            let shift = if first == 3 { -1.0 } else { 0.0 };
            let residuals: Vec<f64> = residuals.iter().map(|r| r + shift).collect();
            visit(first, &residuals, rows);
        });
    }
}

#[test]
fn balanced_methods_go_on_with_the_same_bits() {
    for name in ["adam", "lbfgs", "ssbroyden", "gauss_newton"] {
        for rule in ["annealed", "ntk", "relobralo", "softadapt"] {
            let settings = [("weights", rule.into()), ("weights_every", 3.0.into())];
            let make = || Method::with(name, &settings).unwrap().optimizer(&quadratic(), 40);
            for taken in [0, 1, 7] {
                let (mut problem, mut whole): (Analytic, Box<dyn Optimizer>) = (quadratic(), make());
                let mut θ = problem.start.clone();
                (0..taken).for_each(|_| _ = whole.step(&mut problem, &mut θ));
                let saved: Vec<(String, Vec<f64>)> =
                    whole.state().into_iter().map(|(name, list)| (name.to_owned(), list)).collect();
                let (mut resumed, mut again) = (make(), θ.clone());
                assert!(resumed.restore(&saved), "{name}, {rule}");
                for _ in 0..8 {
                    let report = whole.step(&mut problem, &mut θ);
                    // As text, in which one NaN is like another.
                    let same = resumed.step(&mut problem, &mut again);
                    assert_eq!(format!("{same:?}"), format!("{report:?}"), "{name}, {rule}");
                    assert_eq!(θ, again, "{name}, {rule}");
                }
                assert!(!make().restore(&saved[..1]), "{name}, {rule}: a part of a state");
            }
        }
    }
}

#[test]
fn numbers_that_are_not_finite_change_no_weight() {
    let mut balance = Balance::new(balancing("annealed"), 1, &Fit { scale: 1.0 });
    let mut at = Evaluation::new(3, 3);
    at.jacobian = Jacobian::from_rows(vec![f64::NAN; 9], 3);
    let mut problem = Fit { scale: 1.0 };
    problem.apart(&mut |problem| assert!(!balance.look(problem, &Fit::START, &at)));
    at.constraints.fill(1.0);
    problem.apart(&mut |problem| assert!(!balance.look(problem, &Fit::START, &at)));
    assert_eq!(balance.weights(), [1.0; 3]);
}
