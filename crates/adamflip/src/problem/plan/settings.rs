//! The settings of methods by key: which a method takes, which values, and where they go.

use crate::optim::{
    AdamFlipSettings, AdamFlipSplitSettings, AdamSettings, Betas, Damping, Decay, Feedback, Method, Rate,
};
use crate::spec::Setting;

const RATE: &[&str] = &["lr", "schedule", "lr_end"];
const MOMENTS: &[&str] = &["betas", "delta"];
const CLIP: &[&str] = &["clip"];
const FEEDBACK: &[&str] = &["gain", "integral_gain", "epsilon", "damping", "smoothing"];
const BACKTRACKING: &[&str] = &["halvings", "penalty"];
const SPLIT: &[&str] = &["normal_gain", "epsilon", "damping", "adapt", "reproject"];

/// The settings that a method takes.
pub(super) fn keys(method: &Method) -> Vec<&'static str> {
    let parts: &[&[&str]] = match method {
        Method::Adam(_) => &[RATE, MOMENTS, CLIP],
        Method::Fl(_) => &[RATE, CLIP, FEEDBACK],
        Method::FlMomentum(_) => &[RATE, &["momentum"], CLIP, FEEDBACK],
        Method::AdamFlip(_) => &[RATE, MOMENTS, CLIP, FEEDBACK, BACKTRACKING],
        Method::AdamFlipMetric(_) => &[RATE, MOMENTS, CLIP, FEEDBACK],
        Method::AdamFlipSplit(_) => &[RATE, MOMENTS, CLIP, SPLIT],
    };
    parts.concat()
}

/// Sets one of the settings that the method takes, or says what would be a valid value.
pub(super) fn set(method: &mut Method, key: &str, value: &Setting) -> Result<(), &'static str> {
    match key {
        "lr" | "schedule" | "lr_end" => rate_of(method).map_or(Ok(()), |rate| set_rate(rate, key, value)),
        "betas" | "delta" => adam_of(method).map_or(Ok(()), |adam| set_moments(adam, key, value)),
        "clip" => set_clip(method, value),
        "epsilon" | "damping" => damping_of(method).map_or(Ok(()), |part| set_damping(part, key, value)),
        "gain" | "integral_gain" | "smoothing" => {
            feedback_of(method).map_or(Ok(()), |feedback| set_feedback(feedback, key, value))
        }
        _ => match method {
            Method::FlMomentum(settings) => {
                let expected = "a number in [0, 1), as in `momentum = 0.9`";
                settings.momentum = number(value, |x| (0.0..1.0).contains(&x)).ok_or(expected)?;
                Ok(())
            }
            Method::AdamFlip(settings) => set_backtracking(settings, key, value),
            Method::AdamFlipSplit(settings) => set_split(settings, key, value),
            Method::Adam(_) | Method::Fl(_) | Method::AdamFlipMetric(_) => Ok(()),
        },
    }
}

/// The number of a setting, where it is one and valid.
fn number(value: &Setting, valid: impl Fn(f64) -> bool) -> Option<f64> {
    match value {
        &Setting::Number(x) if valid(x) => Some(x),
        _ => None,
    }
}

fn set_rate(rate: &mut Rate, key: &str, value: &Setting) -> Result<(), &'static str> {
    let positive = number(value, |x| x > 0.0);
    match key {
        "lr" => rate.start = positive.ok_or("a positive number, as in `lr = 1e-3`")?,
        "lr_end" => {
            let end = positive.ok_or("a positive number, as in `lr_end = 1e-5`")?;
            rate.decay = with_end(rate.decay, end);
        }
        _ => {
            let end = end_of(rate.decay).unwrap_or(f64::NAN);
            let Setting::Text(text) = value else { return Err(SCHEDULES) };
            rate.decay = match text.as_str() {
                "constant" => Decay::Constant,
                "exponential" => Decay::Exponential(end),
                "cosine" => Decay::Cosine(end),
                "theorem" => Decay::Theorem,
                _ => return Err(SCHEDULES),
            };
        }
    }
    Ok(())
}

const SCHEDULES: &str = "\"constant\", \"exponential\", \"cosine\" or \"theorem\"";

fn set_moments(adam: &mut AdamSettings, key: &str, value: &Setting) -> Result<(), &'static str> {
    match (key, value) {
        ("betas", Setting::Numbers(list))
            if list.len() == 2 && list.iter().all(|b| (0.0..1.0).contains(b)) =>
        {
            adam.betas = Betas { first: list[0], second: list[1] };
        }
        ("betas", _) => return Err("two numbers in [0, 1), as in `betas = [0.95, 0.999]`"),
        _ => adam.delta = number(value, |x| x > 0.0).ok_or("a positive number, as in `delta = 1e-8`")?,
    }
    Ok(())
}

fn set_clip(method: &mut Method, value: &Setting) -> Result<(), &'static str> {
    let clip = match method {
        Method::Fl(settings) => &mut settings.clip,
        Method::FlMomentum(settings) => &mut settings.fl.clip,
        _ => match adam_of(method) {
            Some(adam) => &mut adam.clip,
            None => return Ok(()),
        },
    };
    *clip = Some(number(value, |x| x > 0.0).ok_or("a positive number, as in `clip = 10`")?);
    Ok(())
}

