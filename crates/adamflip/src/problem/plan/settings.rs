//! The settings of methods by key: which a method takes, which values, and where they go.
//!
//! Keys come in parts, one file below for each kind: methods that share a part give its keys the same meaning, and only
//! those settings go over from one method to another. The same key in two parts (`penalty`, `memory`) means two things.

mod adam;
mod al;
mod feedback;
mod lbfgs;
mod newton;
mod split;
mod ssbroyden;
mod trsqp;

use crate::optim::{Decay, FlSettings, Method, Rate};

use super::value::Value;

/// Keys that belong together.
pub(super) type Part = &'static [&'static str];

/// What would have been a valid value.
type Refusal = &'static str;

/// The parts of a method's settings.
fn parts(method: &Method) -> Vec<Part> {
    use {adam as a, feedback as f};
    match method {
        Method::Adam(_) => vec![a::RATE, a::MOMENTS, a::ROTATION, a::CLIP],
        Method::Fl(_) => vec![a::RATE, a::CLIP, f::GAINS, f::DAMPING],
        Method::FlMomentum(_) => vec![a::RATE, f::MOMENTUM, a::CLIP, f::GAINS, f::DAMPING],
        Method::AdamFlip(_) => {
            vec![a::RATE, a::MOMENTS, a::ROTATION, a::CLIP, f::GAINS, f::DAMPING, f::BACKTRACKING]
        }
        Method::AdamFlipMetric(_) => vec![a::RATE, a::MOMENTS, a::CLIP, f::GAINS, f::DAMPING],
        Method::AdamFlipSplit(_) => vec![a::RATE, a::MOMENTS, a::ROTATION, a::CLIP, split::KEYS, f::DAMPING],
        Method::Al(settings) => [&[a::RATE, a::MOMENTS, a::CLIP], &al::parts(settings)[..]].concat(),
        Method::GaussNewton(_) => vec![newton::KEYS],
        Method::NewtonFlip(_) => vec![newton::KEYS, newton::CONSTRAINED],
        Method::Lbfgs(_) => vec![lbfgs::PENALTY, lbfgs::MEMORY, lbfgs::WOLFE],
        Method::SsBroyden(_) => vec![lbfgs::PENALTY, ssbroyden::CARRY, lbfgs::WOLFE],
        Method::TrSqp(_) => vec![trsqp::KEYS],
    }
}

/// The settings that a method takes.
pub(super) fn keys(method: &Method) -> Vec<&'static str> {
    parts(method).concat()
}

/// Do both methods give this key the same meaning?
pub(super) fn shared(one: &Method, other: &Method, key: &str) -> bool {
    let part = |method| parts(method).into_iter().find(|part| part.contains(&key));
    part(one).is_some_and(|found| part(other) == Some(found))
}

/// The choice that would give the method this setting, as a file writes it.
pub(super) fn needed(method: &Method, key: &str) -> Option<&'static str> {
    match method {
        Method::Al(_) => al::needed(key),
        _ => None,
    }
}

/// Keys that decide which others there are, or what they start from, come first.
pub(super) fn rank(key: &str) -> usize {
    ["dual", "update", "lr"].iter().position(|first| *first == key).unwrap_or(usize::MAX)
}

/// Sets one of the settings that the method takes, or says what would be a valid value.
pub(super) fn set(method: &mut Method, key: &str, value: &Value) -> Result<(), Refusal> {
    match method {
        Method::Adam(settings) => adam::set(settings, key, value),
        Method::Fl(settings) => set_fl(settings, key, value),
        Method::FlMomentum(settings) if key == "momentum" => {
            feedback::set_momentum(&mut settings.momentum, value)
        }
        Method::FlMomentum(settings) => set_fl(&mut settings.fl, key, value),
        Method::AdamFlip(settings) if feedback::BACKTRACKING.contains(&key) => {
            feedback::set_backtracking(&mut settings.backtracking, key, value)
        }
        Method::AdamFlip(settings) if feedback::has(key) => feedback::set(&mut settings.feedback, key, value),
        Method::AdamFlip(settings) => adam::set(&mut settings.adam, key, value),
        Method::AdamFlipMetric(settings) if feedback::has(key) => {
            feedback::set(&mut settings.feedback, key, value)
        }
        Method::AdamFlipMetric(settings) => adam::set(&mut settings.adam, key, value),
        Method::AdamFlipSplit(settings) => split::set(settings, key, value),
        Method::Al(settings) => al::set(settings, key, value),
        Method::Lbfgs(settings) => lbfgs::set(settings, key, value),
        Method::GaussNewton(settings) => newton::set(settings, key, value),
        Method::NewtonFlip(settings) => newton::set_constrained(settings, key, value),
        Method::SsBroyden(settings) => ssbroyden::set(settings, key, value),
        Method::TrSqp(settings) => trsqp::set(settings, key, value),
    }
}

fn set_fl(settings: &mut FlSettings, key: &str, value: &Value) -> Result<(), Refusal> {
    match key {
        "clip" => adam::set_clip(&mut settings.clip, value),
        key if feedback::has(key) => feedback::set(&mut settings.feedback, key, value),
        _ => adam::set_rate(&mut settings.rate, key, value),
    }
}

fn rate_of(method: &mut Method) -> Option<&mut Rate> {
    Some(match method {
        Method::Adam(settings) => &mut settings.rate,
        Method::Fl(settings) => &mut settings.rate,
        Method::FlMomentum(settings) => &mut settings.fl.rate,
        Method::AdamFlip(settings) => &mut settings.adam.rate,
        Method::AdamFlipMetric(settings) => &mut settings.adam.rate,
        Method::AdamFlipSplit(settings) => &mut settings.adam.rate,
        Method::Al(settings) => &mut settings.adam.rate,
        Method::Lbfgs(_)
        | Method::SsBroyden(_)
        | Method::GaussNewton(_)
        | Method::NewtonFlip(_)
        | Method::TrSqp(_) => return None,
    })
}

/// A falling schedule without an end falls to a hundredth.
pub(super) fn finish_schedule(method: &mut Method) {
    let Some(rate) = rate_of(method) else { return };
    match rate.decay {
        Decay::Exponential(end) if end.is_nan() => rate.decay = Decay::Exponential(0.01 * rate.start),
        Decay::Cosine(end) if end.is_nan() => rate.decay = Decay::Cosine(0.01 * rate.start),
        _ => {}
    }
}
