//! Named expressions and functions: each is made of those before it, and is expanded where it is used.
//!
//! Expansion checks the definition's tree again with its parameters bound to the values of the arguments.
//! Equal expressions are one in the graph, so most repetition is cheap; what is not is bounded by
//! [`Checker::spend`].

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;

use super::ast::{Ref, Syntax};
use super::check::{Allow, Checker, Frame, Stop};
use super::graph::Graph;
use super::parser;
use super::text_error::{TextError, diagnostics};
use super::value::Value;
use super::{Definition, Scope};
use crate::diagnostic::Diagnostic;

/// Definitions inside definitions this deep at most, which bounds the checker's stack.
const DEEPEST: usize = 100;

type Tree<'d> = Result<(Syntax<'d>, Ref), Vec<TextError>>;
type Call = (usize, Vec<Option<Value>>);

/// The trees of the definitions, each read when first used, and what their uses were expanded to.
pub(super) struct Library<'d> {
    definitions: &'d [Definition],
    trees: Vec<OnceCell<Tree<'d>>>,
    expanded: RefCell<HashMap<Call, Result<Value, Stop>>>,
}

impl<'d> Library<'d> {
    pub(super) fn new(definitions: &'d [Definition]) -> Self {
        let trees = definitions.iter().map(|_| OnceCell::new()).collect();
        Self { definitions, trees, expanded: RefCell::default() }
    }

    fn tree(&self, index: usize) -> &Tree<'d> {
        self.trees[index].get_or_init(|| parser::definition(&self.definitions[index].body.value))
    }
}

/// Checks every definition once, marks those that are wrong as broken, and returns their errors.
///
/// The parameters of a function have no values yet: what is wrong only for certain arguments is reported
/// where the function is used.
pub fn definitions(list: &mut [Definition], scope: &Scope<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for index in 0..list.len() {
        let scope = Scope { definitions: list, ..*scope };
        let (mistakes, broken) = mistakes(index, &scope);
        found.extend(diagnostics(mistakes, &list[index].body));
        list[index].broken = broken;
    }
    found
}

/// The errors of one definition, and whether its uses have no meaning.
fn mistakes(index: usize, scope: &Scope<'_>) -> (Vec<TextError>, bool) {
    let library = Library::new(scope.definitions);
    let (syntax, _) = match library.tree(index) {
        Ok(tree) => tree,
        Err(mistakes) => return (mistakes.clone(), true),
    };
    let mut graph = Graph::new();
    let parameters = scope.definitions[index].parameters.iter().flatten();
    let mut frame = Frame::new(syntax, scope, vec![Allow::Scope; syntax.len()]);
    frame.bound = parameters.map(|parameter| (parameter.as_str(), None)).collect();
    frame.visible = index;
    let mut checker = Checker::new(scope, &library, &mut graph, frame);
    checker.run();
    let broken = checker.silenced || !checker.frame.mistakes.is_empty();
    (checker.frame.mistakes, broken)
}

impl<'c> Checker<'c> {
    /// A definition by its name alone.
    pub(super) fn mention(&mut self, index: usize, range: Range<usize>) -> Result<Value, Stop> {
        let definition = &self.scope.definitions[index];
        if definition.parameters.is_some() {
            return Err(TextError::new(range, format!("`{}` is a function", definition.name))
                .label("without its arguments")
                .hint(format!("write `{}`", definition.usage()))
                .into());
        }
        self.expand(index, Vec::new(), range)
    }

    /// A definition with arguments.
    pub(super) fn apply(
        &mut self,
        index: usize,
        arguments: &[Ref],
        range: Range<usize>,
    ) -> Result<Value, Stop> {
        let definition = &self.scope.definitions[index];
        let name = &definition.name;
        let Some(parameters) = &definition.parameters else {
            return Err(TextError::new(range, format!("`{name}` takes no arguments"))
                .label(format!("{} given", arguments.len()))
                .hint(format!("write `{name}` alone, or `{name}*(…)` for a product"))
                .into());
        };
        if parameters.len() != arguments.len() {
            let count = match parameters.len() {
                1 => "one argument".to_owned(),
                count => format!("{count} arguments"),
            };
            return Err(TextError::new(range, format!("`{name}` takes {count}"))
                .label(format!("{} given", arguments.len()))
                .hint(format!("write `{}`", definition.usage()))
                .into());
        }
        let values = arguments.iter().map(|&argument| self.frame.value(argument).cloned()).collect();
        self.expand(index, values, range)
    }

    fn expand(
        &mut self,
        index: usize,
        values: Vec<Option<Value>>,
        range: Range<usize>,
    ) -> Result<Value, Stop> {
        let definition = &self.scope.definitions[index];
        if index >= self.frame.visible {
            return Err(too_early(definition, index == self.frame.visible, range).into());
        }
        if definition.broken {
            self.silenced = true;
            return Err(Stop::Hole);
        }
        if values.iter().any(Option::is_none) {
            return Err(Stop::Hole);
        }
        let call = (index, values);
        let known = self.library.expanded.borrow().get(&call).cloned();
        let expanded = known.unwrap_or_else(|| {
            let expanded = self.body(index, &call.1, &range);
            self.library.expanded.borrow_mut().insert(call, expanded.clone());
            expanded
        });
        expanded.map_err(|stop| match stop {
            Stop::TextError(mistake) => Stop::TextError(mistake.inside(&definition.name, range)),
            Stop::Hole => Stop::Hole,
        })
    }

    /// The value of a definition for these arguments.
    fn body(&mut self, index: usize, values: &[Option<Value>], range: &Range<usize>) -> Result<Value, Stop> {
        // A definition that nobody has checked may not even parse.
        let (syntax, root) = self.library.tree(index).as_ref().map_err(|mistakes| first(mistakes))?;
        self.spend(syntax.len(), range)?;
        if self.depth == DEEPEST {
            return Err(TextError::new(range.clone(), "definitions are nested too deeply")
                .label(format!("more than {DEEPEST} levels"))
                .hint("write some of them out")
                .into());
        }
        let parameters = self.scope.definitions[index].parameters.iter().flatten().map(String::as_str);
        let mut frame = Frame::new(syntax, self.scope, vec![Allow::Scope; syntax.len()]);
        frame.bound = parameters.zip(values.iter().cloned()).collect();
        frame.visible = index;
        let outer = std::mem::replace(&mut self.frame, frame);
        self.depth += 1;
        self.run();
        self.depth -= 1;
        let frame = std::mem::replace(&mut self.frame, outer);
        match frame.value(*root) {
            Some(value) if frame.mistakes.is_empty() => Ok(value.clone()),
            _ => Err(first(&frame.mistakes)),
        }
    }
}

fn first(mistakes: &[TextError]) -> Stop {
    mistakes.first().map_or(Stop::Hole, |mistake| Stop::TextError(mistake.clone()))
}

fn too_early(definition: &Definition, itself: bool, range: Range<usize>) -> TextError {
    let name = &definition.name;
    match itself {
        true => TextError::new(range, format!("`{name}` is defined by itself"))
            .label("the definition in which it stands")
            .hint("write it without itself"),
        false => TextError::new(range, format!("`{name}` is used before it is defined"))
            .label("defined below")
            .hint(format!("move the definition of `{name}` above this one")),
    }
}
