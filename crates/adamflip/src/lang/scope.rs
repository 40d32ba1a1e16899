//! The names that may appear in a text, and what is known of them.

use crate::diagnostic::Spanned;

/// The names that may appear in a text. Leaves refer to them by position.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'a> {
    /// Coordinates, by which one differentiates.
    pub coordinates: &'a [String],
    /// Fields, which a network represents.
    pub fields: &'a [String],
    /// Unknowns of an inverse problem.
    pub unknowns: &'a [String],
    /// Named numbers.
    pub constants: &'a [(String, f64)],
    /// Numbers that belong to the points: columns of data, and the components of the outward normal as `n_x`,
    /// `n_y`, ….
    pub attributes: &'a [String],
    /// Named expressions and functions, each made of those before it.
    pub definitions: &'a [Definition],
    /// The coordinate that is not spatial.
    pub time: Option<usize>,
    /// On which coordinates each field depends: on all where nothing is said.
    pub dependence: &'a [Option<Vec<usize>>],
    /// The range of each coordinate: between them, integrals without limits are taken.
    pub ranges: &'a [(f64, f64)],
}

/// A named expression `flux = "k*u_x"`, or a function `"g(s)" = "exp(-s^2)"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The name by which texts mention it.
    pub name: String,
    /// The parameters of a function.
    pub parameters: Option<Vec<String>>,
    /// What it stands for.
    pub body: Spanned<String>,
    /// Whether [`super::definitions`] has reported an error in it: its uses are then no errors of their
    /// own.
    pub broken: bool,
}

impl Definition {
    /// A definition that nobody has looked at yet.
    pub fn new(name: String, parameters: Option<Vec<String>>, body: Spanned<String>) -> Self {
        Self { name, parameters, body, broken: false }
    }

    /// How it is written where it is used.
    pub(super) fn usage(&self) -> String {
        match &self.parameters {
            Some(parameters) => format!("{}({})", self.name, parameters.join(", ")),
            None => self.name.clone(),
        }
    }
}

impl<'a> Scope<'a> {
    /// All coordinates but time.
    pub(super) fn spatial(&self) -> impl Iterator<Item = usize> + use<'a> {
        let time = self.time;
        (0..self.coordinates.len()).filter(move |&coordinate| Some(coordinate) != time)
    }

    /// Whether the field changes with the coordinate.
    pub(super) fn depends(&self, field: usize, coordinate: usize) -> bool {
        match self.dependence.get(field) {
            Some(Some(on)) => on.contains(&coordinate),
            _ => true,
        }
    }

    /// The coordinates on which the field depends, in the order of the problem.
    pub(super) fn coordinates_of(&self, field: usize) -> Vec<usize> {
        (0..self.coordinates.len()).filter(|&coordinate| self.depends(field, coordinate)).collect()
    }

    /// The component of the normal along a coordinate, as an attribute.
    pub(super) fn normal(&self, coordinate: usize) -> Option<usize> {
        let name = self.coordinates.get(coordinate)?;
        self.attributes.iter().position(|attribute| attribute.strip_prefix("n_") == Some(name))
    }

    /// Whether the points lie on a boundary.
    pub(super) fn has_normal(&self) -> bool {
        self.spatial().any(|coordinate| self.normal(coordinate).is_some())
    }
}
