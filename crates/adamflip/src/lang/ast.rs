//! The syntax tree: what the text says, before any name has a meaning.
//!
//! The nodes lie in one vector, operands before the expressions that use them, so that later stages walk it
//! by a plain loop: neither a long sum nor deep nesting can exhaust the stack.

use std::ops::Range;

/// An expression of the tree, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ref(usize);

/// The operators that stand between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    /// `&` between shapes.
    Intersect,
}

/// One expression, over operands that come earlier.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression<'a> {
    Number(f64),
    Name(&'a str),
    Negate(Ref),
    Operate(Operator, Ref, Ref),
    Call { name: &'a str, named_at: Range<usize>, arguments: Vec<Ref> },
}

/// All expressions of one text.
#[derive(Clone, Debug, Default)]
pub(super) struct Syntax<'a> {
    expressions: Vec<Expression<'a>>,
    /// With and without the parentheses around it.
    ranges: Vec<[Range<usize>; 2]>,
}

impl<'a> Syntax<'a> {
    pub(super) fn push(&mut self, expression: Expression<'a>, range: Range<usize>) -> Ref {
        self.expressions.push(expression);
        self.ranges.push([range.clone(), range]);
        Ref(self.expressions.len() - 1)
    }

    /// Lets the expression reach over the parentheses around it.
    pub(super) fn widen(&mut self, of: Ref, range: Range<usize>) {
        self.ranges[of.0][0] = range;
    }

    /// The bytes of the text that the expression takes.
    pub(super) fn range(&self, of: Ref) -> Range<usize> {
        self.ranges[of.0][0].clone()
    }

    /// The same without the parentheses around it: where a name itself stands.
    pub(super) fn bare_range(&self, of: Ref) -> Range<usize> {
        self.ranges[of.0][1].clone()
    }

    pub(super) fn expression(&self, of: Ref) -> &Expression<'a> {
        &self.expressions[of.0]
    }

    /// Every expression, operands first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Ref, &Expression<'a>)> {
        self.expressions.iter().enumerate().map(|(index, expression)| (Ref(index), expression))
    }

    pub(super) fn len(&self) -> usize {
        self.expressions.len()
    }
}

impl Ref {
    pub(super) fn index(self) -> usize {
        self.0
    }
}
