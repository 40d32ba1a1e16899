//! One or a few steps of each method against the formulas, written out plainly.

use super::problems::{Analytic, hs40, hs77, kkt_residual, quadratic, rank_deficient, regular, solve};
use super::*;

fn inner(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// (J D Jᵀ + εI)⁻¹ b.
fn normal(at: &Evaluation, d: &[f64], ε: f64, b: Vec<f64>) -> Vec<f64> {
    let rows: Vec<&[f64]> = at.rows().collect();
    let entry = |i: usize, k: usize| {
        let weighted: Vec<f64> = rows[i].iter().zip(d).map(|(x, d)| x * d).collect();
        inner(&weighted, rows[k]) + if i == k { ε } else { 0.0 }
    };
    solve((0..rows.len()).map(|i| (0..rows.len()).map(|k| entry(i, k)).collect()).collect(), b)
}

fn times(at: &Evaluation, v: &[f64]) -> Vec<f64> {
    at.rows().map(|row| inner(row, v)).collect()
}

fn transposed(at: &Evaluation, w: &[f64]) -> Vec<f64> {
    (0..at.gradient.len()).map(|i| at.rows().zip(w).map(|(row, w)| row[i] * w).sum()).collect()
}

fn trace_share(at: &Evaluation) -> f64 {
    at.rows().map(|row| inner(row, row)).sum::<f64>() / at.constraints.len() as f64
}

/// λ and g = ∇f + Jᵀλ in the metric d.
fn direction(at: &Evaluation, d: &[f64], ε: f64, gains: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let scaled: Vec<f64> = at.gradient.iter().zip(d).map(|(g, d)| g * d).collect();
    let right = times(at, &scaled).into_iter().zip(&at.constraints).zip(gains).map(|((jg, h), k)| k * h - jg);
    let λ = normal(at, d, ε, right.collect());
    let g = transposed(at, &λ).iter().zip(&at.gradient).map(|(x, g)| g + x).collect();
    (λ, g)
}

/// To 1e-12 of the size of the vector: rounding times the condition of J Jᵀ, below 100 on these problems.
fn assert_close(x: &[f64], y: &[f64], what: &str) {
    let scale = y.iter().fold(1.0, |scale: f64, y| scale.max(y.abs()));
    assert!(x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12 * scale), "{what}: {x:?} against {y:?}");
}

fn feedback(gain: f64, ε: f64) -> Feedback {
    Feedback { gain, damping: Damping::Absolute(ε), ..Feedback::default() }
}

#[test]
fn one_fl_step() {
    let mut problem = hs40();
    let at = problem.at(&problem.start.clone());
    let settings = FlSettings { rate: Rate::constant(0.02), feedback: feedback(7.0, 1e-3), clip: None };
    let (λ, g) = direction(&at, &[1.0; 4], 1e-3, &[7.0; 3]);
    let expected: Vec<f64> = problem.start.iter().zip(&g).map(|(θ, g)| θ - 0.02 * g).collect();
    let (mut method, mut θ) = (Fl::new(settings, 4, 3, 1), problem.start.clone());
    let report = method.step(&mut problem, &mut θ);
    assert_close(&θ, &expected, "θ");
    assert_close(method.multipliers(), &λ, "λ");
    assert!((report.gain - 0.14).abs() < 1e-15);
}

#[test]
fn fl_with_the_inverse_rate_as_gain_is_the_sqp_step() {
    for mut problem in regular() {
        let η = 0.05;
        let at = problem.at(&problem.start.clone());
        let (n, m) = (at.gradient.len(), at.constraints.len());
        // min ∇fᵀd + ‖d‖²/2η subject to h + Jd = 0: the KKT system of d and its multipliers.
        let j = |row: usize, column: usize| at.jacobian.rows()[row * n + column];
        let entry = |i: usize, k: usize| match (i < n, k < n) {
            (true, true) => f64::from(u8::from(i == k)) / η,
            (true, false) => j(k - n, i),
            (false, true) => j(i - n, k),
            (false, false) => 0.0,
        };
        let system = (0..n + m).map(|i| (0..n + m).map(|k| entry(i, k)).collect()).collect();
        let d = solve(system, at.gradient.iter().chain(&at.constraints).map(|x| -x).collect());
        let settings = FlSettings { rate: Rate::constant(η), feedback: feedback(1.0 / η, 0.0), clip: None };
        let mut θ = problem.start.clone();
        Fl::new(settings, n, m, 1).step(&mut problem, &mut θ);
        let expected: Vec<f64> = problem.start.iter().zip(&d).map(|(θ, d)| θ + d).collect();
        assert_close(&θ, &expected, problem.name);
    }
}

