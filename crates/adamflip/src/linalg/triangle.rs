//! Substitution by a lower triangular matrix, for many right sides at once.
//!
//! The triangle is copied in the order in which it is read: [`GROUP`] rows at a time, their numbers of one
//! column side by side, up to the diagonal, with reciprocals on it. Right sides stand side by side in
//! [panels](super::panels). A register tile of some rows by three vectors of right sides takes off what
//! earlier rows say, and is then finished in registers.
#![allow(unsafe_code)]

use std::cell::Cell;

use super::panels::PANEL;
use crate::aligned::Aligned;
use crate::simd::{Isa, Kernel, Simd};

/// Rows that are copied together: the most that a register tile has.
const GROUP: usize = 8;
/// Rows of right sides that one thread works on at a time.
const PORTION: usize = 3 * PANEL;

thread_local! {
    /// Right sides, side by side.
    static ROOM: Cell<Aligned> = Cell::default();
}

/// A lower triangular matrix, to which rows are added at the end.
#[derive(Debug, Default)]
pub(super) struct Triangle {
    entries: Aligned,
    groups: usize,
}

/// The numbers before a group.
fn before(group: usize) -> usize {
    GROUP * GROUP * group * (group + 1) / 2
}

impl Triangle {
    pub(super) fn clear(&mut self) {
        self.groups = 0;
    }

    /// Rows up to now, the last ones of a group that was not full included.
    pub(super) fn padded(&self) -> usize {
        self.groups * GROUP
    }

    /// Adds rows with `stride` numbers from one to the next. If they do not fill their last group, no others
    /// may follow.
    pub(super) fn extend(&mut self, rows: &[f64], stride: usize) {
        for rows in rows.chunks((GROUP * stride).max(1)) {
            let first = self.padded();
            let (start, end) = (before(self.groups), before(self.groups + 1));
            self.entries.fit(end);
            let into = &mut self.entries[start..end];
            into.fill(0.0);
            for (offset, row) in rows.chunks(stride).enumerate() {
                let (row, diagonal) = (&row[..first + offset], row[first + offset]);
                into[offset..].iter_mut().step_by(GROUP).zip(row).for_each(|(into, from)| *into = *from);
                into[(first + offset) * GROUP + offset] = 1.0 / diagonal;
            }
            self.groups += 1;
        }
    }

    /// Overwrites the right sides x of a panel with L⁻¹x. It has [`padded`](Self::padded) terms; those beyond
    /// the last row become zero.
    pub(super) fn solve(&self, panel: &mut [f64]) {
        assert!(panel.len() >= self.padded() * PANEL);
        Isa::detect().run(Substitution { entries: &self.entries, groups: self.groups, panel });
    }

    /// Overwrites the part x of each row that begins with column `start` with L⁻¹x, on all threads, and
    /// copies it, of `count` numbers, to `copies`.
    pub(super) fn solve_columns(
        &self,
        rows: &mut [f64],
        stride: usize,
        start: usize,
        copies: &mut [f64],
        count: usize,
    ) {
        let lines = copies.len() / count;
        if lines > PORTION {
            let half = (lines / 2).next_multiple_of(PORTION);
            let (rows, other_rows) = rows.split_at_mut(half * stride);
            let (copies, other_copies) = copies.split_at_mut(half * count);
            rayon::join(
                || self.solve_columns(rows, stride, start, copies, count),
                || self.solve_columns(other_rows, stride, start, other_copies, count),
            );
            return;
        }
        let mut room = ROOM.take();
        room.fit(self.padded() * PANEL);
        let panel = &mut room[..self.padded() * PANEL];
        for (rows, copies) in rows.chunks_mut(PANEL * stride).zip(copies.chunks_mut(PANEL * count)) {
            load(panel, &rows[start..], stride, count);
            self.solve(panel);
            for (line, (row, copy)) in rows.chunks_mut(stride).zip(copies.chunks_mut(count)).enumerate() {
                store(panel, line, copy);
                row[start..start + count].copy_from_slice(copy);
            }
        }
        ROOM.set(room);
    }
}

/// Puts the first columns of rows into a panel side by side; what is beyond them is zero.
pub(super) fn load(panel: &mut [f64], rows: &[f64], stride: usize, columns: usize) {
    let count = rows.len().div_ceil(stride.max(1));
    panel[columns * PANEL..].fill(0.0);
    if count < PANEL {
        panel.fill(0.0);
    }
    for (line, row) in rows.chunks(stride.max(1)).enumerate() {
        panel[line..].iter_mut().step_by(PANEL).zip(&row[..columns]).for_each(|(into, from)| *into = *from);
    }
}

/// Takes a line out of a panel.
pub(super) fn store(panel: &[f64], line: usize, row: &mut [f64]) {
    row.iter_mut().zip(panel[line..].iter().step_by(PANEL)).for_each(|(into, from)| *into = *from);
}

struct Substitution<'a> {
    entries: &'a [f64],
    groups: usize,
    panel: &'a mut [f64],
}

impl Kernel for Substitution<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        assert!(self.entries.len() >= before(self.groups) && self.panel.len() >= self.groups * GROUP * PANEL);
        // SAFETY: `groups` groups of the triangle and as many rows of the panel by the assertion.
        unsafe {
            match S::LANES {
                8 => self.tiles::<S, 8>(simd),
                _ => self.tiles::<S, 4>(simd),
            }
        }
    }
}

