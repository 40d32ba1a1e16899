//! Windows: slabs of time that are solved one after the other, each from the end of the one before.
//!
//! A window is a problem of its own, with the same terms in the same order on its slab. What holds at the
//! start of time holds at the start of a later slab as far as it does for the solution before: r = r of
//! before there, the interface condition. For a condition u = g this is u = u of before; it is as much for
//! u_t = g, for a system, and where the start is measured.

use std::fmt;
use std::sync::Arc;

use super::{Problem, Residual, Source, Term};
use crate::diagnostic::{Diagnostic, Spanned};
use crate::geometry::{Domain, Part, Points, Windows};
use crate::lang::Leaf;

/// What an interface condition reads: the residuals of a term for the solution of the window before, one
/// column an equation, 0 at points that do not lie at the start of the window.
#[derive(Clone)]
pub struct InterfaceValues(Arc<Columns>);

type Columns = dyn Fn(&Points) -> Vec<Vec<f64>> + Send + Sync;

impl InterfaceValues {
    /// The residual that `of` gives at points of time `start`.
    pub fn new(
        coordinate: usize,
        start: f64,
        of: impl Fn(&Points) -> Vec<Vec<f64>> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(move |points| {
            let mut columns = of(points);
            let elsewhere = |&(_, &time): &(usize, &f64)| time != start;
            for (i, _) in points.column(coordinate).iter().enumerate().filter(elsewhere) {
                columns.iter_mut().for_each(|column| column[i] = 0.0);
            }
            columns
        }))
    }

    /// Appends what it says to the attributes of the points.
    pub fn append(&self, points: &mut Points) {
        let columns = (self.0)(points);
        columns.iter().for_each(|column| points.push_attribute(column));
    }
}

impl fmt::Debug for InterfaceValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InterfaceValues")
    }
}

/// How a problem may be cut into windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The number of the time coordinate.
    pub coordinate: usize,
    /// This many of equal length; else as many as it takes.
    pub count: Option<usize>,
}

impl Plan {
    /// The windows of a number that is given, or one window that is all of time.
    pub fn windows(&self, domain: &Domain) -> Windows {
        let (lower, upper) = (domain.lower[self.coordinate], domain.upper[self.coordinate]);
        let count = self.count.unwrap_or(1);
        let bound = |k: usize| match k == count {
            true => upper,
            false => lower + (upper - lower) * k as f64 / count as f64,
        };
        Windows { coordinate: self.coordinate, bounds: (0..=count).map(bound).collect() }
    }
}

