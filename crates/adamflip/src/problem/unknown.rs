//! Unknown coefficients and the smooth transform that keeps them within bounds.

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
    /// κ and dκ/dp from the trained parameter p: κ = p, or lower + (upper − lower)/(1 + e^{−p}) within bounds.
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
            Some((lower, upper)) => {
                // A start on a bound would have an infinite parameter, and one very near it hardly a slope: starts on a
                // bound move inside by a thousandth of the range, others stay where they are.
                let on_bound = self.start <= lower || self.start >= upper;
                let margin = if on_bound { 1e-3 } else { 1e-12 };
                let fraction = ((self.start - lower) / (upper - lower)).clamp(margin, 1.0 - margin);
                (fraction / (1.0 - fraction)).ln()
            }
        }
    }
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
