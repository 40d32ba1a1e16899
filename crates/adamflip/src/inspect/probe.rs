//! Tapes at points with arbitrary numbers in place of networks and unknowns: what does not depend on the
//! numbers is given by the equations alone.

use crate::geometry::{Domain, Place, Points};
use crate::lang::{Leaf, Tape};
use crate::problem::{NetworkPlan, Residual, at_points};
use crate::sample::{self, Sampler};

/// A few points of a place, always the same; nothing where it has none.
pub(super) fn points(domain: &Domain, place: &Place, count: usize) -> Option<Points> {
    sample::draw(domain, place, Sampler::Halton, count, &mut sample::stream(0, 0)).ok()
}

/// What stands for the networks' outputs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Numbers {
    /// Numbers of size one without relation to each other. The same choice gives the value of an output at
    /// the point itself the same number in every residual.
    Arbitrary(usize),
    /// One number everywhere.
    All(f64),
}

/// The outputs of a residual where numbers stand for networks, unknowns and attributes.
pub(super) fn evaluate(residual: &Residual, points: &Points, numbers: Numbers) -> Vec<Vec<f64>> {
    match numbers {
        Numbers::Arbitrary(choice) => evaluate_with(residual, points, choice, |_| None),
        Numbers::All(value) => {
            evaluate_with(residual, points, 0, |leaf| matches!(leaf, Leaf::Slot(_)).then_some(value))
        }
    }
}

/// The same, with numbers given for some outputs of networks and some unknowns, and arbitrary ones for the
/// others.
pub(super) fn evaluate_with(
    residual: &Residual,
    points: &Points,
    choice: usize,
    number: impl Fn(Leaf) -> Option<f64>,
) -> Vec<Vec<f64>> {
    run(residual, points, choice, number, false)
}

/// The outputs with arbitrary numbers, of an inequality g ≤ 0 g itself in place of what is violated of it.
pub(super) fn sides(residual: &Residual, points: &Points, choice: usize) -> Vec<Vec<f64>> {
    run(residual, points, choice, |_| None, true)
}

fn run(
    residual: &Residual,
    points: &Points,
    choice: usize,
    number: impl Fn(Leaf) -> Option<f64>,
    signed: bool,
) -> Vec<Vec<f64>> {
    let (width, slots) = (points.len(), residual.network_slots());
    let columns = at_points(&residual.precomputed, &with_attributes(&residual.precomputed, points, choice));
    let tape = &residual.tape;
    let mut values = vec![0.0; tape.registers() * width.max(1)];
    for (&leaf, column) in tape.inputs().iter().zip(values.chunks_exact_mut(width.max(1))) {
        let key = match leaf {
            Leaf::Slot(slot) if slot >= slots => {
                column.copy_from_slice(&columns[slot - slots]);
                continue;
            }
            Leaf::Slot(slot) => value_here(residual, slot).unwrap_or(1000 + slot),
            Leaf::Unknown(unknown) => 500 + unknown,
            _ => 700,
        };
        match number(leaf) {
            Some(value) => column.fill(value),
            None => fill(column, key, choice),
        }
    }
    tape.forward(&mut values, width);
    let registers = residual.registers(signed).iter();
    registers.map(|&register| values[register * width..][..width].to_vec()).collect()
}

/// A number for the output whose value at the point itself is in the slot.
fn value_here(residual: &Residual, slot: usize) -> Option<usize> {
    let output = output(residual, slot)?;
    let here = residual.sites[output.site].is_none();
    (output.is_value && here).then_some(16 * output.network + output.number)
}

/// The output of a network that a slot holds.
struct Output {
    network: usize,
    number: usize,
    site: usize,
    /// Itself, not a derivative.
    is_value: bool,
}

fn output(residual: &Residual, slot: usize) -> Option<Output> {
    let group = residual.groups.iter().find(|g| (g.first_slot..g.first_slot + g.slots()).contains(&slot))?;
    let (place, number) =
        ((slot - group.first_slot) / group.outputs, (slot - group.first_slot) % group.outputs);
    let (site, stream) = (place / group.streams.count(), place % group.streams.count());
    Some(Output { network: group.network, number, site: group.sites[site], is_value: stream == 0 })
}

/// The field whose network's output a leaf is, and whether it is the output itself or a derivative.
pub(super) fn field(residual: &Residual, networks: &[NetworkPlan], leaf: Leaf) -> Option<(usize, bool)> {
    let Leaf::Slot(slot) = leaf else { return None };
    let output = output(residual, slot)?;
    Some((networks[output.network].fields[output.number], output.is_value))
}

/// Whether a residual reads an output that is this field.
pub(super) fn reads(residual: &Residual, networks: &[NetworkPlan], of: usize) -> bool {
    residual.tape.inputs().iter().any(|&leaf| field(residual, networks, leaf).is_some_and(|(f, _)| f == of))
}

/// The points with numbers for the attributes that a tape reads and they do not have.
pub(super) fn with_attributes(tape: &Tape, points: &Points, choice: usize) -> Points {
    let attribute = |leaf: &Leaf| match *leaf {
        Leaf::Attribute(index) => Some(index + 1),
        _ => None,
    };
    let mut points = points.clone();
    for index in points.attributes()..tape.inputs().iter().filter_map(attribute).max().unwrap_or(0) {
        let mut column = vec![0.0; points.len()];
        fill(&mut column, 800 + index, choice);
        points.push_attribute(&column);
    }
    points
}

/// Numbers between −1 and 1 that have no relation to each other.
fn fill(column: &mut [f64], key: usize, choice: usize) {
    for (value, point) in column.iter_mut().zip(0..) {
        *value = f64::sin((1 + point + 101 * choice + 977 * key) as f64 * 1.7 + 0.3);
    }
}
