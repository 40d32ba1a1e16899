//! Expressions in the notation that the parser reads, with as few parentheses as keep their structure: the text of an
//! expression reads back to the same [`Id`].

use super::Scope;
use super::function::CONSTANTS;
use super::graph::{Binary, Graph, Id, Leaf, Node, Unary};
use super::names::{self, Resolved};

/// How tightly the outermost operation binds, from loosest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    /// What may stand to the right of `*` or `/`.
    Factor,
    /// What may be raised to a power.
    Atom,
}

/// What is still to be written.
enum Piece {
    Text(String),
    /// An expression, in parentheses if it binds more loosely than this.
    Expression(Id, Binding),
}

use Piece::Expression;

/// Numbers with more digits than this are written by name where the scope has one for them.
const READABLE_DIGITS: usize = 6;

impl Graph {
    /// The expression in mathematical form, like `u_t + u*u_x - nu*u_xx`. Numbers of many digits appear under the name
    /// that the scope gives them; slots as `#0`, `#1`, ….
    pub fn display(&self, id: Id, scope: &Scope<'_>) -> String {
        let mut written = String::new();
        // A stack of our own, for sums may be long.
        let mut pending = vec![Expression(id, Binding::Sum)];
        while let Some(piece) = pending.pop() {
            match piece {
                Piece::Text(text) => written.push_str(&text),
                Expression(id, least) => {
                    let (binding, pieces) = self.pieces(id, scope);
                    let parenthesised = binding < least;
                    if parenthesised {
                        pending.push(text(")"));
                    }
                    pending.extend(pieces.into_iter().rev());
                    if parenthesised {
                        pending.push(text("("));
                    }
                }
            }
        }
        written
    }

    fn pieces(&self, id: Id, scope: &Scope<'_>) -> (Binding, Vec<Piece>) {
        match *self.node(id) {
            Node::Constant(value) => {
                let binding = if value < 0.0 { Binding::Product } else { Binding::Atom };
                (binding, vec![Piece::Text(number(value, scope))])
            }
            Node::Leaf(leaf) => (Binding::Atom, vec![Piece::Text(leaf_name(leaf, scope))]),
            Node::Unary(Unary::Negate, a) => {
                let least = if self.absorbs_minus(a) { Binding::Factor } else { Binding::Product };
                (Binding::Product, vec![text("-"), Expression(a, least)])
            }
            Node::Unary(Unary::Square, a) => {
                (Binding::Factor, vec![Expression(a, Binding::Atom), text("^2")])
            }
            Node::Unary(Unary::Power(n), a) => {
                (Binding::Factor, vec![Expression(a, Binding::Atom), Piece::Text(format!("^{n}"))])
            }
            Node::Unary(Unary::Function(function), a) => call(function.name(), &[a]),
            Node::Binary(binary, a, b) => self.binary_pieces(binary, a, b),
            Node::ColeHopf(arguments) => call("cole_hopf", &arguments),
            Node::Select(arguments) => call("where", &arguments),
            Node::Caputo { of, order, .. } => call("caputo", &[of, order]),
            Node::Integral { of, lower, upper, .. } => call("integral", &[of, lower, upper]),
        }
    }

    fn binary_pieces(&self, binary: Binary, a: Id, b: Id) -> (Binding, Vec<Piece>) {
        let (binding, left, sign, right) = match binary {
            Binary::Add => (Binding::Sum, Binding::Sum, " + ", Binding::Product),
            Binary::Subtract => (Binding::Sum, Binding::Sum, " - ", Binding::Product),
            Binary::Multiply => (Binding::Product, Binding::Product, "*", Binding::Factor),
            Binary::Divide => (Binding::Product, Binding::Product, "/", Binding::Factor),
            Binary::Power => (Binding::Factor, Binding::Atom, "^", self.exponent_binding(b)),
            Binary::Minimum => return call("min", &[a, b]),
            Binary::Maximum => return call("max", &[a, b]),
            Binary::Less => (Binding::Sum, Binding::Sum, " < ", Binding::Sum),
            Binary::LessEqual => (Binding::Sum, Binding::Sum, " <= ", Binding::Sum),
        };
        (binding, vec![Expression(a, left), text(sign), Expression(b, right)])
    }

    /// A negative number needs no parentheses as exponent.
    fn exponent_binding(&self, exponent: Id) -> Binding {
        if self.constant_value(exponent).is_some() { Binding::Sum } else { Binding::Factor }
    }

    /// Whether a minus before the text of this product would be taken by its first factor instead, a number (−2) or a
    /// difference (−(a − b) is b − a).
    fn absorbs_minus(&self, mut id: Id) -> bool {
        while let Node::Binary(Binary::Multiply | Binary::Divide, left, _) = *self.node(id) {
            id = left;
        }
        matches!(self.node(id), Node::Constant(_) | Node::Binary(Binary::Subtract, ..))
    }
}

