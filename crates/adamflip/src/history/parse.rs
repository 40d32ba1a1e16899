//! A history from the text of its file.

use super::{History, METHOD};

/// Why a text is no history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// The first line is not that of a history.
    #[error("line 1 does not name the columns `step`, `stage` and `method` first")]
    Header,
    /// A line is not a row of it.
    #[error("line {line}: {reason}")]
    Row {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

impl History {
    /// Reads the text of a file. A last line without an end was being written when its writer was killed, and
    /// does not count.
    pub fn parse(text: &str) -> Result<Self, HistoryError> {
        let (history, error) = Self::parse_prefix(text)?;
        error.map_or(Ok(history), Err)
    }

    /// Reads all rows before the first that is none; a header there must be.
    pub fn parse_prefix(text: &str) -> Result<(Self, Option<HistoryError>), HistoryError> {
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut lines = whole.split('\n').map(cells).zip(1..);
        let names = lines.next().map(|(names, _)| names).unwrap_or_default();
        if names.len() < 4 || names[..3] != ["step", "stage", "method"] {
            return Err(HistoryError::Header);
        }
        let mut history = Self::empty(names);
        for (cells, line) in lines {
            let failed = |reason| HistoryError::Row { line, reason };
            if cells.len() != history.names.len() {
                let reason = format!("{} cells where the header has {}", cells.len(), history.names.len());
                return Ok((history, Some(failed(reason))));
            }
            let numbers = cells.iter().enumerate().filter(|(place, _)| *place != METHOD);
            let numbers: Result<Vec<f64>, String> = numbers.map(|(_, cell)| number(cell)).collect();
            match numbers {
                Ok(numbers) => history.add(&cells[METHOD], numbers.into_iter()),
                Err(reason) => return Ok((history, Some(failed(reason)))),
            }
        }
        Ok((history, None))
    }
}

/// A number; nothing is not one.
fn number(cell: &str) -> Result<f64, String> {
    match cell {
        "" => Ok(f64::NAN),
        _ => cell.parse().map_err(|_| format!("`{cell}` is not a number")),
    }
}

fn cells(line: &str) -> Vec<String> {
    line.trim_end_matches('\r').split(',').map(str::to_owned).collect()
}
