//! Exported files, opened by the programs that they are written for.

use std::fs::File;
use std::path::Path;

use adamflip::evaluate;
use adamflip::export::tensorboard::EventWriter;
use adamflip::export::{Fields, Table, npy, npz, onnx, vtk};
use adamflip::geometry::{Domain, Place, Windows};
use adamflip::model::Model;
use adamflip::problem::Problem;
use adamflip::sample::{self, Sampler};
use adamflip::train;

use crate::{python, shipped};

/// Writes the solution as ONNX, and beside it points with the fields that we compute there.
fn write_onnx(folder: &Path, name: &str, problem: &Problem, model: &Model, θ: &[f64]) {
    let bytes = onnx::bytes(problem, model, θ).unwrap_or_else(|error| panic!("{name}: {error}"));
    std::fs::write(folder.join(name).with_extension("onnx"), bytes).unwrap();
    let domain = Domain::new(problem.domain.lower.clone(), problem.domain.upper.clone()).unwrap();
    let rng = &mut sample::stream(5, 0);
    let points = sample::draw(&domain, &Place::default(), Sampler::Uniform, 333, rng).unwrap();
    let columns = evaluate::predict(problem, model, θ, &points);
    let rows: Vec<f64> = points.iter().flatten().collect();
    let fields: Vec<f64> =
        (0..points.len()).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
    let file = File::create(folder.join(name).with_extension("npz")).unwrap();
    let shapes = [[points.len(), points.dimension()], [points.len(), columns.len()]];
    npz::write(file, &[("points", &shapes[0], &rows), ("fields", &shapes[1], &fields)]).unwrap();
}

/// Networks whose biases are not zero.
fn disturbed(problem: &Problem, seed: u64) -> (Model, Vec<f64>) {
    let (model, mut θ) = train::model(problem, seed);
    let rng = &mut sample::stream(seed, 1);
    θ.iter_mut().for_each(|θ| *θ += 0.1 * sample::normal(rng));
    (model, θ)
}

fn parse(text: &str) -> Problem {
    crate::testing::problem(text)
}

#[test]
fn onnx_of_every_shipped_problem() {
    let folder = tempfile::tempdir().unwrap();
    for name in shipped::shipped() {
        let problem = shipped::build(&name, Vec::new());
        let (model, θ) = train::model(&problem, 3);
        write_onnx(folder.path(), &name, &problem, &model, &θ);
    }
    let Some(printed) = python::run("read_onnx.py", &[folder.path()]) else { return };
    assert_eq!(printed.lines().count(), shipped::shipped().len(), "{printed}");
}

/// Every architecture with every activation, embeddings, factorized weights, several networks, and every
/// function in the ansatz.
#[test]
fn onnx_of_every_kind_of_network() {
    let folder = tempfile::tempdir().unwrap();
    let text = |fields: &str, network: &str| {
        format!(
            "fields = [{fields}]\n[domain]\nx = [100, 102]\ny = [-0.9, 0.9]\nt = [0, 1]\n[constants]\nc = 0.3\n[unknowns]\n\
             k = {{ start = 2, bounds = [1, 4] }}\nq = {{ of = [\"y\"], start = 1.5, bounds = [1, 2], hidden = \"1x5\" }}\n\
             [term.a]\nequation = \"u_x = k*q\"\npoints = 4\n[network]\n{network}"
        )
    };
    for architecture in ["mlp", "gated", "residual"] {
        for activation in ["tanh", "sin", "swish", "gelu", "softplus"] {
            let network = format!(
                "hidden = [8, 8, 8, 8]\narchitecture = \"{architecture}\"\nactivation = \"{activation}\"\nfactorized = true\n\
                 fourier = {{ features = 6, scale = 2.0 }}\nperiodic = [\"x\"]\nseparate = true"
            );
            let problem = parse(&text("\"u\", \"v\"", &network));
            let (model, θ) = disturbed(&problem, 2);
            write_onnx(folder.path(), &format!("{architecture}_{activation}"), &problem, &model, &θ);
        }
    }
    let functions = [
        "sin(x)*cos(y)",
        "tan(y)",
        "asin(y)*acos(y)",
        "atan(x - 101) + atan(1e200*y) + atan(y)",
        "sinh(y)*cosh(x - 101)",
        "tanh(y)*exp(t)",
        "log(x)*sqrt(t)",
        "abs(y)*sign(t - 0.5)",
        "erf(y) + erf(4*y)",
        "min(y, t)*max(y, c)",
        "where(y < t and x <= 101, y^3, t^2.5)",
        "k^y/(1 + t)",
        "x^-3 - y",
        "1/3",
    ];
    for (number, function) in functions.iter().enumerate() {
        let problem = parse(&text("\"u\"", &format!("hidden = [7]\nansatz = \"{function} + t*N^2 - N\"")));
        let (model, θ) = disturbed(&problem, 4);
        write_onnx(folder.path(), &format!("function_{number}"), &problem, &model, &θ);
    }
    let windows = Windows { coordinate: 1, bounds: vec![0.0, 0.2, 0.5, 1.0] };
    let problem = parse(
        "fields = [\"u\", \"v\"]\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.a]\nequation = \"u_t = v\"\npoints = 4\n[network]\nhidden = [7]\n\
         separate = true",
    );
    let model = train::model_of(&problem, 1, Some(&windows));
    let rng = &mut sample::stream(1, 1);
    let θ: Vec<f64> = (0..model.parameters()).map(|_| sample::normal(rng)).collect();
    write_onnx(folder.path(), "windows", &problem, &model, &θ);
    python::run("read_onnx.py", &[folder.path()]);
}

