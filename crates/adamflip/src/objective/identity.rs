//! Conditions that hold whatever the networks compute: periodic ones of a periodic network, values that the
//! ansatz has.
//!
//! Their rows are rounding, and a method that weighs conditions by what the parameters feel of them would
//! hammer at rounding: of u_xxx at both ends of a period that is 1e-11, no small number beside the rows of
//! others. They are told by the networks themselves, drawn anew: there the residual cancels at its own points
//! and nowhere else.

use super::{model, values};
use crate::geometry::Place;
use crate::lang::Leaf;
use crate::problem::{Problem, Role, Source, Term, rms};
use crate::sample::{self, Sampler};

/// Points at which a residual is looked at.
const POINTS: usize = 32;
/// Networks that are drawn.
const DRAWN: u64 = 2;
/// What is left of a residual that cancels, as a share of what it is elsewhere.
const ROUNDING: f64 = 1e-9;

/// Which terms are such conditions.
pub(crate) fn identities(problem: &Problem) -> Vec<bool> {
    let networks: Vec<_> = (0..DRAWN)
        .map(|seed| {
            let (model, mut θ) = model(problem, seed);
            // Unknowns start at numbers like 0 and 1, with which more holds than with others.
            θ[model.parameters()..].iter_mut().for_each(|θ| *θ += 0.123 * (seed + 1) as f64);
            (model, θ)
        })
        .collect();
    let is_identity = |term: &Term| {
        let Source::Drawn { normals: false, .. } = term.source else { return false };
        let reads = |leaf: &Leaf| matches!(leaf, Leaf::Attribute(_));
        if term.role != Role::Constraint
            || term.is_inequality()
            || term.is_everywhere_inside()
            || term.residual.precomputed.inputs().iter().any(reads)
        {
            return false;
        }
        let own = term.source.with_at_most(POINTS).draw(&problem.domain, 0, 1, 0);
        let mut rng = sample::stream(0, 0);
        let others = sample::draw(&problem.domain, &Place::interior(), Sampler::Halton, POINTS, &mut rng);
        let (Ok(own), Ok(others)) = (own, others) else { return false };
        networks.iter().all(|(model, θ)| {
            let [own, others] =
                [&own, &others].map(|points| values(&term.residual, model, &problem.unknowns, θ, points));
            own.iter().zip(&others).all(|(own, others)| {
                let (size, left) = (rms(others), own.iter().fold(0.0, |most: f64, r| most.max(r.abs())));
                size > 0.0 && left <= ROUNDING * size
            })
        })
    };
    problem.terms.iter().map(is_identity).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem;
    use crate::spec::{self, Overrides};

    fn found(text: &str) -> Vec<bool> {
        let problem = problem::build(spec::parse("p.toml", text, &Overrides::default()))
            .unwrap_or_else(|rejected| panic!("{rejected:?}"));
        identities(&problem)
    }

    const FILM: &str = r#"
fields = ["u"]
[domain]
x = [0, 0.5]
t = [0, 1]
[term.film]
equation = "u_t + u_xxxx = 0"
[term.ring]
on = "x = 0"
equation = ["u = u(0.5, t)", "u_x = u_x(0.5, t)", "u_xx = u_xx(0.5, t)", "u_xxx = u_xxx(0.5, t)"]
[term.initial]
on = "t = 0"
equation = "u = sin(4*pi*x)"
"#;

    #[test]
    fn periodic_conditions_of_a_periodic_network() {
        assert_eq!(found(FILM), [false, true, false]);
        let network = "[network]\nhidden = \"2x8\"\nperiodic = []\n";
        assert_eq!(found(&format!("{FILM}{network}")), [false; 3]);
        // The second derivatives are no conditions of a network that is periodic in half a period.
        let shifted = FILM.replace("u_xx(0.5, t)", "u_xx(0.3, t)");
        assert_eq!(found(&shifted), [false; 3]);
    }

    #[test]
    fn values_that_the_ansatz_has() {
        let text = |wall: &str| {
            format!(
                "fields = ['u']\n[domain]\nx = [0, 1]\n[unknowns]\na = {{ start = 1 }}\n\
                 [term.ode]\nequation = 'u_x = a*u'\n[term.start]\non = 'x = 0'\nequation = '{wall}'\n\
                 [term.look]\non = 'x = 1'\nequation = 'u = 5'\n\
                 [network]\nansatz = {{ u = '2 + x*N' }}\n"
            )
        };
        assert_eq!(found(&text("u = 2")), [false, true, false]);
        // With another unknown it does not hold.
        assert_eq!(found(&text("u = 2*a")), [false; 3]);
    }
}
