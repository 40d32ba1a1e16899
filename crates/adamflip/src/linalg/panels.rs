//! Large products A·B, added to a row-major matrix.
//!
//! Both factors are copied into *panels*: 24 lines (rows of A, columns of B) side by side, one group of 24
//! numbers for each term of the sums, so that a register tile of some rows by three vectors of columns reads
//! both in order. Of a long sum, [`DEPTH`] terms are taken at a time: a panel of B stays in the first-level
//! cache while the rows of a portion pass by. Portions are fixed and each is worked on by one thread, so the
//! bits are the same for any number of threads.
#![allow(unsafe_code)]

use std::cell::Cell;

use rayon::prelude::*;

use crate::aligned::Aligned;
use crate::simd::{Isa, Kernel, Simd};

/// Lines of a panel: three vectors of the widest instruction set, and a multiple of three of every other.
pub(super) const PANEL: usize = 24;
/// Terms of a sum that are taken at a time: a panel of this many is 24 kB.
const DEPTH: usize = 128;
/// Numbers of a factor that are copied at a time, 8 MB: many enough for the passes over the result not to
/// matter.
const HELD: usize = 1 << 20;
/// Rows of the result that one thread works on at a time.
pub(crate) const PORTION: usize = 3 * PANEL;
/// Panels that are copied together: 1.5 kB of each row.
const TOGETHER: usize = 8;

/// One factor of a product: a row-major matrix, or its transpose.
#[derive(Clone, Copy)]
pub(crate) struct Factor<'a> {
    pub(super) entries: &'a [f64],
    /// Columns of the matrix as it is stored.
    pub(super) columns: usize,
    /// Numbers from row to row of the matrix as it is stored.
    pub(super) stride: usize,
    pub(super) transposed: bool,
}

impl<'a> Factor<'a> {
    pub(crate) fn of(entries: &'a [f64], columns: usize) -> Self {
        Self::strided(entries, columns, columns)
    }

    /// A part of a larger matrix, which ends with its last number.
    pub(super) fn strided(entries: &'a [f64], columns: usize, stride: usize) -> Self {
        Self { entries, columns, stride, transposed: false }
    }

    pub(crate) fn transposed(entries: &'a [f64], columns: usize) -> Self {
        Self::of(entries, columns).turned()
    }

    /// The transpose of this factor.
    pub(crate) fn turned(self) -> Self {
        Self { transposed: !self.transposed, ..self }
    }

    /// Rows and columns.
    pub(super) fn shape(&self) -> (usize, usize) {
        let (rows, columns) = (self.entries.len().div_ceil(self.stride.max(1)), self.columns);
        if self.transposed { (columns, rows) } else { (rows, columns) }
    }
}

/// Some terms of all lines of a factor, in panels:
/// `entries[(first·panels + terms·panel + term)·PANEL + line]` for each [`DEPTH`] terms from `first` on.
/// Lines beyond the last are zero.
#[derive(Default)]
struct Panels {
    entries: Aligned,
    panels: usize,
}

impl Panels {
    /// Copies terms `first..end` of the rows of `factor`.
    fn copy(&mut self, factor: Factor<'_>, first: usize, end: usize) {
        let lines = factor.shape().0;
        self.panels = lines.div_ceil(PANEL);
        let length = self.panels * PANEL * (end - first);
        self.entries.fit(length);
        let parts = self.entries[..length].chunks_mut((self.panels * PANEL * DEPTH).max(1));
        for (entries, start) in parts.zip((first..).step_by(DEPTH)) {
            let terms = DEPTH.min(end - start);
            let parts = entries.par_chunks_mut(TOGETHER * PANEL * terms).enumerate();
            parts.for_each(|(part, into)| {
                let line = part * TOGETHER * PANEL;
                if factor.transposed {
                    copy_side_by_side(factor, line, start, terms, into);
                } else {
                    copy_one_by_one(factor, line, start, terms, into);
                }
            });
        }
    }

