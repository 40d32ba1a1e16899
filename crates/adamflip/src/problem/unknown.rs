//! Unknown coefficients and the smooth transform that keeps them within bounds.

use super::names::{Names, number};
use crate::diagnostic::{Diagnostic, Spanned};
use crate::spec::{self, Number};

/// An unknown coefficient κ, trained beside the network's parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// Its name in equations.
    pub name: String,
    /// Where training starts.
    pub start: f64,
    /// The open interval that it must not leave.
    pub bounds: Option<(f64, f64)>,
    /// The known answer.
    pub truth: Option<f64>,
}

impl Unknown {
    /// κ and dκ/dp from the trained parameter p: κ = p, or lower + (upper − lower)/(1 + e^{−p}) within
    /// bounds.
    pub fn value(&self, parameter: f64) -> (f64, f64) {
        match self.bounds {
            None => (parameter, 1.0),
            Some((lower, upper)) => {
                let logistic = 1.0 / (1.0 + (-parameter).exp());
                let width = upper - lower;
                (lower + width * logistic, width * logistic * (1.0 - logistic))
            }
        }
    }

    /// The parameter p of the start.
    pub fn parameter(&self) -> f64 {
        match self.bounds {
            None => self.start,
            Some((lower, upper)) => logit(self.start, lower, upper),
        }
    }
}

impl Unknown {
    /// Where training really begins: inside the bounds.
    pub fn first(&self) -> f64 {
        match self.bounds {
            Some((lower, upper)) if self.start <= lower || self.start >= upper => {
                self.value(self.parameter()).0
            }
            _ => self.start,
        }
    }
}

/// The argument at which the logistic function between two bounds has this value.
pub(super) fn logit(value: f64, lower: f64, upper: f64) -> f64 {
    // A start on a bound would have an infinite parameter: it moves inside by a thousandth of the range.
    // Others stay where they are, to rounding.
    let on_bound = value <= lower || value >= upper;
    let (least, most) = if on_bound { (1e-3, 1.0 - 1e-3) } else { (f64::MIN_POSITIVE, 1.0 - f64::EPSILON) };
    let fraction = ((value - lower) / (upper - lower)).clamp(least, most);
    (fraction / (1.0 - fraction)).ln()
}

/// The unknown numbers of a file; unknown fields have networks of their own, but their bounds are checked
/// here too.
pub(super) fn unknowns(spec: &spec::Spec, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Vec<Unknown> {
    let scope = names.constant_scope();
    let mut found = Vec::new();
    for unknown in &spec.unknowns {
        let mut value = |n: &Spanned<Number>| number(n, &scope, diagnostics);
        let start = value(&unknown.start);
        let bounds = unknown.bounds.as_ref().map(|(lower, upper)| (value(lower), value(upper)));
        let truth = unknown.truth.as_ref().filter(|_| unknown.of.is_none()).and_then(&mut value);
        let bounds = bounds.and_then(|(lower, upper)| lower.zip(upper));
        let place = unknown.bounds.as_ref().map_or(unknown.start.span, |(lower, _)| lower.span);
        if let Some((lower, upper)) = bounds.filter(|(lower, upper)| !(upper - lower).is_finite()) {
            let message = format!("the bounds of `{}` are too far apart", unknown.name.value);
            let label = format!("from {lower:e} to {upper:e}");
            let hint = "leave `bounds` away, or say what it can be at most";
            diagnostics.push(Diagnostic::new(place, message).label(label).hint(hint));
        }
        if let Some((lower, upper)) = bounds.filter(|(lower, upper)| lower >= upper) {
            let message =
                format!("the bounds of `{}` are empty: {lower} is not below {upper}", unknown.name.value);
            let label = if lower == upper { "no length" } else { "lower end first" };
            let hint = "the first of `bounds` is the least that it can be, the second the most";
            diagnostics.push(Diagnostic::new(place, message).label(label).hint(hint));
        } else if let (Some(start), Some((lower, upper))) = (start, bounds)
            && !(lower <= start && start <= upper)
        {
            diagnostics.push(
                Diagnostic::new(
                    unknown.start.span,
                    format!("`{}` starts outside its bounds", unknown.name.value),
                )
                .label(format!("{start} is not in [{lower}, {upper}]"))
                .hint("choose a start between the bounds"),
            );
        }
        if unknown.of.is_none() {
            let name = unknown.name.value.clone();
            found.push(Unknown { name, start: start.unwrap_or(0.0), bounds, truth });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_inside_the_bounds_stay_where_they_are() {
        let start = |start| {
            let unknown = Unknown { name: "k".into(), start, bounds: Some((0.0, 10.0)), truth: None };
            unknown.value(unknown.parameter()).0
        };
        // Rounding of exp and ln, relative to the value.
        assert!((start(1e-3) - 1e-3).abs() < 1e-15 && (start(9.9999) - 9.9999).abs() < 1e-12);
        assert!((start(1e-20) / 1e-20 - 1.0).abs() < 1e-12);
        assert!((start(0.0) - 0.01).abs() < 1e-12 && (start(10.0) - 9.99).abs() < 1e-12);
    }

    #[test]
    fn transform_returns_to_the_start_and_has_the_right_slope() {
        let unknown = Unknown { name: "k".into(), start: 1.0, bounds: Some((0.0, 10.0)), truth: None };
        let p = unknown.parameter();
        let (value, slope) = unknown.value(p);
        // Rounding of exp and ln.
        assert!((value - 1.0).abs() < 1e-13);
        // A central difference with step 1e-6 is good to about 1e-9.
        let difference = (unknown.value(p + 1e-6).0 - unknown.value(p - 1e-6).0) / 2e-6;
        assert!((slope - difference).abs() < 1e-8);
    }
}
