//! What of the box belongs to the problem: shapes joined by union, difference and intersection.

use super::Shape;

/// Named shapes and how they make up the region.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The shapes with their names; terms may name them even if the tree does not.
    pub shapes: Vec<(String, Shape)>,
    /// How they are joined.
    pub tree: Csg,
}

/// Constructive solid geometry.
#[derive(Clone, Debug, PartialEq)]
pub enum Csg {
    /// One shape, by its number.
    Shape(usize),
    /// What is in one or the other.
    Union(Box<Csg>, Box<Csg>),
    /// What is in the first but not in the second.
    Difference(Box<Csg>, Box<Csg>),
    /// What is in both.
    Intersection(Box<Csg>, Box<Csg>),
}

/// Why a region is none of a domain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RegionError {
    /// The tree mentions a shape that is not there.
    #[error("shape {shape} is named, but there are {shapes} shapes")]
    UnknownShape {
        /// The shape in question.
        shape: usize,
        /// How many there are.
        shapes: usize,
    },
    /// A shape lives on a coordinate that is not there.
    #[error("`{shape}` lives on coordinate {coordinate}, but the domain has only {dimension} coordinates")]
    UnknownCoordinate {
        /// The name of the shape.
        shape: String,
        /// The coordinate in question.
        coordinate: usize,
        /// How many the domain has.
        dimension: usize,
    },
    /// A shape extends along time, so that its normals would not be directions in space.
    #[error("`{shape}` extends along time")]
    Time {
        /// The name of the shape.
        shape: String,
    },
    /// Nothing of the region lies in the box.
    #[error(
        "nothing of the region lies in the domain: coordinate {coordinate} would run from {lower} to {upper}"
    )]
    Empty {
        /// A coordinate along which region and box do not overlap.
        coordinate: usize,
        /// The larger of the lower ends.
        lower: f64,
        /// The smaller of the upper ends.
        upper: f64,
    },
}

/// The ends of an interval for every coordinate; infinite where nothing bounds it.
type Bounds = Vec<(f64, f64)>;

impl Region {
    /// Whether the point (all its coordinates) lies in the region. Shapes are closed; what is taken away from
    /// another is taken with its boundary.
    pub fn contains(&self, point: &[f64]) -> bool {
        self.joined(&self.tree, point)
    }

    /// A box around the region in all coordinates, infinite along those on which no shape lives.
    pub fn bounding_box(&self, dimension: usize) -> Bounds {
        self.bounds(&self.tree, dimension)
    }

    /// The shapes in the tree, each once, in the order of their numbers.
    pub fn leaves(&self) -> Vec<usize> {
        let mut leaves = Vec::new();
        self.tree.collect(&mut leaves);
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    /// Whether all shapes exist and live on coordinates in space.
    pub(super) fn check(&self, dimension: usize, time: Option<usize>) -> Result<(), RegionError> {
        let shapes = self.shapes.len();
        if let Some(shape) = self.leaves().into_iter().find(|&shape| shape >= shapes) {
            return Err(RegionError::UnknownShape { shape, shapes });
        }
        for (name, shape) in &self.shapes {
            if let Some(&coordinate) = shape.axes.iter().find(|&&axis| axis >= dimension) {
                return Err(RegionError::UnknownCoordinate { shape: name.clone(), coordinate, dimension });
            }
            if shape.axes.iter().any(|&axis| Some(axis) == time) {
                return Err(RegionError::Time { shape: name.clone() });
            }
        }
        Ok(())
    }

    fn joined(&self, tree: &Csg, point: &[f64]) -> bool {
        match tree {
            Csg::Shape(shape) => self.shapes[*shape].1.contains(point),
            Csg::Union(a, b) => self.joined(a, point) || self.joined(b, point),
            Csg::Difference(a, b) => self.joined(a, point) && !self.joined(b, point),
            Csg::Intersection(a, b) => self.joined(a, point) && self.joined(b, point),
        }
    }

    fn bounds(&self, tree: &Csg, dimension: usize) -> Bounds {
        let both = |a: &Csg, b: &Csg| self.bounds(a, dimension).into_iter().zip(self.bounds(b, dimension));
        match tree {
            Csg::Shape(shape) => self.shapes[*shape].1.bounds(dimension),
            Csg::Union(a, b) => both(a, b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect(),
            Csg::Difference(a, _) => self.bounds(a, dimension),
            Csg::Intersection(a, b) => both(a, b).map(|(a, b)| (a.0.max(b.0), a.1.min(b.1))).collect(),
        }
    }
}

impl Csg {
    /// What is in one or the other.
    pub fn union(self, other: Self) -> Self {
        Self::Union(Box::new(self), Box::new(other))
    }

    /// What is in this one but not in the other.
    pub fn difference(self, other: Self) -> Self {
        Self::Difference(Box::new(self), Box::new(other))
    }

    /// What is in both.
    pub fn intersection(self, other: Self) -> Self {
        Self::Intersection(Box::new(self), Box::new(other))
    }

    fn collect(&self, leaves: &mut Vec<usize>) {
        match self {
            Self::Shape(shape) => leaves.push(*shape),
            Self::Union(a, b) | Self::Difference(a, b) | Self::Intersection(a, b) => {
                a.collect(leaves);
                b.collect(leaves);
            }
        }
    }
}
