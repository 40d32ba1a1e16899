//! Householder's reduction of a symmetric matrix to a tridiagonal one, T = QᵀAQ.
//!
//! From the last row up, a reflection takes each row to one number beside the diagonal, A ← (I − τvvᵀ)A(I −
//! τvvᵀ) = A − vwᵀ − wvᵀ with w = τAv − ½τ²(vᵀAv)v. What is bound by memory is one sweep over the lower
//! triangle a row: it applies the change of the row before and multiplies by the next v on its way. Rows are
//! kept in squares of eight on the diagonal, both of whose halves are kept up, so that every row is whole
//! vectors. Reference: G. H. Golub, C. F. Van Loan, *Matrix Computations*, 2013, section 8.3.
#![allow(unsafe_code)]

use super::panels::{Factor, ProductPart, add_product};
use super::product::{Accumulation, multiply};
use super::{add_scaled, dot};
use crate::aligned::Aligned;
use crate::simd::{Isa, Kernel, Simd};

/// The side of the squares on the diagonal: a vector of any instruction set fits.
const SQUARE: usize = 8;
/// Portions of a sweep over many rows, more than there will be threads that memory can feed, and what many
/// are.
const PORTIONS: usize = 16;
const MANY: usize = 384;
/// Reflections that are applied together: two panels.
const TOGETHER: usize = 48;

/// Squares of numbers that are nothing beside the largest entry, which is between 1 and 2. Smaller ones would
/// be rounded too coarsely for a reflection to be one.
const UNDERFLOW: f64 = 1e-280;

/// The reduction of matrices of one size.
#[derive(Debug, Default)]
pub(super) struct Tridiagonal {
    size: usize,
    stride: usize,
    /// The matrix, and then the v's: that of row i has i numbers, the last one 1.
    rows: Aligned,
    /// τ of each row.
    factors: Vec<f64>,
    /// The diagonal of T.
    pub(super) diagonal: Vec<f64>,
    /// What is beside it.
    pub(super) beside: Vec<f64>,
    /// w of the row before.
    change: Vec<f64>,
    /// A v, and what each portion adds to it.
    product: Vec<f64>,
    sums: Vec<f64>,
    /// For reflections together: their Gram matrix, their triangular factor, and products with vectors.
    gram: Vec<f64>,
    triangle: Vec<f64>,
    along: Vec<f64>,
    weights: Vec<f64>,
}

impl Tridiagonal {
    pub(super) fn new(size: usize) -> Self {
        let stride = size.next_multiple_of(SQUARE);
        let mut rows = Aligned::default();
        rows.fit(size * stride);
        let portions = if size > MANY { PORTIONS } else { 0 };
        Self {
            size,
            stride,
            rows,
            factors: vec![0.0; size],
            diagonal: vec![0.0; size],
            beside: vec![0.0; size.saturating_sub(1)],
            change: vec![0.0; stride],
            product: vec![0.0; stride],
            sums: vec![0.0; portions * stride],
            gram: vec![0.0; TOGETHER * TOGETHER],
            triangle: vec![0.0; TOGETHER * TOGETHER],
            along: vec![0.0; size * TOGETHER],
            weights: vec![0.0; size * TOGETHER],
        }
    }

    /// Reduces `scale` times `matrix` (row-major, lower triangle read), whose largest entry is then between 1
    /// and 2, or none.
    pub(super) fn reduce(&mut self, matrix: &[f64], scale: f64) {
        let (size, stride) = (self.size, self.stride);
        for (i, row) in matrix.chunks_exact(size.max(1)).enumerate() {
            let into = &mut self.rows[i * stride..(i + 1) * stride];
            into.fill(0.0);
            into.iter_mut().zip(&row[..=i]).for_each(|(into, x)| *into = scale * x);
            for (above, x) in row[..i].iter().enumerate().skip(i - i % SQUARE) {
                self.rows[above * stride + i] = scale * x;
            }
        }
        self.change.fill(0.0);
        for i in (0..size).rev() {
            self.eliminate(i);
        }
    }

