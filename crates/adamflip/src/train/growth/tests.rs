use super::*;
use crate::objective::values;

fn problem(text: &str) -> Problem {
    crate::testing::problem(text)
}

const PLATE: &str = r#"
fields = ["u", "v"]
[domain]
x = [0, 1]
y = [0, 2]
[unknowns]
k = { start = 0.3 }
a = { of = ["x"], start = 1.0 }
[term.pde]
equation = ["u_xx + u_yy = k*a", "v_x = u"]
[term.edge]
on = "x = 0"
equation = ["u = 0", "v = 0"]
[network]
periodic = { y = 2 }
fourier = { features = 6, scale = 2.0 }
hidden = [7, 5]
"#;

/// Fields, derivatives of a coefficient and unknowns stay: what is added is multiplied by zero, so that only
/// the order of sums may differ.
#[test]
fn a_wider_network_is_the_same_function() {
    let narrow = problem(PLATE);
    let wide = narrow.widened(&[11, 9]);
    let ((model, mut θ), (wide_model, mut wide_θ)) = (model(&narrow, 4), model(&wide, 4));
    θ.iter_mut().enumerate().for_each(|(i, weight)| *weight += 0.1 * (i as f64).sin());
    carry(&narrow, &wide, &θ, &mut wide_θ);
    assert!(wide_θ.len() > θ.len() && wide_θ.last() == θ.last());
    let points = sample::draw(
        &narrow.domain,
        &crate::geometry::Place::interior(),
        sample::Sampler::Latin,
        40,
        &mut sample::stream(1, 1),
    )
    .unwrap();
    for term in &narrow.terms {
        let before = values(&term.residual, &model, &narrow.unknowns, &θ, &points);
        let after = values(&term.residual, &wide_model, &wide.unknowns, &wide_θ, &points);
        for (before, after) in before.iter().flatten().zip(after.iter().flatten()) {
            // Twenty sums of some ten numbers, with second derivatives of size 10².
            assert!((before - after).abs() < 1e-11 * (1.0 + before.abs()), "{before} {after}");
        }
    }
}
