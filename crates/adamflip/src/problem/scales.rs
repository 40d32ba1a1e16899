//! How large the fields are and how fast they vary, read off what the problem says of them.
//!
//! A network whose weights are of size one computes values of size one that vary on the scale of the domain.
//! A temperature in kelvins, a pressure of 1e5 or twelve waves are far from that, and training spends its
//! time on the way there. What is prescribed or measured tells the size of a field, and the slope of
//! prescribed values and sources how fast it varies: κ² = ∫(∂g)²/∫(g − mean)², the mean square wave number of
//! g. What no condition tells follows from the equations, since the largest summands of an equation are of
//! one size: the amplitude from a source (−k u_xx = f: |u| ≈ |f|/kκ²), the pressure from the inertia, the
//! frequency in time of a wave from its wave number in space.
//!
//! Nothing here looks at the reference. Wrong by a factor of ten is good enough: networks bridge that.

mod periodicity;
mod probe;
#[cfg(test)]
mod tests;
mod waves;

use std::f64::consts::PI;

use super::network::Ansatz;
use super::term::Context;
use super::{NetworkPlan, Term};
use crate::diagnostic::{Span, Spanned};
use crate::geometry::Domain;
use crate::network::Fourier;
use crate::spec::{Network, OutputScales};
use periodicity::periodic;
use probe::{Probe, Value};
use waves::told_waves;

/// Sizes between the two are left as they are: networks cover that, and most problems are written so.
const ORDINARY: (f64, f64) = (0.1, 5.0);
/// The same of sizes that follow from equations, which are known to a factor of ten.
const ORDINARY_DERIVED: (f64, f64) = (0.01, 100.0);
/// Fewer different values, as at the two ends of a rod, are no measure of a spread.
const FEW: usize = 5;
/// A size that follows from the equations and is this many times what is prescribed counts more.
const HIDDEN: f64 = 10.0;
/// Networks of inputs in [−1, 1] get no features for wave numbers up to this, four half-waves: our choice.
const SEEN: f64 = 6.0;
/// No features are faster: twenty half-waves.
const FASTEST: f64 = 30.0;
/// Fourier features where fields vary faster, and the deviation of their frequencies by the mean wave number:
/// of 20 and 40, and of 0.35 and 0.7, no choice was best on both strangers that were tried
/// (`results/2026-11-18-sizes.md`).
const FEATURES: usize = 20;
const SHARE: f64 = 0.7;
/// The least share of a sum of squares that is not rounding.
const ROUNDING: f64 = 1e-20;

/// What a field is expected to be: offset ± size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The middle of its values.
    pub offset: f64,
    /// How far they are from it, as a root mean square.
    pub size: f64,
}

impl Scale {
    /// Zero ± one: what a network computes by itself.
    pub const ONE: Self = Self { offset: 0.0, size: 1.0 };

    /// The same with two digits, or zero ± one where it is close to that.
    fn rounded(self, (least, most): (f64, f64)) -> Self {
        let largest = self.size.max(self.offset.abs());
        let ordinary = (least..=most).contains(&self.size) && self.offset.abs() <= ORDINARY.1;
        if ordinary || !largest.is_normal() || !self.size.is_normal() {
            return Self::ONE;
        }
        let size = digits(self.size, self.size);
        // An offset that the network bridges by itself is not worth a number.
        let offset = if self.offset.abs() < 2.0 * self.size { 0.0 } else { digits(self.offset, self.size) };
        Self { offset, size }
    }
}

/// A number to two digits of `unit`.
fn digits(value: f64, unit: f64) -> f64 {
    let step = 10f64.powf(unit.log10().floor() - 1.0);
    let rounded = (value / step).round() * step;
    // The shortest decimal that is this number to ten digits.
    format!("{rounded:.9e}").parse().unwrap_or(rounded)
}

/// What the problem says of its fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Scales {
    /// Every field sought.
    pub fields: Vec<Scale>,
    /// The mean wave number along every coordinate, where something tells it, times half the range: of a wave
    /// that fits n half-waves into the domain nπ/2.
    pub waves: Vec<Option<f64>>,
}

impl Scales {
    /// Where nothing is told.
    fn none(fields: usize, coordinates: usize) -> Self {
        Self { fields: vec![Scale::ONE; fields], waves: vec![None; coordinates] }
    }
}

/// Chooses what the file leaves open: sizes of fields, and for a network that is not given Fourier features
/// where fields vary fast.
fn choose(network: &mut Network, scales: &Scales, ansatz: &Ansatz) {
    if network.scale_outputs == OutputScales::Auto {
        let other = |&(field, scale): &(usize, &Scale)| ansatz.is_raw(field) && *scale != Scale::ONE;
        let chosen = scales.fields.iter().enumerate().filter(other);
        network.scale_outputs =
            OutputScales::Given(chosen.map(|(field, scale)| (field, [scale.offset, scale.size])).collect());
    }
    if !network.is_given {
        let fastest = scales.waves.iter().flatten().copied().fold(0.0, f64::max);
        if fastest > SEEN {
            let scale = |wave: Option<f64>| digits(wave.unwrap_or(1.0).clamp(1.0, FASTEST) * SHARE, 1.0);
            let scales = scales.waves.iter().enumerate().map(|(c, &wave)| (c, scale(wave))).collect();
            network.fourier = Some(Fourier { features: FEATURES, scale: 1.0, scales });
        }
    }
}

