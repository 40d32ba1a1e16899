//! Leibniz' rule for the product of two jets; plain loops, since architectures use products sparingly.

use super::block_stride;
use super::streams::Streams;

/// Every summand of Leibniz' rule: (stream of the product, coefficient, stream of the left, stream of the right).
fn summands(streams: &Streams) -> impl Iterator<Item = (usize, f64, usize, usize)> + '_ {
    streams.crosses().iter().enumerate().flat_map(|(s, crosses)| {
        let whole = [Some((s, 1.0, 0, s)), (s > 0).then_some((s, 1.0, s, 0))];
        let cross = crosses.iter().map(move |c| (s, c.coefficient, c.left, c.right));
        whole.into_iter().flatten().chain(cross)
    })
}

/// out += coefficient·x·y, element by element.
fn add_product(out: &mut [f64], coefficient: f64, x: &[f64], y: &[f64]) {
    for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
        *out += coefficient * x * y;
    }
}

/// out = left·right.
pub(crate) fn forward(streams: &Streams, units: usize, left: &[f64], right: &[f64], out: &mut [f64]) {
    let block = block_stride(units);
    let size = streams.count() * block;
    out.fill(0.0);
    for ((left, right), out) in
        left.chunks_exact(size).zip(right.chunks_exact(size)).zip(out.chunks_exact_mut(size))
    {
        for (s, coefficient, l, r) in summands(streams) {
            let (left, right) = (&left[l * block..][..block], &right[r * block..][..block]);
            add_product(&mut out[s * block..][..block], coefficient, left, right);
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
    let block = block_stride(units);
    let size = streams.count() * block;
    let panels =
        other.chunks_exact(size).zip(out_adjoint.chunks_exact(size)).zip(adjoint.chunks_exact_mut(size));
    for ((other, out), adjoint) in panels {
        for (s, coefficient, l, r) in summands(streams) {
            let (own, others) = if of_left { (l, r) } else { (r, l) };
            let (other, out) = (&other[others * block..][..block], &out[s * block..][..block]);
            add_product(&mut adjoint[own * block..][..block], coefficient, other, out);
        }
    }
}
