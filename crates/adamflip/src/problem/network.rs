//! Which networks compute the fields, and the fields as expressions of the networks' outputs (the ansatz).

use rand::Rng;

use super::Scale;
use super::construction::Construction;
use super::names::{Names, number};
use super::unknown::logit;
use crate::derivative::Partial;
use crate::diagnostic::{Diagnostic, Spanned};
use crate::geometry::Domain;
use crate::jet::{Activation, Program};
use crate::lang::{self, Function, Graph, HERE, Id, Leaf, NotDifferentiable, Scope};
use crate::network::{self, Input, Parametrization, Shape};
use crate::sample;
use crate::spec;

/// The name of the raw network output in an ansatz.
const RAW: &str = "N";
/// The layers of a coefficient's network where the file does not say.
const COEFFICIENT: [usize; 2] = [20, 20];

/// One network: its fields, the coordinates it reads, and its shape.
#[derive(Clone, Debug)]
pub struct NetworkPlan {
    /// The fields that it computes, one output each.
    pub fields: Vec<usize>,
    /// The coordinates that it reads.
    pub coordinates: Vec<usize>,
    /// The period of coordinates that enter by sine and cosine only.
    pub periods: Vec<(usize, f64)>,
    /// Coordinates that enter by the cosine of half a wave over their range only.
    pub even: Vec<usize>,
    /// Layers, activations and the rest.
    pub shape: spec::Network,
}

impl NetworkPlan {
    /// The network itself; `rng` serves the frequencies of Fourier features.
    pub fn program(&self, domain: &Domain, rng: &mut impl Rng) -> Program {
        let mut inputs = Input::all(domain, self.shape.scale_inputs);
        inputs.retain(|input| self.coordinates.contains(&input.coordinate));
        for input in &mut inputs {
            let period = self.periods.iter().find(|(coordinate, _)| *coordinate == input.coordinate);
            input.period = period.map(|&(_, period)| period);
            if self.even.contains(&input.coordinate) {
                let (lower, upper) = (domain.lower[input.coordinate], domain.upper[input.coordinate]);
                (input.center, input.period, input.even) = (lower, Some(2.0 * (upper - lower)), true);
            }
        }
        let shape = Shape {
            hidden: &self.shape.hidden,
            activations: &self.shape.activations,
            architecture: self.shape.architecture,
            outputs: self.fields.len(),
            inputs: &inputs,
            fourier: self.shape.fourier.as_ref(),
            factorized: self.shape.factorized,
        };
        network::build(&shape, domain.dimension(), rng)
    }

    /// How the weights of the network follow from its part of θ.
    pub fn parametrization(&self, program: &Program) -> Parametrization {
        Parametrization::new(program, self.shape.factorized.is_some())
    }

    /// How many numbers are trained.
    pub fn parameters(&self, domain: &Domain) -> usize {
        // The number does not depend on the frequencies.
        let program = self.program(domain, &mut sample::stream(0, 0));
        self.parametrization(&program).parameters()
    }
}

