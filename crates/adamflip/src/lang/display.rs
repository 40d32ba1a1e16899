//! Expressions in the notation that the parser reads, with as few parentheses as keep their structure: the
//! text of an expression reads back to the same [`Id`] (but for names that the scope does not have, and texts
//! too long to be read).

use super::Scope;
use super::function::CONSTANTS;
use super::graph::{Binary, Graph, HERE, Id, Leaf, Node, Unary};
use super::names::{self, Resolved};

/// How tightly the outermost operation binds, from loosest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    /// `or`
    Either,
    /// `and`
    Both,
    Comparison,
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
    /// The same for a condition.
    Condition(Id, Binding),
}

use Piece::{Condition, Expression};

/// Where a text ends with `…`: shared parts are written each time, so that it can be exponentially longer
/// than its graph.
const LONGEST: usize = 1_000_000;

/// Numbers with more digits than this are written by name where the scope has one for them.
const READABLE_DIGITS: usize = 6;

impl Graph {
    /// The expression in mathematical form, like `u_t + u*u_x - nu*u_xx`. Numbers of many digits appear under
    /// the name that the scope gives them; slots as `#0`, `#1`, ….
    pub fn display(&self, id: Id, scope: &Scope<'_>) -> String {
        let mut written = String::new();
        // A stack of our own, for sums may be long.
        let mut pending = match self.is_condition(id) {
            true => vec![Condition(id, Binding::Either)],
            false => vec![Expression(id, Binding::Sum)],
        };
        while let Some(piece) = pending.pop() {
            if written.len() > LONGEST {
                written.push('…');
                break;
            }
            let ((binding, pieces), least) = match piece {
                Piece::Text(text) => {
                    written.push_str(&text);
                    continue;
                }
                Expression(id, least) => (self.pieces(id, scope), least),
                Condition(id, least) => (self.condition_pieces(id, scope), least),
            };
            let parenthesised = binding < least;
            if parenthesised {
                pending.push(text(")"));
            }
            pending.extend(pieces.into_iter().rev());
            if parenthesised {
                pending.push(text("("));
            }
        }
        written
    }

    /// Whether the smaller or larger of several is that of comparisons.
    fn is_condition(&self, mut id: Id) -> bool {
        while let Node::Binary(Binary::Minimum | Binary::Maximum, left, _) = *self.node(id) {
            id = left;
        }
        matches!(self.node(id), Node::Binary(Binary::Less | Binary::LessEqual, ..))
    }

    fn condition_pieces(&self, id: Id, scope: &Scope<'_>) -> (Binding, Vec<Piece>) {
        let (binding, left, sign, right) = match *self.node(id) {
            Node::Binary(Binary::Minimum, a, b) => {
                (Binding::Both, Condition(a, Binding::Both), " and ", Condition(b, Binding::Comparison))
            }
            Node::Binary(Binary::Maximum, a, b) => {
                (Binding::Either, Condition(a, Binding::Either), " or ", Condition(b, Binding::Both))
            }
            _ => return self.pieces(id, scope),
        };
        (binding, vec![left, text(sign), right])
    }

    fn pieces(&self, id: Id, scope: &Scope<'_>) -> (Binding, Vec<Piece>) {
        match *self.node(id) {
            Node::Constant(value) => {
                let binding = if value < 0.0 { Binding::Product } else { Binding::Atom };
                (binding, vec![Piece::Text(number(value, scope))])
            }
            Node::Leaf(leaf) => self.leaf_pieces(leaf, scope),
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
            Node::Select(arguments) => self.choice_pieces(arguments),
            Node::Caputo { of, order, by } => {
                let by = Piece::Text(coordinate_name(by, scope));
                arguments("caputo", vec![sum(of), by, sum(order)])
            }
            Node::Integral { of, lower, upper, by } => {
                let by = Piece::Text(coordinate_name(by, scope));
                let mut written = vec![sum(of), by, sum(lower), sum(upper)];
                if let [Node::Leaf(Leaf::Coordinate(a)), Node::Leaf(Leaf::Coordinate(b))] =
                    [*self.node(lower), *self.node(upper)]
                    && a != b
                {
                    // Three bare coordinates are integrated over, not limits.
                    written[3] = Piece::Text(format!("{} + 0", coordinate_name(b, scope)));
                }
                arguments("integral", written)
            }
        }
    }

    /// `where(condition, a, condition, b, otherwise)`
    fn choice_pieces(&self, [condition, yes, mut no]: [Id; 3]) -> (Binding, Vec<Piece>) {
        let mut written = vec![Condition(condition, Binding::Either), sum(yes)];
        while let Node::Select([condition, yes, otherwise]) = *self.node(no) {
            written.extend([Condition(condition, Binding::Either), sum(yes)]);
            no = otherwise;
        }
        written.push(sum(no));
        arguments("where", written)
    }