    /// Terms from a multiple of [`DEPTH`] on, at the most that many, of panels from `panel` on.
    fn from(&self, first: usize, terms: usize, panel: usize) -> &[f64] {
        let all = &self.entries[first * self.panels * PANEL..][..terms * self.panels * PANEL];
        &all[panel * terms * PANEL..]
    }
}

/// Panels of lines whose numbers for one term are side by side.
fn copy_side_by_side(factor: Factor<'_>, line: usize, start: usize, terms: usize, into: &mut [f64]) {
    let count = (into.len() / terms).min(factor.columns - line);
    let rows = factor.entries[start * factor.stride..].chunks(factor.stride).take(terms);
    for (term, row) in rows.enumerate() {
        for (panel, from) in row[line..line + count].chunks(PANEL).enumerate() {
            let into = &mut into[(panel * terms + term) * PANEL..][..PANEL];
            into[..from.len()].copy_from_slice(from);
            into[from.len()..].fill(0.0);
        }
    }
}

/// Panels of lines that are stored one after the other.
fn copy_one_by_one(factor: Factor<'_>, line: usize, start: usize, terms: usize, into: &mut [f64]) {
    let lines = factor.shape().0;
    for (panel, into) in into.chunks_exact_mut(terms * PANEL).enumerate() {
        let line = line + panel * PANEL;
        if line + PANEL > lines {
            into.fill(0.0);
        }
        for (offset, line) in (line..lines.min(line + PANEL)).enumerate() {
            let from = &factor.entries[line * factor.stride + start..][..terms];
            into[offset..].iter_mut().step_by(PANEL).zip(from).for_each(|(into, from)| *into = *from);
        }
    }
}

thread_local! {
    /// The panels of the last product that this thread began, whose memory serves the next one.
    static ROOM: Cell<[Panels; 2]> = Cell::default();
}

/// What of a product is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ProductPart {
    All,
    /// Up to the diagonal; numbers beyond it, as far as the portion reaches, change as well and mean nothing.
    Lower,
    /// The same of these rows alone, from the first of a portion up to the first of another, or to the end.
    LowerRows(usize, usize),
}

/// out += share·A·B for a row-major `out` of `stride` numbers from row to row.
pub(super) fn add_product(
    out: &mut [f64],
    stride: usize,
    part: ProductPart,
    share: f64,
    left: Factor<'_>,
    right: Factor<'_>,
) {
    let ((rows, depth), columns) = (left.shape(), right.shape().1);
    assert!(right.shape().0 == depth && columns <= stride);
    if rows == 0 || columns == 0 {
        return;
    }
    assert!(out.len() >= (rows - 1) * stride + columns);
    let right = right.turned();
    let same = std::ptr::eq(left.entries, right.entries) && left.transposed == right.transposed;
    let slab = (HELD / rows.max(columns)).max(1).next_multiple_of(DEPTH);
    let [mut lefts, mut rights] = ROOM.take();
    for first in (0..depth).step_by(slab) {
        let end = depth.min(first + slab);
        rights.copy(right, first, end);
        if !same {
            lefts.copy(left, first, end);
        }
        let lefts = if same { &rights } else { &lefts };
        let wanted = match part {
            ProductPart::LowerRows(start, end) => start / PORTION..end.div_ceil(PORTION),
            ProductPart::All | ProductPart::Lower => 0..rows.div_ceil(PORTION),
        };
        // A slice of what is wanted: to skip portions in parallel takes memory.
        let portion = PORTION * stride;
        let end_of_wanted = out.len().min(wanted.end * portion);
        let portions = out[wanted.start * portion..end_of_wanted].par_chunks_mut(portion);
        portions.enumerate().with_max_len(1).for_each(|(number, out)| {
            let row = (wanted.start + number) * PORTION;
            let count = PORTION.min(rows - row);
            let columns = if part == ProductPart::All { columns } else { columns.min(row + count) };
            for start in (0..end - first).step_by(DEPTH) {
                let depth = DEPTH.min(end - first - start);
                let left = lefts.from(start, depth, row / PANEL);
                let right = rights.from(start, depth, 0);
                Isa::detect().run(Portion { left, right, depth, out, stride, rows: count, columns, share });
            }
        });
    }
    ROOM.set([lefts, rights]);
}