    /// Brings row i up to date, reflects it, and multiplies.
    fn eliminate(&mut self, i: usize) {
        let (size, stride) = (self.size, self.stride);
        let (above, from) = self.rows.split_at_mut(i * stride);
        let (row, below) = from.split_at_mut(stride);
        if i + 1 < size {
            let (v, w) = (&below[..=i], &self.change[..=i]);
            add_scaled(&mut row[..=i], -v[i], w);
            add_scaled(&mut row[..=i], -w[i], v);
        }
        self.diagonal[i] = row[i];
        row[i..].fill(0.0);
        if i == 0 {
            return;
        }
        let v = &mut row[..i];
        let (last, before) = (v[i - 1], dot(&v[..i - 1], &v[..i - 1]));
        let mut factor = 0.0;
        self.beside[i - 1] = last;
        if before > UNDERFLOW {
            let reflected = -(last * last + before).sqrt().copysign(last);
            self.beside[i - 1] = reflected;
            factor = (reflected - last) / reflected;
            v.iter_mut().for_each(|x| *x /= last - reflected);
            v[i - 1] = 1.0;
        } else {
            v.fill(0.0);
        }
        self.factors[i] = factor;
        let none = &[0.0; 0][..];
        let v_before = if i + 1 < size { &below[..stride] } else { none };
        let vectors = Vectors { x: row, v: v_before, w: &self.change };
        sweep(above, stride, i, vectors, &mut self.product, &mut self.sums);
        let (v, product) = (&row[..i], &mut self.product);
        let share = 0.5 * factor * factor * dot(&product[..i], v);
        for ((w, product), v) in self.change.iter_mut().zip(&*product).zip(v) {
            *w = factor * product - share * v;
        }
        self.change[i..].fill(0.0);
    }

    /// Takes eigenvectors of T, one a row, to those of A, s ← Qs: reflections in rising order, some at a time
    /// as I − YᵀTY with a triangular T (Schreiber and Van Loan 1989).
    pub(super) fn transform(&mut self, vectors: &mut [f64]) {
        let (size, stride) = (self.size, self.stride);
        for first in (1..size).step_by(TOGETHER) {
            let end = size.min(first + TOGETHER);
            let count = end - first;
            let reflections = &self.rows[first * stride..(end - 1) * stride + end];
            let (y, across) = (
                Factor::strided(reflections, end, stride),
                Factor::strided(reflections, end, stride).turned(),
            );
            let gram = &mut self.gram[..count * count];
            gram.fill(0.0);
            add_product(gram, count, ProductPart::All, 1.0, y, across);
            let triangle = &mut self.triangle[..count * count];
            join(triangle, gram, &self.factors[first..end]);
            let vectors = &mut vectors[..(size - 1) * size + end];
            let (along, weights) = (&mut self.along[..size * count], &mut self.weights[..size * count]);
            along.fill(0.0);
            add_product(along, count, ProductPart::All, 1.0, Factor::strided(vectors, end, size), across);
            let (along, triangle) = (Factor::of(along, count), Factor::of(triangle, count));
            multiply(weights, Accumulation::Replace, 1.0, along, triangle);
            add_product(vectors, size, ProductPart::All, -1.0, Factor::of(weights, count), y);
        }
    }
}

/// The triangular factor of some reflections: T_jj = τ_j, and above it −τ_j·T·(YYᵀ)_j.
fn join(triangle: &mut [f64], gram: &[f64], factors: &[f64]) {
    let count = factors.len();
    triangle.fill(0.0);
    for (j, τ) in factors.iter().enumerate() {
        triangle[j * count + j] = *τ;
        for i in 0..j {
            let sum: f64 = (i..j).map(|k| triangle[i * count + k] * gram[k * count + j]).sum();
            triangle[i * count + j] = -τ * sum;
        }
    }
}

/// What a sweep needs: x to multiply with, and the change −vwᵀ − wvᵀ that is due (none if v is empty).
#[derive(Clone, Copy)]
struct Vectors<'a> {
    x: &'a [f64],
    v: &'a [f64],
    w: &'a [f64],
}

/// Changes the first `count` rows and sets `product` to A x, in portions whose bounds depend on `count`
/// alone.
fn sweep(
    rows: &mut [f64],
    stride: usize,
    count: usize,
    vectors: Vectors<'_>,
    product: &mut [f64],
    sums: &mut [f64],
) {
    product.fill(0.0);
    if count <= MANY {
        return Isa::detect().run(Rows { rows, stride, first: 0, count, vectors, sums: product });
    }
    sweep_portions(rows, stride, count, [0, PORTIONS], vectors, sums);
    for (portion, sums) in sums.chunks_exact(stride).enumerate() {
        let end = bound(count, portion + 1).next_multiple_of(SQUARE);
        add_scaled(&mut product[..end], 1.0, &sums[..end]);
    }
}

/// The row where a portion begins, a multiple of the side of a square: numbers grow with the square of the
/// rows.
fn bound(count: usize, portion: usize) -> usize {
    let row = ((portion as f64 / PORTIONS as f64).sqrt() * count as f64).round() as usize;
    if portion == PORTIONS { count } else { row - row % SQUARE }
}

