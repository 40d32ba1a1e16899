//! Conditions built in hold for any parameters; what cannot be built in is refused.

use crate::diagnostic::{Span, Spanned};
use crate::geometry::Points;
use crate::problem::{Problem, build};
use crate::spec::{Overrides, parse};
use crate::{objective, train};

fn built(text: &str) -> Result<Problem, String> {
    build(parse("p.toml", text, &Overrides::default())).map_err(|rejected| rejected.to_string())
}

/// Expressions at a point, for arbitrary parameters.
fn values(problem: &Problem, texts: &[&str], at: &[f64]) -> Vec<f64> {
    let (model, θ) = train::model(problem, 3);
    let spanned = |text: &&str| {
        let span = Span { source: 0, start: 0, end: text.len() };
        Spanned { value: (*text).to_owned(), span }
    };
    let texts: Vec<Spanned<String>> = texts.iter().map(spanned).collect();
    let residual = problem.expressions(&texts).unwrap();
    let mut points = Points::new(at.len(), 1);
    at.iter().enumerate().for_each(|(c, &x)| points.column_mut(c)[0] = x);
    objective::values(&residual, &model, &problem.unknowns, &θ, &points).concat()
}

fn walls(lower: &str, upper: &str) -> String {
    format!(
        "fields = ['u']\n[domain]\nx = [-1, 2]\nt = [0, 1]\n[term.pde]\nequation = 'u_t = u_xx'\npoints = 5\n\
         [term.start]\non = 't = 0'\nequation = 'u = 7'\npoints = 3\n\
         [term.left]\non = 'x = -1'\nequation = '{lower}'\npoints = 5\n[term.right]\non = 'x = 2'\nequation = '{upper}'\n\
         points = 5\n[network]\nhidden = '2x6'\nfourier_hard = ['x']\n"
    )
}

#[test]
fn values_and_slopes_at_both_ends() {
    // (condition, what it gives, its value at t)
    type End = (&'static str, &'static str, fn(f64) -> f64);
    let lower: [End; 5] = [
        ("u = 0", "u", |_| 0.0),
        ("2*u = sin(t) + u", "u", f64::sin),
        ("u_x = 0", "u_x", |_| 0.0),
        ("u_n = t^2", "u_x", |t| -t * t),
        ("u_x*(1 + t) = 3", "u_x", |t| 3.0 / (1.0 + t)),
    ];
    let upper: [End; 4] = [
        ("u = 0", "u", |_| 0.0),
        ("u + x = exp(t)", "u", |t| t.exp() - 2.0),
        ("u_n = 0", "u_x", |_| 0.0),
        ("u_n = cos(t)", "u_x", f64::cos),
    ];
    for (first, what, given) in lower {
        for (second, other, other_given) in upper {
            let problem =
                built(&walls(first, second)).unwrap_or_else(|why| panic!("{first}, {second}: {why}"));
            for t in [0.1, 0.6, 1.0] {
                let error = values(&problem, &[what], &[-1.0, t])[0] - given(t);
                let other_error = values(&problem, &[other], &[2.0, t])[0] - other_given(t);
                // Rounding of sin(π) and cos(π/2) times numbers of size one to ten.
                assert!(error.abs() < 1e-13, "{first}, {second}: {error:e}");
                assert!(other_error.abs() < 1e-13, "{first}, {second}: {other_error:e}");
            }
            // And inside it is a network.
            let [a, b] = [0.2, 0.9].map(|x| values(&problem, &["u_xx"], &[x, 0.5])[0]);
            assert!((a - b).abs() > 1e-6, "{first}, {second}");
        }
    }
}

