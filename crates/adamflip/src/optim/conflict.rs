//! Constraints that cannot all be met, or that say the same: what J tells of h at one θ.
//!
//! A change Δθ changes h by JΔθ, so the part of h in the null space of J Jᵀ is out of reach of any small
//! step. Rows are scaled by the root mean square of the row norms of their block: a constraint on u_xx has
//! rows a hundred times as long as one on u, and both count alike.
//!
//! - *Fixed*: a block whose rows vanish although h does not. No parameter has a hand in it.
//! - *Twins*: blocks that share rows up to a factor, exactly. If h agrees by the same factor, one block is
//!   redundant; if not, both cannot be met.
//! - *Beyond*: the part of h in the null space of all rows together, by blocks. Rows of a smooth network at
//!   neighbouring points are nearly dependent, so there always is a null space; only a part of h that stays
//!   there tells something.

use super::spectrum::RANK_TOLERANCE;
use super::{Block, Evaluation, Inequalities, Sense};
use crate::linalg::{SymmetricEigen, norm, symmetrize};

/// Rows are parallel where the cosine between them is 1 to so much: Gram entries are sums of thousands of
/// products, each with its rounding, while rows at points 1e-4 apart already differ by 1e-8.
const PARALLEL: f64 = 1e-11;
/// The size of rows, as a share of the largest block's, at which they are rounding: sin(πx) at x = 1 is
/// 1e-16, not 0.
const NO_ROWS: f64 = 1e-12;
/// Below this a residual is rounding too.
const NO_RESIDUAL: f64 = 1e-9;

/// What J and h tell of the constraints, by block.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Groups that no parameter changes and that are not met.
    pub fixed: Vec<usize>,
    /// Groups with the same rows.
    pub twins: Vec<Twin>,
    /// ‖h‖₂ in the scale of the rows.
    pub size: f64,
    /// The norm of the part of h that no small step reaches, in the same scale.
    pub beyond: f64,
    /// How much of the square of that part is in each block; they add up to 1, or are all 0.
    pub shares: Vec<f64>,
    /// The numerical rank of all rows.
    pub rank: usize,
}

/// Two blocks with the same rows up to factors: at least half of the smaller one's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twin {
    /// The blocks.
    pub blocks: [usize; 2],
    /// ‖difference of h‖ / ‖h‖ over the common rows, with their factors: 0 where both say the same.
    pub gap: f64,
}

/// Looks at the constraints of an evaluation with gradients, whose blocks of h have these sizes. Nothing
/// where numbers are not finite.
pub fn look(at: &Evaluation, blocks: &[Block]) -> Option<Look> {
    let scaled = Scaled::new(at, blocks)?;
    let fixed = scaled.fixed();
    let twins = scaled.twins();
    let (beyond, shares, rank) = scaled.beyond()?;
    Some(Look { fixed, twins, size: norm(&scaled.h), beyond, shares, rank })
}

/// J Jᵀ and h in the scale of the rows.
struct Scaled {
    gram: Vec<f64>,
    h: Vec<f64>,
    /// What is violated of h, as it is.
    violated: Vec<f64>,
    /// The first row of each block, and the end.
    starts: Vec<usize>,
    /// The root mean square of each block's row norms.
    lengths: Vec<f64>,
    /// What is asked of each block.
    senses: Vec<Sense>,
}

impl Scaled {
    fn new(at: &Evaluation, blocks: &[Block]) -> Option<Self> {
        let mut gram = gram(at);
        let size = at.constraints.len();
        let mut starts = vec![0];
        starts.extend(blocks.iter().scan(0, |end, block| {
            *end += block.size;
            Some(*end)
        }));
        let finite = gram.iter().chain(&at.constraints).all(|x| x.is_finite());
        if !finite || starts.last() != Some(&size) || size == 0 {
            return None;
        }
        let square = |rows: &[usize]| (rows[0]..rows[1]).map(|i| gram[i * size + i]).sum::<f64>();
        let length = |rows: &[usize]| (square(rows) / (rows[1] - rows[0]).max(1) as f64).sqrt();
        let mut lengths: Vec<f64> = starts.windows(2).map(length).collect();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        lengths.iter_mut().filter(|length| **length <= NO_ROWS * longest).for_each(|length| *length = 0.0);
        let mut factors: Vec<f64> = starts
            .windows(2)
            .zip(&lengths)
            .flat_map(|(rows, &length)| {
                std::iter::repeat_n(if length > 0.0 { 1.0 / length } else { 0.0 }, rows[1] - rows[0])
            })
            .collect();
        // An inequality that holds asks for nothing.
        let inequalities = Inequalities::of(blocks);
        let violated = inequalities.violated(&at.constraints);
        inequalities.entries().filter(|&i| violated[i] == 0.0).for_each(|i| factors[i] = 0.0);
        for (i, row) in gram.chunks_exact_mut(size).enumerate() {
            row.iter_mut().zip(&factors).for_each(|(entry, factor)| *entry *= factors[i] * factor);
        }
        let h = violated.iter().zip(&factors).map(|(h, factor)| h * factor).collect();
        let senses = blocks.iter().map(|block| block.sense).collect();
        Some(Self { gram, h, violated, starts, lengths, senses })
    }

