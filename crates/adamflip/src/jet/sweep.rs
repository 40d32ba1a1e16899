//! One term's streams through a network: forward, reverse to the gradient, reverse to Jacobian rows.

use std::ops::Range;
use std::sync::Arc;

use super::aligned::Aligned;
use super::linear::{BiasGradient, Product, WeightGradient};
use super::rows::LinearRows;
use super::{Activation, Op, PANEL, Program, Register, Streams, block_stride, pointwise, product};
use crate::simd::Isa;

/// A network, the streams to carry, and where everything lies in a [`Workspace`].
#[derive(Clone, Debug)]
pub struct Sweep {
    program: Arc<Program>,
    streams: Streams,
    panels: usize,
    isa: Isa,
    /// Offset of every register's values.
    values: Vec<usize>,
    /// Offset of every pointwise primitive's auxiliary numbers, by primitive.
    auxiliaries: Vec<usize>,
    adjoints: Adjoints,
    slot_size: usize,
    sizes: [usize; 3],
}

/// The memory of sweeps, for up to as many panels as they were made for.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    values: Aligned,
    auxiliaries: Aligned,
    adjoints: Aligned,
}

impl Workspace {
    /// Grows to what this sweep needs.
    pub fn fit(&mut self, sweep: &Sweep) {
        for (list, &size) in
            [&mut self.values, &mut self.auxiliaries, &mut self.adjoints].into_iter().zip(&sweep.sizes)
        {
            list.fit(size);
        }
    }
}

