//! The loops of the tape: each operation over one column of points, forward and in reverse.
//!
//! Operands are columns or constants; each combination is a loop of its own over slices of equal length, so
//! that no bounds are checked inside and the compiler vectorises.

use super::graph::Binary;
use super::special;

/// Where a step takes a value from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Register(usize),
    /// A number.
    Constant(f64),
}

use Operand::{Constant, Register};

pub(super) fn negate(argument: &[f64], target: &mut [f64]) {
    for (target, &argument) in target.iter_mut().zip(argument) {
        *target = -argument;
    }
}

pub(super) fn negate_reverse(adjoint: &[f64], into: &mut [f64]) {
    for (into, &adjoint) in into.iter_mut().zip(adjoint) {
        *into -= adjoint;
    }
}

/// `target = binary(a, b)`, operands being taken from the `earlier` registers.
pub(super) fn forward(binary: Binary, a: Operand, b: Operand, earlier: &[f64], target: &mut [f64]) {
    match binary {
        Binary::Add => map(|a, b| a + b, a, b, earlier, target),
        Binary::Subtract => map(|a, b| a - b, a, b, earlier, target),
        Binary::Multiply => map(|a, b| a * b, a, b, earlier, target),
        Binary::Divide => map(|a, b| a / b, a, b, earlier, target),
        Binary::Power => map(f64::powf, a, b, earlier, target),
        Binary::Minimum => map(minimum, a, b, earlier, target),
        Binary::Maximum => map(maximum, a, b, earlier, target),
        Binary::Less => map(|a, b| f64::from(a < b), a, b, earlier, target),
        Binary::LessEqual => map(|a, b| f64::from(a <= b), a, b, earlier, target),
    }
}

/// Adds to the adjoints of both operands, `value` and `adjoint` being those of the step.
pub(super) fn reverse(
    binary: Binary,
    a: Operand,
    b: Operand,
    values: &[f64],
    value: &[f64],
    adjoint: &[f64],
    into: &mut [f64],
) {
    let mut left = Pull { operand: a, other: b, values, value, adjoint, into };
    match binary {
        Binary::Add | Binary::Subtract => left.pull(|_, _, _| 1.0),
        Binary::Multiply => left.pull(|_, b, _| b),
        Binary::Divide => left.pull(|_, b, _| 1.0 / b),
        Binary::Power => left.pull(|a, b, _| if b == 0.0 { 0.0 } else { b * a.powf(b - 1.0) }),
        Binary::Minimum => left.pull(|a, b, _| below(a, b)),
        Binary::Maximum => left.pull(|a, b, _| below(b, a)),
        Binary::Less | Binary::LessEqual => {}
    }
    let mut right = Pull { operand: b, other: a, ..left };
    match binary {
        Binary::Add => right.pull(|_, _, _| 1.0),
        Binary::Subtract => right.pull(|_, _, _| -1.0),
        Binary::Multiply => right.pull(|_, a, _| a),
        Binary::Divide => right.pull(|b, _, y| -y / b),
        // 0ᵇ stays 0 as b > 0 moves; log 0 must not spoil it.
        Binary::Power => right.pull(|b, a, y| if a == 0.0 && b > 0.0 { 0.0 } else { y * a.ln() }),
        Binary::Minimum => right.pull(|b, a, _| below(b, a)),
        Binary::Maximum => right.pull(|b, a, _| below(a, b)),
        Binary::Less | Binary::LessEqual => {}
    }
}