    fn rows(&self, block: usize) -> std::ops::Range<usize> {
        self.starts[block]..self.starts[block + 1]
    }

    /// Groups without rows whose h counts beside the largest.
    fn fixed(&self) -> Vec<usize> {
        let largest = |h: &[f64]| h.iter().fold(0.0, |largest: f64, h| largest.max(h.abs()));
        let limit = (1e-3 * largest(&self.violated)).max(NO_RESIDUAL);
        let fixed =
            |&block: &usize| self.lengths[block] == 0.0 && largest(&self.violated[self.rows(block)]) > limit;
        (0..self.lengths.len()).filter(fixed).collect()
    }

    fn twins(&self) -> Vec<Twin> {
        let count = self.lengths.len();
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b]));
        pairs.filter_map(|blocks| self.twin(blocks)).collect()
    }

    fn twin(&self, blocks: [usize; 2]) -> Option<Twin> {
        let [mut few, mut many] = blocks.map(|block| self.rows(block));
        if few.len() > many.len() {
            std::mem::swap(&mut few, &mut many);
        }
        // Two bounds on the same side do not contradict each other, nor does one say what the other does.
        let are_bounds = blocks.iter().all(|&block| self.senses[block] == Sense::AtMostZero);
        let opposes = |factor: &f64| !are_bounds || *factor < 0.0;
        let (mut common, mut gap, mut whole) = (0, 0.0, 0.0);
        for i in few.clone() {
            let partner = many.clone().find_map(|k| Some((k, self.factor(i, k).filter(opposes)?)));
            let Some((k, factor)) = partner else { continue };
            common += 1;
            gap += (self.h[i] - factor * self.h[k]).powi(2);
            whole += self.h[i].powi(2) + (factor * self.h[k]).powi(2);
        }
        let gap = if whole > 0.0 { (gap / whole).sqrt() } else { 0.0 };
        (common > 0 && 2 * common >= few.len()).then_some(Twin { blocks, gap })
    }

    /// c with row i = c·row k, if there is one.
    fn factor(&self, i: usize, k: usize) -> Option<f64> {
        let at = |i: usize, k: usize| self.gram[i * self.h.len() + k];
        let (own, other, both) = (at(i, i), at(k, k), at(i, k));
        (own > 0.0 && other > 0.0 && both * both >= (1.0 - PARALLEL) * own * other).then(|| both / other)
    }

    /// The norm of the part of h in the null space, its shares by block, and the rank of what is not the null
    /// space.
    fn beyond(&self) -> Option<(f64, Vec<f64>, usize)> {
        let size = self.h.len();
        let mut eigen = SymmetricEigen::new(size);
        eigen.decompose(&self.gram).ok()?;
        let cut = RANK_TOLERANCE * eigen.values.last().copied().unwrap_or(0.0);
        let rank = eigen.values.iter().filter(|value| **value > cut).count();
        let mut part = vec![0.0; size];
        for (value, vector) in eigen.values.iter().zip(eigen.vectors.chunks_exact(size)) {
            if *value <= cut {
                let along: f64 = vector.iter().zip(&self.h).map(|(v, h)| v * h).sum();
                part.iter_mut().zip(vector).for_each(|(part, v)| *part += along * v);
            }
        }
        let square = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>();
        let whole = square(&part);
        let share = |block| if whole > 0.0 { square(&part[self.rows(block)]) / whole } else { 0.0 };
        Some((whole.sqrt(), (0..self.lengths.len()).map(share).collect(), rank))
    }
}

