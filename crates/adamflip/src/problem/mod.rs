//! From a [`Spec`](crate::spec::Spec) to a [`Problem`]: every text understood, every term with its tapes and
//! the derivatives that it needs. Collects all errors of a file.
//!
//! | file | what it understands |
//! | --- | --- |
//! | `build` | the whole file, in order |
//! | `names` | constants, definitions, scopes |
//! | `domain` | ranges and shapes |
//! | `unknown` | coefficients to be found |
//! | `network` | which networks compute the fields, and the ansatz |
//! | `place`, `source`, `data` | where a term's points come from |
//! | `scales` | how large the fields are and how fast they vary, by what the file says of them |
//! | `equations` | what a term says: written equations, measured columns, observations |
//! | `inequality` | inequalities and complementarity as residuals |
//! | `term` | a term as a whole: ansatz, nonlocal operators, residual |
//! | `nonlocal`, `collapse`, `residual` | equations taken apart into sites, streams and tapes |
//! | `reference` | the known solution |
//! | `field_residual` | equations as functions of the fields, before any ansatz |
//! | `plan` | stages of training |
//! | `notation` | expressions that are asked for later |
//! | `windows` | slabs of time that are solved one after the other |
//! | `magnitude` | equations in numbers with the size of their summands |
//! | `construction` | conditions that hold by construction |
//! | `symmetry` | Lie point symmetries as terms |
//! | `at_points` | expressions of the points alone, in numbers |
//! | `size` | whether a run fits in memory |

mod at_points;
mod build;
mod collapse;
mod construction;
mod data;
mod domain;
mod equations;
mod field_residual;
mod inequality;
mod magnitude;
mod names;
mod network;
mod nonlocal;
mod notation;
mod place;
pub mod plan;
mod reference;
mod residual;
mod scales;
mod size;
mod source;
mod symmetry;
mod term;
#[cfg(test)]
mod tests;
mod unknown;
mod windows;

pub use at_points::at_points;
pub use build::build;
pub use collapse::Group;
pub use field_residual::{FieldResidual, Reading};
pub use magnitude::{rms, with_magnitudes};
pub use network::NetworkPlan;
pub use nonlocal::Line;
pub use plan::Stage;
pub use reference::{Grid, Known, Places, Reference};
pub use residual::Residual;
pub use scales::{Scale, Scales};
pub use size::TooLarge;
pub use source::Source;
pub use symmetry::Admission;
pub use unknown::Unknown;
pub use windows::{InterfaceValues, Plan as WindowPlan};

use std::sync::Arc;

use crate::diagnostic::{self, Diagnostic, Source as Text};
use crate::geometry::Domain;
use crate::lang::Leaf;
use crate::optim::Method;
use crate::spec;
pub use crate::spec::{Adaptive, Measure, Role};

/// A problem: named terms, each an equation, a place where it holds, a number of points, and a role.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The file's name without folder and extension.
    pub name: String,
    /// What the problem is, for people.
    pub title: Option<String>,
    /// The coordinates, the network's inputs.
    pub coordinates: Vec<String>,
    /// The fields: those sought, then the coefficients that are fields.
    pub fields: Vec<String>,
    /// How many of the fields are sought.
    pub sought: usize,
    /// The unknown numbers of an inverse problem.
    pub unknowns: Vec<Unknown>,
    /// The ranges of the coordinates, and the shapes in them.
    pub domain: Domain,
    /// The file's network, with what was chosen where it leaves that open.
    pub network: spec::Network,
    /// How large the fields are and how fast they vary, as far as the problem tells.
    pub scales: Scales,
    /// The networks that compute the fields.
    pub networks: Vec<NetworkPlan>,
    /// Every field as an expression of the networks' outputs.
    pub solution: Residual,
    /// The equations.
    pub terms: Vec<Term>,
    /// The known solution.
    pub reference: Option<Reference>,
    /// How to train: seed, points, budget.
    pub train: spec::Train,
    /// Whether it may be solved in slabs of time, one after the other.
    pub windows: Option<WindowPlan>,
    /// Continuation: the same problem with the earlier values of constants that come to theirs step by step.
    pub continuation: Vec<Problem>,
    /// Fresh points every this many steps; 0 means never.
    pub resample: usize,
    /// The stages of training.
    pub stages: Vec<Stage>,
    /// The file that says all this, with everything applied and what was chosen written out.
    pub file: Arc<spec::Resolved>,
    /// What later texts are read with.
    notation: notation::Notation,
}

