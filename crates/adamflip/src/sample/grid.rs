//! Regular points: cell centres for training, and tensor grids with both ends for evaluation and figures.

use super::{SampleError, allocate};
use crate::geometry::{Domain, Points};

/// Fills the unit cube with the centres of cells of equal volume that tile it: exactly as many as there are
/// points.
///
/// The first axis is cut into about count^(1/dimension) slabs, the points are dealt to the slabs as evenly as
/// whole numbers allow, a slab is as thick as its number of points, and the rest of the axes are treated in
/// the same way within each slab. Where the count is a power n^dimension this is the tensor grid of n cells
/// an axis.
pub(super) fn cells(points: &mut Points) {
    split(points, 0, 0, points.len());
}

fn split(points: &mut Points, coordinate: usize, start: usize, count: usize) {
    if coordinate == points.dimension() || count == 0 {
        return;
    }
    let axes_left = (points.dimension() - coordinate) as f64;
    let slabs = ((count as f64).powf(1.0 / axes_left).round() as usize).clamp(1, count);
    let (share, extra) = (count / slabs, count % slabs);
    let mut done = 0;
    for slab in 0..slabs {
        // The larger slabs are spread evenly: `extra` of them in all.
        let size = share + usize::from((slab + 1) * extra / slabs > slab * extra / slabs);
        let centre = (done as f64 + 0.5 * size as f64) / count as f64;
        points.column_mut(coordinate)[start + done..][..size].fill(centre);
        split(points, coordinate + 1, start + done, size);
        done += size;
    }
}

/// The full tensor grid on the domain, `counts[c]` nodes along coordinate c with both ends (a single node is
/// the middle), the last coordinate fastest.
pub fn grid(domain: &Domain, counts: &[usize]) -> Result<Points, SampleError> {
    let dimension = domain.dimension();
    if counts.len() != dimension {
        return Err(SampleError::WrongCounts { counts: counts.len(), dimension });
    }
    let total = counts.iter().try_fold(1usize, |total, &count| total.checked_mul(count));
    let mut points = allocate(dimension, total.unwrap_or(usize::MAX))?;
    let mut stride = points.len();
    for (coordinate, &count) in counts.iter().enumerate() {
        // A zero count leaves no points, and nothing to write.
        stride /= count.max(1);
        let (lower, upper) = (domain.lower[coordinate], domain.upper[coordinate]);
        let mut nodes = (0..count).map(|node| domain_node(lower, upper, node, count)).cycle();
        for run in points.column_mut(coordinate).chunks_mut(stride.max(1)) {
            run.fill(nodes.next().unwrap_or(lower));
        }
    }
    Ok(points)
}

fn domain_node(lower: f64, upper: f64, node: usize, count: usize) -> f64 {
    let fraction = if count == 1 { 0.5 } else { node as f64 / (count - 1) as f64 };
    crate::geometry::between(lower, upper, fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_give_the_tensor_grid_of_cell_centres() {
        let mut points = Points::new(2, 9);
        cells(&mut points);
        let centres = [1.0 / 6.0, 0.5, 5.0 / 6.0];
        for (index, point) in points.iter().enumerate() {
            let expected = [centres[index / 3], centres[index % 3]];
            // A centre is two roundings away from its exact value.
            assert!(point.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{point:?}");
        }
        let mut cube = Points::new(3, 1000);
        cells(&mut cube);
        let mut nodes = cube.column(0).to_vec();
        nodes.dedup();
        assert_eq!(nodes.len(), 10);
    }

    /// The midpoint rule is exact for linear functions on cells that tile the cube; it would not be if points
    /// were left out of a larger grid.
    #[test]
    fn any_count_keeps_the_centre_of_mass() {
        for (dimension, count) in [(1, 7), (2, 2), (2, 101), (3, 500), (3, 1013), (4, 97)] {
            let mut points = Points::new(dimension, count);
            cells(&mut points);
            for coordinate in 0..dimension {
                let mean = points.column(coordinate).iter().sum::<f64>() / count as f64;
                // A thousand additions of numbers below one.
                assert!((mean - 0.5).abs() < 1e-12, "{dimension} {count}: {mean}");
            }
        }
    }

    #[test]
    fn no_two_cells_share_a_centre() {
        let mut points = Points::new(3, 777);
        cells(&mut points);
        let mut all: Vec<Vec<f64>> = points.iter().collect();
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        all.dedup();
        assert_eq!(all.len(), 777);
    }

    #[test]
    fn tensor_grid_has_both_ends_and_runs_along_the_last_axis() {
        let domain = Domain::new(vec![-1.0, 0.0], vec![1.0, 0.3]).unwrap();
        let points = grid(&domain, &[3, 2]).unwrap();
        assert_eq!(points.column(0), [-1.0, -1.0, 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(points.column(1), [0.0, 0.3, 0.0, 0.3, 0.0, 0.3]);
        assert_eq!(grid(&domain, &[1, 1]).unwrap().point(0), [0.0, 0.15]);
        assert!(grid(&domain, &[3, 0]).unwrap().is_empty());
    }

    #[test]
    fn impossible_grids_are_refused() {
        let domain = Domain::new(vec![0.0; 2], vec![1.0; 2]).unwrap();
        assert_eq!(grid(&domain, &[3]), Err(SampleError::WrongCounts { counts: 1, dimension: 2 }));
        assert!(matches!(grid(&domain, &[1 << 40, 1 << 40]), Err(SampleError::TooManyPoints { .. })));
    }
}
