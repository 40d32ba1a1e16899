//! From what the file writes to the value of a setting: names of constraints are resolved.

use crate::diagnostic::{Diagnostic, Spanned, nearest};
use crate::optim::SettingValue as Value;
use crate::spec::{self, Role, Setting};

/// Settings that may differ from constraint to constraint.
pub(super) const BY_CONSTRAINT: &[&str] = &["gain", "normal_gain"];

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
        Setting::Named(_) if !by_constraint => Value::Other,
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