fn text(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

fn call(name: &str, arguments: &[Id]) -> (Binding, Vec<Piece>) {
    let mut pieces = vec![Piece::Text(format!("{name}("))];
    for (index, &argument) in arguments.iter().enumerate() {
        if index > 0 {
            pieces.push(text(", "));
        }
        pieces.push(Expression(argument, Binding::Sum));
    }
    pieces.push(text(")"));
    (Binding::Atom, pieces)
}

/// The shortest digits that read back to the same number, or its name.
fn number(value: f64, scope: &Scope<'_>) -> String {
    let magnitude = format!("{:?}", value.abs());
    let magnitude = magnitude.strip_suffix(".0").unwrap_or(&magnitude).to_owned();
    let sign = if value < 0.0 { "-" } else { "" };
    let digits = magnitude.split('e').next().unwrap_or_default().bytes().filter(u8::is_ascii_digit).count();
    let name = (digits > READABLE_DIGITS).then(|| constant_name(value.abs(), scope)).flatten();
    format!("{sign}{}", name.unwrap_or(magnitude))
}

fn constant_name(value: f64, scope: &Scope<'_>) -> Option<String> {
    let own = scope.constants.iter().map(|(name, value)| (name.as_str(), *value));
    let is_it =
        |name: &str| matches!(names::resolve(name, 0, scope), Ok(Resolved::Constant(v)) if v == value);
    own.chain(CONSTANTS).map(|(name, _)| name).find(|name| is_it(name)).map(str::to_owned)
}

fn leaf_name(leaf: Leaf, scope: &Scope<'_>) -> String {
    let name = |names: &[String], index: usize, kind: &str| {
        names.get(index).cloned().unwrap_or_else(|| format!("{kind}{index}"))
    };
    match leaf {
        Leaf::Coordinate(index) => name(scope.coordinates, index, "coordinate"),
        Leaf::Unknown(index) => name(scope.unknowns, index, "unknown"),
        Leaf::Attribute(index) => format!("attribute{index}"),
        Leaf::Slot(index) => format!("#{index}"),
        Leaf::Jet { field, partial, .. } => {
            let field = name(scope.fields, field, "field");
            let by: Vec<_> =
                partial.coordinates().map(|c| name(scope.coordinates, c, "coordinate")).collect();
            let subscript = if by.is_empty() { field.clone() } else { format!("{field}_{}", by.concat()) };
            let reads_back =
                matches!(names::resolve(&subscript, 0, scope), Ok(Resolved::Leaf(l)) if l == leaf);
            if reads_back || by.is_empty() { subscript } else { format!("d({field}, {})", by.join(", ")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn mathematical_form() {
        #[rustfmt::skip]
        let table = [
            ("u_t + u*u_x - nu*u_xx",       "u_t + u*u_x - nu*u_xx"),
            ("u_t - (-u)",                  "u_t + u"),
            ("(u + v)*(u - v)",             "(u + v)*(u - v)"),
            ("u - (v - x)",                 "u - (v - x)"),
            ("(u*v)/x",                     "u*v/x"),
            ("u/(v*x)",                     "u/(v*x)"),
            ("-(u^2)",                      "-u^2"),
            ("(-u)^2",                      "(-u)^2"),
            ("(u^2)^3",                     "(u^2)^3"),
            ("u^-2",                        "u^-2"),
            ("2^-x",                        "2^(-x)"),
            ("x^0.3^2",                     "x^0.09"),
            ("u*2",                         "2*u"),
            ("-2*u*v",                      "-2*u*v"),
            ("-(2*u*v)",                    "-(2*u*v)"),
            ("sin(pi*x)",                   "sin(pi*x)"),
            ("1e-9*u + 1e30",               "1e-9*u + 1e30"),
            ("max(u, 0) - cole_hopf(x,t,nu)", "max(u, 0) - cole_hopf(x, t, nu)"),
            ("u_ttxx",                      "u_xxtt"),
        ];
        for (text, expected) in table {
            let mut graph = Graph::new();
            let id = oracle::parse(text, &mut graph);
            assert_eq!(graph.display(id, &oracle::scope()), expected, "{text}");
        }
    }

    #[test]
    fn ambiguous_subscripts_are_written_in_full() {
        let (coordinates, fields) = (["x".to_owned(), "xx".to_owned()], ["u".to_owned()]);
        let scope = Scope { coordinates: &coordinates, fields: &fields, ..Scope::default() };
        let mut graph = Graph::new();
        let partial = crate::derivative::Partial::new(&[0, 0]).unwrap();
        let id = graph.leaf(Leaf::Jet { field: 0, partial, site: super::super::HERE });
        assert_eq!(graph.display(id, &scope), "d(u, x, x)");
    }

    #[test]
    fn long_sums_do_not_exhaust_the_stack() {
        let mut graph = Graph::new();
        let text = vec!["x*u"; 50_000].join(" - ") + "+ sin(x)";
        let id = oracle::parse(&text, &mut graph);
        assert!(graph.display(id, &oracle::scope()).len() > 100_000);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn reads_back_to_the_same_id(text in oracle::any(5)) {
            let mut graph = Graph::new();
            let Some(id) = oracle::try_parse(&text, &mut graph) else { return Ok(()) };
            let shown = graph.display(id, &oracle::scope());
            prop_assert_eq!(oracle::try_parse(&shown, &mut graph), Some(id), "{} shown as {}", text, shown);
        }
    }
}
