//! Matrix kernels on jets: forward, transposed and weight-gradient products of a linear layer.
//!
//! A jet register holds, for every *block* (one stream of one panel of [`PANEL`] points) and every unit, the
//! panel's values contiguously: `register[block·block_stride(units) + unit·PANEL + point]`. All streams go
//! through the same matrix, so the three products below are plain matrix products over stacked blocks:
//!
//! - forward     z[b, j] = Σ_k W[k, j]·a[b, k]   (+ bias on the value stream),
//! - transposed  ā[b, k] = Σ_j W[k, j]·z̄[b, j],
//! - gradient    W̄[k, j] = Σ_b Σ_points a[b, k]·z̄[b, j].
//!
//! At widths of 20 to 64 the matrix lives in L1, so nothing is packed; the register tile is two vectors of
//! points by `COLUMNS` units, whose broadcast weights and loads stay below the load ports' limit.
#![allow(unsafe_code)]

use std::ops::Range;

use super::{PANEL, block_stride};
use crate::simd::{Kernel, Simd};

/// The first-level cache, in bytes, and what blocks may take of it where they stay.
const CACHE: usize = 48 << 10;
const BLOCKS: usize = 28 << 10;

/// out\[b, j\] = Σ_k weight\[k·step_k + j·step_j\]·input\[b, k\] (+ bias, or + what is there).
pub(crate) struct Product<'a> {
    pub(crate) weight: &'a [f64],
    pub(crate) step_k: usize,
    pub(crate) step_j: usize,
    /// Added on blocks 0, `streams`, 2·`streams`, … (the value stream).
    pub(crate) bias: Option<&'a [f64]>,
    pub(crate) streams: usize,
    pub(crate) input: &'a [f64],
    pub(crate) in_units: usize,
    pub(crate) out: &'a mut [f64],
    pub(crate) out_units: usize,
    /// Add to `out` instead of overwriting it.
    pub(crate) accumulate: bool,
}

