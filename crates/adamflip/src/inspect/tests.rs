//! Small problems with one oddity each.

use super::*;
use crate::{problem, spec};

fn built(text: &str) -> Problem {
    crate::testing::problem(text)
}

fn found(text: &str) -> Vec<Finding> {
    findings(&built(text), 0).unwrap()
}

/// All findings in words.
fn said(text: &str) -> Vec<String> {
    let problem = built(text);
    findings(&problem, 0).unwrap().iter().map(|finding| finding.text(&problem)).collect()
}

/// Heat in a rod with some lines of the file replaced.
fn rod(replaced: &[(&str, &str)]) -> String {
    let mut text = r#"
fields = ["u"]
[domain]
x = [-1, 1]
t = [0, 1]
[term.pde]
equation = "u_t = u_xx"
points = 50
[term.initial]
on = "t = 0"
equation = "u = cos(pi*x/2)"
points = 10
[term.left]
on = "x = -1"
equation = "u = 0"
points = 10
[term.right]
on = "x = 1"
equation = "u = 0"
points = 10
[reference]
u = "exp(-pi^2*t/4)*cos(pi*x/2)"
[network]
hidden = "2x8"
"#
    .to_owned();
    for (from, to) in replaced {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text
}

#[test]
fn a_sound_problem_has_no_findings() {
    assert_eq!(said(&rod(&[])), [""; 0]);
    // Derivatives of the integral of Cole and Hopf are not known.
    let unchecked =
        "whether the reference satisfies [term.pde] was not looked at: not all that it takes is known";
    assert_eq!(said(include_str!("../../../../problems/burgers_forward.toml")), [unchecked]);
    assert_eq!(said(include_str!("../../../../problems/heat_forward.toml")), [""; 0]);
}

#[test]
fn conditions_that_differ_at_a_corner_are_named() {
    let wrong = rod(&[("u = 0\"\npoints = 10\n[reference]", "0.5 = u\"\npoints = 10\n[reference]")]);
    let disagreement = Finding::Disagreement {
        terms: [1, 3],
        field: 0,
        point: vec![1.0, 0.0],
        values: [(std::f64::consts::FRAC_PI_2).cos(), 0.5],
        same_place: false,
    };
    let found = found(&wrong);
    let Finding::Disagreement { point, values, same_place, .. } = &found[0] else { panic!("{found:?}") };
    // The field is put in and taken out again: a rounding of numbers of size one.
    assert!((values[0] - 0.0).abs() < 1e-12 && (values[1] - 0.5).abs() < 1e-12, "{values:?}");
    assert_eq!((point.clone(), *same_place), (vec![1.0, 0.0], false));
    assert_eq!(disagreement.level(), Level::Warning);
    assert!(disagreement.text(&built(&wrong)).starts_with(
        "[term.initial] and [term.right] disagree where they meet: at x = 1, t = 0 they say u = "
    ));
    // The reference does not meet the wrong condition either.
    assert!(matches!(found[1], Finding::Unsolved { term: 3, .. }) && found.len() == 2, "{found:?}");
}

#[test]
fn bounds_without_room_between_them_are_named() {
    let with = |terms: &str| said(&rod(&[("[reference]", &format!("{terms}\n[reference]"))]));
    let bound = |name: &str, equation: &str| format!("[term.{name}]\nequation = {equation}\npoints = 10\n");
    let room = |words: &[String]| !words.iter().any(|text| text.contains("contradict each other"));
    let words = with(&bound("band", "\"1 <= u <= 0\""));
    let named = "`1 - u <= 0` of [term.band] and `u <= 0` of [term.band] contradict each other: at x = ";
    assert!(
        words
            .iter()
            .any(|text| text.starts_with(named) && text.ends_with("they are 1 apart; move one of them")),
        "{words:?}"
    );
    // Of two terms, in other units, and where they depend on the point.
    let words = with(&(bound("low", "\"2*u >= 2 + 4*x\"") + &bound("high", "\"u <= x\"")));
    let named = "`2*u - (2 + 4*x) >= 0` of [term.low] and `u - x <= 0` of [term.high] contradict each other";
    assert!(words.iter().any(|text| text.starts_with(named)), "{words:?}");
    // Of derivatives within one term; an equation on a face beside a bound that holds everywhere.
    assert!(!room(&with(&bound("slope", "\"2 <= u_x <= 1\""))));
    let words = with(&bound("high", "\"u >= 0.5\""));
    let named =
        "`u - 0.5 >= 0` of [term.high] and `u = 0` of [term.left] contradict each other: at x = -1, t = ";
    assert!(words.iter().any(|text| text.starts_with(named)), "{words:?}");
    // Bounds that meet, bounds apart, bounds on what has nothing to do with the other.
    for equation in ["\"0 <= u_x <= 0\"", "\"-1 <= u <= 1\"", "[\"u >= 0\", \"u_x <= -9\"]"] {
        assert!(room(&with(&bound("band", equation))), "{equation}");
    }
}

#[test]
fn conditions_that_differ_on_a_face_contradict_each_other() {
    let twice = rod(&[(
        "equation = \"u = 0\"\npoints = 10\n[term.right]",
        "equation = [\"u = 0\", \"u = 1\"]\npoints = 10\n[term.right]",
    )]);
    let words = said(&twice);
    assert!(words[0].contains("[term.initial] and [term.left] disagree where they meet"), "{words:?}");
    assert!(
        words[1].starts_with("two equations of [term.left] contradict each other: at x = -1, t = "),
        "{words:?}"
    );
    assert!(words[1].ends_with("they say u = 0 and u = 1"), "{words:?}");
    let boundary =
        rod(&[("on = \"x = 1\"\nequation = \"u = 0\"", "on = \"boundary\"\nequation = \"u = 2\"")]);
    let words = said(&boundary);
    assert!(
        words.iter().any(|text| text.contains("[term.left] and [term.right] contradict each other")),
        "{words:?}"
    );
}

#[test]
fn conditions_meet_on_curved_boundaries_and_through_an_ansatz() {
    let disk = r#"
fields = ["u"]
[domain]
x = [-1, 1]
y = [-1, 1]
t = [0, 1]
inside = "plate"
[shapes]
plate = { disk = { center = [0, 0], radius = 1 } }
[term.pde]
equation = "u_t = laplacian(u)"
points = 20
[term.initial]
on = "t = 0"
equation = "u = 1"
points = 10
[term.rim]
on = "plate"
equation = "u = 0"
points = 10
"#;
    let words = said(disk);
    assert_eq!(words.len(), 1, "{words:?}");
    assert!(words[0].starts_with("[term.initial] and [term.rim] disagree where they meet"), "{words:?}");
    let same = disk.replace("u = 1", "u = 1 - x^2 - y^2");
    assert_eq!(said(&same), [""; 0]);
    // The initial values are those of the ansatz, so only the second condition is new; it is compared all the
    // same.
    let ansatz = rod(&[
        ("[network]", "[network]\nansatz = \"cos(pi*x/2) + t*N\""),
        ("u = 0\"\npoints = 10\n[term.r", "u = x\"\npoints = 10\n[term.r"),
    ]);
    let words = said(&ansatz);
    assert!(words[0].starts_with("[term.initial] and [term.left] disagree"), "{words:?}");
}

#[test]
fn other_kinds_of_conditions_are_not_values() {
    // A flux, an unknown value, a value elsewhere: none prescribes the field.
    for condition in ["u_x = 3", "2*u = 3", "u + u_x = 3", "u = u(-1, t) + 3", "u = u^2 + 3"] {
        let text = rod(&[(
            "u = 0\"\npoints = 10\n[reference]\nu = \"exp(-pi^2*t/4)*cos(pi*x/2)\"",
            "CONDITION\"\npoints = 10",
        )]);
        // It is put into the condition, which it does not meet, but no two values stand against each other.
        let found = found(&text.replace("CONDITION", condition));
        assert!(matches!(found[..], [Finding::Kink { terms: [1, 3], .. }]), "{condition}: {found:?}");
    }
}

#[test]
fn parts_without_points_are_named() {
    let square = r#"
fields = ["u"]
[domain]
x = [0, 1]
y = [0, 3]
[term.pde]
equation = "laplacian(u) = 1"
points = 20
[term.walls]
on = "boundary"
equation = "u = 0"
points = 2
"#;
    let words = said(square);
    let expected =
        "[term.walls] has 2 points for 4 parts: none lies on y = 0, y = 3; raise `points` to 4 or more";
    assert_eq!(words, [expected]);
    assert_eq!(said(&square.replace("points = 2\n", "points = 4\n")), [""; 0]);
}

#[test]
fn faces_without_a_condition_are_noted() {
    let open = rod(&[("on = \"x = 1\"", "on = \"x = -1\"")]);
    assert_eq!(found(&open), [Finding::MissingCondition(BoundaryPart::Face(0, 1.0))]);
    assert_eq!(said(&open), ["nothing is said on x = 1"]);
    assert_eq!(found(&open)[0].level(), Level::Note);
    let timeless = rod(&[("on = \"t = 0\"", "on = \"x = 1\""), ("cos(pi*x/2)\"\npoints", "0\"\npoints")]);
    assert_eq!(
        found(&timeless),
        [Finding::ZeroFields, Finding::MissingCondition(BoundaryPart::Face(1, 0.0))]
    );
    assert_eq!(said(&timeless)[1], "nothing is said on t = 0");
}

#[test]
fn boundaries_of_shapes_without_a_condition_are_noted() {
    let ring = r#"
fields = ["u"]
[domain]
x = [-1, 1]
y = [-1, 1]
inside = "plate - hole"
[shapes]
plate = { disk = { center = [0, 0], radius = 1 } }
hole = { disk = { center = [0, 0], radius = 0.5 } }
[term.pde]
equation = "laplacian(u) = 0"
points = 20
[term.outer]
on = "plate"
equation = "u_n = 1"
points = 10
"#;
    assert_eq!(said(ring), ["nothing is said on the boundary of `hole`"]);
    assert_eq!(said(&ring.replace("on = \"plate\"", "on = \"boundary\"")), [""; 0]);
}

#[test]
fn what_needs_no_condition_is_not_noted() {
    let motion = r#"
fields = ["u"]
[domain]
s = [0, 1]
[term.motion]
equation = "u_ss + u = 0"
points = 20
[term.start]
on = "s = 0"
equation = ["u = 1", "u_s = 0"]
points = 1
"#;
    // An initial-value problem along a coordinate that is not called t.
    assert_eq!(said(motion), [""; 0]);
    assert_eq!(said(&motion.replace(", \"u_s = 0\"", "")), ["nothing is said on s = 1"]);
    // Periodicity by an equation or by construction, an ansatz, a condition at the end of time.
    let ring = [("on = \"x = 1\"\nequation = \"u = 0\"", "on = \"x = -1\"\nequation = \"u_x = u_x(1, t)\"")];
    let embedded = [("on = \"x = 1\"", "on = \"x = -1\""), ("[network]", "[network]\nperiodic = [\"x\"]")];
    let ansatz =
        [("on = \"x = 1\"", "on = \"x = -1\""), ("[network]", "[network]\nansatz = \"(1 - x^2)*N\"")];
    let last =
        [("on = \"t = 0\"", "on = \"t = 1\""), ("u = cos(pi*x/2)\"", "u = exp(-pi^2/4)*cos(pi*x/2)\"")];
    for replaced in [&ring[..], &embedded, &ansatz, &last] {
        let words = said(&rod(replaced));
        assert!(!words.iter().any(|text| text.starts_with("nothing is said")), "{words:?}");
    }
}

#[test]
fn names_that_nothing_depends_on_are_found() {
    let inverse = [
        ("[reference]", "[unknowns]\na = { start = 0 }\nb = { start = 1 }\n[reference]"),
        ("u_t = u_xx", "u_t = u_xx + a^2"),
    ];
    // The derivative of a² at 0 is 0, so a never moves.
    let unchecked = Finding::Unchecked(vec![0]);
    assert_eq!(
        found(&rod(&inverse)),
        [Finding::UnusedUnknown(1), Finding::IdleUnknown(0), unchecked.clone()]
    );
    let moved = [inverse[0], ("u_t = u_xx", "u_t = u_xx + a*b")];
    assert_eq!(found(&rod(&moved)), [Finding::IdleUnknown(1), unchecked], "b is multiplied by 0");
    let field = [("fields = [\"u\"]", "fields = [\"u\", \"v\"]")];
    assert_eq!(found(&rod(&field)), [Finding::UnusedField(1)]);
    let idle = [field[0], ("u_t = u_xx", "u_t = u_xx + 0*v"), ("[network]", "[network]\nseparate = true")];
    assert!(said(&rod(&idle))[0].contains('v'));
}

#[test]
fn losses_of_very_different_size_are_named() {
    let balanced = rod(&[
        ("u_t = u_xx", "1e5*u_t = 1e5*u_xx"),
        ("equation = \"u = 0\"\npoints = 10\n[ref", "equation = \"u = 0\"\nweight = 1e-3\npoints = 10\n[ref"),
    ]);
    assert_eq!(self::found(&balanced), [], "newtonflip weighs by curvature");
    let text = format!("{balanced}[train]\nstages = [{{ method = \"adam\", steps = 10 }}]\n");
    let found = found(&text);
    let [Finding::Scales { largest: (0, large), smallest: (3, small) }] = found[..] else {
        panic!("{found:?}")
    };
    assert!(large > 1e6 * small, "{large} {small}");
    assert!(said(&text)[0].ends_with("balance them with `weight`, or scale the equations"));
}

#[test]
fn a_reference_that_does_not_solve_the_equation_is_found() {
    let found = found(&rod(&[("exp(-pi^2*t/4)", "exp(-pi^2*t/2)")]));
    let [Finding::Unsolved { term: 0, equation: 0, rms, ref point, residual }] = found[..] else {
        panic!("{found:?}")
    };
    // u_t − u_xx = −π²/4·u: at most π²/4 in size, where t and x are 0.
    assert!(residual.abs() > 2.0 && residual.abs() < 2.5 && rms > 0.3 && rms < 2.5, "{residual} {rms}");
    assert!(point[0].abs() < 0.5 && point[1] < 0.1, "{point:?}");
    // Four digits are a wrong number, twelve are not.
    let digits = |pi: &str| self::found(&rod(&[("exp(-pi^2*t/4)", &format!("exp(-{pi}*t/4)"))])).len();
    assert_eq!((digits("9.8697"), digits("9.86960440109")), (1, 0));
}

#[test]
fn ranges_without_data_are_named() {
    let inverse = |on: &str, unknown: &str| {
        let data = format!(
            "[term.data]\ndata = \"reference\"\npoints = 40\non = \"{on}\"\n[unknowns]\n{unknown}\n[reference]"
        );
        rod(&[("[reference]", &data), ("u_t = u_xx", "u_t = k*u_xx")])
    };
    let number = "k = { start = 0.5, truth = 1 }";
    let field = "k = { of = [\"x\"], start = 0.5, truth = 1 }";
    assert_eq!(said(&inverse("x < 0.5", number)), [""; 0]);
    let found = found(&inverse("x < -0.5", number));
    let [Finding::Unobserved { coordinate: 0, ref gaps, field: None }] = found[..] else {
        panic!("{found:?}")
    };
    let &(from, to) = gaps.last().unwrap();
    // Forty points fill their range to a few hundredths.
    assert!((from + 0.5).abs() < 0.05 && to == 1.0 && found[0].level() == Level::Note, "{gaps:?}");
    let found = self::found(&inverse("x < -0.5", field));
    let [Finding::Unobserved { coordinate: 0, field: Some(1), .. }] = found[..] else { panic!("{found:?}") };
    assert_eq!(found[0].level(), Level::Warning);
    let sensor = said(&inverse("x = 0.25", number));
    assert_eq!(sensor, ["there are no data for -1 < x < 0.25 and 0.25 < x < 1"]);
}

#[test]
fn an_ansatz_that_meets_nothing_is_named() {
    let with = |ansatz: &str| said(&rod(&[("[network]", &format!("[network]\nansatz = \"{ansatz}\""))]));
    assert_eq!(with("(1 - x^2)*N"), [""; 0]);
    assert_eq!(with("10*N + 1"), [""; 0], "a mere scale");
    let words = with("(2 - x^2)*N");
    assert!(words.len() == 1 && words[0].starts_with("no term is met by the ansatz"), "{words:?}");
}

#[test]
fn residuals_that_are_no_numbers_are_located() {
    let text = rod(&[("u = cos(pi*x/2)\"\npoints = 10", "u = sqrt(x)\"\npoints = 10")]);
    let problem = built(&text);
    let found = findings(&problem, 0).unwrap();
    let place = found.iter().find_map(|finding| match finding {
        Finding::NotFinite { term: 1, equation: 0, points, point } => Some((*points, point[0])),
        _ => None,
    });
    let ([some, all], x) = place.unwrap();
    // Latin points: half of them have a negative x.
    assert!((some, all) == (5, 10) && x < 0.0, "{some} {all} {x}");
    assert!(said(&text).iter().any(|text| text.starts_with(
        "[term.initial] is infinite or not a number at 5 of 10 points before the first step, e.g. at x = -"
    )));
}

/// Of a conductivity that jumps, d(k·u_x) has the jump too, which no derivative here has.
#[test]
fn a_derivative_over_a_jump_is_told() {
    let jumps = |equation: &str| {
        let text =
            rod(&[("u_t = u_xx", equation), ("[reference]\nu = \"exp(-pi^2*t/4)*cos(pi*x/2)\"\n", "")]);
        found(&text).contains(&Finding::Jump { term: 0, coordinate: 0 })
    };
    assert!(jumps("u_t = d(where(x < 0, 1, 10)*u_x, x)"));
    assert!(jumps("u_t = d(where(x < 0, u_x, 10*u_x), x)"));
    assert!(jumps("u_t = d((2 + sign(x))*u_x, x)"));
    // Along time it does not jump, these fit together, and a source is not differentiated.
    assert!(!jumps("u_t = d(where(t < 0.5, 1, 10)*u_x, x)"));
    assert!(!jumps("u_t = d(where(x < 0, 1, 1 + x)*u_x, x)"));
    assert!(!jumps("u_t = u_xx + where(x < 0, 1, 10)"));
}

#[test]
fn fields_outside_the_domain_are_told() {
    let text = rod(&[("u_t = u_xx", "u_t = u_xx + u(x, t - 0.5)")]);
    let told = said(&text);
    assert!(told.iter().any(|text| text.contains("[term.pde] takes a field outside the domain")), "{told:?}");
    let inside = said(&rod(&[("u_t = u_xx", "u_t = u_xx + u(x, t/2)")]));
    assert!(!inside.iter().any(|text| text.contains("outside")), "{inside:?}");
}

/// Beside a large source the trial numbers must not drown.
#[test]
fn a_large_source_prescribes_nothing() {
    for source in ["3e9", "3e12", "3e15", "3e18"] {
        let text = rod(&[("u_t = u_xx", &format!("u_t = u_xx + {source}"))]);
        let is_conflict = |finding: &Finding| matches!(finding, Finding::Disagreement { .. });
        assert!(!found(&text).iter().any(is_conflict), "{source}");
    }
}

/// A mode of a string has no size, and coefficients that are all unknown have no scale.
#[test]
fn what_zero_solves_is_told() {
    let string = r#"
fields = ["u"]
[domain]
x = [0, 1]
[unknowns]
k = { start = 1 }
[term.mode]
equation = "u_xx + k*u = 0"
points = 20
[term.ends]
on = "boundary"
equation = "u = 0"
points = 2
[network]
hidden = [6]
"#;
    let zeros = |text: &str| {
        let mut found = found(text);
        found.retain(|found| matches!(found, Finding::ZeroFields | Finding::ZeroCoefficients { .. }));
        found
    };
    assert_eq!(zeros(string), [Finding::ZeroFields]);
    let size = "[term.size]\nequation = \"integral(u^2, x) = 1\"\npoints = 1\n[network]";
    assert_eq!(zeros(&string.replace("[network]", size)), []);
    let data = "[term.data]\ndata = \"reference\"\npoints = 5\n[reference]\nu = \"sin(pi*x)\"\n[network]";
    let measured = string.replace("[network]", data);
    assert_eq!(zeros(&measured), []);
    // All coefficients are to be found, numbers or fields; where one is known or kept away from 0, all have a
    // scale.
    let zero = |name: &str| {
        let names = vec!["k".to_owned(), name.to_owned()];
        vec![Finding::ZeroCoefficients { term: 0, names }]
    };
    let free = measured
        .replace("u_xx", "q*u_xx")
        .replace("k = { start = 1 }\n", "k = { start = 1 }\nq = { start = 2 }\n");
    assert_eq!(zeros(&free), zero("q"));
    assert!(said(&free)[0].starts_with("[term.mode] holds for all fields where k = q = 0: fix one"));
    assert_eq!(zeros(&free.replace("q = { start = 2 }", "q = { start = 2, of = [\"x\"] }")), zero("q"));
    assert_eq!(zeros(&free.replace("q = { start = 2 }", "q = { start = 2, bounds = [1, 3] }")), []);
    assert_eq!(
        zeros(&free.replace("q = { start = 2 }", "q = { start = 2, of = [\"x\"], bounds = [1, 3] }")),
        []
    );
    assert_eq!(zeros(&free.replace("+ k*u = 0", "+ k*u = x")), []);
}

/// A rod whose reference is a table of these lines.
fn with_table(rows: &str, replaced: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("u.csv"), rows).unwrap();
    let mut text = rod(&[("u = \"exp(-pi^2*t/4)*cos(pi*x/2)\"", "data = \"u.csv\"")]);
    replaced.iter().for_each(|(from, to)| text = text.replace(from, to));
    let mut parsed = spec::parse("p.toml", &text, &Default::default());
    parsed.spec.folder = folder.path().to_owned();
    let problem = problem::build(parsed).unwrap();
    findings(&problem, 0).unwrap().iter().map(|finding| finding.text(&problem)).collect()
}

