//! One term's streams through a network: forward here, in reverse to the gradient or to Jacobian rows in
//! [`super::reverse`].

use std::ops::Range;
use std::sync::Arc;

use super::adjoints::Adjoints;
use super::entry::enter;
use super::linear::Product;
use super::sum::{ConcatPart, Sum};
use super::{Activation, Op, PANEL, Program, Register, Streams, block_stride, gate, pointwise};
use crate::aligned::Aligned;
use crate::simd::Isa;

/// What the registers of panels may take of the second-level cache, in bytes (it is 1 MB or more on current
/// cores).
pub(crate) const CACHE: usize = 768 << 10;

/// A network, the streams to carry, and where everything lies in a [`Workspace`].
#[derive(Clone, Debug)]
pub struct Sweep {
    pub(super) program: Arc<Program>,
    pub(super) streams: Streams,
    panels: usize,
    /// The most panels that go through all layers together: what they leave on their way stays in the
    /// second-level cache.
    run: usize,
    pub(super) isa: Isa,
    /// Offset of every register's values.
    pub(super) values: Vec<usize>,
    /// Offset of every activation's saved numbers, by primitive.
    saved: Vec<usize>,
    /// The derivative streams of the entries: for every [`Op::Enter`], stream by stream.
    slopes: Vec<f64>,
    pub(super) adjoints: Adjoints,
    slot_size: usize,
    sizes: [usize; 3],
}

/// The memory of sweeps, for up to as many panels as they were made for.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pub(super) values: Aligned,
    pub(super) saved: Aligned,
    pub(super) adjoints: Aligned,
}

impl Workspace {
    /// Grows to what this sweep needs.
    pub fn fit(&mut self, sweep: &Sweep) {
        for (list, &size) in
            [&mut self.values, &mut self.saved, &mut self.adjoints].into_iter().zip(&sweep.sizes)
        {
            list.fit(size);
        }
    }
}

impl Sweep {
    /// A sweep for tiles of at most `panels` panels, on the widest instruction set of this CPU.
    pub fn new(program: Arc<Program>, streams: Streams, panels: usize) -> Self {
        Self::on(Isa::detect(), program, streams, panels)
    }

