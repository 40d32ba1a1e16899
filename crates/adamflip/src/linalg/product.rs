//! Products of small matrices, by one thread.
//!
//! As in [`panels`](super::panels) a register tile has some rows and up to three vectors of columns. But
//! where a row of the right factor lies in order it is read where it is, and the left factor always is:
//! copies would cost as much as such a product.
#![allow(unsafe_code)]

use std::cell::Cell;

use super::panels::{Factor, PANEL};
use crate::aligned::Aligned;
use crate::simd::{Isa, Kernel, Simd};

thread_local! {
    /// Columns of the right factor that had to be copied.
    static ROOM: Cell<Aligned> = Cell::default();
}

/// What becomes of the numbers where the product goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Accumulation {
    Replace,
    Add,
}

/// out = share·A·B, or out += share·A·B, row-major.
pub(super) fn multiply(
    out: &mut [f64],
    accumulation: Accumulation,
    share: f64,
    left: Factor<'_>,
    right: Factor<'_>,
) {
    let ((rows, depth), columns) = (left.shape(), right.shape().1);
    assert!(right.shape().0 == depth && out.len() == rows * columns);
    if rows == 0 || columns == 0 {
        return;
    }
    let mut room = ROOM.take();
    room.fit(depth * PANEL);
    Isa::detect().run(Product { out, accumulation, share, left, right, room: &mut room });
    ROOM.set(room);
}

struct Product<'a> {
    out: &'a mut [f64],
    accumulation: Accumulation,
    share: f64,
    left: Factor<'a>,
    right: Factor<'a>,
    room: &'a mut [f64],
}

impl Kernel for Product<'_> {
    /// Strips of up to three vectors of columns.
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { out, accumulation, share, left, right, room } = self;
        let ((rows, depth), columns) = (left.shape(), right.shape().1);
        for column in (0..columns).step_by(3 * S::LANES) {
            let width = columns.min(column + 3 * S::LANES) - column;
            let vectors = width.div_ceil(S::LANES);
            let (right, right_step, whole) = if right.transposed {
                copy_turned(right, column, width, room);
                (&room[..], PANEL, depth)
            } else {
                // Of numbers beside the strip nothing comes of what is read; after the last row there are
                // none.
                let beyond = (right.entries.len() + right.stride).saturating_sub(column + vectors * S::LANES);
                let whole = depth.min(beyond / right.stride);
                copy_last(right, column, width, whole, room);
                (&right.entries[column.min(right.entries.len())..], right.stride, whole)
            };
            let rest = &room[..];
            let out = &mut out[column..];
            let strip = Strip {
                left,
                rows,
                right,
                right_step,
                whole,
                rest,
                depth,
                out,
                stride: columns,
                width,
                share,
                accumulation,
            };
            match vectors {
                1 => strip.tiles::<S, 1>(simd),
                2 => strip.tiles::<S, 2>(simd),
                _ => strip.tiles::<S, 3>(simd),
            }
        }
    }
}

/// Copies columns of a right factor that is stored by them; numbers beside them mean nothing.
fn copy_turned(right: Factor<'_>, column: usize, width: usize, room: &mut [f64]) {
    for (line, row) in right.entries.chunks(right.stride).skip(column).take(width).enumerate() {
        room[line..]
            .iter_mut()
            .step_by(PANEL)
            .zip(&row[..right.columns])
            .for_each(|(into, from)| *into = *from);
    }
}

/// Copies the last rows of some columns.
fn copy_last(right: Factor<'_>, column: usize, width: usize, first: usize, room: &mut [f64]) {
    let rows = right.entries.chunks(right.stride).skip(first);
    for (into, row) in room.chunks_exact_mut(PANEL).zip(rows) {
        into[..width].copy_from_slice(&row[column..column + width]);
    }
}

/// Some columns of a product.
struct Strip<'a> {
    left: Factor<'a>,
    rows: usize,
    /// A row of up to three vectors for each term, `right_step` from one to the next.
    right: &'a [f64],
    right_step: usize,
    /// How many of those there are, and the rest, a panel from one to the next.
    whole: usize,
    rest: &'a [f64],
    depth: usize,
    out: &'a mut [f64],
    stride: usize,
    width: usize,
    share: f64,
    accumulation: Accumulation,
}

