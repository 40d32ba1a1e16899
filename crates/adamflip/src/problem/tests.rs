//! Whole files: what is understood, and what is refused.

use super::reference::usual_count;
use super::*;

fn built(text: &str) -> Result<Problem, Vec<Diagnostic>> {
    build(spec::parse("p.toml", text, &Default::default())).map_err(|rejected| rejected.diagnostics)
}

fn messages(text: &str) -> Vec<String> {
    let mistakes = built(text).err().unwrap_or_default();
    assert!(mistakes.iter().all(|mistake| mistake.hint.is_some() && mistake.span.end > 0), "{mistakes:?}");
    mistakes.into_iter().map(|mistake| mistake.message).collect()
}

fn axes(count: usize) -> String {
    (0..count).map(|c| format!("x{c} = [0, 1]\n")).collect()
}

fn problem(axes: &str, points: &str, more: &str) -> String {
    format!("fields = [\"u\"]\n[domain]\n{axes}\n[term.a]\nequation = \"u = 1\"\npoints = {points}\n{more}")
}

#[test]
fn formulas_with_a_history_are_refused() {
    let text = |network: &str, reference: &str| {
        format!(
            "fields = [\"u\"]\n[domain]\nx = [0, 1]\n[term.a]\nequation = \"u_x = 1\"\npoints = 4\n[network]\n\
             hidden = [3]\n{network}\n{reference}"
        )
    };
    for text in [
        text("ansatz = \"N*integral(exp(x), x)\"", ""),
        text("ansatz = \"integral(N, x, 0, x)\"", ""),
        text("", "[reference]\nu = \"integral(exp(x), x, 0, x)\""),
    ] {
        let rejected = super::build(crate::spec::parse("p.toml", &text, &Default::default())).unwrap_err();
        assert!(
            rejected.diagnostics[0].message.ends_with("must be a formula of the point itself"),
            "{rejected:?}"
        );
    }
}

#[test]
fn every_empty_axis_is_named() {
    let ends = "x = [\"1+1\", 1]\ny = [0, 1]\nz = [\"pi\", \"pi\"]\nw = [-1e308, 1e308]";
    // A message with the word itself changes nothing.
    let found = messages(&problem(ends, "1", "[reference]\nu = \"\""));
    let expected = [
        "the range of `x` is empty: it runs from 2 to 1",
        "the range of `z` is empty: it runs from 3.141592653589793 to 3.141592653589793",
    ];
    for text in expected {
        assert!(found.iter().any(|message| message == text), "{found:?}");
    }
    assert!(found.iter().any(|message| message.starts_with("the range of `w` is not finite")), "{found:?}");
    assert_eq!(messages(&problem("x = [2, 1]", "1", "")), ["the range of `x` is empty: 2 is not below 1"]);
}

#[test]
fn usual_grids_stay_small() {
    assert_eq!([1, 2, 3, 4, 5, 10, 16].map(usual_count), [1001, 201, 41, 17, 10, 3, 2]);
    let reference = built(&problem(&axes(16), "1", "[reference]\nu = \"x0\"")).unwrap().reference.unwrap();
    // All of the corners of a box say nothing of its inside.
    let Places::Points(points) = reference.places else { panic!("a grid") };
    assert!(points.len() > 10_000 && points.iter().flatten().all(|x| x > 0.0 && x < 1.0));
    let asked = "[reference]\nu = \"x0\"\ngrid = { x0 = 3 }";
    let reference = built(&problem(&axes(16), "1", asked)).unwrap().reference.unwrap();
    assert!(matches!(reference.places, Places::Grid(grid) if grid.counts[..2] == [3, 2]));
}

#[test]
fn what_does_not_fit_is_refused() {
    assert_eq!(messages(&problem(&axes(17), "1", "")), ["the problem has 17 coordinates"]);
    let found = messages(&problem("x = [0, 1]", "1", "[network]\nhidden = \"100x4096\""));
    assert!(
        found.len() == 1 && found[0].contains("GiB") && found[0].contains("1.7e9 parameters"),
        "{found:?}"
    );
    assert_eq!(messages(&problem("x = [0, 1]", "1000000", "")), [""; 0]);
}

