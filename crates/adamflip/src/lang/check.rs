//! Syntax tree to expression graph: names get their meaning, calls their arity, derivatives are taken.
//!
//! One loop over the tree, operands first. A part that is wrong leaves a hole and its error; what is above
//! a hole is not looked at, what stands beside it is. A definition is expanded where it is used, by the same
//! loop over its own tree ([`super::define`]).

use std::ops::Range;

use super::Scope;
use super::ast::{Expression, Operator, Ref, Syntax};
use super::define::Library;
use super::function::Callable;
use super::graph::{Graph, Id, Leaf};
use super::names::{self, Resolved};
use super::text_error::{TextError, list};
use super::value::{self, Value};

/// What may stand at a place of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Allow {
    /// All that the scope has.
    Scope,
    /// Constants only.
    Constants,
    /// A word that stands for itself and has no value.
    Word,
}

/// Repeated derivatives and nested definitions can grow without end; no equation that is meant comes near.
pub(super) const LARGEST_GROWTH: usize = 100_000;
/// How many expressions one text may make the checker visit, beyond its own: a fraction of a second.
const LARGEST_WORK: usize = 10_000_000;

/// Why an expression has no meaning.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// A part of it has none, which is known already.
    Hole,
    TextError(TextError),
}

impl From<TextError> for Stop {
    fn from(mistake: TextError) -> Self {
        Self::TextError(mistake)
    }
}

/// One tree and how far its meaning is known.
pub(super) struct Frame<'c> {
    pub(super) syntax: &'c Syntax<'c>,
    allow: Vec<Allow>,
    values: Vec<Option<Value>>,
    pub(super) mistakes: Vec<TextError>,
    /// The parameters of a definition; without a value while the definition itself is checked.
    pub(super) bound: Vec<(&'c str, Option<Value>)>,
    /// How many definitions may be used.
    pub(super) visible: usize,
}

impl<'c> Frame<'c> {
    pub(super) fn new(syntax: &'c Syntax<'c>, scope: &Scope<'_>, mut allow: Vec<Allow>) -> Self {
        words(syntax, scope, &mut allow);
        let values = Vec::with_capacity(syntax.len());
        let visible = scope.definitions.len();
        Self { syntax, allow, values, mistakes: Vec::new(), bound: Vec::new(), visible }
    }

    /// The meaning of an expression; nothing where a part of it is wrong.
    pub(super) fn value(&self, of: Ref) -> Option<&Value> {
        self.values[of.index()].as_ref()
    }

    /// The ids of the roots, or the errors.
    pub(super) fn scalar(self, root: Ref) -> Result<Id, Vec<TextError>> {
        self.scalars(&[root]).map(|ids| ids[0])
    }

    /// The same of several roots, one each.
    pub(super) fn scalars(mut self, roots: &[Ref]) -> Result<Vec<Id>, Vec<TextError>> {
        let mut ids = Vec::new();
        for &root in roots {
            match self.value(root).map(|value| value.scalar(self.syntax.range(root))) {
                Some(Ok(id)) => ids.push(id),
                Some(Err(mistake)) => self.mistakes.push(mistake),
                None => {}
            }
        }
        if self.mistakes.is_empty() && ids.len() == roots.len() { Ok(ids) } else { Err(self.mistakes) }
    }
}

/// Checks the whole tree.
pub(super) fn check<'s>(
    syntax: &'s Syntax<'s>,
    scope: &Scope<'s>,
    allow: Vec<Allow>,
    graph: &mut Graph,
) -> Frame<'s> {
    let library = Library::new(scope.definitions);
    let mut checker = Checker::new(scope, &library, graph, Frame::new(syntax, scope, allow));
    checker.run();
    let Frame { allow, values, mistakes, visible, .. } = checker.frame;
    Frame { syntax, allow, values, mistakes, visible, bound: Vec::new() }
}

