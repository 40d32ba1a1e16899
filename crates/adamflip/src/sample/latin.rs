//! Latin hypercube: every axis cut into as many slices as there are points, one point in each slice.
//!
//! McKay, Beckman and Conover, *Technometrics* 21 (1979): the error of the mean loses the part of the
//! integrand that is a sum of functions of one coordinate.

use rand::Rng;
use rand::seq::SliceRandom;

use super::{BITS, fraction};
use crate::geometry::Points;

/// Fills the unit cube: a permutation of the slices for each axis, and a uniform place within each slice.
pub(super) fn fill(points: &mut Points, rng: &mut impl Rng) {
    let count = points.len();
    let mut slices: Vec<usize> = (0..count).collect();
    for coordinate in 0..points.dimension() {
        slices.shuffle(rng);
        for (to, &slice) in points.column_mut(coordinate).iter_mut().zip(&slices) {
            let within = fraction(rng.next_u64() >> (64 - BITS));
            *to = within_slice(slice, within, count);
        }
    }
}

/// Rounding may carry a point to the end of the last slice, which is not in the open interval.
fn within_slice(slice: usize, within: f64, count: usize) -> f64 {
    ((slice as f64 + within) / count as f64).min(1.0 - f64::EPSILON / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::stream;

    #[test]
    fn each_slice_of_each_axis_holds_one_point() {
        let count = 1000;
        let mut points = Points::new(3, count);
        fill(&mut points, &mut stream(4, 0));
        for coordinate in 0..3 {
            let column = points.column(coordinate);
            let mut slices: Vec<usize> = column.iter().map(|x| (x * count as f64) as usize).collect();
            assert_ne!(slices[..20], Vec::from_iter(0..20), "the order is shuffled");
            slices.sort_unstable();
            assert_eq!(slices, Vec::from_iter(0..count));
        }
    }

    #[test]
    fn the_last_slice_ends_before_one() {
        let last = fraction((1 << BITS) - 1);
        assert!(within_slice(999_999, last, 1_000_000) < 1.0);
        assert!(within_slice(0, last, 1) < 1.0);
    }
}
