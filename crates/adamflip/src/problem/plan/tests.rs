//! Stages of files, right and wrong.

use super::*;
use crate::optim::{
    AdamSettings, Adaptive, Ascent, Backtracking, Betas, Damping, Decay, DescentSettings, Dual, Feedback,
    LbfgsSettings, NewtonFlipSettings, NewtonSettings, Outer, Pretrain, QuasiNewton, Rate, SsBroydenSettings,
    TrSqpSettings, Update, Wolfe,
};

fn plan(stages: &str) -> (Vec<Stage>, Vec<Diagnostic>) {
    let terms = "[term.pde]\nequation = 'u_t = u_xx'\npoints = 9\n\
                 [term.initial]\non = 't = 0'\nequation = 'u = 0'\npoints = 9\n\
                 [term.walls]\non = 'x = 0'\nequation = 'u = 0'\npoints = 9\n";
    let text =
        format!("fields = ['u']\n[domain]\nx = [0, 1]\nt = [0, 1]\n{terms}[train]\nstages = [{stages}]");
    let parsed = spec::parse("p.toml", &text, &Default::default());
    let mut diagnostics = Vec::new();
    (
        super::stages(
            &parsed.spec.train,
            &parsed.spec.terms,
            Sizes { conditions: 18, residuals: 27, parameters: 100.0 },
            &mut diagnostics,
        ),
        diagnostics,
    )
}

#[test]
fn settings_reach_the_method() {
    let (stages, mistakes) = plan(
        r#"{ method = "adamflip", steps = 5, lr = 1e-2, lr_end = 1e-4, betas = [0.5, 0.9], gain = 7, epsilon = 1e-3, damping = "absolute", clip = 2 }"#,
    );
    assert_eq!(mistakes, []);
    let Method::AdamFlip(settings) = &stages[0].method else { panic!("{stages:?}") };
    assert_eq!(settings.adam.rate, Rate { start: 1e-2, decay: Decay::Exponential(1e-4) });
    assert_eq!(settings.adam.betas, Betas { first: 0.5, second: 0.9 });
    assert_eq!(settings.adam.clip, Some(2.0));
    assert_eq!(
        settings.feedback,
        Feedback { gain: 7.0, damping: Damping::Absolute(1e-3), ..Feedback::default() }
    );
}

#[test]
fn options_of_the_authors_runs_reach_the_method() {
    let (stages, mistakes) = plan(
        r#"{ method = "adamflip", steps = 5, gain = [100, 500], integral_gain = 0.01, smoothing = 0.9, halvings = 5, penalty = 3 }"#,
    );
    assert_eq!(mistakes, []);
    let Method::AdamFlip(settings) = &stages[0].method else { panic!("{stages:?}") };
    assert_eq!(settings.feedback.gains, [100.0, 500.0]);
    assert_eq!((settings.feedback.integral_gain, settings.feedback.smoothing), (0.01, 0.9));
    assert_eq!(settings.backtracking, Backtracking { halvings: 5, penalty: Some(3.0) });
}

#[test]
fn settings_of_the_other_methods() {
    let (stages, mistakes) = plan(
        r#"{ method = "fl", steps = 5, lr = 0.5, clip = 3, epsilon = 0, damping = "absolute" },
           { method = "fl_momentum", steps = 5, momentum = 0.5, gain = 2 },
           { method = "adamflip_metric", steps = 5, schedule = "theorem", delta = 0.1 },
           { method = "adamflip_split", steps = 5, normal_gain = 0.3, epsilon = 1e-3, adapt = true, reproject = false }"#,
    );
    assert_eq!(mistakes, []);
    let Method::Fl(fl) = &stages[0].method else { panic!("{stages:?}") };
    assert_eq!((fl.rate.start, fl.clip, fl.feedback.damping), (0.5, Some(3.0), Damping::Absolute(0.0)));
    let Method::FlMomentum(momentum) = &stages[1].method else { panic!("{stages:?}") };
    assert_eq!((momentum.momentum, momentum.fl.feedback.gain), (0.5, 2.0));
    let Method::AdamFlipMetric(metric) = &stages[2].method else { panic!("{stages:?}") };
    assert_eq!((metric.adam.rate.decay, metric.adam.delta), (Decay::Theorem, 0.1));
    let Method::AdamFlipSplit(split) = &stages[3].method else { panic!("{stages:?}") };
    assert_eq!((split.gain, split.damping), (0.3, Damping::Relative(1e-3)));
    assert_eq!((split.adapt, split.reproject), (true, false));
}