/// The windows that a file asks for, or, in the `default` plan, leaves to what is measured. None where it
/// asks for one, or for what cannot be.
pub(super) fn plan(
    (asked, default): (Option<&Spanned<usize>>, bool),
    time: Option<usize>,
    domain: &Domain,
    (terms, solution, is_inverse): (&[Term], &Residual, bool),
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Plan> {
    let found = time.ok_or(Obstacle::NoTime).and_then(|coordinate| {
        let plan = Plan { coordinate, count: asked.map(|asked| asked.value) };
        match obstacle(plan, domain, terms, solution, is_inverse) {
            Some(obstacle) => Err(obstacle),
            None => Ok(plan),
        }
    });
    match (asked, found) {
        (Some(asked), _) if asked.value == 1 => None,
        (Some(_), Ok(plan)) => Some(plan),
        (None, Ok(plan)) => default.then_some(plan),
        (None, Err(_)) => None,
        (Some(asked), Err(obstacle)) => {
            let (message, hint) = obstacle.text();
            diagnostics.push(Diagnostic::new(asked.span, message).label("windows").hint(hint));
            None
        }
    }
}

/// Why a problem cannot be solved window by window.
enum Obstacle {
    NoTime,
    Inverse,
    NoStart,
    Ansatz,
    /// Of the term with this name.
    History(String),
    Instant(String, f64),
    Empty(String, usize),
}

impl Obstacle {
    fn text(&self) -> (String, &'static str) {
        let leave = "leave `windows` out";
        match self {
            Self::NoTime => {
                ("windows are slabs of time, and no coordinate is called `t`".into(), "name the time `t`")
            }
            Self::Inverse => {
                ("a problem with unknowns has no windows: each would find its own".into(), leave)
            }
            Self::NoStart => (
                "no term holds at the first time, so a window has nothing to start from".into(),
                "give the start as a term, for example `on = \"t = 0\"`",
            ),
            Self::Ansatz => (
                "the ansatz depends on `t`, so a window cannot start from the one before".into(),
                "give the start as a term instead, for example `on = \"t = 0\"`",
            ),
            Self::History(term) => {
                (format!("`{term}` reads the solution at other times, which a window does not know"), leave)
            }
            Self::Instant(term, time) => (
                format!("`{term}` holds at t = {time} alone: in the other windows it would have no points"),
                leave,
            ),
            Self::Empty(term, window) => (
                format!("`{term}` has no points in window {}", window + 1),
                "take fewer windows, or give the term points at all times",
            ),
        }
    }
}

fn obstacle(
    plan: Plan,
    domain: &Domain,
    terms: &[Term],
    solution: &Residual,
    is_inverse: bool,
) -> Option<Obstacle> {
    let (time, windows) = (plan.coordinate, plan.windows(domain));
    if is_inverse {
        return Some(Obstacle::Inverse);
    }
    if solution.precomputed.inputs().contains(&Leaf::Coordinate(time)) {
        return Some(Obstacle::Ansatz);
    }
    if !terms.iter().any(|term| term.begins(time, domain.lower[time])) {
        return Some(Obstacle::NoStart);
    }
    for term in terms {
        let name = || term.name.clone();
        if term.line.is_some() || term.residual.sites.iter().flatten().any(|site| moves(site, time)) {
            return Some(Obstacle::History(name()));
        }
        if let Some(instant) = term.instant(time, domain.lower[time]) {
            return Some(Obstacle::Instant(name(), instant));
        }
        if plan.count.is_none() && !term.is_everywhere(time, domain.lower[time]) {
            return Some(Obstacle::Empty(name(), 0));
        }
        let empty = (0..windows.count()).find(|&k| {
            let (slab, source) = (windows.slab(domain, k), term.source_in(&windows, k));
            source.is_none_or(|source| source.draw_at_most(FEW, &slab, 0, 1, 0).is_err())
        });
        if let Some(window) = empty {
            return Some(Obstacle::Empty(name(), window));
        }
    }
    None
}

/// Points that are drawn to see whether there are any.
const FEW: usize = 16;

/// Does a site lie at another time than its point?
fn moves(site: &crate::lang::Tape, time: usize) -> bool {
    site.inputs().get(site.outputs()[time]) != Some(&Leaf::Coordinate(time))
}

impl Problem {
    /// The problem of one window; `values` has what the residuals of a term are for the solution of the
    /// window before.
    pub fn window(
        &self,
        windows: &Windows,
        window: usize,
        values: impl Fn(&Term) -> Option<InterfaceValues>,
    ) -> Self {
        let mut problem = self.clone();
        (problem.domain, problem.windows) = (windows.slab(&self.domain, window), None);
        let length = |domain: &Domain| domain.upper[windows.coordinate] - domain.lower[windows.coordinate];
        let share = length(&problem.domain) / length(&self.domain);
        for plan in &mut problem.networks {
            let scales = plan.shape.fourier.iter_mut().flat_map(|fourier| &mut fourier.scales);
            scales.filter(|(c, _)| *c == windows.coordinate).for_each(|(_, scale)| *scale *= share);
        }
        for (term, whole) in problem.terms.iter_mut().zip(&self.terms) {
            // That there is one was seen when the file was read.
            if let Some(source) = whole.source_in(windows, window) {
                term.source = source;
            }
            if let (true, Some(interface)) = (window > 0, &whole.interface) {
                term.residual = (**interface).clone();
                term.in_fields.fill(None);
                term.reference_residual = None;
                term.source.add(values(whole));
            }
        }
        problem
    }
}

impl Term {
    /// Does it hold at the first time, perhaps elsewhere too?
    pub(super) fn begins(&self, time: usize, first: f64) -> bool {
        match &self.source {
            Source::Drawn { place, .. } | Source::Observed { place, .. } => {
                place.parts.iter().any(|part| part.value(time) == Some(first))
            }
            Source::Given { points, .. } => points.column(time).contains(&first),
        }
    }

    /// Does every slab have points of it?
    fn is_everywhere(&self, time: usize, first: f64) -> bool {
        match &self.source {
            Source::Drawn { place, .. } | Source::Observed { place, .. } => place
                .parts
                .iter()
                .all(|part| part.within.is_empty() && part.ranges.iter().all(|&(c, ..)| c != time)),
            Source::Given { points, .. } => points.column(time).iter().all(|&t| t == first),
        }
    }

    /// A time other than the first that a part of its place fixes.
    fn instant(&self, time: usize, first: f64) -> Option<f64> {
        let (Source::Drawn { place, .. } | Source::Observed { place, .. }) = &self.source else {
            return None;
        };
        place.parts.iter().filter_map(|part| part.value(time)).find(|&value| value != first)
    }

    /// Where its points come from in a window; nothing where it has none there.
    fn source_in(&self, windows: &Windows, window: usize) -> Option<Source> {
        let (time, first) = (windows.coordinate, windows.bounds[0]);
        let (lower, upper) = (windows.bounds[window], windows.bounds[window + 1]);
        let mut source = self.source.clone();
        match &mut source {
            Source::Drawn { place, .. } | Source::Observed { place, .. } => {
                let whole = place.parts.is_empty();
                place.parts.retain_mut(|part| clip(part, time, lower, upper));
                (whole || !place.parts.is_empty()).then_some(source)
            }
            Source::Given { points, take, noise, measured, .. } => {
                let last = window + 1 == windows.count();
                let within = |t: f64| t >= lower && (t < upper || last && t <= upper);
                let times = points.column(time);
                let here = |&i: &usize| times[i] == first || within(times[i]);
                let here: Vec<usize> = (0..points.len()).filter(here).collect();
                if window > 0 {
                    (*noise, *measured) = (0.0, *measured && here.iter().any(|&i| times[i] != first));
                }
                *take = take.map(|take| (take * here.len()).div_ceil(points.len().max(1)));
                *points = points.select(&here);
                let start = points.column_mut(time).iter_mut().filter(|t| **t == first);
                start.for_each(|t| *t = lower);
                (!points.is_empty()).then_some(source)
            }
        }
    }
}

/// Restricts a part to a slab; false where nothing is left.
fn clip(part: &mut Part, time: usize, lower: f64, upper: f64) -> bool {
    // What is fixed is fixed at the start.
    part.fixed.iter_mut().filter(|(c, _)| *c == time).for_each(|(_, value)| *value = lower);
    part.ranges.iter_mut().filter(|(c, ..)| *c == time).all(|(_, from, to)| {
        (*from, *to) = (from.max(lower), to.min(upper));
        *from < *to
    })
}

impl Source {
    /// Lets its points have what the interface condition reads there.
    fn add(&mut self, values: Option<InterfaceValues>) {
        match self {
            Source::Drawn { interface, .. } => *interface = values,
            Source::Given { points, .. } => values.iter().for_each(|values| values.append(points)),
            // Observed starts are no conditions of a forward problem; they keep their values.
            Source::Observed { .. } => {}
        }
    }
}
