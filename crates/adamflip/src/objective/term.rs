//! One term ready to be evaluated: its points in panels, its given columns, its tiles and lanes.

use std::ops::Range;
use std::sync::Arc;

use super::Misfit;
use crate::geometry::Points;
use crate::jet::{PANEL, Program, Sweep};
use crate::lang::Leaf;
use crate::problem::{Residual, Role, Term};

/// The sum of squares and the largest absolute value of residuals.
pub(super) type Totals = (f64, f64);

/// Lanes of a term at the most: how many threads can share it.
const LANES: usize = 16;

/// What a tile's registers may take of the second-level cache, in bytes (it is 1 MB or more on current cores).
const CACHE: usize = 768 << 10;

/// The most panels of a tile.
const TILE: usize = 16;

#[derive(Debug)]
pub(super) struct TermWork {
    pub(super) sweep: Sweep,
    pub(super) residual: Residual,
    pub(super) role: Role,
    pub(super) weight: f64,
    pub(super) fields: usize,
    count: usize,
    /// Coordinates in panels, padded with the first point.
    points: Vec<f64>,
    /// Given columns, one after the other, each of the padded length.
    given: Vec<f64>,
    /// The tiles as ranges of panels.
    tiles: Vec<Range<usize>>,
}

impl TermWork {
    pub(super) fn new(term: &Term, program: &Arc<Program>, fields: usize) -> Self {
        let streams = term.residual.streams.clone();
        let units: usize = (0..program.registers()).map(|register| program.width(register)).sum();
        let bytes = units * streams.count() * PANEL * size_of::<f64>();
        let panels = (CACHE / bytes).clamp(1, TILE);
        Self {
            sweep: Sweep::new(program.clone(), streams, panels),
            residual: term.residual.clone(),
            role: term.role,
            weight: term.weight,
            fields,
            count: 0,
            points: Vec::new(),
            given: Vec::new(),
            tiles: Vec::new(),
        }
    }

    pub(super) fn set_points(&mut self, points: &Points) {
        self.count = points.len();
        let panels = self.count.div_ceil(PANEL);
        self.points.clear();
        for panel in 0..panels {
            for c in 0..points.dimension() {
                let column = points.column(c);
                self.points.extend(
                    (panel * PANEL..(panel + 1) * PANEL).map(|i| *column.get(i).unwrap_or(&column[0])),
                );
            }
        }
        // As few tiles as the cache allows, of nearly equal size, but two at least to share between threads.
        let tiles = panels.div_ceil(self.sweep.panels()).max(panels.min(2));
        self.tiles = (0..tiles).map(|i| i * panels / tiles..(i + 1) * panels / tiles).collect();
        self.fill_given(points.dimension());
    }

    /// Computes the columns that depend on coordinates alone.
    fn fill_given(&mut self, dimension: usize) {
        let tape = &self.residual.given;
        let padded = self.points.len() / dimension;
        self.given.resize(tape.outputs().len() * padded, 0.0);
        let mut values = vec![0.0; tape.registers() * PANEL];
        for (panel, coordinates) in self.points.chunks_exact(dimension * PANEL).enumerate() {
            for (register, leaf) in tape.inputs().iter().enumerate() {
                if let Leaf::Coordinate(c) = *leaf {
                    values[register * PANEL..][..PANEL].copy_from_slice(&coordinates[c * PANEL..][..PANEL]);
                }
            }
            tape.forward(&mut values, PANEL);
            for (column, &register) in tape.outputs().iter().enumerate() {
                let into = &mut self.given[column * padded + panel * PANEL..][..PANEL];
                into.copy_from_slice(&values[register * PANEL..][..PANEL]);
            }
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn flops(&self) -> usize {
        self.sweep.flops() * self.count
    }

    pub(super) fn lanes(&self) -> usize {
        self.tiles.len().min(LANES)
    }

    /// The tiles of a lane: every so many-th.
    pub(super) fn lane_tiles(&self, lane: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        self.tiles.iter().skip(lane).step_by(self.lanes()).cloned()
    }

    /// All tiles.
    pub(super) fn tiles(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.tiles.iter().cloned()
    }

    pub(super) fn lane_cost(&self, lane: usize) -> usize {
        self.lane_tiles(lane).map(|tile| tile.len()).sum::<usize>() * self.sweep.flops()
    }

    /// The packed coordinates of a range of panels.
    pub(super) fn coordinates(&self, panels: &Range<usize>) -> &[f64] {
        let size = self.sweep.program().inputs() * PANEL;
        &self.points[panels.start * size..panels.end * size]
    }

    /// A given column over a range of panels.
    pub(super) fn given(&self, column: usize, panels: &Range<usize>) -> &[f64] {
        let padded = self.points.len() / self.sweep.program().inputs();
        &self.given[column * padded + panels.start * PANEL..column * padded + panels.end * PANEL]
    }

    /// How many points of a range of panels are not padding.
    pub(super) fn valid(&self, panels: &Range<usize>) -> usize {
        (panels.len() * PANEL).min(self.count - panels.start * PANEL)
    }

    /// One over the number of residuals.
    pub(super) fn share(&self) -> f64 {
        1.0 / (self.count * self.residual.equations()) as f64
    }

    /// Mean square and maximum over all lanes, added up in order.
    pub(super) fn misfit(&self, lanes: impl Iterator<Item = Totals>) -> Misfit {
        let (sum, max) = lanes.fold((0.0, 0.0f64), |(sum, max), lane| (sum + lane.0, max.max(lane.1)));
        Misfit { mse: sum * self.share(), max: if sum.is_nan() { f64::NAN } else { max } }
    }
}
