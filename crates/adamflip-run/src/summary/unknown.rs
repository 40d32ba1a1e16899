//! An unknown coefficient in the summary: its value, its interval, and whether it is determined at all.

use adamflip::problem::{Problem, Unknown};
use adamflip::uncertainty::{Identified, Interval, decimals, digits};
use serde::Serialize;

use crate::ordered::Ordered;
use crate::words::short;

/// What was found of an unknown.
#[derive(Serialize)]
pub(super) struct UnknownSummary {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    known: Option<Known>,
}

/// An interval of which one side is this many times the half is written by its ends.
const LOPSIDED: f64 = 1.25;

/// How well it is known.
#[derive(Serialize)]
pub(crate) struct Known {
    /// At 95% confidence; none where nothing determines it, or nothing tells the noise.
    pub(crate) interval: Option<[f64; 2]>,
    deviation: Option<f64>,
    /// What another step of Gauss and Newton would move it by.
    pub(crate) unfinished: f64,
    identified: bool,
    #[serde(skip)]
    why: Identified,
}

impl Known {
    pub(crate) fn of(interval: &Interval) -> Self {
        Self {
            interval: interval.ends(),
            deviation: interval.ends().map(|_| interval.deviation),
            unfinished: interval.unfinished,
            identified: interval.identified == Identified::Yes,
            why: interval.identified,
        }
    }

    /// `0.1000021 ± 0.0000043`, `0.98 (0.25 to 0.99)` where a bound makes it lopsided, or the value alone.
    pub(crate) fn text(&self, value: f64) -> String {
        let (Some([lower, upper]), Some(margin)) = (self.interval, self.margin()) else {
            return alone(value);
        };
        match (value - lower).max(upper - value) > LOPSIDED * margin {
            true => {
                format!("{} ({} to {})", digits(value, margin), digits(lower, margin), digits(upper, margin))
            }
            false => with_margin(value, margin),
        }
    }

    /// Half of what the interval is wide.
    pub(crate) fn margin(&self) -> Option<f64> {
        self.interval.map(|[lower, upper]| 0.5 * (upper - lower))
    }

    /// What is wrong with an unknown that is not determined.
    pub(crate) fn trouble(&self, name: &str) -> Option<String> {
        self.why.trouble(name)
    }
}

/// All unknowns, with what is known of them.
pub(super) fn unknowns(problem: &Problem, θ: &[f64], intervals: &[Interval]) -> Ordered<UnknownSummary> {
    let parameters = &θ[θ.len() - problem.unknowns.len()..];
    let summary = |(number, (unknown, &parameter)): (usize, (&Unknown, &f64))| {
        let (value, _) = unknown.value(parameter);
        let error = unknown.truth.map(|truth| (value - truth).abs());
        let known = intervals.get(number).map(Known::of);
        (unknown.name.clone(), UnknownSummary { value, truth: unknown.truth, error, known })
    };
    problem.unknowns.iter().zip(parameters).enumerate().map(summary).collect()
}

impl UnknownSummary {
    /// `0.1000021 ± 0.0000043 (95%), truth 0.1, error 2.10e-6`.
    pub(super) fn text(&self) -> String {
        let value = match &self.known {
            Some(known) if known.interval.is_some() => format!("{} (95%)", known.text(self.value)),
            _ => alone(self.value),
        };
        match (self.truth, self.error) {
            (Some(truth), Some(error)) => format!("{value}, truth {truth}, error {}", short(error)),
            _ => value,
        }
    }

    /// What is wrong with an unknown that is not determined.
    pub(super) fn trouble(&self, name: &str) -> Option<String> {
        self.known.as_ref()?.trouble(name)
    }
}

/// A value and its margin to two digits of the margin.
fn with_margin(value: f64, margin: f64) -> String {
    if !(margin > 0.0 && margin.is_finite()) {
        return format!("{} ± {}", alone(value), short(margin));
    }
    let margin_text = match decimals(value, margin) {
        Some(decimals) => format!("{margin:.decimals$}"),
        None => format!("{margin:.1e}"),
    };
    format!("{} ± {margin_text}", digits(value, margin))
}

/// A value of which nothing tells how well it is known, to six digits or so.
fn alone(value: f64) -> String {
    let readable = value == 0.0 || (1e-3..1e5).contains(&value.abs());
    if readable { format!("{value:.6}") } else { format!("{value:.5e}") }
}

#[cfg(test)]
mod tests {
    use super::{alone, with_margin};

    #[test]
    fn digits_follow_the_margin() {
        assert_eq!(with_margin(0.100_002_13, 4.3e-6), "0.1000021 ± 0.0000043");
        assert_eq!(with_margin(12.345, 0.62), "12.35 ± 0.62");
        assert_eq!(with_margin(-1234.6, 38.0), "-1235 ± 38");
        assert_eq!(with_margin(0.1, 2e-12), "1.00000000000e-1 ± 2.0e-12");
        assert_eq!(with_margin(8.854e-12, 1.2e-13), "8.85e-12 ± 1.2e-13");
        assert_eq!(with_margin(2.5e9, 1.0e7), "2.500e9 ± 1.0e7");
        assert_eq!(with_margin(0.1, f64::INFINITY), "0.100000 ± inf");
        assert_eq!([alone(0.5), alone(3.2e-9), alone(0.0)], ["0.500000", "3.20000e-9", "0.000000"]);
    }
}
