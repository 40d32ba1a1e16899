//! The library as its users see it: problems in code, solutions that own what they need, one error.

use adamflip::{Arrays, Error, Problem, ProblemBuilder, Role, Signal, Solution, SolveOptions, Status, Term};

fn decay() -> ProblemBuilder {
    Problem::builder(["u"])
        .name("decay")
        .coordinate("x", [0, 1])
        .term(Term::new("ode", "u_x = -2*u").points(32).tolerance("rms < 1e-2"))
        .term(Term::new("start", "u = 1").on("x = 0"))
        .reference("u", "exp(-2*x)")
        .set(&["network", "hidden"], "2x8")
        .set(&["train", "accuracy"], 1e-4)
}

#[test]
fn a_builder_a_text_and_a_file_are_the_same_problem() {
    let built = decay().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decay.toml");
    std::fs::write(&path, decay().to_toml()).unwrap();
    let read = Problem::from_path(&path).unwrap();
    let text = Problem::from_toml(&decay().to_toml()).unwrap();
    assert_eq!(built.to_toml(), read.to_toml());
    assert_eq!(built.to_toml(), text.to_toml());
    assert_eq!(Problem::from_toml(&built.to_toml()).unwrap().to_toml(), built.to_toml());
    assert_eq!((built.name.as_str(), read.name.as_str()), ("decay", "decay"));
    // The same bits follow.
    let θ = |problem: &Problem| {
        let mut trainer = problem.trainer(3).unwrap();
        assert_eq!(trainer.advance(5), Status::Interrupted);
        trainer.θ().to_vec()
    };
    assert_eq!(θ(&built), θ(&read));
}

#[test]
fn errors_are_those_of_the_file() {
    let error = decay().term(Term::new("ode", "u_y = 0").set("poins", 3)).build().unwrap_err();
    let shown = error.to_string();
    assert!(
        shown.contains("decay.toml:")
            && shown.contains("`poins`")
            && shown.contains("did you mean `points`?"),
        "{shown}"
    );
    assert!(shown.contains("`u_y`") && shown.contains("2 errors"), "{shown}");
    assert_eq!(error.diagnostics().len(), 2);
    assert!(matches!(Problem::from_path("nowhere/at_all.toml"), Err(Error::Load(_))));
}

#[test]
fn points_that_are_left_open_follow_from_the_place() {
    let problem = Problem::builder(["u"])
        .coordinate("x", [0, 1])
        .coordinate("y", [0, 1])
        .coordinate("t", [0, 1])
        .term(Term::new("pde", "u_t = u_xx + u_yy"))
        .term(Term::new("initial", "u = 0").on("t = 0"))
        .term(Term::new("walls", "u = 0").on("boundary"))
        .term(Term::new("edge", "u = 0").on("x = 0 and y = 0"))
        .term(Term::new("corners", "u = 0").on("x = 0 and y = 0 and t = 0").on("x = 1 and y = 0 and t = 0"))
        .build()
        .unwrap();
    let points: Vec<usize> = problem.terms.iter().map(|term| term.points).collect();
    assert_eq!(points, [3000, 500, 500, 100, 2]);
    assert!(problem.to_toml().contains("points = 3000"), "{}", problem.to_toml());
    let interval = Problem::from_toml(
        "fields = ['u']\n[domain]\nx = [0, 1]\n[term.ode]\nequation = 'u_xx = 1'\n[term.ends]\non = 'boundary'\nequation = 'u = 0'",
    );
    let points: Vec<usize> = interval.unwrap().terms.iter().map(|term| term.points).collect();
    assert_eq!(points, [200, 2]);
}

#[test]
fn a_solution_answers_saves_and_loads() {
    let solution = decay().build().unwrap().solve().unwrap();
    assert!(solution.errors().unwrap()[0].relative_l2 < 1e-3);
    assert!(solution.status().is_some());
    let shown = solution.certificate().to_string();
    assert!(
        shown.contains("ode ") && shown.contains("confidence") && shown.ends_with("confidence"),
        "{shown}"
    );
    let estimate = &solution.estimates()[0];
    assert!(estimate.relative_l2 < 1e-3 && solution.intervals().is_empty());
    let points = [[0.0], [0.25], [1.0]];
    let u = solution.evaluate("u", &points).unwrap();
    let slope = solution.evaluate("u_x + 2*u", &points).unwrap();
    assert!((u[1] - f64::exp(-0.5)).abs() < 1e-3 && slope.iter().all(|r| r.abs() < 1e-2));
    assert!(solution.evaluate("u_y", &points).unwrap_err().to_string().contains("hint"));
    let wrong = solution.evaluate("u", &[[0.0, 1.0]]).unwrap_err();
    assert_eq!(wrong.to_string(), "point 0 has 2 coordinates, and the problem has 1: x");
    let folder = tempfile::tempdir().unwrap();
    solution.save(folder.path().join("kept")).unwrap();
    let again = Solution::load(folder.path().join("kept")).unwrap();
    assert_eq!(again.evaluate("u", &points).unwrap(), u);
    for name in ["u.onnx", "u.npz", "u.csv", "u.vti"] {
        solution.export(folder.path().join(name)).unwrap();
        assert!(folder.path().join(name).metadata().unwrap().len() > 100, "{name}");
    }
    assert!(matches!(solution.export("u.xyz"), Err(Error::Format(_))));
}

