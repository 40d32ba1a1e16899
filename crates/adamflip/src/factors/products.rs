//! Products with rows in factors: the Gram matrix, J v and Jᵀw.
//!
//! Work is split into pieces whose results do not depend on one another (the Gram matrix and J v by panels of
//! rows, Jᵀw by ranges of columns), so the bits are the same for any number of threads. Nothing allocates.

use std::ops::Range;

use rayon::prelude::*;

use super::strip::{Kept, Strip, StripForm};
use crate::jet::{PANEL, Product, WeightGradient, block_stride};
use crate::simd::{Isa, Kernel, Simd};

/// Operations below which a piece of work is not shared any further: about 20 µs.
const PIECE: usize = 1 << 19;

/// Lanes of sums of sixteen by sixteen numbers, as the matrix kernels lay them out.
const TILE: usize = block_stride(PANEL);

/// Numbers on cache-line boundaries, on the stack.
#[repr(C, align(64))]
struct Lines<const N: usize>([f64; N]);

/// The lower triangle of the Gram matrix of all strips' rows, whose numbers rise from strip to strip; `size`
/// is the number of rows of J. Entries of rows that are in no strip are left alone.
pub(crate) fn gram(strips: &[Strip], size: usize, lower: &mut [f64]) {
    let panels: usize = strips.iter().map(Strip::panels).sum();
    if let Some(first) = strips.first() {
        gram_of(strips, 0..panels, size, first.rows.start, &mut lower[first.rows.start * size..]);
    }
}

/// The part of the Gram matrix whose rows are those of the strips and whose columns those of others, all of
/// which come before.
pub(crate) fn gram_between(before: &[Strip], strips: &[Strip], size: usize, lower: &mut [f64]) {
    let mut rest = lower;
    let mut first = 0;
    let mut jobs = Vec::new();
    for (strip, panel) in strips.iter().flat_map(|strip| (0..strip.panels()).map(move |panel| (strip, panel)))
    {
        let rows = strip.panel_rows(panel);
        let own = rest.split_off_mut(..(rows.end - first) * size).unwrap_or_default();
        jobs.push((strip, panel, &mut own[(rows.start - first) * size..]));
        first = rows.end;
    }
    jobs.into_par_iter().for_each(|(own, panel, lower)| {
        Isa::detect().run(GramRows { own, strips: before, panel, size, lower });
    });
}

/// The rows of these panels, `lower` beginning with row `first`.
fn gram_of(strips: &[Strip], panels: Range<usize>, size: usize, first: usize, lower: &mut [f64]) {
    let (strip, panel) = locate(strips, panels.start);
    if panels.len() <= 1 {
        let rows = strips[strip].panel_rows(panel);
        let lower = &mut lower[(rows.start - first) * size..(rows.end - first) * size];
        return Isa::detect().run(GramRows {
            own: &strips[strip],
            strips: &strips[..=strip],
            panel,
            size,
            lower,
        });
    }
    // Half of the triangle's area lies below 0.7 of its height.
    let half = (panels.start.pow(2) + panels.end.pow(2)) as f64 / 2.0;
    let middle = (half.sqrt() as usize).clamp(panels.start + 1, panels.end - 1);
    let (strip, panel) = locate(strips, middle);
    let row = strips[strip].panel_rows(panel).start;
    let (above, below) = lower.split_at_mut((row - first) * size);
    rayon::join(
        || gram_of(strips, panels.start..middle, size, first, above),
        || gram_of(strips, middle..panels.end, size, row, below),
    );
}

/// The strip of a panel that is counted over all strips, and its number there.
fn locate(strips: &[Strip], mut panel: usize) -> (usize, usize) {
    for (number, strip) in strips.iter().enumerate() {
        match panel.checked_sub(strip.panels()) {
            Some(rest) => panel = rest,
            None => return (number, panel),
        }
    }
    (strips.len(), panel)
}

/// The rows of the Gram matrix of one panel of a strip, up to the diagonal; its columns are those of strips
/// up to this one.
struct GramRows<'a> {
    own: &'a Strip,
    strips: &'a [Strip],
    panel: usize,
    size: usize,
    lower: &'a mut [f64],
}

