//! The parts of [`Optimizer`](super::Optimizer) that a method leaves to what it is made of: `delegate!(to
//! controller: multipliers, points_changed);` in its `impl`.

macro_rules! delegate {
    (to $field:tt: $($method:ident),+) => {
        $(delegate! { @$method $field })+
    };
    (@step $field:tt) => {
        fn step(
            &mut self,
            problem: &mut dyn $crate::optim::ConstrainedProblem,
            θ: &mut [f64],
        ) -> $crate::optim::StepReport {
            self.$field.step(problem, θ)
        }
    };
    (@multipliers $field:tt) => {
        fn multipliers(&self) -> &[f64] {
            self.$field.multipliers()
        }
    };
    (@diagnose $field:tt) => {
        fn diagnose(&mut self, wanted: bool) {
            self.$field.diagnose(wanted);
        }
    };
    (@points_changed $field:tt) => {
        fn points_changed(&mut self) {
            self.$field.points_changed();
        }
    };
    (@end $field:tt) => {
        fn end(&self) -> Option<$crate::optim::End> {
            self.$field.end()
        }
    };
    (@state $field:tt) => {
        fn state(&self) -> $crate::optim::State {
            self.$field.state()
        }
    };
    (@restore $field:tt) => {
        fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
            self.$field.restore(state)
        }
    };
}
