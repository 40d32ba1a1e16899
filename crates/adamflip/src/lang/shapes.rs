//! Expressions of shapes: `plate - hole`, `a + b`, `(a + b) & c`.

use super::ast::{Expression, Operator, Ref, Syntax};
use super::parser;
use super::text_error::{TextError, diagnostics, list};
use crate::diagnostic::{Diagnostic, Spanned, nearest};

/// More would make the expression's own nesting a burden.
const MOST_SHAPES: usize = 1000;

/// A region made of named shapes, which are given by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapeExpression {
    /// One shape.
    Shape(usize),
    /// What lies in one or the other: `a + b`.
    Union(Box<Self>, Box<Self>),
    /// What lies in the first but not in the second: `a - b`.
    Difference(Box<Self>, Box<Self>),
    /// What lies in both: `a & b`, which binds tighter.
    Intersection(Box<Self>, Box<Self>),
}

/// Reads an expression of the named shapes.
pub fn shapes(text: &Spanned<String>, names: &[String]) -> Result<ShapeExpression, Vec<Diagnostic>> {
    let read = parser::shapes(&text.value).and_then(|(syntax, root)| region(&syntax, root, names));
    read.map_err(|mistakes| diagnostics(mistakes, text))
}

fn region(syntax: &Syntax<'_>, root: Ref, names: &[String]) -> Result<ShapeExpression, Vec<TextError>> {
    if syntax.len() > 2 * MOST_SHAPES {
        let mistake = TextError::new(syntax.range(root), "too many shapes in one expression");
        return Err(vec![mistake.label(format!("more than {MOST_SHAPES}")).hint("use fewer, larger shapes")]);
    }
    let (mut regions, mut mistakes) = (Vec::with_capacity(syntax.len()), Vec::new());
    for (at, expression) in syntax.iter() {
        let made = match expression {
            Expression::Name(name) => shape(name, syntax, at, names).map(Some),
            Expression::Operate(operator, left, right) => {
                // Every operand belongs to one operator.
                let operands = (take(&mut regions, *left), take(&mut regions, *right));
                join(*operator, operands, syntax, at)
            }
            _ => Err(no_shape(syntax, at)),
        };
        regions.push(made.unwrap_or_else(|mistake| {
            mistakes.push(mistake);
            None
        }));
    }
    match take(&mut regions, root) {
        Some(region) if mistakes.is_empty() => Ok(region),
        _ => Err(mistakes),
    }
}

fn take(regions: &mut [Option<ShapeExpression>], at: Ref) -> Option<ShapeExpression> {
    regions.get_mut(at.index())?.take()
}

fn shape(name: &str, syntax: &Syntax<'_>, at: Ref, names: &[String]) -> Result<ShapeExpression, TextError> {
    names.iter().position(|known| known == name).map(ShapeExpression::Shape).ok_or_else(|| {
        let mistake =
            TextError::new(syntax.range(at), format!("`{name}` is not a shape")).label("unknown shape");
        match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => mistake.hint(format!("did you mean `{near}`?")),
            None if names.is_empty() => mistake.hint("define it in [shapes]"),
            None => mistake.hint(format!("the shapes are {}", list(names))),
        }
    })
}

type Operands = (Option<ShapeExpression>, Option<ShapeExpression>);

fn join(
    operator: Operator,
    (left, right): Operands,
    syntax: &Syntax<'_>,
    at: Ref,
) -> Result<Option<ShapeExpression>, TextError> {
    let joined = match operator {
        Operator::Add => ShapeExpression::Union,
        Operator::Subtract => ShapeExpression::Difference,
        Operator::Intersect => ShapeExpression::Intersection,
        _ => return Err(no_shape(syntax, at)),
    };
    Ok(left.zip(right).map(|(left, right)| joined(Box::new(left), Box::new(right))))
}

fn no_shape(syntax: &Syntax<'_>, at: Ref) -> TextError {
    TextError::new(syntax.range(at), "this is not made of shapes")
        .label("not a shape")
        .hint("join names of shapes by `+` (union), `-` (difference) and `&` (intersection)")
}

#[cfg(test)]
mod tests {
    use super::super::oracle::spanned;
    use super::*;

    /// The region with all its parentheses.
    fn explicit(region: &ShapeExpression, names: &[String]) -> String {
        let (left, sign, right) = match region {
            ShapeExpression::Shape(index) => return names[*index].clone(),
            ShapeExpression::Union(left, right) => (left, '+', right),
            ShapeExpression::Difference(left, right) => (left, '-', right),
            ShapeExpression::Intersection(left, right) => (left, '&', right),
        };
        format!("({}{sign}{})", explicit(left, names), explicit(right, names))
    }

    #[test]
    fn precedence_table() {
        let names = ["a", "b", "c"].map(str::to_owned);
        for (text, expected) in [
            ("a", "a"),
            ("a - b", "(a-b)"),
            ("a - b + c", "((a-b)+c)"),
            ("a - (b + c)", "(a-(b+c))"),
            ("a + b & c", "(a+(b&c))"),
            ("(a + b) & c", "((a+b)&c)"),
            ("a & b & c", "((a&b)&c)"),
            ("a - a", "(a-a)"),
        ] {
            assert_eq!(explicit(&shapes(&spanned(text), &names).unwrap(), &names), expected, "{text}");
        }
    }

    #[test]
    fn many_shapes_are_refused() {
        let names = ["a".to_owned()];
        assert!(shapes(&spanned(&vec!["a"; 1000].join("+")), &names).is_ok());
        let mistakes = shapes(&spanned(&vec!["a"; 100_000].join("+")), &names).unwrap_err();
        assert_eq!(mistakes[0].message, "too many shapes in one expression");
    }
}