/// Where the reverse sweep puts what it finds.
enum Target<'a> {
    Gradient(&'a mut [f64]),
    Rows { rows: &'a mut [f64], points: usize },
}

impl Sweep {
    /// A sweep for tiles of at most `panels` panels, on the widest instruction set of this CPU.
    pub fn new(program: Arc<Program>, streams: Streams, panels: usize) -> Self {
        Self::on(Isa::detect(), program, streams, panels)
    }

    fn on(isa: Isa, program: Arc<Program>, streams: Streams, panels: usize) -> Self {
        let size = |register| block_stride(program.width(register)) * streams.count() * panels;
        let (values, total) = offsets((0..program.registers()).map(size));
        let (auxiliaries, auxiliary_total) = offsets(program.ops().iter().map(|op| match *op {
            Op::Pointwise { input, activation, .. } if activation != Activation::Tanh => {
                program.width(input) * panels * PANEL
            }
            _ => 0,
        }));
        let adjoints = Adjoints::new(&program);
        let slot_size = (1..program.registers()).map(size).max().unwrap_or(0);
        let sizes = [total, auxiliary_total, slot_size * adjoints.count];
        Self { program, streams, panels, isa, values, auxiliaries, adjoints, slot_size, sizes }
    }

    /// Memory for this sweep.
    pub fn workspace(&self) -> Workspace {
        let mut workspace = Workspace::default();
        workspace.fit(self);
        workspace
    }

    /// The streams carried.
    pub fn streams(&self) -> &Streams {
        &self.streams
    }

    /// The network.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The most panels at a time.
    pub fn panels(&self) -> usize {
        self.panels
    }

    /// Floating-point operations of the linear layers a point, forward and reverse: the useful work. The
    /// coordinates' layer needs no transposed product, and its derivative streams no product at all.
    pub fn flops(&self) -> usize {
        let linear = |op: &Op| match *op {
            Op::Linear { input, output, .. } => {
                let one = 2 * self.program.width(input) * self.program.width(output);
                if input == 0 { one * (1 + self.streams.count()) } else { 3 * one * self.streams.count() }
            }
            _ => 0,
        };
        self.program.ops().iter().map(linear).sum()
    }

    /// Carries all streams from the coordinates to the outputs.
    ///
    /// `points` holds panels of coordinates: `points[(panel·inputs + coordinate)·PANEL + point]`.
    pub fn forward(&self, θ: &[f64], points: &[f64], work: &mut Workspace) {
        let panels = points.len() / (self.program.inputs() * PANEL);
        assert!(panels <= self.panels, "the workspace is made for {} panels", self.panels);
        self.enter(points, work);
        for (index, op) in self.program.ops().iter().enumerate() {
            let (before, after) = work.values.split_at_mut(self.values[op.output()]);
            let out = &mut after[..self.size(op.output(), panels)];
            let read = |register| &before[self.values[register]..][..self.size(register, panels)];
            match *op {
                Op::Linear { input, output, weight, bias } => {
                    let (in_units, out_units) = (self.program.width(input), self.program.width(output));
                    self.isa.run(Product {
                        weight: &θ[weight..bias],
                        step_k: out_units,
                        step_j: 1,
                        bias: Some(&θ[bias..bias + out_units]),
                        streams: self.streams.count(),
                        input: read(input),
                        in_units,
                        out,
                        out_units,
                        accumulate: false,
                    });
                }
                Op::Pointwise { input, activation, .. } => self.isa.run(pointwise::Forward {
                    activation,
                    streams: &self.streams,
                    units: self.program.width(input),
                    z: read(input),
                    a: out,
                    auxiliary: &mut work.auxiliaries[self.auxiliary(index, panels)],
                }),
                Op::Product { left, right, output } => {
                    product::forward(&self.streams, self.program.width(output), read(left), read(right), out);
                }
                Op::Sum { left, right, .. } => {
                    for ((out, left), right) in out.iter_mut().zip(read(left)).zip(read(right)) {
                        *out = left + right;
                    }
                }
            }
        }
    }

    /// The streams of the outputs: `[(panel·streams + stream)·stride + output·PANEL + point]` with the stride of
    /// [`Sweep::output_stride`].
    pub fn outputs<'a>(&self, work: &'a Workspace, panels: usize) -> &'a [f64] {
        let output = self.program.output();
        &work.values[self.values[output]..][..self.size(output, panels)]
    }

    /// Numbers from one stream of the outputs to the next.
    pub fn output_stride(&self) -> usize {
        block_stride(self.program.width(self.program.output()))
    }

    /// The adjoints of the outputs, to be filled before a reverse sweep; laid out as the outputs.
    pub fn output_adjoints<'a>(&self, work: &'a mut Workspace, panels: usize) -> &'a mut [f64] {
        let output = self.program.output();
        &mut work.adjoints[self.slot(output, panels)]
    }

    /// Adds Σ adjoint·∂output/∂θ over all points and streams to `gradient`.
    pub fn reverse(&self, θ: &[f64], work: &mut Workspace, panels: usize, gradient: &mut [f64]) {
        self.reverse_into(θ, work, panels, Target::Gradient(gradient));
    }

    /// Writes Σ_streams adjoint·∂output/∂θ of every point: `rows[parameter·points + point]`.
    pub fn rows(&self, θ: &[f64], work: &mut Workspace, panels: usize, rows: &mut [f64]) {
        rows.fill(0.0);
        self.reverse_into(θ, work, panels, Target::Rows { rows, points: panels * PANEL });
    }

    fn reverse_into(&self, θ: &[f64], work: &mut Workspace, panels: usize, mut target: Target<'_>) {
        for (index, op) in self.program.ops().iter().enumerate().rev() {
            let read = |register| &work.values[self.values[register]..][..self.size(register, panels)];
            let first = self.adjoints.first[index];
            match *op {
                Op::Linear { input, output, weight, bias } => {
                    let adjoint = &work.adjoints[self.slot(output, panels)];
                    self.linear_target(&mut target, read(input), adjoint, (input, output, weight, bias));
                    if input != 0 {
                        let (out, into) = self.two_slots(&mut work.adjoints, output, input, panels);
                        self.transposed(&θ[weight..bias], (output, out), (input, into), first[0]);
                    }
                }
                Op::Pointwise { input, output, activation } => {
                    let auxiliary = &work.auxiliaries[self.auxiliary(index, panels)];
                    let in_place = self.adjoints.slots[input] == self.adjoints.slots[output];
                    let adjoint = &mut work.adjoints[self.slot(output, panels)];
                    self.isa.run(pointwise::Reverse {
                        activation,
                        streams: &self.streams,
                        units: self.program.width(input),
                        z: read(input),
                        a: read(output),
                        auxiliary,
                        adjoint,
                    });
                    if !in_place && input != 0 {
                        let (out, into) = self.two_slots(&mut work.adjoints, output, input, panels);
                        share(out, into, first[0]);
                    }
                }
                Op::Product { left, right, output } => {
                    let factors = [(left, right, true), (right, left, false)];
                    for ((into, other, of_left), first) in factors.into_iter().zip(first) {
                        if into != 0 {
                            let (out, adjoint) = self.two_slots(&mut work.adjoints, output, into, panels);
                            if first {
                                adjoint.fill(0.0);
                            }
                            let units = self.program.width(output);
                            product::reverse(&self.streams, units, read(other), of_left, out, adjoint);
                        }
                    }
                }
                Op::Sum { left, right, output } => {
                    for (into, first) in [left, right].into_iter().zip(first).filter(|&(into, _)| into != 0) {
                        let (out, adjoint) = self.two_slots(&mut work.adjoints, output, into, panels);
                        share(out, adjoint, first);
                    }
                }
            }
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

    /// Gradient or rows of one linear layer.
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
        }
    }

    /// Fills register 0: scaled coordinates, and what every operator makes of them (constants).
    fn enter(&self, points: &[f64], work: &mut Workspace) {
        let block = block_stride(self.program.inputs());
        let panels = points.chunks_exact(self.program.inputs() * PANEL);
        let registers = work.values.chunks_exact_mut(self.streams.count() * block);
        for (points, register) in panels.zip(registers) {
            for (operator, stream) in self.streams.operators().iter().zip(register.chunks_exact_mut(block)) {
                for (c, &(center, factor)) in self.program.scaling().iter().enumerate() {
                    let (x, out) = (&points[c * PANEL..][..PANEL], &mut stream[c * PANEL..][..PANEL]);
                    if operator.as_partial() == Some(crate::derivative::Partial::VALUE) {
                        out.iter_mut().zip(x).for_each(|(out, x)| *out = (x - center) * factor);
                    } else {
                        out.fill(operator.of_coordinate(c) * factor);
                    }
                }
            }
        }
    }

    /// Numbers in a register for so many panels.
    fn size(&self, register: Register, panels: usize) -> usize {
        block_stride(self.program.width(register)) * self.streams.count() * panels
    }

    fn slot(&self, register: Register, panels: usize) -> Range<usize> {
        let start = self.adjoints.slots[register] * self.slot_size;
        start..start + self.size(register, panels)
    }

    fn auxiliary(&self, op: usize, panels: usize) -> Range<usize> {
        let start = self.auxiliaries[op];
        let saved = match self.program.ops()[op] {
            Op::Pointwise { input, activation, .. } if activation != Activation::Tanh => {
                self.program.width(input)
            }
            _ => 0,
        };
        start..start + saved * panels * PANEL
    }

    /// The slots of two registers, the first to read, the second to write.
    fn two_slots<'a>(
        &self,
        adjoints: &'a mut [f64],
        from: Register,
        into: Register,
        panels: usize,
    ) -> (&'a [f64], &'a mut [f64]) {
        let (from, into) = (self.slot(from, panels), self.slot(into, panels));
        if from.start < into.start {
            let (low, high) = adjoints.split_at_mut(into.start);
            (&low[from], &mut high[..into.len()])
        } else {
            let (low, high) = adjoints.split_at_mut(from.start);
            (&high[..from.len()], &mut low[into])
        }
    }
}

