//! The value of a setting, with the names of constraints resolved: what `settings` works with.

use std::ops::RangeInclusive;

use crate::diagnostic::{Diagnostic, Spanned, nearest};
use crate::spec::{self, Role, Setting};

/// Settings that may differ from constraint to constraint.
pub(super) const BY_CONSTRAINT: &[&str] = &["gain", "normal_gain"];

/// A setting's value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Text(String),
    Bool(bool),
    Numbers(Vec<f64>),
    /// One for each constraint term in order; none where the file leaves it to the method.
    Constraints(Vec<Option<f64>>),
    /// Numbers by name where names make no sense.
    Names,
}

impl Value {
    /// The number, where it is one and valid.
    pub(super) fn number(&self, valid: impl Fn(f64) -> bool) -> Option<f64> {
        match self {
            &Value::Number(x) if valid(x) => Some(x),
            _ => None,
        }
    }

    pub(super) fn positive(&self) -> Option<f64> {
        self.number(|x| x > 0.0)
    }

    /// A number from zero up to but not one.
    pub(super) fn share(&self) -> Option<f64> {
        self.number(|x| (0.0..1.0).contains(&x))
    }

    /// A number strictly between zero and one.
    pub(super) fn part(&self) -> Option<f64> {
        self.number(|x| x > 0.0 && x < 1.0)
    }

    pub(super) fn whole(&self, range: RangeInclusive<usize>) -> Option<usize> {
        let whole = self.number(|x| x.fract() == 0.0 && (0.0..=1e15).contains(&x))? as usize;
        range.contains(&whole).then_some(whole)
    }

    pub(super) fn flag(&self) -> Option<bool> {
        match self {
            &Value::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Two numbers.
    pub(super) fn pair(&self, valid: impl Fn(f64, f64) -> bool) -> Option<[f64; 2]> {
        match self {
            Value::Numbers(list) => <[f64; 2]>::try_from(&list[..]).ok().filter(|&[a, b]| valid(a, b)),
            _ => None,
        }
    }

    /// A number for all constraints, or one for each in order, with `default` where the file says nothing; all valid.
    pub(super) fn gains(&self, default: f64, valid: impl Fn(f64) -> bool) -> Option<(f64, Vec<f64>)> {
        let gains = match self {
            &Value::Number(gain) => return valid(gain).then_some((gain, Vec::new())),
            Value::Numbers(list) if !list.is_empty() => list.clone(),
            Value::Constraints(list) => list.iter().map(|gain| gain.unwrap_or(default)).collect(),
            _ => return None,
        };
        gains.iter().all(|&gain| valid(gain)).then_some((default, gains))
    }
}

/// The value of a setting of a stage, or what is wrong with the names or the number of constraints in it.
pub(super) fn resolve(
    key: &str,
    setting: &Spanned<Setting>,
    terms: &[spec::Term],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Value> {
    let by_constraint = BY_CONSTRAINT.contains(&key);
    Some(match &setting.value {
        &Setting::Number(x) => Value::Number(x),
        Setting::Text(text) => Value::Text(text.clone()),
        &Setting::Bool(flag) => Value::Bool(flag),
        Setting::Numbers(list) => {
            let constraints: Vec<&str> = constraints(terms).collect();
            if by_constraint && list.len() > constraints.len() {
                let message = format!("`{key}` has {} numbers, but {}", list.len(), known(&constraints));
                let hint = format!("write one number, or numbers by name: `{key} = {{ NAME = 10 }}`");
                diagnostics.push(Diagnostic::new(setting.span, message).label("too many").hint(hint));
                return None;
            }
            Value::Numbers(list.clone())
        }
        Setting::Named(_) if !by_constraint => Value::Names,
        Setting::Named(named) => {
            let before = diagnostics.len();
            diagnostics.extend(named.iter().filter_map(|(name, _)| misnamed(key, name, terms)));
            let given = |name| named.iter().find(|(known, _)| known.value == name).map(|&(_, number)| number);
            let values = constraints(terms).map(given).collect();
            return (diagnostics.len() == before).then_some(Value::Constraints(values));
        }
    })
}

fn constraints(terms: &[spec::Term]) -> impl Iterator<Item = &str> {
    terms.iter().filter(|term| term.role == Role::Constraint).map(|term| term.name.value.as_str())
}

/// `the constraints are initial, walls`.
fn known(constraints: &[&str]) -> String {
    match constraints {
        [] => "no term is a constraint".to_owned(),
        [only] => format!("the only constraint is {only}"),
        names => format!("the constraints are {}", names.join(", ")),
    }
}

/// What is wrong with a constraint's name, if anything.
fn misnamed(key: &str, name: &Spanned<String>, terms: &[spec::Term]) -> Option<Diagnostic> {
    let term = terms.iter().find(|term| term.name.value == name.value);
    let constraints: Vec<&str> = constraints(terms).collect();
    let (message, label, hint) = match term.map(|term| term.role) {
        Some(Role::Constraint) => return None,
        Some(Role::Objective) => {
            let message = format!("the term `{}` is an objective, it has no `{key}`", name.value);
            let hint =
                format!("write `role = \"constraint\"` in [term.{}]; {}", name.value, known(&constraints));
            (message, "not a constraint", hint)
        }
        None => {
            let hint = match nearest(&name.value, constraints.iter().copied()) {
                Some(near) => format!("did you mean `{near}`? {}", known(&constraints)),
                None => known(&constraints),
            };
            (format!("no term is called `{}`", name.value), "unknown term", hint)
        }
    };
    Some(Diagnostic::new(name.span, message).label(label).hint(hint))
}