/// J Jᵀ: the only place here that knows how J is kept.
fn gram(at: &Evaluation) -> Vec<f64> {
    let size = at.constraints.len();
    let mut gram = vec![0.0; size * size];
    if !at.gradient.is_empty() && size > 0 {
        at.jacobian.gram(&mut gram);
        symmetrize(&mut gram, size);
    }
    gram
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optim::Jacobian;

    /// An evaluation with these rows and this h.
    fn at(rows: &[[f64; 3]], h: &[f64]) -> Evaluation {
        let empty = Evaluation::new(0, 0);
        Evaluation {
            objective: 0.0,
            constraints: h.to_vec(),
            gradient: vec![0.0; 3],
            jacobian: Jacobian::from_rows(rows.iter().flatten().copied().collect(), 3),
            ..empty
        }
    }

    #[test]
    fn inequalities_contradict_only_where_both_are_violated_and_opposed() {
        let rows = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        let look = |pair: [usize; 2], h: [f64; 2], blocks: [Block; 2]| {
            look(&at(&pair.map(|i| rows[i]), &h), &blocks).unwrap().twins
        };
        let bounds = [Block::inequalities(1); 2];
        // x ≤ 0 and x ≥ 1 at x = ½, and where one of them holds.
        assert_eq!(look([0, 1], [0.5, 0.5], bounds), [Twin { blocks: [0, 1], gap: 2f64.sqrt() }]);
        assert_eq!(look([0, 1], [1.5, -0.5], bounds), []);
        // x ≤ 1 and x ≤ 2 at x = 3: both are met by the same step.
        assert_eq!(look([0, 2], [2.0, 1.0], bounds), []);
        // x = 3 and x ≤ 1.
        let gap = look([0, 0], [0.0, 2.0], [Block::residuals(1), Block::inequalities(1)])[0].gap;
        assert!((gap - 1.0).abs() < 1e-12, "{gap}");
    }

    #[test]
    fn independent_constraints_raise_nothing() {
        let found = look(
            &at(&[[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], &[1.0, 2.0]),
            &[Block::residuals(1), Block::residuals(1)],
        )
        .unwrap();
        assert_eq!((found.fixed, found.twins, found.beyond), (vec![], vec![], 0.0));
    }

    #[test]
    fn the_same_rows_agree_or_contradict() {
        let rows = [[1.0, 2.0, 0.0], [0.0, 1.0, 1.0], [-2.0, -4.0, 0.0], [0.0, 3.0, 3.0]];
        let agreeing =
            look(&at(&rows, &[0.5, 1.0, -1.0, 3.0]), &[Block::residuals(2), Block::residuals(2)]).unwrap();
        // Scaling is rounding only.
        assert!(agreeing.twins.len() == 1 && agreeing.twins[0].gap < 1e-15, "{agreeing:?}");
        assert!(agreeing.beyond < 1e-12 * agreeing.size, "{agreeing:?}");
        let contradicting =
            look(&at(&rows, &[0.5, 1.0, 1.0, 3.0]), &[Block::residuals(2), Block::residuals(2)]).unwrap();
        assert!(contradicting.twins[0].gap > 0.1, "{contradicting:?}");
        // Only the first rows disagree, and both blocks have their part in it.
        assert!(contradicting.beyond > 0.1 * contradicting.size, "{contradicting:?}");
        assert!(contradicting.shares.iter().all(|share| *share > 0.1), "{contradicting:?}");
    }

    #[test]
    fn a_corner_that_two_sides_share_makes_no_twins() {
        let rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let found = look(&at(&rows, &[1.0; 5]), &[Block::residuals(3), Block::residuals(2)]).unwrap();
        // One of two is half: with three of each it is less.
        assert_eq!(found.twins.len(), 1);
        let rows = [rows[0], rows[1], rows[2], rows[3], rows[4], [1.0, 1.0, 1.0]];
        assert_eq!(
            look(&at(&rows, &[1.0; 6]), &[Block::residuals(3), Block::residuals(3)]).unwrap().twins,
            []
        );
    }

    #[test]
    fn what_no_parameter_changes_is_fixed() {
        let rows = [[1.0, 0.0, 0.0], [0.0, 1e-16, 0.0]];
        assert_eq!(
            look(&at(&rows, &[0.1, 1.0]), &[Block::residuals(1), Block::residuals(1)]).unwrap().fixed,
            [1]
        );
        // Met, to rounding.
        assert_eq!(
            look(&at(&rows, &[0.1, 1e-16]), &[Block::residuals(1), Block::residuals(1)]).unwrap().fixed,
            [0; 0]
        );
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        assert_eq!(look(&at(&[], &[]), &[]), None);
        assert_eq!(look(&at(&[[f64::NAN; 3]], &[1.0]), &[Block::residuals(1)]), None);
        let zeros =
            look(&at(&[[0.0; 3]; 2], &[0.0, 1.0]), &[Block::residuals(1), Block::residuals(1)]).unwrap();
        assert_eq!((zeros.fixed, zeros.beyond), (vec![1], 0.0));
    }
}
