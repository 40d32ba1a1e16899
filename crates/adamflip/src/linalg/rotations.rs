//! Rotations of pairs of rows, and the QL algorithm for small symmetric tridiagonal matrices.

use super::NoConvergence;

/// Steps for one eigenvalue, of which two or three are usual (EISPACK).
const STEPS: usize = 50;

/// Two rows x, y ← cx + sy, cy − sx.
pub(super) fn rotate(vectors: &mut [f64], stride: usize, size: usize, [x, y]: [usize; 2], [c, s]: [f64; 2]) {
    let (low, high) = (x.min(y), x.max(y));
    let (before, from) = vectors.split_at_mut(high * stride);
    let (low, high) = (&mut before[low * stride..][..size], &mut from[..size]);
    // With the roles changed the sign of the sine does.
    let s = if x < y { s } else { -s };
    for (x, y) in low.iter_mut().zip(high) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
}

/// The QL algorithm with implicit shifts (EISPACK's tql2), in any order.
pub(super) fn by_rotations(
    d: &mut [f64],
    e: &mut [f64],
    vectors: &mut [f64],
    stride: usize,
) -> Result<(), NoConvergence> {
    let size = d.len();
    (0..size).for_each(|row| vectors[row * stride + row] = 1.0);
    for first in 0..size {
        for step in 0.. {
            let small = |at: &usize| e[*at].abs() <= f64::EPSILON * (d[*at].abs() + d[at + 1].abs());
            let last = (first..size - 1).find(small).unwrap_or(size - 1);
            if last == first {
                break;
            }
            if step == STEPS {
                return Err(NoConvergence);
            }
            let slope = (d[first + 1] - d[first]) / (2.0 * e[first]);
            let mut g = d[last] - d[first] + e[first] / (slope + 1f64.hypot(slope).copysign(slope));
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut split = false;
            for i in (first..last).rev() {
                let (f, b) = (s * e[i], c * e[i]);
                let r = f.hypot(g);
                if i + 1 < size - 1 {
                    e[i + 1] = r;
                }
                if r == 0.0 {
                    d[i + 1] -= p;
                    if last < size - 1 {
                        e[last] = 0.0;
                    }
                    split = true;
                    break;
                }
                (s, c) = (f / r, g / r);
                g = d[i + 1] - p;
                let t = (d[i] - g) * s + 2.0 * c * b;
                p = s * t;
                d[i + 1] = g + p;
                g = c * t - b;
                rotate(vectors, stride, size, [i, i + 1], [c, -s]);
            }
            if !split {
                d[first] -= p;
                e[first] = g;
                if last < size - 1 {
                    e[last] = 0.0;
                }
            }
        }
    }
    Ok(())
}
