//! The known solution put into the equations.

use super::Finding;
use super::probe::fewer;
use crate::geometry::Points;
use crate::problem::{Known, Problem, Source, Term, given};
use crate::sample::SampleError;

/// Points of a term at the most.
const POINTS: usize = 500;
/// The root mean square that counts, relative to one plus the sizes of the reference and of what the equation gives:
/// far above rounding and the quadrature of fractional derivatives, far below a wrong sign or coefficient.
const TOLERANCE: f64 = 1e-6;

/// The equations that the reference does not satisfy, and those that could not be looked at.
pub(super) fn unsolved(problem: &Problem, seed: u64) -> Result<Vec<Finding>, SampleError> {
    let mut found = Vec::new();
    for (index, term) in problem.terms.iter().enumerate() {
        let Some(tape) = &term.reference_residual else {
            let is_asked = problem.reference.is_some() && matches!(term.source, Source::Drawn { .. });
            found.extend(is_asked.then_some(Finding::Unchecked(index)));
            continue;
        };
        // Measured values have noise, or a precision of their own.
        if !term.measured().is_empty() {
            continue;
        }
        let points = fewer(&term.judged().source, POINTS).draw(&problem.domain, seed, index as u64 + 1, 0)?;
        let limit = TOLERANCE * size(problem, term, &points);
        let columns = given(tape, &points);
        let worst = columns.iter().enumerate().filter_map(|(equation, residuals)| {
            let (rms, point) = misfit(residuals)?;
            let (point, residual) = (points.point(point), residuals[point]);
            (rms > limit).then_some(Finding::Unsolved { term: index, equation, rms, point, residual })
        });
        found.extend(worst);
    }
    Ok(found)
}

/// The root mean square of finite residuals, and the place of the largest.
fn misfit(residuals: &[f64]) -> Option<(f64, usize)> {
    let finite = || residuals.iter().enumerate().filter(|(_, residual)| residual.is_finite());
    let (worst, _) = finite().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    Some((rms(residuals), worst))
}

/// One, the references, and what the equations compute from coordinates alone.
fn size(problem: &Problem, term: &Term, points: &Points) -> f64 {
    let fields = problem.reference.iter().flat_map(|reference| &reference.fields);
    let formulas = fields.filter_map(|(_, known)| match known {
        Known::Formula(tape) => Some(rms(&given(tape, points)[0])),
        Known::Values(_) => None,
    });
    let forces = given(&term.residual.given, points);
    1.0 + formulas.sum::<f64>() + forces.iter().map(|column| rms(column)).sum::<f64>()
}

/// Of the finite ones.
fn rms(values: &[f64]) -> f64 {
    let (sum, count) = values
        .iter()
        .filter(|value| value.is_finite())
        .fold((0.0, 0usize), |(sum, count), value| (sum + value * value, count + 1));
    (sum / count.max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_lines_all_times_are_looked_at_and_no_others() {
        let text = "fields = ['u']\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.pde]\nequation = 'caputo(u, t, 0.5) = 0'\npoints = 400";
        let problem = crate::problem::build(crate::spec::parse("p.toml", text, &Default::default())).unwrap();
        let source = fewer(&problem.terms[0].judged().source, POINTS);
        let points = source.draw(&problem.domain, 0, 1, 0).unwrap();
        let (least, most) =
            points.column(1).iter().fold((1.0f64, 0.0f64), |(a, b), t| (a.min(*t), b.max(*t)));
        // 400 Latin points: one in the first and one in the last four-hundredth.
        assert!((0.0..0.0025).contains(&least) && (0.9975..=1.0).contains(&most), "{least} {most}");
    }
}
