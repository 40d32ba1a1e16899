//! Which points of a patch belong to the place, and which way is out.

use super::patch::Belonging;
use super::{Domain, Patch, Place};

/// What a fixed set of test points says about a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Survey {
    /// The fraction of them that belong.
    pub(crate) fraction: f64,
    /// Whether all that belong have a normal.
    pub(crate) normals: bool,
}

/// Test points for the fraction that belongs: it is then known to about the inverse along curves.
pub(crate) const TESTS: usize = 4096;

/// A part is empty if less than the fraction [`LEAST`] of this many points belongs.
pub(crate) const LIMIT: usize = 1 << 17;

/// The least fraction of points that is not taken for nothing.
pub(crate) const LEAST: f64 = 1e-5;

impl Domain {
    /// Whether a point that the patch mapped belongs to the place. The normal becomes the outward unit normal
    /// (zero along time), or not a number where there is none; the point comes to lie in the closed box.
    pub fn settle(&self, patch: &Patch, point: &mut [f64], normal: &mut [f64]) -> bool {
        let belongs = match &patch.belonging {
            Belonging::Inside { fixed } => self.on_slice(fixed, point, normal),
            Belonging::Boundary { step, rivals, .. } => self.turn_outward(*step, rivals, point, normal),
        };
        for (value, (&lower, &upper)) in point.iter_mut().zip(self.lower.iter().zip(&self.upper)) {
            *value = value.max(lower).min(upper);
        }
        belongs
            && patch.ranges.iter().all(|&(axis, lower, upper)| (lower..=upper).contains(&point[axis]))
            && patch.within.iter().all(|predicate| predicate.holds(point))
    }

    /// Whether the place is more than single points.
    pub fn has_extent(&self, place: &Place) -> bool {
        self.patches(place).is_ok_and(|patches| patches.iter().any(|patch| patch.dimension() > 0))
    }

    /// Whether every point of the place has an outward normal.
    pub fn has_normals(&self, place: &Place) -> bool {
        let Ok(patches) = self.patches(place) else { return false };
        !place.parts.is_empty() && patches.iter().all(|patch| self.survey(patch, TESTS).normals)
    }

    /// Tests a patch at this many fixed points, or the one point that tells all.
    pub(crate) fn survey(&self, patch: &Patch, tests: usize) -> Survey {
        let dimension = patch.dimension();
        let steps = lattice(dimension);
        let mut cube = vec![0.0; dimension];
        let (mut point, mut normal) = (vec![0.0; self.dimension()], vec![0.0; self.dimension()]);
        let (mut found, mut normals) = (0, true);
        let tests = if dimension == 0 || patch.is_whole(self) { 1 } else { tests };
        for test in 1..=tests {
            for (to, step) in cube.iter_mut().zip(&steps) {
                *to = (0.5 + step * test as f64).fract();
            }
            patch.map(&cube, &mut point, &mut normal);
            if self.settle(patch, &mut point, &mut normal) {
                found += 1;
                normals &= !normal.iter().any(|value| value.is_nan());
            }
        }
        let fraction = found as f64 / tests as f64;
        Survey { fraction: if fraction < LEAST { 0.0 } else { fraction }, normals }
    }

    /// The normal on a slice is along the one fixed coordinate that leads out of the region on one side only.
    fn on_slice(&self, fixed: &[(usize, f64)], point: &mut [f64], normal: &mut [f64]) -> bool {
        let mut inside = self.contains(point);
        let mut exits = Vec::new();
        for &(axis, step) in fixed {
            let value = point[axis];
            let mut beside = |shifted: f64| {
                point[axis] = shifted;
                self.contains(point)
            };
            let (below, above) = (beside(value - step), beside(value + step));
            point[axis] = value;
            inside |= below || above;
            if below != above {
                exits.push((axis, if below { 1.0 } else { -1.0 }));
            }
        }
        match exits[..] {
            [(axis, sign)] => {
                normal.fill(0.0);
                normal[axis] = sign;
            }
            _ => normal.fill(f64::NAN),
        }
        inside
    }

    fn turn_outward(&self, step: f64, rivals: &[usize], point: &[f64], normal: &mut [f64]) -> bool {
        let shifted =
            |step: f64| -> Vec<f64> { point.iter().zip(&*normal).map(|(x, n)| x + step * n).collect() };
        let (ahead, behind) = (shifted(step), shifted(-step));
        let (leads_in, comes_from) = (self.contains(&ahead), self.contains(&behind));
        if leads_in == comes_from {
            return false;
        }
        let shapes = self.inside.as_ref().map_or(&[][..], |region| &region.shapes);
        let shared = |&rival: &usize| shapes[rival].1.contains(&ahead) != shapes[rival].1.contains(&behind);
        if rivals.iter().any(shared) {
            return false;
        }
        if leads_in {
            normal.iter_mut().for_each(|component| *component = -*component);
        }
        true
    }
}

/// Steps of an additive sequence of low discrepancy: the powers of the inverse of the root of x^(d+1) = x +
/// 1, the golden ratio in one dimension (M. Roberts, *The unreasonable effectiveness of quasirandom
/// sequences*, 2018).
fn lattice(dimension: usize) -> Vec<f64> {
    let mut root: f64 = 1.5;
    // A contraction by less than 1/2 each time.
    for _ in 0..60 {
        root = (1.0 + root).powf(1.0 / (dimension as f64 + 1.0));
    }
    (1..=dimension as i32).map(|power| root.powi(-power)).collect()
}
