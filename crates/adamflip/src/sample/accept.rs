//! Points of a patch of which only some belong: candidates in batches, of which those that belong are kept.

use std::ops::Range;

use rand::Rng;

use super::sequence::Sequence;
use super::{SampleError, Sampler, allocate};
use crate::geometry::{Domain, LEAST, LIMIT, Patch, Points};

/// Candidates in a batch: at least so many that the first usually suffices, at most what fits a cache.
const BATCH: Range<usize> = 64..1 << 16;

/// Cells of a grid at the most, those outside a thin region included.
const CELLS: usize = 1 << 26;

/// The points of one patch, on their way to the indices `range` of all points.
pub(super) struct Writer<'a> {
    pub(super) domain: &'a Domain,
    pub(super) patch: &'a Patch,
    pub(super) target: &'a mut Points,
    pub(super) range: Range<usize>,
    point: Vec<f64>,
    normal: Vec<f64>,
    cube: Vec<f64>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        domain: &'a Domain,
        patch: &'a Patch,
        target: &'a mut Points,
        range: Range<usize>,
    ) -> Self {
        let (point, normal) = (vec![0.0; domain.dimension()], vec![0.0; domain.dimension()]);
        Self { domain, patch, target, range, point, normal, cube: vec![0.0; patch.dimension()] }
    }

    /// All points of the cube, in a patch to which all belong.
    pub(super) fn all(&mut self, cube: &Points) -> Result<(), SampleError> {
        for index in 0..cube.len() {
            self.belongs(cube, index);
            self.keep()?;
        }
        Ok(())
    }

    /// The first points of the sequence that belong.
    pub(super) fn first(&mut self, sampler: Sampler, rng: &mut impl Rng) -> Result<(), SampleError> {
        let mut sequence = Sequence::new(sampler, self.cube.len(), rng)?;
        let (wanted, mut candidates) = (self.range.len(), 0);
        let mut batch = (2 * wanted).clamp(BATCH.start, BATCH.end);
        while !self.range.is_empty() {
            let mut cube = allocate(self.cube.len(), batch)?;
            sequence.fill(&mut cube, rng);
            for index in 0..batch {
                if self.belongs(&cube, index) {
                    self.keep()?;
                }
                if self.range.is_empty() {
                    return Ok(());
                }
            }
            candidates += batch;
            self.refuse_if_empty(wanted - self.range.len(), candidates)?;
            batch = (2 * batch).min(BATCH.end);
        }
        Ok(())
    }

    /// Cell centres that belong, of ever finer cells until there are enough; then evenly strided.
    pub(super) fn cells(&mut self) -> Result<(), SampleError> {
        let wanted = self.range.len();
        let mut count = wanted;
        loop {
            if count > CELLS {
                return Err(SampleError::TooManyPoints { count, dimension: self.cube.len() });
            }
            let mut cube = allocate(self.cube.len(), count)?;
            super::grid::cells(&mut cube);
            let found: Vec<usize> = (0..count).filter(|&index| self.belongs(&cube, index)).collect();
            if found.len() >= wanted {
                for index in 0..wanted {
                    self.belongs(&cube, found[(2 * index + 1) * found.len() / (2 * wanted)]);
                    self.keep()?;
                }
                return Ok(());
            }
            self.refuse_if_empty(found.len(), count)?;
            // As many cells as the fraction found so far asks for, and 1% more, so that few turns are needed.
            let ratio = 1.01 * wanted as f64 / found.len().max(1) as f64;
            count = (count + 1).max((count as f64 * ratio.min(8.0)) as usize);
        }
    }

    fn belongs(&mut self, cube: &Points, index: usize) -> bool {
        cube.read(index, &mut self.cube);
        self.patch.map(&self.cube, &mut self.point, &mut self.normal);
        self.domain.settle(self.patch, &mut self.point, &mut self.normal)
    }

    /// Writes the point at hand.
    fn keep(&mut self) -> Result<(), SampleError> {
        if self.target.attributes() > 0 && self.normal.iter().any(|component| component.is_nan()) {
            return Err(SampleError::NoNormal { part: self.patch.part, point: self.point.clone() });
        }
        if let Some(index) = self.range.next() {
            self.target.write(index, &self.point, &self.normal);
        }
        Ok(())
    }

    fn refuse_if_empty(&self, found: usize, candidates: usize) -> Result<(), SampleError> {
        // A patch of no dimension is one point, which belongs or does not.
        let enough = if self.cube.is_empty() { 1 } else { LIMIT };
        if candidates >= enough && (found as f64) < LEAST * candidates as f64 {
            return Err(SampleError::Empty { part: self.patch.part, candidates });
        }
        Ok(())
    }
}
