//! A tape as operators: every register a column, or a single number.

use super::OnnxError;
use super::builder::{Builder, Tensor};
use super::function::function;
use crate::lang::{Binary, Leaf, Operand, Step, Tape};

/// Writes a tape whose inputs are found by `leaf`; returns its outputs.
pub(super) fn write(
    builder: &mut Builder,
    tape: &Tape,
    leaf: &mut impl FnMut(&mut Builder, Leaf) -> Result<Tensor, OnnxError>,
) -> Result<Vec<Tensor>, OnnxError> {
    let mut registers: Vec<Tensor> = Vec::with_capacity(tape.registers());
    for &input in tape.inputs() {
        registers.push(leaf(builder, input)?);
    }
    for step in tape.steps() {
        let tensor = self::step(builder, step, &registers)?;
        registers.push(tensor);
    }
    Ok(tape.outputs().iter().map(|&register| registers[register]).collect())
}

fn step(builder: &mut Builder, step: &Step, registers: &[Tensor]) -> Result<Tensor, OnnxError> {
    let of = |builder: &mut Builder, operand: Operand| match operand {
        Operand::Register(register) => registers[register],
        Operand::Constant(value) => builder.number(value),
    };
    Ok(match *step {
        Step::Fill(value) => builder.number(value),
        Step::Negate(a) => builder.apply("Neg", &[registers[a]]),
        Step::Function(name, a) => function(builder, name, registers[a])?,
        Step::Binary(operation, a, b) => {
            let operands = [of(builder, a), of(builder, b)];
            let (operator, compares) = binary(operation);
            let result = builder.apply(operator, &operands);
            if compares { builder.indicator(result) } else { result }
        }
        Step::Select([condition, yes, no]) => {
            let (condition, zero) = (of(builder, condition), builder.number(0.0));
            let fails = builder.apply("Equal", &[condition, zero]);
            let [yes, no] = [yes, no].map(|operand| of(builder, operand));
            builder.apply("Where", &[fails, no, yes])
        }
        Step::ColeHopf(_) => return Err(OnnxError::Function { name: "cole_hopf" }),
    })
}

/// The operator, and whether its result is true or false.
fn binary(operation: Binary) -> (&'static str, bool) {
    match operation {
        Binary::Add => ("Add", false),
        Binary::Subtract => ("Sub", false),
        Binary::Multiply => ("Mul", false),
        Binary::Divide => ("Div", false),
        Binary::Power => ("Pow", false),
        Binary::Minimum => ("Min", false),
        Binary::Maximum => ("Max", false),
        Binary::Less => ("Less", true),
        Binary::LessEqual => ("LessOrEqual", true),
    }
}
