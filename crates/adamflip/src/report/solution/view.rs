//! Which coordinates of a field are shown, and where the others are cut.

use crate::geometry::between;
use crate::problem::{Grid, Problem};
use crate::report::figure::Axis;

/// Nodes along a single coordinate, along each of two, and along each of two where time is cut. Any other
/// coordinate has one node, its middle, so that the grid is bounded however many there are.
const ALONE: usize = 1001;
const SHOWN: usize = 201;
const SNAPSHOT: usize = 161;
const RESIDUAL: usize = 101;

/// How much of the fields is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// One figure of all fields: where time is cut, a lone field at three times, several at the end.
    Overview,
    /// A figure a field: where time is cut, at four times; where it is an axis, profiles too.
    Whole,
    /// A row an equation: where time is cut, at three times. Derivatives cost more than values, so nodes are
    /// fewer.
    Residual,
}

/// How one field is looked at.
#[derive(Clone)]
pub(super) struct View<'a> {
    pub(super) problem: &'a Problem,
    pub(super) field: usize,
    pub(super) detail: Detail,
    /// What is shown, where it is not the field itself.
    named: Option<String>,
    pub(super) across: usize,
    /// `None` where the field depends on one coordinate only.
    pub(super) up: Option<usize>,
    /// Time, where it is cut.
    time: Option<usize>,
    /// The other coordinates that are cut.
    cut: Vec<usize>,
    /// The coordinates that the field does not depend on.
    pub(super) free: Vec<usize>,
    /// Both axes are of space.
    pub(super) equal_units: bool,
}

impl<'a> View<'a> {
    pub(super) fn of(problem: &'a Problem, field: usize, detail: Detail) -> Self {
        let network = problem.networks.iter().find(|network| network.fields.contains(&field));
        let all = || (0..problem.coordinates.len()).collect();
        Self::over(problem, network.map_or_else(all, |plan| plan.coordinates.clone()), field, detail)
    }

    /// What depends on these coordinates.
    pub(super) fn over(problem: &'a Problem, own: Vec<usize>, field: usize, detail: Detail) -> Self {
        let all = 0..problem.coordinates.len();
        let time = problem.domain.time.filter(|time| own.contains(time));
        let mut space = own.iter().copied().filter(|&c| Some(c) != time);
        let (across, up, time, equal_units) = match (space.next(), space.next(), time) {
            (Some(x), Some(y), time) => (x, Some(y), time, true),
            (Some(x), None, Some(t)) => (t, Some(x), None, false),
            (first, _, time) => (first.or(time).unwrap_or_default(), None, None, false),
        };
        let cut = space.collect();
        let free = all.filter(|c| !own.contains(c) && *c != across).collect();
        Self { problem, field, detail, named: None, across, up, time, cut, free, equal_units }
    }

    /// The same view of something else.
    pub(super) fn renamed(&self, name: String) -> Self {
        Self { named: Some(name), ..self.clone() }
    }

    /// The name of the field.
    pub(super) fn name(&self) -> &str {
        self.named.as_deref().unwrap_or(&self.problem.fields[self.field])
    }

