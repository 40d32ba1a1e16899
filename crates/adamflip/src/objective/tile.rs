//! One tile of one term: forward through networks and tape, and back.

use std::ops::Range;

use super::batch::Batch;
use crate::jet::{PANEL, Workspace};
use crate::lang::Leaf;
use crate::linalg::{dot, set_scaled};

/// The memory of one thread, large enough for every term.
#[derive(Debug)]
pub(super) struct Scratch {
    /// One for each group of a residual.
    pub(super) jets: Vec<Workspace>,
    values: Vec<f64>,
    adjoints: Vec<f64>,
    /// Rows of a tile by weights and by θ; grown by those who need them.
    pub(super) rows: [Vec<f64>; 2],
}

impl Scratch {
    pub(super) fn new<'a>(batches: impl Iterator<Item = &'a Batch>) -> Self {
        let (mut jets, mut size) = (Vec::new(), 0);
        for batch in batches {
            if jets.len() < batch.carriers.len() {
                jets.resize_with(batch.carriers.len(), Workspace::default);
            }
            for (work, carrier) in jets.iter_mut().zip(&batch.carriers) {
                work.fit(&carrier.sweep);
            }
            size = size.max(batch.residual.tape.registers() * batch.panels * PANEL);
        }
        Self { jets, values: vec![0.0; size], adjoints: vec![0.0; size], rows: Default::default() }
    }
}

/// The accumulators of one lane.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) sum_of_squares: f64,
    /// The same with the weights of the equations.
    pub(super) weighted: f64,
    pub(super) largest: f64,
    /// The gradient of the mean square by weights and unknowns.
    pub(super) gradient: Vec<f64>,
}

impl Lane {
    pub(super) fn new(parameters: usize) -> Self {
        Self { sum_of_squares: 0.0, weighted: 0.0, largest: 0.0, gradient: vec![0.0; parameters] }
    }

    pub(super) fn clear(&mut self, gradients: bool) {
        (self.sum_of_squares, self.weighted, self.largest) = (0.0, 0.0, 0.0);
        if gradients {
            self.gradient.fill(0.0);
        }
    }
}

/// Where the networks and unknowns stand: θ, the weights of all networks, value and slope of every unknown.
#[derive(Clone, Copy, Debug)]
pub(super) struct State<'a> {
    pub(super) θ: &'a [f64],
    pub(super) weights: &'a [f64],
    pub(super) unknowns: &'a [(f64, f64)],
}

impl Batch {
    /// Takes r̄ = seed(equation, point, r) back to the weights and unknowns, after [`Batch::forward`].
    pub(super) fn reverse(
        &self,
        tile: &Range<usize>,
        state: State<'_>,
        scratch: &mut Scratch,
        seed: impl Fn(usize, usize, f64) -> f64,
        into: &mut Lane,
    ) {
        self.reverse_tape(tile, scratch, seed);
        let (weights, unknowns) = into.gradient.split_at_mut(state.weights.len());
        for (i, column) in self.unknown_columns(tile, scratch) {
            unknowns[i] += state.unknowns[i].1 * column.iter().sum::<f64>();
        }
        for (carrier, work) in self.carriers.iter().zip(&mut scratch.jets) {
            let part = carrier.weights.clone();
            let panels = carrier.panels(tile.len());
            carrier.sweep.reverse(&state.weights[part.clone()], work, panels, &mut weights[part]);
        }
    }

    /// Residuals of a tile: jets through the networks, then the tape.
    pub(super) fn forward(&self, tile: &Range<usize>, state: State<'_>, scratch: &mut Scratch) {
        for (carrier, work) in self.carriers.iter().zip(&mut scratch.jets) {
            carrier.sweep.forward(&state.weights[carrier.weights.clone()], carrier.coordinates(tile), work);
        }
        let width = tile.len() * PANEL;
        let tape = &self.residual.tape;
        for (leaf, column) in tape.inputs().iter().zip(scratch.values.chunks_exact_mut(width)) {
            match *leaf {
                Leaf::Unknown(i) => column.fill(state.unknowns[i].0),
                Leaf::Slot(slot) => match slot.checked_sub(self.residual.network_slots()) {
                    Some(index) => column.copy_from_slice(self.precomputed(index, tile)),
                    None => self.read(slot, tile, &scratch.jets, column),
                },
                Leaf::Coordinate(_) | Leaf::Attribute(_) | Leaf::Jet { .. } => {
                    unreachable!("rewritten to slots by `Residual::new`")
                }
            }
        }
        tape.forward(&mut scratch.values, width);
    }

