//! A problem with fewer points, for all that `check` finds out by looking at points: what holds at tens of
//! thousands of them holds at millions, and costs a moment.

use adamflip::problem::{Known, Places, Problem, Reference, Source, Stage, Term};

/// Problems of this many points stay as they are.
const FEW: usize = 10_000;
/// Larger ones have at least and at most this many points left of all terms together, and about so much work:
/// points times parameters, times parameters again where a method uses curvature. The sweeps of `check` then
/// take some tenths of a second.
const RANGE: (usize, usize) = (3_000, 50_000);
const WORK: f64 = 4e9;
/// A term keeps at least this many of its points, so that every part of its place has some.
const LEAST: usize = 64;
/// The most nodes at which formulas of the reference are looked at.
const NODES: usize = 100_000;

/// A problem that is like another, and how many times as many points that one has.
pub(super) struct Thinned {
    pub(super) problem: Problem,
    pub(super) factor: f64,
}

impl Thinned {
    /// Most problems stay as they are.
    pub(super) fn of(problem: &Problem, stages: &[Stage]) -> Self {
        let all = points(problem);
        let mut thinned = problem.clone();
        if all > FEW {
            let share = (most(problem, stages) as f64 / all as f64).min(1.0);
            thinned.terms.iter_mut().for_each(|term| thin(term, share));
        }
        thinned.reference.iter_mut().for_each(thin_grid);
        let factor = all as f64 / points(&thinned).max(1) as f64;
        Self { problem: thinned, factor }
    }
}

/// The most points that stay of many.
fn most(problem: &Problem, stages: &[Stage]) -> usize {
    let parameters = adamflip::train::model(problem, 0).0.parameters() as f64;
    let uses_curvature = stages.iter().any(|stage| stage.method.uses_curvature());
    let of_point = if uses_curvature { parameters * parameters } else { parameters };
    ((WORK / of_point.max(1.0)) as usize).clamp(RANGE.0, RANGE.1)
}

/// The points of all terms.
pub(super) fn points(problem: &Problem) -> usize {
    problem.terms.iter().map(|term| term.source.count().saturating_mul(term.nodes())).sum()
}

fn thin(term: &mut Term, share: f64) {
    let count = term.source.count();
    let kept = ((count as f64 * share).ceil() as usize).max(LEAST).min(count);
    if let Source::Given { points, take, .. } = &mut term.source {
        // Evenly over the file. The rest is not kept: it may be most of the memory.
        let chosen: Vec<usize> = (0..kept).map(|index| index * points.len() / kept).collect();
        *points = points.select(&chosen);
        *take = None;
    } else {
        term.source = term.source.with_at_most(kept);
    }
    term.points = term.points / count.max(1) * kept;
    term.validation.iter_mut().for_each(|judged| thin(judged, share));
}

/// The grid of formulas; that of a table has its values.
fn thin_grid(reference: &mut Reference) {
    let is_formula = reference.fields.iter().all(|(_, known)| matches!(known, Known::Formula(_)));
    let Places::Grid(grid) = &mut reference.places else { return };
    let nodes: f64 = grid.counts.iter().map(|&count| count as f64).product();
    if is_formula && nodes > NODES as f64 {
        let share = (NODES as f64 / nodes).powf(1.0 / grid.counts.len() as f64);
        grid.counts.iter_mut().for_each(|count| *count = ((*count as f64 * share) as usize).max(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(points: usize, nodes: usize) -> Problem {
        let text = format!(
            "fields = ['u']\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.pde]\nequation = 'u_t = u_xx'\n\
             points = {points}\n[term.ends]\non = ['x = 0', 'x = 1']\nequation = 'u = 0'\npoints = 80\n\
             [reference]\nu = 'x*t'\ngrid = {{ x = {nodes}, t = {nodes} }}"
        );
        adamflip::problem::build(adamflip::spec::parse("p.toml", &text, &Default::default())).unwrap()
    }

    fn counts(problem: &Problem) -> Vec<usize> {
        problem.terms.iter().map(|term| term.points).collect()
    }

    #[test]
    fn an_ordinary_problem_stays_as_it_is() {
        let thinned = Thinned::of(&problem(1_000, 50), &[]);
        assert_eq!((counts(&thinned.problem), thinned.factor), (vec![1_000, 80], 1.0));
    }

    #[test]
    fn a_large_one_keeps_a_share_of_every_term() {
        let thinned = Thinned::of(&problem(10_000_000, 10_000), &[]);
        let kept = counts(&thinned.problem);
        assert!(kept[0] <= RANGE.1 && kept[0] > RANGE.1 / 2 && kept[1] == 64, "{kept:?}");
        // 64 points of the ends instead of less than one change the whole by a thousandth.
        let all = 10_000_080.0 / (kept[0] + kept[1]) as f64;
        assert!((thinned.factor / all - 1.0).abs() < 1e-12, "{} {all}", thinned.factor);
        let Places::Grid(grid) = &thinned.problem.reference.unwrap().places.clone() else {
            panic!("no grid")
        };
        assert_eq!(grid.counts, [316, 316]);
    }

    #[test]
    fn methods_with_curvature_leave_fewer() {
        let problem = problem(10_000_000, 50);
        let kept = counts(&Thinned::of(&problem, &problem.stages).problem)[0];
        assert!((RANGE.0 - 200..RANGE.0 + 200).contains(&kept), "{kept}");
    }
}
