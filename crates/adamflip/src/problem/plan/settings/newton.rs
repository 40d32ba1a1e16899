//! Gauss–Newton with and without hard constraints: the weight of the constraints, the damping, the row space.

use super::{Part, Refusal};
use crate::optim::{NewtonFlipSettings, NewtonMetric as Metric, NewtonSettings};
use crate::problem::plan::value::Value;

pub(super) const KEYS: Part = &["penalty", "damping", "least_damping", "memory"];
pub(super) const CONSTRAINED: Part = &["normal_gain", "rank_cut", "metric"];

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
        "normal_gain" => {
            let expected = "a number above 0 and up to 1, as in `normal_gain = 0.5`";
            settings.gain = value.number(|x| x > 0.0 && x <= 1.0).ok_or(expected)?;
        }
        "rank_cut" => {
            let expected = "a number in [0, 1), as in `rank_cut = 1e-10`";
            settings.rank_cut = value.share().ok_or(expected)?;
        }
        "metric" => {
            settings.metric = match value.text() {
                Some("euclidean") => Metric::Euclidean,
                Some("gauss_newton") => Metric::GaussNewton,
                _ => return Err("\"euclidean\" or \"gauss_newton\""),
            }
        }
        _ => set(&mut settings.newton, key, value)?,
    }
    Ok(())
}