fn sweep_portions(
    rows: &mut [f64],
    stride: usize,
    count: usize,
    [first, last]: [usize; 2],
    vectors: Vectors<'_>,
    sums: &mut [f64],
) {
    let (start, end) = (bound(count, first), bound(count, last));
    if last - first == 1 {
        sums[..end.next_multiple_of(SQUARE)].fill(0.0);
        let rows = Rows { rows, stride, first: start, count: end - start, vectors, sums };
        return Isa::detect().run(rows);
    }
    let middle = first.midpoint(last);
    let (above, below) = rows.split_at_mut((bound(count, middle) - start) * stride);
    let (left, right) = sums.split_at_mut((middle - first) * stride);
    rayon::join(
        || sweep_portions(above, stride, count, [first, middle], vectors, left),
        || sweep_portions(below, stride, count, [middle, last], vectors, right),
    );
}

/// Some rows up to their squares on the diagonal: changes them, and adds to the sums what they, and the
/// columns that are their mirrors, contribute to A x.
struct Rows<'a> {
    rows: &'a mut [f64],
    stride: usize,
    /// The first row, a multiple of the side of a square.
    first: usize,
    count: usize,
    vectors: Vectors<'a>,
    sums: &'a mut [f64],
}

impl Kernel for Rows<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let end = self.first + self.count;
        let width = end.next_multiple_of(SQUARE);
        let Vectors { x, v, w } = self.vectors;
        assert!(width <= self.stride && self.rows.len() >= self.count * self.stride);
        assert!(x.len() >= width && w.len() >= width && (v.is_empty() || v.len() >= width));
        assert!(self.sums.len() >= width && self.first.is_multiple_of(SQUARE));
        let (fours, changed) = (end - self.count % 4, !v.is_empty());
        // SAFETY: by the assertions rows, vectors and sums have the numbers of all squares up to `end`.
        unsafe {
            for row in (self.first..fours).step_by(4) {
                match changed {
                    true => self.some::<S, 4, true>(simd, row),
                    false => self.some::<S, 4, false>(simd, row),
                }
            }
            for row in fours..end {
                match changed {
                    true => self.some::<S, 1, true>(simd, row),
                    false => self.some::<S, 1, false>(simd, row),
                }
            }
        }
    }
}

impl Rows<'_> {
    /// # Safety
    /// `ROWS` rows from `row` on must be in one square, and within rows, vectors and sums.
    #[inline(always)]
    unsafe fn some<S: Simd, const ROWS: usize, const CHANGED: bool>(&mut self, simd: S, row: usize) {
        let Vectors { x, v, w } = self.vectors;
        let square = row - row % SQUARE;
        // SAFETY: by the caller.
        unsafe {
            let start = self.rows.as_mut_ptr().add((row - self.first) * self.stride);
            let (x, v, w, sums) = (x.as_ptr(), v.as_ptr(), w.as_ptr(), self.sums.as_mut_ptr());
            let [mut own_x, mut own_v, mut own_w] = [[simd.splat(0.0); ROWS]; 3];
            for i in 0..ROWS {
                own_x[i] = simd.splat(*x.add(row + i));
                if CHANGED {
                    (own_v[i], own_w[i]) = (simd.splat(*v.add(row + i)), simd.splat(*w.add(row + i)));
                }
            }
            let mut own = [simd.splat(0.0); ROWS];
            let change = |i: usize, at: usize| {
                let place = start.add(i * self.stride + at);
                let mut entries = simd.load(place);
                if CHANGED {
                    entries = simd.neg_mul_add(own_v[i], simd.load(w.add(at)), entries);
                    entries = simd.neg_mul_add(own_w[i], simd.load(v.add(at)), entries);
                    simd.store(place, entries);
                }
                entries
            };
            for at in (0..square).step_by(S::LANES) {
                let (x, mut sum) = (simd.load(x.add(at)), simd.load(sums.add(at)));
                for i in 0..ROWS {
                    let entries = change(i, at);
                    own[i] = simd.mul_add(entries, x, own[i]);
                    sum = simd.mul_add(entries, own_x[i], sum);
                }
                simd.store(sums.add(at), sum);
            }
            for at in (square..square + SQUARE).step_by(S::LANES) {
                let x = simd.load(x.add(at));
                for (i, own) in own.iter_mut().enumerate() {
                    *own = simd.mul_add(change(i, at), x, *own);
                }
            }
            let mut four = [simd.splat(0.0); 4];
            four[..ROWS].copy_from_slice(&own);
            for (i, sum) in simd.sums(four).into_iter().take(ROWS).enumerate() {
                *sums.add(row + i) += sum;
            }
        }
    }
}
