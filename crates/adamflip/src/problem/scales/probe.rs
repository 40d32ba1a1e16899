//! A term at some points of its own, with numbers in place of networks: what its equations prescribe, what
//! they need to balance.

use super::Scale;
use crate::derivative::Partial;
use crate::geometry::{Domain, Points};
use crate::jet::Operator;
use crate::lang::Leaf;
use crate::problem::{NetworkPlan, Residual, Source, Term, Unknown, at_points};

/// Points of a term that are looked at: enough to meet a peak that training meets.
const POINTS: usize = 256;
/// Terms with more outputs of networks (of many nodes) are left alone.
const MOST_SLOTS: usize = 128;

/// One column of numbers for each equation.
type Columns = Vec<Vec<f64>>;

/// An equation that gives a field its values.
pub(super) struct Value {
    pub(super) field: usize,
    pub(super) term: usize,
    pub(super) values: Vec<f64>,
}

/// An output of a network that a tape reads: which derivative of which field.
struct Slot<'a> {
    index: usize,
    field: usize,
    is_value: bool,
    here: bool,
    operator: &'a Operator,
}

/// A term at some points of its own.
pub(super) struct Probe<'a> {
    pub(super) number: usize,
    pub(super) residual: &'a Residual,
    pub(super) source: &'a Source,
    pub(super) points: Points,
    slots: Vec<Slot<'a>>,
    unknowns: Vec<f64>,
    /// Fields that are sought; the others are coefficients.
    sought: usize,
}

impl<'a> Probe<'a> {
    pub(super) fn new(
        term: &'a Term,
        number: u64,
        domain: &Domain,
        networks: &'a [NetworkPlan],
        (unknowns, sought): (&[Unknown], usize),
    ) -> Option<Self> {
        let (residual, source) = (&term.residual, &term.source);
        if residual.network_slots() > MOST_SLOTS || term.line.is_some() || term.is_inequality() {
            return None;
        }
        let points = source.draw_at_most(POINTS, domain, 0, number, 0).ok()?;
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
        Some(Self { number: number as usize, residual, source, points, slots, unknowns, sought })
    }

    /// Does a slot hold a field that is sought, or a derivative of one?
    pub(super) fn is_sought(&self, index: usize) -> bool {
        self.slots.iter().any(|slot| slot.index == index && slot.field < self.sought)
    }

    /// The residuals at points where `number` stands for the outputs of networks.
    pub(super) fn evaluate(&self, points: &Points, number: impl Fn(usize, usize) -> f64) -> Columns {
        let (width, outputs) = (points.len(), self.residual.network_slots());
        let columns = at_points(&self.residual.precomputed, points);
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
    pub(super) fn values(&self) -> Vec<Value> {
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

    /// The residuals where outputs are numbers of the size that the derivatives of known fields have, with
    /// signs of their own; one output may be moved.
    fn natural(&self, fields: &[Option<Scale>], κ: &[f64], moved: Option<(usize, f64)>) -> Columns {
        let mut sizes = vec![(0.0, 0.0); self.residual.network_slots()];
        for slot in &self.slots {
            sizes[slot.index] = slot.natural(fields, κ);
        }
        if let Some((index, by)) = moved {
            sizes[index].0 += by;
        }
        self.evaluate(&self.points, |index, point| sizes[index].0 + sizes[index].1 * sign(index, point))
    }

    /// The root mean square of every equation's slope by an output, where known fields have numbers of their
    /// size.
    fn slopes(&self, slot: &Slot<'_>, fields: &[Option<Scale>], κ: &[f64]) -> Vec<f64> {
        let step = 1e-3 * slot.natural(fields, κ).1.max(1e-3);
        let [up, down] = [step, -step].map(|by| self.natural(fields, κ, Some((slot.index, by))));
        let slope = |(up, down): (&Vec<f64>, &Vec<f64>)| {
            let differences = up.iter().zip(down).map(|(up, down)| (up - down) / (2.0 * step));
            mean_square(&differences.collect::<Vec<_>>()).sqrt()
        };
        up.iter().zip(&down).map(slope).collect()
    }

    /// The size of a field at which it brings as much to an equation as is there without it: the least over
    /// all equations, since a field cannot outgrow what any of them balances.
    pub(super) fn balance(&self, field: usize, fields: &[Option<Scale>], κ: &[f64]) -> Option<f64> {
        if !matches!(self.source, Source::Drawn { .. }) || !self.slots.iter().any(|slot| slot.field == field)
        {
            return None;
        }
        let with = |size: f64| {
            let mut fields = fields.to_vec();
            let offset = fields[field].map_or(0.0, |scale| scale.offset);
            fields[field] = Some(Scale { offset, size });
            self.natural(&fields, κ, None)
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
    /// Under ∂_t^m u = a ∂_x^n u a wave of wave number κ oscillates where m + n is even (transport, waves,
    /// beams, dispersion) and decays or grows where it is odd (diffusion): decay needs no network of high
    /// frequency. Coupled fields oscillate either way (Schrödinger).
    pub(super) fn frequency(&self, time: usize, fields: &[Option<Scale>], κ: &[f64]) -> Option<f64> {
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
        let part = |&(partial, coefficient): &(Partial, f64)| {
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
