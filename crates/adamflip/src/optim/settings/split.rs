//! `adamflip_split`: the normal step's gain and what is done with the tangential one.

use super::Value;
use super::{Part, Refusal, adam, feedback};
use crate::optim::AdamFlipSplitSettings;

pub(super) const KEYS: Part = &["normal_gain", "adapt", "reproject"];

const GAIN: Refusal = "a number above 0 and up to 1, as in `normal_gain = 0.1`, or such numbers by constraint, as in \
                       `normal_gain = { walls = 0.5 }`";

pub(super) fn set(settings: &mut AdamFlipSplitSettings, key: &str, value: &Value) -> Result<(), Refusal> {
    match key {
        "normal_gain" => {
            let gains = value.gains(settings.gain, |x| x > 0.0 && x <= 1.0);
            (settings.gain, settings.gains) = gains.ok_or(GAIN)?;
        }
        "adapt" => settings.adapt = value.flag().ok_or("true or false")?,
        "reproject" => settings.reproject = value.flag().ok_or("true or false")?,
        "epsilon" | "damping" => feedback::set_damping(&mut settings.damping, key, value)?,
        _ => adam::set(&mut settings.adam, key, value)?,
    }
    Ok(())
}