impl Strip<'_> {
    /// By register tiles of as many rows as registers hold. One or two that are left are done one by one,
    /// more as a tile in which the last row is repeated.
    #[inline(always)]
    fn tiles<S: Simd, const VECTORS: usize>(mut self, simd: S) {
        let mut row = 0;
        while row < self.rows {
            row += match (S::LANES, self.rows - row) {
                (_, 1 | 2) => self.tile::<S, VECTORS, 1>(simd, row),
                (8, _) => self.tile::<S, VECTORS, 8>(simd, row),
                _ => self.tile::<S, VECTORS, 4>(simd, row),
            };
        }
    }

    /// One tile; how many rows it had.
    #[inline(always)]
    fn tile<S: Simd, const VECTORS: usize, const ROWS: usize>(&mut self, simd: S, row: usize) -> usize {
        let Self { left, rows, right, right_step, whole, rest, depth, .. } = *self;
        let (row_step, left_step) = if left.transposed { (1, left.stride) } else { (left.stride, 1) };
        let last = |count: usize, step: usize| count.saturating_sub(1) * step;
        assert!(whole <= depth);
        assert!(depth == 0 || left.entries.len() > last(rows, row_step) + last(depth, left_step));
        assert!(whole == 0 || right.len() >= last(whole, right_step) + VECTORS * S::LANES);
        assert!(rest.len() >= (depth - whole) * PANEL);
        let height = ROWS.min(rows - row);
        let mut starts = [0; ROWS];
        starts.iter_mut().enumerate().for_each(|(at, start)| *start = (row + at.min(height - 1)) * row_step);
        let mut tile =
            Tile::<S, VECTORS, ROWS> { sums: [[simd.splat(0.0); VECTORS]; ROWS], starts, left_step };
        // SAFETY: the first assertion holds for the last row and term, the others for the last row on the
        // right.
        unsafe {
            let left = left.entries.as_ptr();
            tile.add(simd, left, right.as_ptr(), right_step, whole);
            tile.add(simd, left.wrapping_add(whole * left_step), rest.as_ptr(), PANEL, depth - whole);
        }
        for (offset, sums) in tile.sums[..height].iter().enumerate() {
            let out = &mut self.out[(row + offset) * self.stride..][..self.width];
            for (out, sum) in out.chunks_mut(S::LANES).zip(sums) {
                let sum = simd.mul(simd.splat(self.share), *sum);
                write(simd, out, sum, self.accumulation);
            }
        }
        height
    }
}

/// Writes up to a vector of numbers.
#[inline(always)]
fn write<S: Simd>(simd: S, out: &mut [f64], sum: S::V, accumulation: Accumulation) {
    if out.len() == S::LANES {
        // SAFETY: the length was checked.
        unsafe {
            let sum = match accumulation {
                Accumulation::Replace => sum,
                Accumulation::Add => simd.add(simd.load(out.as_ptr()), sum),
            };
            simd.store(out.as_mut_ptr(), sum);
        }
        return;
    }
    let mut sums = [0.0; 8];
    // SAFETY: no vector has more than eight numbers.
    unsafe { simd.store(sums.as_mut_ptr(), sum) };
    for (out, sum) in out.iter_mut().zip(sums) {
        match accumulation {
            Accumulation::Replace => *out = sum,
            Accumulation::Add => *out += sum,
        }
    }
}

/// Sums of products of some rows on the left with vectors on the right.
struct Tile<S: Simd, const VECTORS: usize, const ROWS: usize> {
    sums: [[S::V; VECTORS]; ROWS],
    /// Where the rows begin, and how far it is to the next term.
    starts: [usize; ROWS],
    left_step: usize,
}

