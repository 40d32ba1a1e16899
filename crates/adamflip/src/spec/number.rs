//! Reading numbers: finite, in range, whole where they count something.

use std::ops::RangeInclusive;

use super::reader::Reader;
use super::schema::Number;
use super::tree::{Node, Value};
use crate::diagnostic::{Diagnostic, Span, Spanned};

impl Reader {
    /// A finite number or a formula.
    pub(super) fn number(&mut self, node: &Node, what: &str) -> Option<Spanned<Number>> {
        let value = match &node.value {
            Value::Text(_) => Number::Text(self.text(node, what, "`0.5` or `\"0.01/pi\"`")?.value),
            Value::Integer(_) | Value::Float(_) => Number::Literal(self.real(node, what)?),
            _ => {
                self.wrong_type(
                    node,
                    what,
                    "a number or a formula",
                    "write for example `0.5` or `\"0.01/pi\"`",
                );
                return None;
            }
        };
        Some(Spanned { value, span: node.span })
    }

    /// A number above zero, as far as one can tell before formulas are evaluated.
    pub(super) fn positive_number(&mut self, node: &Node, what: &str) -> Option<Spanned<Number>> {
        match node.value {
            Value::Integer(_) | Value::Float(_) => {
                let value = Number::Literal(self.positive(node, what)?);
                Some(Spanned { value, span: node.span })
            }
            _ => self.number(node, what),
        }
    }

    /// A finite number.
    pub(super) fn real(&mut self, node: &Node, what: &str) -> Option<f64> {
        let number = match node.value {
            Value::Integer(value) => value as f64,
            Value::Float(value) => value,
            _ => {
                self.wrong_type(node, what, "a number", &without_quotes(&node.value, 0.5));
                return None;
            }
        };
        if !number.is_finite() {
            let diagnostic = Diagnostic::new(node.span, format!("{what} must be a finite number"));
            self.report(
                diagnostic.label("not finite").hint("write an ordinary number, like `0.5` or `1e-3`"),
            );
            return None;
        }
        Some(number)
    }

    /// A finite number above zero.
    pub(super) fn positive(&mut self, node: &Node, what: &str) -> Option<f64> {
        let number = self.real(node, what)?;
        if number <= 0.0 {
            let diagnostic = Diagnostic::new(node.span, format!("{what} must be greater than 0"));
            self.report(diagnostic.label("not greater than 0").hint("write for example `1.0`"));
            return None;
        }
        Some(number)
    }

    /// A finite number that is not below a bound.
    pub(super) fn at_least(&mut self, node: &Node, what: &str, least: f64) -> Option<f64> {
        let number = self.real(node, what)?;
        if number < least {
            let diagnostic = Diagnostic::new(node.span, format!("{what} must be at least {least}"));
            self.report(diagnostic.label("too small").hint(format!("write `{least}` or more")));
            return None;
        }
        Some(number)
    }

    /// A whole number in a range; `2e3` is one too.
    pub(super) fn whole(&mut self, node: &Node, what: &str, range: RangeInclusive<u64>) -> Option<u64> {
        let value = match node.value {
            Value::Integer(value) => value,
            Value::Float(value) if value.fract() == 0.0 => value as i128,
            Value::Float(value) => {
                let diagnostic = Diagnostic::new(node.span, format!("{what} must be a whole number"));
                let hint =
                    format!("write `{}`", value.round().clamp(*range.start() as f64, *range.end() as f64));
                let hint =
                    if value.is_finite() { hint } else { format!("write for example `{}`", example(&range)) };
                self.report(diagnostic.label("not a whole number").hint(hint));
                return None;
            }
            _ => {
                self.wrong_type(node, what, "a whole number", &without_quotes(&node.value, example(&range)));
                return None;
            }
        };
        let valid = u64::try_from(value).ok().filter(|value| range.contains(value));
        if valid.is_none() {
            self.out_of_range(node.span, what, value, range);
        }
        valid
    }

    fn out_of_range(&mut self, span: Span, what: &str, value: i128, range: RangeInclusive<u64>) {
        let (low, high) = (range.start(), range.end());
        let (message, label) = if value < i128::from(*low) {
            (format!("{what} must be at least {low}"), "too small")
        } else {
            (format!("{what} must be at most {high}"), "too large")
        };
        self.report(
            Diagnostic::new(span, message)
                .label(label)
                .hint(format!("write for example `{}`", example(&range))),
        );
    }

    /// A number of things.
    pub(super) fn count(
        &mut self,
        node: &Node,
        what: &str,
        range: RangeInclusive<u64>,
    ) -> Option<Spanned<usize>> {
        let value = usize::try_from(self.whole(node, what, range)?).ok()?;
        Some(Spanned { value, span: node.span })
    }
}

/// A number that nobody wonders about.
fn example(range: &RangeInclusive<u64>) -> u64 {
    100.clamp(*range.start(), *range.end())
}

fn without_quotes(value: &Value, example: impl std::fmt::Display) -> String {
    match value {
        Value::Text(text) if text.parse::<f64>().is_ok() => format!("leave out the quotes: `{text}`"),
        _ => format!("write for example `{example}`"),
    }
}