/// Marks the names by which one differentiates and integrates: they stand for themselves, not for values.
fn words(syntax: &Syntax<'_>, scope: &Scope<'_>, allow: &mut [Allow]) {
    for (_, expression) in syntax.iter() {
        let Expression::Call { name, arguments, .. } = expression else { continue };
        if scope.definitions.iter().any(|definition| definition.name == *name) {
            continue;
        }
        let words = match Callable::named(name) {
            Some(Callable::Derivative) => arguments.get(1..),
            Some(Callable::Caputo) => arguments.get(1..2),
            // With four arguments, the last two are limits.
            Some(Callable::Integral) if arguments.len() == 4 => arguments.get(1..2),
            Some(Callable::Integral) => arguments.get(1..),
            _ => None,
        };
        for word in words.unwrap_or_default() {
            allow[word.index()] = Allow::Word;
        }
    }
}

/// The loop over a tree, and what it has used up.
pub(super) struct Checker<'c> {
    pub(super) scope: &'c Scope<'c>,
    pub(super) library: &'c Library<'c>,
    pub(super) graph: &'c mut Graph,
    pub(super) frame: Frame<'c>,
    /// Definitions inside definitions, at the moment.
    pub(super) depth: usize,
    /// Whether a definition was used that is known to be broken.
    pub(super) silenced: bool,
    largest: usize,
    work: usize,
}

impl<'c> Checker<'c> {
    pub(super) fn new(
        scope: &'c Scope<'c>,
        library: &'c Library<'c>,
        graph: &'c mut Graph,
        frame: Frame<'c>,
    ) -> Self {
        let largest = graph.len() + frame.syntax.len() + LARGEST_GROWTH;
        Self { scope, library, graph, frame, depth: 0, silenced: false, largest, work: LARGEST_WORK }
    }

    /// Checks the tree of the current frame.
    pub(super) fn run(&mut self) {
        let syntax = self.frame.syntax;
        for (at, expression) in syntax.iter() {
            let value = match self.frame.allow[at.index()] {
                Allow::Word => None,
                allow => match self.expression(expression, at, allow) {
                    Ok(value) => Some(value),
                    Err(Stop::Hole) => None,
                    Err(Stop::TextError(mistake)) => {
                        self.frame.mistakes.push(mistake);
                        None
                    }
                },
            };
            self.frame.values.push(value);
        }
    }

    fn expression(&mut self, expression: &'c Expression<'c>, at: Ref, allow: Allow) -> Result<Value, Stop> {
        let range = self.frame.syntax.range(at);
        let value = match expression {
            Expression::Number(value) => Value::Scalar(self.graph.constant(*value)),
            Expression::Name(name) => self.name(name, self.frame.syntax.bare_range(at), allow)?,
            Expression::Negate(operand) => {
                let minus = Value::Scalar(self.graph.constant(-1.0));
                let (operand, at) = self.operand(*operand)?;
                value::operate(self.graph, Operator::Multiply, (&minus, range.clone()), (&operand, at))?
            }
            Expression::Operate(operator, left, right) => {
                let ((left, left_at), (right, right_at)) = (self.operand(*left)?, self.operand(*right)?);
                if *operator == Operator::Divide {
                    self.divisor(&right, &right_at)?;
                }
                value::operate(self.graph, *operator, (&left, left_at), (&right, right_at))?
            }
            Expression::Call { name, named_at, arguments } => {
                self.call(name, named_at.clone(), arguments, &range)?
            }
        };
        self.finite(&value, &range)?;
        Ok(value)
    }

    /// An operand's value and where it stands.
    pub(super) fn operand(&self, at: Ref) -> Result<(Value, Range<usize>), Stop> {
        let value = self.frame.value(at).cloned().ok_or(Stop::Hole)?;
        Ok((value, self.frame.syntax.range(at)))
    }

    /// An operand that must be a number.
    pub(super) fn scalar(&self, at: Ref) -> Result<Id, Stop> {
        let (value, range) = self.operand(at)?;
        Ok(value.scalar(range)?)
    }

