//! Rows of the constraints that take turns: of more than a step should look at, every n-th of each
//! equation.
//!
//! Neighbours in the list of an equation come from a sequence that fills its place evenly, so that each turn
//! covers all of it.

use super::Jacobian;

/// Which rows, and their part of J.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// Steps until all rows have had their turn.
    count: usize,
    /// The rows of every equation.
    equations: Vec<Vec<usize>>,
    /// Those whose turn it is, in rising order.
    rows: Vec<usize>,
    /// Their J, where not all of them are.
    jacobian: Jacobian,
}

impl Turns {
    /// About `most` rows at a time, given the equation of every row.
    pub(crate) fn new(most: usize, owner: &[usize]) -> Self {
        let count = owner.len().div_ceil(most.max(1)).max(1);
        let mut equations = vec![Vec::new(); owner.iter().max().map_or(0, |most| most + 1)];
        owner.iter().enumerate().for_each(|(row, &equation)| equations[equation].push(row));
        equations.retain(|rows| !rows.is_empty());
        let mut turns = Self { count, equations, ..Self::default() };
        turns.choose(0);
        turns
    }

    /// The number of rows of a turn, the same for all.
    pub(crate) fn size(&self) -> usize {
        self.rows.len()
    }

    /// Are all rows taken every time?
    pub(crate) fn is_whole(&self) -> bool {
        self.count == 1
    }

    /// The rows of this step.
    pub(crate) fn take(&mut self, step: usize, all: &Jacobian) {
        if !self.is_whole() {
            self.choose(step % self.count);
            self.jacobian.gather(all, &self.rows);
        }
    }

    fn choose(&mut self, turn: usize) {
        self.rows.clear();
        for rows in &self.equations {
            // The last may begin again at the front, so that all turns are of one size.
            let own = (0..rows.len().div_ceil(self.count)).map(|i| (turn + i * self.count) % rows.len());
            self.rows.extend(own.map(|at| rows[at]));
        }
        self.rows.sort_unstable();
    }

    /// J of the rows of this step, given all of it.
    pub(crate) fn jacobian<'a>(&'a self, all: &'a Jacobian) -> &'a Jacobian {
        if self.is_whole() { all } else { &self.jacobian }
    }

    /// The entries of these rows.
    pub(crate) fn of<'a>(&'a self, entries: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.rows.iter().map(|&row| entries[row])
    }

    /// Puts the entries of these rows in their places among all, the others of which are zero.
    pub(crate) fn scatter(&self, own: &[f64], all: &mut [f64]) {
        all.fill(0.0);
        self.rows.iter().zip(own).for_each(|(&row, own)| all[row] = *own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_turn_and_every_equation_a_part() {
        // 7, 5 and 1 rows in turn, out of order.
        let owner = [2, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0];
        let mut turns = Turns::new(5, &owner);
        assert_eq!((turns.count, turns.size(), turns.is_whole()), (3, 3 + 2 + 1, false));
        let rows: Vec<f64> = (0..owner.len() * 2).map(|i| i as f64).collect();
        let all = Jacobian::from_rows(rows, 2);
        let mut seen = vec![0; owner.len()];
        for step in 0..3 {
            turns.take(step, &all);
            assert!(turns.rows.is_sorted() && turns.size() == 6);
            turns.rows.iter().for_each(|&row| seen[row] += 1);
            let own: Vec<f64> = turns.of(all.rows()).collect();
            assert_eq!(own.len(), 6);
            let taken = turns.jacobian(&all).rows().chunks_exact(2).zip(&turns.rows);
            taken.for_each(|(taken, &row)| assert_eq!(taken, &all.rows()[2 * row..2 * row + 2]));
        }
        assert!(seen.iter().all(|&times| times > 0), "{seen:?}");
    }

    #[test]
    fn few_rows_are_taken_whole() {
        let turns = Turns::new(5, &[0, 0, 1, 1, 1]);
        assert!(turns.is_whole() && turns.size() == 5);
        assert_eq!(Turns::new(5, &[]).size(), 0);
    }
}
