//! The stages of training: methods by name, their settings checked against a table.

use crate::diagnostic::{Diagnostic, Spanned, nearest};
use crate::optim::{AdamSettings, Betas, Damping, Decay, Feedback, Method};
use crate::spec::{self, Setting};

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

/// The settings of a rate with Adam's moments.
const ADAM: &[&str] = &["lr", "schedule", "lr_end", "betas", "delta", "clip"];
/// What feedback linearization adds.
const FEEDBACK: &[&str] = &["gain", "integral_gain", "epsilon", "damping"];

/// The settings that a method takes.
fn keys(method: &Method) -> Vec<&'static str> {
    match method {
        Method::Adam(_) => ADAM.to_vec(),
        Method::AdamFlip(_) => [ADAM, FEEDBACK].concat(),
    }
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

/// Sets one setting, or says what would be a valid value.
fn set(method: &mut Method, key: &str, value: &Setting) -> Result<(), &'static str> {
    let (adam, feedback) = parts(method);
    match (key, value) {
        ("lr", &Setting::Number(x)) if x > 0.0 => adam.rate.start = x,
        ("lr", _) => return Err("a positive number, as in `lr = 1e-3`"),
        ("lr_end", &Setting::Number(x)) if x > 0.0 => adam.rate.decay = with_end(adam.rate.decay, x),
        ("lr_end", _) => return Err("a positive number, as in `lr_end = 1e-5`"),
        ("schedule", Setting::Text(text)) => {
            let end = end_of(adam.rate.decay).unwrap_or(f64::NAN);
            adam.rate.decay = match text.as_str() {
                "constant" => Decay::Constant,
                "exponential" => Decay::Exponential(end),
                "cosine" => Decay::Cosine(end),
                _ => return Err("\"constant\", \"exponential\" or \"cosine\""),
            };
        }
        ("schedule", _) => return Err("\"constant\", \"exponential\" or \"cosine\""),
        ("betas", Setting::Numbers(list))
            if list.len() == 2 && list.iter().all(|b| (0.0..1.0).contains(b)) =>
        {
            adam.betas = Betas { first: list[0], second: list[1] };
        }
        ("betas", _) => return Err("two numbers in [0, 1), as in `betas = [0.95, 0.999]`"),
        ("delta", &Setting::Number(x)) if x > 0.0 => adam.delta = x,
        ("delta", _) => return Err("a positive number, as in `delta = 1e-8`"),
        ("clip", &Setting::Number(x)) if x > 0.0 => adam.clip = Some(x),
        ("clip", _) => return Err("a positive number, as in `clip = 10`"),
        _ => return feedback.map_or(Ok(()), |feedback| set_feedback(feedback, key, value)),
    }
    Ok(())
}

fn set_feedback(feedback: &mut Feedback, key: &str, value: &Setting) -> Result<(), &'static str> {
    let ε = match feedback.damping {
        Damping::Absolute(ε) | Damping::Relative(ε) => ε,
    };
    match (key, value) {
        ("gain", &Setting::Number(x)) if x >= 0.0 => feedback.gain = x,
        ("gain", _) => return Err("a number from zero, as in `gain = 100`"),
        ("integral_gain", &Setting::Number(x)) if x >= 0.0 => feedback.integral_gain = x,
        ("integral_gain", _) => return Err("a number from zero, as in `integral_gain = 0.01`"),
        ("epsilon", &Setting::Number(x)) if x >= 0.0 => {
            feedback.damping = match feedback.damping {
                Damping::Absolute(_) => Damping::Absolute(x),
                Damping::Relative(_) => Damping::Relative(x),
            };
        }
        ("epsilon", _) => return Err("a number from zero, as in `epsilon = 1e-6`"),
        ("damping", Setting::Text(text)) if text == "absolute" => feedback.damping = Damping::Absolute(ε),
        ("damping", Setting::Text(text)) if text == "relative" => feedback.damping = Damping::Relative(ε),
        _ => return Err("\"absolute\" or \"relative\""),
    }
    Ok(())
}

/// The parts of a method's settings that the table above writes to.
fn parts(method: &mut Method) -> (&mut AdamSettings, Option<&mut Feedback>) {
    match method {
        Method::Adam(settings) => (settings, None),
        Method::AdamFlip(settings) => (&mut settings.adam, Some(&mut settings.feedback)),
    }
}

fn end_of(decay: Decay) -> Option<f64> {
    match decay {
        Decay::Constant => None,
        Decay::Exponential(end) | Decay::Cosine(end) => Some(end),
    }
}

/// An end without a schedule means the exponential one.
fn with_end(decay: Decay, end: f64) -> Decay {
    match decay {
        Decay::Cosine(_) => Decay::Cosine(end),
        Decay::Constant | Decay::Exponential(_) => Decay::Exponential(end),
    }
}

/// A falling schedule without an end falls to a hundredth.
fn finish_schedule(method: &mut Method) {
    let (adam, _) = parts(method);
    match adam.rate.decay {
        Decay::Exponential(end) if end.is_nan() => {
            adam.rate.decay = Decay::Exponential(0.01 * adam.rate.start)
        }
        Decay::Cosine(end) if end.is_nan() => adam.rate.decay = Decay::Cosine(0.01 * adam.rate.start),
        _ => {}
    }
}

/// An end of a constant rate is a mistake.
fn constant_with_end(stage: &spec::Stage, diagnostics: &mut Vec<Diagnostic>) {
    let given = |key: &str| stage.settings.iter().find(|(name, _)| name.value == key);
    if let (Some((_, schedule)), Some((key, _))) = (given("schedule"), given("lr_end"))
        && schedule.value == Setting::Text("constant".into())
    {
        let mistake = Diagnostic::new(key.span, "a constant rate has no end");
        diagnostics.push(mistake.hint("write `schedule = \"exponential\"` or drop `lr_end`"));
    }
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
    use crate::optim::Rate;

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
            Feedback { gain: 7.0, integral_gain: 0.0, damping: Damping::Absolute(1e-3) }
        );
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
