//! Which linear operators a term's equations need, as few as possible, for every network and every site.
//!
//! An equation is split into Σ c·∂^μ u + rest. A derivative that occurs only in such sums, and that no other
//! stream needs on the way, is a *candidate*: if all candidates of all equations and fields together enter
//! through fewer fixed combinations than there are candidates, the combinations travel as streams instead of
//! the parts. u_t + u u_x = ν u_xx needs {u, u_x, u_t − ν u_xx}; Navier–Stokes needs ∂_t − νΔ once for both
//! velocities.
//!
//! Sites of one network that need the same streams make up a [`Group`]; one sweep carries them all.

use std::collections::BTreeSet;

use crate::derivative::Partial;
use crate::jet::{Operator, Streams};
use crate::lang::{Graph, Id, Leaf};

/// One network at one or more sites, with the derivatives needed there.
#[derive(Clone, Debug)]
pub struct Group {
    /// Which network.
    pub network: usize,
    /// The network's number of outputs.
    pub outputs: usize,
    /// The derivatives that must travel through it.
    pub streams: Streams,
    /// Where: sites of the graph, later positions among a residual's sites.
    pub sites: Vec<usize>,
    /// The slot of the first site's first output.
    pub first_slot: usize,
}

impl Group {
    /// The number of slots.
    pub fn slots(&self) -> usize {
        self.sites.len() * self.streams.count() * self.outputs
    }
}

/// The groups of a set of residuals, and the residuals rewritten on slots: a group's slots are numbered by
/// site, stream and output, the last fastest. `networks` lists the fields of every network.
pub(super) fn collapse(
    graph: &mut Graph,
    residuals: &[Id],
    networks: &[Vec<usize>],
) -> (Vec<Group>, Vec<Id>) {
    let split: Vec<(Vec<(Leaf, f64)>, Id)> = residuals.iter().map(|&id| graph.linear_parts(id)).collect();
    let rests: Vec<Id> = split.iter().map(|&(_, rest)| rest).collect();
    let linear: Vec<Vec<Jet>> = split.iter().map(|(parts, _)| jets(parts, networks)).collect();
    let nonlinear: Vec<Jet> =
        jets(&graph.leaves(&rests).into_iter().map(|l| (l, 1.0)).collect::<Vec<_>>(), networks);
    let places: BTreeSet<(usize, usize)> =
        linear.iter().flatten().chain(&nonlinear).map(|jet| (jet.network, jet.site)).collect();
    let mut needs: Vec<Need> =
        places.into_iter().map(|place| Need::new(place, &linear, &nonlinear, networks)).collect();
    let groups = groups(&mut needs, networks);
    let rewrite = Rewrite { groups: &groups, needs: &needs, networks };
    let residuals =
        linear.iter().zip(rests).map(|(linear, rest)| rewrite.residual(graph, linear, rest)).collect();
    (groups, residuals)
}

/// A derivative of a network's output at a site, with its coefficient.
#[derive(Clone, Copy)]
struct Jet {
    network: usize,
    output: usize,
    site: usize,
    partial: Partial,
    coefficient: f64,
}

/// Where a field is found: its network and its place among the network's outputs.
fn output(networks: &[Vec<usize>], field: usize) -> (usize, usize) {
    let place = |fields: &Vec<usize>| fields.iter().position(|&known| known == field);
    let found = networks.iter().enumerate().find_map(|(network, fields)| Some((network, place(fields)?)));
    found.expect("every field is the output of a network")
}

fn jets(parts: &[(Leaf, f64)], networks: &[Vec<usize>]) -> Vec<Jet> {
    let jet = |&(leaf, coefficient): &(Leaf, f64)| match leaf {
        Leaf::Jet { field, partial, site } => {
            let (network, output) = output(networks, field);
            Some(Jet { network, output, site, partial, coefficient })
        }
        _ => None,
    };
    parts.iter().filter_map(jet).collect()
}

/// What is needed of one network at one site.
struct Need {
    network: usize,
    site: usize,
    streams: Streams,
    /// Empty where the candidates travel one by one.
    combinations: Vec<Operator>,
    candidates: BTreeSet<Partial>,
    /// The group that carries it, and its place among the group's sites.
    carried: (usize, usize),
}

impl Need {
    fn new(
        (network, site): (usize, usize),
        linear: &[Vec<Jet>],
        nonlinear: &[Jet],
        networks: &[Vec<usize>],
    ) -> Self {
        let here = |jet: &&Jet| jet.network == network && jet.site == site;
        let linear: Vec<Vec<Jet>> =
            linear.iter().map(|jets| jets.iter().filter(here).copied().collect()).collect();
        let nonlinear = nonlinear.iter().filter(here).map(|jet| jet.partial);
        let all = || linear.iter().flatten().map(|jet| jet.partial);
        let forced = forced(nonlinear, all());
        let candidates: BTreeSet<Partial> = all().filter(|partial| !forced.contains(partial)).collect();
        let combinations = combinations(&linear, &candidates, networks[network].len());
        let mut wanted: Vec<Operator> = forced.iter().map(|&partial| partial.into()).collect();
        let collapsed = combinations.len() < candidates.len();
        match collapsed {
            true => wanted.extend(combinations.iter().cloned()),
            false => wanted.extend(candidates.iter().map(|&partial| Operator::from(partial))),
        }
        let combinations = if collapsed { combinations } else { Vec::new() };
        Self { network, site, streams: Streams::new(&wanted), combinations, candidates, carried: (0, 0) }
    }
}