#[test]
fn three_fl_momentum_steps_with_clipping() {
    let mut problem = hs77();
    let fl = FlSettings { rate: Rate::constant(1e-3), feedback: feedback(20.0, 1e-2), clip: Some(5.0) };
    let mut method = FlMomentum::new(FlMomentumSettings { fl, momentum: 0.8 }, 5, 2, 3);
    let (mut θ, mut expected, mut momentum) = (problem.start.clone(), problem.start.clone(), vec![0.0; 5]);
    for _ in 0..3 {
        let (_, g) = direction(&problem.at(&expected), &[1.0; 5], 1e-2, &[20.0; 2]);
        let shortened = (5.0 / inner(&g, &g).sqrt()).min(1.0);
        for i in 0..5 {
            momentum[i] = 0.8 * momentum[i] + shortened * g[i];
            expected[i] -= 1e-3 * momentum[i];
        }
        method.step(&mut problem, &mut θ);
        assert_close(&θ, &expected, "θ");
    }
}

#[test]
fn adamflip_with_gains_by_name_and_smoothed_multipliers() {
    let mut problem = hs40().grouped(&[2, 1]);
    let settings = AdamFlipSettings {
        adam: AdamSettings { rate: Rate::constant(1e-2), ..AdamFlipSettings::default().adam },
        feedback: Feedback { gains: vec![3.0], smoothing: 0.9, ..feedback(8.0, 1e-3) },
        ..AdamFlipSettings::default()
    };
    let mut method = AdamFlip::new(settings, 4, 3, 3);
    let (mut θ, mut expected) = (problem.start.clone(), problem.start.clone());
    let (mut m, mut v, mut average) = ([0.0; 4], [0.0; 4], Vec::new());
    for t in 1..=3 {
        let at = problem.at(&expected);
        // The first name has two entries of h and a gain of its own, the second has the common one.
        let (λ, _) = direction(&at, &[1.0; 4], 1e-3, &[3.0, 3.0, 8.0]);
        average = match t {
            1 => λ,
            _ => average.iter().zip(&λ).map(|(average, λ): (&f64, &f64)| 0.9 * average + 0.1 * λ).collect(),
        };
        let along = transposed(&at, &average);
        for i in 0..4 {
            let g = at.gradient[i] + along[i];
            m[i] = 0.95 * m[i] + 0.05 * g;
            v[i] = 0.999 * v[i] + 0.001 * g * g;
            let (m, v) = (m[i] / (1.0 - 0.95f64.powi(t)), v[i] / (1.0 - 0.999f64.powi(t)));
            expected[i] -= 1e-2 * m / (v.sqrt() + 1e-8);
        }
        let report = method.step(&mut problem, &mut θ);
        assert_close(&θ, &expected, "θ");
        assert_close(method.multipliers(), &average, "λ");
        assert!((report.gain - 0.08).abs() < 1e-15, "the largest gain in use");
    }
}

