//! The stages of training: methods by name, their settings checked against a table.

mod grown;
mod value;
mod watched;

use crate::diagnostic::{Diagnostic, Span};
use crate::optim::settings::{end_without_schedule, finish_schedule, rank, shared};
use crate::optim::{AdamSettings, Method, Rate, SettingError, SettingValue};
use crate::spec;
pub(crate) use grown::can_grow;
pub(super) use grown::check as check_growth;
use value::resolve;
pub use watched::{Piece, pieced};

/// Some steps of one method.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The method with its settings.
    pub method: Method,
    /// How many steps.
    pub steps: usize,
    /// Steps between draws of fresh points, where the stage has a number of its own; 0: never.
    pub resample: Option<usize>,
    /// The widths of the hidden layers of its network, where it has grown before.
    pub hidden: Option<Vec<usize>>,
    /// A factor of the weights of all terms without data, during this stage.
    pub equations: Option<f64>,
    /// May it take more steps while its losses still fall? How many at the most.
    pub open: Option<usize>,
    /// The settings as the file gives them, for [`with_method`].
    pub(crate) given: Vec<(String, SettingValue)>,
    /// Of the default plan: another method has its own number of steps.
    default: bool,
}

/// What a plan is chosen by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sizes {
    /// Residuals of conditions.
    pub(super) conditions: usize,
    /// Those of all terms.
    pub(super) residuals: usize,
    /// Trained numbers.
    pub(super) parameters: f64,
}

/// Up to this many residuals of conditions the dense form has each as a constraint of its own; the rows of
/// more take hundreds of megabytes.
const MANY: usize = 5_000;

/// Steps with curvature that nearly every problem takes, and the most where the losses still fall.
const CURVED: usize = 200;
const MOST_CURVED: usize = 1_000;

/// Up to this many parameters the matrix of all by all is the fastest: of the largest, a step takes a second
/// and a gigabyte.
pub(crate) const LARGE: f64 = 5_000.0;

/// Up to this many residuals that of all by all is, where parameters are more: two of them take 400 MB.
const WIDE: usize = 5_000;

/// Steps between draws of points where the file does not say and steps are cheap.
const RESAMPLE_EVERY: usize = 100;

