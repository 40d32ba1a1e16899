//! What an equation's text says of its two sides: equal, or one at least the other.
//!
//! `0 <= u <= 1` is two inequalities with `u` in common. Strict ones are refused: what holds on an open set
//! has no closest point that holds it, so nothing could be solved for.

use std::ops::Range;

use super::ast::Ref;
use super::graph::Id;
use super::lexer::{Token, TokenKind};
use super::text_error::TextError;

/// How left and right are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// left = right.
    Equal,
    /// left ≤ right.
    AtMost,
    /// left ≥ right.
    AtLeast,
}

impl Relation {
    /// As the language writes it.
    pub fn sign(self) -> &'static str {
        match self {
            Relation::Equal => "=",
            Relation::AtMost => "<=",
            Relation::AtLeast => ">=",
        }
    }

    /// Is it not an equation?
    pub fn is_inequality(self) -> bool {
        self != Relation::Equal
    }

    /// The relation that a word stands for.
    pub(super) fn of(kind: TokenKind<'_>) -> Option<Self> {
        Some(match kind {
            TokenKind::Equals => Relation::Equal,
            TokenKind::LessEqual => Relation::AtMost,
            TokenKind::GreaterEqual => Relation::AtLeast,
            _ => return None,
        })
    }
}

/// left − right, and how it compares with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// left − right.
    pub difference: Id,
    /// Its relation to zero.
    pub relation: Relation,
}

/// Two sides of a text and what stands between them.
pub(super) struct Sides {
    pub(super) left: Ref,
    pub(super) relation: Relation,
    pub(super) right: Ref,
}

/// What is said of `<` and `>`; nothing of other words.
pub(super) fn strict(token: &Token<'_>) -> Option<TextError> {
    let (sign, other) = match token.kind {
        TokenKind::Less => ("<", "<="),
        TokenKind::Greater => (">", ">="),
        _ => return None,
    };
    let Range { start, end } = token.range;
    let mistake = TextError::new(start..end, format!("`{sign}` is no condition that a solution can end on"));
    Some(
        mistake.label("a strict inequality").hint(format!(
            "write `{other}`; with a margin, `u >= 0.01`, where the bound itself is not allowed"
        )),
    )
}
