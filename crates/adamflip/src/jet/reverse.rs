//! The reverse half of a [`Sweep`]: from the adjoints of the outputs to the gradient, to Jacobian rows, or to
//! what these are made of.

use std::ops::Range;

use super::linear::{BiasGradient, Product, WeightGradient};
use super::rows::LinearRows;
use super::sum::{ConcatPart, Share};
use super::sweep::{AUXILIARY, VALUE};
use super::{Activation, Op, PANEL, Register, Sweep, Workspace, gate, pointwise};

/// Where the reverse sweep puts what it finds.
enum Target<'a> {
    Gradient(&'a mut [f64]),
    Rows { rows: &'a mut [f64], points: usize },
    Layers(&'a mut dyn FnMut(Layer<'_>)),
}

/// What a linear layer's part of Jacobian rows is made of. Registers are laid out as
/// `register[panel, stream, unit, point]`.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    /// Offset of W in the network's parameters; the bias follows it.
    pub weight: usize,
    /// The units of the input.
    pub in_units: usize,
    /// All streams of the input.
    pub input: &'a [f64],
    /// The units of the output.
    pub out_units: usize,
    /// The adjoints of all streams of the output.
    pub adjoint: &'a [f64],
}

impl Sweep {
    /// Adds Σ adjoint·∂output/∂θ over all points and streams to `gradient`.
    pub fn reverse(&self, θ: &[f64], work: &mut Workspace, panels: usize, gradient: &mut [f64]) {
        for run in self.runs(panels) {
            self.reverse_into(θ, work, &run, &mut Target::Gradient(gradient));
        }
    }

    /// Adds Σ_streams adjoint·∂output/∂θ of every point: `rows[parameter·points + point]`.
    pub fn rows(&self, θ: &[f64], work: &mut Workspace, panels: usize, rows: &mut [f64]) {
        self.reverse_into(θ, work, &(0..panels), &mut Target::Rows { rows, points: panels * PANEL });
    }