/// Writes the first share of an adjoint, adds every further one.
fn share(from: &[f64], into: &mut [f64], first: bool) {
    if first {
        into.copy_from_slice(from);
    } else {
        into.iter_mut().zip(from).for_each(|(into, from)| *into += from);
    }
}

/// Running sums of the sizes, and their total.
fn offsets(sizes: impl Iterator<Item = usize>) -> (Vec<usize>, usize) {
    let mut total = 0;
    let starts = sizes
        .map(|size| {
            total += size;
            total - size
        })
        .collect();
    (starts, total)
}

/// Where the adjoints of the registers live during a reverse sweep.
///
/// An adjoint lives from the last use of its register back to where the register was made, so a chain of layers
/// needs two slots in all. An activation that alone uses its argument turns ā into z̄ in place.
#[derive(Clone, Debug)]
struct Adjoints {
    /// The slot of every register (the coordinates have none; theirs is never read).
    slots: Vec<usize>,
    /// For the (at most two) inputs of every primitive: is its share the first, to be written and not added?
    first: Vec<[bool; 2]>,
    count: usize,
}

impl Adjoints {
    fn new(program: &Program) -> Self {
        let mut slots: Vec<Option<usize>> = vec![None; program.registers()];
        let mut first = vec![[false; 2]; program.ops().len()];
        let mut free: Vec<usize> = Vec::new();
        let mut count = 1;
        slots[program.output()] = Some(0);
        for (op, first) in program.ops().iter().zip(&mut first).rev() {
            let output =
                slots[op.output()].expect("every register but the last is used by a later primitive");
            let mut handed_on = false;
            for (input, first) in op.inputs().zip(first).filter(|&(input, _)| input != 0) {
                *first = slots[input].is_none();
                if *first {
                    handed_on = matches!(op, Op::Pointwise { .. });
                    let fresh = || {
                        count += 1;
                        count - 1
                    };
                    slots[input] = Some(if handed_on { output } else { free.pop().unwrap_or_else(fresh) });
                }
            }
            if !handed_on {
                free.push(output);
            }
        }
        Self { slots: slots.into_iter().map(|slot| slot.unwrap_or(0)).collect(), first, count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derivative::Partial;
    use crate::jet::Operator;

    fn partial(by: &[usize]) -> Partial {
        Partial::new(by).unwrap()
    }

    /// Outputs, gradient and rows of a network with some streams, one after the other.
    fn all(isa: Isa, widths: &[usize], activation: Activation, wanted: &[Operator]) -> Vec<f64> {
        let mut program = Program::new(vec![(0.1, 0.9), (0.0, 1.1)]);
        let mut register = 0;
        for &width in widths {
            let linear = program.linear(register, width);
            register = program.pointwise(linear, activation);
        }
        program.linear(register, 2);
        let number = |i: usize| ((i * 7919 + 13) % 1000) as f64 / 1000.0 - 0.5;
        let θ: Vec<f64> = (0..program.parameters()).map(number).collect();
        let points: Vec<f64> = (0..2 * 2 * PANEL).map(number).collect();
        let sweep = Sweep::on(isa, Arc::new(program), Streams::new(wanted), 2);
        let mut work = sweep.workspace();
        sweep.forward(&θ, &points, &mut work);
        let mut found = sweep.outputs(&work, 2).to_vec();
        let seed = |work: &mut Workspace| {
            for (i, adjoint) in sweep.output_adjoints(work, 2).iter_mut().enumerate() {
                *adjoint = number(i + 5);
            }
        };
        seed(&mut work);
        let mut gradient = vec![0.0; θ.len()];
        sweep.reverse(&θ, &mut work, 2, &mut gradient);
        seed(&mut work);
        let mut rows = vec![0.0; θ.len() * 2 * PANEL];
        sweep.rows(&θ, &mut work, 2, &mut rows);
        found.extend(gradient);
        found.extend(rows);
        found
    }

    #[test]
    fn every_instruction_set_computes_the_same() {
        let diagonal = vec![Operator::new([(partial(&[1]), 1.0), (partial(&[0, 0]), -0.3)])];
        let mixed = vec![Operator::from(partial(&[0, 1])), Operator::from(partial(&[0, 0, 1]))];
        for wanted in [vec![], diagonal, mixed] {
            for activation in [Activation::Tanh, Activation::Swish, Activation::Gelu] {
                for widths in [&[5, 7][..], &[16, 33], &[20, 64]] {
                    let expected = all(Isa::Portable, widths, activation, &wanted);
                    let size = expected.iter().fold(1.0f64, |m, x| m.max(x.abs()));
                    for isa in Isa::available() {
                        let found = all(isa, widths, activation, &wanted);
                        // Fused multiply–adds round once where the portable code rounds twice.
                        let worst =
                            found.iter().zip(&expected).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                        assert!(
                            worst <= 1e-12 * size,
                            "{isa:?} {activation:?} {widths:?}: {worst:e} of {size:e}"
                        );
                    }
                }
            }
        }
    }
}
