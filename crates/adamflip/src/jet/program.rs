//! A network as a list of jet primitives in static single assignment form: coordinates enter, linear and
//! pointwise layers, gates, sums and concatenations follow.

use super::{Activation, Entry};

/// The number of a jet register: primitive n writes register n.
pub type Register = usize;

/// One primitive. Offsets count into the flat parameter vector θ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// output = affine functions of the coordinates with fixed numbers: [`Program::entries`].
    Enter {
        /// The result.
        output: Register,
        /// The number of the first unit's entry.
        first: usize,
    },
    /// output = input·W + b, with W row-major (inputs × outputs) at `weight` and b at `bias`.
    Linear {
        /// What is multiplied.
        input: Register,
        /// The result.
        output: Register,
        /// Offset of W.
        weight: usize,
        /// Offset of b.
        bias: usize,
    },
    /// output = σ(input), element by element.
    Pointwise {
        /// The argument.
        input: Register,
        /// The result.
        output: Register,
        /// σ.
        activation: Activation,
    },
    /// output = a∘open + (1 − a)∘closed with a = σ(input): a layer and its gates in one, since a gate of its
    /// own would move every stream through memory once more.
    Gate {
        /// The argument.
        input: Register,
        /// What comes out where a = 1.
        open: Register,
        /// What comes out where a = 0.
        closed: Register,
        /// The result.
        output: Register,
        /// σ.
        activation: Activation,
    },
    /// output = left + right.
    Sum {
        /// The first summand.
        left: Register,
        /// The second summand.
        right: Register,
        /// The result.
        output: Register,
    },
    /// output = the units of `left`, then those of `right`.
    Concatenate {
        /// The first units.
        left: Register,
        /// The further units.
        right: Register,
        /// The result.
        output: Register,
    },
}

impl Op {
    /// The register that the primitive writes.
    pub fn output(&self) -> Register {
        match *self {
            Op::Enter { output, .. }
            | Op::Linear { output, .. }
            | Op::Pointwise { output, .. }
            | Op::Gate { output, .. }
            | Op::Sum { output, .. }
            | Op::Concatenate { output, .. } => output,
        }
    }

    /// The registers that the primitive reads.
    pub fn inputs(&self) -> impl Iterator<Item = Register> {
        let list = match *self {
            Op::Enter { .. } => [None; 3],
            Op::Linear { input, .. } | Op::Pointwise { input, .. } => [Some(input), None, None],
            Op::Gate { input, open, closed, .. } => [Some(input), Some(open), Some(closed)],
            Op::Sum { left, right, .. } | Op::Concatenate { left, right, .. } => {
                [Some(left), Some(right), None]
            }
        };
        list.into_iter().flatten()
    }
}

/// A network: the primitives in order, the width of every register, and how coordinates enter.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    dimension: usize,
    widths: Vec<usize>,
    fixed: Vec<bool>,
    ops: Vec<Op>,
    parameters: usize,
    entries: Vec<Entry>,
}

impl Program {
    /// An empty program for points of `dimension` coordinates, of which it may read a few only.
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            widths: Vec::new(),
            fixed: Vec::new(),
            ops: Vec::new(),
            parameters: 0,
            entries: Vec::new(),
        }
    }

    /// Appends a register of affine functions of the coordinates; at least one.
    pub fn enter(&mut self, entries: Vec<Entry>) -> Register {
        let known = |entry: &Entry| entry.terms.iter().all(|term| term.coordinate < self.dimension);
        assert!(!entries.is_empty() && entries.iter().all(known), "entries read coordinates of the problem");
        let (first, units) = (self.entries.len(), entries.len());
        self.entries.extend(entries);
        self.push(units, |output| Op::Enter { output, first })
    }

    /// Appends a linear layer with its own weights and biases.
    pub fn linear(&mut self, input: Register, units: usize) -> Register {
        let weight = self.parameters;
        let bias = weight + self.widths[input] * units;
        self.parameters = bias + units;
        self.push(units, |output| Op::Linear { input, output, weight, bias })
    }

    /// Appends an activation.
    pub fn pointwise(&mut self, input: Register, activation: Activation) -> Register {
        self.push(self.widths[input], |output| Op::Pointwise { input, output, activation })
    }

    /// Appends an activation a = σ(input) that mixes two registers: a∘open + (1 − a)∘closed, all of the same
    /// width.
    pub fn gate(
        &mut self,
        input: Register,
        open: Register,
        closed: Register,
        activation: Activation,
    ) -> Register {
        assert_eq!(self.widths[open], self.widths[input], "a gate is as wide as its layer");
        assert_eq!(self.widths[closed], self.widths[input], "a gate is as wide as its layer");
        let distinct = open != closed && open != input && closed != input;
        assert!(distinct && !self.fixed[open] && !self.fixed[closed], "gates are layers of their own");
        self.push(self.widths[input], |output| Op::Gate { input, open, closed, output, activation })
    }

    /// Appends a sum of two registers of the same width.
    pub fn sum(&mut self, left: Register, right: Register) -> Register {
        assert_eq!(self.widths[left], self.widths[right], "summands have the same width");
        self.push(self.widths[left], |output| Op::Sum { left, right, output })
    }

    /// Appends the units of two registers, one after the other.
    pub fn concatenate(&mut self, left: Register, right: Register) -> Register {
        let units = self.widths[left] + self.widths[right];
        self.push(units, |output| Op::Concatenate { left, right, output })
    }

    fn push(&mut self, width: usize, op: impl FnOnce(Register) -> Op) -> Register {
        let op = op(self.widths.len());
        // A linear layer has parameters; everything else has what its inputs have.
        let fixed = !matches!(op, Op::Linear { .. }) && op.inputs().all(|input| self.fixed[input]);
        self.widths.push(width);
        self.fixed.push(fixed);
        self.ops.push(op);
        op.output()
    }

    /// The primitives in order of evaluation.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The number of units in a register.
    pub fn width(&self, register: Register) -> usize {
        self.widths[register]
    }

    /// Is the register the same for all θ?
    pub fn is_fixed(&self, register: Register) -> bool {
        self.fixed[register]
    }

    /// How many registers.
    pub fn registers(&self) -> usize {
        self.widths.len()
    }

    /// The last register: the network's outputs.
    pub fn output(&self) -> Register {
        self.widths.len() - 1
    }

    /// The coordinates of a point as it is handed in: all of the problem's, read or not.
    pub fn inputs(&self) -> usize {
        self.dimension
    }

    /// The length of θ.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// What coordinates enter as, over all [`Op::Enter`].
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}
