//! How large the fields are and how fast they vary, read off what the problem says of them.
//!
//! A network whose weights are of size one computes values of size one that vary on the scale of the domain. A temperature
//! in kelvins, a pressure of 1e5 or twelve waves are far from that, and training spends its time on the way there. What is
//! prescribed or measured tells the size of a field, and the slope of prescribed values and sources how fast it varies:
//! κ² = ∫(∂g)²/∫(g − mean)², the mean square wave number of g. What no condition tells follows from the equations, since
//! the largest summands of an equation are of one size: the amplitude from a source (−k u_xx = f: |u| ≈ |f|/kκ²), the
//! pressure from the inertia, the frequency in time of a wave from its wave number in space.
//!
//! Nothing here looks at the reference. Wrong by a factor of ten is good enough: networks bridge that.

use super::names::Names;
use super::network::Ansatz;
use super::{NetworkPlan, Residual, Source, Term, Unknown, given};
use crate::geometry::{Domain, Points};
use crate::lang::Leaf;
use crate::spec::{Fourier, Network, OutputScales};
use std::f64::consts::PI;

/// Points of a term that are looked at: enough to meet a peak that training meets.
const POINTS: usize = 256;
/// Terms with more outputs of networks (of many nodes) are left alone.
const MOST_SLOTS: usize = 128;
/// Lines along each coordinate, and samples of each: twenty half-waves get six samples each.
const LINES: usize = 8;
const SAMPLES: usize = 128;
/// Sizes between the two are left as they are: networks cover that, and most problems are written so.
const ORDINARY: (f64, f64) = (0.1, 5.0);
/// The same of sizes that follow from equations, which are known to a factor of ten.
const ORDINARY_DERIVED: (f64, f64) = (0.01, 100.0);
/// Fewer different values are no measure of a spread.
const FEW: usize = 5;
/// A size that follows from the equations and is so many times what is prescribed counts more.
const HIDDEN: f64 = 10.0;
/// Networks of inputs in [−1, 1] see wave numbers up to this, four half-waves, without help.
const SEEN: f64 = 6.0;
/// No features are faster: twenty half-waves.
const FASTEST: f64 = 30.0;
/// Fourier features where fields vary faster, and the deviation of their frequencies by the mean wave number.
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
    /// The mean wave number along every coordinate, where something tells it, times half the range: of a wave that fits n
    /// half-waves into the domain nπ/2.
    pub waves: Vec<Option<f64>>,
}

impl Scales {
    /// Where nothing is told.
    pub(super) fn none(fields: usize, coordinates: usize) -> Self {
        Self { fields: vec![Scale::ONE; fields], waves: vec![None; coordinates] }
    }
}

