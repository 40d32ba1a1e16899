//! Products of small dense matrices, row-major.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// One factor of a product: a row-major matrix, or its transpose.
#[derive(Clone, Copy)]
pub(crate) struct Factor<'a>(MatRef<'a, f64>);

impl<'a> Factor<'a> {
    pub(crate) fn of(entries: &'a [f64], columns: usize) -> Self {
        Self(MatRef::from_row_major_slice(entries, entries.len() / columns, columns))
    }

    pub(crate) fn transposed(entries: &'a [f64], columns: usize) -> Self {
        Self(Self::of(entries, columns).0.transpose())
    }
}

/// C = A·B, row-major.
pub(crate) fn multiply_matrices(product: &mut [f64], left: Factor<'_>, right: Factor<'_>) {
    let product = MatMut::from_row_major_slice_mut(product, left.0.nrows(), right.0.ncols());
    matmul(product, Accum::Replace, left.0, right.0, 1.0, Par::Seq);
}

/// C += share·A·B, row-major.
pub(crate) fn accumulate_product(product: &mut [f64], share: f64, left: Factor<'_>, right: Factor<'_>) {
    let product = MatMut::from_row_major_slice_mut(product, left.0.nrows(), right.0.ncols());
    matmul(product, Accum::Add, left.0, right.0, share, Par::Seq);
}
