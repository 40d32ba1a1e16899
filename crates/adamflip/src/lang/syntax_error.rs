//! What the parser says when it cannot go on: which word is in the way or missing, and how to write it
//! instead.

use super::function::Callable;
use super::lexer::{Token, TokenKind};
use super::parser::{DEEPEST, Parser};
use super::text_error::TextError;

impl<'a> Parser<'a> {
    pub(super) fn too_deep(&self) -> TextError {
        let here = self.peek().map_or(self.text.len()..self.text.len(), |token| token.range);
        TextError::new(here, "the expression is nested too deeply")
            .label(format!("more than {DEEPEST} levels"))
            .hint("split it into several terms or name its constant parts")
    }

    fn text_of(&self, token: &Token<'_>) -> &'a str {
        &self.text[token.range.clone()]
    }

    /// The operand that should stand at the next token; at the end, what asks for it is the best place to
    /// point at.
    pub(super) fn missing_operand(&self) -> TextError {
        let expected = "a number, a name or `(` is expected";
        let before = self.next.checked_sub(1).and_then(|before| self.tokens.get(before));
        let mistake = match (self.peek(), before) {
            (Some(token), _) => {
                TextError::new(token.range.clone(), format!("unexpected `{}`", self.text_of(&token)))
                    .label(expected)
            }
            (None, Some(before)) => TextError::new(before.range.clone(), "the text ends too early")
                .label(format!("{expected} after this")),
            (None, None) => TextError::new(0..self.text.len(), "the text is empty").label(expected),
        };
        match before {
            Some(before) => mistake.hint(format!("complete what follows `{}`", self.text_of(before))),
            None => mistake.hint("complete what stands before it"),
        }
    }

    /// A product without `*`: `2x`, `x y`, `2(x+1)`.
    pub(super) fn refuse_neighbour(&self) -> Result<(), TextError> {
        let [.., before] = &self.tokens[..self.next] else { return Ok(()) };
        let Some(token) = self.peek() else { return Ok(()) };
        if !matches!(token.kind, TokenKind::Number(_) | TokenKind::Name(_) | TokenKind::Open) {
            return Ok(());
        }
        let right = if token.kind == TokenKind::Open { "(…)" } else { self.text_of(&token) };
        let left = if before.kind == TokenKind::Close { "(…)" } else { self.text_of(before) };
        let hint = match (before.kind, token.kind) {
            _ if self.shapes => "join shapes by `+`, `-` or `&`".to_owned(),
            (TokenKind::Number(_), TokenKind::Number(_)) => {
                "put an operator between the two numbers".to_owned()
            }
            (TokenKind::Name("not"), _) => {
                "write the opposite comparison: `x >= 0.5` for `not x < 0.5`".to_owned()
            }
            (TokenKind::Name(name), _) if Callable::named(name).is_some() => {
                format!("write `{left}({right})`")
            }
            _ => format!("write `{left}*{right}`"),
        };
        Err(TextError::new(before.range.start..token.range.end, "an operator is missing")
            .label("nothing stands between these two")
            .hint(hint))
    }

    /// A token that cannot follow a complete expression.
    pub(super) fn stray(&self) -> TextError {
        let Some(token) = self.peek() else { return self.missing_operand() };
        let unexpected =
            TextError::new(token.range.clone(), format!("unexpected `{}`", self.text_of(&token)));
        let before = |kind| self.tokens[..self.next].iter().any(|token| token.kind == kind);
        let equals_before = before(TokenKind::Equals);
        let compares_before = before(TokenKind::LessEqual) || before(TokenKind::GreaterEqual);
        match token.kind {
            TokenKind::Close => unexpected.label("closes nothing").hint("remove it, or add `(` before"),
            TokenKind::Equals if equals_before => TextError::new(token.range, "only one `=` is allowed")
                .label("second `=`")
                .hint("write two equations"),
            TokenKind::Equals if compares_before => unexpected
                .label("an inequality before it")
                .hint("write the equation and the inequality in terms of their own"),
            TokenKind::Equals => unexpected.label("only an equation has `=`").hint("give the right side alone"),
            TokenKind::And if self.shapes => {
                unexpected.label("joins places and conditions").hint("write `&` for what lies in both shapes")
            }
            TokenKind::And => {
                unexpected.label("joins places and conditions").hint("give each equation a term of its own")
            }
            TokenKind::Or => {
                unexpected.label("joins conditions in parentheses").hint("write several places as a list")
            }
            TokenKind::LessEqual | TokenKind::GreaterEqual if equals_before => unexpected
                .label("an `=` before it")
                .hint("write the equation and the inequality in terms of their own"),
            TokenKind::Less | TokenKind::LessEqual | TokenKind::Greater | TokenKind::GreaterEqual => {
                unexpected.label("a comparison").hint(
                    "comparisons are equations of a term, or stand inside `where(condition, a, b)` and in `on`",
                )
            }
            TokenKind::Comma => unexpected
                .label("separates the arguments of a function")
                .hint("write a decimal point as `.`, and places joined by `and`"),
            _ => unexpected.label("does not belong here").hint("remove it"),
        }
    }

    /// `=` where a parenthesis should be closed.
    pub(super) fn enclosed(&self, token: &Token<'_>) -> TextError {
        TextError::new(token.range.clone(), format!("unexpected `{}`", self.text_of(token)))
            .label("cannot stand in parentheses")
            .hint("compare with `<`, `<=`, `>` or `>=`, or close the parenthesis before")
    }
}
