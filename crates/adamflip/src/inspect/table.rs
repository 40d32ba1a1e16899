//! A reference that is a table: held against conditions at its own points.
//!
//! Derivatives are not known of a table, but values are: a condition on values is looked at where points of
//! the table lie on its place, and `u = u(1, t)` where the other point is in the table as well. An array
//! whose axes are swapped is found in this way.

use super::Finding;
use super::place::{faces, is_at, is_interior, lies_on, on_surface, place_of};
use super::reference::misfit;
use crate::geometry::{Boundary, Domain, Part, Place, Points};
use crate::problem::{FieldResidual, Known, Places, Problem, Reading, at_points, rms, with_magnitudes};
use crate::sample;

/// Points of the table at the most for a condition.
const POINTS: usize = 500;
/// The root mean square that counts, relative to the summands of the equation over the table: tables are
/// computed or measured and have errors of a thousandth now and then; a wrong sign, place or order of axes is
/// far above.
const TOLERANCE: f64 = 1e-2;

/// The points of a table and the fields there.
pub(super) struct Table {
    points: Points,
    /// Field and values.
    fields: Vec<(usize, Vec<f64>)>,
}

impl Table {
    /// The reference, where some field of it is a table.
    pub(super) fn of(problem: &Problem) -> Option<Self> {
        let reference = problem.reference.as_ref()?;
        let is_table = |(_, known): &(usize, Known)| matches!(known, Known::Values(_));
        let points = match &reference.places {
            _ if !reference.fields.iter().any(is_table) => return None,
            Places::Points(points) => points.clone(),
            Places::Grid(grid) => {
                let domain = Domain::new(grid.lower.clone(), grid.upper.clone()).ok()?;
                sample::grid(&domain, &grid.counts).ok()?
            }
        };
        let values = |known: &Known| match known {
            Known::Formula(tape) => at_points(tape, &points).swap_remove(0),
            Known::Values(values) => values.clone(),
        };
        let fields = reference.fields.iter().map(|(field, known)| (*field, values(known))).collect();
        Some(Self { points, fields })
    }

    /// The equations of a term that the table does not satisfy, and whether all of them could be looked at.
    pub(super) fn held(&self, problem: &Problem, index: usize) -> (Vec<Finding>, bool) {
        let term = &problem.terms[index];
        let Some(place) = place_of(term).filter(|_| term.line.is_none()) else { return (Vec::new(), false) };
        let rows = self.rows(problem, index, &place);
        let (mut found, mut all) = (Vec::new(), true);
        for (equation, residual) in term.in_fields.iter().enumerate() {
            match residual.as_ref().and_then(|residual| self.compare(problem, residual, &rows)) {
                None => all = false,
                Some((limit, rows, residuals)) => {
                    let Some((rms, at)) = misfit(&residuals).filter(|(rms, _)| *rms > limit) else {
                        continue;
                    };
                    let (point, residual) = (self.points.point(rows[at]), residuals[at]);
                    found.push(Finding::Unsolved { term: index, equation, rms, point, residual });
                }
            }
        }
        (found, all)
    }

    /// What counts, the rows with all that the equation reads, and the residual at each; nothing without such
    /// rows.
    fn compare(
        &self,
        problem: &Problem,
        residual: &FieldResidual,
        rows: &[usize],
    ) -> Option<(f64, Vec<usize>, Vec<f64>)> {
        let columns =
            residual.readings.iter().map(|reading| self.column(reading)).collect::<Option<Vec<_>>>()?;
        let sites: Vec<Vec<Option<usize>>> =
            residual.readings.iter().map(|reading| self.elsewhere(reading, rows, &problem.domain)).collect();
        let whole = |&i: &usize| sites.iter().all(|site| site[i].is_some());
        let known: Vec<usize> = (0..rows.len()).filter(whole).collect();
        if known.is_empty() {
            return None;
        }
        let mut points = self.points.select(&known.iter().map(|&i| rows[i]).collect::<Vec<_>>());
        points = points.try_with_attributes(0)?;
        for (site, column) in sites.iter().zip(&columns) {
            let values: Vec<f64> = known.iter().filter_map(|&i| Some(column[site[i]?])).collect();
            points.push_attribute(&values);
        }
        let (residuals, _) = with_magnitudes(&residual.tape, &points).swap_remove(0);
        let limit = TOLERANCE * self.size(residual, &columns);
        Some((limit, known.iter().map(|&i| rows[i]).collect(), residuals))
    }

