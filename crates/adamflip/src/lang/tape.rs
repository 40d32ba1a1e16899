//! Expressions as a tape: one register a node, inputs first, each step writing the next register.
//!
//! What the training loop runs. Registers hold columns of points, so a step is one `match` and one tight
//! loop; constants are part of the steps and take no register. The loops are in [`super::columns`].

use super::columns::{self, Operand};
use super::function::Function;
use super::graph::{Binary, Graph, Id, Leaf, Node, Unary};

/// Expressions lowered to a straight sequence of operations on columns.
#[derive(Clone, Debug)]
pub struct Tape {
    inputs: Vec<Leaf>,
    outputs: Vec<usize>,
    steps: Vec<Step>,
}

/// How the register of a step comes about from earlier ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// A number.
    Fill(f64),
    /// −a.
    Negate(usize),
    /// f(a).
    Function(Function, usize),
    /// An operation on two operands.
    Binary(Binary, Operand, Operand),
    /// The Cole–Hopf solution of Burgers' equation at x, t for the viscosity nu.
    ColeHopf([Operand; 3]),
    /// The second operand where the first is not 0, else the third.
    Select([Operand; 3]),
}

impl Tape {
    /// The tape that computes these expressions.
    ///
    /// # Panics
    /// If a Caputo derivative or an integral is among them: they are taken apart before.
    pub fn lower(graph: &Graph, outputs: &[Id]) -> Self {
        let inputs = graph.leaves(outputs);
        let mut lowering = Lowering { inputs: inputs.len(), steps: Vec::new() };
        let reachable = graph.reachable(outputs);
        let mut operands = vec![Operand::Constant(0.0); reachable.last().map_or(0, |id| id.index() + 1)];
        for id in reachable {
            let of = |id: Id| operands[id.index()];
            operands[id.index()] = match *graph.node(id) {
                Node::Constant(value) => Operand::Constant(value),
                // The leaves are sorted and contain every leaf of the outputs.
                Node::Leaf(leaf) => Operand::Register(inputs.partition_point(|&input| input < leaf)),
                Node::Unary(unary, a) => lowering.unary(unary, of(a)),
                Node::Binary(binary, a, b) => lowering.push(Step::Binary(binary, of(a), of(b))),
                Node::ColeHopf(arguments) => lowering.push(Step::ColeHopf(arguments.map(of))),
                Node::Select(arguments) => lowering.push(Step::Select(arguments.map(of))),
                Node::Caputo { .. } | Node::Integral { .. } => {
                    unreachable!("nonlocal terms are taken apart before lowering")
                }
            };
        }
        let outputs = outputs.iter().map(|output| lowering.register(operands[output.index()])).collect();
        Self { inputs, outputs, steps: lowering.steps }
    }

    /// The tape whose outputs are the first ones, and the registers of the others, which it still computes.
    pub fn split_outputs(mut self, first: usize) -> (Self, Vec<usize>) {
        let others = self.outputs.split_off(first);
        (self, others)
    }

    /// What the caller fills registers `0..inputs().len()` with, in this order.
    pub fn inputs(&self) -> &[Leaf] {
        &self.inputs
    }

    /// The register of each output.
    pub fn outputs(&self) -> &[usize] {
        &self.outputs
    }

    /// The steps in order; each writes the register after those of the inputs and of the steps before it.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many registers there are.
    pub fn registers(&self) -> usize {
        self.inputs.len() + self.steps.len()
    }

    /// Arithmetic operations per point, forward; a function counts as one.
    pub fn flops(&self) -> usize {
        self.steps.iter().filter(|step| !matches!(step, Step::Fill(_))).count()
    }

    /// Computes all registers from the inputs. Register r is `values[r*width..(r + 1)*width]`, one element a
    /// point.
    pub fn forward(&self, values: &mut [f64], width: usize) {
        for (step, register) in self.steps.iter().zip(self.inputs.len()..self.registers()) {
            let (earlier, rest) = values.split_at_mut(register * width);
            let target = &mut rest[..width];
            let column = |register: usize| &earlier[register * width..][..width];
            match *step {
                Step::Fill(value) => target.fill(value),
                Step::Negate(a) => columns::negate(column(a), target),
                Step::Function(function, a) => function.forward(column(a), target),
                Step::Binary(binary, a, b) => columns::forward(binary, a, b, earlier, target),
                Step::ColeHopf(arguments) => columns::cole_hopf(arguments, earlier, target),
                Step::Select(arguments) => columns::select(arguments, earlier, target),
            }
        }
    }

