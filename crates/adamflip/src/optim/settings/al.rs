//! The augmented Lagrangian: the dual rule, then the settings of that rule.

use super::Value;
use super::{Part, Refusal, adam, lbfgs};
use crate::optim::{Adaptive, AlSettings, Ascent, Dual, Outer, Rate, Update};

const RULE: Part = &["dual", "multiplier"];
const ASCENT: Part = &["penalty", "dual_lr", "update"];
const CONTROLLER: Part = &["nu", "integral_gain", "proportional_gain"];
const OUTER: Part = &["penalty", "growth", "limit", "adam_steps", "lbfgs_steps", "tolerance"];
const ADAPTIVE: Part = &["penalty", "smoothing", "stall", "scale"];

/// Beyond this a number of inner steps means "all".
const MOST_STEPS: usize = 1_000_000_000_000;
const PENALTY: Refusal = "a number from zero, as in `penalty = 1`";

/// The parts beyond those of Adam.
pub(super) fn parts(settings: &AlSettings) -> Vec<Part> {
    match settings.dual {
        Dual::Ascent(Ascent { update: Update::Adam, .. }) => vec![RULE, ASCENT],
        Dual::Ascent(_) => vec![RULE, ASCENT, CONTROLLER],
        Dual::Outer(_) => vec![RULE, OUTER, lbfgs::MEMORY, lbfgs::WOLFE],
        Dual::Adaptive(_) => vec![RULE, ADAPTIVE],
    }
}

/// The choice that a key needs.
pub(super) fn needed(key: &str) -> Option<&'static str> {
    let choices: [(Part, &str); 6] = [
        (CONTROLLER, "update = \"pi\""),
        (ASCENT, "dual = \"ascent\""),
        (OUTER, "dual = \"outer\""),
        (lbfgs::MEMORY, "dual = \"outer\""),
        (lbfgs::WOLFE, "dual = \"outer\""),
        (ADAPTIVE, "dual = \"adaptive\""),
    ];
    choices.into_iter().find(|(part, _)| part.contains(&key)).map(|(_, choice)| choice)
}

pub(super) fn set(settings: &mut AlSettings, key: &str, value: &Value) -> Result<(), Refusal> {
    match key {
        "dual" => {
            *settings = match value.text() {
                Some("ascent") => AlSettings::ascent(),
                Some("outer") => AlSettings::outer(),
                Some("adaptive") => AlSettings::adaptive(),
                _ => return Err("\"ascent\", \"outer\" or \"adaptive\""),
            };
            return Ok(());
        }
        "multiplier" => {
            let expected = "a number from zero, as in `multiplier = 1`";
            settings.start = value.number(|x| x >= 0.0).ok_or(expected)?;
            return Ok(());
        }
        _ => {}
    }
    match &mut settings.dual {
        Dual::Ascent(rule) if ASCENT.contains(&key) || CONTROLLER.contains(&key) => {
            set_ascent(rule, key, value)
        }
        Dual::Outer(rule) if OUTER.contains(&key) => set_outer(rule, key, value),
        Dual::Outer(_) if lbfgs::has(key) => lbfgs::set_descent(&mut settings.descent, key, value),
        Dual::Adaptive(rule) if ADAPTIVE.contains(&key) => set_adaptive(rule, key, value),
        _ => adam::set(&mut settings.adam, key, value),
    }
}

fn set_ascent(rule: &mut Ascent, key: &str, value: &Value) -> Result<(), Refusal> {
    match (key, &mut rule.update) {
        ("penalty", _) => rule.penalty = value.number(|x| x >= 0.0).ok_or(PENALTY)?,
        ("dual_lr", _) => {
            let rate = value.positive().ok_or("a positive number, as in `dual_lr = 1e-4`")?;
            rule.rate = Rate::constant(rate);
        }
        ("update", update) => {
            *update = match value.text() {
                Some("adam") => Update::Adam,
                Some("pi") => Update::proportional_integral(),
                _ => return Err("\"adam\" or \"pi\""),
            };
        }
        ("nu", Update::ProportionalIntegral { memory, .. }) => {
            *memory = value.share().ok_or("a number in [0, 1), as in `nu = 0.5`")?;
        }
        ("integral_gain", Update::ProportionalIntegral { integral, .. }) => {
            let expected = "a number from zero, as in `integral_gain = 1`";
            *integral = value.number(|x| x >= 0.0).ok_or(expected)?;
        }
        (_, Update::ProportionalIntegral { proportional, .. }) => {
            let expected = "a number from zero, as in `proportional_gain = 10`";
            *proportional = value.number(|x| x >= 0.0).ok_or(expected)?;
        }
        // Keys of the controller are not there without it.
        (_, Update::Adam) => {}
    }
    Ok(())
}

fn set_outer(rule: &mut Outer, key: &str, value: &Value) -> Result<(), Refusal> {
    match key {
        "penalty" => rule.penalty = value.positive().ok_or("a positive number, as in `penalty = 2`")?,
        "growth" => {
            rule.growth = value.number(|x| x >= 1.0).ok_or("a number from 1, as in `growth = 2`")?;
        }
        "limit" => rule.limit = value.positive().ok_or("a positive number, as in `limit = 1e4`")?,
        "adam_steps" => {
            let expected = "a whole number from zero, as in `adam_steps = 2000`";
            rule.adam = value.whole(0..=MOST_STEPS).ok_or(expected)?;
        }
        "lbfgs_steps" => {
            let expected = "a whole number from zero, as in `lbfgs_steps = 1000`";
            rule.lbfgs = value.whole(0..=MOST_STEPS).ok_or(expected)?;
        }
        _ => {
            rule.tolerance = value.share().ok_or("a number in [0, 1), as in `tolerance = 1e-3`")?;
        }
    }
    Ok(())
}

fn set_adaptive(rule: &mut Adaptive, key: &str, value: &Value) -> Result<(), Refusal> {
    match key {
        "penalty" => rule.penalty = value.number(|x| x >= 0.0).ok_or(PENALTY)?,
        "smoothing" => {
            rule.smoothing = value.share().ok_or("a number in [0, 1), as in `smoothing = 0.99`")?;
        }
        "stall" => {
            let expected = "a number above 0 and up to 1, as in `stall = 0.999`";
            rule.stall = value.number(|x| x > 0.0 && x <= 1.0).ok_or(expected)?;
        }
        _ => rule.scale = value.positive().ok_or("a positive number, as in `scale = 0.01`")?,
    }
    Ok(())
}
