//! The settings of `trsqp` by key: pretraining, the model of the curvature, the trust region and its tests.

use super::{Pretrain, QuasiNewton, TrSqpSettings};
use crate::optim::settings::{SettingGroup, SettingValue as Value, lbfgs::MOST_PAIRS, setting};

#[rustfmt::skip]
pub(super) const KEYS: SettingGroup = &[
    setting("pretrain", "a whole number from zero, as in `pretrain = 10`", "first steps, towards the constraints alone"),
    setting("pretrain_method", "\"normal\" or \"lbfgs\"", "how they are taken"),
    setting("quasi_newton", "\"bfgs\" or \"sr1\"", "the formula of the curvature"),
    setting("memory", "a whole number from 1 to 1000, as in `memory = 20`", "curvature pairs"),
    setting("radius", "a positive number, as in `radius = 1`", "the trust region at first"),
    setting("penalty", "a positive number, as in `penalty = 1`", "the weight of the constraints in the merit at first"),
    setting("normal_share", "a number between 0 and 1, as in `normal_share = 0.8`", "the normal step's share of the region"),
    setting("penalty_share", "a number between 0 and 1, as in `penalty_share = 0.7`", "the share of a fall of the violation that may pay for f"),
    setting("accept", "a number between 0 and 1, as in `accept = 1e-8`", "the ratio from which a step is taken"),
    setting("good", "a number between 0 and 1, as in `good = 0.3`", "the ratio from which the region grows to 2‖d‖"),
    setting("excellent", "a number between 0 and 1, as in `excellent = 0.9`", "the ratio from which it grows to 7‖d‖"),
    setting("shrink", "two numbers between 0 and 1, the smaller first, as in `shrink = [0.1, 0.5]`", "the factor of the region after a rejected step"),
    setting("forcing", "a number between 0 and 1, as in `forcing = 0.1`", "where the conjugate gradients end"),
    setting("correction", "true or false", "second-order correction of rejected steps"),
    setting("rank_cut", "a number in [0, 1), as in `rank_cut = 1e-10`", "smaller eigenvalues count as zero"),
    setting("tolerance", "a number from zero, as in `tolerance = 1e-9`", "where the stage ends"),
];

pub(super) fn set(settings: &mut TrSqpSettings, key: &str, value: &Value) -> Option<()> {
    match key {
        "pretrain" => settings.pretrain = value.whole(0..=1_000_000_000)?,
        "pretrain_method" => {
            settings.pretrain_method = match value.text()? {
                "normal" => Pretrain::Normal,
                "lbfgs" => Pretrain::Lbfgs,
                _ => return None,
            };
        }
        "quasi_newton" => {
            settings.quasi_newton = match value.text()? {
                "bfgs" => QuasiNewton::DampedBfgs,
                "sr1" => QuasiNewton::Sr1,
                _ => return None,
            };
        }
        "memory" => settings.memory = value.whole(1..=MOST_PAIRS)?,
        "correction" => settings.second_order_correction = value.flag()?,
        "shrink" => settings.shrink = value.pair(|a, b| 0.0 < a && a <= b && b < 1.0)?,
        "radius" => settings.radius = value.positive()?,
        "penalty" => settings.penalty = value.positive()?,
        "normal_share" => settings.normal_share = value.part()?,
        "penalty_share" => settings.penalty_share = value.part()?,
        "accept" => settings.accept = value.part()?,
        "good" => settings.good = value.part()?,
        "excellent" => settings.excellent = value.part()?,
        "forcing" => settings.forcing = value.part()?,
        "rank_cut" => settings.rank_cut = value.share()?,
        _ => settings.tolerance = value.not_negative()?,
    }
    Some(())
}
