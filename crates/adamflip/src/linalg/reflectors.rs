//! Householder's triangularization of rows that come in blocks: R of \[R; B\], and Qᵀ times a right side.
//!
//! The column j of \[R; B\] is turned onto the diagonal by a reflection I − τvvᵀ whose v = (eⱼ, vⱼ) has one
//! entry in R and all others in the block, since R stays triangular. [`WIDTH`] reflections are applied at
//! once as I − VTVᵀ with a triangular T (Schreiber and Van Loan), so that nearly all work is products of
//! matrices: 2·b·P² flop for b rows and P columns, twice that of BᵀB, whatever the condition. A block that is
//! a multiple of the identity, the root of a damping, costs 2/3·P³: row i begins with column i.
//!
//! R is as exact as if the rows had been rounded once: singular values down to ε‖B‖ are kept, where BᵀB loses
//! those below √ε‖B‖. Blocks are taken in their order and products are dealt out in fixed portions: the same
//! bits for any number of threads.
//!
//! Reference: Golub and Van Loan, *Matrix Computations*, sections 5.2 and 6.5; Buttari et al. 2009 for blocks
//! below a triangle.

use super::panels::{Factor, ProductPart, add_product};
use super::{add_scaled, dot, norm};

/// Reflections that are applied together.
const WIDTH: usize = 48;

/// Where the entries of a block are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Profile {
    /// Everywhere.
    Full,
    /// From the diagonal on.
    Triangle,
}

/// The reflections that took a block of rows into a triangle.
#[derive(Debug)]
pub(crate) struct Reflectors {
    /// P.
    size: usize,
    profile: Profile,
    /// The rows, then in their place V: row-major.
    rows: Vec<f64>,
    /// T of each group of columns, [`WIDTH`] numbers a row.
    triangles: Vec<f64>,
    /// V of the group that is worked on, a column after the other.
    panel: Vec<f64>,
    /// (VᵀC)ᵀ for the columns C on the right of it, and that times T.
    along: [Vec<f64>; 2],
}

impl Reflectors {
    /// For matrices with this many columns.
    pub(crate) fn new(size: usize) -> Self {
        let triangles = vec![0.0; size.div_ceil(WIDTH) * WIDTH * WIDTH];
        let empty = Vec::new;
        Self {
            size,
            profile: Profile::Full,
            rows: empty(),
            triangles,
            panel: empty(),
            along: [empty(), empty()],
        }
    }

    /// Begins a block.
    pub(crate) fn clear(&mut self) {
        self.profile = Profile::Full;
        self.rows.clear();
    }

    /// Adds rows to the block, times a factor.
    pub(crate) fn extend(&mut self, rows: &[f64], factor: f64) {
        self.rows.extend(rows.iter().map(|x| factor * x));
    }

    /// Makes the block a multiple of the identity.
    pub(crate) fn set_identity(&mut self, scale: f64) {
        self.rows.clear();
        self.rows.resize(self.size * self.size, 0.0);
        self.rows.iter_mut().step_by(self.size + 1).for_each(|diagonal| *diagonal = scale);
        self.profile = Profile::Triangle;
    }

    /// The rows of the block.
    pub(crate) fn count(&self) -> usize {
        self.rows.len() / self.size.max(1)
    }

    /// The squared Frobenius norm of the block, before it is absorbed.
    pub(crate) fn squares(&self) -> f64 {
        dot(&self.rows, &self.rows)
    }

    /// Overwrites an upper triangle R (row-major, zero below the diagonal) with that of \[R; block\].
    pub(crate) fn absorb(&mut self, upper: &mut [f64]) {
        if self.rows.is_empty() {
            return;
        }
        for first in (0..self.size).step_by(WIDTH) {
            let end = self.size.min(first + WIDTH);
            let active = match self.profile {
                Profile::Full => self.count(),
                Profile::Triangle => end,
            };
            self.take(first, end, active);
            self.reflect(first, end, active, upper);
            self.put(first, end, active);
            if end < self.size {
                self.update(first, end, active, upper);
            }
        }
    }

    /// Copies some columns of the block to the panel.
    fn take(&mut self, first: usize, end: usize, active: usize) {
        self.panel.resize((end - first) * active, 0.0);
        for (line, row) in self.rows.chunks_exact(self.size).take(active).enumerate() {
            let entries = self.panel[line..].iter_mut().step_by(active);
            entries.zip(&row[first..end]).for_each(|(into, from)| *into = *from);
        }
    }

    /// Copies the panel back.
    fn put(&mut self, first: usize, end: usize, active: usize) {
        for (line, row) in self.rows.chunks_exact_mut(self.size).take(active).enumerate() {
            let entries = self.panel[line..].iter().step_by(active);
            row[first..end].iter_mut().zip(entries).for_each(|(into, from)| *into = *from);
        }
    }

