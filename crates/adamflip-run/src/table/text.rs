//! A number over several runs, to look at.

use super::Digits;
use crate::batch::{Metric, Spread};

/// `1.20e-3 ± 4.00e-4`, and of how many runs where some lack it.
pub(super) fn cell(metric: &Metric, number: &Spread) -> String {
    if number.count == 0 {
        return "–".to_owned();
    }
    let digits = Digits::of(metric, number.mean);
    let written = |number: f64| digits.plain(number);
    let deviation = number.deviation.map_or(String::new(), |deviation| format!(" ± {}", written(deviation)));
    let of = if number.is_whole() { String::new() } else { format!(" ({} of {})", number.count, number.of) };
    format!("{}{deviation}{of}", written(number.mean))
}
