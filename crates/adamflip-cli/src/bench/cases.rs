//! The cases of the benchmark: problems at fixed sizes, those of `bench/peers`.

use adamflip::optim::Method;
use adamflip::problem::plan::with_method;
use adamflip::spec;

use adamflip_run::{RunError, Task};

/// A shipped problem at a fixed size.
pub(super) struct Case {
    pub(super) name: &'static str,
    text: &'static str,
    hidden: &'static str,
    /// Points of the equation, of the initial condition and of the walls.
    points: [usize; 3],
}

const BURGERS: &str = include_str!("../../../../problems/burgers_forward.toml");
const HEAT: &str = include_str!("../../../../problems/heat_forward.toml");
const NAVIER_STOKES: &str = include_str!("../../../../bench/problems/navier_stokes.toml");

#[rustfmt::skip]
pub(super) const CASES: [Case; 4] = [
    Case { name: "burgers",       text: BURGERS,       hidden: "8x20", points: [100, 100, 100] },
    Case { name: "burgers_large", text: BURGERS,       hidden: "8x20", points: [20_000, 100, 100] },
    Case { name: "heat",          text: HEAT,          hidden: "6x64", points: [2_000, 500, 500] },
    Case { name: "navier_stokes", text: NAVIER_STOKES, hidden: "6x64", points: [2_000, 500, 500] },
];

/// The names of all cases.
pub(crate) const NAMES: [&str; 4] = [CASES[0].name, CASES[1].name, CASES[2].name, CASES[3].name];

/// The methods that run where none is named: not those that keep a matrix of all parameters by all, whose
/// steps are of another kind, and which at the widths of these cases take gigabytes, nor those whose steps
/// are much like another's.
pub(crate) const METHODS: [&str; 9] =
    ["adam", "fl", "fl_momentum", "adamflip", "adamflip_metric", "adamflip_split", "al", "lbfgs", "trsqp"];

/// Steps without end: the clock ends a measurement.
const ENDLESS: usize = 1 << 40;

impl Case {
    /// The case under a method, if asked for with another number of points in the interior.
    pub(super) fn task(&self, method: &Method, interior: Option<u64>) -> Result<Task, RunError> {
        let [pde, initial, walls] = self.points;
        let set = vec![
            format!("term.pde.points={}", interior.unwrap_or(pde as u64)),
            format!("term.initial.points={initial}"),
            format!("term.walls.points={walls}"),
            format!("network.hidden={}", self.hidden),
            "network.activation=tanh".to_owned(),
            // Points drawn again would be timed with the step.
            "train.resample=0".to_owned(),
        ];
        let overrides = spec::Overrides { profile: None, set };
        let problem =
            adamflip_run::build(spec::parse(&format!("{}.toml", self.name), self.text, &overrides))?;
        let mut stages = with_method(&problem.stages, method);
        stages.iter_mut().for_each(|stage| stage.steps = ENDLESS);
        adamflip_run::fits(&problem, &stages)?;
        Ok(Task { problem, seed: 0, stages, method: method.name() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_the_sizes_of_its_row() {
        for case in &CASES {
            let task = case.task(&Method::named("adamflip").unwrap(), None).unwrap();
            let points: Vec<usize> = task.problem.terms.iter().map(|term| term.points).collect();
            assert_eq!(points, case.points, "{}", case.name);
            assert_eq!(task.stages.len(), 1);
            let more = case.task(&Method::named("adam").unwrap(), Some(7)).unwrap();
            assert_eq!(more.problem.terms[0].points, 7);
        }
    }
}
