//! Sizes and wave numbers of problems whose answers are known on paper.

use super::super::{Problem, build};
use super::*;
use crate::spec;

fn built(text: &str) -> Problem {
    let parsed = spec::parse("p.toml", text, &Default::default());
    build(parsed).unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
}

/// One field of x and t with these equations inside, at the start and at both ends.
fn evolution(pde: &str, start: &str, ends: &str, more: &str) -> Problem {
    built(&format!(
        "fields = [\"u\"]\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.pde]\nequation = \"{pde}\"\npoints = 100\n\
         [term.start]\non = \"t = 0\"\nequation = [{start}]\npoints = 50\n\
         [term.ends]\non = [\"x = 0\", \"x = 1\"]\nequation = \"{ends}\"\npoints = 50\n{more}"
    ))
}

fn given(problem: &Problem) -> Vec<(usize, [f64; 2])> {
    match &problem.network.scale_outputs {
        OutputScales::Given(scales) => scales.clone(),
        OutputScales::Auto => panic!("nothing was chosen"),
    }
}

#[track_caller]
fn near(value: f64, expected: f64, factor: f64) {
    assert!(value / expected < factor && expected / value < factor, "{value} is not near {expected}");
}

#[test]
fn a_problem_of_size_one_is_left_alone() {
    let problem = evolution("u_t = 0.1*u_xx", "\"u = sin(pi*x)\"", "u = 0", "");
    assert_eq!(given(&problem), []);
    assert_eq!(problem.network.fourier, None);
    assert_eq!(problem.network.hidden, [20; 4]);
}

#[test]
fn temperatures_in_kelvins_have_an_offset_and_a_size() {
    let problem = evolution("u_t = 0.1*u_xx", "\"u = 293 + 5*sin(pi*x)\"", "u = 293", "");
    let [(0, [offset, size])] = given(&problem)[..] else { panic!("{:?}", given(&problem)) };
    near(offset, 294.6, 1.005);
    near(size, 29.4, 1.05);
}

#[test]
fn a_source_tells_the_size_where_conditions_are_zero() {
    // −u_xx − u_yy = 1e4: at most 737 in the middle (Poisson's equation in the unit square: 0.0737 f).
    let problem = built(
        "fields = [\"u\"]\n[domain]\nx = [0, 1]\ny = [0, 1]\n[term.pde]\nequation = \"-laplacian(u) = 1e4\"\npoints = 100\n\
         [term.wall]\non = \"boundary\"\nequation = \"u = 0\"\npoints = 50",
    );
    let [(0, [offset, size])] = given(&problem)[..] else { panic!("{:?}", given(&problem)) };
    assert_eq!(offset, 0.0);
    near(size, 500.0, 3.0);
}

#[test]
fn a_faint_trace_at_the_border_hides_no_source() {
    // A peak of size one whose tail at the walls is 1e-5.
    let problem = built(
        "fields = [\"u\"]\n[domain]\nx = [-1, 1]\ny = [-1, 1]\n[define]\npeak = \"exp(-20*((x - 0.3)^2 + (y + 0.2)^2))\"\n\
         [term.pde]\nequation = \"laplacian(u) = laplacian(peak)\"\npoints = 400\n\
         [term.walls]\non = \"boundary\"\nequation = \"u = peak\"\npoints = 150",
    );
    assert_eq!(given(&problem), []);
}

#[test]
fn a_pressure_balances_the_inertia() {
    // ρ u u_x = −p_x with ρ = 1000 and u = 2: p is of the size of ρ u².
    let problem = built(
        "fields = [\"u\", \"p\"]\n[domain]\nx = [0, 1]\n[term.pde]\nequation = [\"1000*u*u_x + p_x = 0\"]\npoints = 100\n\
         [term.known]\nequation = \"u = 2*sin(3*x)\"\npoints = 20\n[term.out]\non = \"x = 1\"\nequation = \"p = 0\"\npoints = 1",
    );
    let scales = given(&problem);
    let [(1, [_, size])] = scales[..] else { panic!("{scales:?}") };
    near(size, 4000.0, 5.0);
}

#[test]
fn waves_are_counted_and_get_features() {
    let problem = evolution("u_t = 0.001*u_xx", "\"u = sin(12*pi*x)\"", "u = 0", "");
    near(problem.scales.waves[0].unwrap(), 6.0 * PI, 1.03);
    let fourier = problem.network.fourier.clone().unwrap();
    near(fourier.scales[0].1, SHARE * 6.0 * PI, 1.05);
    let named =
        evolution("u_t = 0.001*u_xx", "\"u = sin(12*pi*x)\"", "u = 0", "[network]\nhidden = \"4x20\"");
    assert_eq!(named.network.fourier, None, "a file that names a network keeps it");
}

#[test]
fn the_equation_tells_the_frequency_of_a_wave_and_diffusion_has_none() {
    let start = "\"u = sin(4*pi*x)\", \"u_t = 0\"";
    let wave = evolution("u_tt = 9*u_xx", start, "u = 0", "");
    near(wave.scales.waves[1].unwrap(), 3.0 * wave.scales.waves[0].unwrap(), 1.01);
    let transport = evolution("u_t + 30*u_x = 0", "\"u = sin(2*pi*x)\"", "u = 0", "");
    near(transport.scales.waves[1].unwrap(), 30.0 * transport.scales.waves[0].unwrap(), 1.01);
    let diffusion = evolution("u_t = 9*u_xx", "\"u = sin(4*pi*x)\"", "u = 0", "");
    assert_eq!(diffusion.scales.waves[1], None);
    let forced = evolution("u_tt = 9*u_xx + sin(2*t)", start, "u = 0", "");
    // Less than half a wave is nearly a line, whose mean wave number is √12 by its length.
    near(forced.scales.waves[1].unwrap(), 12f64.sqrt() / 2.0, 1.5);
}