/// The networks of all fields.
pub(super) fn networks(
    spec: &spec::Spec,
    names: &Names,
    construction: &Construction,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<NetworkPlan> {
    let sought: Vec<usize> = (0..spec.fields.len()).collect();
    let all: Vec<usize> = (0..names.coordinates.len()).collect();
    let periods = periods(&spec.network, names, diagnostics);
    let parts = if spec.network.separate { sought.chunks(1).collect() } else { vec![&sought[..]] };
    let plan = |fields: &[usize]| NetworkPlan {
        fields: fields.to_vec(),
        coordinates: all.clone(),
        periods: periods.iter().chain(&construction.periods).copied().collect(),
        even: construction.even.clone(),
        shape: spec.network.clone(),
    };
    let mut plans: Vec<NetworkPlan> = parts.into_iter().map(plan).collect();
    let unknown_fields = spec.unknowns.iter().filter(|unknown| unknown.of.is_some());
    for (unknown, field) in unknown_fields.zip(spec.fields.len()..) {
        let coordinates = names.dependence[field].clone().unwrap_or_default();
        let hidden = unknown.hidden.clone().unwrap_or_else(|| COEFFICIENT.to_vec());
        let activation = spec.network.activations.first().copied().unwrap_or(Activation::Tanh);
        plans.push(NetworkPlan {
            fields: vec![field],
            periods: periods.iter().copied().filter(|(c, _)| coordinates.contains(c)).collect(),
            coordinates,
            even: Vec::new(),
            shape: spec::Network {
                activations: vec![activation; hidden.len()],
                hidden,
                scale_inputs: spec.network.scale_inputs,
                ..spec::Network::default()
            },
        });
    }
    plans
}

/// The coordinates in which a network is periodic, and their periods.
pub(super) fn periods(
    network: &spec::Network,
    names: &Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<(usize, f64)> {
    let scope = names.constant_scope();
    let mut periods = Vec::new();
    for (name, period) in &network.periodic {
        let Some(coordinate) = names.coordinates.iter().position(|c| *c == name.value) else { continue };
        let (lower, upper) = names.ranges[coordinate];
        let period = match period {
            None => Some(upper - lower),
            Some(period) => number(period, &scope, diagnostics),
        };
        match period {
            Some(period) if period > 0.0 => periods.push((coordinate, period)),
            Some(period) => diagnostics.push(
                Diagnostic::new(name.span, format!("the period of `{}` is {period}", name.value))
                    .label("not above 0")
                    .hint("give a length, or leave it out for the length of the range"),
            ),
            None => {}
        }
    }
    periods
}

/// How a field follows from the raw output of its network.
#[derive(Clone, Debug)]
enum Transform {
    Raw,
    /// A formula of the raw output and the coordinates.
    Text(Spanned<String>),
    /// Start + raw.
    Shifted(f64),
    /// Offset + size·raw.
    Scaled(Scale),
    /// Between two bounds: lower + (upper − lower)/(1 + exp(−raw − offset)).
    Bounded {
        lower: f64,
        upper: f64,
        offset: f64,
    },
}

/// The transforms of all fields.
#[derive(Clone, Debug)]
pub(super) struct Ansatz {
    transforms: Vec<Transform>,
    /// What the transforms are put into, so that conditions hold.
    pub(super) construction: Construction,
}

impl Ansatz {
    pub(super) fn new(spec: &spec::Spec, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut transforms = vec![Transform::Raw; spec.fields.len()];
        for (field, text) in &spec.network.ansatz {
            let index =
                field.as_ref().map_or(Some(0), |field| names.fields.iter().position(|f| *f == field.value));
            if let Some(transform) = index.and_then(|index| transforms.get_mut(index)) {
                *transform = Transform::Text(text.clone());
            }
        }
        for unknown in spec.unknowns.iter().filter(|unknown| unknown.of.is_some()) {
            let scope = names.constant_scope();
            let mut value = |n| number(n, &scope, diagnostics).unwrap_or(0.0);
            let start = value(&unknown.start);
            let bounds = unknown.bounds.as_ref().map(|(lower, upper)| (value(lower), value(upper)));
            transforms.push(match bounds {
                None => Transform::Shifted(start),
                Some((lower, upper)) => {
                    Transform::Bounded { lower, upper, offset: logit(start, lower, upper) }
                }
            });
        }
        let ansatz = Self { transforms, construction: Construction::default() };
        // Every formula is read once here, for its errors.
        for field in 0..ansatz.transforms.len() {
            if let Err(mistakes) = ansatz.expression(field, &mut Graph::new(), names) {
                diagnostics.extend(mistakes);
            }
        }
        ansatz
    }

    /// Fields of other sizes than one, where the file gives no formula: offset + size·N. True where one was
    /// changed.
    pub(super) fn scale(&mut self, scales: &spec::OutputScales) -> bool {
        let spec::OutputScales::Given(scales) = scales else { return false };
        let mut changed = false;
        for &(field, [offset, size]) in scales {
            if let transform @ Transform::Raw = &mut self.transforms[field] {
                *transform = Transform::Scaled(Scale { offset, size });
                changed = true;
            }
        }
        changed
    }

    /// Is the field the network's output itself?
    pub(super) fn is_raw(&self, field: usize) -> bool {
        matches!(self.transforms[field], Transform::Raw)
    }

    /// Whether the field is more than its network's output, so that derivatives are taken of an expression.
    fn changes(&self, field: usize) -> bool {
        self.construction.is_of(field) || !matches!(self.transforms[field], Transform::Raw)
    }

    /// The field at the point itself, over the raw outputs of the networks.
    fn constructed(&self, field: usize, graph: &mut Graph, names: &Names) -> Result<Id, Vec<Diagnostic>> {
        let mut value = |graph: &mut Graph, field: usize| self.expression(field, graph, names).ok();
        match self.construction.expression(field, graph, &mut value) {
            Some(id) => Ok(id),
            None => self.expression(field, graph, names),
        }
    }

    /// The same before it is put into a construction.
    fn expression(&self, field: usize, graph: &mut Graph, names: &Names) -> Result<Id, Vec<Diagnostic>> {
        let raw = graph.leaf(Leaf::Jet { field, partial: Partial::VALUE, site: HERE });
        Ok(match &self.transforms[field] {
            Transform::Raw => raw,
            Transform::Shifted(start) => {
                let start = graph.constant(*start);
                graph.add(start, raw)
            }
            Transform::Scaled(Scale { offset, size }) => {
                let [offset, size] = [*offset, *size].map(|value| graph.constant(value));
                let scaled = graph.mul(size, raw);
                graph.add(offset, scaled)
            }
            Transform::Bounded { lower, upper, offset } => {
                let [lower, width, offset, one] =
                    [*lower, upper - lower, *offset, 1.0].map(|value| graph.constant(value));
                let shifted = graph.add(raw, offset);
                let negative = graph.neg(shifted);
                let power = graph.function(Function::Exp, negative);
                let below = graph.add(one, power);
                let part = graph.div(width, below);
                graph.add(lower, part)
            }
            Transform::Text(text) => {
                let fields = [RAW.to_owned()];
                let scope = Scope { fields: &fields, unknowns: &names.unknowns, ..names.given_scope() };
                let id = lang::expression(text, &scope, graph)?;
                let leaves = graph.leaves(&[id]);
                let jets: Vec<Leaf> = leaves.into_iter().filter(|l| matches!(l, Leaf::Jet { .. })).collect();
                if jets != [Leaf::Jet { field: 0, partial: Partial::VALUE, site: HERE }] {
                    return Err(vec![not_of_raw(text)]);
                }
                if graph.is_nonlocal(id) {
                    return Err(vec![not_local(text)]);
                }
                graph.substitute(id, &mut |leaf| matches!(leaf, Leaf::Jet { .. }).then_some(raw))
            }
        })
    }

    /// The expressions with every field replaced by its transform.
    pub(super) fn apply(
        &self,
        graph: &mut Graph,
        ids: &[Id],
        names: &Names,
    ) -> Result<Vec<Id>, NotDifferentiable> {
        let mut replaced: Vec<(Leaf, Id)> = Vec::new();
        for leaf in graph.leaves(ids) {
            let Leaf::Jet { field, partial, site } = leaf else { continue };
            if !self.changes(field) {
                continue;
            }
            // A formula with an error has its message.
            let Ok(mut id) = self.constructed(field, graph, names) else { continue };
            for coordinate in partial.coordinates() {
                id = graph.differentiate(id, coordinate)?;
            }
            if site != HERE {
                let coordinates = graph.site_coordinates(site).to_vec();
                id = graph.moved(id, &coordinates);
            }
            replaced.push((leaf, id));
        }
        let mut image = |leaf: Leaf| replaced.iter().find(|(known, _)| *known == leaf).map(|&(_, id)| id);
        Ok(ids.iter().map(|&id| graph.substitute(id, &mut image)).collect())
    }
}

fn not_local(text: &Spanned<String>) -> Diagnostic {
    Diagnostic::new(text.span, "the ansatz must be a formula of the point itself")
        .label("an integral or a Caputo derivative")
        .hint("write its value out as a formula")
}

fn not_of_raw(text: &Spanned<String>) -> Diagnostic {
    Diagnostic::new(text.span, "the ansatz must contain the network's output `N`, and no derivative of it")
        .label("how does the field follow from `N`?")
        .hint("write for example `ansatz = \"sin(pi*x) + t*x*(1 - x)*N\"`")
}