    /// Visits every linear layer, the last first, with its input and the adjoints of its output: the row of a
    /// point is Σ_streams input ⊗ adjoint in W, and the adjoint of the value stream in the bias.
    pub fn layers(&self, θ: &[f64], work: &mut Workspace, panels: usize, visit: &mut dyn FnMut(Layer<'_>)) {
        self.reverse_into(θ, work, &(0..panels), &mut Target::Layers(visit));
    }

    fn reverse_into(&self, θ: &[f64], work: &mut Workspace, run: &Range<usize>, target: &mut Target<'_>) {
        for (index, op) in self.program.ops().iter().enumerate().rev() {
            if self.program.is_fixed(op.output()) {
                continue;
            }
            let first = self.adjoints.first[index];
            match *op {
                Op::Enter { .. } => {}
                Op::Linear { input, output, weight, bias } => {
                    let adjoint = &work.adjoints[self.slot(output, run)];
                    let values = self.read(work, input, run);
                    self.linear_target(target, values, adjoint, (input, output, weight, bias));
                    if !self.program.is_fixed(input) {
                        let (out, into) = self.two_slots(&mut work.adjoints, output, input, run);
                        self.transposed(&θ[weight..bias], (output, out), (input, into), first[0]);
                    }
                }
                Op::Pointwise { input, output, activation } => {
                    let adjoint = &mut work.adjoints[self.slot(output, run)];
                    self.isa.run(pointwise::Reverse {
                        activation,
                        streams: &self.streams,
                        units: self.program.width(input),
                        z: &work.values[self.place(input, run)],
                        a: &work.values[self.place(output, run)],
                        auxiliary: &work.saved[self.saved(index, AUXILIARY, run)],
                        adjoint,
                    });
                    self.share(work, output, input, run, first[0]);
                }
                Op::Gate { input, open, closed, output, activation } => {
                    self.reverse_gate(work, index, [input, open, closed, output], activation, run);
                    self.share(work, output, input, run, first[0]);
                }
                Op::Sum { left, right, output } => {
                    for (into, first) in [left, right].into_iter().zip(first) {
                        self.share(work, output, into, run, first);
                    }
                }
                Op::Concatenate { left, right, output } => {
                    for (i, part) in self.parts(left, right).into_iter().enumerate() {
                        self.reverse_part(work, part, ([left, right][i], output), run, first[i]);
                    }
                }
            }
        }
    }

    fn read<'a>(&self, work: &'a Workspace, register: Register, run: &Range<usize>) -> &'a [f64] {
        &work.values[self.place(register, run)]
    }

    /// Hands an adjoint on to a register that has not taken it over in place.
    fn share(&self, work: &mut Workspace, from: Register, into: Register, run: &Range<usize>, first: bool) {
        if !self.program.is_fixed(into) && !self.adjoints.in_place(into, from) {
            let (from, into) = self.two_slots(&mut work.adjoints, from, into, run);
            self.isa.run(Share { from, into, first });
        }
    }

    fn reverse_gate(
        &self,
        work: &mut Workspace,
        index: usize,
        [input, open, closed, output]: [Register; 4],
        activation: Activation,
        run: &Range<usize>,
    ) {
        let units = self.program.width(output);
        let read = |register| &work.values[self.place(register, run)];
        let [auxiliary, value] = [AUXILIARY, VALUE].map(|list| &work.saved[self.saved(index, list, run)]);
        let slots = [output, open, closed].map(|register| self.slot(register, run));
        let [adjoint, open_adjoint, closed_adjoint] =
            work.adjoints.get_disjoint_mut(slots).expect("the adjoints of a gate live at the same time");
        let [_, first_open, first_closed] = self.adjoints.first[index];
        if first_open {
            open_adjoint.fill(0.0);
        }
        if first_closed {
            closed_adjoint.fill(0.0);
        }
        self.isa.run(gate::Reverse {
            activation,
            streams: &self.streams,
            units,
            z: read(input),
            open: read(open),
            closed: read(closed),
            value,
            auxiliary,
            adjoint,
            open_adjoint,
            closed_adjoint,
        });
    }

    /// The share of one part of a concatenation.
    fn reverse_part(
        &self,
        work: &mut Workspace,
        part: ConcatPart,
        (into, output): (Register, Register),
        run: &Range<usize>,
        first: bool,
    ) {
        if !self.program.is_fixed(into) {
            let (out, adjoint) = self.two_slots(&mut work.adjoints, output, into, run);
            part.back().copy(out, adjoint, !first);
        }
    }

    /// The adjoint of a linear layer's input from that of its output: the product with the transposed matrix.
    fn transposed(
        &self,
        weight: &[f64],
        from: (Register, &[f64]),
        into: (Register, &mut [f64]),
        first: bool,
    ) {
        let (in_units, out_units) = (self.program.width(from.0), self.program.width(into.0));
        self.isa.run(Product {
            weight,
            step_k: 1,
            step_j: in_units,
            bias: None,
            streams: self.streams.count(),
            input: from.1,
            in_units,
            out: into.1,
            out_units,
            accumulate: !first,
        });
    }

    /// Gradient, rows or factors of one linear layer.
    fn linear_target(
        &self,
        target: &mut Target<'_>,
        values: &[f64],
        adjoint: &[f64],
        (input, output, weight, bias): (Register, Register, usize, usize),
    ) {
        let (in_units, out_units) = (self.program.width(input), self.program.width(output));
        let streams = self.streams.count();
        match target {
            Target::Gradient(gradient) => {
                let (weights, biases) = gradient[weight..bias + out_units].split_at_mut(bias - weight);
                self.isa.run(WeightGradient {
                    input: values,
                    in_units,
                    adjoint,
                    out_units,
                    gradient: weights,
                });
                self.isa.run(BiasGradient { adjoint, units: out_units, streams, gradient: biases });
            }
            Target::Rows { rows, points } => {
                let layer = &mut rows[weight * *points..(bias + out_units) * *points];
                let (weights, biases) = layer.split_at_mut((bias - weight) * *points);
                self.isa.run(LinearRows {
                    streams,
                    input: values,
                    in_units,
                    adjoint,
                    out_units,
                    weights,
                    biases,
                });
            }
            Target::Layers(visit) => visit(Layer { weight, in_units, input: values, out_units, adjoint }),
        }
    }

    /// The slots of two registers, the first to read, the second to write.
    fn two_slots<'a>(
        &self,
        adjoints: &'a mut [f64],
        from: Register,
        into: Register,
        run: &Range<usize>,
    ) -> (&'a [f64], &'a mut [f64]) {
        let slots = [self.slot(from, run), self.slot(into, run)];
        let [from, into] = adjoints.get_disjoint_mut(slots).expect("both adjoints live at the same time");
        (from, into)
    }
}
