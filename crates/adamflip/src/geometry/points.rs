//! A set of points, coordinate by coordinate.

/// A point set, coordinate-major: coordinate c of point i is `columns[c * count + i]`, so that kernels which
/// run over the points of one coordinate read contiguous memory. Attributes are further columns of the same
/// length: what a point carries that is no coordinate, such as the outward normal there.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Points {
    dimension: usize,
    count: usize,
    columns: Vec<f64>,
    attributes: usize,
    extra: Vec<f64>,
}

impl Points {
    /// `count` points of `dimension` coordinates, all at the origin. Sizes that a user chose go through
    /// [`Points::try_new`].
    ///
    /// # Panics
    /// If the points do not fit the address space.
    pub fn new(dimension: usize, count: usize) -> Self {
        Self { dimension, count, columns: vec![0.0; dimension * count], attributes: 0, extra: vec![] }
    }

    /// As [`Points::new`], but `None` where the memory cannot be had.
    pub fn try_new(dimension: usize, count: usize) -> Option<Self> {
        let columns = zeros(dimension, count)?;
        Some(Self { dimension, count, columns, attributes: 0, extra: vec![] })
    }

    /// These points with as many attributes, all zero, in place of those that they had; `None` where the
    /// memory cannot be had.
    pub fn try_with_attributes(self, attributes: usize) -> Option<Self> {
        Some(Self { attributes, extra: zeros(attributes, self.count)?, ..self })
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

    /// How many attributes a point has.
    pub fn attributes(&self) -> usize {
        self.attributes
    }

    /// One attribute of all points.
    pub fn attribute(&self, index: usize) -> &[f64] {
        &self.extra[index * self.count..][..self.count]
    }

    /// One attribute of all points, to be written.
    pub fn attribute_mut(&mut self, index: usize) -> &mut [f64] {
        &mut self.extra[index * self.count..][..self.count]
    }

    /// Gives every point one more attribute, after those that it has.
    ///
    /// # Panics
    /// If there are not as many values as points.
    pub fn push_attribute(&mut self, values: &[f64]) {
        assert_eq!(values.len(), self.count, "an attribute has a value for every point");
        self.extra.extend_from_slice(values);
        self.attributes += 1;
    }

    /// The points with these indices, in this order, with their attributes.
    pub fn select(&self, indices: &[usize]) -> Self {
        let pick = |columns: &[f64]| -> Vec<f64> {
            // Without points there are no columns to cut, and no index to ask for.
            let columns = columns.chunks_exact(self.count.max(1));
            columns.flat_map(|column| indices.iter().map(|&index| column[index])).collect()
        };
        Self {
            dimension: self.dimension,
            count: indices.len(),
            columns: pick(&self.columns),
            attributes: self.attributes,
            extra: pick(&self.extra),
        }
    }

    /// Adds points after these. Points that are none take on the attributes of the others.
    ///
    /// # Panics
    /// If the numbers of coordinates or attributes differ.
    pub fn append(&mut self, others: &Self) {
        assert_eq!(self.dimension, others.dimension, "points of one kind");
        if others.is_empty() {
            return;
        }
        if self.is_empty() {
            self.attributes = others.attributes;
        }
        assert_eq!(self.attributes, others.attributes, "points of one kind");
        self.columns = joined(&self.columns, self.count, &others.columns, others.count);
        self.extra = joined(&self.extra, self.count, &others.extra, others.count);
        self.count += others.count;
    }

    /// Copies the coordinates of one point.
    pub(crate) fn read(&self, index: usize, point: &mut [f64]) {
        for (coordinate, to) in point.iter_mut().enumerate() {
            *to = self.columns[coordinate * self.count + index];
        }
    }

    /// Sets one point, and its attributes: the first ones as far as there are both.
    pub(crate) fn write(&mut self, index: usize, point: &[f64], attributes: &[f64]) {
        for (column, &value) in self.columns.chunks_exact_mut(self.count).zip(point) {
            column[index] = value;
        }
        for (column, &value) in self.extra.chunks_exact_mut(self.count).zip(attributes) {
            column[index] = value;
        }
    }
}

fn zeros(columns: usize, count: usize) -> Option<Vec<f64>> {
    let size = columns.checked_mul(count)?;
    let mut values = Vec::new();
    values.try_reserve_exact(size).ok()?;
    values.resize(size, 0.0);
    Some(values)
}

/// Columns of `count` values, each followed by the column of `more` values that belongs to it.
fn joined(columns: &[f64], count: usize, others: &[f64], more: usize) -> Vec<f64> {
    let mut starts = columns.chunks_exact(count.max(1));
    let both = others.chunks_exact(more).map(|column| [starts.next().unwrap_or(&[]), column].concat());
    both.flatten().collect()
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

    #[test]
    fn attributes_go_with_their_points() {
        let mut points = staircase();
        assert_eq!(points.attributes(), 0);
        points.push_attribute(&[5.0, 6.0, 7.0]);
        points.push_attribute(&[-5.0, -6.0, -7.0]);
        let mut selected = points.select(&[2, 0]);
        assert_eq!((selected.attributes(), selected.attribute(1)), (2, &[-7.0, -5.0][..]));
        selected.append(&points.select(&[1]));
        assert_eq!(selected.columns(), [2.0, 0.0, 1.0, 12.0, 10.0, 11.0]);
        assert_eq!(selected.attribute(0), [7.0, 5.0, 6.0]);
        let mut none = Points::new(2, 0);
        none.append(&points);
        none.append(&Points::new(2, 0));
        assert_eq!(none, points);
        assert!(points.select(&[]).is_empty());
    }
}
