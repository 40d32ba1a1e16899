//! Steps of each dual rule against the same steps written out.

use super::super::super::Wolfe;
use super::super::problems::quadratic;
use super::super::*;
use super::outer_settings;

/// ∇L, h and L for two entries of one pointwise block, of a share of ½. f = ½‖θ − c‖², h as in `quadratic`.
fn by_hand(θ: &[f64], λ: [f64; 2], μ: [f64; 2]) -> (Vec<f64>, [f64; 2], f64) {
    let at = (quadratic().at)(θ);
    let h = [at.constraints[0], at.constraints[1]];
    let g = (0..3)
        .map(|i| at.gradient[i] + (0..2).map(|k| 0.5 * (λ[k] + μ[k] * h[k]) * at.rows[k][i]).sum::<f64>())
        .collect();
    let value = at.objective + (0..2).map(|k| 0.5 * (λ[k] * h[k] + 0.5 * μ[k] * h[k] * h[k])).sum::<f64>();
    (g, h, value)
}

/// Adam with its β and δ of the defaults, number by number.
#[derive(Clone, Copy, Default)]
struct Number {
    mean: f64,
    square: f64,
}

impl Number {
    fn step(&mut self, t: i32, g: f64) -> f64 {
        self.mean = 0.9 * self.mean + 0.1 * g;
        self.square = 0.999 * self.square + 0.001 * g * g;
        let (mean, square) = (self.mean / (1.0 - 0.9f64.powi(t)), self.square / (1.0 - 0.999f64.powi(t)));
        mean / (square.sqrt() + 1e-8)
    }
}

fn close(found: &[f64], expected: &[f64]) {
    for (found, expected) in found.iter().zip(expected) {
        // The order of a few dozen roundings differs.
        assert!((found - expected).abs() < 1e-12, "{found} against {expected}");
    }
}

#[test]
fn three_steps_of_ascent_are_the_formula() {
    let (rate, dual_rate) = (1e-2, 0.3);
    let settings = AlSettings {
        dual: Dual::Ascent(Ascent { penalty: 4.0, rate: Rate::constant(dual_rate), update: Update::Adam }),
        adam: AdamSettings { rate: Rate::constant(rate), ..AdamSettings::default() },
        ..AlSettings::default()
    };
    let mut problem = quadratic();
    let mut method = AugmentedLagrangian::new(settings, 3, &[Block::residuals(2)], 3);
    let (mut θ, mut expected) = (problem.start.clone(), problem.start.clone());
    let (mut λ, mut primal, mut dual) = ([0.0; 2], [Number::default(); 3], [Number::default(); 2]);
    for t in 1..=3 {
        method.step(&mut problem, &mut θ);
        // L = f + 4·mean(r²) + mean(λr): both parts from the same point.
        let (g, h, _) = by_hand(&expected, λ, [8.0; 2]);
        for i in 0..3 {
            expected[i] -= rate * primal[i].step(t, g[i]);
        }
        for k in 0..2 {
            λ[k] += dual_rate * dual[k].step(t, 0.5 * h[k]);
        }
        close(&θ, &expected);
        close(&method.lagrangian.λ, &λ);
    }
    assert_eq!(problem.calls, [3, 3], "the values for the weights, then the combination");
}

#[test]
fn three_steps_of_the_proportional_integral_rule_are_the_formula() {
    let update = Update::ProportionalIntegral { memory: 0.3, integral: 2.0, proportional: 5.0 };
    let settings = AlSettings {
        dual: Dual::Ascent(Ascent { penalty: 4.0, rate: Rate::constant(0.1), update }),
        ..AlSettings::default()
    };
    let mut problem = quadratic();
    let mut method = AugmentedLagrangian::new(settings, 3, &[Block::residuals(2)], 3);
    let mut θ = problem.start.clone();
    let (mut λ, mut ξ) = ([0.0; 2], [0.0; 2]);
    for _ in 0..3 {
        let (_, h, _) = by_hand(&θ, λ, [8.0; 2]);
        method.step(&mut problem, &mut θ);
        for k in 0..2 {
            let next = 0.3 * ξ[k] + 0.7 * h[k];
            λ[k] += 0.1 * (2.0 * h[k] + 5.0 * (next - ξ[k]));
            ξ[k] = next;
        }
        close(&method.lagrangian.λ, &λ);
    }
}

