//! Gram matrices of few long rows: dot products, several at a time, of rows that are read where they are.
#![allow(unsafe_code)]

use crate::simd::{Isa, Kernel, Simd};

/// lower(A) += R·Rᵀ for few long rows.
pub(super) fn add_gram(matrix: &mut [f64], rows: &[f64], columns: usize) {
    Isa::detect().run(Gram { matrix, rows, columns });
}

struct Gram<'a> {
    matrix: &'a mut [f64],
    rows: &'a [f64],
    columns: usize,
}

impl Kernel for Gram<'_> {
    /// Dot products of four rows with two at a time; beyond the last row, that row again.
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { matrix, rows, columns } = self;
        let size = rows.len() / columns.max(1);
        let row = |i: usize| &rows[i.min(size - 1) * columns..][..columns];
        for (i, j) in (0..size).step_by(4).flat_map(|i| (0..size.min(i + 4)).step_by(2).map(move |j| (i, j)))
        {
            let (lefts, rights) = ([row(i), row(i + 1), row(i + 2), row(i + 3)], [row(j), row(j + 1)]);
            let mut sums = [[simd.splat(0.0); 4]; 2];
            let whole = columns - columns % S::LANES;
            for at in (0..whole).step_by(S::LANES) {
                // SAFETY: LANES more numbers are in each row.
                let (l, r) = unsafe {
                    (
                        lefts.map(|row| simd.load(row.as_ptr().add(at))),
                        rights.map(|row| simd.load(row.as_ptr().add(at))),
                    )
                };
                for (sums, r) in sums.iter_mut().zip(r) {
                    for (sum, l) in sums.iter_mut().zip(l) {
                        *sum = simd.mul_add(l, r, *sum);
                    }
                }
            }
            for (offset, (sums, right)) in sums.into_iter().zip(rights).enumerate() {
                for (row, (sum, left)) in simd.sums(sums).into_iter().zip(lefts).enumerate() {
                    if i + row < size && j + offset <= i + row {
                        let rest: f64 = left[whole..].iter().zip(&right[whole..]).map(|(x, y)| x * y).sum();
                        matrix[(i + row) * size + j + offset] += sum + rest;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_set_adds_the_same() {
        // Small integers, of which every sum is exact in any order.
        let (size, columns) = (7, 29);
        let rows: Vec<f64> = (0..size * columns).map(|at| ((at * at + 3) % 7) as f64 - 3.0).collect();
        let run = |isa: Isa| {
            let mut matrix = vec![1.0; size * size];
            isa.run(Gram { matrix: &mut matrix, rows: &rows, columns });
            matrix
        };
        let matrices: Vec<_> = Isa::available().into_iter().map(run).collect();
        assert!(matrices.iter().all(|matrix| *matrix == matrices[0]));
    }
}