#[test]
fn even_powers_and_periods() {
    let problem = built(&walls("u_x = 0", "u_x = 0")).unwrap();
    // Even about the wall: odd derivatives vanish there.
    let third = values(&problem, &["d(u, x, x, x)"], &[-1.0, 0.3])[0];
    assert!(third.abs() < 1e-11, "{third:e}");
    let ring = walls("u = u(2, t)", "u_x = u_x(-1, t)");
    let problem = built(&ring).unwrap();
    let ends = [-1.0, 2.0].map(|x| values(&problem, &["u", "u_x", "u_xt"], &[x, 0.3]));
    assert!(ends[0].iter().zip(&ends[1]).all(|(a, b)| (a - b).abs() < 1e-12), "{ends:?}");
    assert_eq!(problem.networks[0].periods, [(0, 3.0)]);
    // What the run's file says is the same problem again.
    let again = built(&problem.file.text()).unwrap();
    assert_eq!(again.networks[0].periods, problem.networks[0].periods);
}

#[test]
fn all_walls_of_a_box() {
    let text = |sides: [&str; 4]| {
        format!(
            "fields = ['u']\n[domain]\nx = [0, 2]\ny = [0, 1]\n[term.pde]\nequation = 'u_xx + u_yy = 1'\npoints = 5\n\
             [term.a]\non = 'x = 0'\nequation = '{}'\npoints = 4\n[term.b]\non = 'x = 2'\nequation = '{}'\npoints = 4\n\
             [term.c]\non = 'y = 0'\nequation = '{}'\npoints = 4\n[term.d]\non = 'y = 1'\nequation = '{}'\npoints = 4\n\
             [network]\nhidden = '2x6'\nfourier_hard = ['x', 'y']\n",
            sides[0], sides[1], sides[2], sides[3]
        )
    };
    // Traces of x²y + y² + 1.
    let problem = built(&text(["u = y^2 + 1", "u_x = 4*y", "u_y = x^2", "u = x^2 + 2"])).unwrap();
    for s in [0.0, 0.3, 1.0] {
        let found = [
            values(&problem, &["u"], &[0.0, s])[0] - (s * s + 1.0),
            values(&problem, &["u_x"], &[2.0, s])[0] - 4.0 * s,
            values(&problem, &["u_y"], &[2.0 * s, 0.0])[0] - 4.0 * s * s,
            values(&problem, &["u"], &[2.0 * s, 1.0])[0] - (4.0 * s * s + 2.0),
        ];
        // Rounding, as above.
        assert!(found.iter().all(|error| error.abs() < 1e-12), "{s}: {found:?}");
    }
    let why = built(&text(["u = 0", "u = 0", "u = 1", "u = 0"])).unwrap_err();
    assert!(why.contains("do not fit at a corner"), "{why}");
    let boundary = "fields = ['u']\n[domain]\nx = [0, 2]\ny = [0, 1]\n[term.pde]\nequation = 'u_xx + u_yy = 1'\npoints = 5\n\
                    [term.rim]\non = 'boundary'\nequation = 'u = 0'\npoints = 8\n[network]\nhidden = '2x6'\nfourier_hard = ['x', 'y']\n";
    let problem = built(boundary).unwrap();
    assert!(values(&problem, &["u"], &[2.0, 0.4])[0].abs() < 1e-14);
    assert!(crate::inspect::by_construction(&problem.terms[1], &problem));
}

#[test]
fn random_features_stay_even() {
    let text = walls("u_x = 0", "u_x = 0").replace("hidden", "fourier = { features = 8, scale = 2 }\nhidden");
    assert!(values(&built(&text).unwrap(), &["u_x"], &[2.0, 0.3])[0].abs() < 1e-13);
}

