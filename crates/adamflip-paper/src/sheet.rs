//! A table with our numbers beside the paper's, as text, Markdown, LaTeX, CSV and HTML.

mod csv;
mod html;
#[cfg(test)]
mod tests;

use super::paper;
use adamflip_run::batch::Spread;
use adamflip_run::table::{Digits, Format, Grid, GridRow, latex_number};

pub(crate) use html::render as html;

/// A table.
#[derive(Debug)]
pub(crate) struct Sheet {
    /// For links and for the first column of CSV.
    pub(crate) name: &'static str,
    pub(crate) title: String,
    /// The names of the columns that say what a row is, and of those with numbers.
    pub(crate) labels: Vec<&'static str>,
    pub(crate) columns: Vec<Column>,
    pub(crate) lines: Vec<Line>,
    /// How several seeds become one number.
    pub(crate) aggregate: Aggregate,
    /// What is to be said below.
    pub(crate) notes: Vec<String>,
}

/// A column of ours, beside which may stand one of the paper.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) has_paper: bool,
}

/// A row.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) labels: Vec<String>,
    pub(crate) entries: Vec<Entry>,
    /// Does something new begin with it?
    pub(crate) begins: bool,
}

/// One number for all seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aggregate {
    Median,
    /// With the standard deviation.
    Mean,
}

impl Aggregate {
    /// What a number stands for.
    pub(crate) fn said(self) -> &'static str {
        match self {
            Self::Median => "median over the seeds (number of runs)",
            Self::Mean => "mean ± standard deviation over the seeds (number of runs)",
        }
    }
}

/// Our numbers and the paper's.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// One for each seed; those of runs that diverged do not count.
    pub(crate) numbers: Vec<f64>,
    pub(crate) failed: usize,
    pub(crate) paper: Option<paper::Value>,
    /// Is smaller better, so that both are compared?
    pub(crate) is_judged: bool,
    /// How a number is written.
    pub(crate) digits: fn(f64) -> Digits,
}

impl Sheet {
    /// The table as a text that ends with a line; CSV without its header.
    pub(crate) fn render(&self, format: Format) -> String {
        match format {
            Format::Text => self.grid(Written::Plain).text(),
            Format::Csv => csv::render(self),
            Format::Markdown => self.grid(Written::Plain).markdown(["## ", ""]),
            Format::Latex => self.grid(Written::Latex).latex(),
        }
    }

    /// The table with its numbers written.
    fn grid(&self, written: Written) -> Grid {
        let row = |(number, line): (usize, &Line)| GridRow {
            labels: self.labels(number),
            cells: self.cells(line, written),
            begins: line.begins,
        };
        Grid {
            title: self.title.clone(),
            header: self.header(),
            labels: self.labels.len(),
            rows: self.lines.iter().enumerate().map(row).collect(),
            notes: self.notes.clone(),
        }
    }

    /// The names of all columns.
    fn header(&self) -> Vec<String> {
        let labels = self.labels.iter().map(|label| (*label).to_owned());
        let columns = self.columns.iter().flat_map(|column| {
            [Some(column.name.clone()), column.has_paper.then(|| "paper".to_owned())].into_iter().flatten()
        });
        labels.chain(columns).collect()
    }

    /// What a row is; what it has in common with the row before it is not said again.
    fn labels(&self, number: usize) -> Vec<String> {
        let line = &self.lines[number];
        let mut labels = line.labels.clone();
        let is_grouped = self.lines.iter().any(|line| line.begins);
        if let Some(first) = labels.first_mut().filter(|_| is_grouped && !line.begins) {
            first.clear();
        }
        labels
    }

    /// The numbers of a row.
    fn cells(&self, line: &Line, written: Written) -> Vec<String> {
        let entries = self.columns.iter().zip(&line.entries).flat_map(|(column, entry)| {
            let ours = entry.ours(self.aggregate, written);
            [Some(ours), column.has_paper.then(|| entry.theirs(written))].into_iter().flatten()
        });
        entries.collect()
    }
}