#[test]
fn a_name_that_is_a_derivative_is_refused() {
    let found = |more: &str| messages(&problem("x = [0, 1]", "4", more));
    let said = |name: &str| vec![format!("`{name}` is a derivative of `u`")];
    assert_eq!(found("[constants]\nu_xx = 3"), said("u_xx"));
    assert_eq!(found("[unknowns]\nu_x = { start = 1 }"), said("u_x"));
    assert_eq!(found("[define]\nu_n = 'x'"), said("u_n"));
    assert_eq!(found("[constants]\nu_0 = 3\nv_x = 2"), [""; 0]);
    let fields = problem("x = [0, 1]", "4", "").replace("[\"u\"]", "[\"u\", \"u_x\"]");
    assert_eq!(messages(&fields), said("u_x"));
}

/// Places are not held against ends that nobody wrote.
#[test]
fn a_wrong_range_is_the_only_error() {
    for ends in ["[1, -1]", "[-1, 0, 1]", "\"wide\"", "[\"a\", 1]"] {
        let text = problem(
            &format!("x = {ends}"),
            "4",
            "[term.left]\non = \"x = -1\"\nequation = \"u = 0\"\npoints = 1",
        );
        assert_eq!(messages(&text).len(), 1, "{ends}: {:?}", messages(&text));
    }
}

/// A column that no equation reads was not measured for this problem, and normals of a cloud were not
/// measured at all.
#[test]
fn what_is_measured_is_what_the_equations_read_of_data() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.csv"), "x,station,T,n_x\n0.25,1001,3,1\n0.75,1002,4,-1\n").unwrap();
    let measured = |term: &str| {
        let text = format!("fields = [\"u\"]\n[domain]\nx = [0, 1]\n[term.a]\n{term}");
        let mut parsed = spec::parse("p.toml", &text, &Default::default());
        parsed.spec.folder = folder.path().into();
        build(parsed).unwrap().terms[0].measured()
    };
    assert_eq!(measured("data = \"p.csv\"\nequation = \"u = T\""), [1]);
    assert!(measured("data = \"p.csv\"\nequation = \"u = x\"").is_empty());
    assert!(measured("cloud = \"p.csv\"\nequation = \"n_x*u_x = 1\"").is_empty());
    assert!(measured("points = 3\nequation = \"u = x\"").is_empty());
    assert_eq!(measured("points = 3\ndata = \"reference\"\n[reference]\nu = \"x\""), [0]);
}

#[test]
fn a_reference_is_known_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("r.csv"), "x,u\n0,1\n0.3,2\n1,1\n").unwrap();
    let messages = |reference: &str| {
        let text = problem("x = [0, 1]", "4", &format!("[reference]\ndata = \"r.csv\"\n{reference}"));
        let mut parsed = spec::parse("p.toml", &text, &Default::default());
        parsed.spec.folder = folder.path().into();
        let mistakes = build(parsed).err().map(|rejected| rejected.diagnostics).unwrap_or_default();
        mistakes.into_iter().map(|mistake| mistake.message).collect::<Vec<_>>()
    };
    assert!(messages("").is_empty());
    assert_eq!(messages("u = \"x\""), ["`u` is known twice: by a formula, and by a column of this file"]);
    assert_eq!(messages("grid = { x = 3 }"), ["`grid` of [reference] has no use beside `data`"]);
}

#[test]
fn bounds_have_a_length() {
    let unknown = "[unknowns]\nk = { start = 0, bounds = [-1e308, 1e308] }";
    assert_eq!(messages(&problem("x = [0, 1]", "4", unknown)), ["the bounds of `k` are too far apart"]);
}

/// A name that a definition or a derivative has stands for that; the measured column has another.
#[test]
fn a_column_whose_name_is_taken_is_read_by_another() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.csv"), "x,q,u_x\n0.25,3,1\n0.75,4,-1\n").unwrap();
    let terms = |equation: &str| {
        let text = format!(
            "fields = [\"u\"]\n[domain]\nx = [0, 1]\n[define]\nq = \"sin(x)\"\n\
             [term.a]\ndata = \"p.csv\"\nequation = \"{equation}\""
        );
        let mut parsed = spec::parse("p.toml", &text, &Default::default());
        parsed.spec.folder = folder.path().into();
        build(parsed).map(|problem| problem.terms[0].measured()).map_err(|rejected| rejected.diagnostics)
    };
    assert_eq!(terms("u = q_data").unwrap(), [0]);
    assert_eq!(terms("u_x = u_x_data").unwrap(), [1]);
    assert!(terms("u = q").unwrap().is_empty());
    // What was measured at the points is not known between them.
    let refused = terms("u = integral(q_data*u, x)").unwrap_err();
    assert!(refused[0].message.contains("known at the points alone"), "{refused:?}");
    assert_eq!(terms("u = q_data*integral(u, x)").unwrap(), [0]);
}

