//! What stands before `(`: a definition, a function of the language, or a field at another point.

use std::ops::Range;

use super::ast::Ref;
use super::check::{Checker, Stop};
use super::function::Callable;
use super::graph::{Id, Leaf};
use super::names::{self, Resolved};
use super::text_error::{TextError, list};
use super::value::{self, Value};
use crate::derivative::Partial;
use crate::diagnostic::nearest;

impl<'c> Checker<'c> {
    pub(super) fn call(
        &mut self,
        name: &'c str,
        named_at: Range<usize>,
        arguments: &[Ref],
        range: &Range<usize>,
    ) -> Result<Value, Stop> {
        if let Some(index) = self.scope.definitions.iter().position(|definition| definition.name == name) {
            return self.apply(index, arguments, range.clone());
        }
        let Some(callable) = Callable::named(name) else {
            return self.elsewhere(name, named_at, arguments, range);
        };
        let (fewest, most) = callable.arity();
        if !(fewest..=most).contains(&arguments.len()) {
            return Err(wrong_arity(name, callable, arguments.len(), range.clone()).into());
        }
        match callable {
            Callable::Where => self.choice(arguments, range),
            Callable::Derivative => self.derivative(arguments, range),
            Callable::Gradient => self.gradient(arguments[0], range),
            Callable::Divergence => self.divergence(arguments, range),
            Callable::Laplacian => self.laplacian(arguments[0], range),
            Callable::Dot => self.dot(arguments),
            Callable::Caputo => self.caputo(arguments),
            Callable::Integral => self.integral(arguments),
            Callable::ColeHopf => self.cole_hopf(arguments),
            _ => self.of_numbers(callable, arguments),
        }
    }

    /// Functions of one number, and those that join several from left to right.
    fn of_numbers(&mut self, callable: Callable, arguments: &[Ref]) -> Result<Value, Stop> {
        let ids = arguments.iter().map(|&argument| self.scalar(argument)).collect::<Result<Vec<Id>, _>>()?;
        let graph = &mut *self.graph;
        let joined = ids.into_iter().reduce(|a, b| match callable {
            Callable::Minimum => graph.min(a, b),
            Callable::Maximum => graph.max(a, b),
            _ => graph.power(a, b),
        });
        let id = joined.ok_or(Stop::Hole)?;
        Ok(Value::Scalar(match callable {
            Callable::Function(function) => self.graph.function(function, id),
            _ => id,
        }))
    }

    /// `where(condition, a, otherwise)`, with as many conditions as one likes.
    fn choice(&mut self, arguments: &[Ref], range: &Range<usize>) -> Result<Value, Stop> {
        let Some((&otherwise, pairs)) = arguments.split_last().filter(|(_, pairs)| pairs.len() % 2 == 0)
        else {
            return Err(TextError::new(range.clone(), "`where` ends with a value for all other points")
                .label(format!("{} arguments given", arguments.len()))
                .hint("write `where(condition, a, otherwise)`")
                .into());
        };
        let mut chosen = self.scalar(otherwise)?;
        for pair in pairs.chunks_exact(2).rev() {
            let (condition, at) = self.operand(pair[0])?;
            let (condition, yes) = (condition.condition(at)?, self.scalar(pair[1])?);
            chosen = self.graph.select([condition, yes, chosen]);
        }
        Ok(Value::Scalar(chosen))
    }

    fn dot(&mut self, arguments: &[Ref]) -> Result<Value, Stop> {
        let ((a, a_at), (b, b_at)) = (self.operand(arguments[0])?, self.operand(arguments[1])?);
        Ok(Value::Scalar(value::dot(self.graph, a.vector(a_at)?, b.vector(b_at)?)))
    }

    /// A function without derivatives must not stand between the residual and what is trained.
    fn cole_hopf(&mut self, arguments: &[Ref]) -> Result<Value, Stop> {
        let hint = "`cole_hopf` has no derivatives by what is trained";
        let mut argument = |index: usize| self.of_coordinates(arguments[index], "`cole_hopf`", hint);
        let arguments = [argument(0)?, argument(1)?, argument(2)?];
        Ok(Value::Scalar(self.graph.cole_hopf(arguments)))
    }

