//! L-BFGS: the weight of the constraints in its sum, its memory, and the conditions of its line search.

use super::Value;
use super::{Part, Refusal};
use crate::optim::{DescentSettings, LbfgsSettings, Wolfe};

pub(super) const PENALTY: Part = &["penalty"];
pub(super) const MEMORY: Part = &["memory", "carried"];
pub(super) const WOLFE: Part = &["decrease", "curvature", "rounding", "evaluations"];

/// Pairs are two vectors of the size of θ each: more than these are a typing mistake.
pub(super) const MOST_PAIRS: usize = 1_000;

pub(super) fn set(settings: &mut LbfgsSettings, key: &str, value: &Value) -> Result<(), Refusal> {
    match key {
        "penalty" => set_penalty(&mut settings.penalty, value),
        _ => set_descent(&mut settings.descent, key, value),
    }
}

pub(super) fn set_penalty(penalty: &mut f64, value: &Value) -> Result<(), Refusal> {
    *penalty = value.number(|x| x >= 0.0).ok_or("a number from zero, as in `penalty = 1`")?;
    Ok(())
}

/// Is it a setting of the descent?
pub(super) fn has(key: &str) -> bool {
    MEMORY.contains(&key) || WOLFE.contains(&key)
}

pub(super) fn set_descent(descent: &mut DescentSettings, key: &str, value: &Value) -> Result<(), Refusal> {
    match key {
        "memory" => {
            let expected = "a whole number from 1 to 1000, as in `memory = 50`";
            descent.memory = value.whole(1..=MOST_PAIRS).ok_or(expected)?;
        }
        "carried" => {
            let expected = "a whole number from 0 to 1000, as in `carried = 50`";
            descent.carried = value.whole(0..=MOST_PAIRS).ok_or(expected)?;
        }
        _ => set_wolfe(&mut descent.wolfe, key, value)?,
    }
    Ok(())
}

pub(super) fn set_wolfe(wolfe: &mut Wolfe, key: &str, value: &Value) -> Result<(), Refusal> {
    match key {
        "decrease" => {
            wolfe.decrease = value.part().ok_or("a number between 0 and 1, as in `decrease = 1e-4`")?;
        }
        "curvature" => {
            wolfe.curvature = value.part().ok_or("a number between 0 and 1, as in `curvature = 0.9`")?;
        }
        "rounding" => {
            wolfe.rounding = value.share().ok_or("a number in [0, 1), as in `rounding = 1e-12`")?;
        }
        _ => {
            let expected = "a whole number from 1 to 1000, as in `evaluations = 25`";
            wolfe.evaluations = value.whole(1..=1_000).ok_or(expected)?;
        }
    }
    Ok(())
}