#[test]
fn a_parameter_hides_a_coordinate_also_in_derivatives() {
    let text = |body: &str| {
        let define =
            format!("[define]\n\"g(x)\" = \"{body}\"\n[term.b]\nequation = \"u = g(2*t)\"\npoints = 2\n");
        problem("x = [0, 1]\nt = [0, 1]", "1", &define)
    };
    assert!(messages(&text("sin(x)")).is_empty());
    for body in ["d(sin(x), x)", "integral(x*t, x)"] {
        assert_eq!(messages(&text(body)).len(), 1, "{body}");
    }
}

#[test]
fn names_are_those_that_equations_can_hold() {
    let named = |field: &str| {
        messages(&problem("x = [0, 1]", "1", "").replace("\"u\"", &format!("\"u\", \"{field}\"")))
    };
    assert_eq!(named("u₁"), ["`u₁` cannot be a name in equations"]);
    assert_eq!(named("u_reference"), ["`u_reference` is the reference in exported files"]);
}

/// A problem whose reference is a file of five points, u and v.
fn with_file(term: &str) -> Result<Problem, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("five.csv"), "x,u,v\n0,1,2\n0.2,1,2\n0.4,1,2\n0.6,1,2\n0.8,1,2\n")
        .unwrap();
    let text = format!(
        "fields = [\"u\", \"v\"]\n[domain]\nx = [0, 1]\n[term.a]\nequation = [\"u = 1\", \"v = 1\"]\npoints = 4\n\
         [term.s]\ndata = \"reference\"\n{term}\n[reference]\ndata = \"five.csv\"\n"
    );
    let mut parsed = spec::parse("p.toml", &text, &Default::default());
    parsed.spec.folder = folder.path().into();
    build(parsed)
        .map_err(|rejected| rejected.diagnostics.into_iter().map(|mistake| mistake.message).collect())
}

#[test]
fn of_a_reference_in_a_file_columns_are_observed() {
    let sensors = |term: &str| with_file(term).unwrap().terms.swap_remove(1);
    assert_eq!(sensors("points = 3").residual.equations(), 2);
    let one = sensors("observe = [\"v\"]\npoints = 3");
    assert_eq!(
        (one.residual.equations(), one.points, &one.equations[..]),
        (1, 3, &["v - v_data = 0".to_owned()][..])
    );
    // No more than there are.
    let many = sensors("points = 1000");
    assert_eq!((many.points, many.source.count()), (5, 5));
    let Source::Given { notes, .. } = &many.source else { panic!("{:?}", many.source) };
    assert!(notes.iter().any(|note| note.contains("5 points, all of which are taken")), "{notes:?}");
    let mistakes = |term: &str| with_file(term).unwrap_err();
    assert_eq!(mistakes("points = 3\nobserve = [\"u_x\"]"), ["`u_x` is not in the file of the reference"]);
    assert_eq!(mistakes("points = 3\non = \"x = 0.2\""), ["`on` has no use here: the reference is a file"]);
    assert_eq!(
        mistakes("points = 3\nsampler = \"sobol\""),
        ["`sampler` has no use here: the reference is a file"]
    );
    let both = "points = 3\nobserve = [\"u\"]\nequation = \"2*u = 2*u_data\"";
    assert_eq!(mistakes(both), ["`observe` has no use beside `equation`"]);
}

