//! What an expression of a text is: a number, a vector or a condition; and what may be done with which.

use std::ops::Range;

use super::ast::Operator;
use super::graph::{Binary, Graph, Id};
use super::text_error::TextError;

/// The meaning of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    Scalar(Id),
    /// One component for each spatial coordinate.
    Vector(Vec<Id>),
    /// 1 where it holds, 0 elsewhere.
    Condition(Id),
}

use Value::{Condition, Scalar, Vector};

impl Value {
    /// All that it is made of.
    pub(super) fn ids(&self) -> &[Id] {
        match self {
            Scalar(id) | Condition(id) => std::slice::from_ref(id),
            Vector(ids) => ids,
        }
    }

    pub(super) fn scalar(&self, range: Range<usize>) -> Result<Id, TextError> {
        match self {
            Scalar(id) => Ok(*id),
            Vector(_) => Err(TextError::new(range, "a number is expected, not a vector")
                .label("a vector")
                .hint("vectors belong inside `div(…)` or `dot(…)`")),
            Condition(_) => Err(TextError::new(range, "a number is expected, not a condition")
                .label("true or false")
                .hint("write `where(condition, a, b)` to choose between two numbers")),
        }
    }

    pub(super) fn condition(&self, range: Range<usize>) -> Result<Id, TextError> {
        match self {
            Condition(id) => Ok(*id),
            other => Err(TextError::new(range, "a condition is expected")
                .label(if matches!(other, Vector(_)) { "a vector" } else { "a number" })
                .hint("compare it with something, like `x < 0.5`")),
        }
    }

    pub(super) fn vector(&self, range: Range<usize>) -> Result<&[Id], TextError> {
        match self {
            Vector(ids) => Ok(ids),
            other => Err(TextError::new(range, "a vector is expected")
                .label(if matches!(other, Condition(_)) { "true or false" } else { "a number" })
                .hint("vectors are made by `grad(…)`")),
        }
    }
}

/// The sum of products of the components.
pub(super) fn dot(graph: &mut Graph, a: &[Id], b: &[Id]) -> Id {
    let mut sum = graph.constant(0.0);
    for (&a, &b) in a.iter().zip(b) {
        let product = graph.mul(a, b);
        sum = graph.add(sum, product);
    }
    sum
}

/// Each operand with the place where it stands.
pub(super) type Operand<'v> = (&'v Value, Range<usize>);

/// Two operands joined; arithmetic of vectors goes component by component.
pub(super) fn operate(
    graph: &mut Graph,
    operator: Operator,
    (left, left_at): Operand<'_>,
    (right, right_at): Operand<'_>,
) -> Result<Value, TextError> {
    let whole = left_at.start..right_at.end;
    if let Operator::And | Operator::Or = operator {
        let (a, b) = (left.condition(left_at)?, right.condition(right_at)?);
        let joined = if operator == Operator::And { graph.both(a, b) } else { graph.either(a, b) };
        return Ok(Condition(joined));
    }
    match (operator, left, right) {
        (Operator::Add | Operator::Subtract, Vector(left), Vector(right)) => {
            let pairs = left.iter().zip(right);
            Ok(Vector(pairs.map(|(&a, &b)| arithmetic(graph, operator, a, b)).collect()))
        }
        (Operator::Multiply, Vector(_), Vector(_)) => {
            Err(TextError::new(whole, "two vectors are multiplied")
                .label("which product?")
                .hint("write `dot(a, b)`"))
        }
        (Operator::Multiply, Scalar(a), Vector(ids)) | (Operator::Multiply, Vector(ids), Scalar(a)) => {
            Ok(Vector(ids.iter().map(|&b| graph.mul(*a, b)).collect()))
        }
        (Operator::Divide, Vector(ids), Scalar(b)) => {
            Ok(Vector(ids.iter().map(|&a| graph.div(a, *b)).collect()))
        }
        (Operator::Intersect, _, _) => Err(TextError::new(whole, "`&` joins shapes only")
            .label("not shapes")
            .hint("join conditions by `and`")),
        _ => {
            let (a, b) = (left.scalar(left_at)?, right.scalar(right_at)?);
            Ok(match comparison(operator) {
                Some((which, false)) => Condition(graph.comparison(which, a, b)),
                Some((which, true)) => Condition(graph.comparison(which, b, a)),
                None => Scalar(arithmetic(graph, operator, a, b)),
            })
        }
    }
}

/// The comparison, and whether its operands change places.
fn comparison(operator: Operator) -> Option<(Binary, bool)> {
    match operator {
        Operator::Less => Some((Binary::Less, false)),
        Operator::LessEqual => Some((Binary::LessEqual, false)),
        Operator::Greater => Some((Binary::Less, true)),
        Operator::GreaterEqual => Some((Binary::LessEqual, true)),
        _ => None,
    }
}

fn arithmetic(graph: &mut Graph, operator: Operator, a: Id, b: Id) -> Id {
    match operator {
        Operator::Add => graph.add(a, b),
        Operator::Subtract => graph.sub(a, b),
        Operator::Multiply => graph.mul(a, b),
        Operator::Divide => graph.div(a, b),
        _ => graph.power(a, b),
    }
}
