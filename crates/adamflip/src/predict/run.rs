//! The loop: a block of points in, their values out, until there are no more.

use std::io;

use super::{PointSource, Query};
use crate::certificate::State;
use crate::data::DataError;
use crate::export::Table;
use crate::geometry::{Domain, Points};
use crate::objective::values;

/// What was predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many points.
    pub points: u64,
    /// How many of them lie outside the domain, where training never was.
    pub extrapolated: u64,
}

/// Why a prediction ended early.
#[derive(Debug, thiserror::Error)]
pub enum PredictError {
    /// The points cannot be read.
    #[error(transparent)]
    Points(#[from] DataError),
    /// The values cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// Answers the question at all points: columns of coordinates, then of expressions. Memory does not grow with
/// the number of points. Runs on the current rayon pool.
pub fn run(
    state: &State<'_>,
    question: &Query,
    source: &mut PointSource,
    table: &mut dyn Table,
) -> Result<Counts, PredictError> {
    let State { problem, model, θ, .. } = *state;
    let mut tally = Counts::default();
    while let Some(points) = source.next_block(question.block())? {
        let answers = values(&question.residual, model, &problem.unknowns, θ, &points);
        let coordinates = (0..points.dimension()).map(|c| points.column(c));
        let columns: Vec<&[f64]> = coordinates.chain(answers.iter().map(Vec::as_slice)).collect();
        table.rows(&columns)?;
        tally.points += points.len() as u64;
        tally.extrapolated += outside(&problem.domain, &points);
    }
    table.finish()?;
    Ok(tally)
}

/// How many points lie outside the domain. Decimal digits may miss an end by rounding, which does not count.
fn outside(domain: &Domain, points: &Points) -> u64 {
    let mut point = vec![0.0; points.dimension()];
    let mut count = 0;
    for index in 0..points.len() {
        points.read(index, &mut point);
        for (value, (&lower, &upper)) in point.iter_mut().zip(domain.lower.iter().zip(&domain.upper)) {
            let slack = 1e-9 * (upper - lower);
            if (lower - slack..=upper + slack).contains(value) {
                *value = value.clamp(lower, upper);
            }
        }
        count += u64::from(!domain.contains(&point));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::evaluate::{grid_points, predict};
    use crate::problem::Grid;
    use crate::train;

    /// A table that keeps everything.
    #[derive(Default)]
    struct Kept {
        columns: Vec<Vec<f64>>,
        whole: bool,
    }

    impl Table for Kept {
        fn rows(&mut self, columns: &[&[f64]]) -> io::Result<()> {
            self.columns.resize(columns.len(), Vec::new());
            self.columns.iter_mut().zip(columns).for_each(|(all, part)| all.extend_from_slice(part));
            Ok(())
        }

        fn finish(&mut self) -> io::Result<()> {
            self.whole = true;
            Ok(())
        }
    }

    #[test]
    fn blocks_have_the_bits_of_the_whole_and_the_outside_is_counted() {
        let text = "fields = [\"u\"]\n[domain]\nx = [-1, 1]\ny = [-1, 1]\ninside = \"disk\"\n[shapes]\n\
                    disk = { disk = { center = [0, 0], radius = 1 } }\n[term.a]\nequation = \"u = 1\"\npoints = 4\n\
                    [network]\nhidden = [5]";
        let problem = crate::testing::problem(text);
        let (model, θ) = train::model(&problem, 0);
        let state = State { problem: &problem, model: &model, θ: &θ, seed: 0, points: &[] };
        // An integral makes blocks small: the grid has several.
        let source = Source { name: "--expr".into(), text: "u, u - integral(u, x)/2, x + y".into() };
        let question = Query::read(&problem, &[source]).unwrap();
        let grid = Grid { lower: vec![-1.5, -1.0], upper: vec![1.5, 1.0], counts: vec![121, 61] };
        assert!(question.block() < 121 * 61);
        let mut kept = Kept::default();
        let tally = run(&state, &question, &mut PointSource::grid(grid.clone()), &mut kept).unwrap();
        let points = grid_points(&grid).unwrap();
        assert_eq!(kept.columns[..2].concat(), points.columns());
        assert_eq!(kept.columns[2], predict(&problem, &model, &θ, &points)[0]);
        let sum = |i: usize| points.column(0)[i] + points.column(1)[i];
        assert!((0..points.len()).all(|i| kept.columns[4][i] == sum(i)));
        let far = points.iter().filter(|point| point[0].hypot(point[1]) > 1.0 + 1e-6).count() as u64;
        assert!(kept.whole && tally.points == 121 * 61, "{tally:?}");
        assert!(tally.extrapolated.abs_diff(far) <= 4, "{tally:?} and {far}");
    }
}
