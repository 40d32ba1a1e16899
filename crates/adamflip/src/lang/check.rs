//! Syntax tree to expression graph: names get their meaning, calls their arity, derivatives are taken.
//!
//! One loop over the tree, operands first. A part that is wrong leaves a hole and its mistake; what is above a hole is
//! not looked at, what stands beside it is.

use std::ops::Range;

use super::Scope;
use super::ast::{Expression, Operator, Ref, Syntax};
use super::function::Callable;
use super::graph::{Graph, Id, Leaf};
use super::mistake::{Mistake, list};
use super::names::{self, Resolved};
use crate::diagnostic::nearest;

/// Which names may appear.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Allow {
    /// All that the scope has.
    Scope,
    /// Constants only.
    Constants,
}

/// Repeated derivatives can grow without end; no equation that is meant comes near.
const LARGEST_GROWTH: usize = 100_000;

/// The tree's expressions in the graph; nothing where a part of them is wrong.
pub(super) struct Checked {
    ids: Vec<Option<Id>>,
    pub(super) mistakes: Vec<Mistake>,
}

impl Checked {
    pub(super) fn id(&self, of: Ref) -> Option<Id> {
        self.ids[of.index()]
    }
}

/// Checks the whole tree.
pub(super) fn check(syntax: &Syntax<'_>, scope: &Scope<'_>, allow: Allow, graph: &mut Graph) -> Checked {
    let mut skipped = vec![false; syntax.len()];
    derivative_coordinates(syntax).for_each(|skip| skipped[skip.index()] = true);
    let largest = graph.len() + syntax.len() + LARGEST_GROWTH;
    let checked = Checked { ids: Vec::with_capacity(syntax.len()), mistakes: Vec::new() };
    let mut checker = Checker { syntax, scope, allow, graph, largest, checked };
    for (at, expression) in syntax.iter() {
        let id = if skipped[at.index()] { None } else { checker.expression(at, expression) };
        checker.checked.ids.push(id);
    }
    checker.checked
}

/// The names by which `d(…, x, t)` differentiates: they stand for themselves, not for values.
fn derivative_coordinates<'s>(syntax: &'s Syntax<'_>) -> impl Iterator<Item = &'s Ref> {
    syntax.iter().flat_map(|(_, expression)| match expression {
        Expression::Call { name, arguments, .. } if Callable::named(name) == Some(Callable::Derivative) => {
            arguments.get(1..).unwrap_or_default()
        }
        _ => &[],
    })
}

struct Checker<'c, 'a> {
    syntax: &'c Syntax<'a>,
    scope: &'c Scope<'c>,
    allow: Allow,
    graph: &'c mut Graph,
    largest: usize,
    checked: Checked,
}

impl Checker<'_, '_> {
    fn expression(&mut self, at: Ref, expression: &Expression<'_>) -> Option<Id> {
        let range = self.syntax.range(at);
        let made = match expression {
            Expression::Number(value) => Ok(self.graph.constant(*value)),
            Expression::Name(name) => self.name(name, range.clone()),
            Expression::Negate(operand) => {
                let operand = self.checked.id(*operand)?;
                Ok(self.graph.neg(operand))
            }
            Expression::Operate(operator, left, right) => {
                let ids = (self.checked.id(*left)?, self.checked.id(*right)?);
                let allowed = match operator {
                    Operator::Divide => self.divisor(*right, ids.1),
                    _ => Ok(()),
                };
                allowed.map(|()| self.operate(*operator, ids.0, ids.1))
            }
            Expression::Call { name, named_at, arguments } => {
                self.call(name, named_at.clone(), arguments, &range).transpose()?
            }
        };
        let finite = made.and_then(|id| self.finite(id, range));
        finite.map_err(|mistake| self.checked.mistakes.push(mistake)).ok()
    }

