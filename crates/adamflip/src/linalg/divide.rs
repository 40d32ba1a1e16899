//! Eigenvalues and eigenvectors of symmetric tridiagonal matrices: divide and conquer.
//!
//! T is two smaller matrices and ρuuᵀ, u with two entries where they meet. Of their eigenvalues d and
//! eigenvectors V follow those of diag(d) + ρzzᵀ, z = Vu: where z is rounding, or two of d are the same to
//! rounding, nothing changes (deflation), the others solve the [secular equation](super::secular), and
//! eigenvectors are products, of which nearly all time goes into one pair. z is taken again from the
//! solutions (Gu and Eisenstat 1994), for which they are exact: the eigenvectors are orthogonal however close
//! eigenvalues are. Small matrices by the QL algorithm. Reference: J. W. Demmel, *Applied Numerical Linear
//! Algebra*, 1997, section 5.3.3.

use rayon::prelude::*;

use super::panels::{Factor, ProductPart, add_product};
use super::rotations::{by_rotations, rotate};
use super::secular::Secular;
use super::{NoConvergence, dot};

/// Up to this size by the QL algorithm.
const SMALL: usize = 32;

/// The memory of decompositions.
#[derive(Debug, Default)]
pub(super) struct Divide {
    z: Vec<f64>,
    order: Vec<usize>,
    /// Of all rows of V, and of those that change.
    kinds: Vec<EigenvectorOf>,
    changed: Vec<EigenvectorOf>,
    /// Those that change: rows of V, d and z, and the place of each among the columns of `update`.
    changing: Vec<usize>,
    poles: Vec<f64>,
    weights: Vec<f64>,
    places: Vec<usize>,
    /// Those that do not.
    staying: Vec<usize>,
    deflated: Vec<f64>,
    solutions: Vec<f64>,
    /// The eigenvectors of diag(d) + ρzzᵀ, one a row.
    update: Vec<f64>,
    /// Rows of V before the update.
    old: Vec<f64>,
}

/// Rows of V that are eigenvectors of the first matrix, of both after a rotation, or of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EigenvectorOf {
    First,
    Both,
    Second,
}

impl Divide {
    pub(super) fn new(size: usize) -> Self {
        let square = if size > SMALL { size * size } else { 0 };
        Self { update: vec![0.0; square], old: vec![0.0; square], ..Self::default() }
    }

    /// Overwrites the diagonal with the eigenvalues, in rising order, `vectors` with the eigenvectors, one a
    /// row.
    pub(super) fn decompose(
        &mut self,
        diagonal: &mut [f64],
        beside: &mut [f64],
        vectors: &mut [f64],
    ) -> Result<(), NoConvergence> {
        let size = diagonal.len();
        vectors.fill(0.0);
        self.part(diagonal, beside, vectors, size)?;
        self.order.clear();
        self.order.extend(0..size);
        self.order.sort_by(|&a, &b| diagonal[a].total_cmp(&diagonal[b]));
        if self.order.iter().enumerate().any(|(at, from)| at != *from) {
            self.old.resize(size * size, 0.0);
            self.old.copy_from_slice(vectors);
            for (into, from) in vectors.chunks_exact_mut(size).zip(&self.order) {
                into.copy_from_slice(&self.old[from * size..(from + 1) * size]);
            }
            diagonal.sort_by(f64::total_cmp);
        }
        Ok(())
    }

    /// The same, in any order, for a part of the matrix: `vectors` begins with its first row and column.
    fn part(
        &mut self,
        d: &mut [f64],
        e: &mut [f64],
        vectors: &mut [f64],
        stride: usize,
    ) -> Result<(), NoConvergence> {
        let size = d.len();
        if size <= SMALL {
            return by_rotations(d, e, vectors, stride);
        }
        let half = size / 2;
        let beside = e[half - 1];
        d[half - 1] -= beside.abs();
        d[half] -= beside.abs();
        self.part(&mut d[..half], &mut e[..half - 1], vectors, stride)?;
        self.part(&mut d[half..], &mut e[half..], &mut vectors[half * (stride + 1)..], stride)?;
        self.merge(d, beside, vectors, stride);
        Ok(())
    }