#[test]
fn walls_that_cannot_be_built_in() {
    let refused = |text: &str| built(text).unwrap_err();
    insta::assert_snapshot!(refused(&walls("u = 0", "u^2 = 1")), @r#"
    error: this condition cannot be built in by `fourier_hard`
      --> p.toml:18:13
       |
    18 | equation = 'u^2 = 1'
       |             ^^^^^^^ neither a value, nor a slope along the coordinate, nor a period
       |
       = hint: write `u = …`, `u_x = …` or `u = u(…)` at the other end; or remove `x` from `fourier_hard`

    1 error in p.toml
    "#);
    insta::assert_snapshot!(refused(&walls("u = 0", "u = 0").replace("on = 'x = 2'", "on = 'x = 1'")), @r#"
    error: nothing is said of `u` at x = 2
      --> p.toml:22:18
       |
    22 | fourier_hard = ['x']
       |                  ^ both ends need a condition for every field
       |
       = hint: add a term `on = "x = 2"`, or remove `x` here

    1 error in p.toml
    "#);
    insta::assert_snapshot!(refused(&walls("u = 0", "u = 0").replace("['x']", "['t']")), @r#"
    error: `t` is the time, which has no condition at its end
      --> p.toml:22:18
       |
    22 | fourier_hard = ['t']
       |                  ^ not space
       |
       = hint: list coordinates of space, and give the start as a term

    1 error in p.toml
    "#);
    insta::assert_snapshot!(refused(&walls("u = 0", "u = 0").replace("['x']", "['z']")), @r#"
    error: `fourier_hard` of [network] cannot be `z`
      --> p.toml:22:18
       |
    22 | fourier_hard = ['z']
       |                  ^ not a coordinate
       |
       = hint: the coordinates are x, t

    1 error in p.toml
    "#);
    insta::assert_snapshot!(refused(&walls("u = 0", "u = 0").replace("hidden", "ansatz = 'x*N'\nhidden")), @r#"
    error: `fourier_hard` and `ansatz` both say how fields follow
      --> p.toml:23:18
       |
    23 | fourier_hard = ['x']
       |                  ^ two of them
       |
       = hint: remove one of the two

    1 error in p.toml
    "#);
}

fn projected(equations: &str, more: &str) -> String {
    format!(
        "fields = ['u', 'v', 'w']\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.pde]\n\
         equation = ['u_t = u_xx', 'v_t = v_xx', 'w_t = w_xx']\npoints = 5\n[term.law]\nequation = [{equations}]\n\
         project = true\npoints = 5\n{more}\n[network]\nhidden = '2x6'\nscale_outputs = false\n"
    )
}

#[test]
fn linear_equations_hold_exactly() {
    let problem = built(&projected("'u + 2*v - x*w = sin(t)', 'v = (1 + x)*w - t'", "")).unwrap();
    let free =
        built(&projected("'u + 2*v - x*w = sin(t)', 'v = (1 + x)*w - t'", "").replace("project = true", ""))
            .unwrap();
    for at in [[0.2, 0.9], [0.7, 0.1]] {
        let [x, t] = at;
        let u = values(&problem, &["u", "v", "w"], &at);
        let rows = [[1.0, 2.0, -x], [0.0, 1.0, -1.0 - x]];
        let rights = [t.sin(), -t];
        for (row, right) in rows.iter().zip(rights) {
            let left: f64 = row.iter().zip(&u).map(|(a, u)| a * u).sum();
            // Rounding of a few products.
            assert!((left - right).abs() < 1e-14, "{left} {right}");
        }
        // The nearest such point: the correction lies in the span of the rows, orthogonal to their cross
        // product.
        let û = values(&free, &["u", "v", "w"], &at);
        let cross = [2.0 * (-1.0 - x) + x, 1.0 + x, 1.0];
        let along: f64 = cross.iter().zip(u.iter().zip(&û)).map(|(c, (u, û))| c * (u - û)).sum();
        assert!(along.abs() < 1e-14, "{along:e}");
        // Derivatives go through: fourth-order differences with step 1e-3 of smooth numbers of size one.
        let h = 1e-3;
        let v = |i: f64| values(&problem, &["v"], &[x + i * h, t])[0];
        let difference = (8.0 * (v(1.0) - v(-1.0)) - (v(2.0) - v(-2.0))) / (12.0 * h);
        assert!((values(&problem, &["v_x"], &at)[0] - difference).abs() < 1e-9);
        let sum = values(&problem, &["v_xx - (1 + x)*w_xx - 2*w_x"], &at)[0];
        assert!(sum.abs() < 1e-11, "{sum:e}");
    }
}

#[test]
fn walls_and_projections_together() {
    let walls = "[term.walls]\non = ['x = 0', 'x = 1']\nequation = ['u = 0', 'v = 0', 'w = 0']\npoints = 4\n";
    let text = projected("'u + v + w = 0'", walls).replace("hidden", "fourier_hard = ['x']\nhidden");
    let problem = built(&text).unwrap();
    assert!(values(&problem, &["u", "v", "w"], &[1.0, 0.4]).iter().all(|u| u.abs() < 1e-14));
    assert!(values(&problem, &["u + v + w"], &[0.3, 0.4])[0].abs() < 1e-14);
}

#[test]
fn equations_that_nothing_is_projected_onto() {
    let refused = |equations: &str, more: &str| built(&projected(equations, more)).unwrap_err();
    insta::assert_snapshot!(refused("'u*v = 1'", ""), @r#"
    error: a projection needs equations that are linear in the fields
     --> p.toml:9:14
      |
    9 | equation = ['u*v = 1']
      |              ^^^^^^^ not linear
      |
      = hint: remove `project`; as a constraint (`role = "constraint"`) it is met to the accuracy of training

    1 error in p.toml
    "#);
    insta::assert_snapshot!(refused("'u_x + v = 1'", ""), @r#"
    error: a projection needs equations of the sought fields' values at the point
     --> p.toml:9:14
      |
    9 | equation = ['u_x + v = 1']
      |              ^^^^^^^^^^^ a derivative, an integral, a value elsewhere or a coefficient function
      |
      = hint: remove `project`, or introduce fields for the derivatives (`p = u_x` as a term) and project those

    1 error in p.toml
    "#);
    insta::assert_snapshot!(refused("'u + v = 1'", "on = 'x = 0'"), @r#"
    error: a projection holds everywhere, not on a part
      --> p.toml:12:7
       |
    12 | on = 'x = 0'
       |       ^^^^^ this place alone
       |
       = hint: remove `on`, or write an `ansatz` in [network] that meets the condition there

    1 error in p.toml
    "#);
    insta::assert_snapshot!(refused("'u + v = 1', '2*u + 2*v = x'", ""), @r#"
    error: equations that are projected onto must be independent everywhere
     --> p.toml:9:27
      |
    9 | equation = ['u + v = 1', '2*u + 2*v = x']
      |                           ^^^^^^^^^^^^^ follows from the others, or contradicts them, somewhere
      |
      = hint: remove it, or `project` of its term

    1 error in p.toml
    "#);
}

/// The shipped files that have constructions, trained for a few steps by methods of all kinds: residuals that
/// are zero whatever the parameters are have gradients of zero.
#[test]
fn methods_bear_conditions_that_always_hold() {
    let stages = "stages = [{ method = 'adam', steps = 20 }, { method = 'adamflip', steps = 20 }, \
                  { method = 'al', steps = 20 }, { method = 'newtonflip', steps = 3 }, { method = 'trsqp', steps = 2 }]";
    let heat = include_str!("../../../../../problems/heat_walls.toml");
    let mixture = include_str!("../../../../../problems/mixture_projected.toml");
    let held = mixture.replace("project  = true", "project  = true\nrole = 'constraint'");
    for (text, terms) in [(heat, &["held", "insulated"][..]), (mixture, &["law"]), (&held, &["law"])] {
        let problem = built(&format!("{}\n[train]\n{stages}\n", text.replace("3x16", "2x6"))).unwrap();
        let plan = problem.stages.clone();
        let mut trainer = train::Trainer::new(problem, 0, plan).unwrap();
        trainer.run(&mut |_| train::Signal::Continue);
        assert_eq!(trainer.warnings(), []);
        assert!(trainer.θ().iter().all(|θ| θ.is_finite()));
        let misfits = trainer.misfits();
        for (term, misfit) in trainer.problem().terms.iter().zip(misfits) {
            // Rounding of sums of numbers of size one, squared.
            assert!(
                !terms.contains(&term.name.as_str()) || misfit.mse < 1e-28,
                "{}: {:e}",
                term.name,
                misfit.mse
            );
        }
    }
}
