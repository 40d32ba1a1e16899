//! The layout of h: which neighbouring entries belong to one named constraint, and what they are.

/// What the entries of h are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Each a mean square over the points of its term: never negative.
    MeanSquare,
    /// The residuals of one term at its points.
    Residuals,
}

/// Neighbouring entries of h of one form: a named constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The number of entries.
    pub size: usize,
    /// What they are.
    pub form: Form,
}

impl Block {
    /// So many constraints, each a mean square.
    pub fn mean_squares(size: usize) -> Self {
        Self { size, form: Form::MeanSquare }
    }

    /// The residuals of one constraint at so many points.
    pub fn residuals(size: usize) -> Self {
        Self { size, form: Form::Residuals }
    }
}
