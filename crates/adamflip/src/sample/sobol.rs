//! Sobol points: a digital sequence in base 2, scrambled.
//!
//! Direction numbers: S. Joe and F. Y. Kuo, *Constructing Sobol sequences with better two-dimensional
//! projections*, SIAM J. Sci. Comput. 30 (2008), the first rows of their table `new-joe-kuo-6.21201`.
//! Scrambling: a random lower-triangular matrix on the digits and a digital shift (J. Matoušek, *On the
//! L2-discrepancy for anchored boxes*, J. Complexity 14, 1998). It keeps every equidistribution of the
//! sequence, as Owen's nested scrambling does, and costs nothing per point, for it acts on the directions.

use rand::Rng;

use super::{BITS, SampleError, fraction};
use crate::geometry::Points;

/// The number of coordinates for which there are direction numbers.
pub const MAX_DIMENSION: usize = 32;

/// A primitive polynomial over the field of two elements (its inner coefficients as the bits of a number)
/// with the first direction integers m_k, one for each degree.
type Row = (u64, &'static [u64]);

/// Coordinates 2 to 32; the first coordinate is the van der Corput sequence, all of whose integers are 1.
#[rustfmt::skip]
const TABLE: [Row; MAX_DIMENSION - 1] = [
    ( 0, &[1]),
    ( 1, &[1, 3]),
    ( 1, &[1, 3, 1]),
    ( 2, &[1, 1, 1]),
    ( 1, &[1, 1, 3, 3]),
    ( 4, &[1, 3, 5, 13]),
    ( 2, &[1, 1, 5,  5, 17]),
    ( 4, &[1, 1, 5,  5,  5]),
    ( 7, &[1, 1, 7, 11, 19]),
    (11, &[1, 1, 5,  1,  1]),
    (13, &[1, 1, 1,  3, 11]),
    (14, &[1, 3, 5,  5, 31]),
    ( 1, &[1, 3, 3,  9,  7, 49]),
    (13, &[1, 1, 1, 15, 21, 21]),
    (16, &[1, 3, 1, 13, 27, 49]),
    (19, &[1, 1, 1, 15,  7,  5]),
    (22, &[1, 3, 1, 15, 13, 25]),
    (25, &[1, 1, 5,  5, 19, 61]),
    ( 1, &[1, 3, 7, 11, 23, 15, 103]),
    ( 4, &[1, 3, 7, 13, 13, 15,  69]),
    ( 7, &[1, 1, 3, 13,  7, 35,  63]),
    ( 8, &[1, 3, 5,  9,  1, 25,  53]),
    (14, &[1, 3, 1, 13,  9, 35, 107]),
    (19, &[1, 3, 1,  5, 27, 61,  31]),
    (21, &[1, 1, 5, 11, 19, 41,  61]),
    (28, &[1, 3, 5,  3,  3, 13,  69]),
    (31, &[1, 1, 7, 13,  1, 19,   1]),
    (32, &[1, 3, 7,  5, 13, 19,  59]),
    (37, &[1, 1, 3,  9, 25, 29,  41]),
    (41, &[1, 3, 5, 13, 23,  1,  55]),
    (42, &[1, 3, 7,  3, 13, 59,  17]),
];

/// One direction a bit of the index: as binary fractions of [`BITS`] digits.
type Directions = [u64; BITS as usize];

/// A scrambled sequence, and how far it has come.
pub(super) struct Sequence {
    coordinates: Vec<(Directions, u64)>,
    index: usize,
}

impl Sequence {
    pub(super) fn new(dimension: usize, rng: &mut impl Rng) -> Result<Self, SampleError> {
        if dimension > MAX_DIMENSION {
            return Err(SampleError::TooManyDimensions { dimension, limit: MAX_DIMENSION });
        }
        let coordinate = |coordinate| {
            let directions = scramble(&directions(coordinate), rng);
            (directions, rng.next_u64() >> (64 - BITS))
        };
        Ok(Self { coordinates: (0..dimension).map(coordinate).collect(), index: 0 })
    }

    /// Fills the unit cube with the points that come next.
    pub(super) fn fill(&mut self, points: &mut Points) {
        for (coordinate, (directions, cell)) in self.coordinates.iter_mut().enumerate() {
            *cell = walk(directions, *cell, self.index, points.column_mut(coordinate));
        }
        self.index += points.len();
    }
}

/// In the order of Gray codes, the next point differs by one direction: that of the lowest zero bit of the
/// index. Returns the cell of the point after the last.
fn walk(directions: &Directions, mut cell: u64, start: usize, column: &mut [f64]) -> u64 {
    for (index, to) in (start..).zip(column) {
        *to = fraction(cell);
        cell ^= directions[index.trailing_ones() as usize % directions.len()];
    }
    cell
}

/// The directions of one coordinate: v_k = m_k / 2^k, continued beyond the table by the recurrence of the
/// polynomial, v_k = a_1 v_(k-1) + … + a_(s-1) v_(k-s+1) + v_(k-s) + v_(k-s) / 2^s, sums without carry.
fn directions(coordinate: usize) -> Directions {
    let position = |k: usize| BITS as usize - 1 - k;
    let Some(row) = coordinate.checked_sub(1) else { return std::array::from_fn(|k| 1 << position(k)) };
    let (polynomial, integers) = TABLE[row];
    let degree = integers.len();
    let mut directions = [0; BITS as usize];
    for k in 0..directions.len() {
        directions[k] = match integers.get(k) {
            Some(integer) => integer << position(k),
            None => (1..degree)
                .filter(|i| polynomial >> (degree - 1 - i) & 1 == 1)
                .map(|i| directions[k - i])
                .fold(directions[k - degree] ^ directions[k - degree] >> degree, |sum, v| sum ^ v),
        };
    }
    directions
}

/// Each digit plus a random combination of the more significant ones.
fn scramble(directions: &Directions, rng: &mut impl Rng) -> Directions {
    // Row of the digit of weight 2^bit: itself, and random bits above it.
    let rows: Directions = std::array::from_fn(|bit| {
        let above = rng.next_u64() >> (64 - BITS) >> bit << bit;
        above | 1 << bit
    });
    directions.map(|direction| {
        let digit = |(bit, row): (usize, &u64)| u64::from((row & direction).count_ones() & 1) << bit;
        rows.iter().enumerate().map(digit).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::stream;

    /// x generates all 2^s - 1 nonzero residues exactly if the polynomial is primitive.
    #[test]
    fn polynomials_are_primitive_and_all_different() {
        let mut seen = std::collections::HashSet::new();
        for (inner, integers) in TABLE {
            let degree = integers.len();
            let polynomial = 1 << degree | inner << 1 | 1;
            assert!(seen.insert(polynomial));
            let mut residue = 1u64;
            let order = (1..).find(|_| {
                residue <<= 1;
                if residue >> degree == 1 {
                    residue ^= polynomial;
                }
                residue == 1
            });
            assert_eq!(order, Some((1 << degree) - 1), "{inner} of degree {degree}");
        }
    }

    #[test]
    fn direction_integers_are_odd_and_small() {
        for (_, integers) in TABLE {
            assert!(integers.iter().enumerate().all(|(k, m)| m % 2 == 1 && *m < 2 << k), "{integers:?}");
        }
    }

    /// Sobol's Property A, for which Joe and Kuo chose the integers: the first 2^32 points in 32 coordinates
    /// visit each orthant of the cube once, which holds exactly if the matrix of leading digits is regular.
    /// One wrong entry of the table that changes a leading digit breaks it with probability one half.
    #[test]
    fn leading_digits_are_independent() {
        let mut rows: Vec<u64> = (0..MAX_DIMENSION)
            .map(|coordinate| {
                let v = directions(coordinate);
                (0..MAX_DIMENSION).map(|k| (v[k] >> (BITS - 1)) << k).sum()
            })
            .collect();
        for k in 0..MAX_DIMENSION {
            let pivot = (k..MAX_DIMENSION).find(|&row| rows[row] >> k & 1 == 1);
            rows.swap(k, pivot.unwrap_or_else(|| panic!("rank {k}")));
            for row in k + 1..MAX_DIMENSION {
                rows[row] ^= if rows[row] >> k & 1 == 1 { rows[k] } else { 0 };
            }
        }
    }

    /// The first points in three coordinates, unscrambled, worked out by hand from the definition.
    #[test]
    fn known_points() {
        let column = |coordinate: usize| {
            let mut column = vec![0.0; 8];
            walk(&directions(coordinate), 0, 0, &mut column);
            column.iter().map(|x| (x * 8.0) as u8).collect::<Vec<_>>()
        };
        assert_eq!(column(0), [0, 4, 6, 2, 3, 7, 5, 1]);
        assert_eq!(column(1), [0, 4, 2, 6, 3, 7, 1, 5]);
        assert_eq!(column(2), [0, 4, 2, 6, 5, 1, 7, 3]);
    }

    /// Scrambling keeps the net: in each coordinate 2^m points visit 2^m intervals once, and in the first two
    /// coordinates every elementary rectangle of area 2^-m holds exactly one.
    #[test]
    fn elementary_rectangles_hold_one_point_each() {
        let mut points = Points::new(MAX_DIMENSION, 256);
        Sequence::new(MAX_DIMENSION, &mut stream(9, 0)).unwrap().fill(&mut points);
        let occupied = |a: usize, b: usize, split: u32| {
            let cell = |x: f64, bits: u32| (x * f64::from(1 << bits)) as usize;
            let cells = points.column(a).iter().zip(points.column(b));
            let set: std::collections::HashSet<_> =
                cells.map(|(&x, &y)| (cell(x, split), cell(y, 8 - split))).collect();
            set.len()
        };
        assert!((0..=8).all(|split| occupied(0, 1, split) == 256));
        assert!((0..MAX_DIMENSION).all(|coordinate| occupied(coordinate, 0, 8) == 256));
    }

    #[test]
    fn too_many_coordinates_are_refused() {
        let error = Sequence::new(33, &mut stream(0, 0)).err();
        assert_eq!(error, Some(SampleError::TooManyDimensions { dimension: 33, limit: 32 }));
    }
}
