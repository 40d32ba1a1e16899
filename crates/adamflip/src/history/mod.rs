//! The history of a run: one row an observation, in memory and as the lines of a CSV file.
//!
//! `train` shows every step to a watcher; a watcher that keeps some of them keeps them here. Reports, figures
//! and live views read it by the names of its columns.

mod parse;
mod row;
#[cfg(test)]
mod tests;

use crate::problem::Problem;
pub use parse::HistoryError;
pub use row::{Row, unknown_column};

/// The place of the method's name among the columns of the file; all others are numbers.
const METHOD: usize = 2;

/// Named columns, one value for each observation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// All names, that of the method too.
    names: Vec<String>,
    methods: Vec<String>,
    /// The numbers of all columns but the method's.
    columns: Vec<Vec<f64>>,
}

impl History {
    /// No rows yet, for observations of a problem.
    pub fn new(problem: &Problem) -> Self {
        Self::empty(row::names(problem))
    }

    fn empty(names: Vec<String>) -> Self {
        let columns = vec![Vec::new(); names.len().saturating_sub(1)];
        Self { names, methods: Vec::new(), columns }
    }

    /// Adds a step. `errors` are those of the fields with a reference, in its order; what is missing is not a
    /// number.
    pub fn push(&mut self, row: &Row, errors: &[f64]) {
        self.add(row.method, row.numbers.iter().chain(errors).copied());
    }

    fn add(&mut self, method: &str, numbers: impl Iterator<Item = f64>) {
        self.methods.push(method.to_owned());
        let numbers = numbers.chain(std::iter::repeat(f64::NAN));
        self.columns.iter_mut().zip(numbers).for_each(|(column, number)| column.push(number));
    }

    /// How many observations there are.
    pub fn len(&self) -> usize {
        self.methods.len()
    }

    /// Is there no observation?
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty()
    }

    /// The names of all columns, in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The method of every observation.
    pub fn methods(&self) -> &[String] {
        &self.methods
    }

    /// The column of a name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let place = self.names.iter().position(|known| known == name).filter(|&place| place != METHOD)?;
        self.columns.get(place - usize::from(place > METHOD)).map(Vec::as_slice)
    }

    /// The last number of a column; not a number where there is none.
    pub fn last(&self, name: &str) -> f64 {
        self.column(name).and_then(|column| column.last()).copied().unwrap_or(f64::NAN)
    }

    /// The steps of the observations.
    pub fn steps(&self) -> &[f64] {
        self.column("step").unwrap_or_default()
    }

    /// Drops what was observed after a step.
    pub fn truncate(&mut self, step: usize) {
        let kept = self.steps().iter().take_while(|&&seen| seen <= step as f64).count();
        self.methods.truncate(kept);
        self.columns.iter_mut().for_each(|column| column.truncate(kept));
    }

    /// The first line of the file, without its end. Names are letters, digits, `_` and `-`, so nothing needs
    /// quotes.
    pub fn header(&self) -> String {
        self.names.join(",")
    }

    /// The line of an observation, without its end.
    pub fn line(&self, row: usize) -> String {
        let mut cells: Vec<String> = self
            .columns
            .iter()
            .zip(numbered(&self.names))
            .map(|(column, name)| cell(name, column[row]))
            .collect();
        cells.insert(METHOD.min(cells.len()), self.methods[row].clone());
        cells.join(",")
    }

    /// The whole file.
    pub fn text(&self) -> String {
        let lines = (0..self.len()).map(|row| self.line(row));
        std::iter::once(self.header()).chain(lines).flat_map(|line| [line, "\n".to_owned()]).collect()
    }
}

/// The names of the columns that are numbers.
fn numbered(names: &[String]) -> impl Iterator<Item = &String> {
    names.iter().enumerate().filter(|(place, _)| *place != METHOD).map(|(_, name)| name)
}

/// As few digits as bring the number back exactly; nothing where there is none; counts as counts.
fn cell(name: &str, value: f64) -> String {
    match name {
        "step" | "stage" => format!("{value}"),
        "seconds" => format!("{value:.3}"),
        _ if value.is_nan() => String::new(),
        _ => format!("{value:e}"),
    }
}
