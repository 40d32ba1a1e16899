//! Numbers with as many digits as their margin leaves them.

/// The decimals that a margin has two digits in; none where powers of ten are easier to read.
pub fn decimals(value: f64, margin: f64) -> Option<usize> {
    let decimals = (1.0 - margin.log10().floor()).max(0.0);
    (decimals <= 10.0 && value.abs() < 1e6).then_some(decimals as usize)
}

/// A value to two digits of a margin, which is positive and finite.
pub fn digits(value: f64, margin: f64) -> String {
    if let Some(decimals) = decimals(value, margin) {
        return format!("{value:.decimals$}");
    }
    let figures = (value.abs() / margin).log10().floor().clamp(0.0, 14.0) as usize + 1;
    format!("{value:.figures$e}")
}