#[test]
fn steps_of_the_adaptive_rule_are_the_formula() {
    let adam = AdamSettings { rate: Rate::constant(0.05), ..AdamSettings::default() };
    let mut problem = quadratic();
    let settings = AlSettings { adam, ..AlSettings::adaptive() };
    let mut method = AugmentedLagrangian::new(settings, 3, &[Block::residuals(2)], 200);
    let (mut θ, mut expected) = (problem.start.clone(), problem.start.clone());
    let (mut λ, mut μ, mut v, mut previous) = ([1.0; 2], [1.0; 2], [0.0; 2], f64::INFINITY);
    let (mut primal, mut updates) = ([Number::default(); 3], 0);
    for t in 1..=200 {
        method.step(&mut problem, &mut θ);
        // c = r²: f + mean(λr² + ½μr⁴).
        let at = (quadratic().at)(&expected);
        let c = [at.constraints[0].powi(2), at.constraints[1].powi(2)];
        let w = [0, 1].map(|k| (λ[k] + μ[k] * c[k]) * at.constraints[k]);
        let value =
            at.objective + [0, 1].map(|k| 0.5 * (λ[k] * c[k] + 0.5 * μ[k] * c[k] * c[k])).iter().sum::<f64>();
        for i in 0..3 {
            let g = at.gradient[i] + w[0] * at.rows[0][i] + w[1] * at.rows[1][i];
            expected[i] -= 0.05 * primal[i].step(t, g);
        }
        for k in 0..2 {
            v[k] = 0.99 * v[k] + 0.01 * c[k] * c[k];
        }
        if value >= 0.999 * previous {
            updates += 1;
            for k in 0..2 {
                λ[k] += μ[k] * c[k];
                μ[k] = μ[k].max(0.01 / (v[k] + 1e-16f64).sqrt());
            }
        }
        previous = value;
        if t == 1 {
            close(&θ, &expected);
        }
        // Later the feedback of θ on λ and back amplifies the roundings of Adam's quotients.
        for (found, expected) in method.lagrangian.λ.iter().zip(&λ).chain(method.lagrangian.μ.iter().zip(&μ))
        {
            assert!((found - expected).abs() < 1e-9, "step {t}: {found} against {expected}");
        }
    }
    assert!((5..195).contains(&updates), "some steps update and some do not: {updates}");
}

#[test]
fn a_round_of_the_outer_rule_is_the_formula() {
    // Adam alone: after two steps λ += μh at the new θ and μ doubles, up to five.
    let rule = Outer { penalty: 3.0, limit: 5.0, adam: 2, lbfgs: 0, ..Outer::default() };
    let adam = AdamSettings { rate: Rate::constant(0.05), ..AdamSettings::default() };
    let mut problem = quadratic();
    let settings = AlSettings { adam, dual: Dual::Outer(rule), ..AlSettings::default() };
    let mut method = AugmentedLagrangian::new(settings, 3, &[Block::residuals(2)], 4);
    let (mut θ, mut expected) = (problem.start.clone(), problem.start.clone());
    let (mut λ, mut μ) = ([0.0; 2], [3.0; 2]);
    for _ in 0..2 {
        let mut primal = [Number::default(); 3];
        for t in 1..=2 {
            method.step(&mut problem, &mut θ);
            let (g, _, _) = by_hand(&expected, λ, μ);
            for i in 0..3 {
                expected[i] -= 0.05 * primal[i].step(t, g[i]);
            }
        }
        let (_, h, _) = by_hand(&expected, λ, μ);
        for k in 0..2 {
            λ[k] += μ[k] * h[k];
            μ[k] = (2.0 * μ[k]).min(5.0);
        }
        close(&θ, &expected);
        close(&method.lagrangian.λ, &λ);
        close(&method.lagrangian.μ, &μ);
    }
}

#[test]
fn a_round_of_quasi_newton_ends_with_the_dual_step() {
    let rule = Outer { penalty: 3.0, adam: 0, lbfgs: 4, tolerance: 0.0, ..Outer::default() };
    let wolfe = Wolfe { curvature: 1e-10, ..Wolfe::default() };
    let descent = DescentSettings { wolfe, ..DescentSettings::default() };
    let mut problem = quadratic();
    let settings = AlSettings { descent, ..outer_settings(rule) };
    let mut method = AugmentedLagrangian::new(settings, 3, &[Block::residuals(2)], 4);
    let mut θ = problem.start.clone();
    for _ in 0..3 {
        method.step(&mut problem, &mut θ);
    }
    assert_eq!(method.lagrangian.λ, [0.0; 2], "not before the end of the round");
    method.step(&mut problem, &mut θ);
    let (g, h, _) = by_hand(&θ, [0.0; 2], [3.0; 2]);
    // Three variables: at the minimum of L after three exact steps.
    close(&g.iter().map(|g| g * 1e-4).collect::<Vec<_>>(), &[0.0; 3]);
    close(&method.lagrangian.λ, &h.map(|h| 3.0 * h));
    assert_eq!(method.lagrangian.μ, [6.0; 2]);
}
