//! How fast prescribed values, sources and data vary along each coordinate.

use super::ROUNDING;
use super::probe::{Probe, Value};
use crate::geometry::{Domain, Points};
use crate::problem::Source;

/// Lines along each coordinate, and samples of each: twenty half-waves get six samples each.
const LINES: usize = 8;
const SAMPLES: usize = 128;

/// The wave numbers of prescribed values and of sources, along every coordinate on which they are known.
pub(super) fn told_waves(probes: &[Probe<'_>], values: &[Value], domain: &Domain) -> Vec<Option<f64>> {
    (0..domain.dimension())
        .map(|c| {
            let told = probes.iter().flat_map(|probe| probe.waves(c, values, domain));
            told.reduce(f64::max).map(|κ| κ * 0.5 * (domain.upper[c] - domain.lower[c]))
        })
        .collect()
}

impl Probe<'_> {
    /// The mean wave numbers along a coordinate of what an equation prescribes, or of its source.
    fn waves(&self, coordinate: usize, values: &[Value], domain: &Domain) -> Vec<f64> {
        let Source::Drawn { place, normals: false, .. } = self.source else {
            return self.measured_waves(coordinate, values, domain);
        };
        let on_boundary = place.parts.iter().any(|part| part.boundary.is_some());
        let fixed = |point: &[f64]| {
            let at = point[coordinate];
            let part =
                place.parts.iter().flat_map(|part| &part.fixed).any(|&(c, v)| c == coordinate && v == at);
            part || on_boundary && (at == domain.lower[coordinate] || at == domain.upper[coordinate])
        };
        let lines = self.points.iter().filter(|point| !fixed(point)).take(LINES);
        let (lower, upper) = (domain.lower[coordinate], domain.upper[coordinate]);
        let step = (upper - lower) / (SAMPLES - 1) as f64;
        let mut sums = vec![(0.0, 0.0, 0.0); self.residual.equations()];
        for base in lines {
            let mut points = Points::new(domain.dimension(), SAMPLES);
            for (c, &value) in base.iter().enumerate() {
                points.column_mut(c).fill(value);
            }
            for (i, x) in points.column_mut(coordinate).iter_mut().enumerate() {
                *x = lower + step * i as f64;
            }
            for (sum, column) in sums.iter_mut().zip(self.evaluate(&points, |_, _| 0.0)) {
                if column.iter().all(|value| value.is_finite()) {
                    let mean = column.iter().sum::<f64>() / SAMPLES as f64;
                    let slope = |pair: &[f64]| ((pair[1] - pair[0]) / step).powi(2);
                    sum.0 += column.windows(2).map(slope).sum::<f64>() / (SAMPLES - 1) as f64;
                    sum.1 += column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / SAMPLES as f64;
                    sum.2 += mean * mean;
                }
            }
        }
        // Coefficients alone say nothing of the fields that are sought; and what is left where they meet a
        // condition from the start is rounding.
        let reads = self.reads_sought(&self.points);
        let number = |(&(slopes, deviations, means), reads): (&(f64, f64, f64), bool)| {
            let is_wave = reads && deviations > ROUNDING * means && deviations > 0.0;
            is_wave.then(|| (slopes / deviations).sqrt())
        };
        sums.iter().zip(reads).filter_map(number).filter(|κ| κ.is_normal()).collect()
    }

    /// Whether each equation reads a field that is sought.
    fn reads_sought(&self, points: &Points) -> Vec<bool> {
        let [zero, one] = [0.0, 1.0]
            .map(|number| self.evaluate(points, |slot, _| if self.is_sought(slot) { number } else { 0.0 }));
        zero.iter().zip(one).map(|(zero, one)| *zero != one).collect()
    }

    /// The mean wave number of measured values along the only coordinate, from one to the next.
    fn measured_waves(&self, coordinate: usize, values: &[Value], domain: &Domain) -> Vec<f64> {
        if domain.dimension() > 1 {
            return Vec::new();
        }
        let of_term = values.iter().filter(|value| value.term == self.number);
        let number = |value: &Value| {
            let mut pairs: Vec<(f64, f64)> =
                self.points.column(coordinate).iter().copied().zip(value.values.iter().copied()).collect();
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mean = pairs.iter().map(|pair| pair.1).sum::<f64>() / pairs.len() as f64;
            let deviations =
                pairs.iter().map(|pair| (pair.1 - mean).powi(2)).sum::<f64>() / pairs.len() as f64;
            let (mut slopes, mut length) = (0.0, 0.0);
            for pair in pairs.windows(2).filter(|pair| pair[1].0 > pair[0].0) {
                let step = pair[1].0 - pair[0].0;
                slopes += (pair[1].1 - pair[0].1).powi(2) / step;
                length += step;
            }
            (deviations > 0.0 && length > 0.0).then(|| (slopes / length / deviations).sqrt())
        };
        of_term.filter_map(number).filter(|κ| κ.is_normal()).collect()
    }
}