/// The derivatives that must travel on their own: those inside nonlinear parts, and every lower derivative
/// that the chain rule of a needed one mentions.
fn forced(
    nonlinear: impl Iterator<Item = Partial>,
    linear: impl Iterator<Item = Partial>,
) -> BTreeSet<Partial> {
    let mut forced: BTreeSet<Partial> = nonlinear.chain([Partial::VALUE]).collect();
    let all: Vec<Partial> = forced.iter().copied().chain(linear).collect();
    forced.extend(all.into_iter().flat_map(Partial::proper_parts));
    forced
}

/// The candidates' part of one output, scaled so that its largest coefficient is one: (scale, operator).
fn combination(jets: &[Jet], output: usize, candidates: &BTreeSet<Partial>) -> Option<(f64, Operator)> {
    let own = jets.iter().filter(|jet| jet.output == output && candidates.contains(&jet.partial));
    let sum = Operator::new(own.map(|jet| (jet.partial, jet.coefficient)));
    let larger = |a: f64, b: f64| if b.abs() > a.abs() { b } else { a };
    let scale = sum.parts().iter().map(|&(_, c)| c).reduce(larger)?;
    Some((scale, Operator::new(sum.parts().iter().map(|&(partial, c)| (partial, c / scale)))))
}

/// The distinct combinations of candidates over all equations and outputs.
fn combinations(linear: &[Vec<Jet>], candidates: &BTreeSet<Partial>, outputs: usize) -> Vec<Operator> {
    let mut distinct: Vec<Operator> = Vec::new();
    for jets in linear {
        for (_, operator) in (0..outputs).filter_map(|output| combination(jets, output, candidates)) {
            if !distinct.iter().any(|known| same(known, &operator)) {
                distinct.push(operator);
            }
        }
    }
    distinct
}

/// Equal up to the rounding of constant arithmetic such as ν = 0.01/π distributed over a sum.
fn same(a: &Operator, b: &Operator) -> bool {
    let close = |x: f64, y: f64| (x - y).abs() <= 1e-14 * x.abs().max(y.abs());
    a.parts().len() == b.parts().len()
        && a.parts().iter().zip(b.parts()).all(|(a, b)| a.0 == b.0 && close(a.1, b.1))
}

/// Puts sites with the same needs together and numbers their slots.
fn groups(needs: &mut [Need], networks: &[Vec<usize>]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for need in needs {
        let alike = |group: &Group| {
            group.network == need.network && group.streams.operators() == need.streams.operators()
        };
        let index = groups.iter().position(alike).unwrap_or_else(|| {
            let (network, outputs) = (need.network, networks[need.network].len());
            let streams = need.streams.clone();
            groups.push(Group { network, outputs, streams, sites: Vec::new(), first_slot: 0 });
            groups.len() - 1
        });
        need.carried = (index, groups[index].sites.len());
        groups[index].sites.push(need.site);
    }
    let mut slots = 0;
    for group in &mut groups {
        group.first_slot = slots;
        slots += group.slots();
    }
    groups
}

struct Rewrite<'a> {
    groups: &'a [Group],
    needs: &'a [Need],
    networks: &'a [Vec<usize>],
}

impl Rewrite<'_> {
    /// rest + Σ c·slot over the derivatives that travel alone + Σ scale·slot over the combinations.
    fn residual(&self, graph: &mut Graph, linear: &[Jet], rest: Id) -> Id {
        let mut sum = self.slots(graph, rest);
        for need in self.needs {
            let here = |jet: &&Jet| jet.network == need.network && jet.site == need.site;
            let jets: Vec<Jet> = linear.iter().filter(here).copied().collect();
            let alone = |jet: &&Jet| need.combinations.is_empty() || !need.candidates.contains(&jet.partial);
            for jet in jets.iter().filter(alone) {
                sum = self.add(graph, sum, jet.coefficient, need, jet.output, &jet.partial.into());
            }
            if need.combinations.is_empty() {
                continue;
            }
            for output in 0..self.networks[need.network].len() {
                if let Some((scale, operator)) = combination(&jets, output, &need.candidates) {
                    let known = need.combinations.iter().find(|known| same(known, &operator));
                    sum = self.add(graph, sum, scale, need, output, known.unwrap_or(&operator));
                }
            }
        }
        sum
    }

    fn add(&self, graph: &mut Graph, sum: Id, c: f64, need: &Need, output: usize, operator: &Operator) -> Id {
        let slot = self.slot(graph, need, output, operator);
        let factor = graph.constant(c);
        let product = graph.mul(factor, slot);
        graph.add(sum, product)
    }

    fn slot(&self, graph: &mut Graph, need: &Need, output: usize, operator: &Operator) -> Id {
        let (group, site) = (&self.groups[need.carried.0], need.carried.1);
        let stream = group.streams.find(operator).expect("every wanted operator has a stream");
        let within = (site * group.streams.count() + stream) * group.outputs + output;
        graph.leaf(Leaf::Slot(group.first_slot + within))
    }

    /// The same expression with slots in place of derivatives.
    fn slots(&self, graph: &mut Graph, id: Id) -> Id {
        let mut replaced = Vec::new();
        for leaf in graph.leaves(&[id]) {
            if let Leaf::Jet { field, partial, site } = leaf {
                let (network, output) = output(self.networks, field);
                let need = self.needs.iter().find(|need| need.network == network && need.site == site);
                let need = need.expect("every jet's place is among the needs");
                replaced.push((leaf, self.slot(graph, need, output, &partial.into())));
            }
        }
        graph.substitute(id, &mut |leaf| replaced.iter().find(|(known, _)| *known == leaf).map(|&(_, id)| id))
    }
}