    /// A name, with its point where that is not the point itself.
    fn leaf_pieces(&self, leaf: Leaf, scope: &Scope<'_>) -> (Binding, Vec<Piece>) {
        match leaf {
            Leaf::Jet { field, site, partial } if site != HERE => {
                let name = leaf_name(Leaf::Jet { field, site: HERE, partial }, scope);
                let place = self.site_coordinates(site).iter().enumerate();
                let own = place.filter(|&(coordinate, _)| scope.depends(field, coordinate));
                arguments(&name, own.map(|(_, &id)| sum(id)).collect())
            }
            _ => (Binding::Atom, vec![Piece::Text(leaf_name(leaf, scope))]),
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
            Binary::Less => (Binding::Comparison, Binding::Sum, " < ", Binding::Sum),
            Binary::LessEqual => (Binding::Comparison, Binding::Sum, " <= ", Binding::Sum),
        };
        (binding, vec![Expression(a, left), text(sign), Expression(b, right)])
    }

    /// A negative number needs no parentheses as exponent.
    fn exponent_binding(&self, exponent: Id) -> Binding {
        if self.constant_value(exponent).is_some() { Binding::Sum } else { Binding::Factor }
    }

    /// Whether a minus before the text of this product would be taken by its first factor instead, a number
    /// (−2) or a difference (−(a − b) is b − a).
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

/// An argument, a summand at the end of a text: whatever needs no parentheses.
fn sum(id: Id) -> Piece {
    Expression(id, Binding::Sum)
}

fn call(name: &str, ids: &[Id]) -> (Binding, Vec<Piece>) {
    arguments(name, ids.iter().map(|&id| sum(id)).collect())
}

fn arguments(name: &str, arguments: Vec<Piece>) -> (Binding, Vec<Piece>) {
    let mut pieces = vec![Piece::Text(format!("{name}("))];
    for (index, argument) in arguments.into_iter().enumerate() {
        if index > 0 {
            pieces.push(text(", "));
        }
        pieces.push(argument);
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

fn name_of(names: &[String], index: usize, kind: &str) -> String {
    names.get(index).cloned().unwrap_or_else(|| format!("{kind}{index}"))
}

fn coordinate_name(coordinate: usize, scope: &Scope<'_>) -> String {
    name_of(scope.coordinates, coordinate, "coordinate")
}

fn leaf_name(leaf: Leaf, scope: &Scope<'_>) -> String {
    match leaf {
        Leaf::Coordinate(index) => coordinate_name(index, scope),
        Leaf::Unknown(index) => name_of(scope.unknowns, index, "unknown"),
        Leaf::Attribute(index) => name_of(scope.attributes, index, "attribute"),
        Leaf::Slot(index) => format!("#{index}"),
        Leaf::Jet { field, partial, .. } => {
            let field = name_of(scope.fields, field, "field");
            let by: Vec<_> = partial.coordinates().map(|c| coordinate_name(c, scope)).collect();
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
    fn conditions_points_and_sums_over_points() {
        #[rustfmt::skip]
        let table = [
            ("where(x > 0.5, u, v)",                 "where(0.5 < x, u, v)"),
            ("where(0 < x <= 1 and (t < 1 or u > v), 1, 2)", "where(0 < x and x <= 1 and (t < 1 or v < u), 1, 2)"),
            ("where(x < 0, 1, where(x < 1, 2, 3))",  "where(x < 0, 1, x < 1, 2, 3)"),
            ("u(2*pi, t, y) - u_xt(0, t, -y)",       "u(6.283185307179586, t, y) - u_xt(0, t, -y)"),
            ("u(pi, t, y)*k(0)",                     "u(pi, t, y)*k(0)"),
            ("caputo(u^2, t, kappa/2)",              "caputo(u^2, t, kappa/2)"),
            ("integral(u, x)",                       "integral(u, x, -1, 1)"),
            ("integral(u, t, 0, t)",                 "integral(u, t, 0, t)"),
            ("integral(u, x, y + 0, t)",             "integral(u, x, y, t + 0)"),
            ("u_n - flux",                           "n_x*u_x + n_y*u_y - flux"),
        ];
        for (text, expected) in table {
            let mut graph = Graph::new();
            let id = oracle::parse_rich(text, &mut graph);
            assert_eq!(graph.display(id, &oracle::rich()), expected, "{text}");
            assert_eq!(oracle::parse_rich(expected, &mut graph), id, "{text}");
        }
    }

    #[test]
    fn endless_texts_are_cut() {
        let mut graph = Graph::new();
        let id = oracle::parse_rich(
            &(0..30).fold("u".to_owned(), |inner, _| format!("twin({inner})")),
            &mut graph,
        );
        assert!(graph.len() < 200);
        assert!(graph.display(id, &oracle::rich()).ends_with('…'));
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

        #[test]
        fn new_forms_read_back_too(text in oracle::rich_text(4)) {
            let mut graph = Graph::new();
            let read = |text: &str, graph: &mut Graph| super::super::expression(&oracle::spanned(text), &oracle::rich(), graph).ok();
            let Some(id) = read(&text, &mut graph) else { return Ok(()) };
            let shown = graph.display(id, &oracle::rich());
            prop_assert_eq!(read(&shown, &mut graph), Some(id), "{} shown as {}", text, shown);
        }
    }
}
