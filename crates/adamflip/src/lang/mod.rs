//! The equation language: text → syntax tree → checked expression graph → flat tape.
//!
//! Between `spec`, which finds the texts in a problem file, and `problem`, which turns them into terms. Knows
//! nothing of networks, points or files: a [`Scope`] says which names exist, and the [`Tape`] leaves it to its caller to fill
//! in what they are worth.
//!
//! The notation is that of paper: numbers, names, `+ - * / ^` (or `**`), parentheses, [`Function`]s, `min`, `max`,
//! `pow`, and `pi`, `e`. Derivatives of fields are subscripts (`u_x`, `u_xxt`), those of any expression `d(u^2/2, x)` or
//! `d(u, x, t)`. `cole_hopf(x, t, nu)` is the exact solution of Burgers' equation from −sin(πx).
//!
//! | stage | file |
//! | --- | --- |
//! | text → tokens → syntax tree | `lexer`, `parser` (`refusal`), `ast` |
//! | names, arity, derivatives → graph | `check`, `names` (`subscript`), `function`, `special` |
//! | graph: sharing, simplification | `graph`, `algebra` |
//! | graph: derivative, linear part, hoisting, text | `differentiate`, `linear`, `hoist`, `display` |
//! | graph → tape, forward and reverse | `tape`, `columns` |

mod algebra;
mod ast;
mod check;
mod columns;
mod differentiate;
mod display;
mod function;
mod graph;
mod hoist;
mod lexer;
mod linear;
#[cfg(test)]
mod messages;
mod mistake;
mod names;
#[cfg(test)]
mod oracle;
mod parser;
mod refusal;
mod special;
mod subscript;
mod tape;

pub use differentiate::NotDifferentiable;
pub use function::Function;
pub use graph::{Binary, Graph, HERE, Id, Leaf, Node, Unary};
pub use tape::Tape;

use crate::diagnostic::{Diagnostic, Spanned};
use ast::{Expression, Ref, Syntax};
use check::{Allow, Checked, check};
use mistake::{Mistake, diagnostics, list};

/// The names that may appear in a text. Leaves refer to them by position.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'a> {
    /// Coordinates, by which one differentiates.
    pub coordinates: &'a [String],
    /// Fields, which a network represents.
    pub fields: &'a [String],
    /// Unknowns of an inverse problem.
    pub unknowns: &'a [String],
    /// Named numbers.
    pub constants: &'a [(String, f64)],
}

/// The residual left − right of an equation `left = right`.
///
/// `text.span` is that of the string's content. Where it is as long as the text, mistakes are placed to the byte;
/// otherwise (the source has escapes) they carry the whole span.
pub fn equation(text: &Spanned<String>, scope: &Scope<'_>, graph: &mut Graph) -> Result<Id, Vec<Diagnostic>> {
    placed(text, |source| {
        let (syntax, (left, right)) = parser::equation(source)?;
        let checked = check(&syntax, scope, Allow::Scope, graph);
        let [left, right] = complete(checked, [left, right])?;
        Ok(graph.sub(left, right))
    })
}

/// The value of an expression; the scope decides what may appear.
pub fn expression(
    text: &Spanned<String>,
    scope: &Scope<'_>,
    graph: &mut Graph,
) -> Result<Id, Vec<Diagnostic>> {
    placed(text, |source| {
        let (syntax, root) = parser::expression(source)?;
        let checked = check(&syntax, scope, Allow::Scope, graph);
        complete(checked, [root]).map(|[id]| id)
    })
}

/// A finite number, written with constants only: `0.01/pi`.
pub fn number(text: &Spanned<String>, scope: &Scope<'_>) -> Result<f64, Vec<Diagnostic>> {
    placed(text, |source| {
        let (syntax, root) = parser::expression(source)?;
        let mut graph = Graph::new();
        let checked = check(&syntax, scope, Allow::Constants, &mut graph);
        let [id] = complete(checked, [root])?;
        constant(&graph, id, &syntax, root).map_err(|mistake| vec![mistake])
    })
}

