//! The constraint errors of a run that has ended, from its last state and its training points.

use std::collections::BTreeMap;
use std::path::Path;

use adamflip::objective::values;

use super::kept::Measured;
use crate::failure::Failure;
use crate::{folder, trained};

/// Both errors of every term. Runs on the current rayon pool.
pub(super) fn terms(run: &Path) -> Result<BTreeMap<String, Measured>, Failure> {
    let points = folder::newest(run)?.map(|checkpoint| checkpoint.snapshot.points).unwrap_or_default();
    let trained::Trained { problem, model, θ } = trained::open(run)?;
    let terms = problem.terms.iter().zip(&points).map(|(term, points)| {
        let columns = values(&term.residual, &model, &problem.unknowns, &θ, points);
        // Along lines there is a column for each node, and each node is a point of its own.
        let together = columns.len() == term.equations.len();
        (term.name.clone(), measured(&columns, together))
    });
    Ok(terms.collect())
}

/// Of residuals with one column an equation, which hold together at each point or each at a point of its own.
fn measured(columns: &[Vec<f64>], together: bool) -> Measured {
    let rows = columns.first().map_or(0, Vec::len);
    let squares = || columns.iter().flatten().map(|residual| residual * residual);
    let count = rows * columns.len();
    let (points, norms): (usize, f64) = match together {
        true => {
            let square = |row: usize| columns.iter().map(|column| column[row] * column[row]).sum::<f64>();
            (rows, (0..rows).map(|row| square(row).sqrt()).sum())
        }
        false => (count, columns.iter().flatten().map(|residual| residual.abs()).sum()),
    };
    let number = |number: f64| Some(number).filter(|number| number.is_finite());
    Measured {
        points,
        mean_square: number(squares().sum::<f64>() / count as f64),
        mean_norm: number(norms / points as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_definitions_by_hand() {
        // At the first point (3, 4), whose norm is 5; at the second (0, -1), whose norm is 1.
        let columns = [vec![3.0, 0.0], vec![4.0, -1.0]];
        let expected = Measured { points: 2, mean_square: Some(26.0 / 4.0), mean_norm: Some(3.0) };
        assert_eq!(measured(&columns, true), expected);
        let apart = Measured { points: 4, mean_square: Some(6.5), mean_norm: Some(2.0) };
        assert_eq!(measured(&columns, false), apart);
        let none = measured(&[vec![f64::NAN]], true);
        assert_eq!((none.mean_square, none.mean_norm), (None, None));
        assert_eq!(measured(&[], true).mean_norm, None);
    }
}
