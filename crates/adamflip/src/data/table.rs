//! The table: named columns of finite numbers, and where each row stood in the file.

use std::collections::HashMap;

use super::DataError;
use super::line_numbers::LineNumbers;
use super::tensor;

/// What a row was in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RowOrigin {
    /// The line of each row, from 1.
    Lines(LineNumbers),
    /// An element of arrays of this shape, the last axis fastest; empty axes left out.
    Elements(Vec<usize>),
    /// A point of the grid with these coordinates, the last fastest.
    Grid(Vec<(String, usize)>),
}

/// Named columns of equal length: one row an observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    names: Vec<String>,
    /// The position of each name: some files have hundreds of thousands.
    positions: HashMap<String, usize>,
    columns: Vec<Vec<f64>>,
    rows: RowOrigin,
    /// The row of the file for each row of the table, where they are not the same.
    order: Option<Vec<usize>>,
    grid: Option<Vec<Vec<f64>>>,
    notes: Vec<String>,
}

impl Table {
    /// Refuses a table without rows and numbers that are not finite. The first `dimension` columns are the
    /// coordinates; rows that fill a grid are brought into its order.
    pub(super) fn new(
        file: &str,
        columns: Vec<(String, Vec<f64>)>,
        rows: RowOrigin,
        dimension: usize,
    ) -> Result<Self, DataError> {
        let (names, columns): (Vec<String>, Vec<Vec<f64>>) = columns.into_iter().unzip();
        // The first of equal names counts.
        let positions = names.iter().cloned().enumerate().rev().map(|(position, name)| (name, position));
        let positions = positions.collect();
        let mut table = Self { names, positions, columns, rows, order: None, grid: None, notes: Vec::new() };
        if table.is_empty() {
            return Err(DataError::NoRows { file: file.into() });
        }
        table.check_finite(file)?;
        if let Some((grid, order)) = tensor::grid(&table.columns[..dimension.min(table.columns.len())]) {
            table.grid = Some(grid);
            table.sort(order);
        }
        Ok(table)
    }

    /// The table with the vectors of its grid, whose rows are in the grid's order already.
    pub(super) fn on_grid(
        file: &str,
        columns: Vec<(String, Vec<f64>)>,
        grid: Vec<(String, Vec<f64>)>,
    ) -> Result<Self, DataError> {
        let rows = RowOrigin::Grid(grid.iter().map(|(name, values)| (name.clone(), values.len())).collect());
        // No coordinates, so that no grid is looked for: it is known, and its vectors need not be ascending.
        let table = Self::new(file, columns, rows, 0)?;
        Ok(Self { grid: Some(grid.into_iter().map(|(_, values)| values).collect()), ..table })
    }

    pub(super) fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// The number of rows; never zero.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Whether there are no rows; a table that was read has some.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of the columns: the coordinates in their order, then the others.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The numbers of a column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let position = *self.positions.get(name)?;
        self.columns.get(position).map(Vec::as_slice)
    }

    /// The numbers of a column in the order of the file; none where there is no such column.
    #[must_use]
    pub(super) fn in_file_order(&self, name: &str) -> Vec<f64> {
        let values = self.column(name).unwrap_or_default();
        let Some(order) = &self.order else { return values.to_vec() };
        let mut original = vec![0.0; values.len()];
        for (&row, &value) in order.iter().zip(values) {
            original[row] = value;
        }
        original
    }

    /// The vector of each coordinate, when the rows are all points of a grid, the last coordinate fastest.
    /// Rows of a list that fills a grid were brought into this order when the file was read.
    #[must_use]
    pub fn grid(&self) -> Option<&[Vec<f64>]> {
        self.grid.as_deref()
    }

    /// What was decided without being asked, for the user to know: arrays left out, axes taken by convention.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Where row `i` stands in the file: `line 17` of a text, `row 16 (from 0)` of an array, `x[3], t[7]` of
    /// a grid.
    #[must_use]
    pub fn row_name(&self, i: usize) -> String {
        let row = self.order.as_ref().and_then(|order| order.get(i)).copied().unwrap_or(i);
        match &self.rows {
            RowOrigin::Lines(lines) => match lines.get(row) {
                Some(line) => format!("line {line}"),
                None => format!("row {row} (from 0)"),
            },
            RowOrigin::Elements(shape) if shape.len() < 2 => format!("row {row} (from 0)"),
            RowOrigin::Elements(shape) => {
                let index: Vec<String> = unravel(row, shape).iter().map(usize::to_string).collect();
                format!("element [{}] (from 0)", index.join(", "))
            }
            RowOrigin::Grid(axes) => {
                let lengths: Vec<usize> = axes.iter().map(|(_, length)| *length).collect();
                let index = unravel(row, &lengths);
                let parts = axes.iter().zip(index).map(|((name, _), index)| format!("{name}[{index}]"));
                parts.collect::<Vec<_>>().join(", ")
            }
        }
    }

    fn check_finite(&self, file: &str) -> Result<(), DataError> {
        for (name, values) in self.names.iter().zip(&self.columns) {
            if let Some(i) = values.iter().position(|value| !value.is_finite()) {
                let (row, text) = (self.row_name(i), values[i].to_string());
                return Err(DataError::NotFinite { file: file.into(), row, column: name.clone(), text });
            }
        }
        Ok(())
    }

    fn sort(&mut self, order: Vec<usize>) {
        if order.iter().enumerate().all(|(i, &row)| i == row) {
            return;
        }
        for column in &mut self.columns {
            *column = order.iter().map(|&row| column[row]).collect();
        }
        self.order = Some(order);
    }
}

/// The index along each axis of element `position`, the last axis fastest.
fn unravel(position: usize, lengths: &[usize]) -> Vec<usize> {
    let mut rest = position;
    let mut index: Vec<usize> = lengths
        .iter()
        .rev()
        .map(|&length| {
            let along = rest % length.max(1);
            rest /= length.max(1);
            along
        })
        .collect();
    index.reverse();
    index
}