    /// Eigenvalues and eigenvectors of two matrices and what is beside them both, to those of the whole.
    fn merge(&mut self, d: &mut [f64], beside: f64, vectors: &mut [f64], stride: usize) {
        let (size, half) = (d.len(), d.len() / 2);
        let sign = 1f64.copysign(beside);
        // u has the length √2.
        let (share, strength) = (0.5f64.sqrt(), 2.0 * beside.abs());
        self.z.clear();
        self.z.extend((0..size).map(|row| {
            let entry = if row < half {
                vectors[row * stride + half - 1]
            } else {
                sign * vectors[row * stride + half]
            };
            share * entry
        }));
        self.deflate(d, strength, vectors, stride);
        let count = self.changing.len();
        self.solve(strength);
        let counted = |kind: EigenvectorOf| self.changed.iter().filter(|other| **other == kind).count();
        let [first, both] = [EigenvectorOf::First, EigenvectorOf::Both].map(counted);
        self.gather(vectors, stride, size);
        // Changing ones before the others.
        self.deflated.clear();
        self.deflated.extend(self.staying.iter().map(|&row| d[row]));
        d[..count].copy_from_slice(&self.solutions[..count]);
        d[count..].copy_from_slice(&self.deflated);
        if count > 0 {
            vectors[..(count - 1) * stride + size].chunks_mut(stride).for_each(|row| row[..size].fill(0.0));
            let (early, late) = self.old.split_at((first + both) * half);
            let late = &late[..(count - first) * (size - half)];
            let update = &self.update[..count * count];
            let left = Factor::strided(&update[..(count - 1) * count + first + both], first + both, count);
            let right = Factor::of(early, half);
            if first + both > 0 {
                add_product(vectors, stride, ProductPart::All, 1.0, left, right);
            }
            if first < count {
                let left = Factor::strided(&update[first..], count - first, count);
                add_product(
                    &mut vectors[half..],
                    stride,
                    ProductPart::All,
                    1.0,
                    left,
                    Factor::of(late, size - half),
                );
            }
        }
        let rest = &self.old[self.old_rows(first, both, half, size)..];
        for (into, from) in
            vectors.chunks_mut(stride).skip(count).zip(rest.chunks_exact(size).take(size - count))
        {
            into[..size].copy_from_slice(from);
        }
    }

    /// The numbers of `old` that changing rows take.
    fn old_rows(&self, first: usize, both: usize, half: usize, size: usize) -> usize {
        (first + both) * half + (self.changing.len() - first) * (size - half)
    }

    /// Finds those that change, in rising order of d, and their kinds (LAPACK's dlaed2).
    fn deflate(&mut self, d: &mut [f64], strength: f64, vectors: &mut [f64], stride: usize) {
        let (size, half) = (d.len(), d.len() / 2);
        let Self { z, order, kinds, changed, changing, poles, weights, staying, .. } = self;
        order.clear();
        order.extend(0..size);
        // Sorting in place takes no memory; equal ones stay in their order.
        order.sort_unstable_by(|&a, &b| d[a].total_cmp(&d[b]).then(a.cmp(&b)));
        let largest = |of: &[f64]| of.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let tolerance = 8.0 * f64::EPSILON * largest(d).max(largest(z));
        kinds.clear();
        kinds.extend(
            (0..size).map(|row| if row < half { EigenvectorOf::First } else { EigenvectorOf::Second }),
        );
        changing.clear();
        staying.clear();
        let mut open: Option<usize> = None;
        for &row in &*order {
            if strength * z[row].abs() <= tolerance {
                staying.push(row);
                continue;
            }
            if let Some(before) = open {
                let length = z[row].hypot(z[before]);
                let (c, s) = (z[row] / length, -z[before] / length);
                if ((d[row] - d[before]) * c * s).abs() <= tolerance {
                    (z[row], z[before]) = (length, 0.0);
                    if kinds[row] != kinds[before] {
                        (kinds[row], kinds[before]) = (EigenvectorOf::Both, EigenvectorOf::Both);
                    }
                    rotate(vectors, stride, size, [before, row], [c, s]);
                    let (a, b) = (d[before], d[row]);
                    (d[before], d[row]) = (a * c * c + b * s * s, a * s * s + b * c * c);
                    staying.push(before);
                } else {
                    changing.push(before);
                }
            }
            open = Some(row);
        }
        changing.extend(open);
        poles.clear();
        weights.clear();
        poles.extend(changing.iter().map(|&row| d[row]));
        weights.extend(changing.iter().map(|&row| z[row]));
        changed.clear();
        changed.extend(changing.iter().map(|&row| kinds[row]));
    }