/// The smaller of both, and not a number if one of them is not: `f64::min` would hide it.
pub(super) fn minimum(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

/// The larger of both, as [`minimum`].
pub(super) fn maximum(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// How much of a minimum belongs to `a`: all, none, or half of a tie.
fn below(a: f64, b: f64) -> f64 {
    if a < b {
        1.0
    } else if a > b {
        0.0
    } else {
        0.5
    }
}

fn column(registers: &[f64], register: usize, width: usize) -> &[f64] {
    &registers[register * width..][..width]
}

fn map(f: impl Fn(f64, f64) -> f64, a: Operand, b: Operand, earlier: &[f64], target: &mut [f64]) {
    let width = target.len();
    match (a, b) {
        (Register(a), Register(b)) => {
            let columns = column(earlier, a, width).iter().zip(column(earlier, b, width));
            for (target, (&a, &b)) in target.iter_mut().zip(columns) {
                *target = f(a, b);
            }
        }
        (Register(a), Constant(b)) => {
            for (target, &a) in target.iter_mut().zip(column(earlier, a, width)) {
                *target = f(a, b);
            }
        }
        (Constant(a), Register(b)) => {
            for (target, &b) in target.iter_mut().zip(column(earlier, b, width)) {
                *target = f(a, b);
            }
        }
        (Constant(a), Constant(b)) => target.fill(f(a, b)),
    }
}

/// One operand of a step, about to receive its share of the step's adjoint.
struct Pull<'a> {
    operand: Operand,
    other: Operand,
    values: &'a [f64],
    value: &'a [f64],
    adjoint: &'a [f64],
    into: &'a mut [f64],
}

impl Pull<'_> {
    /// Adds adjoint · slope(operand, other, value), and nothing where the adjoint is zero: a branch that
    /// `where` does not choose may have no slope.
    fn pull(&mut self, slope: impl Fn(f64, f64, f64) -> f64) {
        let Register(register) = self.operand else { return };
        let width = self.value.len();
        let operand = column(self.values, register, width);
        let into = &mut self.into[register * width..][..width];
        let step = operand.iter().zip(self.value).zip(self.adjoint);
        match self.other {
            Register(other) => {
                let other = column(self.values, other, width);
                for ((into, ((&a, &y), &adjoint)), &b) in into.iter_mut().zip(step).zip(other) {
                    *into += if adjoint == 0.0 { 0.0 } else { adjoint * slope(a, b, y) };
                }
            }
            Constant(b) => {
                for (into, ((&a, &y), &adjoint)) in into.iter_mut().zip(step) {
                    *into += if adjoint == 0.0 { 0.0 } else { adjoint * slope(a, b, y) };
                }
            }
        }
    }
}

pub(super) fn cole_hopf(arguments: [Operand; 3], earlier: &[f64], target: &mut [f64]) {
    let width = target.len();
    for (point, target) in target.iter_mut().enumerate() {
        let [x, t, nu] = arguments.map(|argument| match argument {
            Register(register) => earlier[register * width + point],
            Constant(value) => value,
        });
        *target = special::cole_hopf(x, t, nu);
    }
}

/// `target` = the second operand where the first is not 0, else the third.
pub(super) fn select(arguments: [Operand; 3], earlier: &[f64], target: &mut [f64]) {
    let width = target.len();
    for (point, target) in target.iter_mut().enumerate() {
        let of = |operand: Operand| match operand {
            Register(register) => earlier[register * width + point],
            Constant(value) => value,
        };
        let [condition, yes, no] = arguments;
        *target = if of(condition) != 0.0 { of(yes) } else { of(no) };
    }
}

/// Adds the adjoint to that of the operand which was selected at each point.
pub(super) fn select_reverse(arguments: [Operand; 3], values: &[f64], adjoint: &[f64], into: &mut [f64]) {
    let width = adjoint.len();
    let [condition, yes, no] = arguments;
    for (point, &adjoint) in adjoint.iter().enumerate() {
        let holds = match condition {
            Register(register) => values[register * width + point] != 0.0,
            Constant(value) => value != 0.0,
        };
        if let Register(register) = if holds { yes } else { no } {
            into[register * width + point] += adjoint;
        }
    }
}

/// Marks the adjoints that a function without derivative leaves unknown.
pub(super) fn no_derivative(arguments: [Operand; 3], width: usize, into: &mut [f64]) {
    for argument in arguments {
        if let Register(register) = argument {
            into[register * width..][..width].fill(f64::NAN);
        }
    }
}
