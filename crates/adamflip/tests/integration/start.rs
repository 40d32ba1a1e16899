//! A start from another solution.

use adamflip::certificate::State;
use adamflip::train::{Signal, Started, Trainer, Unlike};
use adamflip::{evaluate, problem, spec};

fn trainer(text: &str) -> Trainer {
    crate::testing::trainer(text, 3)
}

/// A rod of this length with a diffusivity that may be unknown.
fn rod(fields: &str, end: &str, hidden: &str, unknowns: &str) -> String {
    let field = fields.trim_matches(['[', ']', '"']);
    format!(
        "fields = {fields}\n[domain]\nx = [0, {end}]\n{unknowns}\n[term.pde]\nequation = \"{field}_xx = -sin(x)\"\npoints = 30\n\
         [term.left]\non = \"x = 0\"\nequation = \"{field} = 0\"\npoints = 1\n[reference]\n{field} = \"sin(x)\"\n\
         [network]\nhidden = {hidden}\n[train]\nstages = [{{ method = \"gauss_newton\", steps = 40 }}]"
    )
}

fn error(trainer: &Trainer) -> f64 {
    evaluate::errors(trainer.problem(), trainer.model(), trainer.θ()).unwrap()[0].relative_l2
}

fn earlier(of: &Trainer) -> State<'_> {
    of.state()
}

#[test]
fn a_start_is_as_good_as_what_it_starts_from() {
    let with_end = |text: String| {
        text.replace("x = 0\"\nequation", "x = 0\", \"x = 3\"]\nequation")
            .replace("on = \"x = 0\", ", "on = [\"x = 0\", ")
    };
    let mut solved = trainer(
        &with_end(rod("[\"u\"]", "3", "[10]", ""))
            .replace("u = 0\"", "u = sin(x)\"")
            .replace("points = 1\n", "points = 2\n"),
    );
    solved.run(&mut |_| Signal::Continue);
    let known = error(&solved);
    assert!(known < 1e-3, "{known}");
    // The same networks.
    let mut same = trainer(&rod("[\"u\"]", "3", "[10]", ""));
    assert!(error(&same) > 0.1);
    assert_eq!(same.start_from(&earlier(&solved)), Ok(Started::Copied));
    assert_eq!(same.θ(), solved.θ());
    // Others, on a part of the domain.
    let mut other = trainer(&rod("[\"u\"]", "2.5", "[12, 6]", ""));
    let Ok(Started::Fitted(left)) = other.start_from(&earlier(&solved)) else { panic!("copied") };
    assert!(left < 1e-3 && error(&other) < known + 2e-3, "{left} {}", error(&other));
    // It goes on from there.
    other.run(&mut |_| Signal::Continue);
    assert!(other.steps_taken() > 0);
}

#[test]
fn what_is_no_start_is_refused() {
    let solved = trainer(&rod("[\"u\"]", "3", "[5]", ""));
    let mut v = trainer(&rod("[\"v\"]", "3", "[5]", ""));
    assert_eq!(v.start_from(&earlier(&solved)), Err(Unlike::Field("v".into())));
    let text = rod("[\"u\"]", "3", "[5]", "")
        .replace("x = [", "y = [")
        .replace("u_xx", "u_yy")
        .replace("\"x = 0\"", "\"y = 0\"")
        .replace("(x)", "(y)");
    let expected = Unlike::Coordinates { found: "x".into(), expected: "y".into() };
    assert_eq!(trainer(&text).start_from(&earlier(&solved)), Err(expected));
    let far = rod("[\"u\"]", "9", "[5]", "").replace("x = [0,", "x = [5,").replace("x = 0\"", "x = 5\"");
    assert_eq!(trainer(&far).start_from(&earlier(&solved)), Err(Unlike::Elsewhere));
}

/// Bratu's problem, whose solution bends more the larger k is.
const BRATU: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
[constants]
k = [1, 2, 3]
[term.pde]
equation = "u_xx + k*exp(u) = 0"
points = 20
[term.ends]
on = ["x = 0", "x = 1"]
equation = "u = 0"
points = 2
[network]
hidden = [8]
[train]
resample = 1
stages = [{ method = "adam", steps = 30 }, { method = "newtonflip", steps = 15 }]
"#;

#[test]
fn a_constant_comes_to_its_value_step_by_step() {
    let mut continued = trainer(BRATU);
    assert_eq!(continued.problem().continuation.len(), 2);
    let (mut methods, mut count) = (Vec::new(), 0);
    continued.run(&mut |progress| {
        methods.push(progress.method);
        count += 1;
        Signal::Continue
    });
    // The warm start is for the first value alone.
    assert_eq!((count, methods.iter().filter(|&&method| method == "adam").count()), (30 + 3 * 15, 30));
    assert_eq!(continued.shortfall(), None);
    // What is trained last, and judged, is the last value: with another the residual would be about one.
    let violations = continued.certify().violations;
    assert!(violations.iter().all(|violation| violation.max < 0.15), "{violations:?}");
    for stop in [10, 44, 46, 61] {
        let mut first = trainer(BRATU);
        first.run(&mut |progress| if progress.step < stop { Signal::Continue } else { Signal::Interrupt });
        assert_eq!(first.shortfall().is_some(), stop < 60);
        let mut second = trainer(BRATU);
        second.restore(first.snapshot()).unwrap();
        second.run(&mut |_| Signal::Continue);
        assert_eq!(second.θ(), continued.θ(), "after {stop}");
    }
}

#[test]
fn constants_that_change_together_have_lists_of_one_length() {
    let text = BRATU.replace("[1, 2, 3]", "[1, 2, 3]\nm = [1, 2]");
    let rejected = problem::build(spec::parse("p.toml", &text, &Default::default())).unwrap_err();
    assert_eq!(rejected.diagnostics.len(), 1);
    assert!(rejected.diagnostics[0].message.contains("lists of one length"));
    let empty = BRATU.replace("[1, 2, 3]", "[]");
    assert!(problem::build(spec::parse("p.toml", &empty, &Default::default())).is_err());
}