    /// Looks at the operands too, for simplification makes new ones: `1e300*(1e300*x)` has a factor that overflows.
    fn finite(&self, id: Id, range: Range<usize>) -> Result<Id, Mistake> {
        let operands = self.graph.node(id).children();
        self.all_finite(std::iter::once(id).chain(operands), range).map(|()| id)
    }

    fn all_finite(&self, mut ids: impl Iterator<Item = Id>, range: Range<usize>) -> Result<(), Mistake> {
        match ids.find_map(|id| self.graph.constant_value(id).filter(|value| !value.is_finite())) {
            None => Ok(()),
            Some(value) => Err(Mistake::new(range, "this is not a finite number")
                .label(format!("the value is {value}"))
                .hint("look for a division by zero, an overflow, or a function outside its domain")),
        }
    }

    fn name(&mut self, name: &str, range: Range<usize>) -> Result<Id, Mistake> {
        let resolved = names::resolve(name, range.start, self.scope);
        if resolved.is_err() && self.allow == Allow::Constants {
            // Suggest only what may stand here.
            let constants = Scope { constants: self.scope.constants, ..Scope::default() };
            names::resolve(name, range.start, &constants)?;
        }
        match resolved? {
            Resolved::Constant(value) => Ok(self.graph.constant(value)),
            Resolved::Leaf(leaf) if self.allow == Allow::Scope => Ok(self.graph.leaf(leaf)),
            leaf => {
                let mistake = Mistake::new(range, format!("`{name}` is {}", names::kind(leaf)))
                    .label("only constants may stand here");
                Err(match self.scope.constants {
                    [] => mistake.hint("write numbers, `pi` or `e`"),
                    constants => {
                        mistake.hint(format!("the constants are {}", list(constants.iter().map(|c| &c.0))))
                    }
                })
            }
        }
    }

    /// A field over zero is no constant, so that [`Self::finite`] alone would let it pass.
    fn divisor(&self, at: Ref, id: Id) -> Result<(), Mistake> {
        match self.graph.constant_value(id) {
            Some(0.0) => Err(Mistake::new(self.syntax.range(at), "division by zero")
                .label("the value is 0")
                .hint("divide by something that is not zero, or multiply the equation by it")),
            _ => Ok(()),
        }
    }

    fn operate(&mut self, operator: Operator, left: Id, right: Id) -> Id {
        match operator {
            Operator::Add => self.graph.add(left, right),
            Operator::Subtract => self.graph.sub(left, right),
            Operator::Multiply => self.graph.mul(left, right),
            Operator::Divide => self.graph.div(left, right),
            Operator::Power => self.graph.power(left, right),
        }
    }

    /// `Ok(None)` where an argument is already known to be wrong.
    fn call(
        &mut self,
        name: &str,
        named_at: Range<usize>,
        arguments: &[Ref],
        range: &Range<usize>,
    ) -> Result<Option<Id>, Mistake> {
        let Some(callable) = Callable::named(name) else { return Err(self.not_a_function(name, named_at)) };
        let (fewest, most) = callable.arity();
        if !(fewest..=most).contains(&arguments.len()) {
            return Err(wrong_arity(name, callable, arguments.len(), range.clone()));
        }
        if callable == Callable::Derivative {
            return self.derivative(arguments, range);
        }
        let ids: Option<Vec<Id>> = arguments.iter().map(|&argument| self.checked.id(argument)).collect();
        let Some(ids) = ids else { return Ok(None) };
        if let (Callable::ColeHopf, &[x, t, nu]) = (callable, ids.as_slice()) {
            self.only_coordinates(name, arguments, &ids)?;
            return Ok(Some(self.graph.cole_hopf([x, t, nu])));
        }
        let graph = &mut *self.graph;
        Ok(ids
            .into_iter()
            .reduce(|a, b| match callable {
                Callable::Minimum => graph.min(a, b),
                Callable::Maximum => graph.max(a, b),
                _ => graph.power(a, b),
            })
            .map(|id| match callable {
                Callable::Function(function) => self.graph.function(function, id),
                _ => id,
            }))
    }

