//! The known solution put into the equations: formulas everywhere, a table at its own points.

use super::Finding;
use super::probe::{points, with_attributes};
use super::table::Table;
use crate::geometry::Place;
use crate::lang::Tape;
use crate::problem::{Problem, Source, Term, rms, with_magnitudes};
use crate::sample::SampleError;

/// Points of a term at the most.
const POINTS: usize = 500;
/// The root mean square that counts, relative to the summands of the equation: far above rounding and the
/// quadrature of fractional derivatives, far below a wrong sign or coefficient.
const TOLERANCE: f64 = 1e-6;

/// The equations that the reference does not satisfy, and the terms that could not be looked at.
pub(super) fn unsolved(problem: &Problem, seed: u64) -> Result<Vec<Finding>, SampleError> {
    let (mut found, mut unchecked) = (Vec::new(), Vec::new());
    let table = Table::of(problem);
    for (index, term) in problem.terms.iter().enumerate() {
        let is_asked = problem.reference.is_some() && matches!(term.source, Source::Drawn { .. });
        match &term.reference_residual {
            // Measured values have noise, or a precision of their own.
            Some(_) if !term.measured().is_empty() => {}
            Some(tape) => found.extend(by_formula(problem, (index, term), tape, seed)?),
            None if is_asked => {
                let (findings, all) =
                    table.as_ref().map_or((Vec::new(), false), |table| table.held(problem, index));
                found.extend(findings);
                unchecked.extend((!all).then_some(index));
            }
            None => {}
        }
    }
    found.extend((!unchecked.is_empty()).then_some(Finding::Unchecked(unchecked)));
    Ok(found)
}

/// The equations of a term that the formulas do not satisfy.
fn by_formula(
    problem: &Problem,
    (index, term): (usize, &Term),
    tape: &Tape,
    seed: u64,
) -> Result<Vec<Finding>, SampleError> {
    let drawn = term.validation().source.draw_at_most(POINTS, &problem.domain, seed, index as u64 + 1, 0)?;
    let columns = with_magnitudes(tape, &drawn);
    // On a wall where all summands vanish what they are inside tells a residual from rounding.
    let inside = points(&problem.domain, &Place::interior(), POINTS).map(|points| {
        let points = with_attributes(tape, &points, 0);
        with_magnitudes(tape, &points)
    });
    let worst = columns.iter().enumerate().filter_map(|(equation, (residuals, sizes))| {
        let (rms_here, at) = misfit(residuals)?;
        let inside = inside.as_ref().map_or(0.0, |columns| rms(&columns[equation].1));
        let limit = TOLERANCE * rms(sizes).max(inside);
        let (point, residual) = (drawn.point(at), residuals[at]);
        (rms_here > limit).then_some(Finding::Unsolved {
            term: index,
            equation,
            rms: rms_here,
            point,
            residual,
        })
    });
    Ok(worst.collect())
}

/// The root mean square of finite residuals, and the place of the largest.
pub(super) fn misfit(residuals: &[f64]) -> Option<(f64, usize)> {
    let finite = || residuals.iter().enumerate().filter(|(_, residual)| residual.is_finite());
    let (worst, _) = finite().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    Some((rms(residuals), worst))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_lines_all_times_are_looked_at_and_no_others() {
        let text = "fields = ['u']\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.pde]\nequation = 'caputo(u, t, 0.5) = 0'\npoints = 400";
        let problem = crate::testing::problem(text);
        let source = problem.terms[0].validation().source.with_at_most(POINTS);
        let points = source.draw(&problem.domain, 0, 1, 0).unwrap();
        let (least, most) =
            points.column(1).iter().fold((1.0f64, 0.0f64), |(a, b), t| (a.min(*t), b.max(*t)));
        // 400 Latin points: one in the first and one in the last four-hundredth.
        assert!((0.0..0.0025).contains(&least) && (0.9975..=1.0).contains(&most), "{least} {most}");
    }
}