/// `out` += `share`·A·B for some rows of A and terms of the sums.
struct Portion<'a> {
    left: &'a [f64],
    right: &'a [f64],
    depth: usize,
    out: &'a mut [f64],
    stride: usize,
    rows: usize,
    columns: usize,
    share: f64,
}

impl Kernel for Portion<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        match S::LANES {
            8 => self.tiles::<S, 8>(simd),
            _ => self.tiles::<S, 4>(simd),
        }
    }
}

impl Portion<'_> {
    /// By register tiles of `ROWS` rows; those at the borders by way of a buffer.
    #[inline(always)]
    fn tiles<S: Simd, const ROWS: usize>(self, simd: S) {
        let size = self.depth * PANEL;
        assert!(self.left.len() >= self.rows.div_ceil(PANEL) * size);
        assert!(self.right.len() >= self.columns.div_ceil(PANEL) * size);
        assert!(self.rows == 0 || self.out.len() >= (self.rows - 1) * self.stride + self.columns);
        let share = simd.splat(self.share);
        for column in (0..self.columns).step_by(PANEL) {
            let right = self.right[column * self.depth..].as_ptr();
            let width = PANEL.min(self.columns - column);
            for row in (0..self.rows).step_by(ROWS) {
                let left = self.left[(row - row % PANEL) * self.depth + row % PANEL..].as_ptr();
                let height = ROWS.min(self.rows - row);
                let tile = Tile { left, right, depth: self.depth };
                if (height, width) == (ROWS, PANEL) {
                    // SAFETY: panels of `depth` terms by the first two assertions, ROWS rows of PANEL numbers
                    // by the third.
                    unsafe {
                        let out = self.out.as_mut_ptr().add(row * self.stride + column);
                        tile.add::<S, ROWS>(simd, share, out, self.stride);
                    }
                    continue;
                }
                let mut buffer = [[0.0; PANEL]; ROWS];
                // SAFETY: as above; the buffer has ROWS rows of PANEL numbers.
                unsafe { tile.add::<S, ROWS>(simd, share, buffer.as_mut_ptr().cast(), PANEL) };
                for (offset, sums) in buffer[..height].iter().enumerate() {
                    let out = &mut self.out[(row + offset) * self.stride + column..][..width];
                    out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
                }
            }
        }
    }
}

/// Sums of `depth` products of the rows of a panel with the columns of another.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    pub(super) left: *const f64,
    pub(super) right: *const f64,
    pub(super) depth: usize,
}