/// Chooses what the file leaves open: sizes of fields, and for a network that is not given Fourier features where fields vary fast.
pub(super) fn choose(network: &mut Network, scales: &Scales, ansatz: &Ansatz) {
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

/// Reads sizes and wave numbers off the terms. `networks` compute the fields themselves here, without an ansatz of ours.
pub(super) fn scales(
    terms: &[&Term],
    names: &Names,
    domain: &Domain,
    networks: &[NetworkPlan],
    unknowns: &[Unknown],
    sought: usize,
) -> Scales {
    let probes: Vec<Probe<'_>> = terms
        .iter()
        .zip(1..)
        .filter_map(|(&term, n)| Probe::new(term, n, domain, networks, unknowns))
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
            // Values at the border may be a faint trace of what a source does inside; two values tell next to nothing.
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
    // Conditions tell the field at the border of what it does: a narrow peak, or a tenth of the offset, is its size as well.
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

/// The size of a field for which the equations balance, the largest over all terms: each drives it. None where there is
/// nothing to balance.
fn balanced(probes: &[Probe<'_>], field: usize, fields: &[Option<Scale>], κ: &[f64]) -> Option<f64> {
    let size = |probe: &Probe<'_>| probe.balance(field, fields, κ);
    probes.iter().filter_map(size).reduce(f64::max)
}

/// One column of numbers for each equation.
type Columns = Vec<Vec<f64>>;

/// An equation that gives a field its values.
struct Value {
    field: usize,
    term: usize,
    values: Vec<f64>,
}

/// An output of a network that a tape reads: which derivative of which field.
struct Slot<'a> {
    index: usize,
    field: usize,
    is_value: bool,
    here: bool,
    operator: &'a crate::jet::Operator,
}

/// A term at some points of its own.
struct Probe<'a> {
    number: usize,
    residual: &'a Residual,
    source: &'a Source,
    points: Points,
    slots: Vec<Slot<'a>>,
    unknowns: Vec<f64>,
}

impl<'a> Probe<'a> {
    fn new(
        term: &'a Term,
        number: u64,
        domain: &Domain,
        networks: &'a [NetworkPlan],
        unknowns: &[Unknown],
    ) -> Option<Self> {
        let (residual, source) = (&term.residual, &term.source);
        if residual.network_slots() > MOST_SLOTS || term.line.is_some() {
            return None;
        }
        let points = source.with_at_most(POINTS).draw(domain, 0, number, 0).ok()?;
        let mut slots = Vec::new();
        for group in &residual.groups {
            for (site, &place) in group.sites.iter().enumerate() {
                for (stream, operator) in group.streams.operators().iter().enumerate() {
                    for output in 0..group.outputs {
                        slots.push(Slot {
                            index: group.first_slot
                                + (site * group.streams.count() + stream) * group.outputs
                                + output,
                            field: networks[group.network].fields[output],
                            is_value: stream == 0,
                            here: residual.sites[place].is_none(),
                            operator,
                        });
                    }
                }
            }
        }
        let unknowns = unknowns.iter().map(Unknown::first).collect();
        Some(Self { number: number as usize, residual, source, points, slots, unknowns })
    }

    /// The residuals at points where `number` stands for the outputs of networks.
    fn evaluate(&self, points: &Points, number: impl Fn(usize, usize) -> f64) -> Columns {
        let (width, outputs) = (points.len(), self.residual.network_slots());
        let columns = given(&self.residual.given, points);
        let tape = &self.residual.tape;
        let mut values = vec![0.0; tape.registers() * width.max(1)];
        for (&leaf, column) in tape.inputs().iter().zip(values.chunks_exact_mut(width.max(1))) {
            match leaf {
                Leaf::Slot(slot) if slot >= outputs => column.copy_from_slice(&columns[slot - outputs]),
                Leaf::Slot(slot) => column.iter_mut().enumerate().for_each(|(i, v)| *v = number(slot, i)),
                Leaf::Unknown(unknown) => column.fill(self.unknowns[unknown]),
                _ => column.fill(f64::NAN),
            }
        }
        tape.forward(&mut values, width);
        tape.outputs().iter().map(|&register| values[register * width..][..width].to_vec()).collect()
    }

    /// The equations that read the value of one field, and nothing else of a network, linearly.
    fn values(&self) -> Vec<Value> {
        let zero = self.evaluate(&self.points, |_, _| 0.0);
        let with = |slot: usize, number: f64| {
            self.evaluate(&self.points, |s, _| if s == slot { number } else { 0.0 })
        };
        let raised: Vec<Columns> = self.slots.iter().map(|slot| with(slot.index, 1.0)).collect();
        let lowered: Vec<Columns> = self.slots.iter().map(|slot| with(slot.index, -1.0)).collect();
        let mut found = Vec::new();
        for (equation, at_zero) in zero.iter().enumerate() {
            let moves = |&slot: &usize| {
                differ(&raised[slot][equation], at_zero) || differ(&lowered[slot][equation], at_zero)
            };
            let moving: Vec<usize> = (0..self.slots.len()).filter(moves).collect();
            let [slot] = moving[..] else { continue };
            let (up, down) = (&raised[slot][equation], &lowered[slot][equation]);
            // A constant slope: the value can be read off.
            let slope = up[0] - at_zero[0];
            let is_linear = up.iter().zip(down).zip(at_zero).all(|((up, down), zero)| {
                let tolerance = 1e-9 * (slope.abs() + zero.abs());
                (up - zero - slope).abs() <= tolerance && (zero - down - slope).abs() <= tolerance
            });
            let Slot { field, is_value, here, .. } = self.slots[slot];
            if is_value && here && is_linear && slope != 0.0 {
                let values = at_zero.iter().map(|zero| -zero / slope).collect();
                found.push(Value { field, term: self.number, values });
            }
        }
        found
    }

    /// Numbers of the size that the derivatives of known fields have, with signs of their own.
    fn natural(&self, fields: &[Option<Scale>], κ: &[f64]) -> Columns {
        let sizes: Vec<(f64, f64)> = self.slots.iter().map(|slot| slot.natural(fields, κ)).collect();
        let of =
            |slot: usize| self.slots.iter().position(|s| s.index == slot).map(|position| sizes[position]);
        self.evaluate(&self.points, |slot, point| {
            let (offset, size) = of(slot).unwrap_or_default();
            offset + size * sign(slot, point)
        })
    }

    /// The root mean square of every equation's slope by an output, where known fields have numbers of their size.
    fn slopes(&self, slot: &Slot<'_>, fields: &[Option<Scale>], κ: &[f64]) -> Vec<f64> {
        let sizes: Vec<(f64, f64)> = self.slots.iter().map(|slot| slot.natural(fields, κ)).collect();
        let of =
            |index: usize| self.slots.iter().position(|s| s.index == index).map(|position| sizes[position]);
        let pushed = |push: f64| {
            self.evaluate(&self.points, |index, point| {
                let (offset, size) = of(index).unwrap_or_default();
                let push = if index == slot.index { push } else { 0.0 };
                offset + size * sign(index, point) + push
            })
        };
        let step = 1e-3 * slot.natural(fields, κ).1.max(1e-3);
        let (up, down) = (pushed(step), pushed(-step));
        let slope = |(up, down): (&Vec<f64>, &Vec<f64>)| {
            let squares = up.iter().zip(down).map(|(up, down)| ((up - down) / (2.0 * step)).powi(2));
            (squares.sum::<f64>() / up.len() as f64).sqrt()
        };
        up.iter().zip(&down).map(slope).collect()
    }

    /// The size of a field at which it brings as much to an equation as is there without it: the least over all equations,
    /// since a field cannot outgrow what any of them balances.
    fn balance(&self, field: usize, fields: &[Option<Scale>], κ: &[f64]) -> Option<f64> {
        if !matches!(self.source, Source::Drawn { .. }) || !self.slots.iter().any(|slot| slot.field == field)
        {
            return None;
        }
        let with = |size: f64| {
            let mut fields = fields.to_vec();
            let offset = fields[field].map_or(0.0, |scale| scale.offset);
            fields[field] = Some(Scale { offset, size });
            self.natural(&fields, κ)
        };
        let without = with(0.0);
        let brings_more = |equation: usize, size: f64| {
            let there = mean_square(&without[equation]);
            let with = with(size);
            let change =
                with[equation].iter().zip(&without[equation]).map(|(with, without)| (with - without).powi(2));
            let change = change.sum::<f64>() / with[equation].len().max(1) as f64;
            // Beyond all numbers is more, too.
            change > there || change.is_nan()
        };
        let size = |equation: usize| {
            let there = mean_square(&without[equation]);
            if !there.is_normal() || brings_more(equation, 1e-30) || !brings_more(equation, 1e30) {
                return None;
            }
            // Bisection of the logarithm.
            let (mut lower, mut upper) = (-30f64, 30f64);
            while upper - lower > 0.01 {
                let middle = 0.5 * (lower + upper);
                match brings_more(equation, 10f64.powf(middle)) {
                    true => upper = middle,
                    false => lower = middle,
                }
            }
            Some(10f64.powf(upper))
        };
        (0..without.len()).filter_map(size).reduce(f64::min)
    }

    /// The frequency in time at which the time derivative balances what oscillates in space.
    ///
    /// Under ∂_t^m u = a ∂_x^n u a wave of wave number κ oscillates where m + n is even (transport, waves, beams, dispersion)
    /// and decays or grows where it is odd (diffusion): decay needs no network of high frequency. Coupled fields
    /// oscillate either way (Schrödinger).
    fn frequency(&self, time: usize, fields: &[Option<Scale>], κ: &[f64]) -> Option<f64> {
        if !matches!(&self.source, Source::Drawn { place, .. } if place.parts.iter().all(|p| p.fixed.is_empty() && p.boundary.is_none()))
        {
            return None;
        }
        let mut summands = Vec::new();
        for slot in self.slots.iter().filter(|slot| slot.here) {
            let size =
                fields[slot.field].map_or(1.0, |scale| if scale.size > 0.0 { scale.size } else { 1.0 });
            for (equation, slope) in self.slopes(slot, fields, κ).into_iter().enumerate() {
                for &(partial, coefficient) in slot.operator.parts() {
                    let in_time = partial.order_in(time);
                    let wave: f64 = partial.coordinates().filter(|&c| c != time).map(|c| κ[c]).product();
                    summands.push(Summand {
                        equation,
                        field: slot.field,
                        in_time,
                        in_space: partial.order() - in_time,
                        size: (slope * coefficient).abs() * size * wave,
                    });
                }
            }
        }
        let evolving = summands.iter().filter(|s| s.in_time > 0 && s.in_space == 0 && s.size > 0.0);
        let frequency = |evolving: &Summand| {
            let oscillates = |other: &&Summand| {
                let coupled = other.field != evolving.field;
                let space = other.equation == evolving.equation && other.in_time == 0 && other.in_space > 0;
                space && (coupled || (evolving.in_time + other.in_space).is_multiple_of(2))
            };
            let largest = summands.iter().filter(oscillates).map(|other| other.size).reduce(f64::max)?;
            let frequency = (largest / evolving.size).powf(1.0 / evolving.in_time as f64);
            Some(frequency).filter(|frequency| frequency.is_normal())
        };
        evolving.filter_map(frequency).reduce(f64::max)
    }
}

/// A derivative in an equation: how often by time and by space, and its size at a frequency of one.
struct Summand {
    equation: usize,
    field: usize,
    in_time: usize,
    in_space: usize,
    size: f64,
}

impl Slot<'_> {
    /// Offset and size of this derivative of its field; zero where the field's size is not known.
    fn natural(&self, fields: &[Option<Scale>], κ: &[f64]) -> (f64, f64) {
        let Some(scale) = fields[self.field] else { return (0.0, 0.0) };
        (if self.is_value { scale.offset } else { 0.0 }, scale.size * self.magnitude(κ))
    }

    /// The size of this derivative of a field of size one.
    fn magnitude(&self, κ: &[f64]) -> f64 {
        let part = |&(partial, coefficient): &(crate::derivative::Partial, f64)| {
            coefficient.abs() * partial.coordinates().map(|c| κ[c]).product::<f64>()
        };
        self.operator.parts().iter().map(part).map(|part| part * part).sum::<f64>().sqrt()
    }
}

/// Plus or minus one without relation between outputs and points.
fn sign(slot: usize, point: usize) -> f64 {
    f64::sin((1 + point + 977 * slot) as f64 * 1.7 + 0.3).signum()
}

fn differ(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).any(|(a, b)| (a - b).abs() > 1e-14 * (a.abs() + b.abs()))
}

fn mean_square(column: &[f64]) -> f64 {
    column.iter().map(|x| x * x).sum::<f64>() / column.len().max(1) as f64
}

/// The wave numbers of prescribed values and of sources, along every coordinate on which they are known.
fn told_waves(probes: &[Probe<'_>], values: &[Value], domain: &Domain) -> Vec<Option<f64>> {
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
        let number = |&(slopes, deviations, means): &(f64, f64, f64)| {
            (deviations > ROUNDING * means && deviations > 0.0).then(|| (slopes / deviations).sqrt())
        };
        sums.iter().filter_map(number).filter(|κ| κ.is_normal()).collect()
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

#[cfg(test)]
mod tests;