#[test]
fn backtracking_halves_until_the_merit_does_not_rise() {
    let merit = |problem: &mut Analytic, θ: &[f64]| {
        let at = problem.at(θ);
        at.objective + 10.0 * at.violation()
    };
    let run = |halvings: usize| {
        let mut problem = hs40();
        let settings = AdamFlipSettings {
            // A rate of one is far too long.
            adam: AdamSettings { rate: Rate::constant(1.0), ..AdamFlipSettings::default().adam },
            feedback: feedback(1.0, 0.0),
            backtracking: Backtracking { halvings, penalty: Some(10.0) },
        };
        let mut θ = problem.start.clone();
        AdamFlip::new(settings, 4, 3, 1).step(&mut problem, &mut θ);
        (merit(&mut problem, &θ), θ, problem.calls[0])
    };
    let start = merit(&mut hs40(), &hs40().start);
    let (whole, first, none) = run(0);
    assert!(whole > start && none == 0);
    let (short, second, trials) = run(10);
    assert!(short <= start && (2..=10).contains(&trials), "{short} from {start} in {trials} trials");
    // One trial more than halvings: the last is accepted.
    let share = 0.5f64.powi(trials as i32 - 1);
    for ((first, second), start) in first.iter().zip(&second).zip(hs40().start) {
        // Rounding of the halvings.
        assert!((second - start - share * (first - start)).abs() < 1e-14);
    }
}

#[test]
fn adamflip_metric_is_algorithm_two_to_the_letter() {
    let mut problem = hs77();
    let (η, δ, κ, betas) = (1e-2, 0.5, 2.0, Betas { first: 0.9, second: 0.99 });
    let adam = AdamSettings {
        rate: Rate { start: η, decay: Decay::Theorem },
        betas,
        delta: δ,
        ..AdamSettings::default()
    };
    let settings = AdamFlipMetricSettings { adam, feedback: feedback(κ, 0.0) };
    let mut method = AdamFlipMetric::new(settings, 5, 2, 20);
    let (mut θ, mut expected) = (problem.start.clone(), problem.start.clone());
    let (mut m, mut v, mut peak) = ([0.0; 5], [0.0; 5], [0.0f64; 5]);
    for t in 1..=20 {
        let at = problem.at(&expected);
        let d: Vec<f64> = peak.iter().map(|v| 1.0 / (v.sqrt() + δ)).collect();
        let (λ, g) = direction(&at, &d, 0.0, &[κ; 2]);
        // J D g = κh, here by the plain formula and below from the method's own λ.
        let own = |λ: &[f64]| -> Vec<f64> {
            let along = transposed(&at, λ);
            let weighted = at.gradient.iter().zip(along).zip(&d).map(|((g, x), d)| (g + x) * d);
            times(&at, &weighted.collect::<Vec<f64>>())
        };
        let asked: Vec<f64> = at.constraints.iter().map(|h| κ * h).collect();
        assert_close(&own(&λ), &asked, "J D g by hand");
        let time = f64::from(t) + 1.0;
        for i in 0..5 {
            m[i] = 0.9 * m[i] + 0.1 * g[i];
            v[i] = 0.99 * v[i] + 0.01 * g[i] * g[i];
            peak[i] = peak[i].max(v[i] / (1.0 - 0.99f64.powi(t)));
            expected[i] -= η / (time.sqrt() * time.ln()) * d[i] * m[i] / (1.0 - 0.9f64.powi(t));
        }
        method.step(&mut problem, &mut θ);
        assert_close(&own(method.multipliers()), &asked, "J D g");
        assert_close(&θ, &expected, "θ");
        // Differences of rounding would grow from step to step.
        expected.copy_from_slice(&θ);
    }
}

#[test]
fn algorithm_two_without_moments_and_metric_is_fl() {
    let betas = Betas { first: 0.0, second: 0.0 };
    for problem in regular() {
        let (n, m) = (problem.parameters(), problem.constraints());
        // v̄ starts at zero, so δ = 1 makes D = I in the first step.
        let adam = AdamSettings { rate: Rate::constant(1e-3), betas, delta: 1.0, ..AdamSettings::default() };
        let metric = AdamFlipMetricSettings { adam, feedback: feedback(10.0, 0.0) };
        let fl = FlSettings { rate: Rate::constant(1e-3), feedback: feedback(10.0, 0.0), clip: None };
        let (mut θ, mut other) = (problem.start.clone(), problem.start.clone());
        AdamFlipMetric::new(metric, n, m, 1).step(&mut problem.clone(), &mut θ);
        Fl::new(fl, n, m, 1).step(&mut problem.clone(), &mut other);
        assert_close(&θ, &other, problem.name);
    }
}

