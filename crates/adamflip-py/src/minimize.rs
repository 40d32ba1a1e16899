//! `adamflip.minimize`: the methods on Python functions.

use adamflip::optim::{ConstrainedProblem, StepReport};
use adamflip::{Method, MinimizeOptions};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::functions::{Functions, Objective};
use crate::pool;
use crate::settings;

/// Parameters of a method with dense matrices of them, and constraints of any method, at the most: 3.2 GB a
/// matrix.
const DENSE: usize = 20_000;

type Array<'py> = Bound<'py, PyArray1<f64>>;
/// x, fun, constraints, multipliers, kkt, nit, nfev, status and its sentence, and how many of the constraints
/// are inequalities.
type Minimum<'py> = (Array<'py>, f64, Array<'py>, Array<'py>, f64, usize, usize, &'static str, String, usize);

/// The names of all methods.
#[pyfunction]
pub(crate) fn methods() -> Vec<&'static str> {
    Method::NAMES.to_vec()
}

/// Are some hundreds of steps usual for this method, rather than thousands?
#[pyfunction]
pub(crate) fn takes_few_steps(method: &str) -> PyResult<bool> {
    settings::named(method).map(|method| method.takes_few_steps())
}

/// Minimises `fun`, with the gradient from `jac` where that is given, or ‖residuals‖², subject to all
/// `constraints`, of which the last `inequalities` ask for at most zero; where these have `names`, each is
/// one named constraint. `adamflip.minimize` is the face of this.
///
/// `watch(x, nit, fun, violation, kkt, step)` is called after every step, and says whether to go on.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "called from one place, with all of them")]
pub(crate) fn minimize<'py>(
    py: Python<'py>,
    fun: Py<PyAny>,
    jac: Option<Py<PyAny>>,
    squares: bool,
    constraints: Vec<Py<PyAny>>,
    inequalities: usize,
    names: Option<Vec<String>>,
    x0: PyReadonlyArray1<'py, f64>,
    method: &str,
    settings: &Bound<'py, PyDict>,
    options: (usize, f64, f64),
    watch: Option<Py<PyAny>>,
) -> PyResult<Minimum<'py>> {
    pool::check_process()?;
    let mut θ = x0.as_array().to_vec();
    drop(x0);
    let objective = match (squares, jac) {
        (true, _) => Objective::Residuals(fun),
        (false, Some(jac)) => Objective::Separate(fun, jac),
        (false, None) => Objective::Joint(fun),
    };
    settings::named(method)?;
    let mut functions = Functions::new(py, objective, (constraints, inequalities), names.is_some(), &θ)?;
    let method = settings::method(method, settings, names.as_deref(), functions.constraints())?;
    check_sizes(&method, &functions, squares)?;
    let (steps, tolerance, feasibility) = options;
    let options = MinimizeOptions { steps, tolerance, feasibility };
    let mut watcher = Watcher { watch, steps: 0, error: None };
    let minimum = py.detach(|| {
        // An exception makes every number NaN, which ends the run after the step.
        let mut see = |report: &StepReport, θ: &[f64]| watcher.see(report, θ);
        adamflip::minimize(&mut functions, &mut θ, &method, options, &mut see)
    });
    if let Some(error) = functions.error.take().or(watcher.error) {
        return Err(error);
    }
    let array = |numbers: &[f64]| PyArray1::from_slice(py, numbers);
    Ok((
        array(&θ),
        minimum.objective,
        array(&minimum.constraints),
        array(&minimum.multipliers),
        minimum.kkt,
        minimum.steps,
        functions.calls,
        minimum.status.name(),
        minimum.status.to_string(),
        functions.inequalities(),
    ))
}

fn check_sizes(method: &Method, functions: &Functions, squares: bool) -> PyResult<()> {
    let (n, m, name) = (functions.parameters(), functions.constraints(), method.name());
    if method.uses_curvature() && !squares {
        let message = format!("`{name}` needs the objective as a sum of squares");
        let hint = "give residuals=r with r(x) -> (r, Jacobian of r), or take method=\"trsqp\"";
        return Err(errors::input(message, hint));
    }
    if m > DENSE {
        let message = format!("{m} constraints are more than {DENSE}: their m × m matrix would not fit");
        return Err(errors::input(message, "put some of the constraints into the objective"));
    }
    if method.is_dense() && n > DENSE {
        let message = format!("`{name}` keeps an n × n matrix, too large for {n} parameters");
        return Err(errors::input(message, "take method=\"adamflip_split\" or method=\"lbfgs\""));
    }
    Ok(())
}

/// The callback, and the exception that it raised.
struct Watcher {
    watch: Option<Py<PyAny>>,
    steps: usize,
    error: Option<PyErr>,
}

impl Watcher {
    fn see(&mut self, report: &StepReport, θ: &[f64]) -> bool {
        self.steps += 1;
        let Some(watch) = &self.watch else { return true };
        let StepReport { objective, violation, kkt, step_norm, .. } = *report;
        let go_on = Python::attach(|py| {
            let x = PyArray1::from_slice(py, θ);
            watch.call1(py, (x, self.steps, objective, violation, kkt, step_norm))?.extract::<bool>(py)
        });
        go_on.unwrap_or_else(|error| {
            self.error = Some(error);
            false
        })
    }
}
