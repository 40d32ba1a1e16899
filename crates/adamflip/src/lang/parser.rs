//! Tokens to syntax tree, by precedence climbing.
//!
//! From loosest to tightest: `or`, `and`, comparisons, `+ -`, `* / &`, unary minus, `^`. So `-x^2` is −(x²),
//! `2^-1` is one half, and `^` associates to the right. A chain `a < b < c` is `a < b and b < c`. A syntax
//! error ends the parse, for what follows it would be guesswork.

use std::ops::Range;

use super::ast::{Expression, Operator, Ref, Syntax};
use super::lexer::{self, Token, TokenKind};
use super::relation::{self, Relation, Sides};
use super::text_error::TextError;

/// Parentheses, powers and signs nest this deep at most, which bounds the parser's stack.
pub(super) const DEEPEST: usize = 200;

/// One condition of a place.
pub(super) enum Conjunct {
    /// `coordinate = value`; the tree's expressions of each side.
    Equal { left: Ref, right: Ref, left_part: Range<usize>, right_part: Range<usize> },
    /// A comparison or a name.
    Alone { root: Ref },
}

/// `expression`
pub(super) fn expression(text: &str) -> Result<(Syntax<'_>, Ref), Vec<TextError>> {
    parse(text, ("expression", "a value like `sin(pi*x)`"), |parser| {
        let root = parser.climb(SUM)?;
        parser.finish().map(|()| root)
    })
}

/// A value or a condition.
pub(super) fn definition(text: &str) -> Result<(Syntax<'_>, Ref), Vec<TextError>> {
    parse(text, ("definition", "a value like `exp(-x^2)`"), |parser| {
        let root = parser.any()?;
        parser.finish().map(|()| root)
    })
}

/// `plate - hole`
pub(super) fn shapes(text: &str) -> Result<(Syntax<'_>, Ref), Vec<TextError>> {
    parse(text, ("shape", "one like `plate - hole`"), |parser| {
        parser.shapes = true;
        let root = parser.climb(SUM)?;
        parser.finish().map(|()| root)
    })
}

/// How conditions are written that people call by a name.
#[rustfmt::skip]
const CONDITIONS: &[(&str, &str)] = &[
    ("periodic", "a periodic condition compares both ends: `on = \"x = 0\"` with `equation = [\"u = u(1, t)\", \"u_x = u_x(1, t)\"]`; \
                  or write `periodic = [\"x\"]` in [network]"),
    ("dirichlet", "write the value that the field has there: `u = 0`"),
    ("neumann", "write the slope along the outward normal: `u_n = 0`"),
    ("robin", "write the equation of value and slope: `u_n + k*u = 0`"),
    ("insulated", "write the slope along the outward normal: `u_n = 0`"),
    ("symmetric", "write the slope along the outward normal: `u_n = 0`"),
    ("noslip", "write every component of the velocity: `equation = [\"u = 0\", \"v = 0\"]`"),
];

/// What to write in place of a text without `=`.
fn without_equals(text: &str) -> String {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>().to_lowercase();
    let known = CONDITIONS.iter().find(|(name, _)| letters(text).starts_with(name));
    known.map_or_else(|| format!("write `{text} = 0`"), |(_, hint)| (*hint).to_owned())
}

/// `left = right`, `left >= right`, `lower <= middle <= upper`: a pair of sides for each sign.
pub(super) fn equation(text: &str) -> Result<(Syntax<'_>, Vec<Sides>), Vec<TextError>> {
    parse(text, ("equation", "one like `u_t = u_xx`"), |parser| {
        let sides = parser.sides(&without_equals(text.trim()))?;
        parser.finish().map(|()| sides)
    })
}

/// `coordinate = value and name and comparison …`
pub(super) fn place(text: &str) -> Result<(Syntax<'_>, Vec<Conjunct>), Vec<TextError>> {
    parse(text, ("place", "one like `t = 0`"), |parser| {
        let mut conjuncts = vec![parser.conjunct()?];
        while parser.take(TokenKind::And).is_some() {
            conjuncts.push(parser.conjunct()?);
        }
        parser.finish().map(|()| conjuncts)
    })
}