#[test]
fn algorithm_two_with_an_immense_delta_is_fl_for_many_steps() {
    // D = I/δ to one part in 1e12/√v̄; then a rate of ηδ and a gain of K/δ are those of FL.
    let δ = 1e12;
    let betas = Betas { first: 0.0, second: 0.0 };
    let adam = AdamSettings { rate: Rate::constant(1e-3 * δ), betas, delta: δ, ..AdamSettings::default() };
    let metric = AdamFlipMetricSettings { adam, feedback: feedback(10.0 / δ, 0.0) };
    let fl = FlSettings { rate: Rate::constant(1e-3), feedback: feedback(10.0, 0.0), clip: None };
    let mut problem = hs77();
    let (mut first, mut second) = (AdamFlipMetric::new(metric, 5, 2, 50), Fl::new(fl, 5, 2, 50));
    let (mut θ, mut other) = (problem.start.clone(), problem.start.clone());
    for _ in 0..50 {
        first.step(&mut problem, &mut θ);
        second.step(&mut problem, &mut other);
    }
    // Gradients up to a hundred against δ, in fifty steps.
    assert!(θ.iter().zip(&other).all(|(x, y)| (x - y).abs() < 1e-8), "{θ:?} against {other:?}");
}

#[test]
fn adamflip_split_is_its_formula() {
    // One gain for all, then one for each of two named constraints.
    let alike = (vec![], [0.3; 3]);
    let apart = (vec![0.1, 0.3], [0.1, 0.3, 0.3]);
    let cases = [(false, alike.clone(), 3), (true, alike, 3), (true, apart.clone(), 3), (true, apart, 2)];
    for (reproject, (gains, each), rows) in cases {
        let mut problem = hs40().grouped(&[1, 2]);
        let settings = AdamFlipSplitSettings {
            adam: AdamSettings { rate: Rate::constant(1e-2), ..AdamSettings::default() },
            gain: 0.3,
            gains,
            damping: Damping::Relative(1e-2),
            adapt: false,
            reproject,
            rows,
        };
        // Two rows of three: of the second constraint one in turn.
        let chosen = |t: i32| if rows == 2 { vec![0, if t % 2 == 1 { 1 } else { 2 }] } else { vec![0, 1, 2] };
        let mut method = AdamFlipSplit::new(settings, 4, 3, 3);
        let (mut θ, mut expected) = (problem.start.clone(), problem.start.clone());
        let (mut m, mut v) = ([0.0; 4], [0.0; 4]);
        for t in 1..=3 {
            let mut at = problem.at(&expected);
            at.constraints = chosen(t).into_iter().map(|row| at.constraints[row]).collect();
            let rows =
                chosen(t).into_iter().flat_map(|row| at.jacobian.rows()[4 * row..4 * row + 4].to_vec());
            at.jacobian = Jacobian::from_rows(rows.collect(), 4);
            let each = chosen(t).into_iter().map(|row| each[row]);
            let ε = 1e-2 * trace_share(&at);
            let project = |x: &[f64]| -> Vec<f64> {
                let along = transposed(&at, &normal(&at, &[1.0; 4], ε, times(&at, x)));
                x.iter().zip(along).map(|(x, along)| x - along).collect()
            };
            let g = project(&project(&at.gradient));
            let mut step: Vec<f64> = (0..4)
                .map(|i| {
                    m[i] = 0.9 * m[i] + 0.1 * g[i];
                    v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
                    let (m, v) = (m[i] / (1.0 - 0.9f64.powi(t)), v[i] / (1.0 - 0.999f64.powi(t)));
                    -1e-2 * m / (v.sqrt() + 1e-8)
                })
                .collect();
            if reproject {
                step = project(&step);
            }
            let asked = at.constraints.iter().zip(each).map(|(h, gain)| gain * h).collect();
            let towards = transposed(&at, &normal(&at, &[1.0; 4], ε, asked));
            (0..4).for_each(|i| expected[i] += step[i] - towards[i]);
            let report = method.step(&mut problem, &mut θ);
            assert_close(&θ, &expected, "θ");
            assert_eq!((report.gain, report.kkt), (0.3, report.gradient_norm));
        }
    }
}