impl Kernel for GramRows<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let own = self.own;
        let rows = own.panel_rows(self.panel);
        let mut work = [const { Lines([0.0; TILE]) }; 3];
        for strip in self.strips {
            let panels = if std::ptr::eq(strip, own) { self.panel + 1 } else { strip.panels() };
            for panel in 0..panels {
                work[0].0.fill(0.0);
                for (part, left) in own.kept(self.panel) {
                    for (_, right) in strip.kept(panel).filter(|(other, _)| other.first == part.first) {
                        add_tile(simd, part.form, left, right, &mut work);
                    }
                }
                let columns = strip.panel_rows(panel);
                for (row, tile) in rows.clone().zip(work[0].0.chunks_exact(PANEL)) {
                    let count = columns.len().min((row + 1).saturating_sub(columns.start));
                    let into = &mut self.lower[(row - rows.start) * self.size + columns.start..][..count];
                    into.copy_from_slice(&tile[..count]);
                }
            }
        }
    }
}

/// The squared lengths of the rows of all strips; the others are left alone.
pub(crate) fn squares(strips: &[Strip], out: &mut [f64]) {
    for strip in strips {
        for panel in 0..strip.panels() {
            let out = &mut out[strip.panel_rows(panel)];
            Isa::detect().run(Squares { strip, panel, out });
        }
    }
}

/// The diagonal of the Gram matrix of one panel. Off it sixteen times as much is computed as is needed; it is
/// still less than one product with a vector.
struct Squares<'a> {
    strip: &'a Strip,
    panel: usize,
    out: &'a mut [f64],
}

impl Kernel for Squares<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut work = [const { Lines([0.0; TILE]) }; 3];
        for (part, left) in self.strip.kept(self.panel) {
            for (_, right) in self.strip.kept(self.panel).filter(|(other, _)| other.first == part.first) {
                add_tile(simd, part.form, left, right, &mut work);
            }
        }
        let diagonal = work[0].0.iter().step_by(PANEL + 1);
        self.out.iter_mut().zip(diagonal).for_each(|(out, square)| *out = *square);
    }
}

/// Adds the products of sixteen rows with sixteen others in one part: sum\[left·PANEL + right\].
#[inline(always)]
fn add_tile<S: Simd>(
    simd: S,
    form: StripForm,
    left: Kept<'_>,
    right: Kept<'_>,
    [sum, of_adjoints, of_inputs]: &mut [Lines<TILE>; 3],
) {
    match form {
        StripForm::Written { columns } => {
            products(left.adjoints, right.adjoints, columns, None, true, sum).run(simd);
        }
        StripForm::Outer { inputs, outputs, .. } => {
            for (s, (input, adjoint)) in left.streams(inputs, outputs).enumerate() {
                for (t, (other_input, other_adjoint)) in right.streams(inputs, outputs).enumerate() {
                    let bias = (s == 0 && t == 0).then_some(&[1.0; PANEL]);
                    products(adjoint, other_adjoint, outputs, None, false, of_adjoints).run(simd);
                    products(input, other_input, inputs, bias, false, of_inputs).run(simd);
                    for ((sum, x), y) in sum.0.iter_mut().zip(&of_adjoints.0).zip(&of_inputs.0) {
                        *sum += x * y;
                    }
                }
            }
        }
    }
}

/// out\[left·PANEL + right\] = Σ_units left\[unit\]·right\[unit\] (+ bias, or + what is there).
#[inline(always)]
fn products<'a>(
    left: &'a [f64],
    right: &'a [f64],
    units: usize,
    bias: Option<&'a [f64; PANEL]>,
    accumulate: bool,
    out: &'a mut Lines<TILE>,
) -> Product<'a> {
    Product {
        weight: left,
        step_k: PANEL,
        step_j: 1,
        bias: bias.map(|bias| &bias[..]),
        streams: 1,
        input: right,
        in_units: units,
        out: &mut out.0,
        out_units: PANEL,
        accumulate,
    }
}

