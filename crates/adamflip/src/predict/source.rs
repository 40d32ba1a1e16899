//! Where points come from, block by block: a grid, or a file.

use std::path::Path;

use super::grid::default_grid;
use crate::data::{DataError, PointStream};
use crate::geometry::Points;
use crate::problem::{Grid, Problem};

/// Points that are made or read as they are needed.
#[derive(Debug)]
pub enum PointSource {
    /// A grid, the last coordinate fastest, and how many of its points are done.
    Grid(Grid, usize),
    /// A file.
    File(PointStream),
}

impl PointSource {
    /// The points of a grid; its counts multiplied must be a number, as [`super::read_grid`] ensures.
    pub fn grid(grid: Grid) -> Self {
        Self::Grid(grid, 0)
    }

    /// The grid of the reference, or the usual one.
    pub fn default(problem: &Problem) -> Self {
        Self::grid(default_grid(problem))
    }

    /// The points of a CSV, NPY, NPZ or MATLAB file, in its order.
    pub fn file(problem: &Problem, path: &Path) -> Result<Self, DataError> {
        PointStream::open(path, &problem.coordinates).map(Self::File)
    }

    /// How many points there are in all. A text file is read once for this.
    pub fn count(&self) -> Result<u64, DataError> {
        match self {
            Self::Grid(grid, _) => Ok(size(grid) as u64),
            Self::File(stream) => stream.count(),
        }
    }

    /// The next points, at most this many; nothing at the end.
    pub fn next_block(&mut self, most: usize) -> Result<Option<Points>, DataError> {
        match self {
            Self::Grid(grid, done) => {
                let count = most.min(size(grid) - *done);
                let points = part(grid, *done, count);
                *done += count;
                Ok((count > 0).then_some(points))
            }
            Self::File(stream) => Ok(stream.next_block(most)?.map(|columns| {
                let mut points = Points::new(columns.len(), columns.first().map_or(0, Vec::len));
                for (coordinate, column) in columns.iter().enumerate() {
                    points.column_mut(coordinate).copy_from_slice(column);
                }
                points
            })),
        }
    }
}

fn size(grid: &Grid) -> usize {
    // A reference may ask for more points than can be counted; nobody will see the last of them.
    grid.counts.iter().fold(1, |size, &count| size.saturating_mul(count))
}

/// This many points of a grid from one on.
fn part(grid: &Grid, first: usize, count: usize) -> Points {
    let mut points = Points::new(grid.counts.len(), count);
    let mut stride = 1;
    for coordinate in (0..grid.counts.len()).rev() {
        let along = grid.counts[coordinate];
        let place = |point: usize| grid.node(coordinate, (first + point) / stride % along);
        let column = points.column_mut(coordinate).iter_mut().enumerate();
        column.for_each(|(point, value)| *value = place(point));
        stride = stride.saturating_mul(along);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::grid_points;

    #[test]
    fn blocks_are_the_grid() {
        let grid = Grid { lower: vec![-1.0, 0.0, 2.0], upper: vec![1.0, 0.7, 3.0], counts: vec![3, 1, 4] };
        let whole = grid_points(&grid).unwrap();
        for most in [1, 5, 12, 100] {
            let mut source = PointSource::grid(grid.clone());
            assert_eq!(source.count().unwrap(), 12);
            let mut points = Points::new(3, 0);
            while let Some(block) = source.next_block(most).unwrap() {
                assert!(block.len() <= most);
                points.append(&block);
            }
            assert_eq!(points, whole);
        }
    }
}
