//! Inverse transforms: fractions of the whole back to the angle at which that fraction is reached.
//!
//! Spreads points evenly along an ellipse, where the arclength is an elliptic integral, and over spheres of
//! any dimension, whose angles have powers of the sine for densities.

use std::f64::consts::FRAC_PI_2;

use crate::quadrature::legendre;

/// A density over angles, not normalised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Density {
    /// sin^k, of an angle of a sphere.
    SinePower(i32),
    /// Speed of the point (a cos θ, b sin θ).
    Ellipse([f64; 2]),
}

/// The integral of a density, tabulated at nodes that lie closer where the density bends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cumulative {
    density: Density,
    rule: Vec<(f64, f64)>,
    nodes: Vec<f64>,
    sums: Vec<f64>,
}

/// Points of the quadrature rule in each cell.
const ORDER: usize = 8;

/// A cell is halved until its integral changes by less than this part of its quarter turn: with some hundred
/// cells the whole is then good to 1e-12.
const RESOLUTION: f64 = 1e-14;

/// Halvings at most: an ellipse 2^40 times as long as wide is a segment.
const DEPTH: u32 = 40;

impl Cumulative {
    /// The integral over `quarters` quarter turns from 0 on.
    pub(super) fn new(density: Density, quarters: usize) -> Self {
        let mut table = Self { density, rule: legendre(ORDER), nodes: vec![0.0], sums: vec![0.0] };
        for quarter in 0..quarters {
            let (lower, upper) = (quarter as f64 * FRAC_PI_2, (quarter + 1) as f64 * FRAC_PI_2);
            let whole = table.integral(lower, upper);
            table.tabulate(lower, upper, whole, RESOLUTION * whole, DEPTH);
        }
        table
    }

    /// The integral over everything.
    pub(super) fn total(&self) -> f64 {
        self.sums[self.sums.len() - 1]
    }

    /// Where the integral has reached this fraction of the total: Newton's method, kept within the cell by
    /// bisection.
    pub(super) fn inverse(&self, fraction: f64) -> f64 {
        let target = fraction * self.total();
        let cell = self.sums.partition_point(|&sum| sum <= target).clamp(1, self.sums.len() - 1) - 1;
        let (start, rest) = (self.nodes[cell], target - self.sums[cell]);
        let (mut lower, mut upper) = (start, self.nodes[cell + 1]);
        let mut angle = lower + (upper - lower) * (rest / (self.sums[cell + 1] - self.sums[cell]));
        // Bisection alone ends within the 53 bits of a number; Newton's method after four or five turns.
        for _ in 0..53 {
            let excess = self.integral(start, angle) - rest;
            if excess > 0.0 {
                upper = angle
            } else {
                lower = angle
            }
            let newton = angle - excess / self.density.at(angle);
            let next = if newton > lower && newton < upper { newton } else { 0.5 * (lower + upper) };
            if (next - angle).abs() <= f64::EPSILON * (1.0 + angle) {
                break;
            }
            angle = next;
        }
        angle
    }

    fn tabulate(&mut self, lower: f64, upper: f64, whole: f64, tolerance: f64, depth: u32) {
        let middle = 0.5 * (lower + upper);
        let halves = [self.integral(lower, middle), self.integral(middle, upper)];
        if depth == 0 || (halves[0] + halves[1] - whole).abs() <= tolerance {
            self.nodes.push(upper);
            self.sums.push(self.total() + whole);
        } else {
            self.tabulate(lower, middle, halves[0], tolerance, depth - 1);
            self.tabulate(middle, upper, halves[1], tolerance, depth - 1);
        }
    }

    fn integral(&self, lower: f64, upper: f64) -> f64 {
        let (middle, half) = (0.5 * (lower + upper), 0.5 * (upper - lower));
        let sum: f64 = self.rule.iter().map(|(x, weight)| weight * self.density.at(middle + half * x)).sum();
        half * sum
    }
}

impl Density {
    fn at(self, angle: f64) -> f64 {
        match self {
            Self::SinePower(power) => angle.sin().powi(power),
            Self::Ellipse([a, b]) => (a * angle.sin()).hypot(b * angle.cos()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    /// Perimeter 4 E(e) at a : b = 2 : 1, where E(3/4) = 1.2110560275684595 (complete elliptic integral of
    /// the parameter); the circle and the segment are exact.
    #[test]
    fn perimeters_are_known() {
        let perimeter = |radii| Cumulative::new(Density::Ellipse(radii), 4).total();
        for (radii, exact) in [
            ([2.0, 1.0], 8.0 * 1.211_056_027_568_459_5),
            ([3.0, 3.0], 3.0 * TAU),
            // 4 a (1 + O((b/a)² log(a/b))): the rest is 1e-13 here.
            ([1.0, 1e-7], 4.0),
        ] {
            // The resolution in some hundred cells.
            assert!((perimeter(radii) / exact - 1.0).abs() < 1e-12, "{radii:?}");
        }
    }

    #[test]
    fn inverses_hit_their_fraction() {
        let sine = Cumulative::new(Density::SinePower(1), 2);
        let square = Cumulative::new(Density::SinePower(2), 2);
        let fifth = Cumulative::new(Density::SinePower(5), 2);
        for fraction in [1e-9, 1e-3, 0.2, 0.5, 0.77, 0.999, 1.0 - 1e-9] {
            // Angles near the ends hang on the fraction by its square root, so the fractions are compared.
            let angle = sine.inverse(fraction);
            assert!((0.5 * (1.0 - angle.cos()) - fraction).abs() < 1e-12);
            let angle = square.inverse(fraction);
            assert!(((angle - angle.sin() * angle.cos()) / PI - fraction).abs() < 1e-12);
            let cosine = fifth.inverse(fraction).cos();
            let integral = 8.0 / 15.0 - cosine + cosine.powi(3) * 2.0 / 3.0 - cosine.powi(5) / 5.0;
            assert!((integral / (16.0 / 15.0) - fraction).abs() < 1e-12);
        }
    }

    #[test]
    fn thin_ellipses_are_cut_evenly() {
        for radii in [[1.0, 1.0], [1.0, 0.3], [1e-3, 1.0], [1e6, 1.0]] {
            let table = Cumulative::new(Density::Ellipse(radii), 4);
            for index in 0..100 {
                let fraction = (index as f64 + 0.5) / 100.0;
                let error = table.integral_to(table.inverse(fraction)) / table.total() - fraction;
                assert!(error.abs() < 1e-10, "{radii:?} at {fraction}: {error}");
            }
        }
    }

    impl Cumulative {
        /// Simpson's rule on cells between the nodes, apart from the rule under test.
        fn integral_to(&self, angle: f64) -> f64 {
            let mut ends: Vec<f64> = self.nodes.iter().copied().take_while(|&node| node < angle).collect();
            ends.push(angle);
            let simpson = |a: f64, b: f64| {
                let f = |x: f64| self.density.at(x);
                let step = (b - a) / 64.0;
                (0..64)
                    .map(|k| a + k as f64 * step)
                    .map(|x| step / 6.0 * (f(x) + 4.0 * f(x + 0.5 * step) + f(x + step)))
                    .sum::<f64>()
            };
            ends.windows(2).map(|pair| simpson(pair[0], pair[1])).sum()
        }
    }
}
