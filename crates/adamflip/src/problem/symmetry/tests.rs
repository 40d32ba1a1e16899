//! Which generators equations admit, what the term then says, and what is refused.

use super::*;
use crate::problem::{Problem, Source, build};
use crate::spec::{Overrides, parse};

const HEAT: &str = "u_t = u_xx";
const BURGERS: &str = "u_t + u*u_x = 0.1*u_xx";
const KDV: &str = "u_t + 6*u*u_x + u_xxx = 0";
const WAVE: &str = "u_tt = 4*u_xx";

fn text(equation: &str, symmetry: &str, more: &str) -> String {
    format!(
        "fields = ['u']\n[domain]\nx = [-1, 1]\nt = [0.5, 1]\n[term.pde]\nequation = '{equation}'\npoints = 10\n\
         [term.symmetry]\nsymmetry = {{ {symmetry} }}\npoints = 20\n{more}\n"
    )
}

fn built(text: &str) -> Result<Problem, String> {
    build(parse("p.toml", text, &Overrides::default())).map_err(|rejected| rejected.to_string())
}

fn refused(equation: &str, symmetry: &str, more: &str) -> String {
    built(&text(equation, symmetry, more)).unwrap_err()
}

#[test]
fn symmetries_of_known_equations() {
    #[rustfmt::skip]
    let table = [
        (HEAT, "x = 'x', t = '2*t'"),
        (HEAT, "u = 'u'"),
        (HEAT, "x = 'x', t = '2*t', u = '3*u'"),
        (HEAT, "x = '2*t', u = '-x*u'"),
        (HEAT, "x = '4*t*x', t = '4*t^2', u = '-(x^2 + 2*t)*u'"),
        (BURGERS, "x = 't', u = 1"),
        (BURGERS, "x = 'x', t = '2*t', u = '-u'"),
        (BURGERS, "x = 'x*t', t = 't^2', u = 'x - u*t'"),
        (KDV, "x = 'x', t = '3*t', u = '-2*u'"),
        (KDV, "x = '6*t', u = 1"),
        (KDV, "x = 4, t = 1"),
        (WAVE, "x = '4*t', t = 'x'"),
        (WAVE, "x = 'x', t = 't'"),
        (WAVE, "x = 'x^2 + 4*t^2', t = '2*x*t'"),
        // Of the function's value: a linear equation's sum with another solution.
        (HEAT, "u = 'exp(-t)*sin(x)'"),
    ];
    for (equation, symmetry) in table {
        let more = if symmetry.contains("sin") { "augment = true" } else { "" };
        let problem =
            built(&text(equation, symmetry, more)).unwrap_or_else(|why| panic!("{equation}: {why}"));
        assert_eq!(problem.terms[1].symmetry, Some(Admission::Proved), "{equation} {symmetry}");
    }
}

#[test]
fn what_algebra_leaves_is_decided_by_numbers() {
    // sin² + cos² = 1 is not known to the algebra; turns leave the Laplacian as it is.
    let equation = "u_tt*(sin(u)^2 + cos(u)^2) + u_xx = 0";
    let problem = built(&text(equation, "x = 't', t = '-x'", "")).unwrap();
    assert!(problem.terms[1].symmetry.is_some());
    let why = refused(equation, "x = 't', t = 'x'", "");
    assert!(why.contains("does not admit"), "{why}");
    // A root of a square: only where the equation holds.
    let problem = built(&text("sqrt(u_x^2 + u_t^2) = 1", "x = 't', t = '-x'", "")).unwrap();
    assert!(problem.terms[1].symmetry.is_some());
}

