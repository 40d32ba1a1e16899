//! The constraint errors of a run that has ended, from its last state and its training points, and its errors
//! before the end.

use std::collections::BTreeMap;
use std::path::Path;

use adamflip::history::History;
use adamflip::objective::values;

use super::sheet::median;
use super::store::Measured;
use adamflip::certificate::State;
use adamflip_run::RunError;
use adamflip_run::error_column;

/// Both errors of every term. Runs on the current rayon pool.
pub(crate) fn terms(run: &Path) -> Result<BTreeMap<String, Measured>, RunError> {
    let solution = adamflip_run::open(run)?;
    let State { problem, model, θ, points, .. } = solution.state();
    let terms = problem.terms.iter().zip(points).map(|(term, points)| {
        let columns = values(&term.residual, model, &problem.unknowns, θ, points);
        // Along lines there is a column for each node, and each node is a point of its own.
        let together = columns.len() == term.equations.len();
        (term.name.clone(), measured(&columns, together))
    });
    Ok(terms.collect())
}

/// The median of the errors of every field over the last tenth of the steps: where the last of them is
/// chance, this is not.
pub(crate) fn late(run: &Path, fields: &[&str]) -> BTreeMap<String, f64> {
    let history = adamflip_run::history_or_none(run);
    late_errors(&history, fields)
}

fn late_errors(history: &History, fields: &[&str]) -> BTreeMap<String, f64> {
    let steps = history.steps();
    let end = steps.last().copied().unwrap_or(0.0);
    let error = |field: &&str| {
        let errors = history.column(&error_column(field))?.iter().zip(steps);
        let late = errors.filter(|(_, step)| **step > 0.9 * end).map(|(error, _)| *error);
        Some(((*field).to_owned(), median(late)?))
    };
    fields.iter().filter_map(error).collect()
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
    fn late_errors_are_those_of_the_last_tenth() {
        let text = "step,stage,method,seconds,rel_l2_u,rel_l2_v\n\
                    10,0,adam,1,0.9,0.5\n90,0,adam,9,0.8,0.5\n92,0,adam,9,0.1,0.5\n95,0,adam,9,,0.5\n\
                    96,0,adam,9,0.3,0.5\n100,0,adam,10,0.7,0.5\n";
        let history = History::parse(text).unwrap();
        let late = late_errors(&history, &["u", "w"]);
        assert_eq!(late, BTreeMap::from([("u".to_owned(), 0.3)]));
        assert!(late_errors(&History::default(), &["u"]).is_empty());
    }

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
