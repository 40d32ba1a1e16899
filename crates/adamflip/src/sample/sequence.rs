//! A sampler as a sequence that can be continued: for places of which only some points belong.

use rand::Rng;

use super::{SampleError, Sampler, grid, halton, latin, sobol, uniform};
use crate::geometry::Points;

/// What a sampler keeps between one batch of points and the next.
pub(super) enum Sequence {
    /// Every batch stands for itself.
    Batches(Sampler),
    Sobol(sobol::Sequence),
    Halton(halton::Sequence),
}

impl Sequence {
    /// The start of a sequence in the unit cube of this dimension.
    pub(super) fn new(sampler: Sampler, dimension: usize, rng: &mut impl Rng) -> Result<Self, SampleError> {
        Ok(match sampler {
            Sampler::Sobol => Self::Sobol(sobol::Sequence::new(dimension, rng)?),
            Sampler::Halton => Self::Halton(halton::Sequence::new(dimension, rng)),
            Sampler::Uniform | Sampler::Grid | Sampler::Latin => Self::Batches(sampler),
        })
    }

    /// Fills the unit cube with the points that come next.
    pub(super) fn fill(&mut self, points: &mut Points, rng: &mut impl Rng) {
        match self {
            Self::Sobol(sequence) => sequence.fill(points),
            Self::Halton(sequence) => sequence.fill(points),
            Self::Batches(Sampler::Grid) => grid::cells(points),
            Self::Batches(Sampler::Latin) => latin::fill(points, rng),
            Self::Batches(_) => uniform(points, rng),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::stream;

    #[test]
    fn batches_continue_the_sequence() {
        for sampler in [Sampler::Sobol, Sampler::Halton] {
            let sequence = || Sequence::new(sampler, 3, &mut stream(5, 0)).unwrap();
            let mut whole = Points::new(3, 1000);
            sequence().fill(&mut whole, &mut stream(0, 0));
            let mut batches = Points::new(3, 0);
            let mut pieces = sequence();
            for size in [1, 2, 300, 5, 692] {
                let mut piece = Points::new(3, size);
                pieces.fill(&mut piece, &mut stream(0, 0));
                batches.append(&piece);
            }
            assert_eq!(batches, whole, "{sampler:?}");
        }
    }
}
