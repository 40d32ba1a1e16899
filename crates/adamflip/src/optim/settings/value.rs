//! The value of a setting, with the names of constraints resolved.

use std::ops::RangeInclusive;

/// The value of a setting of a method.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
    /// Yes or no.
    Bool(bool),
    /// Several numbers, one for each constraint where they may differ.
    Numbers(Vec<f64>),
    /// One for each named constraint in order; none where it is left to the method.
    Constraints(Vec<Option<f64>>),
    /// What no setting takes, such as numbers by name where names make no sense.
    Other,
}

impl SettingValue {
    /// The number, where it is one and valid.
    pub(crate) fn number(&self, valid: impl Fn(f64) -> bool) -> Option<f64> {
        match self {
            &SettingValue::Number(x) if valid(x) => Some(x),
            _ => None,
        }
    }

    pub(crate) fn positive(&self) -> Option<f64> {
        self.number(|x| x > 0.0)
    }

    pub(crate) fn not_negative(&self) -> Option<f64> {
        self.number(|x| x >= 0.0)
    }

    /// A number from zero up to but not one.
    pub(crate) fn share(&self) -> Option<f64> {
        self.number(|x| (0.0..1.0).contains(&x))
    }

    /// A number strictly between zero and one.
    pub(crate) fn part(&self) -> Option<f64> {
        self.number(|x| x > 0.0 && x < 1.0)
    }

    pub(crate) fn whole(&self, range: RangeInclusive<usize>) -> Option<usize> {
        let whole = self.number(|x| x.fract() == 0.0 && (0.0..=1e15).contains(&x))? as usize;
        range.contains(&whole).then_some(whole)
    }

    pub(crate) fn flag(&self) -> Option<bool> {
        match self {
            &SettingValue::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            SettingValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Two numbers.
    pub(crate) fn pair(&self, valid: impl Fn(f64, f64) -> bool) -> Option<[f64; 2]> {
        match self {
            SettingValue::Numbers(list) => <[f64; 2]>::try_from(&list[..]).ok().filter(|&[a, b]| valid(a, b)),
            _ => None,
        }
    }

    /// A number for all constraints, or one for each in order, with `default` where the file says nothing;
    /// all valid.
    pub(crate) fn gains(&self, default: f64, valid: impl Fn(f64) -> bool) -> Option<(f64, Vec<f64>)> {
        let gains = match self {
            &SettingValue::Number(gain) => return valid(gain).then_some((gain, Vec::new())),
            SettingValue::Numbers(list) if !list.is_empty() => list.clone(),
            SettingValue::Constraints(list) => list.iter().map(|gain| gain.unwrap_or(default)).collect(),
            _ => return None,
        };
        gains.iter().all(|&gain| valid(gain)).then_some((default, gains))
    }
}

impl From<f64> for SettingValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for SettingValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<bool> for SettingValue {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}
