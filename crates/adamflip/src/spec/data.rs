//! Where a term's points and values come from: drawn, a cloud, a file of observations, or the reference.

use super::reader::{Reader, Section};
use super::schema::OBSERVED_REFERENCE;
use super::tree::{Table, Value};
use crate::diagnostic::{Diagnostic, Spanned};

/// Where the points of a term come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// They are drawn.
    Drawn,
    /// They are drawn, and the reference is observed there.
    Reference,
    /// A file has them.
    Cloud,
    /// A file has them and what was observed there.
    File,
}

/// A key that means nothing in a term, because of another that is there (`beside`) or is not (`without`).
struct Refused {
    key: &'static str,
    why: &'static str,
    hint: &'static str,
}

const fn refused(key: &'static str, why: &'static str, hint: &'static str) -> Refused {
    Refused { key, why, hint }
}

const CLOUD: &str = "beside `cloud`";
const DATA: &str = "beside `data`";
const NO_DATA: &str = "without `data`";
const NO_FILE: &str = "without a file";
const OBSERVE: &str =
    "observations come from a file, `data = \"sensors.csv\"`, or from the reference, `data = \"reference\"`";
const COLUMNS: &str = "the columns of a file are meant, for example of `data = \"sensors.npy\"`";
const POINTS: &str = "the file has the points: remove one of the two lines";

/// The keys that mean nothing for each source.
#[rustfmt::skip]
const REFUSED: [(Source, &[Refused]); 4] = [
    (Source::Drawn, &[
        refused("columns", NO_FILE, COLUMNS), refused("observe", NO_DATA, OBSERVE), refused("noise", NO_DATA, OBSERVE),
    ]),
    (Source::Reference, &[
        refused("columns", NO_FILE, COLUMNS),
        refused("cloud", DATA, "the reference is observed at points that are drawn: keep one of the two lines"),
        refused("adaptive", DATA, "observations are drawn once: remove this line"),
    ]),
    (Source::Cloud, &[
        refused("points", CLOUD, POINTS), refused("on", CLOUD, POINTS), refused("sampler", CLOUD, POINTS),
        refused("adaptive", CLOUD, POINTS), refused("observe", NO_DATA, OBSERVE), refused("noise", NO_DATA, OBSERVE),
    ]),
    (Source::File, &[
        refused("points", DATA, POINTS), refused("on", DATA, POINTS), refused("sampler", DATA, POINTS),
        refused("adaptive", DATA, POINTS), refused("cloud", DATA, POINTS),
        refused("observe", "with a file", "write `data = \"reference\"` to observe the reference; a file is compared by an `equation`"),
    ]),
];

impl Source {
    /// What the keys `cloud` and `data` say.
    pub(super) fn of(table: &Table) -> Self {
        match table.get("data").map(|entry| &entry.node.value) {
            Some(Value::Text(text)) if text == OBSERVED_REFERENCE => Source::Reference,
            Some(_) => Source::File,
            None if table.get("cloud").is_some() => Source::Cloud,
            None => Source::Drawn,
        }
    }

    /// Whether a file has the points.
    pub(super) fn is_file(self) -> bool {
        matches!(self, Source::Cloud | Source::File)
    }

    /// Whether there are observations.
    pub(super) fn has_data(self) -> bool {
        matches!(self, Source::Reference | Source::File)
    }

    /// Reports every key that has no use in a term of this source.
    pub(super) fn check(self, reader: &mut Reader, section: Section<'_>) {
        let rows = REFUSED.iter().find(|(source, _)| *source == self).map_or(&[][..], |(_, rows)| rows);
        for Refused { key, why, hint } in rows {
            let Some(entry) = section.table.get(key) else { continue };
            let message = format!("{} has no use {why}", section.call(key));
            let diagnostic = Diagnostic::new(entry.key.span, message).label("no use here").hint(*hint);
            match *why {
                NO_DATA => reader.missing_key(section.table, "data", diagnostic),
                _ => reader.report(diagnostic),
            }
        }
    }
}

/// `columns = ["x", "t", "u"]`: the names of a file's columns.
pub(super) fn columns(reader: &mut Reader, section: Section<'_>) -> Option<Vec<Spanned<String>>> {
    let (node, what) = section.get("columns")?;
    let columns = reader.texts(node, &what, "`columns = [\"x\", \"t\", \"u\"]`");
    for (index, name) in columns.iter().enumerate() {
        if columns[..index].iter().any(|other| other.value == name.value) {
            let diagnostic = Diagnostic::new(name.span, format!("{what} has `{}` twice", name.value));
            reader.report(diagnostic.label("already there").hint("give every column a name of its own"));
        }
    }
    (!columns.is_empty()).then_some(columns)
}
