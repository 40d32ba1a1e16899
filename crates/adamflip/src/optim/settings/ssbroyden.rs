//! Self-scaled Broyden: the weight of the constraints in its sum, what becomes of its matrix, and the conditions of its
//! line search.

use super::Value;
use super::{Part, Refusal, lbfgs};
use crate::optim::SsBroydenSettings;

pub(super) const CARRY: Part = &["carry"];

pub(super) fn set(settings: &mut SsBroydenSettings, key: &str, value: &Value) -> Result<(), Refusal> {
    match key {
        "penalty" => lbfgs::set_penalty(&mut settings.penalty, value),
        "carry" => {
            settings.carry = value.flag().ok_or("true or false")?;
            Ok(())
        }
        _ => lbfgs::set_wolfe(&mut settings.wolfe, key, value),
    }
}