#[test]
fn a_gain_that_adapts_rises_on_linear_constraints_and_keeps_its_promises() {
    let mut problem = quadratic();
    let settings = AdamFlipSplitSettings { adapt: true, ..AdamFlipSplitSettings::default() };
    let mut method = AdamFlipSplit::new(settings, 4, 2, 200);
    let mut θ = problem.start.clone();
    let mut last = StepReport::default();
    for step in 0..30 {
        let report = method.step(&mut problem, &mut θ);
        if step > 0 {
            // h is linear: what was promised comes, to rounding of h against its size at the start.
            assert!((report.actual - last.predicted).abs() < 1e-9, "{report:?} after {last:?}");
            assert!(report.gain > last.gain);
        }
        last = report;
    }
    assert!(last.gain > 0.4);
}

#[test]
fn a_gain_that_adapts_falls_where_the_linearization_fails() {
    // Near the origin h = (1 + x₀²)² + x₁² − 4 is flat: a whole Newton step goes far beyond.
    let mut problem = super::problems::hs7();
    problem.start = vec![0.02, 0.02];
    let settings = AdamFlipSplitSettings { adapt: true, gain: 1.0, ..AdamFlipSplitSettings::default() };
    let mut method = AdamFlipSplit::new(settings, 2, 1, 10);
    let mut θ = problem.start.clone();
    method.step(&mut problem, &mut θ);
    assert_eq!(method.step(&mut problem, &mut θ).gain, 0.5);
}

#[test]
fn reports_tell_kkt_residual_condition_and_rank() {
    // Those whose λ is that of least squares in the plain metric.
    for name in ["fl", "fl_momentum", "adamflip", "adamflip_split", "trsqp"] {
        for mut problem in regular() {
            let method = Method::named(name).unwrap();
            let mut method = method.optimizer(&problem, 9);
            let mut θ = problem.start.clone();
            let residual = kkt_residual(&problem.at(&θ));
            let quiet = method.step(&mut problem, &mut θ.clone());
            assert!(quiet.condition.is_nan() && quiet.rank.is_nan(), "{name}: not asked for");
            method.diagnose(true);
            let report = method.step(&mut problem, &mut θ);
            // Damping leaves up to 1e-6 of K h, and of 1e-4 squared of ∇f, both of order a thousand.
            let near = (quiet.kkt - residual).abs() < 1e-2 * (1.0 + residual);
            assert!(near, "{name} on {}: {} against {residual}", problem.name, quiet.kkt);
            assert_eq!(report.rank, problem.constraints() as f64, "{name} on {}", problem.name);
            assert!(report.condition >= 1.0 && report.condition < 1e4, "{name} on {}", problem.name);
        }
    }
}

#[test]
fn redundant_constraints_contract_without_damping() {
    let damping = Damping::Absolute(0.0);
    let feedback = Feedback { gain: 10.0, damping, ..Feedback::default() };
    let fl = FlSettings { rate: Rate::constant(1e-2), feedback, clip: None };
    let split = AdamFlipSplitSettings { damping, ..AdamFlipSplitSettings::default() };
    let mut problem = rank_deficient();
    let start = problem.start.clone();
    let (parameters, constraints) = (start.len(), problem.constraints());
    let methods: [Box<dyn Optimizer>; 2] = [
        Box::new(Fl::new(fl, parameters, constraints, 100)),
        Box::new(AdamFlipSplit::new(split, parameters, constraints, 100)),
    ];
    for mut method in methods {
        let mut θ = start.clone();
        let before = method.step(&mut problem, &mut θ).violation;
        for _ in 0..99 {
            method.step(&mut problem, &mut θ);
        }
        // A tenth of h a step: 0.9^100 is 3e-5, with some room for curvature and for the damping that was
        // needed.
        let after = problem.at(&θ).violation();
        assert!(before > 0.0 && after < 1e-4 * before, "{before} {after}");
    }
}

