//! What is to be read of a file: the coordinates, and the `columns` that the user named.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::{DataError, Role};
use crate::diagnostic::nearest;

/// An entry of `columns`: `name`, or `name = source`.
struct Choice {
    name: String,
    source: String,
}

/// What to read, from which file, and how much at most.
pub(super) struct Request<'a> {
    /// The file's name in messages.
    pub(super) file: &'a str,
    /// The coordinates of the problem.
    pub(super) coordinates: &'a [String],
    /// The most numbers, in all arrays of the file and in the table.
    pub(super) limit: u64,
    columns: Option<Vec<Choice>>,
    /// The numbers of the arrays so far.
    taken: Cell<u128>,
}

/// A column of the table: its name, and its position in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Selected {
    pub(super) name: String,
    pub(super) position: usize,
}

impl<'a> Request<'a> {
    pub(super) fn new(
        file: &'a str,
        coordinates: &'a [String],
        columns: Option<&[String]>,
        limit: u64,
    ) -> Result<Self, DataError> {
        let columns = columns.map(|texts| texts.iter().map(|text| choice(file, text)).collect());
        let columns: Option<Vec<Choice>> = columns.transpose()?;
        let names = columns.iter().flatten().map(|choice| choice.name.as_str());
        match repeated(names) {
            Some(name) => Err(DataError::DuplicateChoice { file: file.into(), name: name.into() }),
            None => Ok(Self { file, coordinates, limit, columns, taken: Cell::new(0) }),
        }
    }

    /// Whether the user said which columns to read.
    pub(super) fn is_explicit(&self) -> bool {
        self.columns.is_some()
    }

    /// Whether something of this name in the file is to be read.
    pub(super) fn wants(&self, source: &str) -> bool {
        let Some(columns) = &self.columns else { return true };
        columns.iter().any(|choice| choice.source == source)
            || self.coordinates.iter().any(|name| self.source(name) == source)
    }

    /// Whether the file has everything that `columns` names.
    pub(super) fn all_in(&self, existing: &[String]) -> bool {
        self.columns.iter().flatten().all(|choice| existing.contains(&choice.source))
    }

    /// What to read of a file with these names: the coordinates, then the others. What has no name in the
    /// file cannot be asked for, and is not read.
    pub(super) fn select(&self, existing: &[String]) -> Result<Vec<Selected>, DataError> {
        if let Some(name) = repeated(existing.iter().map(String::as_str).filter(|name| !name.is_empty())) {
            return Err(DataError::DuplicateColumn { file: self.file.into(), name: name.into() });
        }
        let coordinates = self.coordinates.iter().map(|name| (name, self.source(name), Role::Coordinate));
        let chosen = self.columns.iter().flatten().filter(|choice| !self.coordinates.contains(&choice.name));
        let chosen = chosen.map(|choice| (&choice.name, choice.source.as_str(), Role::Column));
        let positions: HashMap<&str, usize> =
            existing.iter().enumerate().rev().map(|(position, name)| (name.as_str(), position)).collect();
        let mut selected = coordinates
            .chain(chosen)
            .map(|(name, source, role)| match positions.get(source) {
                Some(&position) => Ok(Selected { name: name.clone(), position }),
                None => Err(self.missing(source, role, existing)),
            })
            .collect::<Result<Vec<Selected>, DataError>>()?;
        if self.columns.is_none() {
            let others = existing.iter().enumerate();
            let others = others.filter(|(_, name)| !name.is_empty() && !self.coordinates.contains(name));
            selected.extend(others.map(|(position, name)| Selected { name: name.clone(), position }));
        }
        Ok(selected)
    }