/// The network of the file with what it leaves open chosen, and what was chosen by; nothing is where a term
/// has errors.
pub(super) fn chosen(
    context: &Context<'_>,
    terms: &[Option<Term>],
    networks: &[NetworkPlan],
) -> (Network, Scales) {
    let mut network = context.spec.network.clone();
    let whole: Option<Vec<&Term>> = terms.iter().map(Option::as_ref).collect();
    let Some((domain, terms)) = context.domain.zip(whole) else {
        let scales = Scales::none(context.spec.fields.len(), context.names.coordinates.len());
        return (network, scales);
    };
    let scales = scales(&terms, context, domain, networks);
    choose(&mut network, &scales, context.ansatz);
    let is_open = network.ansatz.is_empty() && network.fourier_hard.is_empty();
    if !network.is_given && !network.has_periods && is_open {
        let coordinates = periodic(&terms, domain, context.spec.fields.len());
        let name = |c: usize| Spanned { value: context.names.coordinates[c].clone(), span: Span::default() };
        network.periodic = coordinates.into_iter().map(|c| (name(c), None)).collect();
    }
    (network, scales)
}

/// Reads sizes and wave numbers off the terms. `networks` compute the fields themselves here, without an
/// ansatz of ours.
fn scales(terms: &[&Term], context: &Context<'_>, domain: &Domain, networks: &[NetworkPlan]) -> Scales {
    let Context { names, unknowns, .. } = *context;
    let sought = context.spec.fields.len();
    let probes: Vec<Probe<'_>> = terms
        .iter()
        .zip(1..)
        .filter_map(|(&term, n)| Probe::new(term, n, domain, networks, (unknowns, context.spec.fields.len())))
        .collect();
    let values: Vec<Value> = probes.iter().flat_map(Probe::values).collect();
    let mut waves = told_waves(&probes, &values, domain);
    let range = |c: usize| domain.upper[c] - domain.lower[c];
    let mut fields: Vec<Option<Scale>> = (0..names.fields.len()).map(|field| told(&values, field)).collect();
    let wave_numbers = |waves: &[Option<f64>]| -> Vec<f64> {
        let least =
            |(c, wave): (usize, &Option<f64>)| (wave.unwrap_or(0.0) * 2.0 / range(c)).max(PI / range(c));
        waves.iter().enumerate().map(least).collect()
    };
    // Sizes follow from sizes: once around for every field at the most.
    let mut derived = vec![false; fields.len()];
    let few: Vec<bool> = (0..sought).map(|field| distinct(&values, field) < FEW).collect();
    for round in 0..sought {
        let κ = wave_numbers(&waves);
        let balanced: Vec<_> = (0..sought).map(|field| balanced(&probes, field, &fields, &κ)).collect();
        let mut changed = false;
        for (((scale, size), derived), &few) in fields.iter_mut().zip(balanced).zip(&mut derived).zip(&few) {
            let told = scale.map_or(0.0, |scale| scale.size);
            // Values at the border may be a faint trace of what a source does inside; two values tell next to
            // nothing.
            let trace = if few { told } else { HIDDEN * told };
            let hides = |size: &f64| told == 0.0 || round == 0 && *size > trace;
            if let Some(size) = size.filter(hides) {
                *scale = Some(Scale { offset: scale.map_or(0.0, |scale| scale.offset), size });
                (*derived, changed) = (true, true);
            }
        }
        if !changed {
            break;
        }
    }
    // Sources and boundary values that vary in time say more than the equation's own frequencies.
    if let Some(time) = names.time.filter(|&time| waves[time].is_none()) {
        let κ = wave_numbers(&waves);
        let frequency = probes.iter().filter_map(|probe| probe.frequency(time, &fields, &κ)).reduce(f64::max);
        waves[time] = frequency.map(|frequency| frequency * range(time) / 2.0);
    }
    let size = |(scale, &derived): (&Option<Scale>, &bool)| {
        let known = scale.filter(|scale| scale.size > 0.0).unwrap_or(Scale::ONE);
        known.rounded(if derived { ORDINARY_DERIVED } else { ORDINARY })
    };
    Scales { fields: fields[..sought].iter().zip(&derived).map(size).collect(), waves }
}

/// The mean and deviation of all that is prescribed or measured of a field, every term with the same weight.
fn told(values: &[Value], field: usize) -> Option<Scale> {
    let of_field: Vec<&Value> = values.iter().filter(|value| value.field == field).collect();
    let mean = |f: &dyn Fn(f64) -> f64| {
        let each =
            of_field.iter().map(|v| v.values.iter().map(|&x| f(x)).sum::<f64>() / v.values.len() as f64);
        each.sum::<f64>() / of_field.len() as f64
    };
    let offset = mean(&|x| x);
    let variance = mean(&|x| (x - offset).powi(2));
    let farthest = of_field.iter().flat_map(|v| &v.values).map(|x| (x - offset).abs()).fold(0.0, f64::max);
    // Conditions tell the field at the border of what it does: a narrow peak, or a tenth of the offset, is
    // its size as well.
    let size = variance.sqrt().max(farthest / 3.0).max(0.1 * offset.abs());
    let size = if variance > ROUNDING * offset * offset { size } else { 0.0 };
    (!of_field.is_empty() && offset.is_finite() && size.is_finite()).then_some(Scale { offset, size })
}

/// How many different values are prescribed or measured of a field, up to [`FEW`].
fn distinct(values: &[Value], field: usize) -> usize {
    let mut seen: Vec<f64> = Vec::new();
    for &value in values.iter().filter(|value| value.field == field).flat_map(|value| &value.values) {
        if seen.len() < FEW && !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen.len()
}

/// The size of a field for which the equations balance, the largest over all terms: each drives it. None
/// where there is nothing to balance.
fn balanced(probes: &[Probe<'_>], field: usize, fields: &[Option<Scale>], κ: &[f64]) -> Option<f64> {
    let size = |probe: &Probe<'_>| probe.balance(field, fields, κ);
    probes.iter().filter_map(size).reduce(f64::max)
}
