//! The Jacobian J of the constraints: rows written out, or in factors where only products with J are wanted.
//!
//! A method reaches J by three operations: the Gram matrix J Jᵀ, J v and Jᵀw. A problem whose rows are sums
//! of a few outer products (those of a network at a point are) may hand over the factors in place of the rows
//! when a method asks for [`Want::Products`](super::Want::Products); of m rows with P numbers each, the Gram
//! matrix then costs much less than m²P.

use crate::factors::{self, Strip};
use crate::linalg::{add_gram, add_scaled, dot};

/// Numbers of a row that are worked on at a time, so that all rows' parts stay in the first-level cache.
const CHUNK: usize = 1024;
/// Up to this many rows dot products are as fast as the blocked product, and need no set-up.
const FEW: usize = 16;

/// One row for each constraint, one column for each parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jacobian {
    parameters: usize,
    constraints: usize,
    /// The rows that are written out, one after the other; all of them where there are no strips.
    entries: Vec<f64>,
    /// Which these are, where there are strips.
    written: Vec<usize>,
    /// All other rows, in order.
    strips: Vec<Strip>,
}

impl Jacobian {
    /// A Jacobian of this size, without rows as yet.
    pub fn new(parameters: usize, constraints: usize) -> Self {
        Self { parameters, constraints, ..Self::default() }
    }

    /// The Jacobian with these rows, one after the other.
    pub fn from_rows(rows: Vec<f64>, parameters: usize) -> Self {
        let constraints = rows.len() / parameters.max(1);
        Self { parameters, constraints, entries: rows, ..Self::default() }
    }

    /// The number of rows.
    pub fn constraints(&self) -> usize {
        self.constraints
    }

    /// All rows, one after the other, to be written.
    pub fn rows_mut(&mut self) -> &mut [f64] {
        self.strips.clear();
        self.written.clear();
        self.entries.resize(self.parameters * self.constraints, 0.0);
        &mut self.entries
    }

    /// All rows, one after the other.
    ///
    /// # Panics
    /// If they are in factors: only answers to `Want::Products` may be.
    pub fn rows(&self) -> &[f64] {
        assert!(self.strips.is_empty(), "the rows are in factors");
        &self.entries
    }

    /// Begins with rows of which `written` will be written out and the others given as strips.
    pub(crate) fn begin_factors(&mut self, written: usize) {
        self.written.clear();
        self.entries.resize(self.parameters * written, 0.0);
    }

    /// The next of the rows that are written out, which is this row of J.
    pub(crate) fn written_row(&mut self, row: usize) -> &mut [f64] {
        let start = self.written.len() * self.parameters;
        self.written.push(row);
        &mut self.entries[start..start + self.parameters]
    }

    /// Takes over a strip's rows and gives back the memory of the one that was here; strips are given in
    /// order of their rows.
    pub(crate) fn exchange(&mut self, number: usize, strip: &mut Strip) {
        if number == self.strips.len() {
            self.strips.push(Strip::default());
        }
        std::mem::swap(&mut self.strips[number], strip);
    }

    /// There are this many strips.
    pub(crate) fn end_factors(&mut self, strips: usize) {
        self.strips.truncate(strips);
    }

    /// Becomes the rows of another of these numbers, in rising order.
    ///
    /// # Panics
    /// If a number is beyond the last row.
    pub fn gather(&mut self, from: &Self, rows: &[usize]) {
        (self.parameters, self.constraints) = (from.parameters, rows.len());
        self.entries.clear();
        self.written.clear();
        let place = |row: usize| {
            if from.strips.is_empty() { Some(row) } else { from.written.binary_search(&row).ok() }
        };
        for (number, &row) in rows.iter().enumerate() {
            if let Some(at) = place(row) {
                self.entries
                    .extend_from_slice(&from.entries[at * from.parameters..(at + 1) * from.parameters]);
                self.written.push(number);
            }
        }
        self.gather_strips(from, rows);
    }

    /// Those in factors: a strip for neighbours of the same parts.
    fn gather_strips(&mut self, from: &Self, rows: &[usize]) {
        let mut strips = from.strips.iter().peekable();
        let place = |(number, &row): (usize, &usize)| {
            while strips.next_if(|strip| strip.rows.end <= row).is_some() {}
            let strip = strips.peek().filter(|strip| strip.rows.contains(&row));
            strip.map(|strip| (number, *strip, row - strip.rows.start))
        };
        let places: Vec<_> = rows.iter().enumerate().filter_map(place).collect();
        let neighbours = |one: &(usize, &Strip, usize), next: &(usize, &Strip, usize)| {
            next.0 == one.0 + 1 && next.1.parts == one.1.parts
        };
        let groups = places.chunk_by(neighbours);
        self.strips.resize_with(groups.clone().count(), Strip::default);
        for (strip, group) in self.strips.iter_mut().zip(groups) {
            let rows: Vec<_> = group.iter().map(|&(_, strip, row)| (strip, row)).collect();
            strip.gather(group[0].0, &rows);
        }
    }

