//! The settings of methods by key: which a method takes, which values, and where they go. Problem files and
//! Python keywords set them, with the same refusals.
//!
//! Keys come in parts. Those that several methods share have a file each below: they mean the same in all,
//! and only those go over from one method to another. The others stand in the file of their method. The same
//! key in two parts (`penalty`, `memory`) means two things.

pub(crate) mod adam;
pub(crate) mod balance;
pub(crate) mod feedback;
pub(crate) mod lbfgs;
pub(crate) mod levenberg;
pub(crate) mod newton;
mod value;

use super::Method;
use crate::diagnostic::nearest;

pub use value::SettingValue;

/// A setting of a method: a row for its key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MethodSetting {
    /// The key in problem files, and the keyword in Python.
    pub key: &'static str,
    /// What its values are, with an example.
    pub expected: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

pub(crate) const fn setting(
    key: &'static str,
    expected: &'static str,
    meaning: &'static str,
) -> MethodSetting {
    MethodSetting { key, expected, meaning }
}

/// Settings that belong together.
pub(crate) type SettingGroup = &'static [MethodSetting];

/// Is the key one of this part?
pub(crate) fn has(part: SettingGroup, key: &str) -> bool {
    part.iter().any(|row| row.key == key)
}

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
    match (method.needed(key), nearest(key, keys)) {
        (Some(choice), _) => format!("`{key}` is a setting of `{choice}`"),
        (_, Some(near)) => format!("did you mean `{near}`? {takes}"),
        _ => takes,
    }
}

impl Method {
    /// The method of that name with these settings, as a stage of a problem file would give them; every other
    /// setting has its default. All errors at once.
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
        self.setting_rows().iter().map(|row| row.key).collect()
    }

    /// The settings that it takes, with what they may be and mean.
    pub fn setting_rows(&self) -> Vec<MethodSetting> {
        self.parts().concat()
    }

    /// Sets one setting by its key.
    pub(crate) fn set(&mut self, key: &str, value: &SettingValue) -> Result<(), SettingError> {
        let Some(row) = self.setting_rows().into_iter().find(|row| row.key == key) else {
            return Err(SettingError::Key { method: Box::new(self.clone()), key: key.to_owned() });
        };
        let refused = || SettingError::Value { key: key.to_owned(), expected: row.expected };
        self.set_value(key, value).ok_or_else(refused)
    }
}

/// An end of a rate that has none is an error.
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

/// Do both methods give this key the same meaning?
pub(crate) fn shared(one: &Method, other: &Method, key: &str) -> bool {
    let part = |method: &Method| method.parts().into_iter().find(|part| has(part, key));
    part(one).is_some_and(|found| part(other) == Some(found))
}

/// Keys that decide which others there are, or what they start from, come first.
pub(crate) fn rank(key: &str) -> usize {
    ["dual", "update", "weights", "lr"].iter().position(|first| *first == key).unwrap_or(usize::MAX)
}

/// A falling schedule without an end falls to a hundredth.
pub(crate) fn finish_schedule(method: &mut Method) {
    if let Some(rate) = method.rate_mut() {
        adam::finish(rate);
    }
}