fn rows(value: impl Fn(f64, f64) -> f64) -> String {
    let mut text = "x,t,u\n".to_owned();
    for i in 0..11 {
        for j in 0..11 {
            let (x, t) = (-1.0 + 0.2 * f64::from(i), 0.1 * f64::from(j));
            text += &format!("{x},{t},{}\n", value(x, t));
        }
    }
    text
}

#[test]
fn a_table_is_held_against_conditions_at_its_own_points() {
    use std::f64::consts::{FRAC_PI_2, PI};
    let exact = |x: f64, t: f64| (-PI * PI * t / 4.0).exp() * (FRAC_PI_2 * x).cos();
    let unlooked = "whether the reference satisfies [term.pde] was not looked at: a table shows values only, and these only at its own points";
    assert_eq!(with_table(&rows(exact), &[]), [unlooked]);
    // The axes swapped, for fields of any size.
    for size in [1.0, 1e-9] {
        let scaled = [("u = cos(pi*x/2)", &*format!("u = {size}*cos(pi*x/2)"))];
        assert_eq!(with_table(&rows(|x, t| size * exact(x, t)), &scaled).last().unwrap(), unlooked);
        let words = with_table(&rows(|x, t| size * exact(2.0 * t - 1.0, (x + 1.0) / 2.0)), &scaled);
        for term in ["initial", "left"] {
            let start = format!("the reference does not satisfy [term.{term}]: left minus right is");
            assert!(words.iter().any(|text| text.starts_with(&start)), "{term}: {words:?}");
        }
    }
    // Both ends of a period are in the table.
    let periodic = [("on = \"x = 1\"\nequation = \"u = 0\"", "on = \"x = 1\"\nequation = \"u = u(-1, t)\"")];
    assert_eq!(with_table(&rows(exact), &periodic), [unlooked]);
    let words = with_table(&rows(|x, t| exact(x, t) + 0.1 * (x + 1.0) * t), &periodic);
    assert!(words[0].starts_with("the reference does not satisfy [term.right]"), "{words:?}");
}

