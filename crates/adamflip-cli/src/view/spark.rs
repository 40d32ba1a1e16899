//! A curve in a few characters.

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The least height in decades: a curve that does not change looks flat, not rough.
const LEAST: f64 = 0.5;

/// The decimal logarithm of positive values in at most this many columns, each the mean of its share of them.
pub(super) fn spark(values: &[f64], columns: usize) -> String {
    let logarithms: Vec<f64> =
        values.iter().filter(|value| **value > 0.0 && value.is_finite()).map(|value| value.log10()).collect();
    let count = columns.min(logarithms.len());
    let share = |i: usize| i * logarithms.len() / count;
    let heights: Vec<f64> = (0..count).map(|i| mean(&logarithms[share(i)..share(i + 1)])).collect();
    let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let span = (high - low).max(LEAST);
    let bottom = (low + high - span) / 2.0;
    let level = |height: &f64| LEVELS[(((height - bottom) / span * 8.0) as usize).min(7)];
    heights.iter().map(level).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
