//! Where another attempt starts: its seed, and the first values of unknown numbers.
//!
//! Values fill the bounds evenly, or, where bounds are positive and far apart or there are none, by orders of
//! magnitude: points of Halton's sequence, one coordinate an unknown, so that a few tries differ in all of
//! them.

use crate::problem::Unknown;

/// Between the seeds of attempts: far enough that seeds 0, 1, 2 … of several runs have no attempt in common.
const APART: u64 = 1000;
/// Bounds whose ends are so far apart by ratio are filled by orders of magnitude.
const FAR: f64 = 10.0;
/// An unknown without bounds is tried from a tenth to ten times its start.
const AROUND: f64 = 10.0;
/// One that starts at zero without bounds, up to this.
const NEAR_ZERO: f64 = 3.0;
const PRIMES: [u64; 8] = [2, 3, 5, 7, 11, 13, 17, 19];

/// The seed of an attempt; the first has number 0.
pub(super) fn seed(of_the_run: u64, attempt: usize) -> u64 {
    of_the_run.wrapping_add(APART.wrapping_mul(attempt as u64))
}

/// The first values of all unknowns in an attempt. The first two keep those of the file: another seed may be
/// enough.
pub(super) fn values(unknowns: &[Unknown], attempt: usize) -> Vec<f64> {
    let value = |(number, unknown): (usize, &Unknown)| match attempt {
        0 | 1 => unknown.start,
        _ => between(unknown, radical_inverse(attempt as u64 - 1, PRIMES[number % PRIMES.len()])),
    };
    unknowns.iter().enumerate().map(value).collect()
}

/// The value at this share of the way through the range of an unknown.
fn between(unknown: &Unknown, share: f64) -> f64 {
    match unknown.bounds {
        Some((lower, upper)) if lower > 0.0 && upper / lower > FAR => lower * (upper / lower).powf(share),
        Some((lower, upper)) => lower + (upper - lower) * share,
        None if unknown.start == 0.0 => NEAR_ZERO * (2.0 * share - 1.0),
        None => unknown.start * AROUND.powf(2.0 * share - 1.0),
    }
}

/// The digits of a number mirrored at the point, in (0, 1) from number 1 on.
fn radical_inverse(mut number: u64, base: u64) -> f64 {
    let (mut inverse, mut digit) = (0.0, 1.0 / base as f64);
    while number > 0 {
        inverse += (number % base) as f64 * digit;
        (number, digit) = (number / base, digit / base as f64);
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(start: f64, bounds: Option<(f64, f64)>) -> Unknown {
        Unknown { name: "k".into(), start, bounds, truth: None }
    }

    #[test]
    fn starts_stay_in_their_range_and_differ() {
        let unknowns = [
            unknown(1.0, Some((1e-3, 1e3))),
            unknown(0.5, Some((-1.0, 1.0))),
            unknown(-2.0, None),
            unknown(0.0, None),
        ];
        assert_eq!(values(&unknowns, 1), [1.0, 0.5, -2.0, 0.0]);
        let all: Vec<Vec<f64>> = (2..12).map(|attempt| values(&unknowns, attempt)).collect();
        for tried in &all {
            assert!((1e-3..1e3).contains(&tried[0]) && tried[1].abs() < 1.0);
            assert!((-20.0..=-0.2).contains(&tried[2]) && tried[3].abs() < 3.0);
        }
        // By orders of magnitude: half of the tries lie below the middle one.
        assert!(all.iter().filter(|tried| tried[0] < 1.0).count() >= 4);
        assert!((0..9).all(|i| all[i] != all[i + 1]));
    }
}
