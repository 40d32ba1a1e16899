//! Jacobian rows of pointwise constraints in factors: what the reverse sweep meets at every linear layer,
//! copied out.

use std::ops::Range;
use std::sync::Arc;

use super::batch::{Batch, Carrier};
use super::run::{TermKind, TermWork};
use super::tile::{Scratch, State};
use super::{Objective, locked};
use crate::factors::{Strip, StripForm, StripPart};
use crate::jet::{Layer, Op};
use crate::optim::Jacobian;

impl Objective {
    /// Can rows be given in factors? Where weights are not θ itself, its rows are no outer products.
    pub(super) fn is_factored(&self) -> bool {
        self.model.is_plain() && self.terms.iter().any(|term| term.kind() == TermKind::Pointwise)
    }

    /// What the rows of a pointwise constraint consist of.
    pub(super) fn parts_of(&self, term: &TermWork) -> Arc<[StripPart]> {
        let layer = |carrier: &Carrier, first, units, streams| {
            let rows = |term: &TermWork| match term.kind() {
                TermKind::Pointwise => term.constraints(),
                TermKind::Objective | TermKind::Aggregated => 0,
            };
            StripPart::layer(first, units, streams, self.mean_streams(carrier.weights.start, rows))
        };
        self.parts_by(term, layer)
    }

    /// The same with a choice of form for the layers of a network: by the first column, its units and
    /// streams.
    pub(super) fn parts_by(
        &self,
        term: &TermWork,
        layer: impl Fn(&Carrier, usize, (usize, usize), usize) -> StripPart,
    ) -> Arc<[StripPart]> {
        let mut parts = Vec::new();
        for carrier in &term.batch.carriers {
            let (program, streams) = (carrier.sweep.program(), carrier.sweep.streams().count());
            for op in program.ops().iter().rev() {
                if let Op::Linear { input, output, weight, .. } = *op {
                    let units = (program.width(input), program.width(output));
                    let part = layer(carrier, carrier.weights.start + weight, units, streams);
                    let copies = if part.is_written() { 1 } else { carrier.panels(1) };
                    parts.extend(std::iter::repeat_n(part, copies));
                }
            }
        }
        if term.batch.residual.unknowns().next().is_some() {
            let form = StripForm::Written { columns: self.unknowns.len() };
            parts.push(StripPart { first: self.model.weights(), form });
        }
        parts.into()
    }

    /// Streams at all sites of a row, averaged over the counted rows that depend on the network with these
    /// weights: a product of two rows takes as many outer products as its square.
    pub(super) fn mean_streams(&self, network: usize, count: impl Fn(&TermWork) -> usize) -> f64 {
        let (mut streams, mut rows) = (0, 0);
        for term in &self.terms {
            let own = term.batch.carriers.iter().filter(|carrier| carrier.weights.start == network);
            let each: usize = own.map(|carrier| carrier.sweep.streams().count() * carrier.panels(1)).sum();
            streams += each * count(term);
            rows += if each > 0 { count(term) } else { 0 };
        }
        streams as f64 / rows.max(1) as f64
    }

    /// The rows of all residuals of a tile times a factor, a strip an equation. The tile's first residual has
    /// row `first`.
    pub(super) fn strips_of_tile(
        &self,
        term: usize,
        tile: (&Range<usize>, usize),
        state: State<'_>,
        scale: f64,
        scratch: &mut Scratch,
        into: &mut Vec<Strip>,
    ) {
        let batch = &self.terms[term].batch;
        into.resize_with(batch.residual.equations(), Strip::default);
        batch.strips(tile, state, scale, &self.parts[term], scratch, into);
    }

    /// Hands the strips of a term over; counts them on.
    pub(super) fn strips_into(&self, term: usize, jacobian: &mut Jacobian, strips: &mut usize) {
        for block in &self.blocks[term] {
            for strip in &mut locked(block).strips {
                jacobian.exchange(*strips, strip);
                *strips += 1;
            }
        }
    }
}

impl Batch {
    /// The rows of all residuals of a tile times a factor, a strip an equation; after [`Batch::forward`]. The
    /// first residual has row `first`.
    pub(super) fn strips(
        &self,
        (tile, first): (&Range<usize>, usize),
        state: State<'_>,
        scale: f64,
        parts: &Arc<[StripPart]>,
        scratch: &mut Scratch,
        into: &mut [Strip],
    ) {
        let valid = self.valid(tile);
        for (equation, strip) in into.iter_mut().enumerate() {
            let first = first + equation * valid;
            strip.arrange(first..first + valid, parts);
            let scale = scale * self.roots[equation];
            self.reverse_tape(tile, scratch, |e, _, _| if e == equation { scale } else { 0.0 });
            self.strip(tile, state, scratch, strip);
        }
    }

    /// The rows of the residual whose adjoint was taken back through the tape.
    fn strip(&self, tile: &Range<usize>, state: State<'_>, scratch: &mut Scratch, strip: &mut Strip) {
        for (i, column) in self.unknown_columns(tile, scratch) {
            strip.put_column(strip.last_part(), i, state.unknowns[i].1, column);
        }
        let mut part = 0;
        for (carrier, work) in self.carriers.iter().zip(&mut scratch.jets) {
            let weights = &state.weights[carrier.weights.clone()];
            let mut visit = |layer: Layer<'_>| part = carrier.put(layer, strip, part);
            carrier.sweep.layers(weights, work, carrier.panels(tile.len()), &mut visit);
        }
    }
}

impl Carrier {
    /// Puts a layer into the part of that number, and its further sites into the next ones; the number of the
    /// next layer's.
    fn put(&self, layer: Layer<'_>, strip: &mut Strip, mut part: usize) -> usize {
        let sites = self.panels(1);
        let inputs = layer.input.chunks_exact(layer.input.len() / sites);
        let adjoints = layer.adjoint.chunks_exact(layer.adjoint.len() / sites);
        let written = strip.is_written(part);
        for (input, adjoint) in inputs.zip(adjoints) {
            strip.put_layer(part, (layer.in_units, input), (layer.out_units, adjoint));
            part += usize::from(!written);
        }
        part + usize::from(written)
    }
}