impl Tile {
    /// Adds them, times `share`, to `ROWS` rows of [`PANEL`] numbers.
    #[inline(always)]
    pub(super) unsafe fn add<S: Simd, const ROWS: usize>(
        self,
        simd: S,
        share: S::V,
        out: *mut f64,
        stride: usize,
    ) {
        // SAFETY: by the caller: `depth` groups of PANEL numbers in both panels, of which ROWS are read on
        // the left.
        unsafe {
            for part in (0..PANEL).step_by(3 * S::LANES) {
                let mut sums = [[simd.splat(0.0); 3]; ROWS];
                for term in 0..self.depth {
                    let right = self.right.add(term * PANEL + part);
                    let r0 = simd.load(right);
                    let r1 = simd.load(right.add(S::LANES));
                    let r2 = simd.load(right.add(2 * S::LANES));
                    let left = self.left.add(term * PANEL);
                    for (row, sums) in sums.iter_mut().enumerate() {
                        let l = simd.splat(*left.add(row));
                        sums[0] = simd.mul_add(l, r0, sums[0]);
                        sums[1] = simd.mul_add(l, r1, sums[1]);
                        sums[2] = simd.mul_add(l, r2, sums[2]);
                    }
                }
                for (row, sums) in sums.iter().enumerate() {
                    for (vector, sum) in sums.iter().enumerate() {
                        let at = out.add(row * stride + part + vector * S::LANES);
                        simd.store(at, simd.mul_add(share, *sum, simd.load(at)));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::product::tests::{entries, turn};
    use super::*;

    #[test]
    fn products_of_any_shape_and_orientation() {
        let shapes = [(1, 1, 1), (5, 3, 30), (PORTION + 1, DEPTH + 1, PANEL), (130, 2 * DEPTH + 70, 49)];
        for (rows, depth, columns) in shapes {
            let (left, right) = (entries(rows * depth, 1), entries(depth * columns, 2));
            let (turned_left, turned_right) = (turn(&left, depth), turn(&right, columns));
            let stride = columns + 3;
            let expected = |i: usize, j: usize| {
                let terms = (0..depth).map(|k| left[i * depth + k] * right[k * columns + j]);
                1.0 + 0.5 * terms.sum::<f64>()
            };
            for left in [Factor::of(&left, depth), Factor::transposed(&turned_left, rows)] {
                for right in [Factor::of(&right, columns), Factor::transposed(&turned_right, depth)] {
                    let mut out = vec![1.0; rows * stride];
                    add_product(&mut out, stride, ProductPart::All, 0.5, left, right);
                    for (at, out) in out.iter().enumerate() {
                        let (i, j) = (at / stride, at % stride);
                        assert_eq!(*out, if j < columns { expected(i, j) } else { 1.0 }, "{i} {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn lower_parts_reach_the_diagonal() {
        for (size, depth) in [(PANEL - 1, 4), (3 * PORTION + 5, DEPTH + 9)] {
            let rows = entries(size * depth, 3);
            let row = |i: usize| &rows[i * depth..(i + 1) * depth];
            let mut out = vec![0.0; size * size];
            let (left, right) = (Factor::of(&rows, depth), Factor::transposed(&rows, depth));
            add_product(&mut out, size, ProductPart::Lower, -1.0, left, right);
            for (i, j) in (0..size).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                let sum: f64 = row(i).iter().zip(row(j)).map(|(x, y)| x * y).sum();
                assert_eq!(out[i * size + j], -sum, "{i} {j}");
            }
        }
    }

    #[test]
    fn every_instruction_set_adds_the_same() {
        let (rows, columns, depth) = (PANEL + 5, 2 * PANEL - 1, 37);
        let (left, right) = (entries(rows * depth, 4), entries(columns * depth, 5));
        let mut panels = [Panels::default(), Panels::default()];
        panels[0].copy(Factor::of(&left, depth), 0, depth);
        panels[1].copy(Factor::of(&right, depth), 0, depth);
        let (left, right) = (panels[0].from(0, depth, 0), panels[1].from(0, depth, 0));
        let run = |isa: Isa| {
            let mut out = vec![2.0; rows * columns];
            isa.run(Portion {
                left,
                right,
                depth,
                out: &mut out,
                stride: columns,
                rows,
                columns,
                share: 3.0,
            });
            out
        };
        let outs: Vec<_> = Isa::available().into_iter().map(run).collect();
        assert!(outs.iter().all(|out| *out == outs[0]));
    }

    #[test]
    fn nothing_is_added_where_there_is_nothing() {
        add_product(&mut [], 0, ProductPart::All, 1.0, Factor::of(&[], 0), Factor::of(&[], 0));
        let mut out = [1.0];
        add_product(&mut out, 1, ProductPart::All, 1.0, Factor::transposed(&[], 1), Factor::of(&[], 1));
        assert_eq!(out, [1.0]);
    }
}
