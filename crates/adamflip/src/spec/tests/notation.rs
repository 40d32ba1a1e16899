//! Everything that a problem file can say, read as it is written.

use super::*;
use crate::jet::Activation;
use crate::network::{Architecture, Factorized, Fourier};
use crate::spec::{Adaptive, Caputo, Number, Role, ShapeForm, Spec, Term};

/// Every key at least once.
pub(super) const ALL: &str = r#"
title  = "All"
fields = ["u", "v"]

[domain]
x = [-1, 1]
y = [-1, "2*pi"]
t = [0, 1]
inside = "plate - hole"

[shapes]
plate = { box = { x = [-1, 1], y = [-1, 1] } }
hole  = { disk = { center = [0, 0], radius = "0.1*pi" } }
egg   = { ellipse = { center = [0, 0], radii = [2, 1], angle = 0.3 }, axes = ["x", "t"] }
wing  = { polygon = [[0, 0], [1, 0], [1, 1]] }
core  = { ball = { center = [0, 0, 0], radius = 1 } }

[constants]
nu = "0.01/pi"

[define]
flux = "k*u_x"
"g( s, r )" = "exp(-s^2*r)"

[unknowns]
kappa = { start = 1.0, bounds = [0, 10], truth = 0.1 }
k = { of = ["x", "t"], start = 1.0, bounds = [0.1, 5], truth = "1 + x^2", hidden = "2x20" }

[term.pde]
equation = ["u_t = caputo(u, t, nu)", "v = integral(u, x)"]
points = 2000
sampler = "sobol"
adaptive = { method = "rad", power = 2, pool = 5 }
caputo = "lines"
nodes = 16
tolerance = "max < 1e-3"

[term.walls]
equation = "u_n = 0"
cloud = "points.npy"
columns = ["x", "y", "t"]

[term.sensors]
data = "sensors.csv"
noise = 0.01

[term.fluxes]
data = "fluxes.csv"
equation = "k*u_x = flux_x"
weight = 2

[term.virtual]
data = "reference"
on = "x < 0.5 and y > 0"
observe = ["u", "u_x"]
points = 100
noise = 0

[term.late]
on = ["t = 1", "hole", "boundary"]
equation = "u = 0"
points = 100
adaptive = "rar"

[reference]
u = "sin(x)"
data = "burgers.npy"
columns = ["x", "t", "v"]

[network]
hidden = [20, 20]
activation = ["sin", "tanh"]
architecture = "gated"
scale_inputs = false
fourier = { features = 64, scale = 2.0 }
periodic = { x = 1.0, y = "2*pi" }
factorized = { deviation = 0.2 }
separate = true
ansatz = { u = "sin(pi*x) + t*N" }
"#;

fn all() -> Spec {
    assert_eq!(complaints(ALL), "");
    read(ALL).spec
}

fn term<'a>(spec: &'a Spec, name: &str) -> &'a Term {
    spec.terms.iter().find(|term| term.name.value == name).unwrap()
}

fn strings(names: &[crate::diagnostic::Spanned<String>]) -> Vec<&str> {
    names.iter().map(|name| name.value.as_str()).collect()
}

#[test]
fn shapes() {
    let spec = all();
    assert_eq!(spec.domain.len(), 3);
    assert_eq!(spec.inside.unwrap().value, "plate - hole");
    let forms: Vec<&ShapeForm> = spec.shapes.iter().map(|shape| &shape.form).collect();
    assert!(matches!(forms[0], ShapeForm::Box(axes) if axes[1].name.value == "y"));
    assert!(
        matches!(forms[1], ShapeForm::Disk { radius, .. } if radius.value == Number::Text("0.1*pi".into()))
    );
    assert!(matches!(forms[2], ShapeForm::Ellipse { radii, angle: Some(_), .. } if radii.len() == 2));
    assert!(
        matches!(forms[3], ShapeForm::Polygon(corners, _) if corners[2][1].value == Number::Literal(1.0))
    );
    assert!(matches!(forms[4], ShapeForm::Ball { center, .. } if center.len() == 3));
    assert_eq!(forms.iter().map(|form| form.dimension()).collect::<Vec<_>>(), [2, 2, 2, 2, 3]);
    assert_eq!(strings(spec.shapes[2].axes.as_ref().unwrap()), ["x", "t"]);
}

#[test]
fn definitions_and_unknowns() {
    let spec = all();
    assert_eq!((spec.defines[0].name.value.as_str(), spec.defines[0].parameters.is_none()), ("flux", true));
    assert_eq!(spec.defines[1].name.value, "g");
    let parameters = spec.defines[1].parameters.as_ref().unwrap();
    assert_eq!(strings(parameters), ["s", "r"]);
    let place = parameters[1].span;
    assert_eq!(&ALL[place.start - 2..place.end + 2], ", r )");
    assert_eq!((spec.unknowns[0].of.is_none(), spec.unknowns[0].hidden.is_none()), (true, true));
    assert_eq!(strings(spec.unknowns[1].of.as_ref().unwrap()), ["x", "t"]);
    assert_eq!(spec.unknowns[1].hidden.as_deref(), Some(&[20, 20][..]));
    assert_eq!(spec.unknowns[1].truth.as_ref().unwrap().value, Number::Text("1 + x^2".into()));
}