impl Substitution<'_> {
    /// # Safety
    /// Triangle and panel must have `groups` groups.
    #[inline(always)]
    unsafe fn tiles<S: Simd, const ROWS: usize>(self, simd: S) {
        for part in (0..PANEL).step_by(3 * S::LANES) {
            for group in 0..self.groups {
                for offset in (0..GROUP).step_by(ROWS) {
                    // SAFETY: the group is one of the triangle, its rows are in the panel, and part and
                    // offset keep within them.
                    unsafe {
                        let entries = self.entries.as_ptr().add(before(group) + offset);
                        let panel = self.panel.as_mut_ptr().add(part);
                        tile::<S, ROWS>(simd, entries, group * GROUP + offset, panel);
                    }
                }
            }
        }
    }
}

/// Solves for `ROWS` rows from `first` on, of three vectors of right sides.
/// # Safety
/// `entries` must be those of the group from the first of the rows on, `panel` must have all rows up to the
/// last.
#[inline(always)]
unsafe fn tile<S: Simd, const ROWS: usize>(simd: S, entries: *const f64, first: usize, panel: *mut f64) {
    // SAFETY: by the caller.
    unsafe {
        let vectors = |row: usize| {
            let at = panel.add(row * PANEL);
            [simd.load(at), simd.load(at.add(S::LANES)), simd.load(at.add(2 * S::LANES))]
        };
        let mut sums = [[simd.splat(0.0); 3]; ROWS];
        for (row, sums) in sums.iter_mut().enumerate() {
            *sums = vectors(first + row);
        }
        for term in 0..first {
            let known = vectors(term);
            for (row, sums) in sums.iter_mut().enumerate() {
                let factor = simd.splat(*entries.add(term * GROUP + row));
                for (sum, known) in sums.iter_mut().zip(known) {
                    *sum = simd.neg_mul_add(factor, known, *sum);
                }
            }
        }
        for row in 0..ROWS {
            let column = entries.add((first + row) * GROUP);
            let reciprocal = simd.splat(*column.add(row));
            let [a, b, c] = sums[row];
            let known = [simd.mul(a, reciprocal), simd.mul(b, reciprocal), simd.mul(c, reciprocal)];
            for (vector, known) in known.into_iter().enumerate() {
                simd.store(panel.add((first + row) * PANEL + vector * S::LANES), known);
            }
            for (later, sums) in sums.iter_mut().enumerate().skip(row + 1) {
                let factor = simd.splat(*column.add(later));
                for (sum, known) in sums.iter_mut().zip(known) {
                    *sum = simd.neg_mul_add(factor, known, *sum);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dot;

    /// Small integers below a diagonal of ones, twos and fours: every step is exact.
    fn lower(size: usize) -> Vec<f64> {
        let entry = |i: usize, j: usize| match i.cmp(&j) {
            std::cmp::Ordering::Less => f64::NAN,
            std::cmp::Ordering::Equal => f64::from(1 << (i % 3)),
            std::cmp::Ordering::Greater => ((i * 5 + j * 3) % 4) as f64 - 1.0,
        };
        (0..size * size).map(|at| entry(at / size, at % size)).collect()
    }

    #[test]
    fn right_sides_of_any_number_and_size() {
        for (size, count) in [(1, 1), (7, PANEL), (8, 3), (17, 2 * PORTION + 5), (40, 5)] {
            let (lower, stride) = (lower(size), size + 2);
            let solution = |row: usize, i: usize| ((row * 7 + i * i) % 5) as f64 - 2.0;
            let (mut rows, mut copies) = (vec![9.0; count * stride], vec![0.0; count * size]);
            for (row, entries) in rows.chunks_exact_mut(stride).enumerate() {
                let solution: Vec<f64> = (0..size).map(|i| solution(row, i)).collect();
                (0..size).for_each(|i| entries[1 + i] = dot(&lower[i * size..][..=i], &solution[..=i]));
            }
            let mut triangle = Triangle::default();
            triangle.extend(&lower, size);
            triangle.solve_columns(&mut rows, stride, 1, &mut copies, size);
            for (row, (entries, copy)) in rows.chunks_exact(stride).zip(copies.chunks_exact(size)).enumerate()
            {
                assert!((0..size).all(|i| entries[1 + i] == solution(row, i)), "{size} {row}");
                assert!(entries[1..=size] == *copy && entries[0] == 9.0 && entries[size + 1] == 9.0);
            }
        }
    }

    #[test]
    fn every_instruction_set_solves_the_same() {
        let mut triangle = Triangle::default();
        triangle.extend(&lower(19), 19);
        let panels: Vec<_> = Isa::available()
            .into_iter()
            .map(|isa| {
                let mut panel: Vec<f64> = (0..triangle.padded() * PANEL).map(|at| (at % 5) as f64).collect();
                isa.run(Substitution {
                    entries: &triangle.entries,
                    groups: triangle.groups,
                    panel: &mut panel,
                });
                panel
            })
            .collect();
        assert!(panels.iter().all(|panel| *panel == panels[0]));
    }
}
