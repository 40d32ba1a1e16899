//! One tile of one term: forward through network and tape, and back.

use std::ops::Range;

use super::term::{TermWork, Totals};
use crate::jet::{PANEL, Workspace};
use crate::lang::Leaf;
use crate::linalg::dot;

/// The memory of one thread, large enough for every term.
#[derive(Debug)]
pub(super) struct Scratch {
    pub(super) jets: Workspace,
    values: Vec<f64>,
    adjoints: Vec<f64>,
}

impl Scratch {
    pub(super) fn new(terms: &[TermWork]) -> Self {
        let mut jets = Workspace::default();
        terms.iter().for_each(|term| jets.fit(&term.sweep));
        let size = |term: &TermWork| term.residual.tape.registers() * term.sweep.panels() * PANEL;
        let size = terms.iter().map(size).max().unwrap_or(0);
        Self { jets, values: vec![0.0; size], adjoints: vec![0.0; size] }
    }
}

/// The accumulators of one lane.
#[derive(Debug)]
pub(super) struct Lane {
    sum_of_squares: f64,
    largest: f64,
    /// The gradient of the mean square.
    pub(super) gradient: Vec<f64>,
}

impl Lane {
    pub(super) fn new(parameters: usize) -> Self {
        Self { sum_of_squares: 0.0, largest: 0.0, gradient: vec![0.0; parameters] }
    }

    pub(super) fn totals(&self) -> Totals {
        (self.sum_of_squares, self.largest)
    }
}

impl TermWork {
    /// Works off all tiles of a lane. `network` are the network's parameters, `unknowns` value and slope of each unknown.
    pub(super) fn run_lane(
        &self,
        lane: usize,
        network: &[f64],
        unknowns: &[(f64, f64)],
        gradients: bool,
        scratch: &mut Scratch,
        into: &mut Lane,
    ) {
        into.sum_of_squares = 0.0;
        into.largest = 0.0;
        if gradients {
            into.gradient.fill(0.0);
        }
        for panels in self.lane_tiles(lane) {
            self.forward(&panels, network, unknowns, scratch);
            self.collect(&panels, scratch, into);
            if gradients {
                let scale = 2.0 * self.share();
                self.reverse_tape(&panels, scratch, |_, r| scale * r);
                let (network_gradient, unknown_gradient) = into.gradient.split_at_mut(network.len());
                self.unknown_adjoints(&panels, unknowns, scratch, unknown_gradient);
                self.sweep.reverse(network, &mut scratch.jets, panels.len(), network_gradient);
            }
        }
    }

    /// Residuals of a tile: jets through the network, then the tape.
    pub(super) fn forward(
        &self,
        panels: &Range<usize>,
        network: &[f64],
        unknowns: &[(f64, f64)],
        scratch: &mut Scratch,
    ) {
        self.sweep.forward(network, self.coordinates(panels), &mut scratch.jets);
        let width = panels.len() * PANEL;
        let outputs = self.sweep.outputs(&scratch.jets, panels.len());
        for (leaf, column) in self.residual.tape.inputs().iter().zip(scratch.values.chunks_exact_mut(width)) {
            match *leaf {
                Leaf::Unknown(i) => column.fill(unknowns[i].0),
                Leaf::Slot(slot) => match slot.checked_sub(self.network_slots()) {
                    Some(given) => column.copy_from_slice(self.given(given, panels)),
                    None => {
                        for (panel, column) in column.chunks_exact_mut(PANEL).enumerate() {
                            column.copy_from_slice(&outputs[self.output_position(panel, slot)..][..PANEL]);
                        }
                    }
                },
                Leaf::Coordinate(_) | Leaf::Attribute(_) | Leaf::Jet { .. } => {
                    unreachable!("rewritten to slots by `Residual::new`")
                }
            }
        }
        self.residual.tape.forward(&mut scratch.values, width);
    }

    /// Adds up squares and takes the maximum over the tile's points.
    fn collect(&self, panels: &Range<usize>, scratch: &Scratch, into: &mut Lane) {
        for equation in 0..self.residual.equations() {
            let residuals = self.residuals(equation, panels, scratch);
            into.sum_of_squares += dot(residuals, residuals);
            into.largest = residuals.iter().fold(into.largest, |largest, r| largest.max(r.abs()));
        }
    }

    /// The residuals of one equation at the tile's points, after [`TermWork::forward`].
    pub(super) fn residuals<'a>(
        &self,
        equation: usize,
        panels: &Range<usize>,
        scratch: &'a Scratch,
    ) -> &'a [f64] {
        let start = self.residual.tape.outputs()[equation] * panels.len() * PANEL;
        &scratch.values[start..start + self.valid(panels)]
    }

    /// Takes r̄ = seed(equation, r) at every point back through the tape to the adjoints of the network's outputs.
    pub(super) fn reverse_tape(
        &self,
        panels: &Range<usize>,
        scratch: &mut Scratch,
        seed: impl Fn(usize, f64) -> f64,
    ) {
        let tape = &self.residual.tape;
        let width = panels.len() * PANEL;
        let adjoints = &mut scratch.adjoints[..tape.registers() * width];
        adjoints.fill(0.0);
        for (equation, &register) in tape.outputs().iter().enumerate() {
            let residuals = &scratch.values[register * width..][..self.valid(panels)];
            for (adjoint, &r) in adjoints[register * width..].iter_mut().zip(residuals) {
                *adjoint += seed(equation, r);
            }
        }
        tape.reverse(&scratch.values, adjoints, width);
        let into = self.sweep.output_adjoints(&mut scratch.jets, panels.len());
        into.fill(0.0);
        for (leaf, column) in tape.inputs().iter().zip(adjoints.chunks_exact(width)) {
            if let Leaf::Slot(slot) = *leaf
                && slot < self.network_slots()
            {
                for (panel, column) in column.chunks_exact(PANEL).enumerate() {
                    into[self.output_position(panel, slot)..][..PANEL].copy_from_slice(column);
                }
            }
        }
    }

    /// Adds the unknowns' share of the adjoints, after [`TermWork::reverse_tape`].
    fn unknown_adjoints(
        &self,
        panels: &Range<usize>,
        unknowns: &[(f64, f64)],
        scratch: &Scratch,
        gradient: &mut [f64],
    ) {
        for (i, column) in self.unknown_columns(panels, scratch) {
            gradient[i] += unknowns[i].1 * column.iter().sum::<f64>();
        }
    }

    /// For every unknown that the tape mentions, its adjoint at each point.
    pub(super) fn unknown_columns<'a>(
        &'a self,
        panels: &Range<usize>,
        scratch: &'a Scratch,
    ) -> impl Iterator<Item = (usize, &'a [f64])> {
        let columns = scratch.adjoints.chunks_exact(panels.len() * PANEL);
        self.residual.tape.inputs().iter().zip(columns).filter_map(|(leaf, column)| match *leaf {
            Leaf::Unknown(i) => Some((i, column)),
            _ => None,
        })
    }

    /// Slots below this number are outputs of the network.
    fn network_slots(&self) -> usize {
        self.sweep.streams().count() * self.fields
    }

    /// Where slot `stream·fields + field` of a panel stands among the sweep's outputs.
    fn output_position(&self, panel: usize, slot: usize) -> usize {
        let (stream, field) = (slot / self.fields, slot % self.fields);
        (panel * self.sweep.streams().count() + stream) * self.sweep.output_stride() + field * PANEL
    }
}