    pub(super) fn on(isa: Isa, program: Arc<Program>, streams: Streams, panels: usize) -> Self {
        let size = |register| block_stride(program.width(register)) * streams.count() * panels;
        let (values, total) = offsets((0..program.registers()).map(size));
        let (saved, saved_total) = offsets(
            program
                .ops()
                .iter()
                .map(|op| saved_before(op, LISTS) * program.width(op.output()) * panels * PANEL),
        );
        let slopes = slopes(&program, &streams);
        let adjoints = Adjoints::new(&program);
        let live = (0..program.registers()).filter(|&register| !program.is_fixed(register));
        let slot_size = live.map(size).max().unwrap_or(0);
        let sizes = [total, saved_total, slot_size * adjoints.count];
        let run = (CACHE * panels / (total * size_of::<f64>()).max(1)).clamp(1, panels.max(1));
        Self { program, streams, panels, run, isa, values, saved, slopes, adjoints, slot_size, sizes }
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

    /// Floating-point operations of the linear layers a point, forward and reverse: the useful work. What
    /// does not depend on θ needs no transposed product, and the derivative streams of the coordinates no
    /// product at all.
    pub fn flops(&self) -> usize {
        let linear = |op: &Op| match *op {
            Op::Linear { input, output, .. } => {
                let one = 2 * self.program.width(input) * self.program.width(output);
                match self.program.ops()[input] {
                    Op::Enter { .. } => one * (1 + self.streams.count()),
                    _ if self.program.is_fixed(input) => 2 * one * self.streams.count(),
                    _ => 3 * one * self.streams.count(),
                }
            }
            _ => 0,
        };
        self.program.ops().iter().map(linear).sum()
    }

    /// Carries all streams from the coordinates to the outputs.
    ///
    /// `points` holds panels of all the problem's coordinates:
    /// `points[(panel·inputs + coordinate)·PANEL + point]`.
    pub fn forward(&self, θ: &[f64], points: &[f64], work: &mut Workspace) {
        let panels = points.len() / (self.program.inputs() * PANEL);
        assert!(panels <= self.panels, "the workspace is made for {} panels", self.panels);
        for run in self.runs(panels) {
            self.forward_run(θ, points, work, &run);
        }
    }

    fn forward_run(&self, θ: &[f64], points: &[f64], work: &mut Workspace, run: &Range<usize>) {
        let panel = self.program.inputs() * PANEL;
        let points = &points[run.start * panel..run.end * panel];
        for (index, op) in self.program.ops().iter().enumerate() {
            let place = self.place(op.output(), run);
            let (before, after) = work.values.split_at_mut(place.start);
            let out = &mut after[..place.len()];
            let read = |register| &before[self.place(register, run)];
            let (streams, units) = (&self.streams, self.program.width(op.output()));
            match *op {
                Op::Enter { first, .. } => self.enter(first..first + units, points, out),
                Op::Linear { input, weight, bias, .. } => self.isa.run(Product {
                    weight: &θ[weight..bias],
                    step_k: units,
                    step_j: 1,
                    bias: Some(&θ[bias..bias + units]),
                    streams: self.streams.count(),
                    input: read(input),
                    in_units: self.program.width(input),
                    out,
                    out_units: units,
                    accumulate: false,
                }),
                Op::Pointwise { input, activation, .. } => {
                    let auxiliary = &mut work.saved[self.saved(index, AUXILIARY, run)];
                    let z = read(input);
                    self.isa.run(pointwise::Forward { activation, streams, units, z, a: out, auxiliary });
                }
                Op::Gate { input, open, closed, activation, .. } => {
                    let (z, open, closed) = (read(input), read(open), read(closed));
                    let places = [self.saved(index, AUXILIARY, run), self.saved(index, VALUE, run)];
                    let [auxiliary, value] = work.saved.get_disjoint_mut(places).expect("two lists");
                    self.isa.run(gate::Forward {
                        activation,
                        streams,
                        units,
                        z,
                        open,
                        closed,
                        out,
                        value,
                        auxiliary,
                    });
                }
                Op::Sum { left, right, .. } => {
                    self.isa.run(Sum { left: read(left), right: read(right), out });
                }
                Op::Concatenate { left, right, .. } => {
                    for (part, input) in self.parts(left, right).into_iter().zip([left, right]) {
                        part.copy(read(input), out, false);
                    }
                }
            }
        }
    }

    /// Fills a register with a range of the entries.
    fn enter(&self, range: Range<usize>, points: &[f64], register: &mut [f64]) {
        let derivatives = self.streams.count() - 1;
        let slopes = &self.slopes[range.start * derivatives..range.end * derivatives];
        enter(&self.program.entries()[range], slopes, self.program.inputs(), points, register);
    }

    /// Both parts of a concatenation, from its inputs to its output.
    pub(super) fn parts(&self, left: Register, right: Register) -> [ConcatPart; 2] {
        let widths = [self.program.width(left), self.program.width(right)];
        let into_width = widths[0] + widths[1];
        let part = |i: usize| ConcatPart {
            units: widths[i],
            skip: 0,
            offset: i * widths[0],
            from_width: widths[i],
            into_width,
        };
        [part(0), part(1)]
    }

    /// The streams of the outputs: `[(panel·streams + stream)·stride + output·PANEL + point]` with the stride
    /// of [`Sweep::output_stride`].
    pub fn outputs<'a>(&self, work: &'a Workspace, panels: usize) -> &'a [f64] {
        &work.values[self.place(self.program.output(), &(0..panels))]
    }

    /// Numbers from one stream of the outputs to the next.
    pub fn output_stride(&self) -> usize {
        block_stride(self.program.width(self.program.output()))
    }

    /// The adjoints of the outputs, to be filled before a reverse sweep; laid out as the outputs.
    pub fn output_adjoints<'a>(&self, work: &'a mut Workspace, panels: usize) -> &'a mut [f64] {
        &mut work.adjoints[self.slot(self.program.output(), &(0..panels))]
    }

    /// The panels in runs that go through all layers together, of nearly equal length.
    pub(super) fn runs(&self, panels: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let runs = panels.div_ceil(self.run);
        (0..runs).map(move |i| i * panels / runs..(i + 1) * panels / runs)
    }

    /// Where the values of a register at a run of panels lie.
    pub(super) fn place(&self, register: Register, run: &Range<usize>) -> Range<usize> {
        self.part(self.values[register], register, run)
    }

    /// Where the adjoint of a register at a run of panels lies.
    pub(super) fn slot(&self, register: Register, run: &Range<usize>) -> Range<usize> {
        self.part(self.adjoints.slot(register) * self.slot_size, register, run)
    }

    fn part(&self, start: usize, register: Register, run: &Range<usize>) -> Range<usize> {
        let panel = block_stride(self.program.width(register)) * self.streams.count();
        start + run.start * panel..start + run.end * panel
    }

    /// Where a list of saved numbers of a primitive at a run of panels lies; empty where it saves no such
    /// list. Lists of all panels follow one another, so that it does not matter in which runs they are
    /// written and read.
    pub(super) fn saved(&self, index: usize, list: usize, run: &Range<usize>) -> Range<usize> {
        let op = &self.program.ops()[index];
        let panel = self.program.width(op.output()) * PANEL;
        let before = saved_before(op, list);
        let kept = saved_before(op, list + 1) - before;
        let start = self.saved[index] + before * self.panels * panel;
        start + kept * run.start * panel..start + kept * run.end * panel
    }
}

/// The lists that a primitive may save for its reverse, one number a point and unit each: an activation its
/// auxiliary number (tanh has its value for that), a gate also the activation's value, which is no register.
pub(super) const AUXILIARY: usize = 0;
pub(super) const VALUE: usize = 1;
const LISTS: usize = 2;

/// How many of the first this many lists it saves.
fn saved_before(op: &Op, lists: usize) -> usize {
    let (auxiliary, value) = match *op {
        Op::Pointwise { activation, .. } => (activation != Activation::Tanh, false),
        Op::Gate { activation, .. } => (activation != Activation::Tanh, true),
        _ => (false, false),
    };
    [auxiliary, value][..lists].iter().filter(|saved| **saved).count()
}

/// What every derivative stream makes of every entry.
fn slopes(program: &Program, streams: &Streams) -> Vec<f64> {
    let mut slopes = Vec::new();
    for op in program.ops() {
        if let Op::Enter { output, first } = *op {
            let entries = &program.entries()[first..first + program.width(output)];
            let derivatives = &streams.operators()[1..];
            slopes.extend(derivatives.iter().flat_map(|operator| entries.iter().map(|e| e.slope(operator))));
        }
    }
    slopes
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