impl Kernel for Product<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (size_in, size_out) = (block_stride(self.in_units), block_stride(self.out_units));
        let blocks = self.out.len() / size_out;
        assert!(self.input.len() >= blocks * size_in);
        assert!(self.in_units > 0 && self.out_units > 0);
        assert!(self.weight.len() > (self.in_units - 1) * self.step_k + (self.out_units - 1) * self.step_j);
        let chunks = self.out_units.div_ceil(S::COLUMNS);
        // A matrix beyond the first-level cache is read once for as many blocks as stay there.
        let together = match size_of_val(self.weight) > CACHE - BLOCKS {
            true => (BLOCKS / (size_in * size_of::<f64>())).max(1),
            false => 1,
        };
        for first_block in (0..blocks).step_by(together) {
            for chunk in 0..chunks {
                // Chunks of nearly equal width keep every register tile deep enough to hide the latency.
                let first = chunk * self.out_units / chunks;
                let columns = (chunk + 1) * self.out_units / chunks - first;
                for block in first_block..blocks.min(first_block + together) {
                    let bias = self.bias.filter(|_| block % self.streams == 0);
                    assert!(bias.is_none_or(|bias| bias.len() >= self.out_units));
                    for part in (0..PANEL).step_by(2 * S::LANES) {
                        // SAFETY: the assertions above bound every index: blocks, units and points within the
                        // slices.
                        unsafe {
                            let tile = Tile {
                                weight: self.weight.as_ptr().add(first * self.step_j),
                                step_k: self.step_k,
                                step_j: self.step_j,
                                depth: self.in_units,
                                bias: bias.map_or(std::ptr::null(), |bias| bias.as_ptr().add(first)),
                                input: self.input.as_ptr().add(block * size_in + part),
                                out: self.out.as_mut_ptr().add(block * size_out + first * PANEL + part),
                            };
                            match (self.accumulate, bias) {
                                (true, _) => tile.run_columns::<S, ADD>(simd, columns),
                                (false, Some(_)) => tile.run_columns::<S, BIAS>(simd, columns),
                                (false, None) => tile.run_columns::<S, ZERO>(simd, columns),
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What the sums of a [`Tile`] start from: zero, the bias, or what is there.
const ZERO: u8 = 0;
const BIAS: u8 = 1;
const ADD: u8 = 2;

/// One register tile of [`Product`]: two vectors of points by a few columns, over the whole depth.
#[derive(Clone, Copy)]
struct Tile {
    weight: *const f64,
    step_k: usize,
    step_j: usize,
    depth: usize,
    bias: *const f64,
    input: *const f64,
    out: *mut f64,
}

impl Tile {
    #[inline(always)]
    unsafe fn run_columns<S: Simd, const START: u8>(self, simd: S, columns: usize) {
        // SAFETY: by the caller's bounds.
        unsafe {
            match columns {
                1 => self.one::<S, START>(simd),
                2 => self.two::<S, START>(simd),
                3 => self.three::<S, START>(simd),
                4 => self.four::<S, START>(simd),
                5 => self.five::<S, START>(simd),
                6 => self.six::<S, START>(simd),
                7 => self.seven::<S, START>(simd),
                _ => self.eight::<S, START>(simd),
            }
        }
    }

    /// What the sums of a column start from.
    #[inline(always)]
    unsafe fn start<S: Simd, const START: u8>(self, simd: S, column: usize) -> [S::V; 2] {
        // SAFETY: by the caller's bounds.
        unsafe {
            match START {
                BIAS => [simd.splat(*self.bias.add(column)); 2],
                ADD => {
                    let out = self.out.add(column * PANEL);
                    [simd.load(out), simd.load(out.add(S::LANES))]
                }
                _ => [simd.splat(0.0); 2],
            }
        }
    }
}

/// The loops over columns are written out: of a loop that is unrolled too late for the sums to become
/// registers, one sum or the other goes through memory at every step, which halves the speed.
macro_rules! tiles {
    ($($name:ident: $($j:literal)+;)+) => {
        impl Tile {$(
            #[inline(always)]
            unsafe fn $name<S: Simd, const START: u8>(self, simd: S) {
                // SAFETY: by the caller's bounds: these columns and two vectors of points are inside the
                // slices.
                unsafe {
                    let mut sums = [$(self.start::<S, START>(simd, $j)),+];
                    let (mut input, mut weight) = (self.input, self.weight);
                    for _ in 0..self.depth {
                        let (a0, a1) = (simd.load(input), simd.load(input.add(S::LANES)));
                        $(
                            let w = simd.splat(*weight.add($j * self.step_j));
                            sums[$j] = [simd.mul_add(w, a0, sums[$j][0]), simd.mul_add(w, a1, sums[$j][1])];
                        )+
                        input = input.wrapping_add(PANEL);
                        weight = weight.wrapping_add(self.step_k);
                    }
                    $(
                        let out = self.out.add($j * PANEL);
                        simd.store(out, sums[$j][0]);
                        simd.store(out.add(S::LANES), sums[$j][1]);
                    )+
                }
            }
        )+}
    };
}

tiles! {
    one: 0;
    two: 0 1;
    three: 0 1 2;
    four: 0 1 2 3;
    five: 0 1 2 3 4;
    six: 0 1 2 3 4 5;
    seven: 0 1 2 3 4 5 6;
    eight: 0 1 2 3 4 5 6 7;
}

/// gradient\[k, j\] += Σ_b Σ_points input\[b, k\]·adjoint\[b, j\], row-major with `out_units` columns.
pub(crate) struct WeightGradient<'a> {
    pub(crate) input: &'a [f64],
    pub(crate) in_units: usize,
    pub(crate) adjoint: &'a [f64],
    pub(crate) out_units: usize,
    pub(crate) gradient: &'a mut [f64],
}

impl Kernel for WeightGradient<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let blocks = self.adjoint.len() / block_stride(self.out_units);
        assert!(self.input.len() >= blocks * block_stride(self.in_units));
        assert!(self.gradient.len() >= self.in_units * self.out_units);
        // Of more blocks at a time, inputs and adjoints would come from the second-level cache (AVX2, 64
        // units: 41 GFLOP/s for 8 blocks, 38 for 16, 29 for 32). With vectors twice as long, twice as many,
        // so that the lanes are added up as seldom.
        let together = 2 * S::LANES;
        for first in (0..blocks).step_by(together) {
            let blocks = first..blocks.min(first + together);
            // The adjoints of four tiles stay in the first-level cache while all inputs pass by.
            for chunk in (0..self.out_units).step_by(4 * S::SIDE) {
                let end = self.out_units.min(chunk + 4 * S::SIDE);
                for k in (0..self.in_units).step_by(4) {
                    for j in (chunk..end).step_by(S::SIDE) {
                        let (rows, columns) = ((self.in_units - k).min(4), (end - j).min(S::SIDE));
                        // SAFETY: this many rows from k on and columns from j on are inside the units.
                        unsafe { self.clipped(simd, blocks.clone(), k..k + rows, j..j + columns) };
                    }
                }
            }
        }
    }
}

impl WeightGradient<'_> {
    /// At most four rows and columns.
    #[inline(always)]
    unsafe fn clipped<S: Simd>(
        &mut self,
        simd: S,
        blocks: Range<usize>,
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        // SAFETY: by the caller.
        unsafe {
            match columns.len() {
                4 => self.rows::<S, 4>(simd, blocks, rows, columns.start),
                3 => self.rows::<S, 3>(simd, blocks, rows, columns.start),
                2 => self.rows::<S, 2>(simd, blocks, rows, columns.start),
                _ => self.rows::<S, 1>(simd, blocks, rows, columns.start),
            }
        }
    }

    #[inline(always)]
    unsafe fn rows<S: Simd, const COLUMNS: usize>(
        &mut self,
        simd: S,
        blocks: Range<usize>,
        rows: Range<usize>,
        j: usize,
    ) {
        // SAFETY: by the caller.
        unsafe {
            match rows.len() {
                4 => self.tile::<S, 4, COLUMNS>(simd, blocks, rows.start, j),
                3 => self.tile::<S, 3, COLUMNS>(simd, blocks, rows.start, j),
                2 => self.tile::<S, 2, COLUMNS>(simd, blocks, rows.start, j),
                _ => self.tile::<S, 1, COLUMNS>(simd, blocks, rows.start, j),
            }
        }
    }

    /// Dot products of `ROWS` inputs with `COLUMNS` adjoints over some blocks.
    #[inline(always)]
    unsafe fn tile<S: Simd, const ROWS: usize, const COLUMNS: usize>(
        &mut self,
        simd: S,
        blocks: Range<usize>,
        k: usize,
        j: usize,
    ) {
        let mut sums = [[simd.splat(0.0); COLUMNS]; ROWS];
        // SAFETY: blocks, rows and columns are inside the slices by the assertions in `run`.
        unsafe {
            let mut input = self.input.as_ptr().add(blocks.start * block_stride(self.in_units) + k * PANEL);
            let mut adjoint =
                self.adjoint.as_ptr().add(blocks.start * block_stride(self.out_units) + j * PANEL);
            for _ in blocks {
                for part in (0..PANEL).step_by(S::LANES) {
                    let mut z = [simd.splat(0.0); COLUMNS];
                    for (column, z) in z.iter_mut().enumerate() {
                        *z = simd.load(adjoint.add(column * PANEL + part));
                    }
                    for (row, sums) in sums.iter_mut().enumerate() {
                        let a = simd.load(input.add(row * PANEL + part));
                        for (sum, z) in sums.iter_mut().zip(z) {
                            *sum = simd.mul_add(a, z, *sum);
                        }
                    }
                }
                input = input.wrapping_add(block_stride(self.in_units));
                adjoint = adjoint.wrapping_add(block_stride(self.out_units));
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            let mut four = [sums[0]; 4];
            four[..COLUMNS].copy_from_slice(sums);
            let gradient = &mut self.gradient[(k + row) * self.out_units + j..][..COLUMNS];
            add_sums(simd, gradient, four);
        }
    }
}

/// gradient\[j\] += Σ_points adjoint\[b, j\] over the value blocks b = 0, `streams`, 2·`streams`, …
pub(crate) struct BiasGradient<'a> {
    pub(crate) adjoint: &'a [f64],
    pub(crate) units: usize,
    pub(crate) streams: usize,
    pub(crate) gradient: &'a mut [f64],
}

impl Kernel for BiasGradient<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let block = block_stride(self.units);
        for (j, gradient) in self.gradient[..self.units].chunks_mut(4).enumerate() {
            let mut sums = [simd.splat(0.0); 4];
            for values in self.adjoint.chunks_exact(block).step_by(self.streams) {
                let values = &values[4 * j * PANEL..][..gradient.len() * PANEL];
                for (sum, values) in sums.iter_mut().zip(values.chunks_exact(PANEL)) {
                    for part in (0..PANEL).step_by(S::LANES) {
                        // SAFETY: `values` has PANEL elements and LANES divides PANEL.
                        *sum = simd.add(*sum, unsafe { simd.load(values.as_ptr().add(part)) });
                    }
                }
            }
            add_sums(simd, gradient, sums);
        }
    }
}

/// Adds the sums over the lanes of the first vectors to up to four numbers.
#[inline(always)]
fn add_sums<S: Simd>(simd: S, into: &mut [f64], vectors: [S::V; 4]) {
    if into.len() == 4 {
        // SAFETY: four numbers.
        unsafe { simd.add_sums(into.as_mut_ptr(), vectors) };
    } else {
        into.iter_mut().zip(simd.sums(vectors)).for_each(|(into, sum)| *into += sum);
    }
}
