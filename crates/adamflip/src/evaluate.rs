//! Errors against the reference, on a grid that training never saw.

use crate::geometry::{Domain, Points};
use crate::model::Model;
use crate::objective::values;
use crate::problem::{Grid, Known, Places, Problem, at_points};
use crate::sample::{self, SampleError};

/// How far from a shape's boundary the digits of a file may put a point that lies on it, of the domain's
/// length.
const SLACK: f64 = 1e-6;

/// One field on the evaluation grid.
#[derive(Clone, Debug)]
pub struct FieldError {
    /// The field's number.
    pub field: usize,
    /// ‖network − reference‖₂ / ‖reference‖₂ over the grid (the absolute norm where the reference vanishes),
    /// without the points where the reference is not finite; NaN if it is nowhere.
    pub relative_l2: f64,
    /// The largest absolute error at the same points; NaN if one of them is.
    pub max: f64,
    /// The network at those points (NaN outside the domain), a grid's last coordinate fastest.
    pub network: Vec<f64>,
    /// The reference there.
    pub reference: Vec<f64>,
}

/// The errors of all fields with a reference.
pub fn errors(problem: &Problem, model: &Model, θ: &[f64]) -> Result<Vec<FieldError>, SampleError> {
    let Some(reference) = &problem.reference else { return Ok(Vec::new()) };
    let (points, inside) = places(problem, &reference.places)?;
    let outputs = predict(problem, model, θ, &points);
    let field = |(field, known): &(usize, Known)| {
        let mut network = outputs[*field].clone();
        blank(&mut network, &inside);
        let reference = reference_values(known, &points, &inside);
        FieldError {
            field: *field,
            relative_l2: relative_l2(&network, &reference),
            max: largest(&network, &reference),
            network,
            reference,
        }
    };
    Ok(reference.fields.iter().map(field).collect())
}

/// The errors at a few of the points, cheap enough to follow them while training.
#[derive(Clone, Debug)]
pub struct Probe {
    points: Points,
    /// Field and reference, in the order of the problem's reference.
    fields: Vec<(usize, Vec<f64>)>,
}

impl Probe {
    /// At most this many points, spread over all; none where there is no reference.
    pub fn new(problem: &Problem, most: usize) -> Option<Self> {
        let reference = problem.reference.as_ref()?;
        let (points, inside) = places(problem, &reference.places).ok()?;
        let all: Vec<usize> = (0..points.len()).filter(|&i| inside[i]).collect();
        // Multiples of the golden section lie evenly whatever the period of a grid.
        let spread = |i: usize| all[((i as f64 * 0.618_033_988_749_895).fract() * all.len() as f64) as usize];
        let chosen = if all.len() <= most { all.clone() } else { (0..most).map(spread).collect() };
        let field = |(field, known): &(usize, Known)| {
            let values = reference_values(known, &points, &inside);
            (*field, chosen.iter().map(|&i| values[i]).collect())
        };
        let fields = reference.fields.iter().map(field).collect();
        (!chosen.is_empty()).then(|| Self { points: points.select(&chosen), fields })
    }

    /// The relative L2 error of every field with a reference.
    pub fn measure(&self, problem: &Problem, model: &Model, θ: &[f64]) -> Vec<f64> {
        let outputs = predict(problem, model, θ, &self.points);
        self.fields.iter().map(|(field, known)| relative_l2(&outputs[*field], known)).collect()
    }
}

/// Network and reference where the reference is a number.
fn known<'a>(network: &'a [f64], reference: &'a [f64]) -> impl Iterator<Item = (f64, f64)> + 'a {
    network.iter().copied().zip(reference.iter().copied()).filter(|(_, known)| known.is_finite())
}

/// Relative to a reference that is zero everywhere there is nothing: the root mean square of the error stands
/// for it.
fn relative_l2(network: &[f64], reference: &[f64]) -> f64 {
    let (error, size, count) = known(network, reference)
        .fold((0.0, 0.0, 0.0), |(error, size, count), (a, b)| {
            (error + (a - b) * (a - b), size + b * b, count + 1.0)
        });
    // Of no points at all nothing is known: 0/0.
    if size > 0.0 { f64::sqrt(error) / f64::sqrt(size) } else { f64::sqrt(error / count) }
}

