//! Halton points: the radical inverse of the index, in a prime base for each coordinate.
//!
//! Every digit has a random permutation of its own (A. B. Owen, *A randomized Halton algorithm in R*, 2017,
//! arXiv:1706.02808), which removes the correlations between neighbouring large bases and makes every point
//! uniform, so that the mean over a seed is unbiased.

use rand::Rng;
use rand::seq::SliceRandom;

use crate::geometry::Points;

/// Digits are kept while base^digits stays below this: cells are then still told apart in an f64.
const RESOLUTION: u64 = 1 << 52;

/// A scrambled sequence, and how far it has come.
pub(super) struct Sequence {
    coordinates: Vec<RadicalInverse>,
    index: u64,
}

impl Sequence {
    pub(super) fn new(dimension: usize, rng: &mut impl Rng) -> Self {
        let coordinates = primes().take(dimension).map(|base| RadicalInverse::scrambled(base, rng));
        Self { coordinates: coordinates.collect(), index: 0 }
    }

    /// Fills the unit cube with the points that come next.
    pub(super) fn fill(&mut self, points: &mut Points) {
        for (coordinate, inverse) in self.coordinates.iter().enumerate() {
            for (index, to) in (self.index..).zip(points.column_mut(coordinate)) {
                *to = inverse.of(index);
            }
        }
        self.index += points.len() as u64;
    }
}

/// The scrambled radical inverse in one base. Sums are whole numbers in units of the last digit, hence exact.
struct RadicalInverse {
    base: u64,
    /// base^digits: the cells of the unit interval.
    cells: u64,
    /// `terms[digit * base + value]`: what this value of the digit adds after its permutation, first digit of
    /// the index (the most significant of the inverse) first.
    terms: Vec<u64>,
    /// What digit k and all later ones add while they are zero: most of them are, for most indices.
    zeros: Vec<u64>,
}

impl RadicalInverse {
    fn scrambled(base: u64, rng: &mut impl Rng) -> Self {
        let digits = RESOLUTION.ilog(base);
        let cells = base.pow(digits);
        let mut permutation: Vec<u64> = (0..base).collect();
        let mut terms = Vec::new();
        let mut unit = cells;
        for _ in 0..digits {
            unit /= base;
            permutation.shuffle(rng);
            terms.extend(permutation.iter().map(|value| value * unit));
        }
        let mut zeros = vec![0; digits as usize + 1];
        for digit in (0..digits as usize).rev() {
            zeros[digit] = zeros[digit + 1] + terms[digit * base as usize];
        }
        Self { base, cells, terms, zeros }
    }

    fn of(&self, index: u64) -> f64 {
        let (mut rest, mut digit, mut cell) = (index % self.cells, 0, 0);
        while rest > 0 {
            cell += self.terms[digit * self.base as usize + (rest % self.base) as usize];
            rest /= self.base;
            digit += 1;
        }
        ((cell + self.zeros[digit]) as f64 + 0.5) / self.cells as f64
    }
}

/// 2, 3, 5, …
fn primes() -> impl Iterator<Item = u64> {
    (2u64..).filter(|&n| (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::stream;

    #[test]
    fn bases_are_the_primes() {
        assert_eq!(primes().take(10).collect::<Vec<_>>(), [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
    }

    /// In base b, each run of b^k indices that starts at a multiple of b^k visits each of b^k cells once,
    /// whatever the permutations.
    #[test]
    fn runs_visit_each_cell_once() {
        let mut points = Points::new(3, 3 * 125);
        Sequence::new(3, &mut stream(1, 0)).fill(&mut points);
        for (coordinate, run) in [(0, 64), (1, 81), (2, 125)] {
            for chunk in points.column(coordinate).chunks_exact(run) {
                let mut cells: Vec<usize> = chunk.iter().map(|x| (x * run as f64) as usize).collect();
                cells.sort_unstable();
                assert_eq!(cells, Vec::from_iter(0..run));
            }
        }
    }

    #[test]
    fn coordinates_beyond_any_table_work() {
        let mut points = Points::new(60, 500);
        Sequence::new(60, &mut stream(2, 0)).fill(&mut points);
        assert!(points.columns().iter().all(|&x| x > 0.0 && x < 1.0));
    }
}