#[test]
fn small_fields_and_small_coefficients_are_held_to_their_own_size() {
    // A wrong sign of the second derivative, in a field of size 1e-9; a millionth of everything in another.
    let small = rod(&[("u = cos(pi*x/2)", "u = 1e-9*cos(pi*x/2)"), ("u = \"exp(", "u = \"1e-9*exp(")]);
    assert_eq!(said(&small), [""; 0]);
    let words = said(&small.replace("u_t = u_xx", "u_t = -u_xx"));
    assert!(
        words.iter().any(|text| text.starts_with("the reference does not satisfy [term.pde]")),
        "{words:?}"
    );
    let faint = rod(&[("u_t = u_xx", "1e-7*u_t = -1e-7*u_xx")]);
    let words = said(&faint);
    assert!(
        words.iter().any(|text| text.starts_with("the reference does not satisfy [term.pde]")),
        "{words:?}"
    );
}

#[test]
fn conditions_that_no_smooth_field_meets_together_are_told() {
    let periodic = |values: &str, embedded: bool| {
        let (term, network) = match embedded {
            true => ("", "periodic = ['x']"),
            false => {
                ("[term.period]\non = 'x = 0'\nequation = ['u = u(1, t)', 'u_x = u_x(1, t)']\npoints = 9", "")
            }
        };
        said(&format!(
            "fields = ['u']\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.pde]\nequation = 'u_t = u_xx'\npoints = 20\n\
             [term.initial]\non = 't = 0'\nequation = 'u = {values}'\npoints = 9\n{term}\n[network]\nhidden = '2x8'\n{network}"
        ))
    };
    for embedded in [false, true] {
        for smooth in ["sin(2*pi*x)", "1", "cos(20*pi*x)", "exp(sin(2*pi*x))"] {
            assert_eq!(periodic(smooth, embedded), [""; 0], "{smooth} {embedded}");
        }
        let kink = periodic("x*(1 - x)", embedded);
        assert!(kink.len() == 1 && kink[0].contains("has a kink there"), "{kink:?}");
        let jump = periodic("x", embedded);
        assert!(jump.iter().any(|text| text.contains("the solution jumps there")), "{jump:?}");
    }
    assert_eq!(
        periodic("x*(1 - x)", false),
        [
            "[term.initial] does not satisfy equation 2 of [term.period] where they meet: at x = 0, t = 0 left minus right is 2; \
          the solution has a kink there, near which errors stay larger"
        ]
    );
    // A wall that takes no heat, and a start that flows into it.
    let wall = rod(&[("on = \"x = 1\"\nequation = \"u = 0\"", "on = \"x = 1\"\nequation = \"u_x = 0\"")]);
    let words = said(&wall.replace("[reference]\nu = \"exp(-pi^2*t/4)*cos(pi*x/2)\"\n", ""));
    assert!(
        words.len() == 1 && words[0].starts_with("[term.initial] does not satisfy [term.right]"),
        "{words:?}"
    );
}

#[test]
fn sizes_of_fields_are_known_from_what_is_given() {
    let sized = |text: &str| {
        let problem = built(text);
        sizes(&problem, 0)
            .into_iter()
            .map(|of| (problem.fields[of.field].clone(), of.by, of.size))
            .collect::<Vec<_>>()
    };
    let by_reference = sized(&rod(&[("u = \"exp(", "u = \"27*exp(")]));
    // The peak is a node of the grid.
    assert!(
        by_reference[0].1 == Shown::Reference && (by_reference[0].2 / 27.0 - 1.0).abs() < 0.01,
        "{by_reference:?}"
    );
    let conditions =
        rod(&[("[reference]\nu = \"exp(-pi^2*t/4)*cos(pi*x/2)\"", ""), ("u = cos", "u = 300*cos")]);
    let by_conditions = sized(&conditions);
    assert!(by_conditions[0].1 == Shown::Conditions && by_conditions[0].2 > 297.0, "{by_conditions:?}");
    let observed = rod(&[("[network]", "[term.data]\ndata = \"reference\"\npoints = 50\n[network]")]);
    assert_eq!(sized(&observed)[0].1, Shown::Reference);
}
