//! Lists of points that fill a grid: a mesh written point by point, in whatever order.

/// The ascending vector of each coordinate and, for each point of their grid (the last coordinate fastest),
/// the row where it is; `None` when the rows are not all points of a grid, each once. Equal means equal to
/// the last bit: programs that write a mesh write the same number each time. O(n log n) in the number of
/// rows.
pub(super) fn grid(coordinates: &[Vec<f64>]) -> Option<(Vec<Vec<f64>>, Vec<usize>)> {
    let rows = coordinates.first()?.len();
    let mut size = 1usize;
    let mut vectors = Vec::new();
    for values in coordinates {
        let vector = distinct(values);
        size = size.checked_mul(vector.len()).filter(|&size| size <= rows)?;
        vectors.push(vector);
    }
    if size != rows {
        return None;
    }
    let mut order = vec![usize::MAX; rows];
    for row in 0..rows {
        let place = place(coordinates, &vectors, row)?;
        if order[place] != usize::MAX {
            return None;
        }
        order[place] = row;
    }
    Some((vectors, order))
}

/// The values in ascending order, each once; −0 and 0 are the same.
fn distinct(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    sorted
}

fn place(coordinates: &[Vec<f64>], vectors: &[Vec<f64>], row: usize) -> Option<usize> {
    coordinates.iter().zip(vectors).try_fold(0, |place, (values, vector)| {
        let along = vector.binary_search_by(|other| other.total_cmp(&(values[row] + 0.0))).ok()?;
        Some(place * vector.len() + along)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_is_found_in_any_order() {
        let x = vec![1.0, -0.0, 1.0, 0.0];
        let t = vec![3.0, 2.0, 2.0, 3.0];
        assert_eq!(grid(&[x, t]), Some((vec![vec![0.0, 1.0], vec![2.0, 3.0]], vec![1, 3, 2, 0])));
    }

    #[test]
    fn scattered_repeated_and_missing_points_are_no_grid() {
        assert_eq!(grid(&[vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 0.0]]), None);
        assert_eq!(grid(&[vec![0.0, 0.0, 1.0, 1.0], vec![0.0, 0.0, 1.0, 1.0]]), None);
        assert_eq!(grid(&[vec![0.0, 0.0]]), None);
        assert_eq!(grid(&[]), None);
    }
}
