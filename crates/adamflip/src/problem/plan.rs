//! The stages of training: methods by name, their settings checked against a table.

mod settings;
mod value;

use crate::diagnostic::{Diagnostic, Spanned, nearest};
use crate::optim::Method;
use crate::spec::{self, Setting};
use settings::{finish_schedule, keys, needed, rank, set, shared};
use value::{Value, resolve};

/// Some steps of one method.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The method with its settings.
    pub method: Method,
    /// How many steps.
    pub steps: usize,
    /// The settings as the file gives them, for [`with_method`].
    given: Vec<(String, Value)>,
}

/// Up to so many residuals of conditions each can be a constraint of its own: the factorization of so many takes some ten
/// milliseconds a step.
const MANY: usize = 1_000;

/// The stages of a file; where it has none, the default: a warm start by Adam, then our own method, or AdamFLIP where the
/// conditions have too many points for it, each at its own defaults.
pub(super) fn stages(
    train: &spec::Train,
    terms: &[spec::Term],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Stage> {
    if train.stages.is_empty() {
        let stage =
            |name, steps| Method::named(name).map(|method| Stage { method, steps, given: Vec::new() });
        let method = if conditions(terms) > MANY { "adamflip" } else { "adamflip_split" };
        return [stage("adam", 2_000), stage(method, 10_000)].into_iter().flatten().collect();
    }
    let stages = train.stages.iter().filter_map(|stage| checked(stage, terms, diagnostics));
    stages.filter(|stage| stage.steps > 0).collect()
}

/// The residuals of all conditions, as far as the file says how many there are.
fn conditions(terms: &[spec::Term]) -> usize {
    let constraints = terms.iter().filter(|term| term.role == spec::Role::Constraint);
    constraints
        .map(|term| term.points.as_ref().map_or(MANY, |points| points.value) * term.equations.len().max(1))
        .sum()
}

fn checked(stage: &spec::Stage, terms: &[spec::Term], diagnostics: &mut Vec<Diagnostic>) -> Option<Stage> {
    let Some(mut method) = Method::named(&stage.method.value) else {
        diagnostics.push(unknown_method(&stage.method));
        return None;
    };
    let mut settings: Vec<_> = stage.settings.iter().collect();
    settings.sort_by_key(|(key, _)| rank(&key.value));
    let mut given = Vec::new();
    for (key, setting) in settings {
        let keys = keys(&method);
        if !keys.contains(&key.value.as_str()) {
            diagnostics.push(unknown_setting(key, &method, &keys));
            continue;
        }
        let Some(value) = resolve(&key.value, setting, terms, diagnostics) else { continue };
        match set(&mut method, &key.value, &value) {
            Ok(()) => given.push((key.value.clone(), value)),
            Err(expected) => {
                let message = format!("`{}` does not take this value", key.value);
                let mistake = Diagnostic::new(setting.span, message).label("here");
                diagnostics.push(mistake.hint(format!("write {expected}")));
            }
        }
    }
    finish_schedule(&mut method);
    constant_with_end(stage, diagnostics);
    Some(Stage { method, steps: stage.steps.value, given })
}

fn unknown_method(name: &Spanned<String>) -> Diagnostic {
    let known = Method::NAMES.join(", ");
    let hint = match nearest(&name.value, Method::NAMES) {
        Some(near) => format!("did you mean `{near}`? The methods are {known}"),
        None => format!("the methods are {known}"),
    };
    let mistake = Diagnostic::new(name.span, format!("unknown method `{}`", name.value));
    mistake.label("not a method").hint(hint)
}

fn unknown_setting(key: &Spanned<String>, method: &Method, keys: &[&str]) -> Diagnostic {
    let list = keys.join(", ");
    let hint = match (needed(method, &key.value), nearest(&key.value, keys.iter().copied())) {
        (Some(choice), _) => format!("`{}` is a setting of `{choice}`", key.value),
        (_, Some(near)) => format!("did you mean `{near}`? `{}` takes method, steps, {list}", method.name()),
        _ => format!("`{}` takes method, steps, {list}", method.name()),
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

/// One stage of `method` for all the steps of the plan: the settings that the last stage gives where they mean the same,
/// the method's own defaults otherwise.
pub fn with_method(stages: &[Stage], method: &Method) -> Vec<Stage> {
    let mut method = method.clone();
    let mut given = Vec::new();
    if let Some(last) = stages.last() {
        for (key, value) in &last.given {
            // Accepted when the file was read, but perhaps not by this method.
            if shared(&last.method, &method, key) && set(&mut method, key, value).is_ok() {
                given.push((key.clone(), value.clone()));
            }
        }
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
mod tests;