    fn entry_rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.entries.chunks_exact(self.parameters.max(1))
    }

    /// The lower triangle of J Jᵀ, row-major; what is above the diagonal is of no meaning.
    pub fn gram(&self, lower: &mut [f64]) {
        let size = self.constraints;
        if self.strips.is_empty() {
            lower.fill(0.0);
            return gram(&self.entries, self.parameters, size, lower);
        }
        factors::gram(&self.strips, size, lower);
        for (&at, row) in self.written.iter().zip(self.entry_rows()) {
            lower[at * size..(at + 1) * size].fill(0.0);
            factors::add_times(&self.strips, row, &mut lower[at * size..(at + 1) * size]);
        }
        for &at in &self.written {
            (at + 1..size).for_each(|below| lower[below * size + at] = lower[at * size + below]);
        }
        for (i, (&at, row)) in self.written.iter().zip(self.entry_rows()).enumerate() {
            for (&before, other) in self.written[..=i].iter().zip(self.entry_rows()) {
                lower[at * size + before] = dot(row, other);
            }
        }
    }

    /// out = J v.
    pub fn times(&self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        if self.strips.is_empty() {
            return multiply(&self.entries, None, v, out);
        }
        for (&at, row) in self.written.iter().zip(self.entry_rows()) {
            out[at] = dot(row, v);
        }
        factors::add_times(&self.strips, v, out);
    }

    /// out = J D v in a diagonal metric D, the identity where none is given.
    ///
    /// # Panics
    /// If there is a metric and the rows are in factors.
    pub(crate) fn times_in(&self, metric: Option<&[f64]>, v: &[f64], out: &mut [f64]) {
        match metric {
            None => self.times(v, out),
            Some(_) => multiply(self.rows(), metric, v, out),
        }
    }

    /// out += Jᵀw.
    pub fn add_transposed(&self, w: &[f64], out: &mut [f64]) {
        if self.strips.is_empty() {
            return add_rows(&self.entries, w, out);
        }
        for (&at, row) in self.written.iter().zip(self.entry_rows()) {
            add_scaled(out, w[at], row);
        }
        factors::add_transposed(&self.strips, w, 0..out.len(), out);
    }
}

/// lower(G) += R Rᵀ: few rows by dot products over chunks of columns, many by a blocked product.
pub(crate) fn gram(rows: &[f64], columns: usize, size: usize, lower: &mut [f64]) {
    if rows.is_empty() {
        return;
    }
    if size > FEW {
        return add_gram(lower, rows, columns);
    }
    for start in (0..columns).step_by(CHUNK) {
        let chunk = start..columns.min(start + CHUNK);
        let row = |i: usize| &rows[i * columns..][chunk.clone()];
        for i in 0..size {
            (0..=i).for_each(|k| lower[i * size + k] += dot(row(i), row(k)));
        }
    }
}

/// out = R D v.
fn multiply(rows: &[f64], metric: Option<&[f64]>, v: &[f64], out: &mut [f64]) {
    let columns = v.len();
    out.fill(0.0);
    let mut scaled = [0.0; CHUNK];
    for start in (0..columns).step_by(CHUNK) {
        let chunk = start..columns.min(start + CHUNK);
        let part = match metric {
            None => &v[chunk.clone()],
            Some(metric) => {
                let pairs = v[chunk.clone()].iter().zip(&metric[chunk.clone()]);
                scaled.iter_mut().zip(pairs).for_each(|(scaled, (v, d))| *scaled = v * d);
                &scaled[..chunk.len()]
            }
        };
        for (out, row) in out.iter_mut().zip(rows.chunks_exact(columns.max(1))) {
            *out += dot(&row[chunk.clone()], part);
        }
    }
}

/// out += Rᵀw.
fn add_rows(rows: &[f64], w: &[f64], out: &mut [f64]) {
    let columns = out.len();
    for start in (0..columns).step_by(CHUNK) {
        let chunk = start..columns.min(start + CHUNK);
        for (w, row) in w.iter().zip(rows.chunks_exact(columns)) {
            add_scaled(&mut out[chunk.clone()], *w, &row[chunk.clone()]);
        }
    }
}
