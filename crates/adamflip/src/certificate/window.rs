//! Windows of a trained state: each is judged on its own, from where the one before ends.

use std::sync::Arc;

use super::{State, Violation};
use crate::geometry::Points;
use crate::model::Model;
use crate::objective::window;
use crate::problem::Problem;

/// One window of a state.
#[derive(Debug)]
pub struct Window {
    problem: Problem,
    model: Arc<Model>,
    θ: Vec<f64>,
    seed: u64,
    points: Vec<Points>,
}

impl Window {
    /// A window of a state that has windows; nothing where it has none. Where a step of the θ of the window
    /// before is given, it starts from where that leads, to first order.
    pub fn of(state: &State<'_>, number: usize, step: Option<&[f64]>) -> Option<Self> {
        let (_, models) = state.model.windows()?;
        let (problem, model) =
            (window(state.problem, state.model, state.θ, number, step), models[number].clone());
        let draw = |(term, index): (&crate::problem::Term, u64)| {
            term.source.draw(&problem.domain, state.seed, index, 0).ok()
        };
        let points = problem.terms.iter().zip(1..).map(draw).collect::<Option<Vec<Points>>>()?;
        Some(Self {
            problem, model, θ: state.θ[state.model.part(number)].to_vec(), seed: state.seed, points
        })
    }

    /// What was trained there.
    pub fn state(&self) -> State<'_> {
        State {
            problem: &self.problem,
            model: &self.model,
            θ: &self.θ,
            seed: self.seed,
            points: &self.points,
        }
    }
}

/// How well a term holds in all windows: the mean of their mean squares, and the worst of everything else.
pub(super) fn violation(state: &State<'_>, index: usize, least: usize) -> Option<Violation> {
    let (windows, _) = state.model.windows()?;
    let count = windows.count();
    let each = (0..count).map(|number| {
        let window = Window::of(state, number, None)?;
        Some(super::violation(&window.state(), index, least.div_ceil(count)))
    });
    let each = each.collect::<Option<Vec<Violation>>>()?;
    let larger = |a: Option<f64>, b: Option<f64>| Some(a?.max(b?));
    let mut all = each.iter().cloned().reduce(|all, next| {
        let worst = if next.max > all.max { &next } else { &all };
        Violation {
            points: all.points + next.points,
            max: worst.max,
            worst: worst.worst.clone(),
            mse_bound: larger(all.mse_bound, next.mse_bound),
            exceeded_share: larger(all.exceeded_share, next.exceeded_share),
            ..all
        }
    })?;
    all.mse = each.iter().map(|window| window.mse * window.points as f64).sum::<f64>() / all.points as f64;
    Some(all)
}
