//! Random points of a manifold in the space of derivatives: coordinates and derivatives that satisfy
//! equations and those of their consequences D_J F = 0 that are of no higher order.
//!
//! Coordinates and unknown numbers are drawn and kept; derivatives are drawn and led to the manifold by
//! Newton's method with the shortest step, −Jᵀ(JJᵀ)⁻¹F by Gram–Schmidt of the rows: dependent rows (equations
//! that say the same) are left out.

use super::admission::Surroundings;
use crate::geometry::Points;
use crate::lang::{Graph, HERE, Id, Leaf, Tape};
use crate::problem::at_points::at_points;
use crate::problem::magnitude::with_magnitudes;
use crate::sample::{self, normal};
use rand::RngExt;

/// Points that are drawn.
const POINTS: usize = 64;
/// Newton steps: quadratic convergence from numbers of size one.
const STEPS: usize = 60;
/// What solves an equation, relative to its summands.
const SOLVED: f64 = 1e-11;
/// What is left of a row of length one that lies in the span of others.
const DEPENDENT: f64 = 1e-9;

/// Points of the manifold, and how expressions are evaluated there.
pub(super) struct Manifold {
    points: Points,
    /// Which are solutions.
    solved: Vec<usize>,
    tapes: Vec<Tape>,
}

impl Manifold {
    /// Points where the system holds, with the derivatives that `asked` mentions; nothing where none was
    /// found.
    pub(super) fn new(
        graph: &mut Graph,
        system: &[Id],
        asked: &[Id],
        surroundings: &Surroundings<'_>,
    ) -> Option<Self> {
        let equations = consequences(graph, system, surroundings.depends);
        let mut all = equations.clone();
        all.extend(asked);
        let leaves = graph.leaves(&all);
        let free: Vec<Leaf> = leaves
            .iter()
            .copied()
            .filter(|leaf| matches!(leaf, Leaf::Jet { .. } | Leaf::Unknown(_)))
            .collect();
        let jets: Vec<usize> = (0..free.len()).filter(|&i| matches!(free[i], Leaf::Jet { .. })).collect();
        let one = graph.constant(1.0);
        let mut rows = Vec::new();
        for &equation in &equations {
            for &jet in &jets {
                rows.push(graph.tangent(equation, &[(free[jet], one)]).ok()?);
            }
        }
        let mut numbered = |ids: &[Id]| -> Tape {
            let place = |leaf: Leaf| free.iter().position(|&known| known == leaf);
            let images: Vec<Option<Id>> =
                leaves.iter().map(|&leaf| place(leaf).map(|i| graph.leaf(Leaf::Attribute(i)))).collect();
            let image = |leaf: Leaf| leaves.iter().position(|&known| known == leaf).and_then(|i| images[i]);
            let ids: Vec<Id> = ids.iter().map(|&id| graph.substitute(id, &mut |leaf| image(leaf))).collect();
            Tape::lower(graph, &ids)
        };
        let (residuals, slopes) = (numbered(&equations), numbered(&rows));
        let tapes = asked.iter().map(|&id| numbered(&[id])).collect();
        let mut points = drawn(surroundings.ranges, free.len());
        for _ in 0..STEPS {
            let (values, rows) = (at_points(&residuals, &points), at_points(&slopes, &points));
            step(&mut points, &jets, &values, &rows);
        }
        let columns = with_magnitudes(&residuals, &points);
        let is_solved = |&point: &usize| {
            columns.iter().all(|(values, sizes)| values[point].abs() <= SOLVED * (1.0 + sizes[point]))
        };
        let solved: Vec<usize> = (0..points.len()).filter(is_solved).collect();
        (!solved.is_empty()).then_some(Self { points, solved, tapes })
    }

    /// How large each of the expressions asked for is at most, relative to its summands; nothing where none
    /// has a value.
    pub(super) fn relative(&self) -> Option<Vec<f64>> {
        self.tapes.iter().map(|tape| self.largest(tape)).collect()
    }

    fn largest(&self, tape: &Tape) -> Option<f64> {
        let (values, sizes) = with_magnitudes(tape, &self.points).pop()?;
        let share = |&point: &usize| values[point].abs() / sizes[point].max(f64::MIN_POSITIVE);
        let shares = self.solved.iter().map(share).filter(|share| share.is_finite());
        shares.reduce(f64::max)
    }
}

