//! The history so far in constant memory: every row while there are few, then every second, every fourth, …
//!
//! Histories may have millions of rows, a picture has some hundred columns. The newest row is always there.

use adamflip::history::History;

/// The most rows that are kept.
pub(crate) const MOST: usize = 500;

/// Thinned columns of a history.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    /// The method of the newest row.
    method: String,
    /// The rows taken in; those whose number is a multiple of the stride are kept, and the newest.
    seen: usize,
    stride: usize,
}

impl Trace {
    /// Of these columns.
    pub(crate) fn new(names: Vec<String>) -> Self {
        let columns = vec![Vec::new(); names.len()];
        Self { names, columns, method: String::new(), seen: 0, stride: 1 }
    }

    /// Takes in all rows of a history from a number on.
    pub(crate) fn extend(&mut self, history: &History, from: usize) {
        let sources: Vec<&[f64]> =
            self.names.iter().map(|name| history.column(name).unwrap_or_default()).collect();
        for row in from..history.len() {
            self.push(&sources, row);
        }
        if let Some(method) = history.methods().last() {
            self.method.clone_from(method);
        }
    }

    fn push(&mut self, sources: &[&[f64]], row: usize) {
        let passing = self.seen > 0 && !(self.seen - 1).is_multiple_of(self.stride);
        for (column, source) in self.columns.iter_mut().zip(sources) {
            if passing {
                drop_at(column, column.len() - 1);
            }
            column.push(source.get(row).copied().unwrap_or(f64::NAN));
        }
        self.seen += 1;
        if self.len() > MOST {
            self.thin();
        }
    }

    /// Drops every second row; the newest stays in any case.
    fn thin(&mut self) {
        for column in &mut self.columns {
            for row in (0..column.len() - 1).rev().filter(|row| !row.is_multiple_of(2)) {
                drop_at(column, row);
            }
        }
        self.stride *= 2;
    }

    /// The rows that are kept.
    pub(crate) fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// The rows taken in.
    pub(crate) fn seen(&self) -> usize {
        self.seen
    }

    pub(crate) fn method(&self) -> &str {
        &self.method
    }

    /// The names and values of all columns.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&String, &[f64])> {
        self.names.iter().zip(self.columns.iter().map(Vec::as_slice))
    }

    /// The kept values of a column.
    pub(crate) fn column(&self, name: &str) -> &[f64] {
        self.columns().find(|(known, _)| *known == name).map_or(&[], |(_, column)| column)
    }

    /// The newest value of a column.
    pub(crate) fn last(&self, name: &str) -> f64 {
        self.column(name).last().copied().unwrap_or(f64::NAN)
    }

    /// The newest number in a column that has one only now and then.
    pub(crate) fn last_number(&self, name: &str) -> f64 {
        self.column(name).iter().rev().find(|value| value.is_finite()).copied().unwrap_or(f64::NAN)
    }

    /// By how much a column changed over the last tenth of the steps so far.
    pub(crate) fn drift(&self, name: &str) -> f64 {
        let (steps, column) = (self.column("step"), self.column(name));
        let since = 0.9 * self.last("step");
        let [.., last_but_one, new] = column else { return f64::NAN };
        let before = steps.partition_point(|&step| step < since);
        new - column[..column.len() - 1].get(before).unwrap_or(last_but_one)
    }
}

/// Takes a value out; where the one before it is missing, it steps in: errors are measured only now and then.
fn drop_at(column: &mut Vec<f64>, row: usize) {
    let value = column.remove(row);
    if let Some(before) = row.checked_sub(1).and_then(|before| column.get_mut(before)).filter(|x| x.is_nan())
    {
        *before = value;
    }
}
