//! Places: where the points of a term lie. `x = 0 and 0 < y < 1 and plate`.

use super::ast::{Expression, Operator, Ref, Syntax};
use super::check::{Allow, Frame, check};
use super::graph::{Graph, Id, Leaf};
use super::names::{self, Resolved};
use super::parser::{self, Conjunct};
use super::text_error::{TextError, diagnostics, list, placed_span};
use super::value::Value;
use super::{Scope, constant};
use crate::diagnostic::{Diagnostic, Span, Spanned};

/// A conjunction of what the points of a place satisfy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// Coordinates with their values: `x = 0`.
    pub fixed: Vec<(usize, f64)>,
    /// Coordinates with their lower and upper bounds: `x < 0.5`, `0 < x < 1`; each at most once.
    pub ranges: Vec<(usize, Option<f64>, Option<f64>)>,
    /// All other comparisons, 1 where they hold.
    pub conditions: Vec<Id>,
    /// Names of shapes, and `boundary`, where they stand.
    pub names: Vec<(String, Span)>,
}

/// Reads a place; its conditions are made in the graph. Errors as in [`super::equality`].
pub fn place(text: &Spanned<String>, scope: &Scope<'_>, graph: &mut Graph) -> Result<Place, Vec<Diagnostic>> {
    let (syntax, conjuncts) = parser::place(&text.value).map_err(|mistakes| diagnostics(mistakes, text))?;
    let names: Vec<Ref> =
        conjuncts.iter().filter_map(|conjunct| shape_name(&syntax, conjunct, scope)).collect();
    let mut allow = vec![Allow::Scope; syntax.len()];
    for conjunct in &conjuncts {
        if let Conjunct::Equal { left_part, right_part, .. } = conjunct {
            allow[left_part.clone()].fill(Allow::Word);
            allow[right_part.clone()].fill(Allow::Constants);
        }
    }
    names.iter().for_each(|name| allow[name.index()] = Allow::Word);
    let checked = check(&syntax, scope, allow, graph);
    let mut reading =
        Reading { checked, scope, graph, place: Place::default(), mistakes: Vec::new(), hole: false };
    for conjunct in &conjuncts {
        match *conjunct {
            Conjunct::Equal { left, right, .. } => reading.equality(left, right),
            Conjunct::Alone { root } if names.contains(&root) => {
                if let Expression::Name(name) = syntax.expression(root) {
                    reading
                        .place
                        .names
                        .push(((*name).to_owned(), placed_span(syntax.bare_range(root), text)));
                }
            }
            Conjunct::Alone { root } => reading.alone(root),
        }
    }
    let Reading { checked, place, mut mistakes, hole, .. } = reading;
    mistakes.extend(checked.mistakes);
    if mistakes.is_empty() && !hole { Ok(place) } else { Err(diagnostics(mistakes, text)) }
}

/// A name that stands alone and has no meaning of its own as a value.
fn shape_name(syntax: &Syntax<'_>, conjunct: &Conjunct, scope: &Scope<'_>) -> Option<Ref> {
    let Conjunct::Alone { root } = conjunct else { return None };
    let Expression::Name(name) = syntax.expression(*root) else { return None };
    let has_value = scope.coordinates.iter().any(|coordinate| coordinate == name)
        || scope.definitions.iter().any(|definition| definition.name == *name);
    (!has_value).then_some(*root)
}

struct Reading<'r, 's> {
    checked: Frame<'r>,
    scope: &'r Scope<'s>,
    graph: &'r Graph,
    place: Place,
    mistakes: Vec<TextError>,
    /// Whether something had no meaning, for a reason already known.
    hole: bool,
}

impl Reading<'_, '_> {
    /// `coordinate = value`
    fn equality(&mut self, left: Ref, right: Ref) {
        let range = self.checked.syntax.range(left);
        let Some(coordinate) = self.coordinate(left) else {
            return self.mistakes.push(
                TextError::new(range, "a place fixes a coordinate")
                    .label("not a coordinate")
                    .hint(format!("the coordinates are {}", list(self.scope.coordinates))),
            );
        };
        if self.place.fixed.iter().any(|pair| pair.0 == coordinate) {
            self.mistakes.push(
                TextError::new(range, format!("`{}` is fixed twice", self.scope.coordinates[coordinate]))
                    .label("second value")
                    .hint("write several places as a list"),
            );
        }
        match self.value(right) {
            Ok(Some(value)) => self.place.fixed.push((coordinate, value)),
            Ok(None) => self.hole = true,
            Err(mistake) => self.mistakes.push(mistake),
        }
    }