/// The coordinates that a place fixes and their values: `t = 0`, `x = 0 and t = 2*pi`.
pub fn place(text: &Spanned<String>, scope: &Scope<'_>) -> Result<Vec<(usize, f64)>, Vec<Diagnostic>> {
    placed(text, |source| {
        let (syntax, sides) = parser::place(source)?;
        let mut graph = Graph::new();
        let checked = check(&syntax, scope, Allow::Constants, &mut graph);
        places(&syntax, &sides, &checked, scope, &graph)
    })
}

/// Reads the text, and places the mistakes in its source.
fn placed<T>(
    text: &Spanned<String>,
    read: impl FnOnce(&str) -> Result<T, Vec<Mistake>>,
) -> Result<T, Vec<Diagnostic>> {
    read(&text.value).map_err(|mistakes| diagnostics(mistakes, text))
}

/// The roots' ids, or the mistakes in between.
fn complete<const N: usize>(checked: Checked, roots: [Ref; N]) -> Result<[Id; N], Vec<Mistake>> {
    let ids: Option<Vec<Id>> = roots.iter().map(|&root| checked.id(root)).collect();
    match ids.and_then(|ids| ids.try_into().ok()) {
        Some(ids) if checked.mistakes.is_empty() => Ok(ids),
        _ => Err(checked.mistakes),
    }
}

fn constant(graph: &Graph, id: Id, syntax: &Syntax<'_>, at: Ref) -> Result<f64, Mistake> {
    graph
        .constant_value(id)
        .ok_or_else(|| Mistake::new(syntax.range(at), "this is not a constant").label("has no fixed value"))
}

fn places(
    syntax: &Syntax<'_>,
    sides: &[parser::Sides],
    checked: &Checked,
    scope: &Scope<'_>,
    graph: &Graph,
) -> Result<Vec<(usize, f64)>, Vec<Mistake>> {
    // The left sides are names of coordinates, not values: what was said of them as values does not count.
    let on_a_left = |mistake: &Mistake| sides.iter().any(|side| mistake.is_within(&syntax.range(side.0)));
    let mut mistakes: Vec<_> =
        checked.mistakes.iter().filter(|mistake| !on_a_left(mistake)).cloned().collect();
    let mut pairs: Vec<(usize, f64)> = Vec::new();
    for &(left, right) in sides {
        let coordinate = match placed_coordinate(syntax, left, scope) {
            Ok(coordinate) => coordinate,
            Err(mistake) => {
                mistakes.push(mistake);
                continue;
            }
        };
        if pairs.iter().any(|pair| pair.0 == coordinate) {
            mistakes.push(twice(syntax, left, &scope.coordinates[coordinate]));
        }
        let value = checked.id(right).map(|id| constant(graph, id, syntax, right));
        match value {
            Some(Ok(value)) => pairs.push((coordinate, value)),
            Some(Err(mistake)) => mistakes.push(mistake),
            None => {}
        }
    }
    if mistakes.is_empty() { Ok(pairs) } else { Err(mistakes) }
}

fn placed_coordinate(syntax: &Syntax<'_>, left: Ref, scope: &Scope<'_>) -> Result<usize, Mistake> {
    let found = match syntax.expression(left) {
        Expression::Name(name) => scope.coordinates.iter().position(|coordinate| coordinate == name),
        _ => None,
    };
    found.ok_or_else(|| {
        Mistake::new(syntax.range(left), "a place fixes a coordinate")
            .label("not a coordinate")
            .hint(format!("the coordinates are {}", list(scope.coordinates)))
    })
}

fn twice(syntax: &Syntax<'_>, left: Ref, name: &str) -> Mistake {
    Mistake::new(syntax.range(left), format!("`{name}` is fixed twice"))
        .label("second value")
        .hint("write several places as a list")
}