impl<S: Simd, const VECTORS: usize, const ROWS: usize> Tile<S, VECTORS, ROWS> {
    /// Adds `depth` terms.
    /// # Safety
    /// `left` must be valid at each of `starts` and `depth` steps from there, `right` for as many rows.
    #[inline(always)]
    unsafe fn add(
        &mut self,
        simd: S,
        left: *const f64,
        mut right: *const f64,
        right_step: usize,
        depth: usize,
    ) {
        let (mut sums, mut at) = (self.sums, 0);
        let lefts = self.starts.map(|start| left.wrapping_add(start));
        for _ in 0..depth {
            // SAFETY: by the caller; nothing is read after the last term.
            unsafe {
                let mut r = [simd.splat(0.0); VECTORS];
                for (vector, r) in r.iter_mut().enumerate() {
                    *r = simd.load(right.add(vector * S::LANES));
                }
                for (left, sums) in lefts.iter().zip(&mut sums) {
                    let l = simd.splat(*left.add(at));
                    for (sum, r) in sums.iter_mut().zip(r) {
                        *sum = simd.mul_add(l, r, *sum);
                    }
                }
            }
            at += self.left_step;
            right = right.wrapping_add(right_step);
        }
        self.sums = sums;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::linalg::dot;

    /// Small integers, of which every sum is exact in any order.
    pub(in crate::linalg) fn entries(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|at| ((at * at + 7 * at + seed) % 11) as f64 - 5.0).collect()
    }

    /// The same matrix with its rows as columns.
    pub(in crate::linalg) fn turn(entries: &[f64], columns: usize) -> Vec<f64> {
        (0..columns).flat_map(|j| entries.iter().skip(j).step_by(columns).copied()).collect()
    }

    #[test]
    fn products_of_any_shape_and_orientation() {
        let shapes =
            [(1, 1, 1), (2, 3, 1), (1, 9, 30), (5, 3, 30), (8, 8, 8), (9, 20, 16), (13, 1, 24), (17, 40, 53)];
        for (rows, depth, columns) in shapes {
            let (left, right) = (entries(rows * depth, 1), entries(depth * columns, 2));
            let (turned_left, turned_right) = (turn(&left, depth), turn(&right, columns));
            let expected = |at: usize| {
                let (i, j) = (at / columns, at % columns);
                dot(&left[i * depth..][..depth], &turned_right[j * depth..][..depth])
            };
            for left in [Factor::of(&left, depth), Factor::transposed(&turned_left, rows)] {
                for right in [Factor::of(&right, columns), Factor::transposed(&turned_right, depth)] {
                    let mut out = vec![1.0; rows * columns];
                    multiply(&mut out, Accumulation::Add, 0.5, left, right);
                    assert!(out.iter().enumerate().all(|(at, out)| *out == 1.0 + 0.5 * expected(at)));
                    multiply(&mut out, Accumulation::Replace, 2.0, left, right);
                    assert!(out.iter().enumerate().all(|(at, out)| *out == 2.0 * expected(at)));
                }
            }
        }
    }

    #[test]
    fn numbers_beside_a_strip_do_not_matter() {
        // Of three columns the first is wanted; beside it nothing is finite.
        let right = [1.0, f64::NAN, f64::INFINITY, 2.0, f64::NAN, f64::NAN, 3.0];
        let mut out = [0.0];
        multiply(
            &mut out,
            Accumulation::Replace,
            1.0,
            Factor::of(&[1.0, 10.0, 100.0], 3),
            Factor::strided(&right, 1, 3),
        );
        assert_eq!(out, [321.0]);
    }

    #[test]
    fn sums_of_nothing_are_zero() {
        let mut out = [7.0; 2];
        multiply(&mut out, Accumulation::Replace, 1.0, Factor::transposed(&[], 2), Factor::of(&[], 1));
        assert_eq!(out, [0.0; 2]);
        multiply(&mut [], Accumulation::Add, 1.0, Factor::of(&[], 0), Factor::of(&[], 0));
    }

    #[test]
    fn every_instruction_set_multiplies_the_same() {
        let (rows, depth, columns) = (11, 6, 29);
        let (left, right) = (entries(rows * depth, 4), entries(depth * columns, 5));
        let run = |isa: Isa| {
            let mut out = vec![2.0; rows * columns];
            let (left, right) = (Factor::of(&left, depth), Factor::of(&right, columns));
            let (accumulation, room) = (Accumulation::Add, &mut vec![0.0; depth * PANEL][..]);
            isa.run(Product { out: &mut out, accumulation, share: 3.0, left, right, room });
            out
        };
        let outs: Vec<_> = Isa::available().into_iter().map(run).collect();
        assert!(outs.iter().all(|out| *out == outs[0]));
    }
}