    fn not_a_function(&self, name: &str, named_at: Range<usize>) -> Mistake {
        let mistake = Mistake::new(named_at, format!("`{name}` is not a function"));
        match names::resolve(name, 0, self.scope) {
            Ok(resolved @ Resolved::Leaf(Leaf::Jet { .. })) => mistake
                .label(names::kind(resolved))
                .hint(format!("write `{name}` alone for its value at the point, `{name}*(…)` for a product")),
            Ok(resolved) => {
                mistake.label(names::kind(resolved)).hint(format!("write `{name}*(…)` for a product"))
            }
            Err(_) => match nearest(name, Callable::names()) {
                Some(near) => mistake.label("unknown function").hint(format!("did you mean `{near}`?")),
                None => {
                    let names: Vec<String> = Callable::names().map(str::to_owned).collect();
                    mistake.label("unknown function").hint(format!("the functions are {}", list(&names)))
                }
            },
        }
    }

    /// `d(expression, x, t, …)`
    fn derivative(&mut self, arguments: &[Ref], range: &Range<usize>) -> Result<Option<Id>, Mistake> {
        let by: Vec<usize> =
            arguments[1..].iter().map(|&argument| self.coordinate(argument)).collect::<Result<_, _>>()?;
        let Some(mut id) = self.checked.id(arguments[0]) else { return Ok(None) };
        for coordinate in by {
            id = self.graph.differentiate(id, coordinate).map_err(|why| {
                Mistake::new(range.clone(), "this derivative cannot be taken")
                    .label(why.to_string())
                    .hint("differentiate less often, or write the derivative out")
            })?;
            if self.graph.len() > self.largest {
                return Err(Mistake::new(range.clone(), "this derivative grows too large")
                    .label(format!("more than {LARGEST_GROWTH} operations"))
                    .hint("differentiate less often, or a simpler expression"));
            }
        }
        self.all_finite(self.graph.reachable(&[id]).into_iter(), range.clone())?;
        Ok(Some(id))
    }

    fn coordinate(&self, argument: Ref) -> Result<usize, Mistake> {
        let found = match self.syntax.expression(argument) {
            Expression::Name(name) => self.scope.coordinates.iter().position(|coordinate| coordinate == name),
            _ => None,
        };
        found.ok_or_else(|| {
            let mistake = Mistake::new(self.syntax.range(argument), "derivatives are taken by coordinates")
                .label("not a coordinate");
            match self.scope.coordinates {
                [] => mistake.hint("no coordinates are known here"),
                coordinates => mistake.hint(format!("the coordinates are {}", list(coordinates))),
            }
        })
    }

    /// A function without derivatives must not stand between the residual and what is trained.
    fn only_coordinates(&self, name: &str, arguments: &[Ref], ids: &[Id]) -> Result<(), Mistake> {
        for (&argument, &id) in arguments.iter().zip(ids) {
            let leaves = self.graph.leaves(&[id]);
            let Some(&leaf) = leaves.iter().find(|leaf| !matches!(leaf, Leaf::Coordinate(_))) else {
                continue;
            };
            return Err(Mistake::new(
                self.syntax.range(argument),
                format!("`{name}` takes coordinates and constants only"),
            )
            .label(format!("depends on {}", names::kind(Resolved::Leaf(leaf))))
            .hint(format!("`{name}` has no derivatives by what is trained")));
        }
        Ok(())
    }
}

fn wrong_arity(name: &str, callable: Callable, given: usize, range: Range<usize>) -> Mistake {
    let count = match callable.arity() {
        (1, 1) => "one argument".to_owned(),
        (fewest, most) if fewest == most => format!("{fewest} arguments"),
        (fewest, _) => format!("at least {fewest} arguments"),
    };
    let usage = match callable {
        Callable::Function(_) => format!("{name}(a)"),
        _ => callable.usage(),
    };
    Mistake::new(range, format!("`{name}` takes {count}"))
        .label(format!("{given} given"))
        .hint(format!("write `{usage}`"))
}
