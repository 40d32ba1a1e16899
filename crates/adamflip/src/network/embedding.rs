//! What the first layer sees of the coordinates: themselves, scaled; sine and cosine of periodic ones;
//! Fourier features.

use std::f64::consts::{FRAC_PI_2, TAU};

use rand::Rng;

use super::{Fourier, Input, Shape};
use crate::jet::{Activation, Entry, EntryTerm, Program, Register};
use crate::sample::normal;

/// Appends the register that the first layers read: plain coordinates, then sines.
pub(super) fn enter(program: &mut Program, shape: &Shape<'_>, rng: &mut impl Rng) -> Register {
    let (periodic, plain): (Vec<Input>, Vec<Input>) =
        shape.inputs.iter().partition(|input| input.period.is_some());
    let mut phases: Vec<Entry> = periodic.iter().flat_map(waves).collect();
    if let Some(fourier) = shape.fourier {
        // A random phase of several coordinates is even in none.
        let inputs: Vec<Input> = shape.inputs.iter().copied().filter(|input| !input.even).collect();
        if !inputs.is_empty() {
            phases.extend(features(fourier, &inputs, rng));
        }
    }
    if phases.is_empty() {
        return self::plain(program, &plain);
    }
    let plain = (!plain.is_empty()).then(|| self::plain(program, &plain));
    let phases = program.enter(phases);
    let sines = program.pointwise(phases, Activation::Sin);
    plain.map_or(sines, |plain| program.concatenate(plain, sines))
}

/// Appends the scaled coordinates.
fn plain(program: &mut Program, inputs: &[Input]) -> Register {
    program.enter(
        inputs.iter().map(|input| Entry::scaled(input.coordinate, input.center, input.factor)).collect(),
    )
}

/// The phases of sine and cosine of 2π(x − center)/period, of an even one that of the cosine, which is a sine
/// a quarter of a turn ahead.
fn waves(input: &Input) -> Vec<Entry> {
    let factor = TAU / input.period.unwrap_or(f64::INFINITY);
    let term = EntryTerm { coordinate: input.coordinate, center: input.center, factor };
    let offsets = if input.even { &[FRAC_PI_2][..] } else { &[0.0, FRAC_PI_2] };
    offsets.iter().map(|&offset| Entry { offset, terms: vec![term] }).collect()
}

/// The phases of random features: sine and cosine of each frequency in turn.
fn features(fourier: &Fourier, inputs: &[Input], rng: &mut impl Rng) -> Vec<Entry> {
    let mut phases = Vec::with_capacity(fourier.features + 1);
    while phases.len() < fourier.features {
        let terms: Vec<EntryTerm> = inputs
            .iter()
            .map(|input| {
                let own = fourier.scales.iter().find(|(coordinate, _)| *coordinate == input.coordinate);
                frequency(input, fourier.scale * own.map_or(1.0, |(_, scale)| *scale) * normal(rng))
            })
            .collect();
        phases.push(Entry { offset: 0.0, terms: terms.clone() });
        phases.push(Entry { offset: FRAC_PI_2, terms });
    }
    phases.truncate(fourier.features);
    phases
}

/// A frequency ω of the scaled coordinate; of a periodic one as many whole waves as come closest.
fn frequency(input: &Input, ω: f64) -> EntryTerm {
    let factor = match input.period {
        Some(period) => {
            let wave = TAU / period;
            wave * (ω * input.factor / wave).round()
        }
        None => ω * input.factor,
    };
    EntryTerm { coordinate: input.coordinate, center: input.center, factor }
}
