//! Tables of results: rows with labels and numbers over several runs, as text, CSV, Markdown and LaTeX.

mod csv;
mod grid;
mod html;
mod latex;
mod markdown;
#[cfg(test)]
mod tests;
mod text;

use crate::batch::{BatchDir, Better, Metric, Outcome, Spread};
use crate::error::RunError;
use crate::words::short;

pub use csv::{line as csv_line, number as csv_number};
pub use grid::{Grid, GridRow};
pub use html::escaped as html_escaped;
pub use latex::{escaped as latex_escaped, written as latex_number};
pub use markdown::escaped as markdown_escaped;

/// The ways to write a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// For other programs.
    Csv,
    /// For pages.
    Markdown,
    /// For papers.
    Latex,
}

/// A table of results.
#[derive(Debug)]
pub struct Table {
    /// What it is about.
    pub title: String,
    /// The names of the columns that say what a row is.
    pub labels: Vec<String>,
    /// What is in the columns with numbers.
    pub metrics: Vec<Metric>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// What is to be said below.
    pub notes: Vec<String>,
}

/// A row of a table.
#[derive(Debug)]
pub struct Row {
    /// What it is of.
    pub labels: Vec<String>,
    /// How many runs have ended well, and of how many that have ended.
    pub runs: (usize, usize),
    /// A number for each metric.
    pub numbers: Vec<Spread>,
}

impl Table {
    /// The table as a text that ends with a line.
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Text => {
                let mut grid = self.grid(text::cell, |cell| format!("* {cell}"));
                if self.rows.len() > 1 {
                    grid.notes.insert(0, "* best of its column".to_owned());
                }
                grid.text()
            }
            Format::Csv => csv::render(self),
            Format::Markdown => self.grid(text::cell, |cell| format!("**{cell}**")).markdown(["**"; 2]),
            Format::Latex => self.grid(latex::cell, |cell| format!("{{\\boldmath {cell}}}")).latex(),
        }
    }

    /// The table with its numbers written, the best of each column marked.
    fn grid(&self, cell: fn(&Metric, &Spread) -> String, marked: fn(String) -> String) -> Grid {
        let best = self.best();
        let row = |row: &Row| {
            let columns = self.metrics.iter().zip(&row.numbers).zip(&best);
            let cells = columns.map(|((metric, number), best)| match best == &Some(*number) {
                true => marked(cell(metric, number)),
                false => cell(metric, number),
            });
            let cells = std::iter::once(row.runs()).chain(cells).collect();
            GridRow { labels: row.labels.clone(), cells, begins: false }
        };
        Grid {
            title: self.title.clone(),
            header: self.header(),
            labels: self.labels.len(),
            rows: self.rows.iter().map(row).collect(),
            notes: self.notes.clone(),
        }
    }

    /// Writes it in all formats.
    pub(crate) fn keep(&self, place: &BatchDir) -> Result<(), RunError> {
        let files = [
            ("table.txt", Format::Text),
            ("table.csv", Format::Csv),
            ("table.md", Format::Markdown),
            ("table.tex", Format::Latex),
        ];
        files.iter().try_for_each(|(name, format)| place.write(name, &self.render(*format)))
    }

    /// Has a run failed?
    pub fn has_failures(&self) -> bool {
        self.rows.iter().any(|row| row.runs.0 < row.runs.1)
    }

    /// The rows in the order of the first number, the best first; after them those of which a run lacks it,
    /// at last those without it.
    pub(crate) fn sorted(mut self) -> Self {
        let larger = self.metrics[0].better() == Better::Larger;
        let place = |row: &Row| match row.numbers[0].mean {
            mean if mean.is_nan() => f64::INFINITY,
            mean if larger => -mean,
            mean => mean,
        };
        let lacks = |row: &Row| !row.numbers[0].is_whole();
        self.rows.sort_by(|a, b| lacks(a).cmp(&lacks(b)).then(place(a).total_cmp(&place(b))));
        self
    }

    /// The names of all columns.
    fn header(&self) -> Vec<String> {
        let metrics = self.metrics.iter().map(Metric::name);
        self.labels.iter().cloned().chain(["runs".to_owned()]).chain(metrics).collect()
    }

    /// The best number of each column: of the rows in which no run lacks it, unless one lacks it in all.
    fn best(&self) -> Vec<Option<Spread>> {
        let best = |(column, metric): (usize, &Metric)| {
            let numbers =
                || self.rows.iter().map(|row| row.numbers[column]).filter(|number| number.count > 0);
            let whole = numbers().any(|number| number.is_whole());
            let rivals = numbers().filter(|number| number.is_whole() || !whole);
            let better = |a: Spread, b: Spread| match metric.better() {
                Better::Larger => b.mean > a.mean,
                _ => b.mean < a.mean,
            };
            let first = rivals.reduce(|a, b| if better(a, b) { b } else { a });
            first.filter(|_| metric.better() != Better::Neither && self.rows.len() > 1)
        };
        self.metrics.iter().enumerate().map(best).collect()
    }
}

impl Row {
    /// The numbers of the runs of all seeds.
    pub(crate) fn of(labels: Vec<String>, outcomes: &[Outcome], metrics: &[Metric]) -> Self {
        let known = outcomes.iter().filter(|outcome| !outcome.is_open());
        let ended: Vec<_> = known.map(Outcome::summary).collect();
        let number = |metric: &Metric| {
            let numbers = ended.iter().map(|summary| summary.map_or(f64::NAN, |summary| metric.of(summary)));
            Spread::of(&numbers.collect::<Vec<_>>())
        };
        let runs = (ended.iter().flatten().count(), ended.len());
        Self { labels, runs, numbers: metrics.iter().map(number).collect() }
    }

    fn runs(&self) -> String {
        match self.runs {
            (ended, all) if ended == all => all.to_string(),
            (ended, all) => format!("{ended} of {all}"),
        }
    }
}

/// How the numbers of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// With a power of ten.
    Scientific,
    /// With this many places.
    Fixed(usize),
}

impl Digits {
    /// Of seconds, or steps a second.
    pub fn time(number: f64) -> Self {
        match number {
            ..1.0 => Self::Fixed(3),
            ..100.0 => Self::Fixed(1),
            ..1e7 => Self::Fixed(0),
            _ => Self::Scientific,
        }
    }

    /// The number as text.
    pub fn plain(self, number: f64) -> String {
        match self {
            Self::Scientific => short(number),
            Self::Fixed(places) => format!("{number:.places$}"),
        }
    }

    /// The same for all numbers of a cell, by the largest.
    fn of(metric: &Metric, number: f64) -> Self {
        match metric {
            Metric::Seconds | Metric::Speed => Self::time(number),
            Metric::Unknown(_) if (1e-3..1e6).contains(&number.abs()) => Self::Fixed(4),
            _ => Self::Scientific,
        }
    }
}