#[test]
fn values_out_of_range_are_refused_with_a_hint() {
    let (_, mistakes) = plan(
        r#"{ method = "adamflip_split", steps = 5, normal_gain = 2, adapt = 1 },
           { method = "fl_momentum", steps = 5, momentum = 1, gain = [1, -1], smoothing = 1 },
           { method = "adamflip", steps = 5, halvings = 0.5, penalty = 0 },
           { method = "fl", steps = 5, schedule = "theorem", lr_end = 1e-5 }"#,
    );
    assert!(mistakes.iter().all(|mistake| mistake.hint.is_some()), "{mistakes:?}");
    let messages: Vec<&str> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
    let refused = |key| format!("`{key}` does not take this value");
    let keys = ["normal_gain", "adapt", "momentum", "gain", "smoothing", "halvings", "penalty"];
    let expected = keys.map(refused);
    assert_eq!(messages[..7], expected.each_ref().map(String::as_str));
    assert_eq!(messages[7..], ["the theorem's rate has no end"]);
}

#[test]
fn errors_in_stages_are_all_found() {
    let (_, mistakes) = plan(
        r#"{ method = "adamflop", steps = 5 }, { method = "adam", steps = 5, gain = 1, lr = -1, betas = [2, 0], schedule = "linear" }"#,
    );
    let messages: Vec<&str> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
    let expected = [
        "unknown method `adamflop`",
        "`lr` does not take this value",
        "`adam` has no setting `gain`",
        "`betas` does not take this value",
        "`schedule` does not take this value",
    ];
    assert_eq!(messages, expected);
}

