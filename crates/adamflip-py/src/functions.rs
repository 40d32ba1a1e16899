//! Python functions as a [`ConstrainedProblem`].
//!
//! The last evaluation is kept: methods ask for the value at a point and then, where the step is taken, for
//! derivatives at the same point, and functions that return both need not be called twice.
//!
//! A [`ConstrainedProblem`] cannot fail. The first exception is kept instead, every number from then on is
//! NaN, and whoever drives the method looks for it after each step.

use adamflip::optim::{Block, ConstrainedProblem, Evaluation, Want, add_squared_residuals};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array::Returned;
use crate::errors;

/// What there is to minimise.
pub(crate) enum Objective {
    /// x → (f, ∇f).
    Joint(Py<PyAny>),
    /// x → f and x → ∇f.
    Separate(Py<PyAny>, Py<PyAny>),
    /// x → (r, ∂r), with f = ‖r‖².
    Residuals(Py<PyAny>),
}

/// Python functions and what they said last.
pub(crate) struct Functions {
    objective: Objective,
    /// x → (h, J), one after the other.
    constraints: Vec<Py<PyAny>>,
    /// The first of them that asks for at most zero; those before ask for zero.
    first_inequality: usize,
    /// Is each of them one named constraint? Otherwise every entry of h is.
    named: bool,
    /// The entries of each; empty before the first call.
    sizes: Vec<usize>,
    parameters: usize,
    last: Last,
    /// Calls of the objective.
    pub(crate) calls: usize,
    /// The first exception.
    pub(crate) error: Option<PyErr>,
}

/// The last evaluation.
#[derive(Default)]
struct Last {
    θ: Vec<f64>,
    /// Are the derivatives there too?
    derivatives: bool,
    objective: f64,
    gradient: Vec<f64>,
    residuals: Vec<f64>,
    /// ∂r, where there are residuals.
    residual_rows: Vec<f64>,
    constraints: Vec<f64>,
    rows: Vec<f64>,
}

impl Functions {
    /// Calls the functions at the start, which tells how many constraints there are. The last of them are
    /// inequalities.
    pub(crate) fn new(
        py: Python<'_>,
        objective: Objective,
        (constraints, inequalities): (Vec<Py<PyAny>>, usize),
        named: bool,
        start: &[f64],
    ) -> PyResult<Self> {
        let mut functions = Self {
            objective,
            first_inequality: constraints.len().saturating_sub(inequalities),
            constraints,
            named,
            sizes: Vec::new(),
            parameters: start.len(),
            last: Last::default(),
            calls: 0,
            error: None,
        };
        functions.call(py, start, true)?;
        functions.check_start()?;
        Ok(functions)
    }

    /// The entries that ask for at most zero; the last ones.
    pub(crate) fn inequalities(&self) -> usize {
        self.sizes.iter().skip(self.first_inequality).sum()
    }

    fn check_start(&self) -> PyResult<()> {
        let Last { objective, gradient, constraints, rows, .. } = &self.last;
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let parts = [
            (objective.is_finite(), "the objective"),
            (finite(gradient), "the gradient of the objective"),
            (finite(constraints), "a constraint"),
            (finite(rows), "the Jacobian of the constraints"),
        ];
        match parts.iter().find(|(finite, _)| !finite) {
            Some((_, part)) => {
                let message = format!("{part} is infinite or NaN at x0");
                Err(errors::input(message, "start where all values and derivatives are finite"))
            }
            None => Ok(()),
        }
    }

    /// Has Python evaluate at θ.
    fn call(&mut self, py: Python<'_>, θ: &[f64], derivatives: bool) -> PyResult<()> {
        py.check_signals()?;
        self.last.θ.clear();
        self.last.derivatives = self.call_objective(py, θ, derivatives)?;
        self.call_constraints(py, θ)?;
        self.last.θ.extend_from_slice(θ);
        Ok(())
    }

    /// The objective at θ; says whether its gradient came too.
    fn call_objective(&mut self, py: Python<'_>, θ: &[f64], derivatives: bool) -> PyResult<bool> {
        let (n, last) = (self.parameters, &mut self.last);
        self.calls += 1;
        let x = PyArray1::from_slice(py, θ);
        match &self.objective {
            Objective::Joint(fun) => {
                let (f, gradient) = pair(fun.bind(py).call1((x,))?, "fun", "(f, gradient)")?;
                last.objective = scalar(&f)?;
                last.gradient.clear();
                Returned::new(&gradient, "the gradient of `fun`")?.append(&[&[n]], &mut last.gradient)?;
            }
            Objective::Separate(fun, jac) => {
                last.objective = scalar(&fun.bind(py).call1((x,))?)?;
                if !derivatives {
                    return Ok(false);
                }
                let gradient = jac.bind(py).call1((PyArray1::from_slice(py, θ),))?;
                last.gradient.clear();
                Returned::new(&gradient, "the gradient of `jac`")?.append(&[&[n]], &mut last.gradient)?;
            }
            Objective::Residuals(fun) => {
                let (r, rows) = pair(fun.bind(py).call1((x,))?, "residuals", "(r, Jacobian of r)")?;
                let r = Returned::new(&r, "the array of `residuals`")?;
                let count = r.shape().iter().product();
                last.residuals.clear();
                r.append(&[&[count]], &mut last.residuals)?;
                last.residual_rows.clear();
                let rows = Returned::new(&rows, "the Jacobian of `residuals`")?;
                rows.append(&[&[count, n]], &mut last.residual_rows)?;
                last.square(n);
            }
        }
        Ok(true)
    }

