//! Python keywords as settings of a method.

use adamflip::Method;
use adamflip::diagnostic::nearest;
use adamflip::optim::{SettingError, SettingValue};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::errors;

/// The keywords of `minimize` itself, which a misspelt setting may have been meant to be.
const OWN: [&str; 11] = [
    "fun",
    "x0",
    "constraints",
    "inequalities",
    "method",
    "jac",
    "residuals",
    "steps",
    "tol",
    "feasibility",
    "callback",
];

/// Settings that may differ from constraint to constraint.
const BY_CONSTRAINT: [&str; 2] = ["gain", "normal_gain"];

/// The method of this name with its usual settings.
pub(crate) fn named(name: &str) -> PyResult<Method> {
    Method::with(name, &[]).map_err(|refused| refusal(&refused))
}

/// The method with these settings. `names` are those of the constraints, where they have names; `entries`
/// says how many there are.
pub(crate) fn method(
    name: &str,
    settings: &Bound<'_, PyDict>,
    names: Option<&[String]>,
    entries: usize,
) -> PyResult<Method> {
    let mut given: Vec<(String, SettingValue)> = Vec::new();
    for (key, value) in settings {
        let key: String = key.extract()?;
        let value = setting(&key, &value, names, entries)?;
        given.push((key, value));
    }
    let given: Vec<(&str, SettingValue)> =
        given.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
    Method::with(name, &given).map_err(|refused| refusal(&refused))
}

fn refusal(refused: &[SettingError]) -> PyErr {
    let lines: Vec<String> = refused.iter().map(SettingError::to_string).collect();
    let hints: Vec<String> = refused.iter().map(hint).collect();
    if refused.iter().any(|error| matches!(error, SettingError::Key { .. })) {
        return errors::keyword(lines.join("\n"), hints.join("\n"));
    }
    errors::input(lines.join("\n"), hints.join("\n"))
}

fn hint(error: &SettingError) -> String {
    match error {
        SettingError::Key { method, key } if nearest(key, method.settings()).is_none() => {
            match nearest(key, OWN) {
                Some(near) => format!("did you mean `{near}`?"),
                None => error.hint(),
            }
        }
        _ => error.hint(),
    }
}

fn setting(
    key: &str,
    value: &Bound<'_, PyAny>,
    names: Option<&[String]>,
    entries: usize,
) -> PyResult<SettingValue> {
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(SettingValue::Bool(flag.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(SettingValue::Text(text.to_string()));
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(SettingValue::Number(number));
    }
    if let Ok(named) = value.cast::<PyDict>() {
        return by_name(key, named, names);
    }
    // The key may be unknown, which is the better message.
    let Ok(list) = value.extract::<Vec<f64>>() else { return Ok(SettingValue::Other) };
    let groups = names.map_or(entries, <[String]>::len);
    if BY_CONSTRAINT.contains(&key) && list.len() > groups {
        let message = format!("`{key}` has {} numbers, but there are {groups} constraints", list.len());
        return Err(errors::input(message, "write one number, or one for each constraint"));
    }
    Ok(SettingValue::Numbers(list))
}

fn by_name(key: &str, named: &Bound<'_, PyDict>, names: Option<&[String]>) -> PyResult<SettingValue> {
    let py = named.py();
    if !BY_CONSTRAINT.contains(&key) {
        return Ok(SettingValue::Other);
    }
    let Some(names) = names else {
        let message = format!("`{key}` has numbers by name, but the constraints have no names");
        return Err(errors::input(message, "give `constraints` and `inequalities` as dicts of functions"));
    };
    let mut values = vec![None; names.len()];
    for (name, value) in named {
        let name = name.str()?.to_string();
        let Some(at) = names.iter().position(|known| *known == name) else {
            let meant = nearest(&name, names.iter().map(String::as_str));
            let meant = meant.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let hint = format!("{meant}The constraints are {}", names.join(", "));
            return Err(errors::input(format!("no constraint is called `{name}`"), hint));
        };
        let number = value.extract::<f64>();
        values[at] = Some(number.map_err(|cause| {
            errors::input_from(py, cause, format!("`{key}` of `{name}` is not a number"), "write a number")
        })?);
    }
    Ok(SettingValue::Constraints(values))
}
