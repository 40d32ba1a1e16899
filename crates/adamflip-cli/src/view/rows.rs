//! A row for each term, error and unknown, in columns that are left away one by one as the terminal gets
//! narrower.

use adamflip::history::unknown_column;
use adamflip::problem::Role;
use console::measure_text_width;

use super::outline::{Named, TRUST_REGION};
use super::spark::spark;
use super::words::{Look, cut, left, paint, printable, right, small, value};
use super::{Moment, Outline, Paper, Trace};
use adamflip_run::error_column;
use adamflip_run::words::role_name;

/// A row before it is fitted.
struct Row {
    name: String,
    role: &'static str,
    /// Mean square residual, error or value.
    first: String,
    /// Largest residual or drift.
    second: String,
    last: Last,
}

enum Last {
    Curve(Vec<f64>),
    Text(String),
}

/// The columns that fit.
#[derive(Clone, Copy)]
struct Layout {
    name: usize,
    role: usize,
    second: usize,
    last: usize,
}

const NUMBER: usize = 9;
const ROLE: usize = 10;
/// The widths of curves, from the one wanted to the smallest that still is one.
const CURVE: (usize, usize) = (24, 8);
const NAME: usize = 20;

pub(super) fn lines(outline: &Outline, trace: &Trace, moment: &Moment, paper: Paper) -> Vec<String> {
    let header = Row {
        name: "term".into(),
        role: "role",
        first: "mse".into(),
        second: "max".into(),
        last: Last::Text(String::new()),
    };
    let mut rows = terms(outline, trace, moment);
    rows.extend(errors(outline, trace));
    rows.extend(unknowns(outline, trace, moment));
    rows.extend(trust_region(trace));
    let longest = rows.iter().map(|row| measure_text_width(&row.name)).max().unwrap_or(0);
    let layout = Layout::fit(longest.clamp(4, NAME), paper.size.width);
    let first = paint(Look::Faint, layout.line(&header, false).trim_end(), paper.colours);
    let lines = rows.iter().map(|row| layout.line(row, paper.colours));
    std::iter::once(first).chain(lines).map(|line| cut(line.trim_end(), paper.size.width)).collect()
}

fn terms(outline: &Outline, trace: &Trace, moment: &Moment) -> Vec<Row> {
    let row = |(term, (mse, max)): (&Named<Role>, &(f64, f64))| Row {
        name: printable(&term.name),
        role: role_name(term.known),
        first: small(*mse),
        second: small(*max),
        last: Last::Curve(trace.column(&format!("{}_mse", term.name)).to_vec()),
    };
    outline.terms.iter().zip(&moment.misfits).map(row).collect()
}

fn errors(outline: &Outline, trace: &Trace) -> Vec<Row> {
    let row = |field: &String| {
        let column = error_column(field);
        Row {
            name: printable(field),
            role: "rel. error",
            first: small(trace.last_number(&column)),
            second: String::new(),
            last: Last::Curve(trace.column(&column).to_vec()),
        }
    };
    outline.fields.iter().map(row).collect()
}

fn unknowns(outline: &Outline, trace: &Trace, moment: &Moment) -> Vec<Row> {
    let row = |(unknown, number): (&Named<Option<f64>>, &f64)| Row {
        name: printable(&unknown.name),
        role: "unknown",
        first: value(*number),
        second: drift(trace.drift(&unknown_column(&unknown.name))),
        last: Last::Text(unknown.known.map_or(String::new(), |truth| format!("truth {}", value(truth)))),
    };
    outline.unknowns.iter().zip(&moment.unknowns).map(row).collect()
}

/// The trust region, while a method has one.
fn trust_region(trace: &Trace) -> impl Iterator<Item = Row> {
    let row = |name: &str| Row {
        name: name.to_owned(),
        role: "region",
        first: small(trace.last(name)),
        second: String::new(),
        last: Last::Curve(trace.column(name).to_vec()),
    };
    TRUST_REGION.into_iter().filter(|name| trace.last(name).is_finite()).map(row)
}

/// Which way and by how much.
fn drift(change: f64) -> String {
    if change.is_nan() {
        String::new()
    } else if change > 0.0 {
        format!("↑ {change:.0e}")
    } else if change < 0.0 {
        format!("↓ {:.0e}", -change)
    } else {
        "→ 0".to_owned()
    }
}

impl Layout {
    /// The most that fits.
    fn fit(name: usize, width: usize) -> Self {
        let whole = Self { name, role: ROLE, second: NUMBER, last: CURVE.0 };
        let shorter = Self { last: CURVE.1, ..whole };
        let narrow = Self { role: 0, ..shorter };
        let bare = Self { last: 0, ..narrow };
        let least = Self { second: 0, name: name.min(10), ..bare };
        let best =
            [shorter, narrow, bare].into_iter().find(|layout| layout.width() <= width).unwrap_or(least);
        // The curve gets what is left.
        let spare = width.saturating_sub(best.width());
        let last = if best.last == 0 { 0 } else { (best.last + spare).min(CURVE.0) };
        Self { last, ..best }
    }

    fn width(&self) -> usize {
        let gaps = [self.role, self.second, self.last].iter().filter(|width| **width > 0).count();
        1 + self.name + 2 + NUMBER + self.role + self.second + self.last + 2 * gaps
    }

    fn line(&self, row: &Row, colours: bool) -> String {
        let mut cells = vec![left(&row.name, self.name)];
        if self.role > 0 {
            cells.push(paint(Look::Faint, &left(row.role, self.role), colours));
        }
        cells.push(right(&row.first, NUMBER));
        if self.second > 0 {
            cells.push(right(&row.second, self.second));
        }
        if self.last > 0 {
            cells.push(match &row.last {
                Last::Curve(values) => paint(Look::Curve, &spark(values, self.last), colours),
                Last::Text(text) => cut(text, self.last),
            });
        }
        format!(" {}", cells.join("  "))
    }
}