#[test]
fn the_reference_is_not_looked_at() {
    let with = |reference: &str| evolution("u_t = u_xx", "\"u = 700*sin(pi*x)\"", "u = 0", reference);
    let without = with("");
    let other = with("[reference]\nu = \"1e6*sin(20*pi*x)\"");
    assert_eq!(without.scales, other.scales);
}

#[test]
fn what_the_file_says_of_sizes_holds() {
    let with =
        |line: &str| evolution("u_t = u_xx", "\"u = 700*sin(pi*x)\"", "u = 0", &format!("[network]\n{line}"));
    assert_eq!(given(&with("scale_outputs = false")), []);
    assert_eq!(given(&with("scale_outputs = { u = [1, 50] }")), [(0, [1.0, 50.0])]);
    assert_eq!(given(&with("ansatz = \"700*N\"")), [], "a formula of the file's own has its own sizes");
    assert_eq!(given(&with("scale_outputs = true")).len(), 1);
}

#[test]
fn numbers_are_rounded_to_two_digits() {
    let rounded = |offset, size| Scale { offset, size }.rounded(ORDINARY);
    assert_eq!(rounded(0.0, 1.0), Scale::ONE);
    assert_eq!(rounded(1.42, 0.16), Scale::ONE);
    assert_eq!(rounded(293.1234, 5.678), Scale { offset: 293.1, size: 5.7 });
    assert_eq!(rounded(0.001, 0.0123), Scale { offset: 0.0, size: 0.012 });
    assert_eq!(rounded(0.0, f64::INFINITY), Scale::ONE);
    assert_eq!(rounded(0.0, 0.0), Scale::ONE);
}

/// The coordinates in which the network of a file is periodic.
fn periodic(text: &str) -> Vec<String> {
    let problem = built(text);
    let written = problem.network.periodic.iter().map(|(name, _)| name.value.clone()).collect::<Vec<_>>();
    let built: Vec<String> =
        problem.networks[0].periods.iter().map(|&(c, _)| problem.coordinates[c].clone()).collect();
    assert_eq!(written, built);
    written
}

#[test]
fn conditions_that_say_the_same_of_both_ends_make_a_network_periodic() {
    let text = |on: &str, ends: &str, more: &str| {
        format!(
            "fields = [\"u\", \"v\"]\n[domain]\nx = [-1, 1]\nt = [0, 1]\n[term.pde]\nequation = [\"u_t = u_xx\", \"v_t = u\"]\n\
             points = 9\n[term.start]\non = \"t = 0\"\nequation = [\"u = cos(pi*x)\", \"v = 0\"]\npoints = 5\n[term.ends]\n\
             on = {on}\nequation = {ends}\npoints = 4\n{more}"
        )
    };
    let both = r#"["u = u(1, t)", "2*v(1, t) = 2*v", "u_x = u_x(1, t)"]"#;
    assert_eq!(periodic(&text("\"x = -1\"", both, "")), ["x"]);
    // From the other end, and with both ends written out.
    let other = r#"["u(-1, t) - u = 0", "v(1, t) = v(-1, t)"]"#;
    assert_eq!(periodic(&text("\"x = 1\"", other, "")), ["x"]);
    let none: [(&str, &str, &str); 7] = [
        ("\"x = -1\"", r#"["u = u(1, t)", "v = -v(1, t)"]"#, ""),
        ("\"x = -1\"", r#"["u = u(1, t)", "v = v(1, t) + 1"]"#, ""),
        ("\"x = -1\"", r#"["u = u(1, t)", "v = v(0.5, t)"]"#, ""),
        ("\"x = -1\"", r#"["u = u(1, t)"]"#, ""),
        ("\"x = -1\"", r#"["u = u(1, t)", "v = u(1, t)"]"#, ""),
        ("\"x = -1\"", both, "[term.more]\non = \"x = 1\"\nequation = \"u = 0\"\npoints = 2\n"),
        ("\"x = -1 and t < 0.5\"", both, ""),
    ];
    for (on, ends, more) in none {
        assert!(periodic(&text(on, ends, more)).is_empty(), "{on} {ends} {more}");
    }
    // A file that names its network, or says what is periodic, keeps it.
    assert!(periodic(&text("\"x = -1\"", both, "[network]\nhidden = [9]\n")).is_empty());
    assert!(periodic(&text("\"x = -1\"", both, "[network]\nperiodic = []\n")).is_empty());
}

#[test]
fn a_value_that_an_unknown_starts_with_is_no_wave() {
    let problem = built(
        "fields = [\"u\"]\n[domain]\nx = [-1, 1]\ny = [-1, 1]\n[unknowns]\na = { of = [\"x\", \"y\"], start = 2, bounds = [0.1, 5] }\n\
         [term.pde]\nequation = \"div(a*grad(u)) = 1\"\npoints = 50\n[term.rim]\non = \"boundary\"\n\
         equation = [\"a = 2 + sin(pi*x)*sin(pi*y)\", \"u = 0\"]\npoints = 40\n",
    );
    assert!(problem.scales.waves.iter().flatten().all(|&wave| wave < 2.0), "{:?}", problem.scales.waves);
    assert!(problem.network.fourier.is_none());
}
