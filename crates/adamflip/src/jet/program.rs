//! A network as a list of jet primitives: linear, pointwise, product and sum, in static single assignment form.

use super::Activation;

/// The number of a jet register; register 0 holds the (scaled) coordinates.
pub type Register = usize;

/// One primitive. Offsets count into the flat parameter vector θ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
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
    /// output = left·right, element by element.
    Product {
        /// The first factor.
        left: Register,
        /// The second factor.
        right: Register,
        /// The result.
        output: Register,
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
}

impl Op {
    /// The register that the primitive writes.
    pub fn output(&self) -> Register {
        match *self {
            Op::Linear { output, .. }
            | Op::Pointwise { output, .. }
            | Op::Product { output, .. }
            | Op::Sum { output, .. } => output,
        }
    }

    /// The registers that the primitive reads.
    pub fn inputs(&self) -> impl Iterator<Item = Register> {
        let (first, second) = match *self {
            Op::Linear { input, .. } | Op::Pointwise { input, .. } => (input, None),
            Op::Product { left, right, .. } | Op::Sum { left, right, .. } => (left, Some(right)),
        };
        std::iter::once(first).chain(second)
    }
}

/// A network: the primitives in order, the width of every register, and how coordinates are scaled on entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    widths: Vec<usize>,
    ops: Vec<Op>,
    parameters: usize,
    scaling: Vec<(f64, f64)>,
}

impl Program {
    /// A program whose register 0 holds (x − center)·factor for every coordinate's (center, factor).
    pub fn new(scaling: Vec<(f64, f64)>) -> Self {
        Self { widths: vec![scaling.len()], ops: Vec::new(), parameters: 0, scaling }
    }

    /// Appends a linear layer with its own weights and biases.
    pub fn linear(&mut self, input: Register, units: usize) -> Register {
        let (weight, output) = (self.parameters, self.register(units));
        let bias = weight + self.widths[input] * units;
        self.parameters = bias + units;
        self.ops.push(Op::Linear { input, output, weight, bias });
        output
    }

    /// Appends an activation.
    pub fn pointwise(&mut self, input: Register, activation: Activation) -> Register {
        let output = self.register(self.widths[input]);
        self.ops.push(Op::Pointwise { input, output, activation });
        output
    }

    /// Appends an elementwise product of two registers of the same width.
    pub fn product(&mut self, left: Register, right: Register) -> Register {
        assert_eq!(self.widths[left], self.widths[right], "factors of a product have the same width");
        let output = self.register(self.widths[left]);
        self.ops.push(Op::Product { left, right, output });
        output
    }

    /// Appends a sum of two registers of the same width.
    pub fn sum(&mut self, left: Register, right: Register) -> Register {
        assert_eq!(self.widths[left], self.widths[right], "summands have the same width");
        let output = self.register(self.widths[left]);
        self.ops.push(Op::Sum { left, right, output });
        output
    }

    fn register(&mut self, width: usize) -> Register {
        self.widths.push(width);
        self.widths.len() - 1
    }

    /// The primitives in order of evaluation.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The number of units in a register.
    pub fn width(&self, register: Register) -> usize {
        self.widths[register]
    }

    /// How many registers.
    pub fn registers(&self) -> usize {
        self.widths.len()
    }

    /// The last register: the network's outputs.
    pub fn output(&self) -> Register {
        self.widths.len() - 1
    }

    /// The number of coordinates.
    pub fn inputs(&self) -> usize {
        self.widths[0]
    }

    /// The length of θ.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// (center, factor) of every coordinate.
    pub fn scaling(&self) -> &[(f64, f64)] {
        &self.scaling
    }
}