    /// Adds into the inputs' adjoints what the seeded outputs ask of them. `adjoints` is laid out like
    /// `values`; the caller has zeroed it and seeded the outputs (adding where two outputs share a register).
    /// `cole_hopf` has no derivative: the adjoints of its arguments, coordinates by construction, become NaN
    /// rather than wrong.
    pub fn reverse(&self, values: &[f64], adjoints: &mut [f64], width: usize) {
        for (step, register) in self.steps.iter().zip(self.inputs.len()..self.registers()).rev() {
            let (into, rest) = adjoints.split_at_mut(register * width);
            let adjoint = &rest[..width];
            let value = &values[register * width..][..width];
            match *step {
                Step::Fill(_) => {}
                Step::Negate(a) => columns::negate_reverse(adjoint, &mut into[a * width..][..width]),
                Step::Function(function, a) => {
                    let argument = &values[a * width..][..width];
                    function.reverse(argument, value, adjoint, &mut into[a * width..][..width]);
                }
                Step::Binary(binary, a, b) => columns::reverse(binary, a, b, values, value, adjoint, into),
                Step::ColeHopf(arguments) => columns::no_derivative(arguments, width, into),
                Step::Select(arguments) => columns::select_reverse(arguments, values, adjoint, into),
            }
        }
    }
}

struct Lowering {
    inputs: usize,
    steps: Vec<Step>,
}

impl Lowering {
    fn push(&mut self, step: Step) -> Operand {
        self.steps.push(step);
        Operand::Register(self.inputs + self.steps.len() - 1)
    }

    fn register(&mut self, operand: Operand) -> usize {
        match operand {
            Operand::Register(register) => register,
            Operand::Constant(value) => {
                self.push(Step::Fill(value));
                self.inputs + self.steps.len() - 1
            }
        }
    }

    fn unary(&mut self, unary: Unary, a: Operand) -> Operand {
        match unary {
            Unary::Negate => {
                let a = self.register(a);
                self.push(Step::Negate(a))
            }
            Unary::Function(function) => {
                let a = self.register(a);
                self.push(Step::Function(function, a))
            }
            Unary::Square => self.multiply(a, a),
            Unary::Power(n) => self.power(a, n),
        }
    }

    fn multiply(&mut self, a: Operand, b: Operand) -> Operand {
        self.push(Step::Binary(Binary::Multiply, a, b))
    }