/// The largest absolute error, NaN if one is: `f64::max` would lose it.
fn largest(network: &[f64], reference: &[f64]) -> f64 {
    let errors = known(network, reference).map(|(a, b)| (a - b).abs());
    errors.reduce(|max, error| if error > max || error.is_nan() { error } else { max }).unwrap_or(f64::NAN)
}

/// A reference that is no finite number on a part of its grid: `log(x)` at x = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// The field's number.
    pub field: usize,
    /// How many points it has no value at.
    pub missing: usize,
    /// The points of the grid.
    pub points: usize,
    /// The coordinates of the first such point.
    pub example: Vec<f64>,
}

/// The gaps of all references. Their points do not count for [`errors`].
pub fn gaps(problem: &Problem) -> Result<Vec<Gap>, SampleError> {
    let Some(reference) = &problem.reference else { return Ok(Vec::new()) };
    let (points, inside) = places(problem, &reference.places)?;
    let gap = |(field, known): &(usize, Known)| {
        let values = reference_values(known, &points, &inside);
        let missing = |&i: &usize| inside[i] && !values[i].is_finite();
        let first = (0..values.len()).find(missing)?;
        let count = (0..values.len()).filter(missing).count();
        let among = inside.iter().filter(|inside| **inside).count();
        Some(Gap { field: *field, missing: count, points: among, example: points.point(first) })
    };
    Ok(reference.fields.iter().filter_map(gap).collect())
}

impl Gap {
    /// The gap in words.
    pub fn text(&self, problem: &Problem) -> String {
        let axes = problem.coordinates.iter().zip(&self.example);
        let example: Vec<String> = axes.map(|(name, value)| format!("{name} = {value}")).collect();
        format!(
            "the reference of {} is not finite at {} of {} grid points, e.g. {}; they are left out",
            problem.fields[self.field],
            self.missing,
            self.points,
            example.join(", ")
        )
    }
}

/// All fields at any points, one column a field. Runs on the current rayon pool.
pub fn predict(problem: &Problem, model: &Model, θ: &[f64], points: &Points) -> Vec<Vec<f64>> {
    values(&problem.solution, model, &problem.unknowns, θ, points)
}

/// The points at which errors are measured, and which of them belong to the domain.
pub(crate) fn places(problem: &Problem, places: &Places) -> Result<(Points, Vec<bool>), SampleError> {
    let points = match places {
        Places::Points(points) => points.clone(),
        Places::Grid(grid) => grid_points(grid)?,
    };
    let domain = &problem.domain;
    let inside = match (&domain.inside, places) {
        (None, _) => vec![true; points.len()],
        (Some(_), Places::Grid(_)) => points.iter().map(|point| domain.contains(&point)).collect(),
        (Some(_), Places::Points(_)) => points.iter().map(|point| nearly_contains(domain, &point)).collect(),
    };
    Ok((points, inside))
}

/// Is a point inside, or so near that the digits of a file may have put it outside?
fn nearly_contains(domain: &Domain, point: &[f64]) -> bool {
    domain.contains(point)
        || (0..point.len()).any(|axis| {
            let step = SLACK * (domain.upper[axis] - domain.lower[axis]);
            [-step, step].into_iter().any(|step| {
                let mut moved = point.to_vec();
                moved[axis] += step;
                domain.contains(&moved)
            })
        })
}

/// The points of a regular grid, last coordinate fastest.
pub fn grid_points(grid: &Grid) -> Result<Points, SampleError> {
    let wrong = SampleError::WrongCounts { counts: grid.counts.len(), dimension: grid.lower.len() };
    let domain = Domain::new(grid.lower.clone(), grid.upper.clone()).map_err(|_| wrong)?;
    sample::grid(&domain, &grid.counts)
}

/// The reference of a field at the points where errors are measured; NaN outside the domain.
pub(crate) fn reference_values(known: &Known, points: &Points, inside: &[bool]) -> Vec<f64> {
    let mut values = match known {
        Known::Formula(tape) => at_points(tape, points).swap_remove(0),
        Known::Values(values) => values.clone(),
    };
    blank(&mut values, inside);
    values
}