#[test]
fn terms() {
    let spec = all();
    let pde = term(&spec, "pde");
    assert_eq!(pde.adaptive.as_ref().unwrap().value, Adaptive::Rad { power: 2.0, floor: 1.0, pool: 5 });
    assert_eq!((pde.caputo, pde.nodes.as_ref().unwrap().value), (Some(Caputo::Lines), 16));
    let late = term(&spec, "late").adaptive.as_ref().unwrap();
    assert_eq!(late.value, Adaptive::Rar { pool: 10, add: 0.1, limit: 2.0 });
    let walls = term(&spec, "walls");
    assert!(walls.points.is_none() && walls.cloud.as_ref().unwrap().value == "points.npy");
    assert_eq!(strings(walls.columns.as_ref().unwrap()), ["x", "y", "t"]);
    let sensors = term(&spec, "sensors");
    assert!(sensors.points.is_none() && sensors.equations.is_empty() && !sensors.observes_reference());
    let observed = term(&spec, "virtual");
    assert!(observed.observes_reference() && observed.points.as_ref().unwrap().value == 100);
    assert_eq!((strings(&observed.observe), observed.noise), (vec!["u", "u_x"], Some(0.0)));
    let reference = spec.reference.as_ref().unwrap();
    assert_eq!((reference.fields.len(), reference.grid.len()), (1, 0));
    assert_eq!(reference.data.as_ref().unwrap().value, "burgers.npy");
}

#[test]
fn networks() {
    let network = all().network;
    assert_eq!(network.activations, [Activation::Sin, Activation::Tanh]);
    assert_eq!((network.architecture, network.scale_inputs), (Architecture::Gated, false));
    assert_eq!(network.fourier, Some(Fourier { features: 64, scale: 2.0, scales: vec![] }));
    assert_eq!(network.factorized, Some(Factorized { mean: 1.0, deviation: 0.2 }));
    assert_eq!(network.periodic[1].1.as_ref().unwrap().value, Number::Text("2*pi".into()));
    assert!(network.separate && network.ansatz[0].0.as_ref().unwrap().value == "u");
    let short = "[network]\nperiodic = 'x'\nfactorized = true\nansatz = 'x*N'\nactivation = 'sin'\n";
    let network = read(&format!("{SMALL}{short}")).spec.network;
    assert_eq!((network.periodic.len(), network.factorized), (1, Some(Factorized::default())));
    assert!(network.ansatz[0].0.is_none() && network.activations == [Activation::Sin; 4]);
}

#[test]
fn data_is_the_objective_of_an_inverse_problem_and_physics_its_constraints() {
    let roles = |text: &str| read(text).spec.terms.iter().map(|term| term.role).collect::<Vec<_>>();
    let (objective, constraint) = (Role::Objective, Role::Constraint);
    let wall = "[term.wall]\non = 'x = 0'\nequation = 'u = 0'\npoints = 5\n";
    let data = "[term.seen]\ndata = 'a.csv'\n";
    let unknown = "[unknowns]\nk = { start = 1 }\n";
    assert_eq!(roles(&format!("{SMALL}{wall}{data}{unknown}")), [constraint, constraint, objective]);
    assert_eq!(roles(&format!("{SMALL}{wall}{data}")), [objective, constraint, objective]);
    assert_eq!(roles(&format!("{SMALL}{wall}{unknown}")), [objective, constraint]);
    // Somebody must be the objective.
    assert_eq!(roles(&format!("{SMALL}{data}role = 'constraint'\n{unknown}")), [objective, constraint]);
    assert_eq!(roles(&format!("{SMALL}role = 'objective'\n{data}{unknown}")), [objective, objective]);
}

#[test]
fn a_data_file_is_reference_enough_and_a_shape_with_errors_keeps_its_name() {
    assert_eq!(added("[reference]\ndata = 'a.mat'"), "");
    let parsed = read(&format!("{SMALL}[shapes]\nhole = {{ disk = 1 }}\n"));
    assert_eq!((parsed.diagnostics.len(), parsed.spec.shapes[0].name.value.as_str()), (1, "hole"));
    assert!(matches!(&parsed.spec.shapes[0].form, ShapeForm::Box(axes) if axes.len() == 1));
}

/// What must be written, and nothing else.
const SHORT_BURGERS: &str = r#"
fields = ["u"]
[domain]
x = [-1, 1]
t = [0, 1]
[term.pde]
equation = "u_t + u*u_x = 0.01/pi*u_xx"
points = 5000
[term.initial]
on = "t = 0"
equation = "u = -sin(pi*x)"
points = 100
[term.walls]
on = ["x = -1", "x = 1"]
equation = "u = 0"
points = 100
[reference]
u = "cole_hopf(x, t, 0.01/pi)"
"#;

#[test]
fn burgers_fits_into_25_lines() {
    assert!(SHORT_BURGERS.trim().lines().count() <= 25);
    let problem = crate::problem::build(read(SHORT_BURGERS)).unwrap();
    assert_eq!(
        problem.terms.iter().map(|term| term.role).filter(|role| *role == Role::Constraint).count(),
        2
    );
    let places = problem.reference.unwrap().places;
    assert!(matches!(places, crate::problem::Places::Grid(grid) if grid.counts == [201, 201]));
}