#[test]
fn steps_cut_or_prolong_the_plan() {
    let (stages, _) = plan(r#"{ method = "adam", steps = 10 }, { method = "adamflip", steps = 20 }"#);
    let steps = |n| with_steps(stages.clone(), n).iter().map(|stage| stage.steps).collect::<Vec<_>>();
    assert_eq!(steps(5), [5]);
    assert_eq!(steps(15), [10, 5]);
    assert_eq!(steps(50), [10, 40]);
    assert_eq!(steps(0), [0; 0]);
    assert_eq!(with_method(&stages, &Method::named("adam").unwrap())[0].steps, 30);
}

#[test]
fn another_method_takes_the_settings_that_apply() {
    let (stages, _) = plan(r#"{ method = "adamflip", steps = 5, lr = 7e-3, gain = 3, betas = [0.5, 0.6] }"#);
    let Method::Adam(adam) = &with_method(&stages, &Method::named("adam").unwrap())[0].method else {
        panic!()
    };
    assert_eq!((adam.rate.start, adam.betas), (7e-3, Betas { first: 0.5, second: 0.6 }));
    // Without a rate in the file the method's own default holds.
    let (stages, _) = plan(r#"{ method = "adamflip", steps = 5 }"#);
    let Method::Adam(adam) = &with_method(&stages, &Method::named("adam").unwrap())[0].method else {
        panic!()
    };
    assert_eq!(*adam, AdamSettings::default());
}

#[test]
fn gains_by_name_come_in_the_order_of_the_constraints() {
    let (stages, mistakes) = plan(
        r#"{ method = "fl", steps = 5, gain = { walls = 500 } },
           { method = "fl", steps = 5, gain = { walls = 500, initial = 3 } },
           { method = "adamflip_split", steps = 5, normal_gain = { initial = 0.5 } }"#,
    );
    assert_eq!(mistakes, []);
    let gains = |stage: &Stage| stage.method.feedback().unwrap().gains.clone();
    // What is not named has the method's default.
    assert_eq!((gains(&stages[0]), gains(&stages[1])), (vec![100.0, 500.0], vec![3.0, 500.0]));
    let Method::AdamFlipSplit(split) = &stages[2].method else { panic!("{stages:?}") };
    assert_eq!((split.gain, &split.gains[..]), (0.1, &[0.5, 0.1][..]));
    // Another method fills up with its own default.
    let metric = with_method(&stages[..1], &Method::named("adamflip_metric").unwrap());
    assert_eq!(gains(&metric[0]), [1.0, 500.0]);
}

#[test]
fn wrong_names_are_shown_with_the_nearest() {
    let (_, mistakes) = plan(
        r#"{ method = "fl", steps = 5, gain = { wals = 500, pde = 1, roof = 2 } },
           { method = "fl", steps = 5, gain = [1, 2, 3] },
           { method = "fl", steps = 5, gain = { walls = -1 } },
           { method = "fl", steps = 5, lr = { walls = 1 } }"#,
    );
    let shown: Vec<(&str, &str)> =
        mistakes.iter().map(|mistake| (&mistake.message[..], mistake.hint.as_deref().unwrap())).collect();
    let gain = "write a number from zero, as in `gain = 100`, or numbers by constraint, as in `gain = { walls = 500 }`";
    let expected = [
        ("no term is called `wals`", "did you mean `walls`? the constraints are initial, walls"),
        (
            "the term `pde` is an objective, it has no `gain`",
            "write `role = \"constraint\"` in [term.pde]; the constraints are initial, walls",
        ),
        ("no term is called `roof`", "the constraints are initial, walls"),
        (
            "`gain` has 3 numbers, but the constraints are initial, walls",
            "write one number, or numbers by name: `gain = { NAME = 10 }`",
        ),
        ("`gain` does not take this value", gain),
        ("`lr` does not take this value", "write a positive number, as in `lr = 1e-3`"),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn settings_of_the_augmented_lagrangian() {
    // The rule comes first, wherever it stands.
    let (stages, mistakes) = plan(
        r#"{ method = "al", steps = 5, penalty = 500, lr = 1e-3, dual_lr = 0.1 },
           { method = "al", steps = 5, nu = 0.3, integral_gain = 2, proportional_gain = 4, update = "pi" },
           { method = "al", steps = 5, growth = 3, limit = 1e5, adam_steps = 7, lbfgs_steps = 9, tolerance = 0.1, memory = 8, dual = "outer" },
           { method = "al", steps = 5, dual = "adaptive", penalty = 2, smoothing = 0.9, stall = 1, scale = 0.1, multiplier = 3 }"#,
    );
    assert_eq!(mistakes, []);
    let al = |index: usize| match stages[index].method {
        Method::Al(settings) => settings,
        _ => panic!("{stages:?}"),
    };
    assert_eq!((al(0).adam.rate.start, al(1).adam.rate.start, al(2).adam.rate.start), (1e-3, 1e-4, 1e-3));
    let ascent = Ascent { penalty: 500.0, rate: Rate::constant(0.1), update: Update::Adam };
    let update = Update::ProportionalIntegral { memory: 0.3, integral: 2.0, proportional: 4.0 };
    let outer = Outer { growth: 3.0, limit: 1e5, adam: 7, lbfgs: 9, tolerance: 0.1, ..Outer::default() };
    let adaptive = Adaptive { penalty: 2.0, smoothing: 0.9, stall: 1.0, scale: 0.1 };
    assert_eq!(al(0).dual, Dual::Ascent(ascent));
    assert_eq!(al(1).dual, Dual::Ascent(Ascent { update, ..Ascent::default() }));
    assert_eq!((al(2).dual, al(2).descent.memory), (Dual::Outer(outer), 8));
    assert_eq!((al(3).dual, al(3).start), (Dual::Adaptive(adaptive), 3.0));
}

#[test]
fn settings_of_the_second_order_methods() {
    let (stages, mistakes) = plan(
        r#"{ method = "lbfgs", steps = 5, penalty = 10, memory = 20, carried = 0, decrease = 1e-3, curvature = 0.5, rounding = 0, evaluations = 9 },
           { method = "trsqp", steps = 5, pretrain = 3, pretrain_method = "lbfgs", quasi_newton = "sr1", memory = 7, radius = 0.1, penalty = 5, normal_share = 0.5,
             penalty_share = 0.3, accept = 1e-4, good = 0.2, excellent = 0.8, shrink = [0.2, 0.3], forcing = 0.01, correction = false,
             rank_cut = 1e-8, tolerance = 1e-6 },
           { method = "ssbroyden", steps = 5, penalty = 10, carry = false, decrease = 1e-3, curvature = 0.5, rounding = 0, evaluations = 9 },
           { method = "newtonflip", steps = 5, penalty = 10, damping = 0.1, least_damping = 1e-9, memory = 0.5, hardness = 2, normal_gain = 1, rank_cut = 1e-4, metric = "gauss_newton" }"#,
    );
    assert_eq!(mistakes, []);
    let wolfe = Wolfe { decrease: 1e-3, curvature: 0.5, rounding: 0.0, evaluations: 9 };
    let descent = DescentSettings { memory: 20, wolfe, carried: 0 };
    assert_eq!(stages[0].method, Method::Lbfgs(LbfgsSettings { penalty: 10.0, descent, balancing: None }));
    let trsqp = TrSqpSettings {
        pretrain: 3,
        pretrain_method: Pretrain::Lbfgs,
        quasi_newton: QuasiNewton::Sr1,
        memory: 7,
        radius: 0.1,
        penalty: 5.0,
        normal_share: 0.5,
        penalty_share: 0.3,
        accept: 1e-4,
        good: 0.2,
        excellent: 0.8,
        shrink: [0.2, 0.3],
        forcing: 0.01,
        second_order_correction: false,
        rank_cut: 1e-8,
        tolerance: 1e-6,
    };
    assert_eq!(stages[1].method, Method::TrSqp(trsqp));
    let ssbroyden = SsBroydenSettings { penalty: 10.0, carry: false, wolfe, balancing: None };
    assert_eq!(stages[2].method, Method::SsBroyden(ssbroyden));
    let newton = NewtonSettings {
        penalty: 10.0,
        damping: 0.1,
        least_damping: 1e-9,
        memory: 0.5,
        ..NewtonSettings::default()
    };
    let newtonflip = NewtonFlipSettings { newton, fixed: true, hardness: 2.0 };
    assert_eq!(stages[3].method, Method::NewtonFlip(newtonflip));
    let over = with_method(&stages[3..], &Method::named("gauss_newton").unwrap());
    assert_eq!(over[0].method, Method::GaussNewton(newton));
    // Weight and line search mean the same in both; what is kept of the curvature does not.
    let over = with_method(&stages[2..3], &Method::named("lbfgs").unwrap());
    let descent = DescentSettings { wolfe, ..DescentSettings::default() };
    assert_eq!(over[0].method, Method::Lbfgs(LbfgsSettings { penalty: 10.0, descent, balancing: None }));
}

#[test]
fn settings_of_another_rule_name_the_rule() {
    let (_, mistakes) = plan(
        r#"{ method = "al", steps = 5, growth = 2, nu = 0.5, stall = 1, memory = 5 },
           { method = "al", steps = 5, dual = "inner" },
           { method = "trsqp", steps = 5, lr = 1, memory = 1e9, shrink = [0.5, 0.1], quasi_newton = "dfp" },
           { method = "lbfgs", steps = 5, evaluations = 0, curvature = 1, penalty = -1 }"#,
    );
    let hints: Vec<&str> = mistakes.iter().map(|mistake| mistake.hint.as_deref().unwrap()).collect();
    let expected = [
        "`growth` is a setting of `dual = \"outer\"`",
        "`nu` is a setting of `update = \"pi\"`",
        "`stall` is a setting of `dual = \"adaptive\"`",
        "`memory` is a setting of `dual = \"outer\"`",
        "write \"ascent\", \"outer\" or \"adaptive\"",
        "`trsqp` takes method, steps, pretrain, pretrain_method, quasi_newton, memory, radius, penalty, normal_share, penalty_share, accept, \
         good, excellent, shrink, forcing, correction, rank_cut, tolerance",
        "write a whole number from 1 to 1000, as in `memory = 20`",
        "write two numbers between 0 and 1, the smaller first, as in `shrink = [0.1, 0.5]`",
        "write \"bfgs\" or \"sr1\"",
        "write a whole number from 1 to 1000, as in `evaluations = 25`",
        "write a number between 0 and 1, as in `curvature = 0.9`",
        "write a number from zero, as in `penalty = 1`",
    ];
    assert_eq!(hints, expected);
}

#[test]
fn a_key_of_another_meaning_does_not_go_over() {
    let (stages, _) = plan(
        r#"{ method = "adamflip", steps = 5, lr = 7e-3, halvings = 2, penalty = 3, integral_gain = 0.5, smoothing = 0.5 }"#,
    );
    for name in Method::NAMES {
        let mut expected = Method::named(name).unwrap();
        let found = &with_method(&stages, &expected)[0].method;
        match &mut expected {
            Method::Al(settings) => settings.adam.rate.start = 7e-3,
            Method::Lbfgs(_) | Method::SsBroyden(_) | Method::TrSqp(_) => {}
            _ => continue,
        }
        assert_eq!(found, &expected);
    }
    // A rule goes over with its settings.
    let (stages, _) = plan(r#"{ method = "al", steps = 5, growth = 3, dual = "outer" }"#);
    assert_eq!(with_method(&stages, &Method::named("al").unwrap())[0].method, stages[0].method);
}

#[test]
fn the_end_of_a_default_schedule_belongs_to_its_start() {
    let (stages, mistakes) = plan(
        r#"{ method = "adamflip_split", steps = 5 },
           { method = "adamflip_split", steps = 5, lr = 1e-6 },
           { method = "adamflip_split", steps = 5, lr_end = 1e-4, lr = 1e-2 },
           { method = "adamflip_split", steps = 5, schedule = "constant" }"#,
    );
    assert_eq!(mistakes, []);
    let rates: Vec<Rate> = stages.iter().filter_map(|stage| stage.method.rate()).collect();
    let falling = |start, end| Rate { start, decay: Decay::Exponential(end) };
    assert_eq!(
        rates,
        [falling(1e-3, 1e-5), falling(1e-6, 0.01 * 1e-6), falling(1e-2, 1e-4), Rate::constant(1e-3)]
    );
}

#[test]
fn the_default_plan_is_chosen_by_size() {
    let chosen = |points: usize, hidden: &str, train: &str| {
        let text = format!(
            "fields = ['u']\n[domain]\nx = [0, 1]\n[term.pde]\nequation = 'u_xx = 1'\npoints = 9\n\
             [term.walls]\non = 'x = 0'\nequation = 'u = 0'\npoints = {points}\n\
             [network]\nhidden = '{hidden}'\n[train]\n{train}"
        );
        let problem = crate::testing::problem(&text);
        let names: Vec<_> = problem.stages.iter().map(|stage| stage.method.name()).collect();
        // Another method takes the steps that are usual for it, in place of the default plan alone.
        let steps = |name| with_method(&problem.stages, &Method::named(name).unwrap())[0].steps;
        let planned = problem.stages.iter().map(|stage| stage.steps).sum();
        let usual = if train.contains("stages") { (planned, planned) } else { (12_000, 300) };
        assert_eq!((steps("adam"), steps("gauss_newton")), usual);
        (names, problem.resample)
    };
    assert_eq!(chosen(10, "4x20", ""), (vec!["adam", "newtonflip"], 1));
    assert_eq!(chosen(10, "4x20", "resample = 0"), (vec!["adam", "newtonflip"], 0));
    assert_eq!(chosen(10, "4x64", ""), (vec!["adam", "newton_rows"], 1));
    assert_eq!(chosen(6000, "4x20", ""), (vec!["adam", "gauss_newton"], 1));
    assert_eq!(chosen(6000, "4x64", ""), (vec!["adam", "adamflip"], 100));
    assert_eq!(chosen(10, "4x20", "stages = [{ method = 'newtonflip', steps = 5 }]").1, 0);
}