/// out += J v for the rows of all strips; the others are left alone.
pub(crate) fn add_times(strips: &[Strip], v: &[f64], out: &mut [f64]) {
    if let Some(first) = strips.first() {
        let panels = strips.iter().map(Strip::panels).sum();
        times_of(strips, 0..panels, v, first.rows.start, &mut out[first.rows.start..]);
    }
}

/// The rows of these panels, `out` beginning with row `first`.
fn times_of(strips: &[Strip], panels: Range<usize>, v: &[f64], first: usize, out: &mut [f64]) {
    if panels.len() <= 1 || panels.len() * PANEL * v.len() < PIECE {
        for panel in panels {
            let (strip, panel) = locate(strips, panel);
            let rows = strips[strip].panel_rows(panel);
            let out = &mut out[rows.start - first..rows.end - first];
            Isa::detect().run(Times { strip: &strips[strip], panel, v, out });
        }
        return;
    }
    let middle = (panels.start + panels.end) / 2;
    let (strip, panel) = locate(strips, middle);
    let row = strips[strip].panel_rows(panel).start;
    let (above, below) = out.split_at_mut(row - first);
    rayon::join(
        || times_of(strips, panels.start..middle, v, first, above),
        || times_of(strips, middle..panels.end, v, row, below),
    );
}

/// out += J v for one panel.
struct Times<'a> {
    strip: &'a Strip,
    panel: usize,
    v: &'a [f64],
    out: &'a mut [f64],
}

impl Kernel for Times<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (mut sums, mut tile) = (Lines([0.0; PANEL]), Lines([0.0; TILE]));
        for (part, kept) in self.strip.kept(self.panel) {
            let v = &self.v[part.columns()];
            match part.form {
                StripForm::Written { columns } => {
                    apply(v, 1, None, (kept.adjoints, columns), (&mut tile, 1)).run(simd);
                    sums.0.iter_mut().zip(&tile.0).for_each(|(sum, x)| *sum += x);
                }
                StripForm::Outer { inputs, outputs, .. } => {
                    let (weights, biases) = v.split_at(inputs * outputs);
                    for (s, (input, adjoint)) in kept.streams(inputs, outputs).enumerate() {
                        for first in (0..outputs).step_by(PANEL) {
                            let units = PANEL.min(outputs - first);
                            let bias = (s == 0).then_some(&biases[first..]);
                            let (weights, into) = (&weights[first..], (&mut tile, units));
                            apply(weights, outputs, bias, (input, inputs), into).run(simd);
                            let adjoint = &adjoint[first * PANEL..][..units * PANEL];
                            let pairs = tile.0.chunks_exact(PANEL).zip(adjoint.chunks_exact(PANEL));
                            for (x, z) in pairs {
                                (0..PANEL).for_each(|point| sums.0[point] += x[point] * z[point]);
                            }
                        }
                    }
                }
            }
        }
        self.out.iter_mut().zip(&sums.0).for_each(|(out, sum)| *out += sum);
    }
}

/// out = input·W + bias for one block of points.
#[inline(always)]
fn apply<'a>(
    weight: &'a [f64],
    step_k: usize,
    bias: Option<&'a [f64]>,
    (input, in_units): (&'a [f64], usize),
    (out, out_units): (&'a mut Lines<TILE>, usize),
) -> Product<'a> {
    let out = &mut out.0[..block_stride(out_units)];
    Product {
        weight,
        step_k,
        step_j: 1,
        bias,
        streams: 1,
        input,
        in_units,
        out,
        out_units,
        accumulate: false,
    }
}

/// out += Jᵀw over the rows of all strips, in a range of columns that divides no part.
pub(crate) fn add_transposed(strips: &[Strip], w: &[f64], columns: Range<usize>, out: &mut [f64]) {
    transposed_of(strips, w, columns, out);
}

/// These columns.
fn transposed_of(strips: &[Strip], w: &[f64], columns: Range<usize>, out: &mut [f64]) {
    let middle = (columns.start + columns.end) / 2;
    let starts = strips.iter().flat_map(|strip| strip.parts.iter()).map(|part| part.first);
    let cut =
        starts.filter(|at| columns.start < *at && *at < columns.end).min_by_key(|at| at.abs_diff(middle));
    match cut.filter(|_| columns.len() * w.len() >= PIECE) {
        None => {
            for strip in strips {
                Isa::detect().run(Transposed { strip, w: &w[strip.rows.clone()], columns: &columns, out });
            }
        }
        Some(cut) => {
            let (left, right) = out.split_at_mut(cut - columns.start);
            rayon::join(
                || transposed_of(strips, w, columns.start..cut, left),
                || transposed_of(strips, w, cut..columns.end, right),
            );
        }
    }
}

