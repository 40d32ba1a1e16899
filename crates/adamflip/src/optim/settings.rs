//! The settings of methods by key: which a method takes, which values, and where they go. Problem files and
//! Python keywords set them, with the same refusals.
//!
//! Keys come in parts, one file below for each kind: methods that share a part give its keys the same
//! meaning, and only those settings go over from one method to another. The same key in two parts (`penalty`,
//! `memory`) means two things.

mod adam;
mod al;
mod feedback;
mod lbfgs;
mod newton;
mod split;
mod ssbroyden;
mod trsqp;
mod value;

use super::{Decay, FlSettings, Method, Rate};
use crate::diagnostic::nearest;

pub use value::SettingValue;
use value::SettingValue as Value;

/// Keys that belong together.
type Part = &'static [&'static str];

/// What would have been a valid value.
type Refusal = &'static str;

/// Why a method or one of its settings is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// No method has this name.
    #[error("unknown method `{name}`")]
    Method {
        /// The name.
        name: String,
    },
    /// The method has no such setting.
    #[error("`{}` has no setting `{key}`", method.name())]
    Key {
        /// The method, with the settings before this one: they decide which there are.
        method: Box<Method>,
        /// The key.
        key: String,
    },
    /// The setting does not take this value.
    #[error("`{key}` does not take this value")]
    Value {
        /// The key.
        key: String,
        /// What would be a valid value.
        expected: &'static str,
    },
    /// `lr_end` under a schedule without an end.
    #[error("{schedule} rate has no end")]
    End {
        /// Whose rate: `a constant`, `the theorem's`.
        schedule: &'static str,
    },
}

impl SettingError {
    /// What to do: the nearest name, or what would be valid.
    pub fn hint(&self) -> String {
        match self {
            Self::Method { name } => {
                let known = Method::NAMES.join(", ");
                match nearest(name, Method::NAMES) {
                    Some(near) => format!("did you mean `{near}`? The methods are {known}"),
                    None => format!("the methods are {known}"),
                }
            }
            Self::Key { method, key } => unknown_key(method, key),
            Self::Value { expected, .. } => format!("write {expected}"),
            Self::End { .. } => "write `schedule = \"exponential\"` or drop `lr_end`".to_owned(),
        }
    }
}

fn unknown_key(method: &Method, key: &str) -> String {
    let keys = method.settings();
    let takes = format!("`{}` takes method, steps, {}", method.name(), keys.join(", "));
    match (needed(method, key), nearest(key, keys)) {
        (Some(choice), _) => format!("`{key}` is a setting of `{choice}`"),
        (_, Some(near)) => format!("did you mean `{near}`? {takes}"),
        _ => takes,
    }
}

impl Method {
    /// The method of that name with these settings, as a stage of a problem file would give them; every other
    /// setting has its default. All mistakes at once.
    ///
    /// ```
    /// use adamflip::Method;
    ///
    /// let method = Method::with("adamflip", &[("lr", 1e-2.into()), ("gain", 10.0.into())]).unwrap();
    /// assert_eq!(method.feedback().unwrap().gain, 10.0);
    /// let errors = Method::with("adamflip", &[("gian", 10.0.into())]).unwrap_err();
    /// assert!(errors[0].hint().starts_with("did you mean `gain`?"));
    /// ```
    pub fn with(name: &str, settings: &[(&str, SettingValue)]) -> Result<Self, Vec<SettingError>> {
        let unknown = || vec![SettingError::Method { name: name.to_owned() }];
        let mut method = Self::named(name).ok_or_else(unknown)?;
        let mut ordered: Vec<_> = settings.iter().collect();
        ordered.sort_by_key(|(key, _)| rank(key));
        let set = |(key, value): &(&str, SettingValue)| method.set(key, value).err();
        let mut errors: Vec<_> = ordered.into_iter().filter_map(set).collect();
        finish_schedule(&mut method);
        errors.extend(end_without_schedule(|key| {
            settings.iter().find(|(name, _)| *name == key).map(|(_, v)| v)
        }));
        if errors.is_empty() { Ok(method) } else { Err(errors) }
    }

    /// The keys of the settings that it takes. `dual` and `update` of `al` decide which there are.
    pub fn settings(&self) -> Vec<&'static str> {
        parts(self).concat()
    }

    /// Sets one setting by its key.
    pub(crate) fn set(&mut self, key: &str, value: &SettingValue) -> Result<(), SettingError> {
        if !self.settings().contains(&key) {
            return Err(SettingError::Key { method: Box::new(self.clone()), key: key.to_owned() });
        }
        set(self, key, value).map_err(|expected| SettingError::Value { key: key.to_owned(), expected })
    }
}

/// An end of a rate that has none is a mistake.
pub(crate) fn end_without_schedule<'a>(
    given: impl Fn(&str) -> Option<&'a SettingValue>,
) -> Option<SettingError> {
    given("lr_end")?;
    match given("schedule")?.text()? {
        "constant" => Some(SettingError::End { schedule: "a constant" }),
        "theorem" => Some(SettingError::End { schedule: "the theorem's" }),
        _ => None,
    }
}

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

/// Do both methods give this key the same meaning?
pub(crate) fn shared(one: &Method, other: &Method, key: &str) -> bool {
    let part = |method| parts(method).into_iter().find(|part| part.contains(&key));
    part(one).is_some_and(|found| part(other) == Some(found))
}

/// The choice that would give the method this setting, as a file writes it.
fn needed(method: &Method, key: &str) -> Option<&'static str> {
    match method {
        Method::Al(_) => al::needed(key),
        _ => None,
    }
}

/// Keys that decide which others there are, or what they start from, come first.
pub(crate) fn rank(key: &str) -> usize {
    ["dual", "update", "lr"].iter().position(|first| *first == key).unwrap_or(usize::MAX)
}

/// Sets one of the settings that the method takes, or says what would be a valid value.
fn set(method: &mut Method, key: &str, value: &Value) -> Result<(), Refusal> {
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
pub(crate) fn finish_schedule(method: &mut Method) {
    let Some(rate) = rate_of(method) else { return };
    match rate.decay {
        Decay::Exponential(end) if end.is_nan() => rate.decay = Decay::Exponential(0.01 * rate.start),
        Decay::Cosine(end) if end.is_nan() => rate.decay = Decay::Cosine(0.01 * rate.start),
        _ => {}
    }
}