/// All tables in one file.
pub(crate) fn file(sheets: &[Sheet], format: Format) -> String {
    let header = if format == Format::Csv { csv::header() } else { String::new() };
    let between = if format == Format::Csv { "" } else { "\n" };
    header + &sheets.iter().map(|sheet| sheet.render(format)).collect::<Vec<_>>().join(between)
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    Plain,
    Latex,
}

impl Written {
    fn number(self, digits: Digits, number: f64) -> String {
        match self {
            Self::Plain => digits.plain(number),
            Self::Latex => format!("${}$", latex_number(digits, number)),
        }
    }

    fn spread(self, digits: Digits, mean: f64, deviation: Option<f64>) -> String {
        let Some(deviation) = deviation else { return self.number(digits, mean) };
        match self {
            Self::Plain => format!("{} ± {}", digits.plain(mean), digits.plain(deviation)),
            Self::Latex => {
                format!("${} \\pm {}$", latex_number(digits, mean), latex_number(digits, deviation))
            }
        }
    }

    /// The sign between ours and theirs.
    fn sign(self, is_met: bool) -> &'static str {
        match (self, is_met) {
            (Self::Plain, true) => " ≤",
            (Self::Plain, false) => " >",
            (Self::Latex, true) => " $\\le$",
            (Self::Latex, false) => " $>$",
        }
    }

    fn nothing(self) -> String {
        match self {
            Self::Plain => "–",
            Self::Latex => "--",
        }
        .to_owned()
    }
}

/// Those that are numbers, the smallest first.
fn in_order(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut known: Vec<f64> = numbers.filter(|number| number.is_finite()).collect();
    known.sort_by(f64::total_cmp);
    known
}

/// The middle one of those that are numbers, or the mean of the two in the middle.
pub(crate) fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let known = in_order(numbers);
    let half = known.len() / 2;
    match known.len() {
        0 => None,
        count if count % 2 == 1 => Some(known[half]),
        _ => Some(known[half - 1] / 2.0 + known[half] / 2.0),
    }
}

impl Entry {
    /// Those that are numbers, the smallest first.
    fn known(&self) -> Vec<f64> {
        in_order(self.numbers.iter().copied())
    }

    fn median(&self) -> Option<f64> {
        median(self.numbers.iter().copied())
    }

    fn value(&self, aggregate: Aggregate) -> Option<f64> {
        match aggregate {
            Aggregate::Median => self.median(),
            Aggregate::Mean => Some(Spread::of(&self.numbers).mean).filter(|mean| mean.is_finite()),
        }
    }

    /// Is ours at or below the paper's? In as many digits as the paper has; not where half of the runs
    /// diverged.
    pub(crate) fn is_met(&self, aggregate: Aggregate) -> Option<bool> {
        let (theirs, _) = self.paper.filter(|_| self.is_judged)?;
        let rounded = |number: f64| format!("{number:.2e}").parse().unwrap_or(number);
        let ours: f64 = rounded(self.value(aggregate)?);
        Some(ours <= theirs && self.failed < self.numbers.len().max(1))
    }

    /// Our number, of how many runs it is, and how it compares.
    fn ours(&self, aggregate: Aggregate, written: Written) -> String {
        let runs = self.numbers.len() + self.failed;
        let Some(value) = self.value(aggregate) else {
            return if self.failed == 0 { written.nothing() } else { format!("diverged ({runs})") };
        };
        let deviation = Spread::of(&self.numbers).deviation.filter(|_| aggregate == Aggregate::Mean);
        let count = self.known().len();
        let of = if count == runs { count.to_string() } else { format!("{count} of {runs}") };
        let sign = self.is_met(aggregate).map_or("", |is_met| written.sign(is_met));
        format!("{} ({of}){sign}", written.spread((self.digits)(value), value, deviation))
    }

    fn theirs(&self, written: Written) -> String {
        self.paper.map_or_else(
            || written.nothing(),
            |(mean, deviation)| written.spread((self.digits)(mean), mean, deviation),
        )
    }
}
