//! A place cut into patches: its slices, the faces of boxes, and the surfaces of shapes.

use super::patch::{Belonging, PatchAxis};
use super::surface::Surface;
use super::{Boundary, Csg, Domain, Form, Part, PartError, Patch, Place, Region, Shape};

/// How far a point is moved to see on which side of a boundary the region lies, relative to the size of the
/// shape: far above the rounding of points (1e-15), and far below anything that is meant to be told apart.
/// Where a line only touches a disk of radius 1, points within the root of this of the touching point still
/// seem inside: 2e-6.
const STEP: f64 = 1e-12;

/// Balls of fewer dimensions fill enough of their box.
const MANY: usize = 4;

impl Region {
    /// A ball of many dimensions that holds all of the region, and the coordinates on which it lives.
    fn ball_around(&self) -> Option<(&[usize], Surface)> {
        let Shape { axes, form: Form::Ball { center, radius } } = self.around(&self.tree)? else {
            return None;
        };
        Some((axes, Surface::sphere(center, *radius, true)))
    }

    fn around(&self, tree: &Csg) -> Option<&Shape> {
        let is_ball =
            |shape: &&Shape| matches!(&shape.form, Form::Ball { center, .. } if center.len() >= MANY);
        match tree {
            Csg::Shape(shape) => Some(&self.shapes[*shape].1).filter(is_ball),
            Csg::Difference(a, _) => self.around(a),
            Csg::Intersection(a, b) => self.around(a).or_else(|| self.around(b)),
            Csg::Union(..) => None,
        }
    }
}

impl Domain {
    /// A place as images of unit cubes, in the order in which the place lists its parts; none for a part that
    /// the ends of the coordinates already exclude.
    pub fn patches(&self, place: &Place) -> Result<Vec<Patch>, PartError> {
        if place.parts.is_empty() {
            return Ok(self.slice(0, &Part::default()).into_iter().collect());
        }
        let mut patches = Vec::new();
        for (index, part) in place.parts.iter().enumerate() {
            self.check(part)?;
            match (part.boundary, &self.inside) {
                (None, _) => patches.extend(self.slice(index, part)),
                (Some(Boundary::All), region) => {
                    patches.extend(self.whole_boundary(index, part, region.as_ref()))
                }
                (Some(Boundary::Shape(number)), Some(region)) => {
                    patches.extend(self.shape_boundary(index, part, &region.shapes[number].1, vec![]));
                }
                (Some(Boundary::Shape(shape)), None) => {
                    return Err(PartError::UnknownShape { shape, shapes: 0 });
                }
            }
        }
        Ok(patches)
    }