/// A line of `read_npz.py`.
fn line(name: &str, shape: &str, values: &[f64]) -> String {
    let bits: Vec<String> = values.iter().map(|value| format!("{:x}", value.to_bits())).collect();
    format!("{name}|{shape}|{}\n", bits.join(" "))
}

#[test]
fn numpy_reads_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let odd = [0.1, -0.0, f64::NAN, f64::INFINITY, 5e-324, f64::MAX];
    let path = folder.path().join("a.npz");
    let arrays: [(&str, &[usize], &[f64]); 4] =
        [("u", &[2, 3], &odd), ("u_x/2 (é)", &[6], &odd), ("one", &[], &[2.5]), ("none", &[0, 4], &[])];
    npz::write(File::create(&path).unwrap(), &arrays).unwrap();
    let Some(printed) = python::run("read_npz.py", &[path]) else { return };
    let expected = [
        line("u", "2 3", &odd),
        line("u_x/2 (é)", "6", &odd),
        line("one", "", &[2.5]),
        line("none", "0 4", &[]),
    ];
    assert_eq!(printed, expected.concat());

    let path = folder.path().join("a.npy");
    let mut table = npy::Npy::new(File::create(&path).unwrap(), 3, 2).unwrap();
    table.rows(&[&odd[..2], &odd[3..5]]).unwrap();
    table.rows(&[&odd[2..3], &odd[5..]]).unwrap();
    table.finish().unwrap();
    let rows: Vec<f64> = (0..3).flat_map(|i| [odd[i], odd[i + 3]]).collect();
    assert_eq!(python::run("read_npz.py", &[path]).unwrap(), line("", "3 2", &rows));
}

#[test]
fn vtk_reads_dimensions_and_values() {
    let text = "fields = [\"u\", \"v\"]\n[domain]\nx = [-1, 1]\ny = [2, 3]\nt = [0, 1]\n[term.a]\nequation = \"u = v\"\npoints = 4\n\
                [network]\nhidden = [3]\n[reference]\nu = \"x + 10*y + 100*t\"\ngrid = { x = 3, y = 5, t = 2 }";
    let problem = parse(text);
    let (model, θ) = train::model(&problem, 0);
    let fields = Fields::new(&problem, &model, &θ).unwrap();
    let series = vtk::Series::new(&fields).unwrap();
    assert_eq!(series.times(), [0.0, 1.0]);
    let folder = tempfile::tempdir().unwrap();
    let paths = ["0.vti", "1.vti"].map(|name| folder.path().join(name));
    for (index, path) in paths.iter().enumerate() {
        series.write(index, &mut File::create(path).unwrap()).unwrap();
    }
    let Some(printed) = python::run("read_vti.py", &paths) else { return };
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 2 * 6, "{printed}");
    assert_eq!(lines[..3], ["3 5 1", "-1.0 2.0 0.0", "1.0 0.25 1.0"]);
    let names = |line: &str| line.split_once('|').unwrap().0.to_owned();
    assert_eq!(lines[3..6].iter().map(|line| names(line)).collect::<Vec<_>>(), ["u", "v", "u_reference"]);
    let numbers = |line: &str| -> Vec<f64> {
        line.split_once('|').unwrap().1.split(' ').map(|number| number.parse().unwrap()).collect()
    };
    for (time, first) in [0.0, 100.0].into_iter().zip([0, 6]) {
        // VTK's order: x fastest, then y.
        let places = (0..5).flat_map(|y| (0..3).map(move |x| (x, y)));
        let expected: Vec<f64> = places
            .clone()
            .map(|(x, y)| f64::from(x) - 1.0 + 10.0 * (2.0 + 0.25 * f64::from(y)) + time)
            .collect();
        // The sums are exact in binary but for the order of additions.
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        assert!(numbers(lines[first + 5]).iter().zip(&expected).all(close), "{printed}");
        let v: Vec<f64> = places
            .map(|(x, y): (i32, i32)| {
                fields.columns[1].1[(x * 10 + y * 2) as usize + usize::from(time > 0.0)]
            })
            .collect();
        assert_eq!(numbers(lines[first + 4]), v);
    }
}

#[test]
fn tensorboard_reads_the_scalars() {
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(folder.path().join("events.out.tfevents.1")).unwrap();
    let mut events = EventWriter::new(file, 1000.0).unwrap();
    events.scalar(0, 1000.5, "loss/pde", 0.25).unwrap();
    events.scalars(300, 1001.5, [("loss/pde", 0.125), ("kappa", -3.0)]).unwrap();
    events.flush().unwrap();
    let Some(printed) = python::run("read_events.py", &[folder.path()]) else { return };
    let mut lines: Vec<&str> = printed.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["kappa|300|1001.5|-3.0", "loss/pde|0|1000.5|0.25", "loss/pde|300|1001.5|0.125"]);
}
