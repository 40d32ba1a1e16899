//! A residual on a set of points, ready to be evaluated: sites in panels, precomputed columns, tiles.

use std::borrow::Cow;
use std::ops::Range;

use crate::geometry::Points;
use crate::jet::{CACHE, PANEL, Sweep};
use crate::model::Model;
use crate::problem::{Residual, at_points};

/// The most panels of points in a tile.
const TILE: usize = 16;

/// The coordinates of a site, a column each: those of the points themselves, or computed from them.
type Columns<'a> = Vec<Cow<'a, [f64]>>;

/// One group of a residual: a network's sweep over the group's sites.
#[derive(Debug)]
pub(super) struct Carrier {
    pub(super) sweep: Sweep,
    /// The network's part of all weights.
    pub(super) weights: Range<usize>,
    /// Positions among the residual's sites.
    sites: Vec<usize>,
    /// The slot of the first site's first output.
    pub(super) first_slot: usize,
    /// The coordinates of all sites in panels: tile by tile, in it site by site.
    points: Vec<f64>,
}

#[derive(Debug)]
pub(super) struct Batch {
    pub(super) residual: Residual,
    /// Are the residuals of inequalities g, not what is violated of them?
    pub(super) signed: bool,
    /// The roots of the weights of the equations.
    pub(super) roots: Vec<f64>,
    pub(super) carriers: Vec<Carrier>,
    count: usize,
    /// The number of points with padding: full panels.
    padded: usize,
    /// Given columns, one after the other, each of the padded length.
    precomputed: Vec<f64>,
    /// The most panels of points in a tile.
    pub(super) panels: usize,
    tiles: Vec<Range<usize>>,
}

impl Batch {
    pub(super) fn new(residual: &Residual, model: &Model) -> Self {
        let program = |network: usize| &model.members()[network].program;
        let bytes = residual.groups.iter().map(|group| {
            let program = program(group.network);
            let units: usize = (0..program.registers()).map(|register| program.width(register)).sum();
            units * group.streams.count() * group.sites.len() * PANEL * size_of::<f64>()
        });
        let panels = (CACHE / bytes.sum::<usize>().max(1)).clamp(1, TILE);
        let carrier = |group: &crate::problem::Group| Carrier {
            sweep: Sweep::new(
                program(group.network).clone(),
                group.streams.clone(),
                panels * group.sites.len(),
            ),
            weights: model.members()[group.network].weights.clone(),
            sites: group.sites.clone(),
            first_slot: group.first_slot,
            points: Vec::new(),
        };
        Self {
            carriers: residual.groups.iter().map(carrier).collect(),
            residual: residual.clone(),
            signed: false,
            roots: vec![1.0; residual.equations()],
            count: 0,
            padded: 0,
            precomputed: Vec::new(),
            panels,
            tiles: Vec::new(),
        }
    }

    pub(super) fn set_points(&mut self, points: &Points) {
        self.count = points.len();
        let panels = self.count.div_ceil(PANEL);
        self.padded = panels * PANEL;
        // As few tiles as the cache allows, of nearly equal size, but two at least to share between threads.
        let tiles = panels.div_ceil(self.panels).max(panels.min(2));
        self.tiles = (0..tiles).map(|i| i * panels / tiles..(i + 1) * panels / tiles).collect();
        let own = || (0..points.dimension()).map(|c| Cow::from(points.column(c))).collect();
        let moved = |tape: &_| at_points(tape, points).into_iter().map(Cow::from).collect();
        let sites: Vec<Columns<'_>> =
            self.residual.sites.iter().map(|tape| tape.as_ref().map_or_else(own, moved)).collect();
        for carrier in &mut self.carriers {
            carrier.pack(&self.tiles, &sites);
        }
        self.precomputed.clear();
        for column in at_points(&self.residual.precomputed, points) {
            let padding = self.padded - column.len();
            let first = column.first().copied().unwrap_or(0.0);
            self.precomputed.extend(column);
            self.precomputed.extend(std::iter::repeat_n(first, padding));
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Useful floating-point operations for one point.
    pub(super) fn flops(&self) -> usize {
        self.carriers.iter().map(|carrier| carrier.sweep.flops() * carrier.sites.len()).sum()
    }

    /// The tiles as ranges of panels.
    pub(super) fn tiles(&self) -> &[Range<usize>] {
        &self.tiles
    }

    /// A precomputed column over a range of panels.
    pub(super) fn precomputed(&self, column: usize, panels: &Range<usize>) -> &[f64] {
        &self.precomputed
            [column * self.padded + panels.start * PANEL..column * self.padded + panels.end * PANEL]
    }

    /// How many points of a range of panels are not padding.
    pub(super) fn valid(&self, panels: &Range<usize>) -> usize {
        (panels.len() * PANEL).min(self.count - panels.start * PANEL)
    }

    /// One over the number of residuals.
    pub(super) fn share(&self) -> f64 {
        1.0 / (self.count * self.residual.equations()) as f64
    }
}

impl Carrier {
    /// Lays the coordinates of all sites into panels, padded with the first point.
    fn pack(&mut self, tiles: &[Range<usize>], sites: &[Columns<'_>]) {
        self.points.clear();
        let panels: usize = tiles.iter().map(Range::len).sum();
        let columns: usize = self.sites.iter().map(|&site| sites[site].len()).sum();
        self.points.reserve_exact(panels * PANEL * columns);
        for tile in tiles {
            for &site in &self.sites {
                for panel in tile.clone() {
                    for column in &sites[site] {
                        let points = panel * PANEL..(panel + 1) * PANEL;
                        self.points.extend(points.map(|i| *column.get(i).unwrap_or(&column[0])));
                    }
                }
            }
        }
    }

    /// The packed coordinates of a tile, site after site.
    pub(super) fn coordinates(&self, tile: &Range<usize>) -> &[f64] {
        let size = self.sites.len() * self.sweep.program().inputs() * PANEL;
        &self.points[tile.start * size..tile.end * size]
    }

    /// The panels of all sites together for this many panels of points.
    pub(super) fn panels(&self, panels: usize) -> usize {
        panels * self.sites.len()
    }

    /// Where a slot of a panel of a tile with this many panels stands among the sweep's outputs; nothing if
    /// the slot is not this carrier's.
    pub(super) fn position(&self, slot: usize, panels: usize) -> Option<Positions> {
        let program = self.sweep.program();
        let (streams, outputs) = (self.sweep.streams().count(), program.width(program.output()));
        let within = slot.checked_sub(self.first_slot)?;
        let (site, rest) = (within / (streams * outputs), within % (streams * outputs));
        let (stream, output) = (rest / outputs, rest % outputs);
        let stride = self.sweep.output_stride();
        (site < self.sites.len()).then(|| Positions {
            first: (site * panels * streams + stream) * stride + output * PANEL,
            step: streams * stride,
        })
    }
}

/// Where one output of one stream stands: at `first + panel·step`.
pub(super) struct Positions {
    pub(super) first: usize,
    pub(super) step: usize,
}
