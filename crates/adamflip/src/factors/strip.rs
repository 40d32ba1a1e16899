//! Strips: rows side by side in panels, in factors or written out, and how they are filled.

use std::ops::Range;
use std::sync::Arc;

use crate::aligned::Aligned;
use crate::jet::{LinearRows, PANEL, block_stride};
use crate::simd::Isa;

/// What a strip's rows are in one range of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StripPart {
    /// The first column.
    pub(crate) first: usize,
    pub(crate) form: StripForm,
}

/// How numbers are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StripForm {
    /// Σ_s a_s ⊗ z̄_s, row-major with `outputs` columns, then z̄_0.
    Outer { streams: usize, inputs: usize, outputs: usize },
    /// As they are.
    Written { columns: usize },
}

impl StripPart {
    /// A dense layer's part of rows that carry `streams` streams each, on average. Of the two forms the one
    /// whose products take fewer operations.
    pub(crate) fn layer(first: usize, (inputs, outputs): (usize, usize), streams: usize, mean: f64) -> Self {
        let columns = (inputs + 1) * outputs;
        let outer = mean * mean * ((inputs + outputs + 1) as f64) < columns as f64;
        let form = if outer {
            StripForm::Outer { streams, inputs, outputs }
        } else {
            StripForm::Written { columns }
        };
        Self { first, form }
    }

    /// Is it written out?
    pub(crate) fn is_written(&self) -> bool {
        matches!(self.form, StripForm::Written { .. })
    }

    /// The columns.
    pub(crate) fn columns(&self) -> Range<usize> {
        let count = match self.form {
            StripForm::Outer { inputs, outputs, .. } => (inputs + 1) * outputs,
            StripForm::Written { columns } => columns,
        };
        self.first..self.first + count
    }

    /// The numbers kept for a panel.
    pub(crate) fn numbers(&self) -> usize {
        let (inputs, outputs) = self.sizes();
        inputs + outputs
    }

    /// The numbers kept for a panel: of inputs, and of adjoints or written-out rows.
    pub(super) fn sizes(&self) -> (usize, usize) {
        match self.form {
            StripForm::Outer { streams, inputs, outputs } => {
                (streams * block_stride(inputs), streams * block_stride(outputs))
            }
            StripForm::Written { columns } => (0, block_stride(columns)),
        }
    }
}

/// Consecutive rows in factors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Strip {
    pub(crate) rows: Range<usize>,
    pub(crate) parts: Arc<[StripPart]>,
    /// Part by part: the inputs of all panels, then the adjoints of all panels.
    data: Aligned,
}

impl Default for Strip {
    fn default() -> Self {
        Self { rows: 0..0, parts: Arc::new([]), data: Aligned::default() }
    }
}

impl Strip {
    /// Makes room for these rows; what is written out starts from zero.
    pub(crate) fn arrange(&mut self, rows: Range<usize>, parts: &Arc<[StripPart]>) {
        self.rows = rows;
        self.parts = parts.clone();
        let (last, panels) = (self.parts.len(), self.panels());
        self.data.fit(self.start(last));
        for part in 0..last {
            if let StripForm::Written { columns } = self.parts[part].form {
                let start = self.start(part);
                self.data[start..start + panels * block_stride(columns)].fill(0.0);
            }
        }
    }

    /// Its rows.
    pub(crate) fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// All its numbers, once it is arranged.
    pub(crate) fn numbers_mut(&mut self) -> &mut [f64] {
        let end = self.start(self.parts.len());
        &mut self.data[..end]
    }

    /// Is this part written out?
    pub(crate) fn is_written(&self, part: usize) -> bool {
        self.parts[part].is_written()
    }

    /// The number of the last part.
    pub(crate) fn last_part(&self) -> usize {
        self.parts.len() - 1
    }

    /// The panels of its rows, the last of which may not be full.
    pub(super) fn panels(&self) -> usize {
        self.rows.len().div_ceil(PANEL)
    }

    /// The rows of a panel.
    pub(super) fn panel_rows(&self, panel: usize) -> Range<usize> {
        let first = self.rows.start + panel * PANEL;
        first..self.rows.end.min(first + PANEL)
    }

    /// Numbers from the beginning to a part.
    fn start(&self, part: usize) -> usize {
        let sizes = self.parts[..part].iter().map(StripPart::sizes);
        self.panels() * sizes.map(|(inputs, outputs)| inputs + outputs).sum::<usize>()
    }

