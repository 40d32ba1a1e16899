//! All networks of a problem, and where their parameters lie in θ: network after network, then the unknowns'.
//!
//! What is trained need not be what the kernels multiply with: a network's [`Parametrization`] turns its part
//! of θ into weights, and gradients by weights back into gradients by θ.

use std::ops::Range;
use std::sync::Arc;

use crate::geometry::{Points, Windows};
use crate::jet::{Op, Program};
use crate::network::Parametrization;

/// One network.
#[derive(Clone, Debug)]
pub struct Member {
    /// What it computes.
    pub program: Arc<Program>,
    /// How its weights follow from θ.
    pub parametrization: Parametrization,
    /// Its part of θ.
    pub parameters: Range<usize>,
    /// Its part of all weights.
    pub weights: Range<usize>,
}

/// The networks of a problem.
#[derive(Clone, Debug, Default)]
pub struct Model {
    members: Vec<Member>,
    /// Slabs of time with networks of their own, those of all of them being the members, slab after slab.
    windows: Option<(Windows, Vec<Arc<Model>>)>,
}

/// The networks of one window, and which of some points lie there.
#[derive(Debug)]
pub struct Share<'a> {
    /// The networks.
    pub model: &'a Model,
    /// Their part of θ.
    pub parameters: Range<usize>,
    /// The numbers of the points.
    pub points: Vec<usize>,
}

impl Model {
    /// The networks in order.
    pub fn new(networks: impl IntoIterator<Item = (Program, Parametrization)>) -> Self {
        let (mut parameters, mut weights) = (0, 0);
        let member = |(program, parametrization): (Program, Parametrization)| {
            let member = Member {
                parameters: parameters..parameters + parametrization.parameters(),
                weights: weights..weights + program.parameters(),
                program: Arc::new(program),
                parametrization,
            };
            (parameters, weights) = (member.parameters.end, member.weights.end);
            member
        };
        Self { members: networks.into_iter().map(member).collect(), windows: None }
    }

    /// The networks of windows, one model for each.
    pub fn in_windows(windows: Windows, models: Vec<Arc<Model>>) -> Self {
        let all = models.iter().flat_map(|model| &model.members);
        let networks = all.map(|member| ((*member.program).clone(), member.parametrization.clone()));
        Self { windows: Some((windows, models.clone())), ..Self::new(networks) }
    }

    /// The windows and the networks of each, where there are any.
    pub fn windows(&self) -> Option<(&Windows, &[Arc<Model>])> {
        self.windows.as_ref().map(|(windows, models)| (windows, &models[..]))
    }

    /// The part of θ of a window.
    pub fn part(&self, window: usize) -> Range<usize> {
        let before =
            self.windows().map_or(0, |(_, models)| models[..window].iter().map(|m| m.parameters()).sum());
        before..before + self.windows().map_or(self.parameters(), |(_, models)| models[window].parameters())
    }

    /// The points window by window; nothing where there are no windows.
    pub fn shares(&self, points: &Points) -> Option<Vec<Share<'_>>> {
        let (windows, models) = self.windows()?;
        let share = |(window, model)| Share { model, parameters: self.part(window), points: Vec::new() };
        let mut shares: Vec<Share<'_>> = models.iter().map(|model| &**model).enumerate().map(share).collect();
        for (i, &time) in points.column(windows.coordinate).iter().enumerate() {
            shares[windows.of(time)].points.push(i);
        }
        Some(shares)
    }

    /// The networks.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// How many numbers of θ belong to networks; those of the unknowns follow.
    pub fn parameters(&self) -> usize {
        self.members.last().map_or(0, |member| member.parameters.end)
    }

    /// The weights of all networks.
    pub fn weights(&self) -> usize {
        self.members.last().map_or(0, |member| member.weights.end)
    }

    /// Whether θ holds the weights as they are.
    pub fn is_plain(&self) -> bool {
        self.members.iter().all(|member| member.parametrization.is_identity())
    }

    /// The layers of the networks whose weights θ holds as they are: the place of the first weight, the
    /// inputs with one more for the biases, the outputs.
    pub fn layers(&self) -> impl Iterator<Item = [usize; 3]> {
        let plain = self.members.iter().filter(|member| member.parametrization.is_identity());
        plain.flat_map(|member| {
            let width = |register| member.program.width(register);
            member.program.ops().iter().filter_map(move |op| match *op {
                Op::Linear { input, output, weight, .. } => {
                    Some([member.parameters.start + weight, width(input) + 1, width(output)])
                }
                _ => None,
            })
        })
    }

    /// The weights at θ; `room` is used where they must be computed.
    pub fn weights_at<'a>(&self, θ: &'a [f64], room: &'a mut Vec<f64>) -> &'a [f64] {
        if self.is_plain() {
            return &θ[..self.parameters()];
        }
        room.resize(self.weights(), 0.0);
        for member in &self.members {
            let into = &mut room[member.weights.clone()];
            member.parametrization.expand(&θ[member.parameters.clone()], into);
        }
        room
    }

    /// The change of the weights with a change v of θ; what follows the networks' part is copied.
    pub fn push_forward(&self, θ: &[f64], v: &[f64], change: &mut [f64]) {
        for member in &self.members {
            let part = member.parameters.clone();
            let into = &mut change[member.weights.clone()];
            member.parametrization.push_forward(&θ[part.clone()], &v[part], into);
        }
        change[self.weights()..].copy_from_slice(&v[self.parameters()..]);
    }

    /// The gradient by θ from that by weights; what follows the networks' part is copied.
    pub fn pull_back(&self, θ: &[f64], by_weights: &[f64], gradient: &mut [f64]) {
        for member in &self.members {
            let part = member.parameters.clone();
            let by_weights = &by_weights[member.weights.clone()];
            member.parametrization.pull_back(&θ[part.clone()], by_weights, &mut gradient[part]);
        }
        gradient[self.parameters()..].copy_from_slice(&by_weights[self.weights()..]);
    }

    /// As [`Model::pull_back`] for rows of many points at once, `columns` numbers a parameter.
    pub fn pull_back_rows(&self, θ: &[f64], by_weights: &[f64], columns: usize, rows: &mut [f64]) {
        let wide = |range: &Range<usize>| range.start * columns..range.end * columns;
        for member in &self.members {
            let (part, by_weights) = (wide(&member.parameters), &by_weights[wide(&member.weights)]);
            let θ = &θ[member.parameters.clone()];
            member.parametrization.pull_back_rows(θ, by_weights, columns, &mut rows[part]);
        }
        rows[self.parameters() * columns..].copy_from_slice(&by_weights[self.weights() * columns..]);
    }
}