    /// The coordinates in which there are directions: all but time.
    pub fn spatial(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.dimension()).filter(|&coordinate| Some(coordinate) != self.time)
    }

    fn slice(&self, index: usize, part: &Part) -> Option<Patch> {
        let fixed = self.spatial().filter(|&coordinate| part.value(coordinate).is_some());
        let belonging = Belonging::Inside { fixed: fixed.map(|c| (c, self.step(c))).collect() };
        let axes = self.axes(part)?;
        let boxed = patch(index, part, axes.clone(), None, belonging.clone());
        // Almost nothing of a box of many dimensions lies in the ball that it holds: 3.6e-6 of sixteen.
        let Some((shape, ball)) = self.inside.as_ref().and_then(Region::ball_around) else {
            return Some(boxed);
        };
        let mut around = axes;
        let free = shape.iter().all(|&axis| matches!(around[axis], PatchAxis::Free { .. }));
        shape.iter().for_each(|&axis| around[axis] = PatchAxis::Surface);
        let balled = patch(index, part, around, Some((shape.to_vec(), ball)), belonging);
        Some(if free && balled.measure() < boxed.measure() { balled } else { boxed })
    }

    /// All shapes of the region, then the faces of the box, each unless an earlier one has the same boundary.
    fn whole_boundary(&self, index: usize, part: &Part, region: Option<&Region>) -> Vec<Patch> {
        let leaves = region.map(Region::leaves).unwrap_or_default();
        let mut patches = Vec::new();
        for (position, &leaf) in leaves.iter().enumerate() {
            let Some((_, shape)) = region.and_then(|region| region.shapes.get(leaf)) else { continue };
            patches.extend(self.shape_boundary(index, part, shape, leaves[..position].to_vec()));
        }
        for axis in self.spatial() {
            for value in [self.lower[axis], self.upper[axis]] {
                patches.extend(
                    self.axes(part).and_then(|axes| self.face(index, part, axes, axis, value, &leaves)),
                );
            }
        }
        patches
    }

    fn shape_boundary(&self, index: usize, part: &Part, shape: &Shape, rivals: Vec<usize>) -> Vec<Patch> {
        let Some(mut axes) = self.axes(part) else { return vec![] };
        let Some(surface) = Surface::of(&shape.form) else {
            return self.faces(index, part, axes, shape, &rivals);
        };
        for &axis in &shape.axes {
            axes[axis] = PatchAxis::Surface;
        }
        let largest =
            shape.bounding_box().into_iter().flat_map(|(a, b)| [a.abs(), b.abs()]).fold(0.0, f64::max);
        let belonging = Belonging::Boundary { step: step(shape.size(), largest), facing: None, rivals };
        vec![patch(index, part, axes, Some((shape.axes.clone(), surface)), belonging)]
    }

    /// The faces of a box (or the ends of an interval), each as far as the other axes of the box reach.
    fn faces(
        &self,
        index: usize,
        part: &Part,
        axes: Vec<PatchAxis>,
        shape: &Shape,
        rivals: &[usize],
    ) -> Vec<Patch> {
        debug_assert!(matches!(shape.form, Form::Box { .. } | Form::Ball { .. }));
        let bounds = shape.bounding_box();
        let mut faces = Vec::new();
        for (own, &axis) in shape.axes.iter().enumerate() {
            let mut axes = axes.clone();
            let mut reaches = true;
            for (_, (&other, &(from, to))) in
                shape.axes.iter().zip(&bounds).enumerate().filter(|(k, _)| *k != own)
            {
                reaches &= axes[other].narrow(from, to);
            }
            for value in [bounds[own].0, bounds[own].1].into_iter().filter(|_| reaches) {
                faces.extend(self.face(index, part, axes.clone(), axis, value, rivals));
            }
        }
        faces
    }

    /// The patch on which one free axis stays at a value, if it can: a value beside an end of the axis to
    /// rounding is that end.
    fn face(
        &self,
        index: usize,
        part: &Part,
        mut axes: Vec<PatchAxis>,
        facing: usize,
        value: f64,
        rivals: &[usize],
    ) -> Option<Patch> {
        let step = self.step(facing);
        let PatchAxis::Free { lower, upper } = axes[facing] else { return None };
        if !(lower - step..=upper + step).contains(&value) {
            return None;
        }
        axes[facing] = PatchAxis::Fixed(value.clamp(lower, upper));
        let belonging = Belonging::Boundary { step, facing: Some(facing), rivals: rivals.to_vec() };
        Some(patch(index, part, axes, None, belonging))
    }

    /// The step along one axis of the box around the domain.
    fn step(&self, axis: usize) -> f64 {
        let region = self.inside.as_ref().map(|region| region.bounding_box(self.dimension())[axis]);
        let (from, to) = region.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let (lower, upper) = (self.lower[axis].max(from), self.upper[axis].min(to));
        step(upper - lower, lower.abs().max(upper.abs()))
    }

    /// What the part leaves of each coordinate, within the box around the region; `None` if nothing.
    fn axes(&self, part: &Part) -> Option<Vec<PatchAxis>> {
        let region = self.inside.as_ref().map(|region| region.bounding_box(self.dimension()));
        let axis = |coordinate: usize| {
            if let Some(value) = part.value(coordinate) {
                return Some(PatchAxis::Fixed(value));
            }
            let mut axis = PatchAxis::Free { lower: self.lower[coordinate], upper: self.upper[coordinate] };
            let (lower, upper) = part.range(coordinate);
            let (from, to) = region.as_ref().map_or((lower, upper), |bounds| bounds[coordinate]);
            (axis.narrow(lower, upper) && axis.narrow(from, to)).then_some(axis)
        };
        (0..self.dimension()).map(axis).collect()
    }
}

fn patch(
    part: usize,
    restrictions: &Part,
    axes: Vec<PatchAxis>,
    surface: Option<(Vec<usize>, Surface)>,
    belonging: Belonging,
) -> Patch {
    let (ranges, within) = (restrictions.ranges.clone(), restrictions.within.clone());
    Patch { part, axes, surface, belonging, ranges, within }
}

/// Coordinates far from zero are known only to a rounding of their own size.
fn step(size: f64, largest: f64) -> f64 {
    (STEP * size).max(64.0 * f64::EPSILON * largest)
}

impl PatchAxis {
    /// Keeps what lies between these ends too, and says whether that is anything.
    fn narrow(&mut self, from: f64, to: f64) -> bool {
        match self {
            Self::Free { lower, upper } => {
                (*lower, *upper) = (lower.max(from), upper.min(to));
                *lower < *upper
            }
            Self::Fixed(value) => from <= *value && *value <= to,
            Self::Surface => true,
        }
    }
}