/// One step of both forms without a P × P matrix against the system written out: (RᵀS²R + μI)d = −RᵀS(Sr),
/// then λ of what is left of h, twice.
#[test]
fn newton_rows_and_newton_cg_are_their_formula() {
    use super::super::levenberg::tests::Curved;
    let (n, count, m) = (6, 10, 3);
    let levenberg =
        LevenbergSettings { damping: 0.1, penalty: 5.0, fixed: true, ..LevenbergSettings::default() };
    let krylov = KrylovSettings { iterations: 500, tolerance: 1e-15, ..KrylovSettings::default() };
    let mut problem = Curved::new(n, count - m, m, 0.3);
    let methods: [Box<dyn Optimizer>; 2] = [
        Box::new(NewtonRows::new(NewtonRowsSettings { levenberg }, &problem)),
        Box::new(NewtonCg::new(NewtonCgSettings { levenberg, krylov }, &problem)),
    ];
    let start = vec![0.2; n];
    let (r, rows) = problem.linear(&start);
    // s² is 2 of f's residuals and 2ρ/m of the constraints'.
    let square = |i: usize| if i < count - m { 2.0 } else { 2.0 * 5.0 / m as f64 };
    let row = |i: usize| &rows[i * n..(i + 1) * n];
    let h = |a: usize, b: usize| (0..count).map(|i| square(i) * row(i)[a] * row(i)[b]).sum::<f64>();
    let μ = 0.1 * (0..n).map(|a| h(a, a)).sum::<f64>() / n as f64;
    let mut λ = vec![0.0; count];
    let mut d = vec![0.0; n];
    for _ in 0..3 {
        let system = |a: usize| (0..n).map(|b| h(a, b) + if a == b { μ } else { 0.0 }).collect();
        let slope = |a: usize| -(0..count).map(|i| (square(i) * r[i] + λ[i]) * row(i)[a]).sum::<f64>();
        d = solve((0..n).map(system).collect(), (0..n).map(slope).collect());
        (count - m..count).for_each(|i| λ[i] += square(i) * (r[i] + inner(row(i), &d)));
    }
    let expected: Vec<f64> = start.iter().zip(&d).map(|(θ, d)| θ + d).collect();
    for mut method in methods {
        let mut θ = start.clone();
        let report = method.step(&mut problem, &mut θ);
        assert_eq!(report.refused, 0.0);
        // Conjugate gradients end where rounding does, times a condition number of some hundred.
        let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-10);
        assert!(near(&θ, &expected), "{θ:?} {expected:?}");
        assert!(near(method.multipliers(), &λ[count - m..]), "{:?} {λ:?}", method.multipliers());
    }
}

/// Three rounds of two steps of Adam each, then z and λ, which show in the multipliers of the round after.
#[test]
fn admm_copies_and_multipliers() {
    for slack in [0.0, 0.1] {
        let mut problem = hs40().grouped(&[2, 1]);
        let adam = AdamSettings { rate: Rate::constant(1e-2), ..AdamSettings::default() };
        let settings = AdmmSettings { adam, penalty: 3.0, inner: 2, slack, ..AdmmSettings::default() };
        let mut method = Admm::new(settings, 4, &problem.constraint_blocks(), 9);
        let mut θ = problem.start.clone();
        let (mut expected, mut m, mut v) = (θ.clone(), [0.0; 4], [0.0; 4]);
        let (mut λ, mut z) = ([0.0; 3], [0.0; 3]);
        for t in 1..=6 {
            let at = problem.at(&expected);
            // Two residuals of the first constraint, in their mean.
            let w: Vec<f64> =
                (0..3).map(|i| [0.5, 0.5, 1.0][i] * (λ[i] + 3.0 * (at.constraints[i] - z[i]))).collect();
            let along = transposed(&at, &w);
            for i in 0..4 {
                let g = at.gradient[i] + along[i];
                m[i] = 0.9 * m[i] + 0.1 * g;
                v[i] = 0.999 * v[i] + 0.001 * g * g;
                let (m, v) = (m[i] / (1.0 - 0.9f64.powi(t)), v[i] / (1.0 - 0.999f64.powi(t)));
                expected[i] -= 1e-2 * m / (v.sqrt() + 1e-8);
            }
            method.step(&mut problem, &mut θ);
            assert_close(method.multipliers(), &w, "w");
            assert_close(&θ, &expected, "θ");
            if t % 2 == 0 {
                let h = problem.at(&expected).constraints;
                for i in 0..3 {
                    z[i] = (h[i] + λ[i] / 3.0).clamp(-slack, slack);
                    λ[i] += 3.0 * (h[i] - z[i]);
                }
            }
        }
    }
}

