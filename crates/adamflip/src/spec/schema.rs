//! What a problem file says, typed but not yet understood: equations are still text.

mod network;
mod shape;
mod term;
mod train;

use std::path::PathBuf;
use std::sync::Arc;

pub use network::{Network, OutputScales};
pub use shape::{Shape, ShapeForm};
pub use term::{Adaptive, Caputo, Measure, OBSERVED_REFERENCE, Role, Symmetry, Term, Tolerance};
pub use train::{Planned, Setting, Stage, Train};

use crate::data::Arrays;
use crate::diagnostic::Spanned;

/// A number written out (`0.5`), or a constant formula (`"0.01/pi"`) that `lang` evaluates later.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A finite number.
    Literal(f64),
    /// A formula.
    Text(String),
}

/// A whole problem file. What was wrong in the file is left out here, or stands as a harmless placeholder
/// where a gap would cause more errors (a constant without a valid value still is a known name).
#[derive(Clone, Debug)]
pub struct Spec {
    /// The file's name without folder and extension.
    pub name: String,
    /// The file's folder, where its data files are sought; empty if the problem did not come from a file.
    pub folder: PathBuf,
    /// Arrays in memory that stand for data files.
    pub arrays: Vec<Arc<Arrays>>,
    /// What the problem is, for people.
    pub title: Option<String>,
    /// The functions sought, one network output each.
    pub fields: Vec<Spanned<String>>,
    /// The coordinates and their ranges, in file order; the network's inputs.
    pub domain: Vec<CoordinateRange>,
    /// The part of the ranges that belongs to the domain, as an expression of shapes: `"plate - hole"`.
    pub inside: Option<Spanned<String>>,
    /// Named shapes, in file order.
    pub shapes: Vec<Shape>,
    /// Named constants, in file order.
    pub constants: Vec<(Spanned<String>, Spanned<Number>)>,
    /// Continuation: constants that come to their value step by step, by number, and the values before.
    pub continuation: Vec<(usize, Vec<Spanned<Number>>)>,
    /// Named expressions and functions, in file order; later ones may use earlier ones.
    pub defines: Vec<Define>,
    /// Unknown coefficients of an inverse problem, in file order.
    pub unknowns: Vec<Unknown>,
    /// The equations, in file order.
    pub terms: Vec<Term>,
    /// The known solution.
    pub reference: Option<Reference>,
    /// The network.
    pub network: Network,
    /// How to train it.
    pub train: Train,
}

/// A coordinate and its range: `x = [-1, 1]`.
#[derive(Clone, Debug)]
pub struct CoordinateRange {
    /// The coordinate's name.
    pub name: Spanned<String>,
    /// The lower end.
    pub lower: Spanned<Number>,
    /// The upper end.
    pub upper: Spanned<Number>,
    /// What was written could not be understood, and harmless ends stand in its place.
    pub refused: bool,
}

/// A named expression, `flux = "k*u_x"`, or function, `"g(s)" = "exp(-s^2)"`.
#[derive(Clone, Debug)]
pub struct Define {
    /// Its name in equations.
    pub name: Spanned<String>,
    /// What a function depends on; never empty. An expression has none.
    pub parameters: Option<Vec<Spanned<String>>>,
    /// What it stands for.
    pub body: Spanned<String>,
}

/// A coefficient to be found: `kappa = { start = 1.0, bounds = [0, 10], truth = 0.1 }`.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// Its name in equations.
    pub name: Spanned<String>,
    /// Where training starts.
    pub start: Spanned<Number>,
    /// The range that it must not leave.
    pub bounds: Option<(Spanned<Number>, Spanned<Number>)>,
    /// The known answer, for the error in the report; a formula of the coordinates `of` if there are any.
    pub truth: Option<Spanned<Number>>,
    /// The coordinates that it depends on, if it is a field with a network of its own.
    pub of: Option<Vec<Spanned<String>>>,
    /// The widths of the hidden layers of that network.
    pub hidden: Option<Vec<usize>>,
}

/// The known solution and the grid on which the error is measured.
#[derive(Clone, Debug)]
pub struct Reference {
    /// A formula for each field that is known by one.
    pub fields: Vec<(Spanned<String>, Spanned<String>)>,
    /// A file with the values of fields.
    pub data: Option<Spanned<String>>,
    /// The names of the columns of a file that does not name them itself.
    pub columns: Option<Vec<Spanned<String>>>,
    /// The number of grid points along each coordinate.
    pub grid: Vec<(Spanned<String>, Spanned<usize>)>,
}
