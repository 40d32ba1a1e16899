//! Tables with a column for each value of a coordinate, as simulation programs write them:
//! `% x  y  u (m) @ t=0  u (m) @ t=0.1`. Every line is a point at all these times.

use super::DataError;
use super::line_numbers::LineNumbers;
use super::request::{Request, Selected};
use super::table::{RowOrigin, Table};

/// What the names of such a table say.
#[derive(Debug, PartialEq)]
pub(super) struct Wide {
    /// The coordinate whose values are in the names.
    coordinate: String,
    values: Vec<f64>,
    /// Columns without a value: names and positions.
    plain: Vec<(String, usize)>,
    /// The others by their names: the position for each value.
    fields: Vec<(String, Vec<usize>)>,
}

impl Wide {
    /// Nothing where no name has the value of a coordinate, or where columns are missing.
    pub(super) fn of(names: &[String], coordinates: &[String]) -> Option<Self> {
        let marked: Vec<Option<(&str, &str, f64)>> = names.iter().map(|name| marked(name)).collect();
        let (_, coordinate, _) = marked.iter().flatten().next()?;
        let is_known = coordinates.iter().any(|name| name == coordinate);
        if !is_known || marked.iter().flatten().any(|(_, other, _)| other != coordinate) {
            return None;
        }
        let mut values: Vec<f64> = Vec::new();
        for (_, _, value) in marked.iter().flatten() {
            if !values.contains(value) {
                values.push(*value);
            }
        }
        let (mut plain, mut fields) = (Vec::new(), Vec::<(String, Vec<Option<usize>>)>::new());
        for (position, (name, mark)) in names.iter().zip(&marked).enumerate() {
            let Some((field, _, value)) = mark else {
                plain.push((word(name).to_owned(), position));
                continue;
            };
            let place = match fields.iter().position(|(known, _)| known == field) {
                Some(place) => place,
                None => {
                    fields.push(((*field).to_owned(), vec![None; values.len()]));
                    fields.len() - 1
                }
            };
            let at = values.iter().position(|known| known == value)?;
            fields[place].1[at] = Some(position);
        }
        let whole = |(name, positions): (String, Vec<Option<usize>>)| {
            Some((name, positions.into_iter().collect::<Option<Vec<usize>>>()?))
        };
        let fields = fields.into_iter().map(whole).collect::<Option<Vec<_>>>()?;
        Some(Self { coordinate: (*coordinate).to_owned(), values, plain, fields })
    }

    /// One row for each line and value: those of the first value come first.
    pub(super) fn table(
        &self,
        request: &Request,
        columns: &[Vec<f64>],
        lines: &LineNumbers,
    ) -> Result<Table, DataError> {
        let (rows, times) = (lines.len(), self.values.len());
        let names: Vec<String> = self.names();
        let numbers = (rows * times) as u128 * names.len() as u128;
        request.check_size(|| "the table with a row for each time".to_owned(), numbers)?;
        let plain = self.plain.iter().map(|(_, position)| columns[*position].repeat(times));
        let along = std::iter::once(self.values.iter().flat_map(|&value| vec![value; rows]).collect());
        let fields = self.fields.iter().map(|(_, positions)| {
            positions.iter().flat_map(|&position| columns[position].iter().copied()).collect::<Vec<f64>>()
        });
        let all: Vec<Vec<f64>> = plain.chain(along).chain(fields).collect();
        let selected = request.select(&names)?;
        let columns = selected.into_iter().map(|Selected { name, position }| (name, all[position].clone()));
        let note = format!(
            "`{}`: columns named like `{} @ {} = {}` are taken as {times} values of {}",
            request.file, self.fields[0].0, self.coordinate, self.values[0], self.coordinate
        );
        let lines = RowOrigin::Lines(lines.repeat(times));
        let table = Table::new(request.file, columns.collect(), lines, request.coordinates.len())?;
        Ok(table.with_notes(vec![note]))
    }

    fn names(&self) -> Vec<String> {
        let plain = self.plain.iter().map(|(name, _)| name.clone());
        let fields = self.fields.iter().map(|(name, _)| name.clone());
        plain.chain([self.coordinate.clone()]).chain(fields).collect()
    }
}

/// The names of a comment whose columns are two blanks or more apart, or tabs: one blank is part of
/// `u (m) @ t=0`.
pub(super) fn spaced_names(comment: &str) -> Vec<String> {
    let pieces = comment.split('\t').flat_map(|part| part.split("  "));
    pieces.map(str::trim).filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

/// `u`, `t` and 0.1 of `u (m) @ t=0.1`.
fn marked(name: &str) -> Option<(&str, &str, f64)> {
    let (field, place) = name.split_once('@')?;
    let (coordinate, value) = place.split_once('=')?;
    Some((word(field), coordinate.trim(), value.trim().parse().ok().filter(|value: &f64| value.is_finite())?))
}

/// A name without its unit.
fn word(name: &str) -> &str {
    name.split_once('(').map_or(name, |(name, _)| name).trim()
}