#[test]
fn many_points_have_the_bits_of_few() {
    let solution = Solution::of(&decay().build().unwrap().trainer(0).unwrap());
    let x: Vec<[f64; 1]> = (0..70_000).map(|i| [i as f64 / 70_000.0]).collect();
    let all = solution.evaluate("u", &x).unwrap();
    assert_eq!(solution.evaluate("u", &x[69_000..]).unwrap(), all[69_000..]);
    let column = [x[7][0], x[9][0]];
    assert_eq!(solution.evaluate_columns(&["u", "2*u"], &[&column]).unwrap()[0], [all[7], all[9]]);
}

#[test]
fn arrays_are_data() {
    let x: Vec<f64> = (0..40).map(|i| i as f64 / 39.0).collect();
    let mut seen = Arrays::new("seen.npz");
    seen.push("x", &[40], x.clone()).unwrap();
    seen.push("u", &[40], x.iter().map(|x| f64::exp(-3.0 * x)).collect()).unwrap();
    assert!(seen.push("v", &[3], vec![0.0]).unwrap_err().to_string().contains("shape"));
    let problem = Problem::builder(["u"])
        .coordinate("x", [0, 1])
        .unknown("k", 1.0)
        .term(Term::new("ode", "u_x = -k*u").points(40))
        .term(Term::observed("seen").data(seen).role(Role::Objective))
        .set(&["network", "hidden"], "2x8")
        .build()
        .unwrap();
    let options = SolveOptions { seconds: Some(20.0), threads: Some(1), seed: Some(1) };
    let mut steps = 0;
    let solution = problem
        .solve_with(options, |progress| {
            steps = progress.step;
            Signal::Continue
        })
        .unwrap();
    let (name, k) = solution.unknowns()[0];
    assert!(name == "k" && (k - 3.0).abs() < 1e-3 && steps > 0, "{k}");
    // Saved with its data, which then are a file.
    let folder = tempfile::tempdir().unwrap();
    solution.save(folder.path()).unwrap();
    assert!(folder.path().join("data/seen.npz").is_file());
    assert_eq!(Solution::load(folder.path()).unwrap().unknowns(), solution.unknowns());
    // What is wrong with arrays is said like that of files.
    let mut wrong = Arrays::new("seen.npz");
    wrong.push("x", &[1], vec![f64::NAN]).unwrap();
    wrong.push("u", &[1], vec![0.0]).unwrap();
    let shown = Problem::builder(["u"])
        .coordinate("x", [0, 1])
        .term(Term::observed("seen").data(wrong))
        .build()
        .unwrap_err();
    assert!(shown.to_string().contains("is not a finite number"), "{shown}");
}

/// What users see. An item more or less is a change of the face: write it in CHANGELOG.md.
#[test]
fn the_face_is_known() {
    let source = include_str!("../../src/lib.rs");
    let uses = source.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let names = uses.flat_map(|list| {
        let list = list
            .split_once("::{")
            .map_or_else(|| list.rsplit("::").next().unwrap_or_default(), |(_, list)| list);
        let names = list.split(['{', '}', ',']).map(str::trim).filter(|name| !name.is_empty());
        names.map(str::to_owned).collect::<Vec<_>>()
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    let expected = "Arrays BuildError Caveat Certificate Checkpoint CheckpointError ConstrainedProblem DataError Diagnostic \
         Error Estimate Evaluation FieldError Identified Interval Kkt LoadError Method MinimizeOptions MinimizeStatus Minimum Optimizer Overrides Problem \
         ProblemBuilder ProblemText Progress Role Signal Solution SolveOptions Stage Started Status StepReport Term \
         Trainer Value Verdict Violation Want minimize";
    assert_eq!(names, expected.split_whitespace().collect::<Vec<_>>());
}