    /// The parts, each with the inputs and the adjoints (or written-out rows) of all panels.
    pub(super) fn all_kept(&self) -> impl Iterator<Item = (&StripPart, &[f64], &[f64])> {
        let (panels, mut rest) = (self.panels(), &self.data[..]);
        self.parts.iter().map(move |part| {
            let (inputs, outputs) = part.sizes();
            let (kept, others) = rest.split_at(panels * (inputs + outputs));
            rest = others;
            let (inputs, outputs) = kept.split_at(panels * inputs);
            (part, inputs, outputs)
        })
    }

    /// The parts, each with what is kept for one panel.
    pub(super) fn kept(&self, panel: usize) -> impl Iterator<Item = (&StripPart, Kept<'_>)> {
        self.all_kept().map(move |(part, inputs, adjoints)| {
            let (each_in, each_out) = part.sizes();
            let inputs = &inputs[panel * each_in..(panel + 1) * each_in];
            (part, Kept { inputs, adjoints: &adjoints[panel * each_out..(panel + 1) * each_out] })
        })
    }

    /// Takes in a layer's inputs and adjoints over all panels of this strip
    /// (`register[panel, stream, unit, point]`): copied for a part in factors, added to a part that is
    /// written out.
    pub(crate) fn put_layer(
        &mut self,
        part: usize,
        (in_units, inputs): (usize, &[f64]),
        (out_units, adjoints): (usize, &[f64]),
    ) {
        let (start, panels) = (self.start(part), self.panels());
        match self.parts[part].form {
            StripForm::Outer { .. } => {
                let into = &mut self.data[start..start + inputs.len() + adjoints.len()];
                let (into_inputs, into_adjoints) = into.split_at_mut(inputs.len());
                into_inputs.copy_from_slice(inputs);
                into_adjoints.copy_from_slice(adjoints);
            }
            StripForm::Written { columns } => {
                let into = self.data[start..].chunks_exact_mut(block_stride(columns)).take(panels);
                let (each_in, each_out) = (inputs.len() / panels, adjoints.len() / panels);
                let panels = inputs.chunks_exact(each_in).zip(adjoints.chunks_exact(each_out));
                for (into, (input, adjoint)) in into.zip(panels) {
                    let (weights, biases) = into.split_at_mut(in_units * out_units * PANEL);
                    let streams = each_out / block_stride(out_units);
                    Isa::detect().run(LinearRows {
                        streams,
                        input,
                        in_units,
                        adjoint,
                        out_units,
                        weights,
                        biases,
                    });
                }
            }
        }
    }

    /// Becomes these rows of others, all of the same parts: given as pairs of a strip and the number of a row
    /// in it. The first has row `first`.
    pub(crate) fn gather(&mut self, first: usize, rows: &[(&Strip, usize)]) {
        let Some(&(model, _)) = rows.first() else { return };
        self.arrange(first..first + rows.len(), &model.parts);
        self.data.fill(0.0);
        for part in 0..self.parts.len() {
            let (inputs, outputs) = self.parts[part].sizes();
            let into = self.start(part);
            let after = into + self.panels() * inputs;
            for (line, &(strip, row)) in rows.iter().enumerate() {
                let from = strip.start(part);
                let behind = from + strip.panels() * inputs;
                for (size, from, into) in [(inputs, from, into), (outputs, behind, after)] {
                    let from = &strip.data[from + row / PANEL * size..][..size];
                    let into = &mut self.data[into + line / PANEL * size..][..size];
                    let from = from.iter().skip(row % PANEL).step_by(PANEL);
                    into.iter_mut().skip(line % PANEL).step_by(PANEL).zip(from).for_each(|(to, x)| *to = *x);
                }
            }
        }
    }

    /// Adds factor·values, a number a row, to one column of a part that is written out.
    pub(crate) fn put_column(&mut self, part: usize, column: usize, factor: f64, values: &[f64]) {
        let (start, panels) = (self.start(part), self.panels());
        let stride = self.parts[part].sizes().1;
        let into = self.data[start..].chunks_exact_mut(stride).take(panels);
        for (into, values) in into.zip(values.chunks(PANEL)) {
            let into = &mut into[column * PANEL..(column + 1) * PANEL];
            into.iter_mut().zip(values).for_each(|(into, value)| *into += factor * value);
        }
    }
}

/// What is kept of one part for one panel: inputs, and adjoints or written-out rows.
#[derive(Clone, Copy)]
pub(super) struct Kept<'a> {
    inputs: &'a [f64],
    pub(super) adjoints: &'a [f64],
}

impl<'a> Kept<'a> {
    /// The inputs and adjoints of every stream.
    pub(super) fn streams(
        self,
        inputs: usize,
        outputs: usize,
    ) -> impl Iterator<Item = (&'a [f64], &'a [f64])> {
        let adjoints = self.adjoints.chunks_exact(block_stride(outputs));
        self.inputs.chunks_exact(block_stride(inputs)).zip(adjoints)
    }
}