    /// What to read of a file without names and with `found` columns: `columns` are their names. `None` when
    /// the user gave none.
    pub(super) fn positional(&self, found: usize) -> Result<Option<Vec<Selected>>, DataError> {
        let Some(columns) = &self.columns else { return Ok(None) };
        if columns.len() != found {
            let (file, expected) = (self.file.into(), columns.len());
            return Err(DataError::ColumnCount { file, expected, found, transposed: false });
        }
        let names: Vec<String> = columns.iter().map(|choice| choice.name.clone()).collect();
        let plain = Request::new(self.file, self.coordinates, None, self.limit)?;
        plain.select(&names).map(Some).map_err(|error| match error {
            DataError::MissingColumn { file, name, .. } => DataError::UnnamedCoordinate { file, name },
            other => other,
        })
    }

    /// Counts the numbers of another array, and refuses it where all arrays together have more than the
    /// limit.
    pub(super) fn take(&self, part: impl FnOnce() -> String, numbers: u128) -> Result<(), DataError> {
        let before = self.taken.get();
        let all = before.saturating_add(numbers);
        self.taken.set(all);
        let part = || if before == 0 { part() } else { format!("the whole up to {}", part()) };
        self.check_size(part, all)
    }

    /// Forgets what was counted: the same arrays are read once more.
    pub(super) fn start_again(&self) {
        self.taken.set(0);
    }

    /// Refuses more numbers than the limit; `part` says where they are.
    pub(super) fn check_size(&self, part: impl FnOnce() -> String, numbers: u128) -> Result<(), DataError> {
        if numbers <= u128::from(self.limit) {
            return Ok(());
        }
        Err(DataError::TooLarge { file: self.file.into(), part: part(), numbers, limit: self.limit })
    }

    fn source<'b>(&'b self, name: &'b str) -> &'b str {
        let renamed = self.columns.iter().flatten().find(|choice| choice.name == name);
        renamed.map_or(name, |choice| choice.source.as_str())
    }

    /// Nothing in the file has this name.
    fn missing(&self, source: &str, role: Role, existing: &[String]) -> DataError {
        let existing: Vec<String> = existing.iter().filter(|name| !name.is_empty()).cloned().collect();
        let near = self.near(&existing);
        let meant = existing.iter().map(|other| self.meant(other, &near)).collect();
        let (file, name) = (self.file.into(), source.into());
        DataError::MissingColumn { file, role, name, existing, meant }
    }

    /// For each coordinate that is not there the column with the nearest name, which may be meant; the first
    /// coordinate has the choice.
    fn near<'b>(&'b self, existing: &'b [String]) -> HashMap<&'b str, &'b str> {
        let mut near = HashMap::new();
        for name in self.coordinates {
            let source = self.source(name);
            if !existing.iter().any(|other| other == source)
                && let Some(column) = nearest(source, existing.iter().map(String::as_str))
            {
                near.entry(column).or_insert(name.as_str());
            }
        }
        near
    }

    /// The entry of `columns` that a column of the file should have: as the user has renamed it, or as the
    /// coordinate that is not there and has the nearest name.
    fn meant(&self, column: &str, near: &HashMap<&str, &str>) -> String {
        let chosen =
            self.columns.iter().flatten().find(|choice| choice.source == column && choice.name != column);
        let name = match chosen {
            Some(choice) => &choice.name,
            None => near.get(column).copied().unwrap_or(column),
        };
        if name == column { name.to_owned() } else { format!("{name} = {column}") }
    }
}

/// The number of elements of a shape; saturated, which every limit refuses.
pub(super) fn elements(shape: &[usize]) -> u128 {
    if shape.contains(&0) {
        return 0;
    }
    shape.iter().fold(1, |product: u128, &length| product.saturating_mul(length as u128))
}

fn choice(file: &str, text: &str) -> Result<Choice, DataError> {
    let (name, source) = text.split_once('=').unwrap_or((text, text));
    let (name, source) = (name.trim().to_owned(), source.trim().to_owned());
    if name.is_empty() || source.is_empty() || source.contains('=') {
        return Err(DataError::BadChoice { file: file.into(), text: text.into() });
    }
    Ok(Choice { name, source })
}

fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = HashSet::new();
    let mut names = names;
    names.find(|&name| !seen.insert(name))
}
