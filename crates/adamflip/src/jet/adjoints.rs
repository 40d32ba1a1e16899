//! Where the adjoints of the registers live during a reverse sweep.

use super::{Op, Program, Register};

/// The slots of adjoints, and which shares come first.
///
/// An adjoint lives from the last use of its register back to where the register was made, so a chain of
/// layers needs two slots beside that of the outputs. An activation that alone uses its argument turns ā into
/// z̄ in place, and one of a sum's summands takes over its adjoint. Registers that do not depend on θ have
/// none.
#[derive(Clone, Debug)]
pub(crate) struct Adjoints {
    slots: Vec<Option<usize>>,
    /// For the (at most three) inputs of every primitive: is its share the first, to be written and not
    /// added?
    pub(crate) first: Vec<[bool; 3]>,
    pub(crate) count: usize,
}

/// The slot of the outputs' adjoints.
const OUTPUTS: usize = 0;

impl Adjoints {
    pub(crate) fn new(program: &Program) -> Self {
        let mut slots: Vec<Option<usize>> = vec![None; program.registers()];
        let mut first = vec![[false; 3]; program.ops().len()];
        let mut free: Vec<usize> = Vec::new();
        let mut count = 1;
        slots[program.output()] = Some(OUTPUTS);
        for (op, first) in program.ops().iter().zip(&mut first).rev() {
            if program.is_fixed(op.output()) {
                continue;
            }
            let output =
                slots[op.output()].expect("every register but the last is used by a later primitive");
            let mut handed_on = false;
            for (position, (input, first)) in op.inputs().zip(first).enumerate() {
                *first = slots[input].is_none() && !program.is_fixed(input);
                if *first {
                    let takes_over = !handed_on && takes_over(op, position);
                    let fresh = || {
                        count += 1;
                        count - 1
                    };
                    slots[input] = Some(if takes_over { output } else { free.pop().unwrap_or_else(fresh) });
                    handed_on |= takes_over;
                }
            }
            // The adjoints of the outputs of all panels are given before the first run of panels: their place
            // stays theirs.
            if !handed_on && output != OUTPUTS {
                free.push(output);
            }
        }
        Self { slots, first, count }
    }

    /// The slot of a register that depends on θ.
    pub(crate) fn slot(&self, register: Register) -> usize {
        self.slots[register].expect("only registers that depend on θ have an adjoint")
    }

    /// Does the input's adjoint lie where the output's does?
    pub(crate) fn in_place(&self, input: Register, output: Register) -> bool {
        self.slots[input] == self.slots[output]
    }
}

/// May this input's adjoint take the place of the output's?
fn takes_over(op: &Op, position: usize) -> bool {
    match *op {
        Op::Pointwise { .. } => true,
        // The gates' adjoints are kept apart: those of all layers add up in them.
        Op::Gate { .. } => position == 0,
        Op::Sum { left, right, .. } => left != right,
        _ => false,
    }
}
