//! A set of points, coordinate by coordinate.

/// A point set, coordinate-major: coordinate c of point i is `columns[c * count + i]`, so that kernels which
/// run over the points of one coordinate read contiguous memory.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Points {
    dimension: usize,
    count: usize,
    columns: Vec<f64>,
}

impl Points {
    /// `count` points of `dimension` coordinates, all at the origin. Sizes that a user chose go through
    /// [`Points::try_new`].
    ///
    /// # Panics
    /// If the points do not fit the address space.
    pub fn new(dimension: usize, count: usize) -> Self {
        Self { dimension, count, columns: vec![0.0; dimension * count] }
    }

    /// As [`Points::new`], but `None` where the memory cannot be had.
    pub fn try_new(dimension: usize, count: usize) -> Option<Self> {
        let size = dimension.checked_mul(count)?;
        let mut columns = Vec::new();
        columns.try_reserve_exact(size).ok()?;
        columns.resize(size, 0.0);
        Some(Self { dimension, count, columns })
    }

    /// How many coordinates a point has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One coordinate of all points.
    pub fn column(&self, coordinate: usize) -> &[f64] {
        &self.columns[coordinate * self.count..][..self.count]
    }

    /// One coordinate of all points, to be written.
    pub fn column_mut(&mut self, coordinate: usize) -> &mut [f64] {
        &mut self.columns[coordinate * self.count..][..self.count]
    }

    /// All coordinates, one column after the other.
    pub fn columns(&self) -> &[f64] {
        &self.columns
    }

    /// The coordinates of one point.
    pub fn point(&self, index: usize) -> Vec<f64> {
        (0..self.dimension).map(|coordinate| self.column(coordinate)[index]).collect()
    }

    /// All points, one after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Vec<f64>> + '_ {
        (0..self.count).map(|index| self.point(index))
    }

    /// The points with these indices, in this order.
    pub fn select(&self, indices: &[usize]) -> Self {
        let mut selected = Self::new(self.dimension, indices.len());
        for coordinate in 0..self.dimension {
            let from = self.column(coordinate);
            for (to, &index) in selected.column_mut(coordinate).iter_mut().zip(indices) {
                *to = from[index];
            }
        }
        selected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn staircase() -> Points {
        let mut points = Points::new(2, 3);
        points.column_mut(0).copy_from_slice(&[0.0, 1.0, 2.0]);
        points.column_mut(1).copy_from_slice(&[10.0, 11.0, 12.0]);
        points
    }

    #[test]
    fn coordinates_are_contiguous() {
        assert_eq!(staircase().columns(), [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
        assert_eq!(staircase().point(1), [1.0, 11.0]);
        assert_eq!(staircase().iter().last(), Some(vec![2.0, 12.0]));
    }

    #[test]
    fn selection_keeps_the_given_order() {
        let selected = staircase().select(&[2, 0]);
        assert_eq!(selected.column(0), [2.0, 0.0]);
        assert_eq!(selected.column(1), [12.0, 10.0]);
    }

    #[test]
    fn impossible_sizes_are_refused() {
        assert_eq!(Points::try_new(2, usize::MAX), None);
        assert_eq!(Points::try_new(1, usize::MAX), None);
        assert_eq!(Points::try_new(2, 3), Some(Points::new(2, 3)));
    }

    #[test]
    fn points_without_coordinates_still_count() {
        let points = Points::new(0, 5);
        assert_eq!((points.len(), points.point(4)), (5, vec![]));
    }
}
