//! The stages of training: methods by name, their settings checked against a table.

mod settings;

use crate::diagnostic::{Diagnostic, Spanned, nearest};
use crate::optim::Method;
use crate::spec::{self, Setting};
use settings::{finish_schedule, keys, set};

/// Some steps of one method.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The method with its settings.
    pub method: Method,
    /// How many steps.
    pub steps: usize,
    /// The settings as the file gives them, for [`with_method`].
    given: Vec<(String, Setting)>,
}

/// The stages of a file; where it has none, the default: a warm start by Adam, then AdamFLIP, each at its own defaults
/// (steps as in the paper's Burgers run).
pub(super) fn stages(train: &spec::Train, diagnostics: &mut Vec<Diagnostic>) -> Vec<Stage> {
    if train.stages.is_empty() {
        let stage =
            |name, steps| Method::named(name).map(|method| Stage { method, steps, given: Vec::new() });
        return [stage("adam", 2_000), stage("adamflip", 10_000)].into_iter().flatten().collect();
    }
    let stages = train.stages.iter().filter_map(|stage| checked(stage, diagnostics));
    stages.filter(|stage| stage.steps > 0).collect()
}

fn checked(stage: &spec::Stage, diagnostics: &mut Vec<Diagnostic>) -> Option<Stage> {
    let name = &stage.method.value;
    let Some(mut method) = Method::named(name) else {
        let known = Method::NAMES.join(", ");
        let hint = match nearest(name, Method::NAMES) {
            Some(near) => format!("did you mean `{near}`? The methods are {known}"),
            None => format!("the methods are {known}"),
        };
        let mistake = Diagnostic::new(stage.method.span, format!("unknown method `{name}`"));
        diagnostics.push(mistake.label("not a method").hint(hint));
        return None;
    };
    let keys = keys(&method);
    for (key, value) in &stage.settings {
        if !keys.contains(&key.value.as_str()) {
            diagnostics.push(unknown_setting(key, &method, &keys));
        } else if let Err(expected) = set(&mut method, &key.value, &value.value) {
            let message = format!("`{}` does not take this value", key.value);
            diagnostics
                .push(Diagnostic::new(value.span, message).label("here").hint(format!("write {expected}")));
        }
    }
    finish_schedule(&mut method);
    constant_with_end(stage, diagnostics);
    let given = stage.settings.iter().map(|(key, value)| (key.value.clone(), value.value.clone())).collect();
    Some(Stage { method, steps: stage.steps.value, given })
}

fn unknown_setting(key: &Spanned<String>, method: &Method, keys: &[&str]) -> Diagnostic {
    let list = keys.join(", ");
    let hint = match nearest(&key.value, keys.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? `{}` takes method, steps, {list}", method.name()),
        None => format!("`{}` takes method, steps, {list}", method.name()),
    };
    Diagnostic::new(key.span, format!("`{}` has no setting `{}`", method.name(), key.value))
        .label("unknown setting")
        .hint(hint)
}

/// An end of a rate that has none is a mistake.
fn constant_with_end(stage: &spec::Stage, diagnostics: &mut Vec<Diagnostic>) {
    let given = |key: &str| stage.settings.iter().find(|(name, _)| name.value == key);
    let (Some((_, schedule)), Some((key, _))) = (given("schedule"), given("lr_end")) else { return };
    let message = match &schedule.value {
        Setting::Text(text) if text == "constant" => "a constant rate has no end",
        Setting::Text(text) if text == "theorem" => "the theorem's rate has no end",
        _ => return,
    };
    let hint = "write `schedule = \"exponential\"` or drop `lr_end`";
    diagnostics.push(Diagnostic::new(key.span, message).hint(hint));
}

/// One stage of `method` for all the steps of the plan: the settings that the last stage gives where they apply, the
/// method's own defaults otherwise.
pub fn with_method(stages: &[Stage], method: &Method) -> Vec<Stage> {
    let mut method = method.clone();
    let given = stages.last().map_or(Vec::new(), |last| last.given.clone());
    let known = keys(&method);
    for (key, value) in given.iter().filter(|(key, _)| known.contains(&key.as_str())) {
        // Every value was accepted under this key when the file was read.
        let _ = set(&mut method, key, value);
    }
    finish_schedule(&mut method);
    vec![Stage { method, steps: stages.iter().map(|stage| stage.steps).sum(), given }]
}

/// The plan cut, or its last stage prolonged, to `steps` steps in all.
pub fn with_steps(mut stages: Vec<Stage>, steps: usize) -> Vec<Stage> {
    let mut left = steps;
    for stage in &mut stages {
        stage.steps = stage.steps.min(left);
        left -= stage.steps;
    }
    if let Some(last) = stages.last_mut() {
        last.steps += left;
    }
    stages.retain(|stage| stage.steps > 0);
    stages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optim::{AdamSettings, Backtracking, Betas, Damping, Decay, Feedback, Rate};

    fn plan(stages: &str) -> (Vec<Stage>, Vec<Diagnostic>) {
        let parsed = spec::parse("p.toml", &format!("[train]\nstages = [{stages}]"), &Default::default());
        let mut diagnostics = Vec::new();
        (super::stages(&parsed.spec.train, &mut diagnostics), diagnostics)
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
    fn mistakes_in_stages_are_all_found() {
        let (_, mistakes) = plan(
            r#"{ method = "adamflop", steps = 5 }, { method = "adam", steps = 5, gain = 1, lr = -1, betas = [2, 0], schedule = "linear" }"#,
        );
        let messages: Vec<&str> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
        let expected = [
            "unknown method `adamflop`",
            "`adam` has no setting `gain`",
            "`lr` does not take this value",
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
        let (stages, _) =
            plan(r#"{ method = "adamflip", steps = 5, lr = 7e-3, gain = 3, betas = [0.5, 0.6] }"#);
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
}