/// The stages of a file; where it has none, the default plan for this many residuals of conditions and
/// parameters.
pub(super) fn stages(
    train: &spec::Train,
    terms: &[spec::Term],
    sizes: Sizes,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Stage> {
    if train.stages.is_empty() {
        // Who gives a time or an accuracy wants steps as long as they help.
        let most = if train.max_seconds.or(train.accuracy).is_some() { usize::MAX } else { MOST_CURVED };
        return default(sizes, most);
    }
    let stages = train.stages.iter().filter_map(|stage| checked(stage, terms, diagnostics));
    stages.filter(|stage| stage.steps > 0).collect()
}

/// A warm start by Adam, then the best method for a problem of this size.
fn default(sizes: Sizes, most: usize) -> Vec<Stage> {
    let adam = |rate, steps| {
        let settings = AdamSettings { rate: Rate::constant(rate), ..AdamSettings::default() };
        let given = vec![("lr".to_owned(), SettingValue::Number(rate))];
        Stage { given, ..Stage::usual(Method::Adam(settings), steps) }
    };
    match by_size(sizes) {
        Some(curved) => {
            vec![adam(3e-3, 300), Stage { open: Some(most), ..Stage::usual(curved, CURVED) }]
        }
        None if sizes.conditions <= MANY => {
            vec![adam(1e-3, 2_000), Stage::usual(Method::AdamFlipSplit(Default::default()), 10_000)]
        }
        None => vec![adam(1e-3, 2_000), Stage::usual(Method::AdamFlip(Default::default()), 10_000)],
    }
}

/// The form of Gauss and Newton's step that is the cheapest: of the matrix of all parameters by all, or of
/// all residuals by all. None where both are many: two steps of `newton_cg` take the time of 300 of `adam`
/// and leave the equation ten times as large (`results/2026-11-18-any-size.md`).
fn by_size(sizes: Sizes) -> Option<Method> {
    let Sizes { conditions, residuals, parameters } = sizes;
    match (parameters <= LARGE, conditions <= MANY, residuals <= WIDE) {
        (true, true, _) => Some(Method::NewtonFlip(Default::default())),
        (true, false, _) => Some(Method::GaussNewton(Default::default())),
        (false, _, true) => Some(Method::NewtonRows(Default::default())),
        (false, _, false) => None,
    }
}

/// Is the plan left to us? Its last stage then takes steps as long as they help.
pub fn is_default(stages: &[Stage]) -> bool {
    stages.last().is_some_and(|stage| stage.open.is_some())
}

/// The steps of a method where the file leaves the plan to us.
fn usual_steps(method: &Method) -> usize {
    if method.uses_curvature() { 300 } else { 12_000 }
}

/// Steps between draws of points where the file does not say: none under a plan of its own, unless points
/// follow the residual; in the default plan every step that uses curvature has points of its own.
pub(super) fn resample(spec: &spec::Spec, stages: &[Stage]) -> usize {
    let ours = spec.train.stages.is_empty();
    let curvature = stages.iter().any(|stage| stage.method.uses_curvature());
    let adaptive = spec.terms.iter().any(|term| term.adaptive.is_some());
    match (ours, curvature, adaptive) {
        (true, true, _) => 1,
        (true, false, _) | (false, _, true) => RESAMPLE_EVERY,
        (false, _, false) => 0,
    }
}

fn checked(stage: &spec::Stage, terms: &[spec::Term], diagnostics: &mut Vec<Diagnostic>) -> Option<Stage> {
    let Some(mut method) = Method::named(&stage.method.value) else {
        let error = SettingError::Method { name: stage.method.value.clone() };
        diagnostics.push(diagnostic(&error, stage.method.span));
        return None;
    };
    let mut settings: Vec<_> = stage.settings.iter().collect();
    settings.sort_by_key(|(key, _)| rank(&key.value));
    let mut given: Vec<(String, SettingValue)> = Vec::new();
    for (key, setting) in settings {
        if !method.settings().contains(&key.value.as_str()) {
            let error = SettingError::Key { method: Box::new(method.clone()), key: key.value.clone() };
            diagnostics.push(diagnostic(&error, key.span));
            continue;
        }
        let Some(value) = resolve(&key.value, setting, terms, diagnostics) else { continue };
        match method.set(&key.value, &value) {
            Ok(()) => given.push((key.value.clone(), value)),
            Err(error) => diagnostics.push(diagnostic(&error, setting.span)),
        }
    }
    finish_schedule(&mut method);
    let end = end_without_schedule(|key| given.iter().find(|(name, _)| name == key).map(|(_, value)| value));
    if let (Some(error), Some((key, _))) = (end, stage.settings.iter().find(|(key, _)| key.value == "lr_end"))
    {
        diagnostics.push(diagnostic(&error, key.span));
    }
    Some(Stage {
        method,
        steps: stage.steps.value,
        resample: stage.resample,
        hidden: stage.hidden.clone(),
        equations: stage.equations,
        open: None,
        given,
        default: false,
    })
}

/// The same error, with its place in the file.
fn diagnostic(error: &SettingError, span: Span) -> Diagnostic {
    let label = match error {
        SettingError::Method { .. } => "not a method",
        SettingError::Key { .. } => "unknown setting",
        SettingError::Value { .. } => "here",
        SettingError::End { .. } => "",
    };
    Diagnostic::new(span, error.to_string()).label(label).hint(error.hint())
}

/// One stage of `method` for all the steps of the plan, or as many as are usual where the plan is the
/// default: the settings that the last stage gives where they mean the same, the method's own defaults
/// otherwise.
pub fn with_method(stages: &[Stage], method: &Method) -> Vec<Stage> {
    let mut method = method.clone();
    let mut given = Vec::new();
    if let Some(last) = stages.last() {
        for (key, value) in &last.given {
            // Accepted when the file was read, but perhaps not by this method.
            if shared(&last.method, &method, key) && method.set(key, value).is_ok() {
                given.push((key.clone(), value.clone()));
            }
        }
    }
    finish_schedule(&mut method);
    let default = !stages.is_empty() && stages.iter().all(|stage| stage.default);
    let steps = if default { usual_steps(&method) } else { stages.iter().map(|stage| stage.steps).sum() };
    vec![Stage { method, steps, resample: None, hidden: None, equations: None, open: None, given, default }]
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
        last.open = None;
    }
    stages.retain(|stage| stage.steps > 0);
    stages
}

#[cfg(test)]
mod tests;