    fn coordinate(&self, at: Ref) -> Option<usize> {
        match self.checked.syntax.expression(at) {
            Expression::Name(name) => self.scope.coordinates.iter().position(|coordinate| coordinate == name),
            _ => None,
        }
    }

    fn value(&self, at: Ref) -> Result<Option<f64>, TextError> {
        let syntax = self.checked.syntax;
        let Some(value) = self.checked.value(at) else { return Ok(None) };
        constant(self.graph, value.scalar(syntax.range(at))?, syntax, at).map(Some)
    }

    /// A comparison, or several in a chain.
    fn alone(&mut self, root: Ref) {
        let syntax = self.checked.syntax;
        let mut pending = vec![root];
        while let Some(at) = pending.pop() {
            match *syntax.expression(at) {
                Expression::Operate(Operator::And, left, right) => pending.extend([right, left]),
                Expression::Operate(operator, left, right)
                    if let Some(bound) = self.bound(operator, left, right) =>
                {
                    self.narrow(bound, at);
                }
                _ => self.condition(at),
            }
        }
    }

    /// The coordinate with its lower and upper bound, where the comparison is as simple as that.
    fn bound(&self, operator: Operator, left: Ref, right: Ref) -> Option<(usize, Option<f64>, Option<f64>)> {
        let (small, large) = match operator {
            Operator::Less | Operator::LessEqual => (left, right),
            Operator::Greater | Operator::GreaterEqual => (right, left),
            _ => return None,
        };
        let number = |at| self.value(at).ok().flatten();
        match (self.coordinate(small), self.coordinate(large)) {
            (Some(coordinate), None) => Some((coordinate, None, Some(number(large)?))),
            (None, Some(coordinate)) => Some((coordinate, Some(number(small)?), None)),
            _ => None,
        }
    }

    fn narrow(&mut self, (coordinate, lower, upper): (usize, Option<f64>, Option<f64>), at: Ref) {
        let ranges = &mut self.place.ranges;
        let position = ranges.iter().position(|range| range.0 == coordinate).unwrap_or_else(|| {
            ranges.push((coordinate, None, None));
            ranges.len() - 1
        });
        let range = &mut ranges[position];
        // Whichever bound is tighter, a missing one never.
        range.1 = range.1.into_iter().chain(lower).reduce(f64::max);
        range.2 = range.2.into_iter().chain(upper).reduce(f64::min);
        if let (Some(lower), Some(upper)) = (range.1, range.2)
            && lower >= upper
        {
            let name = &self.scope.coordinates[coordinate];
            self.mistakes.push(
                TextError::new(self.checked.syntax.range(at), "no point lies here")
                    .label(format!("`{name}` would be above {lower} and below {upper}"))
                    .hint(format!("write `{name} = {upper}` for a value, or another bound")),
            );
        }
    }

    fn condition(&mut self, at: Ref) {
        let range = self.checked.syntax.range(at);
        let id = match self.checked.value(at) {
            None => return self.hole = true,
            Some(Value::Condition(id)) => *id,
            Some(_) => {
                return self.mistakes.push(
                    TextError::new(range, "a place needs `=` or a comparison")
                        .label("a value alone")
                        .hint("write like `t = 0`, `x < 0.5`, or the name of a shape"),
                );
            }
        };
        let strange = |leaf: &Leaf| !matches!(leaf, Leaf::Coordinate(_) | Leaf::Attribute(_));
        let mismatch = match self.graph.leaves(&[id]).into_iter().find(strange) {
            Some(leaf) => Some(format!("depends on {}", names::kind(Resolved::Leaf(leaf)))),
            None if self.graph.constant_value(id).is_some() => Some("the same at every point".to_owned()),
            None => self.graph.nonlocal(id).map(|name| format!("contains `{name}`")),
        };
        match mismatch {
            None => self.place.conditions.push(id),
            Some(label) => self.mistakes.push(
                TextError::new(range, "a place is made of coordinates and constants")
                    .label(label)
                    .hint("compare coordinates with numbers, like `x^2 + y^2 < 1`"),
            ),
        }
    }
}