fn parse<'a, T>(
    text: &'a str,
    (what, example): (&str, &str),
    rule: impl FnOnce(&mut Parser<'a>) -> Result<T, TextError>,
) -> Result<(Syntax<'a>, T), Vec<TextError>> {
    let (tokens, mut mistakes) = lexer::tokens(text);
    if tokens.is_empty() && mistakes.is_empty() {
        let mistake = TextError::new(0..text.len(), format!("the {what} is empty")).label("nothing here");
        return Err(vec![mistake.hint(format!("write {example}"))]);
    }
    let mut parser = Parser { text, tokens, next: 0, shapes: false, depth: 0, syntax: Syntax::default() };
    match rule(&mut parser) {
        Ok(parsed) if mistakes.is_empty() => return Ok((parser.syntax, parsed)),
        // A skipped character leaves a hole, and an error beside it would only be its echo.
        Err(mistake) if mistakes.is_empty() => mistakes.push(mistake),
        _ => {}
    }
    Err(mistakes)
}

/// The tokens, and how far they are read.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) next: usize,
    /// Whether names are those of shapes, for the hints.
    pub(super) shapes: bool,
    depth: usize,
    syntax: Syntax<'a>,
}

/// How tightly an operator binds to its left and right operand.
fn operator(kind: TokenKind<'_>) -> Option<(Operator, u8, u8)> {
    Some(match kind {
        TokenKind::Or => (Operator::Or, 1, 2),
        TokenKind::And => (Operator::And, 3, 4),
        TokenKind::Less => (Operator::Less, COMPARISON, SUM),
        TokenKind::LessEqual => (Operator::LessEqual, COMPARISON, SUM),
        TokenKind::Greater => (Operator::Greater, COMPARISON, SUM),
        TokenKind::GreaterEqual => (Operator::GreaterEqual, COMPARISON, SUM),
        TokenKind::Plus => (Operator::Add, SUM, SUM + 1),
        TokenKind::Minus => (Operator::Subtract, SUM, SUM + 1),
        TokenKind::Star => (Operator::Multiply, 8, 9),
        TokenKind::Slash => (Operator::Divide, 8, 9),
        TokenKind::Ampersand => (Operator::Intersect, 8, 9),
        TokenKind::Caret => (Operator::Power, 11, SIGN),
        _ => return None,
    })
}