/// Equations on a set of points.
#[derive(Clone, Debug)]
pub struct Term {
    /// `pde` in `[term.pde]`.
    pub name: String,
    /// The residuals left − right, in mathematical form.
    pub equations: Vec<String>,
    /// Where the points come from.
    pub source: Source,
    /// How many points an equation holds at.
    pub points: usize,
    /// Every point of the source stands for such a line and is its end, where there is one.
    pub line: Option<Line>,
    /// Objective or constraint.
    pub role: Role,
    /// As a constraint: one entry of h for each residual (or one for their mean square); the method decides
    /// where the file does not say.
    pub pointwise: Option<bool>,
    /// The factor of the term's loss.
    pub weight: f64,
    /// What must hold after training: a measure and its limit.
    pub tolerance: Option<(Measure, f64)>,
    /// The coordinate by which the equations differentiate something that jumps along it: the jump is left
    /// out.
    pub jump: Option<usize>,
    /// The residuals as tapes over streams.
    pub residual: Residual,
    /// The interface condition of a later window: the residuals less what they were for the solution of the
    /// window before, which the points have as their last attributes; where the term holds at the first time.
    pub interface: Option<Box<Residual>>,
    /// The same at points of their own, where the term is enforced on lines: as it is judged, with more nodes
    /// than training has.
    pub validation: Option<Box<Term>>,
    /// The residuals of the known solution, from coordinates and attributes; absent where they cannot be had.
    pub reference_residual: Option<crate::lang::Tape>,
    /// How it was decided that the equations admit the symmetry, of a term that has one.
    pub symmetry: Option<Admission>,
    /// The fields are projected onto what it says.
    pub projected: bool,
    /// Is every equation a sum with a derivative of a field in it?
    pub is_differential: bool,
    /// Every equation as a function of the fields themselves, before any ansatz; absent where it depends on
    /// more.
    pub in_fields: Vec<Option<FieldResidual>>,
}

impl Problem {
    /// Are the equations of the objective a system that vanishes at the solution, no more equations than
    /// fields, and says nobody what one of them counts for? Then their weights against each other are free.
    /// What is not to vanish, an energy, a distance, data with noise, is another problem with other weights.
    pub(crate) fn has_free_weights(&self) -> bool {
        let soft = || self.terms.iter().filter(|term| term.role == Role::Objective);
        let is_free = |term: &Term| {
            let is_drawn = term.is_everywhere_inside() && term.measured().is_empty();
            is_drawn && term.is_differential && term.weight == 1.0
        };
        // What holds everywhere beside the objective leaves it a choice.
        let is_condition = |term: &Term| term.role == Role::Objective || !term.is_everywhere_inside();
        let equations: usize = soft().map(|term| term.residual.equations()).sum();
        (2..=self.sought).contains(&equations)
            && soft().all(is_free)
            && self.terms.iter().all(|term| is_condition(term) && !term.is_inequality())
    }
}

impl Term {
    /// How many points each of its source stands for.
    pub fn nodes(&self) -> usize {
        self.line.as_ref().map_or(1, |line| line.nodes.len())
    }

    /// Is it an equation all over the domain, not on a part of it or its boundary?
    pub fn is_everywhere_inside(&self) -> bool {
        let Source::Drawn { place, .. } = &self.source else { return false };
        place.parts.iter().all(|part| part.fixed.is_empty() && part.boundary.is_none())
    }

    /// The place of a residual: of a point on a line, by the number of the residual there, the node to which
    /// it belongs.
    pub fn place(&self, mut point: Vec<f64>, residual: usize) -> Vec<f64> {
        if let Some(line) = &self.line {
            let end = point[line.coordinate];
            point[line.coordinate] = line.at(residual / self.equations.len(), end);
        }
        point
    }

    /// The term as it is judged after training.
    pub fn validation(&self) -> &Term {
        self.validation.as_deref().unwrap_or(self)
    }

    /// The attributes that hold what was measured: those of its data that the equations read.
    pub fn measured(&self) -> Vec<usize> {
        let attribute = |leaf: &Leaf| match leaf {
            Leaf::Attribute(index) => Some(*index),
            _ => None,
        };
        match self.source {
            Source::Drawn { .. } | Source::Given { measured: false, .. } => Vec::new(),
            Source::Given { .. } | Source::Observed { .. } => {
                self.residual.precomputed.inputs().iter().filter_map(attribute).collect()
            }
        }
    }

    /// Are its equations inequalities?
    pub fn is_inequality(&self) -> bool {
        self.residual.is_inequality()
    }

    /// Whether it is met at every point on its own in a stage of this method.
    pub fn is_pointwise(&self, method: &Method) -> bool {
        let chosen = |default| self.pointwise.unwrap_or(default);
        self.role == Role::Constraint && method.pointwise().is_some_and(chosen)
    }
}

/// A problem or an expression with errors: all of them, each with its place and what to do. Displays them
/// as the program shows them, without colours.
#[derive(Clone, Debug)]
pub struct BuildError {
    /// The texts that the spans point into.
    pub sources: Vec<Text>,
    /// The errors.
    pub diagnostics: Vec<Diagnostic>,
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(diagnostic::render(&self.sources, &self.diagnostics, false).trim_end())
    }
}

impl std::error::Error for BuildError {}