    /// aⁿ by squaring, as [`super::function::integer_power`] does: at most 2·log₂ n products, all vectorised.
    fn power(&mut self, a: Operand, n: i32) -> Operand {
        let exponent = n.unsigned_abs();
        let mut power = a;
        for bit in (0..exponent.checked_ilog2().unwrap_or(0)).rev() {
            power = self.multiply(power, power);
            if exponent >> bit & 1 == 1 {
                power = self.multiply(power, a);
            }
        }
        match n {
            0.. => power,
            _ => self.push(Step::Binary(Binary::Divide, Operand::Constant(1.0), power)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle;
    use super::*;
    use proptest::prelude::*;

    const WIDTH: usize = 3;

    /// Leaf values at each of the points.
    fn filled(tape: &Tape, seed: u64) -> Vec<f64> {
        let mut values = vec![0.0; tape.registers() * WIDTH];
        for (register, &leaf) in tape.inputs().iter().enumerate() {
            for point in 0..WIDTH {
                values[register * WIDTH + point] = oracle::leaf_values(seed + point as u64)(leaf);
            }
        }
        values
    }

    /// The adjoints of the inputs where every output has seed 1.
    fn adjoints(tape: &Tape, values: &[f64]) -> Vec<f64> {
        let mut adjoints = vec![0.0; values.len()];
        for &output in tape.outputs() {
            adjoints[output * WIDTH..][..WIDTH].iter_mut().for_each(|seed| *seed += 1.0);
        }
        tape.reverse(values, &mut adjoints, WIDTH);
        adjoints
    }

    fn check(texts: &[&str], seed: u64) -> Result<(), TestCaseError> {
        let mut graph = Graph::new();
        let outputs: Vec<Id> = texts.iter().map(|text| oracle::parse(text, &mut graph)).collect();
        let tape = Tape::lower(&graph, &outputs);
        let mut values = filled(&tape, seed);
        tape.forward(&mut values, WIDTH);
        let adjoints = adjoints(&tape, &values);
        for point in 0..WIDTH {
            let leaf = oracle::leaf_values(seed + point as u64);
            for (&id, &register) in outputs.iter().zip(tape.outputs()) {
                // The same operations in the same order: the same bits.
                prop_assert_eq!(
                    values[register * WIDTH + point],
                    oracle::evaluate(&graph, id, &leaf),
                    "{:?}",
                    texts
                );
            }
            for (register, &input) in tape.inputs().iter().enumerate() {
                let sum = |i: f64| {
                    let moved = |l: Leaf| leaf(l) + if l == input { i * 1e-3 } else { 0.0 };
                    outputs.iter().map(|&id| oracle::evaluate(&graph, id, &moved)).sum::<f64>()
                };
                let difference = (8.0 * (sum(1.0) - sum(-1.0)) - (sum(2.0) - sum(-2.0))) / 12e-3;
                let adjoint = adjoints[register * WIDTH + point];
                // h⁴ times fifth derivatives of nested functions, up to about 1e5, relative.
                let error = (adjoint - difference).abs() / (1.0 + adjoint.abs());
                prop_assert!(error < 1e-5, "{:?} by {:?}: {} and {}", texts, input, adjoint, difference);
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn agrees_with_recursion_and_central_differences(
            a in oracle::smooth(oracle::LEAVES, 4), b in oracle::smooth(oracle::LEAVES, 3), seed in 0_u64..1000,
        ) {
            check(&[&a, &b], seed)?;
        }
    }

    #[test]
    fn every_operation() {
        let texts = [
            "u*v - u/v + u^3 - v^-2 + u^5",
            "min(u, v) + max(u, v)",
            "u^v + 2^u + u^1.5",
            "1 - u + 3/v + u/3 + u - 2",
            "-u*-v",
            "gamma(u) + erf(v) + abs(u - v) + sign(u)*v",
            "kappa*u_xx + x*t",
            "u^2",
        ];
        for text in texts {
            check(&[text], 7).unwrap();
        }
    }

    #[test]
    fn outputs_that_are_inputs_constants_or_the_same() {
        check(&["u", "u", "3", "u + v", "v + u", "2 + 1", "x"], 1).unwrap();
        check(&["3"], 1).unwrap();
        check(&[], 1).unwrap();
    }

    #[test]
    fn odd_powers_of_negative_numbers_are_exact() {
        let mut graph = Graph::new();
        let cube = oracle::parse("u^3", &mut graph);
        let tape = Tape::lower(&graph, &[cube]);
        assert_eq!((tape.registers(), tape.flops()), (3, 2));
        let mut values = vec![-2.0, 0.0, 0.0];
        tape.forward(&mut values, 1);
        let mut adjoints = vec![0.0, 0.0, 1.0];
        tape.reverse(&values, &mut adjoints, 1);
        assert_eq!((values[2], adjoints[0]), (-8.0, 12.0));
    }

    #[test]
    fn powers_at_the_edge() {
        let mut graph = Graph::new();
        let power = oracle::parse("u^kappa + u^1.5", &mut graph);
        let tape = Tape::lower(&graph, &[power]);
        let derivative = |kappa: f64| {
            // Inputs are sorted: the unknown kappa, then the field u, here 0.
            let mut values = vec![0.0; tape.registers()];
            values[0] = kappa;
            tape.forward(&mut values, 1);
            let mut adjoints = vec![0.0; tape.registers()];
            adjoints[tape.outputs()[0]] = 1.0;
            tape.reverse(&values, &mut adjoints, 1);
            (adjoints[0], adjoints[1])
        };
        assert_eq!(derivative(0.0).1, 0.0);
        assert_eq!(derivative(1.0), (0.0, 1.0));
        assert_eq!(derivative(2.0), (0.0, 0.0));
    }

    #[test]
    fn burgers_takes_four_operations() {
        let mut graph = Graph::new();
        let id = oracle::equation("u_t + u*u_x = nu*u_xx", &mut graph);
        assert_eq!(Tape::lower(&graph, &[id]).flops(), 4);
    }

    #[test]
    fn cole_hopf_has_a_value_and_no_derivative() {
        let mut graph = Graph::new();
        let id = oracle::parse("cole_hopf(x, t, nu) + u", &mut graph);
        let tape = Tape::lower(&graph, &[id]);
        let mut values = filled(&tape, 3);
        tape.forward(&mut values, WIDTH);
        assert_eq!(values[tape.outputs()[0] * WIDTH], oracle::evaluate(&graph, id, &oracle::leaf_values(3)));
        let adjoints = adjoints(&tape, &values);
        assert!(adjoints[0].is_nan());
        assert_eq!(adjoints[2 * WIDTH], 1.0);
    }

    /// What `where` does not choose has no part in the gradient, even where its own is none; what is not a
    /// number stays visible.
    #[test]
    fn a_branch_that_is_not_chosen_and_what_is_not_a_number() {
        let column = |text: &str, at: f64| {
            let mut graph = Graph::new();
            let id = oracle::parse(text, &mut graph);
            let tape = Tape::lower(&graph, &[id]);
            let mut values = vec![0.0; tape.registers() * WIDTH];
            values[..WIDTH].fill(at);
            tape.forward(&mut values, WIDTH);
            (values[tape.outputs()[0] * WIDTH], adjoints(&tape, &values)[0])
        };
        assert_eq!(column("where(u > 0.25, sqrt(u - 0.25), 0)", -1.0), (0.0, 0.0));
        assert_eq!(column("where(u > 0, log(u)*u^0.5/u, 2*u)", -1.0), (-2.0, 2.0));
        assert_eq!(column("where(u > 0.25, sqrt(u - 0.25), 0)", 1.25), (1.0, 0.5));
        for text in ["max(log(u), 0)", "max(0, log(u))", "min(sqrt(u), 5)", "min(5, sqrt(u))"] {
            assert!(column(text, -1.0).0.is_nan(), "{text}");
        }
    }
}