const COMPARISON: u8 = 5;
const SUM: u8 = 6;
/// Unary minus binds its operand tighter than products and looser than powers; an exponent may carry a sign.
const SIGN: u8 = 10;

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.next).cloned()
    }

    fn take(&mut self, kind: TokenKind<'a>) -> Option<Range<usize>> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.next += 1;
        Some(token.range)
    }

    /// A value or a condition.
    fn any(&mut self) -> Result<Ref, TextError> {
        self.climb(0)
    }

    /// Operands joined by operators that bind at least as tightly as `loosest`; all recursion comes through
    /// here.
    fn climb(&mut self, loosest: u8) -> Result<Ref, TextError> {
        if self.depth == DEEPEST {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let joined = self.joined(loosest);
        self.depth -= 1;
        joined
    }

    fn joined(&mut self, loosest: u8) -> Result<Ref, TextError> {
        let mut left = self.operand()?;
        // The right operand of the comparison just read, which the next one of a chain shares.
        let mut shared = None;
        while let Some(token) = self.peek()
            && let Some((operator, bind, bind_right)) = operator(token.kind)
            && bind >= loosest
        {
            self.next += 1;
            let right = self.climb(bind_right)?;
            let chained = shared.take().filter(|_| bind == COMPARISON);
            let operated = self.operate(operator, chained.unwrap_or(left), right);
            left = match chained {
                Some(_) => self.operate(Operator::And, left, operated),
                None => operated,
            };
            shared = (bind == COMPARISON).then_some(right);
        }
        Ok(left)
    }

    fn operate(&mut self, operator: Operator, left: Ref, right: Ref) -> Ref {
        let range = self.syntax.range(left).start..self.syntax.range(right).end;
        self.syntax.push(Expression::Operate(operator, left, right), range)
    }

    fn operand(&mut self) -> Result<Ref, TextError> {
        let Some(Token { kind, range }) = self.peek() else { return Err(self.missing_operand()) };
        if !matches!(
            kind,
            TokenKind::Number(_) | TokenKind::Name(_) | TokenKind::Open | TokenKind::Minus | TokenKind::Plus
        ) {
            return Err(self.missing_operand());
        }
        self.next += 1;
        let parsed = match kind {
            TokenKind::Number(value) => self.syntax.push(Expression::Number(value), range),
            TokenKind::Name(name) => self.name(name, range)?,
            TokenKind::Open => self.group(range)?,
            TokenKind::Minus => {
                let operand = self.climb(SIGN)?;
                let range = range.start..self.syntax.range(operand).end;
                self.syntax.push(Expression::Negate(operand), range)
            }
            _ => self.climb(SIGN)?,
        };
        self.refuse_neighbour().map(|()| parsed)
    }

    fn group(&mut self, open: Range<usize>) -> Result<Ref, TextError> {
        let inner = self.any()?;
        let close = self.close(&open)?;
        self.syntax.widen(inner, open.start..close.end);
        Ok(inner)
    }

    fn close(&mut self, open: &Range<usize>) -> Result<Range<usize>, TextError> {
        match self.take(TokenKind::Close) {
            Some(close) => Ok(close),
            None if self.peek().is_some_and(|token| token.kind == TokenKind::Comma) => Err(self.stray()),
            None if let Some(token) = self.peek() => Err(self.enclosed(&token)),
            None => {
                Err(TextError::new(open.clone(), "`(` is never closed").label("opened here").hint("add `)`"))
            }
        }
    }

    /// A name, or the call of a function.
    fn name(&mut self, name: &'a str, named_at: Range<usize>) -> Result<Ref, TextError> {
        let Some(open) = self.take(TokenKind::Open) else {
            return Ok(self.syntax.push(Expression::Name(name), named_at));
        };
        let mut arguments = Vec::new();
        let close = match self.take(TokenKind::Close) {
            Some(close) => close,
            None => {
                arguments.push(self.any()?);
                while self.take(TokenKind::Comma).is_some() {
                    arguments.push(self.any()?);
                }
                self.close(&open)?
            }
        };
        let range = named_at.start..close.end;
        Ok(self.syntax.push(Expression::Call { name, named_at, arguments }, range))
    }

    fn sides(&mut self, hint: &str) -> Result<Vec<Sides>, TextError> {
        let mut left = self.climb(SUM)?;
        let mut pairs = Vec::new();
        while let Some(relation) = self.relation(&pairs)? {
            let right = self.climb(SUM)?;
            pairs.push(Sides { left, relation, right });
            left = right;
        }
        if !pairs.is_empty() {
            return Ok(pairs);
        }
        Err(match self.peek() {
            Some(_) => self.stray(),
            None => TextError::new(self.syntax.range(left), "an equation needs `=`")
                .label("no `=` here")
                .hint(hint),
        })
    }

    /// The sign that stands next, of an equation or, once or several times, of inequalities.
    fn relation(&mut self, before: &[Sides]) -> Result<Option<Relation>, TextError> {
        let Some(token) = self.peek() else { return Ok(None) };
        if let Some(mistake) = relation::strict(&token) {
            return Err(mistake);
        }
        let Some(relation) = Relation::of(token.kind) else { return Ok(None) };
        let equation = |sides: &Sides| !sides.relation.is_inequality();
        if !before.is_empty() && (!relation.is_inequality() || before.iter().any(equation)) {
            return Err(self.stray());
        }
        self.next += 1;
        Ok(Some(relation))
    }

    fn conjunct(&mut self) -> Result<Conjunct, TextError> {
        let first = self.syntax.len();
        let left = self.climb(COMPARISON)?;
        if self.take(TokenKind::Equals).is_none() {
            return Ok(Conjunct::Alone { root: left });
        }
        let middle = self.syntax.len();
        let right = self.climb(SUM)?;
        let (left_part, right_part) = (first..middle, middle..self.syntax.len());
        Ok(Conjunct::Equal { left, right, left_part, right_part })
    }

    fn finish(&self) -> Result<(), TextError> {
        if self.next == self.tokens.len() { Ok(()) } else { Err(self.stray()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree written with all its parentheses.
    fn explicit(text: &str) -> String {
        let (syntax, root) = definition(text).unwrap();
        let mut written = Vec::new();
        for (_, expression) in syntax.iter() {
            let of = |operand: &Ref| -> &String { &written[operand.index()] };
            let next = match expression {
                Expression::Number(value) => value.to_string(),
                Expression::Name(name) => (*name).to_owned(),
                Expression::Negate(operand) => format!("(-{})", of(operand)),
                Expression::Operate(operator, left, right) => {
                    let signs = ["+", "-", "*", "/", "^", "<", "<=", ">", ">=", " and ", " or ", "&"];
                    let sign = signs[*operator as usize];
                    format!("({}{sign}{})", of(left), of(right))
                }
                Expression::Call { name, arguments, .. } => {
                    format!("{name}({})", arguments.iter().map(of).cloned().collect::<Vec<_>>().join(","))
                }
            };
            written.push(next);
        }
        written[root.index()].clone()
    }

    #[test]
    fn precedence_table() {
        #[rustfmt::skip]
        let table = [
            ("a+b*c",       "(a+(b*c))"),
            ("a*b+c",       "((a*b)+c)"),
            ("a-b-c",       "((a-b)-c)"),
            ("a-(b-c)",     "(a-(b-c))"),
            ("a/b/c",       "((a/b)/c)"),
            ("a/b*c",       "((a/b)*c)"),
            ("a^b^c",       "(a^(b^c))"),
            ("a**b**c",     "(a^(b^c))"),
            ("(a^b)^c",     "((a^b)^c)"),
            ("-x^2",        "(-(x^2))"),
            ("(-x)^2",      "((-x)^2)"),
            ("-x*y",        "((-x)*y)"),
            ("2^-1",        "(2^(-1))"),
            ("2^-x^2",      "(2^(-(x^2)))"),
            ("2^-x*y",      "((2^(-x))*y)"),
            ("a*-b",        "(a*(-b))"),
            ("a--b",        "(a-(-b))"),
            ("+a",          "a"),
            ("a*b^c",       "(a*(b^c))"),
            ("-a-b",        "((-a)-b)"),
            ("sin(a)^2",    "(sin(a)^2)"),
            ("min(a+b,-c)", "min((a+b),(-c))"),
            ("d(u*v, x)",   "d((u*v),x)"),
            ("a+b<c*d",     "((a+b)<(c*d))"),
            ("a<b and c>=d or e<f", "(((a<b) and (c>=d)) or (e<f))"),
            ("a or b and c", "(a or (b and c))"),
            ("a<b<c",       "((a<b) and (b<c))"),
            ("a<b<=c>d",    "(((a<b) and (b<=c)) and (c>d))"),
            ("(a<b)<c",     "((a<b)<c)"),
            ("a<b and b<c", "((a<b) and (b<c))"),
            ("a+b&c-d",     "((a+(b&c))-d)"),
        ];
        for (text, expected) in table {
            assert_eq!(explicit(text), expected, "{text}");
        }
    }

    #[test]
    fn depth_is_limited_and_length_is_not() {
        // A long chain of products and differences nests nowhere.
        let long = vec!["x*y"; 100_000].join("-");
        let deep = |n: usize| format!("{}x{}", "(".repeat(n), ")".repeat(n));
        assert!(expression(&deep(DEEPEST - 1)).is_ok());
        for text in [deep(100_000), "-".repeat(100_000), "x^".repeat(100_000), "sin(".repeat(100_000)] {
            assert!(expression(&text).is_err());
        }
        assert!(expression(&long).is_ok());
    }

    #[test]
    fn sides_and_places() {
        let relations = |text| -> Vec<Relation> {
            equation(text).unwrap().1.iter().map(|sides| sides.relation).collect()
        };
        assert_eq!(relations("u_t + u*u_x = nu*u_xx"), [Relation::Equal]);
        assert_eq!(relations("u >= psi"), [Relation::AtLeast]);
        assert_eq!(relations("0 <= u <= 1"), [Relation::AtMost; 2]);
        // Comparisons in parentheses are conditions of a choice.
        assert_eq!(relations("u = where(x < 0.5, 1, 2)"), [Relation::Equal]);
        assert_eq!(place("x = 0 and t = 2*pi").unwrap().1.len(), 2);
    }
}