#[test]
fn of_a_reference_in_formulas_expressions_are_observed() {
    let text = |term: &str| {
        format!(
            "fields = [\"u\"]\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.a]\nequation = \"u_t = u_xx\"\npoints = 4\n\
             [term.s]\ndata = \"reference\"\npoints = 3\n{term}\n[reference]\nu = \"t*sin(pi*x)\"\n"
        )
    };
    let refused = "an `equation` has no use where formulas of the reference are observed";
    assert_eq!(messages(&text("equation = \"2*u_x = 1\"")), [refused]);
    // Histories too: ∫ t sin(πx) dx = 2t/π, and half a derivative of t is 2√(t/π).
    let pi = std::f64::consts::PI;
    let whole = |[_, t]: [f64; 2]| 2.0 * t / pi;
    let half = |[x, t]: [f64; 2]| 2.0 * (t / pi).sqrt() * (pi * x).sin();
    type Formula<'a> = &'a dyn Fn([f64; 2]) -> f64;
    let cases: [(&str, Formula<'_>); 2] = [
        ("observe = [\"integral(u, x)\"]", &whole),
        ("observe = [\"caputo(u, t, 0.5)\"]\ncaputo = \"scattered\"", &half),
    ];
    for (term, expected) in cases {
        let problem = built(&text(term)).unwrap();
        let points = problem.terms[1].source.draw(&problem.domain, 0, 1, 0).unwrap();
        for (point, value) in points.iter().zip(points.attribute(0)) {
            let expected = expected([point[0], point[1]]);
            assert!((value - expected).abs() < 1e-12, "{term}: {value} for {expected}");
        }
    }
    assert_eq!(
        messages(&text("observe = [\"caputo(u, t, caputo(t, t, 0.5))\"]")),
        ["`caputo` cannot stand inside the order of `caputo`"]
    );
}

#[test]
fn empty_bounds_are_one_error() {
    for (bounds, message) in [
        ("[\"1\", \"0\"]", "the bounds of `a` are empty: 1 is not below 0"),
        ("[\"1/2\", \"1/2\"]", "the bounds of `a` are empty: 0.5 is not below 0.5"),
    ] {
        let text = format!(
            "fields = [\"u\"]\n[domain]\nt = [0, 1]\n[unknowns]\na = {{ start = 0.5, bounds = {bounds} }}\n\
             [term.p]\nequation = \"caputo(u, t, a) = 1\"\npoints = 16\n"
        );
        assert_eq!(messages(&text), [message]);
    }
}

#[test]
fn places_that_cannot_be_are_told_by_the_names_of_coordinates() {
    let told = |on: &str| {
        let text = format!(
            "fields = ['u']\n[domain]\nx = [0, 1]\ny = [0, 2]\n[term.wall]\non = '{on}'\nequation = 'u = 0'\npoints = 4"
        );
        let rejected = build(crate::spec::parse("p.toml", &text, &Default::default())).unwrap_err();
        let first = &rejected.diagnostics[0];
        format!("{} | {}", first.message, first.hint.clone().unwrap_or_default())
    };
    assert_eq!(
        told("boundary and x = 0"),
        "`x` is fixed on a boundary that runs along it | write `x = 0` alone: this end of the axis is the boundary"
    );
    assert_eq!(
        told("boundary and y = 0.5"),
        "`y` is fixed on a boundary that runs along it | write `y = 0.5` alone, or choose a part of the boundary by a \
         comparison: `y < 0.5`"
    );
}

/// A problem whose one term says this.
fn saying(term: &str) -> String {
    format!("fields = [\"u\"]\n[domain]\nx = [0, 1]\n[unknowns]\nk = {{ start = 1.0 }}\n[term.a]\n{term}\n")
}

#[test]
fn inequalities_are_constraints_and_count_what_is_violated() {
    let term = |text: &str| built(&saying(text)).unwrap().terms.swap_remove(0);
    let bound = term("equation = \"u >= x\"");
    assert!(bound.is_inequality() && bound.role == Role::Constraint);
    assert_eq!(bound.equations, ["u - x >= 0"]);
    let chain = term("equation = \"0 <= u <= 1\"\non = \"x = 1\"");
    assert_eq!((chain.residual.equations(), chain.residual.signed.len()), (2, 2));
    // A bound of an unknown is the same everywhere.
    assert_eq!(term("equation = \"k >= 0.1\"").points, 1);
    let equation = term("equation = \"u_x = where(x < 0.5, k, u)\"");
    assert!(
        !equation.is_inequality() && equation.role == Role::Objective && equation.residual.signed.is_empty()
    );
    let contact = term("complement = [\"u - x\", \"-u_xx\"]");
    assert!(!contact.is_inequality() && contact.role == Role::Objective);
    assert_eq!(contact.equations, ["min(u - x, -u_xx) = 0"]);
}

#[test]
fn inequalities_that_cannot_be_understood_are_refused() {
    let refused = |term: &str| messages(&saying(term)).swap_remove(0);
    assert_eq!(
        refused("equation = [\"u_x = 1\", \"u >= 0\"]"),
        "a term has equations or inequalities, not both"
    );
    assert_eq!(refused("equation = \"x <= 1\""), "the equation depends on no field");
    assert_eq!(refused("equation = \"k = 1\""), "the equation depends on no field");
    assert_eq!(refused("equation = \"u > 0\""), "`>` is no condition that a solution can end on");
    assert!(
        refused("complement = [\"u\"]")
            .ends_with("must be two expressions: both are at least 0, and one of them is 0")
    );
    assert!(
        refused("complement = [\"u\", \"u_x\"]\nequation = \"u = 1\"")
            .contains("has no use beside `complement`")
    );
    assert_eq!(refused("complement = [\"x\", \"x + 1\"]"), "the equation depends on no field");
}