/// The first step is along −∇L, to the ball or to the minimum of a model of curvature one.
#[test]
fn one_step_in_a_trust_region() {
    for radius in [0.1, 1e3] {
        let mut problem = quadratic();
        let at = problem.at(&problem.start.clone());
        let twice: Vec<f64> = at.constraints.iter().map(|h| 2.0 * h).collect();
        let along = transposed(&at, &twice);
        let g: Vec<f64> = at.gradient.iter().zip(along).map(|(g, x)| g + x).collect();
        let length = inner(&g, &g).sqrt().min(radius);
        let expected: Vec<f64> =
            problem.start.iter().zip(&g).map(|(θ, x)| θ - length * x / inner(&g, &g).sqrt()).collect();
        let settings = TrustRegionSettings { radius, ..TrustRegionSettings::default() };
        let (mut method, mut θ) =
            (TrustRegion::new(settings, 4, &problem.constraint_blocks()), problem.start.clone());
        let report = method.step(&mut problem, &mut θ);
        let next = method.step(&mut problem, &mut θ.clone()).radius;
        if radius < 1.0 {
            assert_close(&θ, &expected, "θ");
            assert_eq!(next, 0.2, "it kept its promise");
        } else {
            // Curvatures are far above one: the loss rises.
            assert_eq!((&θ, report.refused), (&problem.start, 1.0));
            assert!((next - 0.5 * length).abs() < 1e-12 * length);
        }
    }
}

/// The directions drawn here once more, and exact derivatives along them.
#[test]
fn one_fl_zeroth_step() {
    use rand::{Rng, SeedableRng};
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(7);
    let signs: Vec<u64> = (0..6).map(|_| random.next_u64()).collect();
    let u = |k: usize, i: usize| if signs[k] >> i & 1 == 1 { 1.0 } else { -1.0 };
    let mut problem = hs40();
    let at = problem.at(&problem.start.clone());
    // Derivatives by the coordinates c of θ + Uᵀc/√6.
    let by_c = |row: &[f64]| -> Vec<f64> {
        (0..6).map(|k| (0..4).map(|i| row[i] * u(k, i)).sum::<f64>() / 6f64.sqrt()).collect()
    };
    let mut along = Evaluation::new(6, 3);
    along.gradient = by_c(&at.gradient);
    along.constraints.clone_from(&at.constraints);
    along.jacobian = Jacobian::from_rows(at.rows().flat_map(by_c).collect(), 6);
    let (λ, g) = direction(&along, &[1.0; 6], 1e-3, &[7.0; 3]);
    let step = |i: usize| (0..6).map(|k| g[k] * u(k, i)).sum::<f64>() / 6f64.sqrt();
    let fl = FlSettings { rate: Rate::constant(0.02), feedback: feedback(7.0, 1e-3), clip: None };
    let settings = FlZerothSettings { fl, directions: 6, radius: 1e-4, seed: 7 };
    let (mut method, mut θ) = (FlZeroth::new(settings, 4, 3, 1), problem.start.clone());
    let report = method.step(&mut problem, &mut θ);
    for (i, (θ, start)) in θ.iter().zip(&problem.start).enumerate() {
        // Differences: 1e-8 times third derivatives of order ten, and rounding of 1e-12.
        assert!((θ - start + 0.02 * step(i)).abs() < 1e-7, "{θ}");
    }
    assert!(method.multipliers().iter().zip(&λ).all(|(x, y)| (x - y).abs() < 1e-5));
    let moved: f64 = θ.iter().zip(&problem.start).map(|(x, y)| (x - y).powi(2)).sum();
    assert!((report.step_norm - moved.sqrt()).abs() < 1e-14);
}