    /// The summands of an equation over the whole table, as if it held everywhere.
    fn size(&self, residual: &FieldResidual, columns: &[&[f64]]) -> f64 {
        let rows = spread(&(0..self.points.len()).collect::<Vec<_>>());
        let Some(mut points) = self.points.select(&rows).try_with_attributes(0) else { return f64::INFINITY };
        for column in columns {
            points.push_attribute(&rows.iter().map(|&row| column[row]).collect::<Vec<_>>());
        }
        rms(&with_magnitudes(&residual.tape, &points)[0].1)
    }

    /// The values that a reading asks for, where they are in the table.
    fn column(&self, reading: &Reading) -> Option<&[f64]> {
        let (_, values) = self.fields.iter().find(|(field, _)| *field == reading.field)?;
        (reading.partial.order() == 0).then_some(values)
    }

    /// The row at which a reading is taken, for each of these.
    fn elsewhere(&self, reading: &Reading, rows: &[usize], domain: &Domain) -> Vec<Option<usize>> {
        let Some(site) = &reading.site else { return rows.iter().map(|&row| Some(row)).collect() };
        let wanted = at_points(site, &self.points.select(rows));
        let find = |i: usize| {
            let near = |row: &usize| {
                (0..wanted.len()).all(|c| is_at(domain, c, self.points.column(c)[*row], wanted[c][i]))
            };
            (0..self.points.len()).find(near)
        };
        (0..rows.len()).map(find).collect()
    }

    /// The rows on a place. Where it meets only a part of another condition the table has the value of one of
    /// the two, so these rows say nothing.
    fn rows(&self, problem: &Problem, index: usize, place: &Place) -> Vec<usize> {
        let domain = &problem.domain;
        let on = |place: &Place, row: usize| {
            let point = self.points.point(row);
            let parts = place.parts.iter().flat_map(|part| faces(part, domain));
            place.parts.is_empty() || parts.into_iter().any(|part| belongs(&part, &point, domain))
        };
        let mut rows: Vec<usize> = (0..self.points.len()).filter(|&row| on(place, row)).collect();
        if place.parts.iter().all(is_interior) {
            return spread(&rows);
        }
        for (_, term) in problem.terms.iter().enumerate().filter(|(other, _)| *other != index) {
            let Some(place) = place_of(term).filter(|place| !place.parts.iter().all(is_interior)) else {
                continue;
            };
            let alone: Vec<usize> = rows.iter().copied().filter(|&row| !on(&place, row)).collect();
            if !alone.is_empty() {
                rows = alone;
            }
        }
        spread(&rows)
    }
}

/// Whether a point of the table belongs to a part, its boundary included.
fn belongs(part: &Part, point: &[f64], domain: &Domain) -> bool {
    let surface = match (part.boundary, &domain.inside) {
        (Some(Boundary::All), Some(region)) => {
            region.leaves().into_iter().any(|shape| on_surface(&region.shapes[shape].1, point))
        }
        _ => true,
    };
    surface && lies_on(part, point, domain)
}

/// At most this many, evenly over all.
fn spread(rows: &[usize]) -> Vec<usize> {
    match rows.len() {
        count if count <= POINTS => rows.to_vec(),
        count => (0..POINTS).map(|i| rows[i * count / POINTS]).collect(),
    }
}