    /// Looks at the operands too, for simplification makes new ones: `1e300*(1e300*x)` has a factor that
    /// overflows.
    fn finite(&self, value: &Value, range: &Range<usize>) -> Result<(), TextError> {
        let with_operands = |&id: &Id| std::iter::once(id).chain(self.graph.node(id).children());
        self.all_finite(value.ids().iter().flat_map(with_operands), range)
    }

    pub(super) fn all_finite(
        &self,
        mut ids: impl Iterator<Item = Id>,
        range: &Range<usize>,
    ) -> Result<(), TextError> {
        match ids.find_map(|id| self.graph.constant_value(id).filter(|value| !value.is_finite())) {
            None => Ok(()),
            Some(value) => Err(TextError::new(range.clone(), "this is not a finite number")
                .label(format!("the value is {value}"))
                .hint("look for a division by zero, an overflow, or a function outside its domain")),
        }
    }

    /// Accounts for this many expressions visited, and for the growth of the graph.
    pub(super) fn spend(&mut self, visits: usize, range: &Range<usize>) -> Result<(), TextError> {
        let left = self.work.checked_sub(visits);
        self.work = left.unwrap_or(0);
        if left.is_some() && self.graph.len() <= self.largest {
            return Ok(());
        }
        Err(TextError::new(range.clone(), "this grows too large")
            .label(format!("more than {LARGEST_GROWTH} operations"))
            .hint("differentiate less often, or nest fewer definitions"))
    }

    fn name(&mut self, name: &'c str, range: Range<usize>, allow: Allow) -> Result<Value, Stop> {
        if let Some((_, value)) = self.frame.bound.iter().find(|(parameter, _)| *parameter == name) {
            return value.clone().ok_or(Stop::Hole);
        }
        let resolved = names::resolve(name, range.start, self.scope);
        if let (Err(_), Some(mistake)) = (&resolved, self.parameter_subscript(name, &range)) {
            return Err(mistake.into());
        }
        if resolved.is_err() && allow == Allow::Constants {
            // Suggest only what may stand here.
            let constants = Scope { constants: self.scope.constants, ..Scope::default() };
            names::resolve(name, range.start, &constants)?;
        }
        match resolved? {
            Resolved::Constant(value) => Ok(Value::Scalar(self.graph.constant(value))),
            other if allow == Allow::Constants => Err(self.only_constants(name, range, other).into()),
            Resolved::Leaf(leaf) => Ok(Value::Scalar(self.graph.leaf(leaf))),
            Resolved::NormalDerivative(field) => {
                let value = self.graph.leaf(Leaf::value_of(field));
                self.along_normal(value, &range).map(Value::Scalar)
            }
            Resolved::Normal => Ok(Value::Vector(self.normal())),
            Resolved::Definition(definition) => self.mention(definition, range),
        }
    }

    /// `s_x` where `s` is a parameter.
    fn parameter_subscript(&self, name: &str, range: &Range<usize>) -> Option<TextError> {
        let (head, subscript) = name.split_once('_')?;
        self.frame.bound.iter().find(|(parameter, _)| *parameter == head)?;
        names::differently(head, "a parameter", subscript, range.clone(), self.scope)
    }

    fn only_constants(&self, name: &str, range: Range<usize>, found: Resolved) -> TextError {
        let mistake = TextError::new(range, format!("`{name}` is {}", names::kind(found)))
            .label("only constants may stand here");
        match self.scope.constants {
            [] => mistake.hint("write numbers, `pi` or `e`"),
            constants => mistake.hint(format!("the constants are {}", list(constants.iter().map(|c| &c.0)))),
        }
    }

    /// A field over zero is no constant, so that [`Self::finite`] alone would let it pass.
    fn divisor(&self, value: &Value, range: &Range<usize>) -> Result<(), TextError> {
        match value {
            Value::Scalar(id) if self.graph.constant_value(*id) == Some(0.0) => {
                Err(TextError::new(range.clone(), "division by zero")
                    .label("the value is 0")
                    .hint("divide by something that is not zero, or multiply the equation by it"))
            }
            _ => Ok(()),
        }
    }
}
