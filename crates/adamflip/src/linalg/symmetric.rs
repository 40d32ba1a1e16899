//! A dense symmetric matrix of which only the lower triangle is kept, row after row: half the memory, and
//! half to read.
//!
//! Products and updates are bound by memory, so each is one sweep over the entries, and an update multiplies
//! on its way. The sweep works on portions of about as many numbers each, whose bounds depend on the size
//! alone and whose sums are added in their order: the bits do not depend on the number of threads.

use std::ops::Range;

use rayon::prelude::*;

use super::add_scaled;
use crate::simd::{Isa, Kernel, Simd};

/// Portions of a sweep: more than there will be threads that memory can feed.
const PORTIONS: usize = 16;

/// Rows that one thread copies at a time.
const BESIDE: usize = 64;

/// A symmetric matrix.
#[derive(Debug)]
pub(crate) struct Symmetric {
    size: usize,
    /// Row i has i + 1 entries.
    entries: Vec<f64>,
    /// What each portion adds to a product.
    sums: Vec<f64>,
}

/// What becomes of a matrix: M ← `factor`·M + a·uuᵀ + b·(uvᵀ + vuᵀ) + c·vvᵀ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'a> {
    pub(crate) factor: f64,
    /// u and v.
    pub(crate) vectors: [&'a [f64]; 2],
    /// a, b and c.
    pub(crate) weights: [f64; 3],
}

impl Symmetric {
    /// Zero.
    pub(crate) fn new(size: usize) -> Self {
        Self { size, entries: vec![0.0; before(size)], sums: vec![0.0; PORTIONS * size] }
    }

    /// M = `scale`·I.
    pub(crate) fn set_identity(&mut self, scale: f64) {
        self.entries.fill(0.0);
        for row in 0..self.size {
            self.entries[before(row) + row] = scale;
        }
    }

    /// The lower triangle, row after row.
    pub(crate) fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// The same, to be overwritten.
    pub(crate) fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// M = `scale` times a row-major matrix, whose lower triangle is read.
    pub(crate) fn set_scaled(&mut self, scale: f64, matrix: &[f64]) {
        each_row(0..self.size, &mut self.entries, &|row, entries| {
            super::set_scaled(entries, scale, &matrix[row * self.size..][..entries.len()]);
        });
    }

    /// Writes M to the lower triangle of a row-major matrix.
    pub(crate) fn fill_lower(&self, matrix: &mut [f64]) {
        let rows = matrix.par_chunks_exact_mut(self.size.max(1)).with_min_len(BESIDE).enumerate();
        rows.for_each(|(row, into)| {
            let row = &self.entries[before(row)..before(row + 1)];
            into[..row.len()].copy_from_slice(row);
        });
    }

    /// out = M x.
    pub(crate) fn multiply(&mut self, x: &[f64], out: &mut [f64]) {
        self.sweep(out, &|_, row, sums| Isa::detect().run(Row { row, x, sums, blend: Blend::None }));
    }

    /// Changes M, and out = M x with the new M: the same bits as a product of its own.
    pub(crate) fn update(&mut self, change: Change<'_>, x: &[f64], out: &mut [f64]) {
        let Change { factor, vectors: [u, v], weights: [a, b, c] } = change;
        self.sweep(out, &|i, row, sums| {
            let weights = [a * u[i] + b * v[i], b * u[i] + c * v[i]];
            let blend = Blend::With { factor, weights, vectors: [u, v] };
            Isa::detect().run(Row { row, x, sums, blend });
        });
    }

    /// Calls `work` with every row, its number and the sums of its portion; `out` becomes the total of the
    /// sums.
    fn sweep(&mut self, out: &mut [f64], work: &(impl Fn(usize, &mut [f64], &mut [f64]) + Sync)) {
        let Self { size, entries, sums } = self;
        sweep_portions(*size, [0, PORTIONS], entries, sums, work);
        out.fill(0.0);
        for (portion, sums) in sums.chunks_exact((*size).max(1)).enumerate() {
            let end = bound(*size, portion + 1);
            add_scaled(&mut out[..end], 1.0, &sums[..end]);
        }
    }
}

/// The entries before a row.
fn before(row: usize) -> usize {
    row * (row + 1) / 2
}

/// Calls `work` with every row of a range, whose entries are given, on all threads.
fn each_row(rows: Range<usize>, entries: &mut [f64], work: &(impl Fn(usize, &mut [f64]) + Sync)) {
    if rows.len() > BESIDE {
        let middle = rows.start.midpoint(rows.end);
        let (above, below) = entries.split_at_mut(before(middle) - before(rows.start));
        rayon::join(|| each_row(rows.start..middle, above, work), || each_row(middle..rows.end, below, work));
        return;
    }
    let mut rest = entries;
    for row in rows {
        let (entries, after) = rest.split_at_mut(row + 1);
        work(row, entries);
        rest = after;
    }
}

/// The row where a portion begins: entries grow with the square of the rows.
fn bound(size: usize, portion: usize) -> usize {
    ((portion as f64 / PORTIONS as f64).sqrt() * size as f64).round() as usize
}

fn sweep_portions(
    size: usize,
    [first, last]: [usize; 2],
    entries: &mut [f64],
    sums: &mut [f64],
    work: &(impl Fn(usize, &mut [f64], &mut [f64]) + Sync),
) {
    let (start, end) = (bound(size, first), bound(size, last));
    if last - first == 1 {
        sums[..end].fill(0.0);
        let mut rest = entries;
        for i in start..end {
            let (row, after) = rest.split_at_mut(i + 1);
            work(i, row, sums);
            rest = after;
        }
        return;
    }
    let middle = first.midpoint(last);
    let (above, below) = entries.split_at_mut(before(bound(size, middle)) - before(start));
    let (left, right) = sums.split_at_mut((middle - first) * size);
    rayon::join(
        || sweep_portions(size, [first, middle], above, left, work),
        || sweep_portions(size, [middle, last], below, right, work),
    );
}

