//! Inequalities and complementarity as residuals.
//!
//! An inequality is brought to g ≤ 0: `u >= psi` is g = psi − u. What is violated of it is g⁺ = max(g, 0),
//! which the losses, tolerances and the certificate see; the methods that meet constraints one by one see g
//! and its sign.
//!
//! Complementarity 0 ≤ a ⊥ 0 ≤ b is the equation φ(a, b) = 0 with the function of Fischer and Burmeister,
//!
//! φ(a, b) = a + b − √(a² + b² + ε²),    (2 − √2)·|min(a, b)| ≤ |φ(a, b)| ≤ (2 + √2)·|min(a, b)| for ε = 0.
//!
//! It vanishes where a ≥ 0, b ≥ 0 and ab = ε²/2. Its square has a continuous gradient even at a = b = 0; its
//! own has none there, which ε mends: with ε = 1e-15 the product ab is 5e-31, far below rounding of a
//! network, and no slope is above 2.
//!
//! Reference: A. Fischer, A special Newton-type optimization method, Optimization 24, 1992.

use crate::diagnostic::{Diagnostic, Spanned};
use crate::lang::{self, Comparison, Function, Graph, Id, Relation, Scope};

/// ε².
const SMOOTHING: f64 = 1e-30;

/// A residual, and how it is written for people.
pub(super) struct Written {
    pub(super) residual: Id,
    pub(super) is_inequality: bool,
    pub(super) text: String,
}

impl Written {
    /// An equation or an inequality.
    pub(super) fn comparison(comparison: Comparison, graph: &mut Graph, scope: &Scope<'_>) -> Self {
        let Comparison { difference, relation } = comparison;
        let residual = if relation == Relation::AtLeast { graph.neg(difference) } else { difference };
        let text = format!("{} {} 0", graph.display(difference, scope), relation.sign());
        Self { residual, is_inequality: relation.is_inequality(), text }
    }

    /// 0 ≤ a ⊥ 0 ≤ b.
    fn complement([a, b]: [Id; 2], graph: &mut Graph, scope: &Scope<'_>) -> Self {
        let text = format!("min({}, {}) = 0", graph.display(a, scope), graph.display(b, scope));
        Self { residual: fischer_burmeister(graph, a, b), is_inequality: false, text }
    }
}

/// φ(a, b).
fn fischer_burmeister(graph: &mut Graph, a: Id, b: Id) -> Id {
    let squares = [graph.square(a), graph.square(b), graph.constant(SMOOTHING)];
    let inner = squares.into_iter().reduce(|sum, square| graph.add(sum, square));
    let root = inner.map(|inner| graph.function(Function::Sqrt, inner));
    let sum = graph.add(a, b);
    root.map_or(sum, |root| graph.sub(sum, root))
}

/// What the two texts of `complement` say.
pub(super) fn complement(
    texts: &[Spanned<String>; 2],
    scope: &Scope<'_>,
    graph: &mut Graph,
) -> Result<Written, Vec<Diagnostic>> {
    let [a, b] = texts.each_ref().map(|text| lang::expression(text, scope, graph));
    match (a, b) {
        (Ok(a), Ok(b)) => Ok(Written::complement([a, b], graph, scope)),
        (a, b) => Err([a.err(), b.err()].into_iter().flatten().flatten().collect()),
    }
}

/// The refusal of equations and inequalities in one term: its multipliers have one sign or any.
pub(super) fn mixed(texts: &[Spanned<String>], written: &[Vec<Written>]) -> Option<Diagnostic> {
    let is_inequality = |said: &Vec<Written>| said.iter().any(|written| written.is_inequality);
    let equation = written.iter().position(|said| !is_inequality(said))?;
    let inequality = written.iter().position(is_inequality)?;
    let message = "a term has equations or inequalities, not both";
    Some(
        Diagnostic::new(texts[equation.max(inequality)].span, message)
            .label("not like those before it")
            .hint("give the inequalities a term of their own, with the same `on`"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::{Leaf, Tape};

    /// φ and its slopes at (a, b).
    fn φ(a: f64, b: f64) -> [f64; 3] {
        let mut graph = Graph::new();
        let [x, y] = [0, 1].map(|i| graph.leaf(Leaf::Unknown(i)));
        let id = fischer_burmeister(&mut graph, x, y);
        let tape = Tape::lower(&graph, &[id]);
        let mut values = vec![0.0; tape.registers()];
        values[..2].copy_from_slice(&[a, b]);
        tape.forward(&mut values, 1);
        let mut adjoints = vec![0.0; tape.registers()];
        adjoints[tape.outputs()[0]] = 1.0;
        tape.reverse(&values, &mut adjoints, 1);
        [values[tape.outputs()[0]], adjoints[0], adjoints[1]]
    }

    #[test]
    fn the_function_vanishes_exactly_where_both_complement_each_other() {
        for (a, b) in [(0.0, 2.0), (3.0, 0.0), (1e-9, 0.0), (0.0, 0.0)] {
            assert!(φ(a, b)[0].abs() < 2e-15, "{a} {b}: {:?}", φ(a, b));
        }
        // As large as the smaller of both to a factor, and of its sign.
        for (a, b) in [(1.0, 2.0), (-1.0, 2.0), (-3.0, -1e-3), (1e-6, 5.0), (-1e-6, 5.0)] {
            let (value, smaller) = (φ(a, b)[0], f64::min(a, b));
            let (least, most) = (2.0 - 2.0f64.sqrt(), 2.0 + 2.0f64.sqrt());
            assert!(value.signum() == smaller.signum(), "{a} {b}");
            let ratio = (value / smaller).abs();
            assert!(ratio >= least * (1.0 - 1e-9) && ratio <= most * (1.0 + 1e-9), "{a} {b}: {ratio}");
        }
    }

    #[test]
    fn its_slopes_are_those_of_differences_and_bounded_at_the_corner() {
        for (a, b) in [(1.0, 2.0), (-1.0, 0.5), (0.3, -0.7), (1e-3, 2.0)] {
            let [_, along_a, along_b] = φ(a, b);
            // Central differences err by the square of 1e-6 over the radius, and by rounding 1e-16/1e-6.
            let difference = |f: &dyn Fn(f64) -> f64| (f(1e-6) - f(-1e-6)) / 2e-6;
            assert!((along_a - difference(&|h| φ(a + h, b)[0])).abs() < 1e-8, "{a} {b}");
            assert!((along_b - difference(&|h| φ(a, b + h)[0])).abs() < 1e-8, "{a} {b}");
        }
        assert_eq!(φ(0.0, 0.0)[1..], [1.0, 1.0]);
    }
}
