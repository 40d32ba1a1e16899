//! The layout of h: which neighbouring entries belong to one named constraint, and what they are.

use std::ops::Range;

/// What the entries of h are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Each a mean square over the points of its term: never negative.
    MeanSquare,
    /// The residuals of one term at its points.
    Residuals,
}

/// What is asked of the entries of h.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sense {
    /// h = 0, with multipliers of any sign.
    #[default]
    Zero,
    /// h ≤ 0, with multipliers λ ≥ 0 of f + λᵀh that vanish where h < 0. What asks for g ≥ 0 has h = −g.
    AtMostZero,
}

/// Neighbouring entries of h of one form: a named constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The number of entries.
    pub size: usize,
    /// What they are.
    pub form: Form,
    /// What is asked of them.
    pub sense: Sense,
}

impl Block {
    /// This many constraints, each a mean square.
    pub fn mean_squares(size: usize) -> Self {
        Self { size, form: Form::MeanSquare, sense: Sense::Zero }
    }

    /// The residuals of one constraint at this many points.
    pub fn residuals(size: usize) -> Self {
        Self { size, form: Form::Residuals, sense: Sense::Zero }
    }

    /// The sides g of one inequality g ≤ 0 at this many points.
    pub fn inequalities(size: usize) -> Self {
        Self { size, form: Form::Residuals, sense: Sense::AtMostZero }
    }
}

/// Which entries of h are inequalities: none, for equality-only problems, at no cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inequalities {
    ranges: Vec<Range<usize>>,
}

impl Inequalities {
    pub(crate) fn of(blocks: &[Block]) -> Self {
        let mut first = 0;
        let range = |block: &Block| {
            let range = first..first + block.size;
            first = range.end;
            (block.sense == Sense::AtMostZero && block.size > 0).then_some(range)
        };
        Self { ranges: blocks.iter().filter_map(range).collect() }
    }

    /// Are all entries equalities?
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The entries that are inequalities.
    pub(crate) fn entries(&self) -> impl Iterator<Item = usize> + '_ {
        self.ranges.iter().cloned().flatten()
    }

    /// h in place of what is violated of it: max(h, 0) of inequalities.
    pub(crate) fn cut(&self, h: &mut [f64]) {
        for range in &self.ranges {
            // What is not a number stays what it is.
            h[range.clone()].iter_mut().filter(|h| **h <= 0.0).for_each(|h| *h = 0.0);
        }
    }

    /// What is violated of h.
    pub(crate) fn violated(&self, h: &[f64]) -> Vec<f64> {
        let mut violated = h.to_vec();
        self.cut(&mut violated);
        violated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_violated_of_an_inequality_counts() {
        let blocks = [Block::inequalities(2), Block::residuals(2), Block::inequalities(1)];
        let inequalities = Inequalities::of(&blocks);
        assert_eq!(inequalities.entries().collect::<Vec<_>>(), [0, 1, 4]);
        assert_eq!(inequalities.violated(&[-1.0, 2.0, -3.0, 4.0, -5.0]), [0.0, 2.0, -3.0, 4.0, 0.0]);
        assert!(inequalities.violated(&[f64::NAN; 5]).iter().all(|h| h.is_nan()));
        assert!(Inequalities::of(&blocks[1..2]).is_empty());
    }
}