/// Not a number outside the domain.
pub(crate) fn blank(values: &mut [f64], inside: &[bool]) {
    values.iter_mut().zip(inside).filter(|(_, inside)| !**inside).for_each(|(value, _)| *value = f64::NAN);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;
    use crate::train::Trainer;

    #[test]
    fn not_a_number_stays_visible() {
        for network in [[f64::NAN, 1.0, 3.0], [1.0, f64::NAN, 3.0], [3.0, 1.0, f64::NAN]] {
            assert!(largest(&network, &[0.0; 3]).is_nan(), "{network:?}");
            assert!(relative_l2(&network, &[1.0; 3]).is_nan(), "{network:?}");
        }
        assert!(relative_l2(&[1.0], &[f64::INFINITY]).is_nan() && largest(&[1.0], &[f64::NAN]).is_nan());
        // The points without a reference do not count: 3 − 4 over 4, exact in floating point.
        assert_eq!(relative_l2(&[1.0, 3.0], &[f64::NEG_INFINITY, 4.0]), 0.25);
        // Of a reference that is zero, the root mean square, whatever the number of points.
        assert_eq!([relative_l2(&[3.0], &[0.0]), relative_l2(&[3.0; 100], &[0.0; 100])], [3.0; 2]);
        assert_eq!(largest(&[1.0, 3.0], &[f64::NEG_INFINITY, 4.0]), 1.0);
    }

    #[test]
    fn a_probe_sees_nearly_the_whole_error() {
        let text = "fields = [\"u\"]\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.a]\nequation = \"u = 1\"\npoints = 4\n\
                    [network]\nhidden = [3]\n[reference]\nu = \"sin(5*x)*exp(t)\"\ngrid = { x = 100, t = 100 }";
        let problem = crate::testing::problem(text);
        let trainer = Trainer::new(problem, 0, Vec::new()).unwrap();
        let (problem, model) = (trainer.problem(), trainer.objective().model());
        let whole = errors(problem, model, trainer.θ()).unwrap()[0].relative_l2;
        let measure = |most| Probe::new(problem, most).unwrap().measure(problem, model, trainer.θ())[0];
        assert_eq!(measure(10_000), whole);
        // The error varies slowly, and 500 points are spread over it.
        assert!((measure(500) - whole).abs() < 0.05 * whole, "{} {whole}", measure(500));
    }

    /// Seven digits put every second point of a circle outside.
    #[test]
    fn points_of_files_on_a_curved_boundary_count() {
        let folder = tempfile::tempdir().unwrap();
        let circle = |k: i32| (0.1 + 0.05 * f64::from(k)).sin_cos();
        let rows = (0..100).map(circle).map(|(x, y)| format!("{x:.7},{y:.7},1\n"));
        let far = "0.9,0.9,5\n".to_owned();
        let file: String = std::iter::once("x,y,u\n".to_owned()).chain(rows).chain([far]).collect();
        std::fs::write(folder.path().join("rim.csv"), file).unwrap();
        let text = "fields = [\"u\"]\n[domain]\nx = [-1, 1]\ny = [-1, 1]\ninside = \"a\"\n\
                    [shapes]\na = { disk = { center = [0, 0], radius = 1 } }\n\
                    [term.a]\nequation = \"u = 1\"\npoints = 4\n[reference]\ndata = \"rim.csv\"\n";
        let mut parsed = spec::parse("p.toml", text, &Default::default());
        parsed.spec.folder = folder.path().into();
        let problem = crate::problem::build(parsed).unwrap();
        let (_, inside) = places(&problem, &problem.reference.as_ref().unwrap().places).unwrap();
        assert_eq!(inside.iter().filter(|inside| **inside).count(), 100);
        assert!(!inside[100]);
    }

    #[test]
    fn gaps_of_the_reference_are_told() {
        let text = "fields = [\"u\"]\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.a]\nequation = \"u = 1\"\npoints = 4\n\
                    [network]\nhidden = [3]\n[reference]\nu = \"log(x)\"\ngrid = { x = 3, t = 5 }";
        let problem = crate::testing::problem(text);
        let trainer = Trainer::new(problem, 0, Vec::new()).unwrap();
        let problem = trainer.problem();
        let gaps = gaps(problem).unwrap();
        assert_eq!(gaps, [Gap { field: 0, missing: 5, points: 15, example: vec![0.0, 0.0] }]);
        let said =
            "the reference of u is not finite at 5 of 15 grid points, e.g. x = 0, t = 0; they are left out";
        assert_eq!(gaps[0].text(problem), said);
        let errors = errors(problem, trainer.objective().model(), trainer.θ()).unwrap();
        assert!(errors[0].relative_l2.is_finite() && errors[0].max.is_finite(), "{errors:?}");
    }
}
