//! How coordinates enter a network: fixed affine functions of them.
//!
//! An entry is what a network reads as one number: a scaled coordinate, or the phase of a sine. Its
//! derivative streams are constants that [`super::Sweep`] tabulates once; nothing here depends on θ, so the
//! reverse sweep ends before.

use super::{Operator, PANEL, block_stride};

/// offset + Σ factor·(x_c − center) over some of the problem's coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What is added.
    pub offset: f64,
    /// The summands; none makes a constant.
    pub terms: Vec<EntryTerm>,
}

/// factor·(x − center) for one coordinate x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntryTerm {
    /// The number of the coordinate in the problem.
    pub coordinate: usize,
    /// What is subtracted before the product: near the middle of the range, little is lost to rounding.
    pub center: f64,
    /// The slope.
    pub factor: f64,
}

impl Entry {
    /// One coordinate, scaled.
    pub fn scaled(coordinate: usize, center: f64, factor: f64) -> Self {
        Self { offset: 0.0, terms: vec![EntryTerm { coordinate, center, factor }] }
    }

    /// What the operator (a derivative) makes of this entry: a constant.
    pub(crate) fn slope(&self, operator: &Operator) -> f64 {
        self.terms.iter().map(|term| term.factor * operator.of_coordinate(term.coordinate)).sum()
    }

    /// The entry at a panel of points.
    fn values(&self, points: &[f64], out: &mut [f64]) {
        out.fill(self.offset);
        for term in &self.terms {
            let x = &points[term.coordinate * PANEL..][..PANEL];
            out.iter_mut().zip(x).for_each(|(out, x)| *out += (x - term.center) * term.factor);
        }
    }
}

/// Fills a register with entries: their values on stream 0, the constants `slopes[(stream − 1)·units + unit]`
/// on the others.
pub(crate) fn enter(
    entries: &[Entry],
    slopes: &[f64],
    dimension: usize,
    points: &[f64],
    register: &mut [f64],
) {
    let (units, block) = (entries.len(), block_stride(entries.len()));
    let streams = 1 + slopes.len() / units;
    let panels = points.chunks_exact(dimension * PANEL);
    for (points, panel) in panels.zip(register.chunks_exact_mut(streams * block)) {
        let (values, derivatives) = panel.split_at_mut(block);
        for (entry, out) in entries.iter().zip(values.chunks_exact_mut(PANEL)) {
            entry.values(points, out);
        }
        for (slopes, stream) in slopes.chunks_exact(units).zip(derivatives.chunks_exact_mut(block)) {
            slopes.iter().zip(stream.chunks_exact_mut(PANEL)).for_each(|(&slope, out)| out.fill(slope));
        }
    }
}
