//! Trust-region SQP: pretraining, the model of the curvature, the trust region and its tests.

use super::Value;
use super::{Part, Refusal, lbfgs::MOST_PAIRS};
use crate::optim::{Pretrain, QuasiNewton, TrSqpSettings};

#[rustfmt::skip]
pub(super) const KEYS: Part = &[
    "pretrain", "pretrain_method", "quasi_newton", "memory", "radius", "penalty", "normal_share", "penalty_share", "accept", "good", "excellent",
    "shrink", "forcing", "correction", "rank_cut", "tolerance",
];

pub(super) fn set(settings: &mut TrSqpSettings, key: &str, value: &Value) -> Result<(), Refusal> {
    match key {
        "pretrain" => {
            let expected = "a whole number from zero, as in `pretrain = 10`";
            settings.pretrain = value.whole(0..=1_000_000_000).ok_or(expected)?;
        }
        "pretrain_method" => {
            settings.pretrain_method = match value.text() {
                Some("normal") => Pretrain::Normal,
                Some("lbfgs") => Pretrain::Lbfgs,
                _ => return Err("\"normal\" or \"lbfgs\""),
            };
        }
        "quasi_newton" => {
            settings.quasi_newton = match value.text() {
                Some("bfgs") => QuasiNewton::DampedBfgs,
                Some("sr1") => QuasiNewton::Sr1,
                _ => return Err("\"bfgs\" or \"sr1\""),
            };
        }
        "memory" => {
            let expected = "a whole number from 1 to 1000, as in `memory = 20`";
            settings.memory = value.whole(1..=MOST_PAIRS).ok_or(expected)?;
        }
        "correction" => settings.second_order_correction = value.flag().ok_or("true or false")?,
        "shrink" => {
            let expected = "two numbers between 0 and 1, the smaller first, as in `shrink = [0.1, 0.5]`";
            settings.shrink = value.pair(|a, b| 0.0 < a && a <= b && b < 1.0).ok_or(expected)?;
        }
        _ => set_number(settings, key, value)?,
    }
    Ok(())
}

fn set_number(settings: &mut TrSqpSettings, key: &str, value: &Value) -> Result<(), Refusal> {
    let (place, number, expected) = match key {
        "radius" => (&mut settings.radius, value.positive(), "a positive number, as in `radius = 1`"),
        "penalty" => (&mut settings.penalty, value.positive(), "a positive number, as in `penalty = 1`"),
        "normal_share" => {
            let expected = "a number between 0 and 1, as in `normal_share = 0.8`";
            (&mut settings.normal_share, value.part(), expected)
        }
        "penalty_share" => {
            let expected = "a number between 0 and 1, as in `penalty_share = 0.7`";
            (&mut settings.penalty_share, value.part(), expected)
        }
        "accept" => (&mut settings.accept, value.part(), "a number between 0 and 1, as in `accept = 1e-8`"),
        "good" => (&mut settings.good, value.part(), "a number between 0 and 1, as in `good = 0.3`"),
        "excellent" => {
            (&mut settings.excellent, value.part(), "a number between 0 and 1, as in `excellent = 0.9`")
        }
        "forcing" => (&mut settings.forcing, value.part(), "a number between 0 and 1, as in `forcing = 0.1`"),
        "rank_cut" => (&mut settings.rank_cut, value.share(), "a number in [0, 1), as in `rank_cut = 1e-10`"),
        _ => {
            let expected = "a number from zero, as in `tolerance = 1e-9`";
            (&mut settings.tolerance, value.number(|x| x >= 0.0), expected)
        }
    };
    *place = number.ok_or(expected)?;
    Ok(())
}