    /// Turns the columns of the panel onto the diagonal one by one, and writes down T.
    fn reflect(&mut self, first: usize, end: usize, active: usize, upper: &mut [f64]) {
        let triangle = &mut self.triangles[first * WIDTH..][..(end - first) * WIDTH];
        triangle.fill(0.0);
        for j in 0..end - first {
            let (before, rest) = self.panel.split_at_mut(j * active);
            let (v, later) = rest.split_at_mut(active);
            let row = &mut upper[(first + j) * self.size + first..][..end - first];
            let τ = reflector(&mut row[j], v);
            for (entry, column) in row[j + 1..].iter_mut().zip(later.chunks_exact_mut(active)) {
                let along = τ * (*entry + dot(v, column));
                *entry -= along;
                add_scaled(column, -along, v);
            }
            // T of one more: its last column is −τT Vᵀv, then τ.
            let products: Vec<f64> = before.chunks_exact(active).map(|column| -τ * dot(column, v)).collect();
            for i in 0..j {
                triangle[i * WIDTH + j] = dot(&triangle[i * WIDTH + i..i * WIDTH + j], &products[i..]);
            }
            triangle[j * WIDTH + j] = τ;
        }
    }

    /// Applies the reflections of the panel to the columns on the right of it.
    fn update(&mut self, first: usize, end: usize, active: usize, upper: &mut [f64]) {
        let Self { size, rows, triangles, panel, along: [along, turned], .. } = self;
        let (width, columns) = (end - first, *size - end);
        along.resize(columns * width, 0.0);
        for (column, along) in along.chunks_exact_mut(width).enumerate() {
            let entries = upper[first * *size + end + column..].iter().step_by(*size);
            along.iter_mut().zip(entries).for_each(|(into, from)| *into = *from);
        }
        let v = Factor::of(panel, active);
        let right = Factor::strided(&rows[end..active * *size], columns, *size);
        add_product(along, width, ProductPart::All, 1.0, right.turned(), v.turned());
        turned.clear();
        turned.resize(columns * width, 0.0);
        let triangle = &triangles[first * WIDTH..][..(width - 1) * WIDTH + width];
        let triangle = Factor::strided(triangle, width, WIDTH);
        add_product(turned, width, ProductPart::All, 1.0, Factor::of(along, width), triangle);
        for (column, turned) in turned.chunks_exact(width).enumerate() {
            let entries = upper[first * *size + end + column..].iter_mut().step_by(*size);
            turned.iter().zip(entries).for_each(|(from, into)| *into -= from);
        }
        let turned = Factor::transposed(turned, width);
        add_product(&mut rows[end..active * *size], *size, ProductPart::All, -1.0, v.turned(), turned);
    }

    /// Overwrites \[top; bottom\], a number for each row of R and of the block, with Qᵀ times it.
    pub(crate) fn apply(&self, top: &mut [f64], bottom: &mut [f64]) {
        if self.rows.is_empty() {
            return;
        }
        let mut along = [0.0; WIDTH];
        for first in (0..self.size).step_by(WIDTH) {
            let end = self.size.min(first + WIDTH);
            let along = &mut along[..end - first];
            along.copy_from_slice(&top[first..end]);
            let active = match self.profile {
                Profile::Full => self.count(),
                Profile::Triangle => end,
            };
            let lines = || self.rows.chunks_exact(self.size).take(active).map(|row| &row[first..end]);
            lines().zip(&*bottom).for_each(|(v, x)| add_scaled(along, *x, v));
            // Tᵀ from its last row on: each needs those before it.
            let triangle = &self.triangles[first * WIDTH..];
            for j in (0..along.len()).rev() {
                along[j] = (0..=j).map(|i| triangle[i * WIDTH + j] * along[i]).sum();
            }
            top[first..end].iter_mut().zip(&*along).for_each(|(top, along)| *top -= along);
            lines().zip(&mut *bottom).for_each(|(v, x)| *x -= dot(v, along));
        }
    }
}

/// The reflection that turns (head, x) onto the first axis: the head becomes its length with a sign, x the
/// rest of v = (1, x), and τ is returned.
fn reflector(head: &mut f64, x: &mut [f64]) -> f64 {
    let below = norm(x);
    if below == 0.0 {
        return 0.0;
    }
    let length = head.hypot(below);
    // Of the two directions the one without cancellation.
    let end = if *head > 0.0 { -length } else { length };
    let (reciprocal, τ) = (1.0 / (*head - end), (end - *head) / end);
    x.iter_mut().for_each(|x| *x *= reciprocal);
    *head = end;
    τ
}

/// x ← R⁻¹x for an upper triangle R without zeros on its diagonal.
pub(crate) fn solve_upper(upper: &[f64], x: &mut [f64]) {
    let size = x.len();
    for i in (0..size).rev() {
        let row = &upper[i * size..(i + 1) * size];
        x[i] = (x[i] - dot(&row[i + 1..], &x[i + 1..])) / row[i];
    }
}

/// out = R x for an upper triangle R.
pub(crate) fn multiply_upper(upper: &[f64], x: &[f64], out: &mut [f64]) {
    let size = x.len();
    for (i, out) in out.iter_mut().enumerate() {
        *out = dot(&upper[i * size + i..(i + 1) * size], &x[i..]);
    }
}

#[cfg(test)]
mod tests;
