//! The equation language: text → syntax tree → checked expression graph → flat tape.
//!
//! Between `spec`, which finds the texts in a problem file, and `problem`, which turns them into terms. Knows
//! nothing of networks, points or files: a [`Scope`] says which names exist, and the [`Tape`] leaves it to
//! its caller to fill in what they are worth.
//!
//! The notation is that of paper: numbers, names, `+ - * / ^` (or `**`), parentheses, [`Function`]s, `min`,
//! `max`, `pow`, and `pi`, `e`. Derivatives of fields are subscripts (`u_x`, `u_xxt`, `u_n` along the
//! normal), those of any expression `d(u^2/2, x)` or `d(u, x, t)`, `laplacian(u)`, `div(k*grad(u))`,
//! `dot(grad(u), grad(v))`. `where(x < 0.5 and t > 0, a, b)` chooses; `u(0, t)` is a field at another point;
//! `integral(u, x)`, `integral(u, t, 0, t)` and `caputo(u, t, 0.5)` sum over other points.
//! `cole_hopf(x, t, nu)` is the exact solution of Burgers' equation from −sin(πx).
//!
//! | stage | file |
//! | --- | --- |
//! | text → tokens → syntax tree | `lexer`, `parser` (`syntax_error`), `relation`, `ast` |
//! | names, arity, derivatives → graph | `check`, `names` (`subscript`), `value`, `call` |
//! | what can be called | `calculus`, `define`, `function`, `special` |
//! | places, shapes | `place`, `shapes` |
//! | graph: sharing, simplification | `graph`, `algebra`, `choice` |
//! | graph: derivative, linear part, hoisting, text | `differentiate`, `linear`, `hoist`, `display` |
//! | graph: symmetries, identities | `prolong`, `polynomial` |
//! | graph → tape, forward and reverse | `tape`, `columns` |

mod algebra;
mod ast;
mod calculus;
mod call;
mod check;
mod choice;
mod columns;
mod define;
mod differentiate;
mod display;
#[cfg(test)]
mod forms;
mod function;
#[cfg(test)]
mod fuzz;
mod graph;
mod hoist;
mod lexer;
mod linear;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod messages_forms;
mod names;
#[cfg(test)]
mod oracle;
mod parser;
mod place;
mod polynomial;
mod prolong;
mod relation;
mod scope;
mod shapes;
mod special;
mod subscript;
mod syntax_error;
mod tape;
mod text_error;
mod value;

pub use columns::Operand;
pub use define::definitions;
pub use differentiate::NotDifferentiable;
pub use function::Function;
pub use graph::{Binary, Graph, HERE, Id, Leaf, Node, Unary};
pub use names::derivative_of;
pub use place::{Place, place};
pub use prolong::Generator;
pub use relation::{Comparison, Relation};
pub use scope::{Definition, Scope};
pub use shapes::{ShapeExpression, shapes};
pub use tape::{Step, Tape};

use crate::diagnostic::{Diagnostic, Spanned};
use ast::{Ref, Syntax};
use check::{Allow, check};
use relation::Sides;
use text_error::{TextError, diagnostics};

/// What an equation `left = right` or an inequality says: left − right, and how it compares with zero. A
/// chain `0 <= u <= 1` says several.
///
/// `text.span` is that of the string's content. Where it is as long as the text, errors are placed to the
/// byte; otherwise (the source has escapes) they carry the whole span. An error without errors means that
/// the text uses a broken [`Definition`], which [`definitions`] has reported.
pub fn comparisons(
    text: &Spanned<String>,
    scope: &Scope<'_>,
    graph: &mut Graph,
) -> Result<Vec<Comparison>, Vec<Diagnostic>> {
    placed(text, |source| {
        let (syntax, pairs) = parser::equation(source)?;
        let checked = check(&syntax, scope, vec![Allow::Scope; syntax.len()], graph);
        let roots: Vec<Ref> = pairs.iter().flat_map(|sides| [sides.left, sides.right]).collect();
        let sides = checked.scalars(&roots)?;
        let compare = |(sides, pair): (&[Id], &Sides)| Comparison {
            difference: graph.sub(sides[0], sides[1]),
            relation: pair.relation,
        };
        Ok(sides.chunks_exact(2).zip(&pairs).map(compare).collect())
    })
}

/// The residual left − right of a text that is one equation; nothing of inequalities.
pub fn equality(
    text: &Spanned<String>,
    scope: &Scope<'_>,
    graph: &mut Graph,
) -> Result<Option<Id>, Vec<Diagnostic>> {
    let all = comparisons(text, scope, graph)?;
    Ok(all.first().filter(|one| !one.relation.is_inequality()).map(|one| one.difference))
}

/// The residual left − right of a text that is one equation.
#[cfg(test)]
pub(crate) fn equation(
    text: &Spanned<String>,
    scope: &Scope<'_>,
    graph: &mut Graph,
) -> Result<Id, Vec<Diagnostic>> {
    comparisons(text, scope, graph).map(|all| all[0].difference)
}

/// The value of an expression; the scope decides what may appear. Errors as in [`equality`].
pub fn expression(
    text: &Spanned<String>,
    scope: &Scope<'_>,
    graph: &mut Graph,
) -> Result<Id, Vec<Diagnostic>> {
    placed(text, |source| {
        let (syntax, root) = parser::expression(source)?;
        let checked = check(&syntax, scope, vec![Allow::Scope; syntax.len()], graph);
        checked.scalar(root)
    })
}

/// A finite number, written with constants only: `0.01/pi`.
pub fn number(text: &Spanned<String>, scope: &Scope<'_>) -> Result<f64, Vec<Diagnostic>> {
    placed(text, |source| {
        let (syntax, root) = parser::expression(source)?;
        let mut graph = Graph::new();
        let checked = check(&syntax, scope, vec![Allow::Constants; syntax.len()], &mut graph);
        let id = checked.scalar(root)?;
        constant(&graph, id, &syntax, root).map_err(|mistake| vec![mistake])
    })
}

/// Reads the text, and places the errors in its source.
fn placed<T>(
    text: &Spanned<String>,
    read: impl FnOnce(&str) -> Result<T, Vec<TextError>>,
) -> Result<T, Vec<Diagnostic>> {
    read(&text.value).map_err(|mistakes| diagnostics(mistakes, text))
}

fn constant(graph: &Graph, id: Id, syntax: &Syntax<'_>, at: Ref) -> Result<f64, TextError> {
    graph.constant_value(id).ok_or_else(|| {
        TextError::new(syntax.range(at), "this is not a constant")
            .label("has no fixed value")
            .hint("write it with numbers and constants")
    })
}