    /// Whether two fields are looked at in the same way.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let axes = |view: &Self| (view.across, view.up, view.time, view.cut.clone(), view.free.clone());
        axes(self) == axes(other)
    }

    /// Whether time runs across and space up.
    pub(super) fn has_profiles(&self) -> bool {
        self.up.is_some() && !self.equal_units
    }

    /// Whether every coordinate is shown.
    pub(super) fn is_whole(&self) -> bool {
        self.time.is_none() && self.cut.is_empty() && self.free.is_empty()
    }

    /// Whether no coordinate that the field depends on is hidden.
    pub(super) fn shows_all(&self) -> bool {
        self.time.is_none() && self.cut.is_empty()
    }

    /// The grid of the figure.
    pub(super) fn grid(&self) -> Grid {
        let count = |c: usize| match c {
            _ if c == self.across && self.up.is_none() => ALONE,
            _ if c == self.across || Some(c) == self.up => self.side(),
            _ if Some(c) == self.time => self.times().last().map_or(1, |last| last + 1),
            _ => 1,
        };
        let domain = &self.problem.domain;
        let counts = (0..self.problem.coordinates.len()).map(count).collect();
        Grid { lower: domain.lower.clone(), upper: domain.upper.clone(), counts }
    }

    /// Nodes along each of two coordinates.
    fn side(&self) -> usize {
        match self.detail {
            Detail::Residual => RESIDUAL,
            Detail::Overview | Detail::Whole if self.time.is_some() => SNAPSHOT,
            Detail::Overview | Detail::Whole => SHOWN,
        }
    }

    /// The times of snapshots, as numbers of nodes that are evenly apart; the last is the end. A change is
    /// often fast at first, so the second half has only its end.
    fn times(&self) -> &'static [usize] {
        match self.detail {
            Detail::Whole => &[0, 1, 2, 4],
            Detail::Residual => &[0, 1, 2],
            Detail::Overview if self.problem.fields.len() == 1 => &[0, 1, 2],
            Detail::Overview => &[1],
        }
    }

    /// The cuts through a grid.
    pub(super) fn cuts(&self, grid: &Grid) -> Vec<Cut> {
        let others = self.cut.iter().map(|&c| (c, grid.counts[c] / 2));
        let Some(time) = self.time else { return vec![Cut(others.collect())] };
        let (last, end) = (grid.counts[time].saturating_sub(1), self.times().last().map_or(1, |end| *end));
        let mut times: Vec<usize> = self.times().iter().map(|at| (at * last + end / 2) / end).collect();
        times.dedup();
        times
            .into_iter()
            .map(|node| Cut([(time, node)].into_iter().chain(others.clone()).collect()))
            .collect()
    }

    /// The values of a plane through a grid: that of node (i, j) is `[i * rows + j]`. Along coordinates that
    /// the field does not depend on, any value will do; outside the domain there is none, so the first that
    /// is finite is taken.
    pub(super) fn plane(&self, grid: &Grid, cut: &Cut, values: &[f64]) -> Vec<f64> {
        let counts = &grid.counts;
        let stride = |c: usize| counts[c + 1..].iter().product::<usize>();
        let strides: Vec<usize> = (0..counts.len()).map(stride).collect();
        let node = |index: usize, c: usize| index / strides[c] % counts[c];
        let rows = self.up.map_or(1, |c| counts[c]);
        let mut plane = vec![f64::NAN; counts[self.across] * rows];
        for (index, &value) in values.iter().enumerate() {
            if cut.0.iter().all(|&(c, at)| node(index, c) == at) {
                let row = self.up.map_or(0, |c| node(index, c));
                let place = &mut plane[node(index, self.across) * rows + row];
                *place = if place.is_finite() { *place } else { value };
            }
        }
        plane
    }

    /// An axis of the figure.
    pub(super) fn axis(&self, grid: &Grid, coordinate: usize) -> Axis {
        Axis {
            label: self.problem.coordinates[coordinate].clone(),
            lower: grid.lower[coordinate],
            upper: grid.upper[coordinate],
            count: grid.counts[coordinate],
        }
    }

    /// The field and where it is cut: `u at t = 1, x3 … x10 = 0.5`.
    pub(super) fn title(&self, grid: &Grid, cut: &Cut) -> String {
        match self.cut_text(grid, cut) {
            None => self.name().to_owned(),
            Some(place) => format!("{} at {place}", self.name()),
        }
    }

    /// Where it is cut: `t = 1, x3 … x10 = 0.5`; nothing where it is not.
    pub(super) fn cut_text(&self, grid: &Grid, cut: &Cut) -> Option<String> {
        let places: Vec<(usize, f64)> = cut.places(grid).map(|(c, value)| (c, rounded(value))).collect();
        let name = |&(c, _): &(usize, f64)| self.problem.coordinates[c].as_str();
        let group = |equal: &[(usize, f64)]| match equal {
            [] => String::new(),
            [one] => format!("{} = {}", name(one), one.1),
            [one, two] => format!("{} = {} = {}", name(one), name(two), one.1),
            [first, .., last] => format!("{} … {} = {}", name(first), name(last), first.1),
        };
        // Time comes first and stands alone, whatever its value.
        let together = |a: &(usize, f64), b: &(usize, f64)| a.1 == b.1 && Some(a.0) != self.time;
        let groups: Vec<String> = places.chunk_by(together).map(group).collect();
        (!groups.is_empty()).then(|| groups.join(", "))
    }

    /// A coordinate and its value: `t = 0.2`.
    pub(super) fn place(&self, coordinate: usize, value: f64) -> String {
        format!("{} = {}", self.problem.coordinates[coordinate], rounded(value))
    }

    /// Whether the domain reaches a point; along coordinates that the field does not depend on, somewhere
    /// will do.
    pub(super) fn reaches(&self, point: &mut [f64]) -> bool {
        const STEPS: [f64; 5] = [0.5, 0.25, 0.75, 0.0, 1.0];
        let domain = &self.problem.domain;
        if self.free.is_empty() {
            return domain.contains(point);
        }
        STEPS.iter().any(|&step| {
            self.free.iter().for_each(|&c| point[c] = between(domain.lower[c], domain.upper[c], step));
            domain.contains(point)
        })
    }
}

/// Nodes at which coordinates are cut.
pub(super) struct Cut(Vec<(usize, usize)>);

impl Cut {
    /// The coordinates and the values at which they are cut.
    pub(super) fn places(&self, grid: &Grid) -> impl Iterator<Item = (usize, f64)> {
        self.0.iter().map(|&(c, at)| (c, grid.node(c, at)))
    }
}

/// Four digits are enough to tell places apart, and hide rounding.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}