/// Numbers that are taken at a time, and so the partial sums of a row: enough for any instruction set.
const LANES: usize = 16;

/// What becomes of a row.
#[derive(Clone, Copy)]
enum Blend<'a> {
    /// It stays.
    None,
    /// factor·row + w₀u + w₁v.
    With { factor: f64, weights: [f64; 2], vectors: [&'a [f64]; 2] },
}

impl Blend<'_> {
    /// Of some entries from the column `first` on.
    #[inline(always)]
    fn apply(self, first: usize, entries: &mut [f64]) {
        let Self::With { factor, weights: [a, b], vectors: [u, v] } = self else { return };
        for ((entry, u), v) in entries.iter_mut().zip(&u[first..]).zip(&v[first..]) {
            *entry = factor * *entry + a * u + b * v;
        }
    }
}

/// A row up to the diagonal: changes it, and adds to the sums what it, and the column that is its mirror,
/// contributes to M x. Plain loops, without fused operations: the compiler makes vectors of them.
struct Row<'a> {
    row: &'a mut [f64],
    x: &'a [f64],
    sums: &'a mut [f64],
    blend: Blend<'a>,
}

impl Kernel for Row<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { row, x, sums, blend } = self;
        let i = row.len() - 1;
        let (before, diagonal) = row.split_at_mut(i);
        let (blocks, rest) = before.as_chunks_mut::<LANES>();
        let (x_blocks, x_rest) = x[..i].as_chunks::<LANES>();
        let (sum_blocks, sum_rest) = sums[..i].as_chunks_mut::<LANES>();
        let (mut lanes, mut own) = ([0.0; LANES], 0.0);
        for (block, ((row, x_block), sums)) in blocks.iter_mut().zip(x_blocks).zip(sum_blocks).enumerate() {
            blend.apply(block * LANES, row);
            for lane in 0..LANES {
                lanes[lane] += row[lane] * x_block[lane];
                sums[lane] += x[i] * row[lane];
            }
        }
        blend.apply(i - rest.len(), rest);
        for ((entry, other), sum) in rest.iter().zip(x_rest).zip(sum_rest) {
            own += entry * other;
            *sum += x[i] * entry;
        }
        blend.apply(i, diagonal);
        sums[i] += lanes.iter().sum::<f64>() + own + diagonal[0] * x[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(length: usize, pace: f64) -> Vec<f64> {
        (0..length).map(|at| (at as f64 * pace).sin()).collect()
    }

    /// Some updates of the identity, and the last product.
    fn changed(size: usize) -> (Symmetric, Vec<f64>) {
        let (mut matrix, mut product) = (Symmetric::new(size), vec![f64::NAN; size]);
        matrix.set_identity(2.0);
        for round in 1..4 {
            let (u, v) = (wave(size, 0.7 * round as f64), wave(size, 1.3 + round as f64));
            let change = Change { factor: 0.9, vectors: [&u, &v], weights: [0.5, -0.2, 0.3] };
            matrix.update(change, &wave(size, 0.31), &mut product);
        }
        (matrix, product)
    }

    #[test]
    fn an_update_is_its_formula() {
        for size in [0, 1, 2, 16, 17, 18, 100] {
            let (mut matrix, product) = changed(size);
            let mut full = vec![vec![0.0; size]; size];
            for (i, j) in (0..size).flat_map(|i| (0..size).map(move |j| (i, j))) {
                full[i][j] = if i == j { 2.0 } else { 0.0 };
                for round in 1..4 {
                    let (u, v) = (wave(size, 0.7 * round as f64), wave(size, 1.3 + round as f64));
                    let mixed = u[i] * v[j] + v[i] * u[j];
                    full[i][j] = 0.9 * full[i][j] + 0.5 * u[i] * u[j] - 0.2 * mixed + 0.3 * v[i] * v[j];
                }
                if j <= i {
                    // A few roundings of numbers below 4.
                    assert!((matrix.entries()[before(i) + j] - full[i][j]).abs() < 1e-14);
                }
            }
            let x = wave(size, 0.31);
            let mut again = vec![f64::NAN; size];
            matrix.multiply(&x, &mut again);
            assert_eq!(again, product, "a product on the way has the bits of one on its own");
            for (row, product) in full.iter().zip(&product) {
                // Sums of up to 100 products below 4.
                assert!((row.iter().zip(&x).map(|(m, x)| m * x).sum::<f64>() - product).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (matrix, product) = changed(211);
                (matrix.entries, product)
            })
        };
        assert!(run(2) == run(1) && run(3) == run(1));
    }

    #[test]
    fn portions_have_about_the_same_size() {
        let size = 3_000;
        assert_eq!((bound(size, 0), bound(size, PORTIONS)), (0, size));
        for portion in 0..PORTIONS {
            let entries = before(bound(size, portion + 1)) - before(bound(size, portion));
            let share = entries as f64 * PORTIONS as f64 / before(size) as f64;
            // A bound is rounded by half a row at the most, 1/200 of the shortest portion.
            assert!((share - 1.0).abs() < 0.02, "{portion}: {share}");
        }
    }
}
