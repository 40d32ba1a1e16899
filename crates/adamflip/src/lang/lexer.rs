//! Text to tokens. Never stops: a character of no meaning is a [`TextError`] and is skipped, so that all of
//! them are reported at once.

use std::ops::Range;

use super::text_error::TextError;

/// One word of the language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind<'a> {
    Number(f64),
    Name(&'a str),
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Open,
    Close,
    Comma,
    Equals,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Ampersand,
    And,
    Or,
}

/// A word and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind<'a>,
    pub(super) range: Range<usize>,
}

/// The words of the text.
pub(super) fn tokens(text: &str) -> (Vec<Token<'_>>, Vec<TextError>) {
    let (mut tokens, mut mistakes) = (Vec::new(), Vec::new());
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if let Some((kind, length)) = word(rest, first) {
            tokens.push(Token { kind, range: start..start + length });
            length
        } else {
            mistakes.push(stranger(first, start));
            first.len_utf8()
        };
        if rest.starts_with("==") {
            mistakes.push(double_equals(start));
        }
        start += length;
    }
    (tokens, mistakes)
}

/// The word at the beginning of `rest`, with its length in bytes.
fn word(rest: &str, first: char) -> Option<(TokenKind<'_>, usize)> {
    if first.is_alphabetic() || first == '_' {
        // Letters of any script, but plain digits: `u²` is a power that wants rewriting, not a name.
        let inside = |c: char| c.is_alphabetic() || c.is_ascii_digit() || c == '_';
        let length = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        let name = &rest[..length];
        let kind = match name {
            "and" => TokenKind::And,
            "or" => TokenKind::Or,
            _ => TokenKind::Name(name),
        };
        return Some((kind, length));
    }
    let length = number_length(rest.as_bytes());
    if length > 0 {
        return Some((TokenKind::Number(rest[..length].parse().ok()?), length));
    }
    let kind = match first {
        '*' if rest.starts_with("**") => return Some((TokenKind::Caret, 2)),
        '=' if rest.starts_with("==") => return Some((TokenKind::Equals, 2)),
        '<' if rest.starts_with("<=") => return Some((TokenKind::LessEqual, 2)),
        '>' if rest.starts_with(">=") => return Some((TokenKind::GreaterEqual, 2)),
        '<' => TokenKind::Less,
        '>' => TokenKind::Greater,
        '&' if !rest.starts_with("&&") => TokenKind::Ampersand,
        '+' => TokenKind::Plus,
        '-' => TokenKind::Minus,
        '*' => TokenKind::Star,
        '/' => TokenKind::Slash,
        '^' => TokenKind::Caret,
        '(' => TokenKind::Open,
        ')' => TokenKind::Close,
        ',' => TokenKind::Comma,
        '=' => TokenKind::Equals,
        _ => return None,
    };
    Some((kind, 1))
}

/// Length of the number at the beginning (`1`, `.5`, `1e-3`), 0 where there is none. An `e` that no digit
/// follows belongs to the next word.
fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(0);
    let mut length = whole;
    if bytes.get(length) == Some(&b'.') {
        let fraction = digits(length + 1);
        if whole + fraction == 0 {
            return 0;
        }
        length += 1 + fraction;
    }
    if length > 0 && matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = bytes.get(length + 1 + sign..).map_or(0, |_| digits(length + 1 + sign));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

/// A character as it is typed, or its code where it cannot be seen.
fn shown(character: char) -> String {
    match character {
        '\'' | '"' | '\\' => character.to_string(),
        _ => character.escape_debug().to_string(),
    }
}

/// A character that no word begins with.
fn stranger(character: char, start: usize) -> TextError {
    let mistake = TextError::new(
        start..start + character.len_utf8(),
        format!("unexpected character `{}`", shown(character)),
    )
    .label("has no meaning here");
    match character {
        '·' | '×' | '∙' | '⋅' => mistake.hint("write `*` for a product"),
        '÷' => mistake.hint("write `/` for a quotient"),
        '−' | '–' | '—' => mistake.hint("write `-` for minus"),
        '²' => mistake.hint("write `^2`"),
        '³' => mistake.hint("write `^3`"),
        '∂' => mistake.hint("write derivatives as `u_x`, `u_xx` or `d(u, x)`"),
        '∇' => mistake.hint("write `grad(u)`, `div(…)` or `laplacian(u)`"),
        '\'' => mistake.hint("write derivatives as `u_x` or `d(u, x)`"),
        '[' | ']' | '{' | '}' => mistake.hint("group with `(` and `)`"),
        '≤' => mistake.hint("write `<=`"),
        '≥' => mistake.hint("write `>=`"),
        '!' | '≠' => mistake.hint("compare with `<`, `<=`, `>` or `>=`"),
        '&' => mistake.hint("join conditions by `and`"),
        '∫' => mistake.hint("write `integral(u, x)`"),
        '|' => mistake.hint("write `abs(…)` for an absolute value"),
        '√' => mistake.hint("write `sqrt(…)`"),
        _ => mistake.hint("equations are made of numbers, names, `+ - * / ^ = ,` and parentheses"),
    }
}

fn double_equals(start: usize) -> TextError {
    TextError::new(start..start + 2, "an equation is written with one `=`").label("two `=`").hint("write `=`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind<'_>> {
        tokens(text).0.into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn numbers_in_all_spellings() {
        for (text, value) in [("1", 1.0), (".5", 0.5), ("1e-3", 1e-3), ("2.", 2.0), ("6.02E+23", 6.02e23)] {
            assert_eq!(kinds(text), [TokenKind::Number(value)], "{text}");
        }
    }

    #[test]
    fn a_name_after_a_number_is_a_word_of_its_own() {
        assert_eq!(kinds("2exp"), [TokenKind::Number(2.0), TokenKind::Name("exp")]);
        assert_eq!(kinds("2e+"), [TokenKind::Number(2.0), TokenKind::Name("e"), TokenKind::Plus]);
    }

    #[test]
    fn double_star_is_a_power() {
        assert_eq!(kinds("x**2"), kinds("x^2"));
    }

    #[test]
    fn strangers_are_reported_and_skipped() {
        let (tokens, mistakes) = tokens("u² · ν § .");
        assert_eq!(tokens.len(), 2);
        assert_eq!(mistakes.len(), 4);
    }
}