    /// A number that coordinates and constants alone determine.
    pub(super) fn of_coordinates(&mut self, at: Ref, what: &str, hint: &str) -> Result<Id, Stop> {
        let (id, range) = (self.scalar(at)?, self.frame.syntax.range(at));
        self.spend(1 + self.graph.len() / 8, &range)?;
        let mistake =
            TextError::new(range, format!("{what} takes coordinates and constants only")).hint(hint);
        let leaves = self.graph.leaves(&[id]);
        if let Some(&leaf) = leaves.iter().find(|leaf| !matches!(leaf, Leaf::Coordinate(_))) {
            return Err(mistake.label(format!("depends on {}", names::kind(Resolved::Leaf(leaf)))).into());
        }
        match self.graph.nonlocal(id) {
            Some(name) => Err(mistake.label(format!("contains `{name}`")).into()),
            None => Ok(id),
        }
    }

    /// `u(0, t)`: a field or its derivative at another point.
    fn elsewhere(
        &mut self,
        name: &str,
        named_at: Range<usize>,
        arguments: &[Ref],
        range: &Range<usize>,
    ) -> Result<Value, Stop> {
        let resolved = names::resolve(name, named_at.start, self.scope);
        let is_parameter = self.is_parameter(name);
        let Ok(Resolved::Leaf(Leaf::Jet { field, partial, .. })) = resolved else {
            return Err(self.not_a_function(name, named_at, resolved).into());
        };
        if is_parameter {
            return Err(not_callable(name, named_at, "a parameter").into());
        }
        let own = self.scope.coordinates_of(field);
        if own.len() != arguments.len() {
            let names: Vec<&str> = own.iter().map(|&c| self.scope.coordinates[c].as_str()).collect();
            let count =
                if own.len() == 1 { "1 coordinate".into() } else { format!("{} coordinates", own.len()) };
            return Err(TextError::new(range.clone(), format!("a point of `{name}` has {count}"))
                .label(format!("{} given", arguments.len()))
                .hint(format!("write `{name}({})`, or `{name}*(…)` for a product", names.join(", ")))
                .into());
        }
        self.at_site(field, partial, &own, arguments).map(Value::Scalar)
    }

    fn at_site(
        &mut self,
        field: usize,
        partial: Partial,
        own: &[usize],
        arguments: &[Ref],
    ) -> Result<Id, Stop> {
        let hint = "write the point with coordinates and numbers";
        let all = 0..self.scope.coordinates.len();
        let mut place: Vec<Id> = all.map(|c| self.graph.leaf(Leaf::Coordinate(c))).collect();
        for (&coordinate, &argument) in own.iter().zip(arguments) {
            place[coordinate] = self.of_coordinates(argument, "a point", hint)?;
        }
        let site = self.graph.site(place);
        Ok(self.graph.leaf(Leaf::Jet { field, partial, site }))
    }

    fn not_a_function(
        &self,
        name: &str,
        named_at: Range<usize>,
        resolved: Result<Resolved, TextError>,
    ) -> TextError {
        let mistake = TextError::new(named_at.clone(), format!("`{name}` is not a function"));
        match resolved {
            Ok(resolved) => not_callable(name, named_at, names::kind(resolved)),
            // A wrong derivative at another point is wrong as a derivative.
            Err(wrong) if names::is_derivative(name, self.scope) => wrong,
            Err(_) => match nearest(name, self.callable_names()) {
                Some(near) => mistake.label("unknown function").hint(format!("did you mean `{near}`?")),
                None => {
                    let names: Vec<String> = self.callable_names().into_iter().map(str::to_owned).collect();
                    mistake.label("unknown function").hint(format!("the functions are {}", list(&names)))
                }
            },
        }
    }

    fn callable_names(&self) -> Vec<&'c str> {
        let own = self.scope.definitions.iter().filter(|definition| definition.parameters.is_some());
        let mut names: Vec<&str> = own.map(|definition| definition.name.as_str()).collect();
        Callable::names().for_each(|name| names.push(name));
        names
    }
}

fn not_callable(name: &str, named_at: Range<usize>, kind: &str) -> TextError {
    TextError::new(named_at, format!("`{name}` is not a function"))
        .label(kind)
        .hint(format!("write `{name}*(…)` for a product"))
}

fn wrong_arity(name: &str, callable: Callable, given: usize, range: Range<usize>) -> TextError {
    let count = match callable.arity() {
        (1, 1) => "one argument".to_owned(),
        (fewest, most) if fewest == most => format!("{fewest} arguments"),
        (1, _) => "at least one argument".to_owned(),
        (fewest, _) => format!("at least {fewest} arguments"),
    };
    let usage = match callable {
        Callable::Function(_) => format!("{name}(a)"),
        _ => callable.usage(),
    };
    TextError::new(range, format!("`{name}` takes {count}"))
        .label(format!("{given} given"))
        .hint(format!("write `{usage}`"))
}