    /// Solves for those that change: `solutions`, and `update` with columns in the order of their kinds.
    fn solve(&mut self, strength: f64) {
        let count = self.changing.len();
        let Self { poles, weights, places, solutions, update, old, z, order, changed, .. } = self;
        order.clear();
        order.extend(0..count);
        order.sort_unstable_by_key(|&at| (changed[at], at));
        places.resize(count, 0);
        order.iter().enumerate().for_each(|(place, at)| places[*at] = place);
        if count == 0 {
            return;
        }
        solutions.resize(count, 0.0);
        let secular = Secular { poles, z: weights, strength };
        let update = &mut update[..count * count];
        let rows = update.par_chunks_exact_mut(count).zip(&mut *solutions).enumerate().with_min_len(16);
        rows.for_each(|(at, (distances, solution))| *solution = secular.solve(at, distances));
        // ρz_i² = Π_j (λ_j − d_i) / Π_{j≠i} (d_j − d_i).
        z.clear();
        z.resize(count, 1.0);
        for (j, distances) in update.chunks_exact(count).enumerate() {
            for (i, (product, distance)) in z.iter_mut().zip(distances).enumerate() {
                *product *= if i == j { -distance } else { distance / (poles[i] - poles[j]) };
            }
        }
        for (square, weight) in z.iter_mut().zip(weights) {
            *square = square.abs().sqrt().copysign(*weight);
        }
        let (z, places) = (&*z, &*places);
        // `old` is not in use yet: a row of it for each vector that is being put in order.
        let rows = update.par_chunks_exact_mut(count).zip(old.par_chunks_exact_mut(count)).with_min_len(16);
        rows.for_each(|(row, vector)| {
            vector.iter_mut().zip(&*row).zip(z).for_each(|((x, distance), z)| *x = z / distance);
            let length = dot(vector, vector).sqrt();
            vector.iter().zip(places).for_each(|(x, place)| row[*place] = x / length);
        });
    }

    /// Copies rows of V: the parts of changing ones that are not zero, in the order of their places, and then
    /// the others.
    fn gather(&mut self, vectors: &[f64], stride: usize, size: usize) {
        let Self { old, changing, changed: kinds, staying, order, .. } = self;
        let half = size / 2;
        let mut rest = &mut old[..];
        let mut copy = |row: usize, from: usize, to: usize| {
            let (into, after) = std::mem::take(&mut rest).split_at_mut(to - from);
            into.copy_from_slice(&vectors[row * stride + from..row * stride + to]);
            rest = after;
        };
        // `order` is that of the places.
        for &at in order.iter().filter(|at| kinds[**at] != EigenvectorOf::Second) {
            copy(changing[at], 0, half);
        }
        for &at in order.iter().filter(|at| kinds[**at] != EigenvectorOf::First) {
            copy(changing[at], half, size);
        }
        staying.iter().for_each(|&row| copy(row, 0, size));
    }
}