/// The equations and their derivatives of no higher order than the highest of all.
fn consequences(graph: &mut Graph, system: &[Id], depends: &dyn Fn(usize, usize) -> bool) -> Vec<Id> {
    let order = |graph: &Graph, id: Id| {
        let orders = graph.leaves(&[id]).into_iter().map(|leaf| match leaf {
            Leaf::Jet { partial, site: HERE, .. } => partial.order(),
            _ => 0,
        });
        orders.max().unwrap_or(0)
    };
    let highest = system.iter().map(|&id| order(graph, id)).max().unwrap_or(0);
    let coordinates = |graph: &Graph, id: Id| -> Vec<usize> {
        let mut all: Vec<usize> = graph
            .leaves(&[id])
            .into_iter()
            .flat_map(|leaf| match leaf {
                Leaf::Coordinate(c) => vec![c],
                Leaf::Jet { partial, .. } => partial.coordinates().collect(),
                _ => Vec::new(),
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let used: Vec<usize> = {
        let mut used: Vec<usize> = system.iter().flat_map(|&id| coordinates(graph, id)).collect();
        used.sort_unstable();
        used.dedup();
        used
    };
    let mut all: Vec<Id> = system.to_vec();
    let mut next = 0;
    while next < all.len() {
        let id = all[next];
        next += 1;
        if order(graph, id) >= highest {
            continue;
        }
        for &by in &used {
            if let Ok(derivative) = graph.derivative(id, by, depends)
                && !all.contains(&derivative)
                && graph.depends_on(derivative, |leaf| matches!(leaf, Leaf::Jet { .. }))
            {
                all.push(derivative);
            }
        }
    }
    all
}

/// Coordinates in their ranges, and numbers of size one.
fn drawn(ranges: &[(f64, f64)], count: usize) -> Points {
    let mut rng = sample::stream(0, 28);
    let mut points = Points::new(ranges.len(), POINTS);
    for (coordinate, &(lower, upper)) in ranges.iter().enumerate() {
        points.column_mut(coordinate).fill_with(|| lower + (upper - lower) * rng.random::<f64>());
    }
    for _ in 0..count {
        let column: Vec<f64> = (0..POINTS).map(|_| normal(&mut rng)).collect();
        points.push_attribute(&column);
    }
    points
}

/// One Newton step of every point; slopes are those of the first equation by all jets, then of the next.
fn step(points: &mut Points, jets: &[usize], residuals: &[Vec<f64>], slopes: &[Vec<f64>]) {
    for point in 0..points.len() {
        let rows =
            slopes.chunks(jets.len().max(1)).map(|row| row.iter().map(|column| column[point]).collect());
        let move_by = shortest(rows.collect(), residuals.iter().map(|column| column[point]).collect());
        // From far away the linear model holds for numbers of size one.
        let length = move_by.iter().map(|d| d * d).sum::<f64>().sqrt();
        let damping = if length > 1.0 { 1.0 / length } else { 1.0 };
        for (&jet, &by) in jets.iter().zip(&move_by) {
            points.attribute_mut(jet)[point] -= damping * by;
        }
    }
}

/// The shortest d with J d = F, rows that depend on earlier ones left out.
fn shortest(rows: Vec<Vec<f64>>, residuals: Vec<f64>) -> Vec<f64> {
    let mut basis: Vec<(Vec<f64>, f64)> = Vec::new();
    for (row, residual) in rows.iter().zip(residuals) {
        let length = dot(row, row).sqrt();
        let (mut rest, mut value) = (row.clone(), residual);
        // Twice is enough (Kahan, Parlett).
        for _ in 0..2 {
            for (direction, reached) in &basis {
                let share = dot(&rest, direction);
                rest.iter_mut().zip(direction).for_each(|(r, d)| *r -= share * d);
                value -= share * reached;
            }
        }
        let left = dot(&rest, &rest).sqrt();
        if left > DEPENDENT * length && left.is_finite() {
            rest.iter_mut().for_each(|r| *r /= left);
            basis.push((rest, value / left));
        }
    }
    let mut sum = vec![0.0; rows.first().map_or(0, Vec::len)];
    for (direction, value) in &basis {
        sum.iter_mut().zip(direction).for_each(|(s, d)| *s += value * d);
    }
    sum
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