#[test]
fn systems_with_consequences() {
    let flow = |symmetry: &str| {
        format!(
            "fields = ['u', 'v', 'p']\n[domain]\nx = [0, 1]\ny = [0, 1]\nt = [0, 1]\n[term.pde]\npoints = 5\n\
             equation = ['u_t + u*u_x + v*u_y + p_x = 0.1*laplacian(u)', 'v_t + u*v_x + v*v_y + p_y = 0.1*laplacian(v)', \
             'u_x + v_y = 0']\n[term.symmetry]\npoints = 5\nsymmetry = {{ {symmetry} }}\n"
        )
    };
    // Galilei, turns, scaling, pressure.
    for symmetry in [
        "x = 't', u = 1",
        "x = 'y', y = '-x', u = 'v', v = '-u'",
        "x = 'x', y = 'y', t = '2*t', u = '-u', v = '-v', p = '-2*p'",
    ] {
        assert!(built(&flow(symmetry)).unwrap().terms[1].symmetry.is_some(), "{symmetry}");
    }
    let why = built(&flow("x = 'x', y = 'y', t = '2*t', u = '-u', v = '-v'")).unwrap_err();
    assert!(why.contains("does not admit") && why.contains("p are not given and count as 0"), "{why}");
}

#[test]
fn a_generator_that_is_not_admitted() {
    insta::assert_snapshot!(refused(HEAT, "x = 'x', t = 't'", ""), @r#"
    error: the equation of `pde` does not admit this generator
     --> p.toml:9:12
      |
    9 | symmetry = { x = 'x', t = 't' }
      |            ^^^^^^^^^^^^^^^^^^^^ left over where the equation holds: u_t
      |
      = hint: change its coefficients so that this vanishes; the coefficients of u are not given and count as 0

    1 error in p.toml
    "#);
    insta::assert_snapshot!(refused(BURGERS, "x = 'x', t = '2*t'", ""), @r#"
    error: the equation of `pde` does not admit this generator
     --> p.toml:9:12
      |
    9 | symmetry = { x = 'x', t = '2*t' }
      |            ^^^^^^^^^^^^^^^^^^^^^^ left over where the equation holds: u*u_x
      |
      = hint: change its coefficients so that this vanishes; the coefficients of u are not given and count as 0

    1 error in p.toml
    "#);
    insta::assert_snapshot!(refused(KDV, "x = 't', u = 1", ""), @r#"
    error: the equation of `pde` does not admit this generator
     --> p.toml:9:12
      |
    9 | symmetry = { x = 't', u = 1 }
      |            ^^^^^^^^^^^^^^^^^^ left over where the equation holds: 5*u_x
      |
      = hint: change its coefficients so that this vanishes; the coefficients of t are not given and count as 0

    1 error in p.toml
    "#);
}

#[test]
fn names_and_coefficients_that_mean_nothing() {
    insta::assert_snapshot!(refused(HEAT, "x = 'x', y = '2*t'", ""), @r#"
    error: `y` is neither a coordinate nor a field
     --> p.toml:9:23
      |
    9 | symmetry = { x = 'x', y = '2*t' }
      |                       ^ moves nothing
      |
      = hint: the coordinates are x, t, the fields u

    1 error in p.toml
    "#);
    insta::assert_snapshot!(refused(HEAT, "x = 'u_x'", ""), @r#"
    error: the coefficients of a point symmetry depend on coordinates and fields alone
     --> p.toml:9:19
      |
    9 | symmetry = { x = 'u_x' }
      |                   ^^^ a derivative, an integral or a value elsewhere
      |
      = hint: write for example `symmetry = { x = "x", t = "2*t" }`, the scaling of the heat equation

    1 error in p.toml
    "#);
    insta::assert_snapshot!(refused(HEAT, "x = 0", ""), @r#"
    error: this generator moves nothing
     --> p.toml:9:12
      |
    9 | symmetry = { x = 0 }
      |            ^^^^^^^^^ every coefficient is 0
      |
      = hint: write for example `symmetry = { x = "x", t = "2*t" }`, the scaling of the heat equation

    1 error in p.toml
    "#);
    let jump = refused("u_t = where(x < 0, 1, 2)*u_xx", "x = 1", "");
    assert!(jump.contains("cannot be checked"), "{jump}");
    assert!(built(&text("u_t = where(x < 0, 1, 2)*u_xx", "t = 1", "")).is_ok());
    insta::assert_snapshot!(refused("u_t = integral(u, x)", "u = 'u'", ""), @r#"
    error: symmetries of the equation of `pde` cannot be checked
     --> p.toml:9:12
      |
    9 | symmetry = { u = 'u' }
      |            ^^^^^^^^^^^ `integral` cannot be differentiated
      |
      = hint: symmetries are those of differential equations at one point, without integrals and other points

    1 error in p.toml
    "#);
}

#[test]
fn what_a_term_with_a_symmetry_cannot_have() {
    insta::assert_snapshot!(refused(HEAT, "u = 'u'", "equation = 'u = 0'"), @r#"
    error: `equation` has no use beside `symmetry`
      --> p.toml:11:13
       |
    11 | equation = 'u = 0'
       |             ^^^^^ the symmetry says what holds
       |
       = hint: give the equation a term of its own

    1 error in p.toml
    "#);
    let everywhere = text(HEAT, "u = 'u'", "").replace("points = 10", "points = 10\non = 't = 1'");
    assert!(built(&everywhere).unwrap_err().contains("no equation holds everywhere"));
    let lonely = text(HEAT, "u = 'u'", "").replace("symmetry = { u = 'u' }", "augment = true");
    assert!(built(&lonely).unwrap_err().contains("`augment` has no use without `symmetry`"));
}

#[test]
fn conditions_that_do_not_share_it() {
    let start = "[term.start]\non = 't = 0.5'\nequation = 'u = sin(x)'\n";
    // Translations in x map the start to another one.
    insta::assert_snapshot!(refused(HEAT, "x = 1", start), @r#"
    error: `start` does not share this symmetry, so no solution is invariant
     --> p.toml:9:12
      |
    9 | symmetry = { x = 1 }
      |            ^^^^^^^^^ the group changes the condition by -cos(x)
      |
      = hint: write `augment = true` for the equations at points moved along the group, or choose another generator

    1 error in p.toml
    "#);
    assert!(built(&text(HEAT, "x = 1", &format!("augment = true\n{start}"))).is_ok());
    // A group that moves the place itself contradicts nothing.
    assert!(built(&text(HEAT, "x = 'x', t = '2*t'", start)).is_ok());
    // A shared one.
    let even = "[term.start]\non = 't = 0.5'\nequation = 'u = 3'\n";
    assert!(built(&text(HEAT, "x = 1", even)).is_ok());
}

#[test]
fn the_residual_is_the_characteristic() {
    let problem = built(&text(BURGERS, "x = 't', u = 1", "")).unwrap();
    assert_eq!(problem.terms[1].equations, ["1 - t*u_x = 0"]);
    let problem = built(&text(BURGERS, "x = 't', u = 1", "augment = true")).unwrap();
    assert_eq!(problem.terms[1].equations, problem.terms[0].equations);
}

#[test]
fn points_move_along_the_group() {
    let problem = built(&text(HEAT, "x = 'x', t = '2*t'", "augment = true")).unwrap();
    let still = built(&text(HEAT, "u = 'u'", "augment = true")).unwrap();
    let (Source::Given { points, measured, .. }, Source::Given { points: first, .. }) =
        (&problem.terms[1].source, &still.terms[1].source)
    else {
        panic!("no points of its own")
    };
    assert!(!measured && points.len() == 20);
    let mut far = 0;
    for (moved, first) in points.iter().zip(first.iter()) {
        assert!(problem.domain.contains(&moved), "{moved:?}");
        // x²/t stays on orbits of the scaling: Runge–Kutta to 1e-9.
        let orbit = |point: &[f64]| point[0] * point[0] / point[1];
        assert!((orbit(&moved) - orbit(&first)).abs() < 1e-8, "{moved:?} {first:?}");
        far += usize::from((moved[1] - first[1]).abs() > 1e-3);
    }
    assert!(far > 10, "{far} of 20 moved");
}

#[test]
fn measured_values_move_with_their_points() {
    let folder = tempfile::tempdir().unwrap();
    // u = x/(1 + t) is invariant under (1 + t)∂x + ∂u.
    let rows: String = (0..10)
        .map(|i| format!("{0},0.6,{1}\n", 0.1 * f64::from(i) - 0.4, (0.1 * f64::from(i) - 0.4) / 1.6))
        .collect();
    std::fs::write(folder.path().join("seen.csv"), format!("x,t,u\n{rows}")).unwrap();
    let text =
        text(BURGERS, "x = '1 + t', u = 1", "augment = true\ndata = 'seen.csv'").replace("points = 20\n", "");
    let path = folder.path().join("p.toml");
    std::fs::write(&path, text).unwrap();
    let problem = Problem::from_path(&path).unwrap();
    let Source::Given { points, measured: true, .. } = &problem.terms[1].source else {
        panic!("not measured")
    };
    assert_eq!(points.len(), 10);
    for (index, point) in points.iter().enumerate() {
        // Moved values lie on the invariant solution: the flow is affine in ε, which Runge–Kutta has exactly.
        assert!((points.attribute(0)[index] - point[0] / (1.0 + point[1])).abs() < 1e-12, "{point:?}");
    }
}

#[test]
fn the_flow_against_exponentials() {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let (coordinates, fields) = (names(&["x", "t"]), names(&["u"]));
    let scope = Scope { coordinates: &coordinates, fields: &fields, ..Scope::default() };
    let mut graph = Graph::new();
    let mut read = |text: &str| {
        let span = crate::diagnostic::Span { source: 0, start: 0, end: text.len() };
        lang::expression(&Spanned { value: text.into(), span }, &scope, &mut graph).unwrap()
    };
    let generator = Generator { coordinates: vec![read("4*t"), read("x")], fields: vec![read("-2*u + x")] };
    let flow = flow::Flow::new(&mut graph, &generator, &[(0, 0)]).unwrap();
    let mut points = crate::geometry::Points::new(2, 2);
    points.column_mut(0).copy_from_slice(&[0.3, -0.2]);
    points.column_mut(1).copy_from_slice(&[0.5, 0.1]);
    points.push_attribute(&[1.0, 2.0]);
    let ε = [0.7, -0.9];
    let moved = flow.along(&points, &ε);
    for (i, ε) in ε.into_iter().enumerate() {
        let (x, t, (s, c)) = (points.column(0)[i], points.column(1)[i], ((2.0 * ε).sinh(), (2.0 * ε).cosh()));
        // h⁴ ≈ 1e-8 times fifth powers of rates of two, summed.
        assert!((moved.column(0)[i] - (x * c + 2.0 * t * s)).abs() < 1e-8);
        assert!((moved.column(1)[i] - (t * c + 0.5 * x * s)).abs() < 1e-8);
    }
    // And back.
    let back = flow.along(&moved, &ε.map(|ε| -ε));
    assert!((back.attribute(0)[1] - 2.0).abs() < 1e-7 && (back.column(0)[0] - 0.3).abs() < 1e-8);
}

#[test]
fn the_shipped_file() {
    let problem = built(include_str!("../../../../../problems/heat_similarity.toml")).unwrap();
    let term = &problem.terms[1];
    assert_eq!(
        (term.symmetry, &term.equations[..]),
        (Some(Admission::Proved), &["-x*u_x - 2*t*u_t = 0".to_owned()][..])
    );
    // Its solution is invariant, as the reference's formula says.
    let found = crate::inspect::findings(&problem, 0).unwrap();
    assert!(!format!("{found:?}").contains("Unsolved"), "{found:?}");
}
