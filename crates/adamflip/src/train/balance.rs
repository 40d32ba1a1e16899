//! The equations of the objective against each other, where curvature meets constraints.
//!
//! Several equations without data are all to vanish, and what one is in counts for nothing: in such a stage
//! they get weights with which the parameters feel all of them alike. A file that says `weight` of a term of
//! the objective has decided itself, and beside data a weight says what an equation counts for.

use super::stage_state::StageState;
use super::{Trainer, parts};

/// The last step of a stage at which the weights are found again: until then the network is on its way.
const LAST: usize = 64;

impl Trainer {
    /// Are the equations of the objective to be balanced in this stage?
    fn balances(&self) -> bool {
        let stage = &self.stages[self.stage];
        stage.equations.is_none()
            && stage.method.balances_equations()
            && parts::here(&self.problem, self.marching.as_ref(), self.continuation).has_free_weights()
    }

    /// Balances the equations of the objective: at first often, as the network is on its way.
    pub(super) fn balance(&mut self, course: &mut StageState) {
        let due = course.taken == 0 || course.taken.is_power_of_two();
        if due && course.taken <= LAST && self.balances() {
            let first = self.first();
            let weights = self.objective.balanced_weights(&self.θ[first..]);
            if weights.iter().all(|weight| weight.is_finite() && *weight > 0.0) {
                self.objective.set_equation_weights(&weights);
                course.weights = weights;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem;
    use crate::spec::{self, Overrides};
    use crate::train::Signal;

    /// Two functions of one equation each, the second of them in units of its own.
    fn trainer(factor: &str, role: &str, method: &str) -> Trainer {
        let text = format!(
            r#"
fields = ["u", "v"]
[domain]
x = [0, 1]
[term.both]
equation = ["u_x = v", "{factor}*v_x = -{factor}*u"]
points = 30
{role}
[term.start]
on = "x = 0"
equation = ["u = 0", "v = 1"]
points = 1
[reference]
u = "sin(x)"
v = "cos(x)"
[network]
hidden = [6]
[train]
stages = [{{ method = "adam", steps = 50, lr = 1e-2 }}, {{ method = "{method}", steps = 40 }}]
"#
        );
        let problem = problem::build(spec::parse("pair.toml", &text, &Overrides::default()))
            .unwrap_or_else(|rejected| panic!("{rejected:?}"));
        let stages = problem.stages[1..].to_vec();
        Trainer::new(problem, 1, stages).unwrap()
    }

    /// The same fields after some steps, whatever an equation is multiplied by; without the balance others.
    #[test]
    fn the_unit_of_an_equation_does_not_matter() {
        let trained = |factor: &str, role: &str, method: &str| {
            let mut trainer = trainer(factor, role, method);
            trainer.run(&mut |p| if p.step == 5 { Signal::Interrupt } else { Signal::Continue });
            let errors = crate::evaluate::errors(trainer.problem(), trainer.objective().model(), trainer.θ());
            errors.unwrap().into_iter().map(|error| error.relative_l2).collect::<Vec<_>>()
        };
        let distance = |role: &str, method: &str| {
            let [one, other] = ["1", "1000"].map(|factor| trained(factor, role, method));
            one.iter().zip(&other).map(|(a, b)| (a / b).ln().abs()).fold(0.0, f64::max)
        };
        let [balanced, said, soft] = [("", "newtonflip"), ("weight = 2", "newtonflip"), ("", "gauss_newton")]
            .map(|(role, method)| distance(role, method));
        assert!(balanced < 1e-3 && said > 0.1 && soft > 0.1, "{balanced:e}, {said}, {soft}");
    }

    #[test]
    fn balanced_equations_are_felt_alike() {
        let mut trainer = trainer("1000", "", "newtonflip");
        trainer.run(&mut |_| Signal::Interrupt);
        let weights = trainer.course.as_ref().unwrap().weights.clone();
        assert!(weights[0] > 1e4 * weights[1] && weights[2..] == [1.0; 2], "{weights:?}");
        let again = trainer.objective.balanced_weights(&trainer.θ);
        let off = again.iter().zip(&weights).map(|(a, b)| (a / b).ln().abs()).fold(0.0, f64::max);
        assert!(off < 0.5, "one step on: {again:?}, {weights:?}");
    }

    #[test]
    fn a_balanced_stage_goes_on_with_the_same_bits() {
        let mut whole = trainer("1000", "", "newtonflip");
        let mut first = trainer("1000", "", "newtonflip");
        first.run(&mut |p| if p.step == 5 { Signal::Interrupt } else { Signal::Continue });
        let mut second = trainer("1000", "", "newtonflip");
        second.restore(first.snapshot()).unwrap();
        second.run(&mut |_| Signal::Continue);
        whole.run(&mut |_| Signal::Continue);
        assert_eq!(whole.θ, second.θ);
    }
}
