//! Whole figures: how many panels, and what stands above them.

use super::*;
use crate::evaluate;
use crate::problem::Grid;
use crate::train::Trainer;

/// The figure of a problem with a small network that was not trained.
fn draw_text(text: &str) -> String {
    draw_with(text, |_| {})
}

/// As [`draw_text`], after a change of the problem.
fn draw_with(text: &str, change: impl Fn(&mut Problem)) -> String {
    let text = format!("{text}\n[network]\nhidden = [3]\n");
    let mut problem = crate::testing::problem(&text);
    change(&mut problem);
    let trainer = Trainer::new(problem, 0, Vec::new()).unwrap();
    let model = trainer.objective().model();
    let errors = evaluate::errors(trainer.problem(), model, trainer.θ()).unwrap();
    solution(trainer.problem(), model, trainer.θ(), &errors).unwrap()
}

fn draw(coordinates: &[&str], fields: &[&str], rest: &str) -> String {
    let axes: String = coordinates.iter().map(|c| format!("{c} = [0, 2]\n")).collect();
    let equations: Vec<String> = fields.iter().map(|f| format!("\"{f} = 1\"")).collect();
    let equations = equations.join(", ");
    draw_text(&format!(
        "fields = {fields:?}\n[domain]\n{axes}[term.pde]\nequation = [{equations}]\npoints = 4\n{rest}"
    ))
}