/// Blocks of a layer's inputs that are scaled at a time.
const BLOCKS: usize = 8;

/// out += Jᵀw over the rows of a strip, in a range of columns.
struct Transposed<'a> {
    strip: &'a Strip,
    w: &'a [f64],
    columns: &'a Range<usize>,
    out: &'a mut [f64],
}

impl Kernel for Transposed<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut scaled = Lines([0.0; BLOCKS * TILE]);
        for (part, inputs, adjoints) in self.strip.all_kept() {
            let columns = part.columns();
            if !(self.columns.start..self.columns.end).contains(&columns.start) {
                continue;
            }
            let out = &mut self.out[columns.start - self.columns.start..columns.end - self.columns.start];
            match part.form {
                StripForm::Written { columns } => written(simd, columns, self.w, adjoints, out),
                StripForm::Outer { .. } => {
                    outer(simd, part.form, self.w, (inputs, adjoints), &mut scaled, out)
                }
            }
        }
    }
}

/// out += Σ_points w·rows.
#[inline(always)]
fn written<S: Simd>(simd: S, columns: usize, w: &[f64], rows: &[f64], out: &mut [f64]) {
    for (panel, rows) in rows.chunks_exact(block_stride(columns)).enumerate() {
        let weights = lanes(w, panel);
        let gradient = &mut *out;
        WeightGradient { input: &weights, in_units: 1, adjoint: rows, out_units: columns, gradient }
            .run(simd);
    }
}

/// out += Σ_s Σ_points w·(a_s, \[s = 0\]) ⊗ z̄_s: the biases are the weights of one more input, which is 1 on
/// the value stream.
#[inline(always)]
fn outer<S: Simd>(
    simd: S,
    form: StripForm,
    w: &[f64],
    (inputs, adjoints): (&[f64], &[f64]),
    scaled: &mut Lines<{ BLOCKS * TILE }>,
    out: &mut [f64],
) {
    let StripForm::Outer { streams, inputs: in_units, outputs } = form else { return };
    let (row_in, row_out) = (block_stride(in_units), block_stride(outputs));
    for (chunk, adjoint) in adjoints.chunks(BLOCKS * row_out).enumerate() {
        let blocks = adjoint.len() / row_out;
        for first in (0..=in_units).step_by(PANEL) {
            let units = PANEL.min(in_units + 1 - first);
            let row = block_stride(units);
            for (block, scaled) in scaled.0.chunks_exact_mut(row).take(blocks).enumerate() {
                let number = chunk * BLOCKS + block;
                let (panel, stream) = (number / streams, number % streams);
                let w = lanes(w, panel);
                for (unit, scaled) in (first..first + units).zip(scaled.chunks_exact_mut(PANEL)) {
                    match (unit == in_units, stream) {
                        (false, _) => {
                            let input = &inputs[number * row_in + unit * PANEL..][..PANEL];
                            (0..PANEL).for_each(|point| scaled[point] = input[point] * w[point]);
                        }
                        (true, 0) => scaled.copy_from_slice(&w),
                        (true, _) => scaled.fill(0.0),
                    }
                }
            }
            let gradient = &mut out[first * outputs..(first + units) * outputs];
            let input = &scaled.0[..blocks * row];
            WeightGradient { input, in_units: units, adjoint, out_units: outputs, gradient }.run(simd);
        }
    }
}

/// The weights of a panel's rows, zero behind the last.
#[inline(always)]
fn lanes(w: &[f64], panel: usize) -> [f64; PANEL] {
    let w = &w[panel * PANEL..w.len().min((panel + 1) * PANEL)];
    let mut lanes = [0.0; PANEL];
    lanes[..w.len()].copy_from_slice(w);
    lanes
}
