//! Files of points: observations, references, clouds. Read, matched with the coordinates, and held against
//! the domain.

use super::names::Names;
use super::reference::Grid;
use crate::data;
use crate::diagnostic::{Diagnostic, Spanned};
use crate::geometry::{Domain, Points};
use crate::spec;

/// The points of a file with its other columns as attributes.
pub(super) struct Read {
    pub(super) points: Points,
    /// The names of the attributes.
    pub(super) columns: Vec<String>,
    /// The grid, where the file has a regular one.
    pub(super) grid: Option<Grid>,
    /// What was assumed or left out in reading.
    pub(super) notes: Vec<String>,
}

/// Reads a file named in the problem file, relative to its folder.
pub(super) fn read(
    spec: &spec::Spec,
    file: &Spanned<String>,
    columns: Option<&[Spanned<String>]>,
    names: &Names,
    domain: &Domain,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Read> {
    let choice: Option<Vec<String>> = columns.map(|list| list.iter().map(|c| c.value.clone()).collect());
    let arrays = spec.arrays.iter().find(|arrays| arrays.name() == file.value);
    let read = match arrays {
        Some(arrays) => arrays.table(&names.coordinates, choice.as_deref()),
        None => data::read(&spec.folder.join(&file.value), &names.coordinates, choice.as_deref()),
    };
    let table = match read {
        Ok(table) => table,
        Err(error) => {
            let entry = columns.into_iter().flatten().find(|entry| error.is_of(&entry.value));
            let diagnostic = match entry {
                Some(entry) => Diagnostic::new(entry.span, error.to_string()).label("this column"),
                None => Diagnostic::new(file.span, error.to_string()).label("this file"),
            };
            let hint = error.hint().unwrap_or_else(|| "correct the file, or name another".to_owned());
            diagnostics.push(diagnostic.hint(hint));
            return None;
        }
    };
    // Borrowed: a table of millions of rows is held twice at most, here and as points.
    let coordinates = names.coordinates.iter().map(|name| table.column(name)).collect::<Option<Vec<_>>>()?;
    if let Some(diagnostic) = outside(file, &table, &coordinates, names, domain) {
        diagnostics.push(diagnostic);
        return None;
    }
    let others: Vec<String> =
        table.names().iter().filter(|name| !names.coordinates.contains(name)).cloned().collect();
    let attributes: Vec<&[f64]> = others.iter().filter_map(|name| table.column(name)).collect();
    Some(Read {
        grid: table.grid().and_then(regular),
        points: points(&coordinates, &attributes),
        columns: others,
        notes: table.notes().to_vec(),
    })
}

fn points(coordinates: &[&[f64]], attributes: &[&[f64]]) -> Points {
    let mut points = Points::new(coordinates.len(), coordinates.first().map_or(0, |column| column.len()));
    for (c, column) in coordinates.iter().enumerate() {
        points.column_mut(c).copy_from_slice(column);
    }
    attributes.iter().for_each(|column| points.push_attribute(column));
    points
}

/// The first row that lies outside the ranges of the domain.
fn outside(
    file: &Spanned<String>,
    table: &data::Table,
    coordinates: &[&[f64]],
    names: &Names,
    domain: &Domain,
) -> Option<Diagnostic> {
    for (c, column) in coordinates.iter().enumerate() {
        let (lower, upper) = (domain.lower[c], domain.upper[c]);
        // Decimal digits of a file may miss an end by rounding.
        let slack = 1e-9 * (upper - lower);
        let inside = |value: f64| (lower - slack..=upper + slack).contains(&value);
        if let Some(row) = column.iter().position(|&value| !inside(value)) {
            let (name, value) = (&names.coordinates[c], column[row]);
            let message =
                format!("`{}`, {}: {name} = {value} is outside the domain", file.value, table.row_name(row));
            let diagnostic =
                Diagnostic::new(file.span, message).label(format!("{name} runs from {lower} to {upper}"));
            return Some(diagnostic.hint(format!("widen `{name}` in [domain], or remove the row")));
        }
    }
    None
}

/// The grid, if its steps are equal up to the rounding of single precision.
fn regular(axes: &[Vec<f64>]) -> Option<Grid> {
    let even = |axis: &Vec<f64>| {
        let (first, last) = (axis[0], axis[axis.len() - 1]);
        let step = (last - first) / (axis.len().max(2) - 1) as f64;
        let near = |(i, &x): (usize, &f64)| (x - first - i as f64 * step).abs() <= 1e-5 * step.abs();
        last > first && axis.iter().enumerate().all(near)
    };
    axes.iter().all(even).then(|| Grid {
        lower: axes.iter().map(|axis| axis[0]).collect(),
        upper: axes.iter().map(|axis| axis[axis.len() - 1]).collect(),
        counts: axes.iter().map(Vec::len).collect(),
    })
}