/// Maps and plots: a map has two frames, its own and that of its colour bar, which is 14 wide; a plot has
/// one.
fn panels(svg: &str) -> (usize, usize) {
    let frames = svg.matches(r##"fill="none" stroke="#333333""##).count();
    let maps = svg.matches(r#"width="14.0""#).count() / 2;
    (maps, frames - 2 * maps)
}

/// Coordinates, fields, reference; how many maps and plots, and a text among them.
type Case<'a> = (&'a [&'a str], &'a [&'a str], &'a str, (usize, usize), &'a str);

#[test]
fn every_field_has_its_row() {
    let both = "[reference]\nu = \"x\"\nv = \"x\"";
    let (u, v) = ("[reference]\nu = \"x\"", "[reference]\nv = \"x\"");
    #[rustfmt::skip]
    let cases: [Case<'_>; 9] = [
        (&["x", "t"],           &["u"],      u,    (3, 0), "absolute error"),
        (&["x", "y"],           &["u", "v"], both, (6, 0), "reference"),
        (&["x", "y", "t"],      &["u"],      u,    (9, 0), "u at t = 1"),
        (&["x", "y", "t"],      &["u", "v"], both, (6, 0), "v at t = 2"),
        (&["x", "y", "t"],      &["u", "v"], v,    (4, 0), "u at t = 2"),
        (&["x", "y", "z", "t"], &["u"],      "",   (3, 0), "u at t = 0, z = 1"),
        (&["x"],                &["u"],      u,    (0, 2), "reference"),
        (&["x"],                &["u", "v"], v,    (0, 3), "absolute error of v"),
        (&["t"],                &["u"],      "",   (0, 1), ">t<"),
    ];
    for (coordinates, fields, reference, count, text) in cases {
        let svg = draw(coordinates, fields, reference);
        assert_eq!(panels(&svg), count, "{coordinates:?} {fields:?}");
        assert!(svg.contains(text), "{text}: {coordinates:?} {fields:?}");
    }
}

#[test]
fn figures_of_many_coordinates_stay_small_and_say_where_they_are_cut() {
    let names: Vec<String> = (1..=15).map(|c| format!("x{c}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let svg = draw(&names[..10], &["u"], "[reference]\nu = \"x1*x10\"");
    assert_eq!(panels(&svg), (3, 0));
    assert!(svg.contains(">u at x3 … x10 = 1</text>"));
    let with_time: Vec<&str> = names.iter().copied().chain(["t"]).collect();
    let svg = draw(&with_time, &["u"], "");
    assert_eq!(panels(&svg), (3, 0));
    // Time stands alone, though its middle is that of the others.
    assert!(svg.contains(">u at t = 1, x3 … x15 = 1</text>"));
    assert!(draw(&names[..4], &["u"], "").contains(">u at x3 = x4 = 1</text>"));
}

#[test]
fn coefficients_are_drawn_over_their_own_coordinates() {
    let k = |of: &str, truth: &str| format!("[unknowns]\nk = {{ of = [{of}], start = 1.0{truth} }}");
    let svg = draw(&["x", "t"], &["u"], &k("\"x\"", ", truth = \"1 + x^2\""));
    assert_eq!(panels(&svg), (1, 2), "a map of u, two plots of k");
    assert!(svg.contains("absolute error of k") && svg.contains(">reference<"));
    assert_eq!(panels(&draw(&["x", "t"], &["u"], &k("\"t\"", ""))), (1, 1));
    let svg = draw(&["x", "y", "t"], &["u"], &k("\"x\", \"y\"", ", truth = \"x*y\""));
    assert_eq!(panels(&svg), (4, 0), "u at the end, k without a time");
    assert!(svg.contains(">k</text>") && svg.contains(">u at t = 2</text>"));
}

const DISK: &str = "fields = [\"u\"]\n[domain]\nx = [-1, 1]\ny = [-1, 1]\ninside = \"a - b\"\n\
    [shapes]\na = { disk = { center = [0, 0], radius = 1 } }\nb = { disk = { center = [0.3, 0], radius = 0.4 } }\n\
    [term.a]\nequation = \"u = 0\"\npoints = 9\n[reference]\nu = \"x^2 + y^2\"\n";

#[test]
fn outside_of_shapes_is_blank() {
    let svg = draw_text(DISK);
    assert_eq!(panels(&svg), (3, 0));
    assert!(!svg.contains("grey"), "nothing is missing inside");
    assert!(svg.contains("0.5") && svg.contains("1.0"), "the scale is that of the values inside");
    let gap = draw_text(&DISK.replace("x^2 + y^2", "log(x)"));
    assert!(gap.contains("grey: not a finite number"));
}

/// Puts the reference of field 0 at scattered points.
fn scatter(problem: &mut Problem) {
    let mut points = crate::geometry::Points::new(problem.coordinates.len(), 5);
    for c in 0..problem.coordinates.len() {
        let column = points.column_mut(c);
        column.copy_from_slice(&[0.1, 0.3, 0.5, 0.7, 0.9]);
        column.rotate_left(c);
    }
    let fields = vec![(0, Known::Values(vec![1.0, 2.0, 3.0, 4.0, 5.0]))];
    problem.reference =
        Some(crate::problem::Reference { fields, places: Places::Points(points), notes: Vec::new() });
}

#[test]
fn scattered_references_are_dots() {
    let text = |axes: &str| {
        format!("fields = [\"u\"]\n[domain]\n{axes}\n[term.a]\nequation = \"u = 0\"\npoints = 9\n")
    };
    let circles = |svg: &str| (svg.matches("<circle").count(), svg.matches("a2 2 0 1 0 4 0a").count());
    let line = draw_with(&text("t = [0, 1]"), scatter);
    // Five values and a mark in the legend, five errors.
    assert_eq!((panels(&line), circles(&line)), ((0, 2), (0, 11)));
    let plane = draw_with(&text("x = [0, 1]\ny = [0, 1]"), scatter);
    assert_eq!((panels(&plane), circles(&plane)), ((3, 0), (10, 0)));
    let space = draw_with(&text("x = [0, 1]\ny = [0, 1]\nz = [0, 1]"), scatter);
    assert_eq!((panels(&space), circles(&space)), ((1, 0), (0, 0)));
}

#[test]
fn a_cut_takes_the_right_nodes() {
    let text = "fields = [\"u\"]\n[domain]\nt = [0, 1]\nx = [0, 1]\ny = [0, 1]\n[term.a]\nequation = \"u = 0\"\npoints = 1\n\
                [unknowns]\nk = { of = [\"y\"], start = 1.0 }";
    let problem = crate::testing::problem(text);
    let grid = Grid { lower: vec![0.0; 3], upper: vec![1.0; 3], counts: vec![2, 3, 4] };
    // Values that spell their node: t x y.
    let mut values: Vec<f64> =
        (0..24).map(|i| f64::from(100 * (i / 12) + 10 * (i / 4 % 3) + i % 4)).collect();
    let view = View::of(&problem, 0, Detail::Overview);
    let cuts = view.cuts(&grid);
    let plane = view.plane(&grid, &cuts[cuts.len() - 1], &values);
    assert_eq!((view.across, view.up), (1, Some(2)));
    assert_eq!(plane, [100, 101, 102, 103, 110, 111, 112, 113, 120, 121, 122, 123].map(f64::from));
    // Of a coefficient of y, the first value that is a number.
    let view = View::of(&problem, 1, Detail::Overview);
    values[2] = f64::NAN;
    assert_eq!(view.plane(&grid, &view.cuts(&grid)[0], &values), [0.0, 1.0, 12.0, 3.0]);
}

/// The reference of three by three nodes is drawn on these, the network between them too.
#[test]
fn a_coarse_table_does_not_make_the_network_coarse() {
    let coarse = |problem: &mut Problem| {
        let grid = crate::problem::Grid { lower: vec![0.0; 2], upper: vec![1.0; 2], counts: vec![3; 2] };
        let fields = vec![(0, Known::Values((0..9).map(f64::from).collect()))];
        problem.reference =
            Some(crate::problem::Reference { fields, places: Places::Grid(grid), notes: Vec::new() });
    };
    let text =
        "fields = [\"u\"]\n[domain]\nx = [0, 1]\ny = [0, 1]\n[term.a]\nequation = \"u = 0\"\npoints = 9\n";
    let svg = draw_with(text, coarse);
    assert_eq!(panels(&svg), (3, 0));
    // Maps and their colour bars in turn: network, reference, error. Nine nodes make the same image twice.
    let images: Vec<usize> = svg.split("<image").skip(1).map(|image| image.find("/>").unwrap()).collect();
    assert!(images[2] == images[4] && images[0] > 2 * images[2], "{images:?}");
}
