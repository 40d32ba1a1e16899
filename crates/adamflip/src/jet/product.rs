//! Leibniz' rule for the product and the sum of two jets; plain loops, since architectures use them sparingly.

use super::block_stride;
use super::streams::Streams;

/// The streams of one panel.
fn rows(panel: &[f64], units: usize) -> Vec<&[f64]> {
    panel.chunks_exact(block_stride(units)).collect()
}

/// out\[s\] += coefficient·x·y, element by element.
fn add_product(out: &mut [f64], coefficient: f64, x: &[f64], y: &[f64]) {
    for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
        *out += coefficient * x * y;
    }
}

/// Every summand of Leibniz' rule: (stream of the product, coefficient, stream of the left, stream of the right).
fn summands(streams: &Streams) -> impl Iterator<Item = (usize, f64, usize, usize)> + '_ {
    streams.crosses().iter().enumerate().flat_map(|(s, crosses)| {
        let whole = if s == 0 { vec![(0, 1.0, 0, 0)] } else { vec![(s, 1.0, 0, s), (s, 1.0, s, 0)] };
        whole.into_iter().chain(crosses.iter().map(move |c| (s, c.coefficient, c.left, c.right)))
    })
}

/// out = left·right.
pub(crate) fn forward(streams: &Streams, units: usize, left: &[f64], right: &[f64], out: &mut [f64]) {
    let size = streams.count() * block_stride(units);
    out.fill(0.0);
    for ((left, right), out) in
        left.chunks_exact(size).zip(right.chunks_exact(size)).zip(out.chunks_exact_mut(size))
    {
        let (left, right) = (rows(left, units), rows(right, units));
        for (s, coefficient, l, r) in summands(streams) {
            let row = block_stride(units);
            add_product(&mut out[s * row..][..row], coefficient, left[l], right[r]);
        }
    }
}

/// Adds the share of `out`'s adjoint to the adjoint of one factor; `other` is the other factor, and
/// `of_left` says which of the two receives.
pub(crate) fn reverse(
    streams: &Streams,
    units: usize,
    other: &[f64],
    of_left: bool,
    out_adjoint: &[f64],
    adjoint: &mut [f64],
) {
    let size = streams.count() * block_stride(units);
    let row = block_stride(units);
    let panels =
        other.chunks_exact(size).zip(out_adjoint.chunks_exact(size)).zip(adjoint.chunks_exact_mut(size));
    for ((other, out), adjoint) in panels {
        let (other, out) = (rows(other, units), rows(out, units));
        for (s, coefficient, l, r) in summands(streams) {
            let (own, others) = if of_left { (l, r) } else { (r, l) };
            add_product(&mut adjoint[own * row..][..row], coefficient, other[others], out[s]);
        }
    }
}
