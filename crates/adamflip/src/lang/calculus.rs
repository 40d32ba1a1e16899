//! Derivatives and integrals of expressions: `d`, `grad`, `div`, `laplacian`, `caputo`, `integral`.
//!
//! Derivatives are taken at once; Caputo derivatives and integrals stay nodes of the graph, which are taken
//! apart into sums over other points when the quadrature is known.

use std::ops::Range;

use super::ast::{Expression, Ref};
use super::check::{Checker, Stop};
use super::graph::{HERE, Id, Leaf, Node};
use super::names;
use super::text_error::{TextError, list};
use super::value::Value;

/// Along what one differentiates.
enum Direction {
    Coordinate(usize),
    Normal,
}

impl Checker<'_> {
    /// `d(expression, x, t, …)`
    pub(super) fn derivative(&mut self, arguments: &[Ref], range: &Range<usize>) -> Result<Value, Stop> {
        let directions: Vec<Direction> =
            arguments[1..].iter().map(|&argument| self.direction(argument)).collect::<Result<_, _>>()?;
        let mut id = self.scalar(arguments[0])?;
        for direction in directions {
            id = match direction {
                Direction::Coordinate(coordinate) => self.differentiate(id, coordinate, range)?,
                Direction::Normal => self.along_normal(id, range)?,
            };
        }
        Ok(Value::Scalar(id))
    }

    fn differentiate(&mut self, id: Id, coordinate: usize, range: &Range<usize>) -> Result<Id, Stop> {
        let reachable = self.graph.reachable(&[id]);
        let elsewhere =
            |id: &&Id| matches!(self.graph.node(**id), Node::Leaf(Leaf::Jet { site, .. }) if *site != HERE);
        // The chain rule at other points differentiates each of their coordinates.
        let sites = reachable.iter().filter(elsewhere).count() * self.scope.coordinates.len();
        self.spend(reachable.len() + (1 + sites) * (1 + self.graph.len() / 8), range)?;
        let scope = self.scope;
        let depends = |field: usize, coordinate: usize| scope.depends(field, coordinate);
        let derivative = self.graph.derivative(id, coordinate, &depends).map_err(|why| {
            TextError::new(range.clone(), "this derivative cannot be taken")
                .label(why.to_string())
                .hint("differentiate less often, or write the derivative out")
        })?;
        self.spend(0, range)?;
        self.all_finite(self.graph.reachable(&[derivative]).into_iter(), range)?;
        Ok(derivative)
    }

    /// n·∇ of an expression.
    pub(super) fn along_normal(&mut self, id: Id, range: &Range<usize>) -> Result<Id, Stop> {
        let mut sum = self.graph.constant(0.0);
        for coordinate in self.scope.spatial() {
            let Some(attribute) = self.scope.normal(coordinate) else { continue };
            let component = self.graph.leaf(Leaf::Attribute(attribute));
            let slope = self.differentiate(id, coordinate, range)?;
            let product = self.graph.mul(component, slope);
            sum = self.graph.add(sum, product);
        }
        Ok(sum)
    }

    /// The outward normal, 0 along coordinates in which the boundary does not bend.
    pub(super) fn normal(&mut self) -> Vec<Id> {
        let scope = self.scope;
        let component = |coordinate| match scope.normal(coordinate) {
            Some(attribute) => self.graph.leaf(Leaf::Attribute(attribute)),
            None => self.graph.constant(0.0),
        };
        scope.spatial().map(component).collect()
    }

    pub(super) fn gradient(&mut self, argument: Ref, range: &Range<usize>) -> Result<Value, Stop> {
        let id = self.scalar(argument)?;
        let spatial = self.spatial(range)?;
        let components = spatial.into_iter().map(|coordinate| self.differentiate(id, coordinate, range));
        Ok(Value::Vector(components.collect::<Result<_, _>>()?))
    }

    /// `div(vector)` or `div(a, b, …)`
    pub(super) fn divergence(&mut self, arguments: &[Ref], range: &Range<usize>) -> Result<Value, Stop> {
        let spatial = self.spatial(range)?;
        let components = match self.operand(arguments[0])? {
            (Value::Vector(ids), _) if arguments.len() == 1 => ids,
            _ if arguments.len() == spatial.len() => {
                arguments.iter().map(|&argument| self.scalar(argument)).collect::<Result<_, _>>()?
            }
            _ => return Err(self.components(arguments.len(), &spatial, range).into()),
        };
        let mut sum = self.graph.constant(0.0);
        for (component, coordinate) in components.into_iter().zip(spatial) {
            let slope = self.differentiate(component, coordinate, range)?;
            sum = self.graph.add(sum, slope);
        }
        Ok(Value::Scalar(sum))
    }

    fn components(&self, given: usize, spatial: &[usize], range: &Range<usize>) -> TextError {
        let names = spatial.iter().map(|&coordinate| &self.scope.coordinates[coordinate]);
        TextError::new(range.clone(), format!("a vector has {} components here", spatial.len()))
            .label(if given == 1 { "a number given".to_owned() } else { format!("{given} given") })
            .hint(format!("write one for each of {}, or `div(k*grad(u))`", list(names)))
    }

    pub(super) fn laplacian(&mut self, argument: Ref, range: &Range<usize>) -> Result<Value, Stop> {
        let id = self.scalar(argument)?;
        let mut sum = self.graph.constant(0.0);
        for coordinate in self.spatial(range)? {
            let first = self.differentiate(id, coordinate, range)?;
            let second = self.differentiate(first, coordinate, range)?;
            sum = self.graph.add(sum, second);
        }
        Ok(Value::Scalar(sum))
    }

    fn spatial(&self, range: &Range<usize>) -> Result<Vec<usize>, TextError> {
        let spatial: Vec<usize> = self.scope.spatial().collect();
        match spatial.is_empty() {
            false => Ok(spatial),
            true => Err(TextError::new(range.clone(), "there are no spatial coordinates")
                .label("nothing to differentiate by")
                .hint("use derivatives by the coordinates that there are")),
        }
    }

    /// `caputo(expression, t, order)`
    pub(super) fn caputo(&mut self, arguments: &[Ref]) -> Result<Value, Stop> {
        let by = self.coordinate(arguments[1], "Caputo derivatives are taken by coordinates")?;
        let of = self.local(arguments[0], "`caputo`", &["caputo", "integral"])?;
        let (order, at) = (
            self.local(arguments[2], "the order of `caputo`", &["caputo", "integral"])?,
            self.frame.syntax.range(arguments[2]),
        );
        let mistake = |message: &str| TextError::new(at.clone(), message);
        if self.graph.depends_on(order, |leaf| matches!(leaf, Leaf::Jet { .. } | Leaf::Slot(_))) {
            return Err(mistake("the order of `caputo` depends on a field")
                .label("not known beforehand")
                .hint("write it with constants, coordinates and unknown numbers")
                .into());
        }
        if self.graph.constant_value(order).is_some_and(|order| order <= 0.0) {
            return Err(mistake("the order of `caputo` is not positive")
                .label("must be larger than 0")
                .hint("write for example `caputo(u, t, 0.5)`")
                .into());
        }
        Ok(Value::Scalar(self.graph.caputo(of, order, by)))
    }

    /// An operand that contains none of these.
    fn local(&mut self, at: Ref, name: &str, forbidden: &[&str]) -> Result<Id, Stop> {
        let (id, range) = (self.scalar(at)?, self.frame.syntax.range(at));
        self.spend(1 + self.graph.len() / 8, &range)?;
        match self.graph.nonlocal(id).filter(|found| forbidden.contains(found)) {
            None => Ok(id),
            Some(found) => Err(TextError::new(range, format!("`{found}` cannot stand inside {name}"))
                .label(format!("contains `{found}`"))
                .hint("introduce a field for the inner one and give it an equation")
                .into()),
        }
    }

    /// `integral(expression, x, lower, upper)`, or over the ranges of several coordinates.
    pub(super) fn integral(&mut self, arguments: &[Ref]) -> Result<Value, Stop> {
        let what = "integrals are taken over coordinates";
        let with_limits = arguments.len() == 4 && !self.are_coordinates(&arguments[1..]);
        let over = if with_limits { &arguments[1..2] } else { &arguments[1..] };
        let over: Vec<usize> =
            over.iter().map(|&argument| self.coordinate(argument, what)).collect::<Result<_, _>>()?;
        let mut id = self.local(arguments[0], "`integral`", &["caputo"])?;
        for (&argument, by) in arguments[1..].iter().zip(over) {
            let limits = match with_limits {
                true => (self.limit(arguments[2])?, self.limit(arguments[3])?),
                false => self.whole_range(by, argument)?,
            };
            id = self.graph.integral(id, limits.0, limits.1, by);
        }
        Ok(Value::Scalar(id))
    }

    fn limit(&mut self, at: Ref) -> Result<Id, Stop> {
        self.of_coordinates(at, "a limit of `integral`", "write the limits with coordinates and numbers")
    }

    fn whole_range(&mut self, coordinate: usize, at: Ref) -> Result<(Id, Id), TextError> {
        let &(lower, upper) = self.scope.ranges.get(coordinate).ok_or_else(|| {
            TextError::new(self.frame.syntax.range(at), "the range is not known here")
                .label("from where to where?")
                .hint("give both limits: `integral(u, x, 0, 1)`")
        })?;
        Ok((self.graph.constant(lower), self.graph.constant(upper)))
    }

    /// Whether these are names of different coordinates.
    fn are_coordinates(&self, arguments: &[Ref]) -> bool {
        let found: Option<Vec<usize>> = arguments.iter().map(|&argument| self.named(argument)).collect();
        found.is_some_and(|found| (1..found.len()).all(|last| !found[..last].contains(&found[last])))
    }

    /// The coordinate that is named; a parameter hides one of its name.
    fn named(&self, argument: Ref) -> Option<usize> {
        match self.frame.syntax.expression(argument) {
            Expression::Name(name) if self.is_parameter(name) => None,
            Expression::Name(name) => self.scope.coordinates.iter().position(|coordinate| coordinate == name),
            _ => None,
        }
    }

    /// Whether the name is one of the definition that is being expanded.
    pub(super) fn is_parameter(&self, name: &str) -> bool {
        self.frame.bound.iter().any(|(parameter, _)| *parameter == name)
    }

    fn direction(&self, argument: Ref) -> Result<Direction, TextError> {
        match self.frame.syntax.expression(argument) {
            Expression::Name("n") if self.named(argument).is_none() => match self.scope.has_normal() {
                true => Ok(Direction::Normal),
                false => Err(names::no_boundary("the normal `n`", self.frame.syntax.range(argument))),
            },
            _ => self.coordinate(argument, "derivatives are taken by coordinates").map(Direction::Coordinate),
        }
    }

    fn coordinate(&self, argument: Ref, what: &str) -> Result<usize, TextError> {
        self.named(argument).ok_or_else(|| {
            let mistake = TextError::new(self.frame.syntax.range(argument), what).label("not a coordinate");
            match self.scope.coordinates {
                _ if matches!(self.frame.syntax.expression(argument), Expression::Name(name) if self.is_parameter(name)) => {
                    mistake.hint("it is a parameter here: give the parameter another name")
                }
                [] => mistake.hint("no coordinates are known here"),
                coordinates => mistake.hint(format!("the coordinates are {}", list(coordinates))),
            }
        })
    }
}