    fn call_constraints(&mut self, py: Python<'_>, θ: &[f64]) -> PyResult<()> {
        let (n, last) = (self.parameters, &mut self.last);
        last.constraints.clear();
        last.rows.clear();
        for (number, function) in self.constraints.iter().enumerate() {
            let returned = function.bind(py).call1((PyArray1::from_slice(py, θ),))?;
            let equation = number < self.first_inequality;
            let (name, values_name, rows_name) = if equation {
                ("constraints", "h of `constraints`", "the Jacobian of `constraints`")
            } else {
                ("inequalities", "g of `inequalities`", "the Jacobian of `inequalities`")
            };
            let what = if equation { "(h, Jacobian of h)" } else { "(g, Jacobian of g)" };
            let (h, rows) = pair(returned, name, what)?;
            let h = Returned::new(&h, values_name)?;
            if number == self.sizes.len() {
                self.sizes.push(h.shape().iter().product());
            }
            let m = self.sizes[number];
            // One constraint may come without its axis.
            let (single, row): (&[usize], &[usize]) = if m == 1 { (&[], &[n]) } else { (&[m], &[m, n]) };
            h.append(&[&[m], single], &mut last.constraints)?;
            Returned::new(&rows, rows_name)?.append(&[&[m, n], row], &mut last.rows)?;
        }
        Ok(())
    }
}

impl Last {
    /// f = ‖r‖² and ∇f = 2∂rᵀr.
    fn square(&mut self, n: usize) {
        self.objective = self.residuals.iter().map(|r| r * r).sum();
        self.gradient.clear();
        self.gradient.resize(n, 0.0);
        for (r, row) in self.residuals.iter().zip(self.residual_rows.chunks_exact(n)) {
            self.gradient.iter_mut().zip(row).for_each(|(g, entry)| *g += 2.0 * r * entry);
        }
    }

    fn has(&self, θ: &[f64], derivatives: bool) -> bool {
        self.θ == θ && (self.derivatives || !derivatives)
    }
}

fn pair<'py>(
    returned: Bound<'py, PyAny>,
    name: &str,
    what: &str,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    match returned.cast::<PyTuple>() {
        Ok(tuple) if tuple.len() == 2 => Ok((tuple.get_item(0)?, tuple.get_item(1)?)),
        _ => {
            let class = returned.get_type();
            let message = format!("`{name}` must return the pair {what}, not {}", class.name()?);
            let hint = match name {
                "fun" => {
                    "return value and gradient, or give the gradient as a function of its own: jac=gradient"
                }
                _ => "return the values and their Jacobian, one row a value",
            };
            Err(errors::input(message, hint))
        }
    }
}

fn scalar(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract::<f64>().map_err(|cause| {
        let message = format!("the value that `fun` returns is not a number: {cause}");
        errors::input_from(value.py(), cause, message, "return a float, or an array of no dimensions")
    })
}

impl ConstrainedProblem for Functions {
    fn parameters(&self) -> usize {
        self.parameters
    }

    fn constraints(&self) -> usize {
        self.sizes.iter().sum()
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        let blocks = self.sizes.iter().enumerate().flat_map(|(number, &size)| {
            let block = if number < self.first_inequality { Block::residuals } else { Block::inequalities };
            let (count, each) = if self.named { (1, size) } else { (size, 1) };
            std::iter::repeat_n(block(each), count)
        });
        blocks.collect()
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let derivatives = want != Want::Values;
        if self.error.is_none() && !self.last.has(θ, derivatives) {
            self.error = Python::attach(|py| self.call(py, θ, derivatives)).err();
        }
        if self.error.is_some() {
            out.objective = f64::NAN;
            out.constraints.fill(f64::NAN);
            // The rows must be there, whatever they say.
            out.jacobian.rows_mut().fill(f64::NAN);
            return;
        }
        let Last { objective, gradient, constraints, rows, .. } = &self.last;
        out.objective = *objective;
        out.constraints.copy_from_slice(constraints);
        if !derivatives {
            return;
        }
        out.gradient.copy_from_slice(gradient);
        if let Want::Combination(weights) = want {
            for (w, row) in weights.iter().zip(rows.chunks_exact(self.parameters)) {
                out.gradient.iter_mut().zip(row).for_each(|(g, entry)| *g += w * entry);
            }
        } else {
            out.jacobian.rows_mut().copy_from_slice(rows);
        }
    }

    fn add_gauss_newton(&mut self, θ: &[f64], _weights: &[f64], lower: &mut [f64]) {
        if self.error.is_none() && !self.last.has(θ, true) {
            self.error = Python::attach(|py| self.call(py, θ, true)).err();
        }
        if self.error.is_none() {
            add_squared_residuals(lower, &self.last.residual_rows, self.parameters);
        }
    }
}