    /// Copies one output of one stream from the network that computed it.
    fn read(&self, slot: usize, tile: &Range<usize>, jets: &[Workspace], column: &mut [f64]) {
        for (carrier, work) in self.carriers.iter().zip(jets) {
            if let Some(at) = carrier.position(slot, tile.len()) {
                let outputs = carrier.sweep.outputs(work, carrier.panels(tile.len()));
                for (panel, column) in column.chunks_exact_mut(PANEL).enumerate() {
                    column.copy_from_slice(&outputs[at.first + panel * at.step..][..PANEL]);
                }
                return;
            }
        }
    }

    /// Adds up squares and takes the maximum over the tile's points.
    pub(super) fn collect(&self, tile: &Range<usize>, scratch: &Scratch, into: &mut Lane) {
        for equation in 0..self.residual.equations() {
            let residuals = self.residuals(equation, tile, scratch);
            let squares = dot(residuals, residuals);
            into.sum_of_squares += squares;
            into.weighted += self.roots[equation].powi(2) * squares;
            into.largest = residuals.iter().fold(into.largest, |largest, r| largest.max(r.abs()));
        }
    }

    /// The residuals of one equation at the tile's points, of inequalities what is violated, after
    /// [`Batch::forward`].
    pub(super) fn residuals<'a>(
        &self,
        equation: usize,
        tile: &Range<usize>,
        scratch: &'a Scratch,
    ) -> &'a [f64] {
        self.register(self.residual.tape.outputs()[equation], tile, scratch)
    }

    fn register<'a>(&self, register: usize, tile: &Range<usize>, scratch: &'a Scratch) -> &'a [f64] {
        let start = register * tile.len() * PANEL;
        &scratch.values[start..start + self.valid(tile)]
    }

    /// All residuals of a tile times a factor and the roots of their weights, equation by equation, after
    /// [`Batch::forward`].
    pub(super) fn residuals_scaled(
        &self,
        tile: &Range<usize>,
        scale: f64,
        scratch: &Scratch,
        into: &mut [f64],
    ) {
        let valid = self.valid(tile).max(1);
        let registers = self.residual.registers(self.signed).iter().zip(&self.roots);
        for (into, (&register, root)) in into.chunks_exact_mut(valid).zip(registers) {
            set_scaled(into, scale * root, self.register(register, tile, scratch));
        }
    }

    /// Takes r̄ = seed(equation, point, r) at every point back through the tape to the adjoints of the
    /// networks' outputs.
    pub(super) fn reverse_tape(
        &self,
        tile: &Range<usize>,
        scratch: &mut Scratch,
        seed: impl Fn(usize, usize, f64) -> f64,
    ) {
        let tape = &self.residual.tape;
        let width = tile.len() * PANEL;
        let adjoints = &mut scratch.adjoints[..tape.registers() * width];
        adjoints.fill(0.0);
        for (equation, &register) in self.residual.registers(self.signed).iter().enumerate() {
            let residuals = &scratch.values[register * width..][..self.valid(tile)];
            let column = adjoints[register * width..].iter_mut().zip(residuals);
            for (point, (adjoint, &r)) in column.enumerate() {
                *adjoint += seed(equation, point, r);
            }
        }
        tape.reverse(&scratch.values, adjoints, width);
        for (carrier, work) in self.carriers.iter().zip(&mut scratch.jets) {
            let into = carrier.sweep.output_adjoints(work, carrier.panels(tile.len()));
            into.fill(0.0);
            for (leaf, column) in tape.inputs().iter().zip(adjoints.chunks_exact(width)) {
                let Leaf::Slot(slot) = *leaf else { continue };
                let Some(at) = carrier.position(slot, tile.len()) else { continue };
                for (panel, column) in column.chunks_exact(PANEL).enumerate() {
                    into[at.first + panel * at.step..][..PANEL].copy_from_slice(column);
                }
            }
        }
    }

    /// For every unknown that the tape mentions, its adjoint at each point, after [`Batch::reverse_tape`].
    pub(super) fn unknown_columns<'a>(
        &'a self,
        tile: &Range<usize>,
        scratch: &'a Scratch,
    ) -> impl Iterator<Item = (usize, &'a [f64])> {
        let columns = scratch.adjoints.chunks_exact(tile.len() * PANEL);
        self.residual.tape.inputs().iter().zip(columns).filter_map(|(leaf, column)| match *leaf {
            Leaf::Unknown(i) => Some((i, column)),
            _ => None,
        })
    }
}
