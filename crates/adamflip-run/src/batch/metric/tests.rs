use serde_json::json;

use super::*;

fn shape() -> Shape {
    Shape {
        fields: vec!["u".into(), "v".into()],
        terms: vec![("pde".into(), false), ("walls".into(), true)],
        unknowns: vec![("kappa".into(), true), ("shift".into(), false)],
    }
}

fn names(metrics: &[Metric]) -> Vec<String> {
    metrics.iter().map(Metric::name).collect()
}

#[test]
fn numbers_come_from_the_summary() {
    let summary = json!({
        "steps": 100, "seconds": 4.0, "rel_l2": { "u": 0.25, "v": 0.75 },
        "terms": { "pde": { "role": "objective", "mse": 9.0, "max": 5.0 },
                   "walls": { "role": "constraint", "mse": 0.04, "max": 0.5 },
                   "start": { "role": "constraint", "mse": 0.01, "max": 0.7 } },
        "unknowns": { "kappa": { "value": 1.5, "truth": 1.0, "error": 0.5 } },
    });
    let named = |name: &str| shape().named(name).unwrap().of(&summary);
    assert_eq!((named("rel_l2"), named("rel_l2.v")), (0.5, 0.75));
    assert_eq!((named("violation"), named("mse.walls"), named("max.pde")), (0.2, 0.04, 5.0));
    assert_eq!((named("error.kappa"), named("seconds"), Metric::Speed.of(&summary)), (0.5, 4.0, 25.0));
    assert!(Metric::FieldError("w".into()).of(&summary).is_nan());
}

#[test]
fn what_is_not_a_number_stays_so() {
    // JSON has no such numbers: they are written as null.
    let summary = json!({
        "rel_l2": { "u": null, "v": 1.0 },
        "terms": { "a": { "role": "constraint", "mse": null }, "b": { "role": "constraint", "mse": 1.0 } },
    });
    for metric in [Metric::Error, Metric::FieldError("u".into()), Metric::Violation, Metric::Seconds] {
        assert!(metric.of(&summary).is_nan(), "{metric:?}");
        assert!(metric.of(&json!({})).is_nan(), "{metric:?}");
    }
}

#[test]
fn columns_follow_the_problem() {
    let expected = [
        "rel_l2.u",
        "rel_l2.v",
        "mse.walls",
        "max.walls",
        "error.kappa",
        "value.shift",
        "seconds",
        "steps/s",
    ];
    assert_eq!(names(&shape().metrics()), expected);
    let blind = Shape { fields: Vec::new(), unknowns: Vec::new(), ..shape() };
    assert_eq!(names(&blind.metrics()), ["mse.pde", "mse.walls", "max.walls", "seconds", "steps/s"]);
    assert_eq!((shape().first(), blind.first()), (Metric::Error, Metric::Violation));
}

#[test]
fn a_term_that_is_a_constraint_somewhere_has_its_columns() {
    let mut joined =
        Shape { fields: vec!["u".into()], terms: vec![("walls".into(), false)], unknowns: vec![] };
    joined.join(shape());
    assert!(joined.metrics().contains(&Metric::Largest("walls".into())));
    assert_eq!(joined.fields, ["u", "v"]);
}

#[test]
fn an_unknown_metric_is_refused_with_those_there_are() {
    let text = shape().named("rel_l2.w").unwrap_err().to_string();
    assert_eq!(
        text,
        "unknown metric `rel_l2.w`\nhint: did you mean `rel_l2.u`? There are rel_l2, rel_l2.u, rel_l2.v, \
         violation, mse.pde, mse.walls, max.pde, max.walls, error.kappa, seconds"
    );
}