fn set_damping(damping: &mut Damping, key: &str, value: &Setting) -> Result<(), &'static str> {
    let (Damping::Absolute(ε) | Damping::Relative(ε)) = *damping;
    if key == "epsilon" {
        let ε = number(value, |x| x >= 0.0).ok_or("a number from zero, as in `epsilon = 1e-6`")?;
        *damping = match damping {
            Damping::Absolute(_) => Damping::Absolute(ε),
            Damping::Relative(_) => Damping::Relative(ε),
        };
        return Ok(());
    }
    *damping = match value {
        Setting::Text(text) if text == "absolute" => Damping::Absolute(ε),
        Setting::Text(text) if text == "relative" => Damping::Relative(ε),
        _ => return Err("\"absolute\" or \"relative\""),
    };
    Ok(())
}

fn set_feedback(feedback: &mut Feedback, key: &str, value: &Setting) -> Result<(), &'static str> {
    match (key, value) {
        ("gain", Setting::Numbers(list)) if !list.is_empty() && list.iter().all(|&x| x >= 0.0) => {
            feedback.gains = list.clone();
        }
        ("gain", _) => {
            let expected = "a number from zero, as in `gain = 100`, or one for each constraint in order";
            feedback.gain = number(value, |x| x >= 0.0).ok_or(expected)?;
        }
        ("integral_gain", _) => {
            let expected = "a number from zero, as in `integral_gain = 0.01`";
            feedback.integral_gain = number(value, |x| x >= 0.0).ok_or(expected)?;
        }
        _ => {
            let expected = "a number in [0, 1), as in `smoothing = 0.9`";
            feedback.smoothing = number(value, |x| (0.0..1.0).contains(&x)).ok_or(expected)?;
        }
    }
    Ok(())
}

fn set_backtracking(settings: &mut AdamFlipSettings, key: &str, value: &Setting) -> Result<(), &'static str> {
    let backtracking = &mut settings.backtracking;
    if key == "halvings" {
        // Fifty halvings leave nothing of a step.
        let whole = number(value, |x| (0.0..=50.0).contains(&x) && x.fract() == 0.0);
        backtracking.halvings = whole.ok_or("a whole number from 0 to 50, as in `halvings = 5`")? as usize;
    } else {
        let positive = number(value, |x| x > 0.0).ok_or("a positive number, as in `penalty = 10`")?;
        backtracking.penalty = Some(positive);
    }
    Ok(())
}

fn set_split(settings: &mut AdamFlipSplitSettings, key: &str, value: &Setting) -> Result<(), &'static str> {
    match (key, value) {
        ("normal_gain", _) => {
            let expected = "a number above 0 and up to 1, as in `normal_gain = 0.1`";
            settings.gain = number(value, |x| x > 0.0 && x <= 1.0).ok_or(expected)?;
        }
        ("adapt", &Setting::Bool(adapt)) => settings.adapt = adapt,
        ("reproject", &Setting::Bool(reproject)) => settings.reproject = reproject,
        _ => return Err("true or false"),
    }
    Ok(())
}

fn rate_of(method: &mut Method) -> Option<&mut Rate> {
    match method {
        Method::Fl(settings) => Some(&mut settings.rate),
        Method::FlMomentum(settings) => Some(&mut settings.fl.rate),
        _ => adam_of(method).map(|adam| &mut adam.rate),
    }
}

fn adam_of(method: &mut Method) -> Option<&mut AdamSettings> {
    match method {
        Method::Adam(settings) => Some(settings),
        Method::AdamFlip(settings) => Some(&mut settings.adam),
        Method::AdamFlipMetric(settings) => Some(&mut settings.adam),
        Method::AdamFlipSplit(settings) => Some(&mut settings.adam),
        Method::Fl(_) | Method::FlMomentum(_) => None,
    }
}

fn feedback_of(method: &mut Method) -> Option<&mut Feedback> {
    match method {
        Method::Fl(settings) => Some(&mut settings.feedback),
        Method::FlMomentum(settings) => Some(&mut settings.fl.feedback),
        Method::AdamFlip(settings) => Some(&mut settings.feedback),
        Method::AdamFlipMetric(settings) => Some(&mut settings.feedback),
        Method::Adam(_) | Method::AdamFlipSplit(_) => None,
    }
}

fn damping_of(method: &mut Method) -> Option<&mut Damping> {
    match method {
        Method::AdamFlipSplit(settings) => Some(&mut settings.damping),
        _ => feedback_of(method).map(|feedback| &mut feedback.damping),
    }
}

fn end_of(decay: Decay) -> Option<f64> {
    match decay {
        Decay::Constant | Decay::Theorem => None,
        Decay::Exponential(end) | Decay::Cosine(end) => Some(end),
    }
}

/// An end without a schedule means the exponential one.
fn with_end(decay: Decay, end: f64) -> Decay {
    match decay {
        Decay::Cosine(_) => Decay::Cosine(end),
        Decay::Theorem => Decay::Theorem,
        Decay::Constant | Decay::Exponential(_) => Decay::Exponential(end),
    }
}

/// A falling schedule without an end falls to a hundredth.
pub(super) fn finish_schedule(method: &mut Method) {
    let Some(rate) = rate_of(method) else { return };
    match rate.decay {
        Decay::Exponential(end) if end.is_nan() => rate.decay = Decay::Exponential(0.01 * rate.start),
        Decay::Cosine(end) if end.is_nan() => rate.decay = Decay::Cosine(0.01 * rate.start),
        _ => {}
    }
}
