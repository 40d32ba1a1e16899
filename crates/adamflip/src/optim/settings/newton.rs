//! Gauss–Newton with and without hard constraints: the weight of the constraints, the damping, the row space.

use super::Value;
use super::{Part, Refusal};
use crate::optim::{NewtonFlipSettings, NewtonSettings};

pub(super) const KEYS: Part = &["penalty", "damping", "least_damping", "memory"];
pub(super) const CONSTRAINED: Part = &["hardness", "normal_gain", "rank_cut", "metric"];

pub(super) fn set(settings: &mut NewtonSettings, key: &str, value: &Value) -> Result<(), Refusal> {
    let (place, number, expected) = match key {
        "penalty" => {
            let expected = "a number from zero, as in `penalty = 100`";
            (&mut settings.penalty, value.number(|x| x >= 0.0), expected)
        }
        "damping" => (&mut settings.damping, value.positive(), "a positive number, as in `damping = 1e-3`"),
        "memory" => (&mut settings.memory, value.share(), "a number in [0, 1), as in `memory = 0.9`"),
        _ => {
            let expected = "a number from zero, as in `least_damping = 1e-14`";
            (&mut settings.least_damping, value.number(|x| x >= 0.0), expected)
        }
    };
    *place = number.ok_or(expected)?;
    Ok(())
}

pub(super) fn set_constrained(
    settings: &mut NewtonFlipSettings,
    key: &str,
    value: &Value,
) -> Result<(), Refusal> {
    match key {
        "hardness" => {
            settings.hardness = value.positive().ok_or("a positive number, as in `hardness = 0.3`")?;
        }
        // Of the form before this one, in older files: without effect.
        "normal_gain" | "rank_cut" => {
            value.number(|x| (0.0..=1.0).contains(&x)).ok_or("a number from 0 to 1, or drop it")?;
        }
        "metric" => {
            value.text().ok_or("\"euclidean\", or drop it")?;
        }
        _ => {
            set(&mut settings.newton, key, value)?;
            settings.fixed |= key == "penalty";
        }
    }
    Ok(())
}
