//! The line of each row of a text file, as runs: lines follow each other but for comments and blank lines,
//! and a number for each row would cost as much as a column.

/// Lines of rows, from 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LineNumbers {
    /// The first row of each run, and its line.
    runs: Vec<(usize, usize)>,
    rows: usize,
}

impl LineNumbers {
    /// Adds the next row.
    pub(super) fn push(&mut self, line: usize) {
        let follows = |&(row, first): &(usize, usize)| first + (self.rows - row) == line;
        if !self.runs.last().is_some_and(follows) {
            self.runs.push((self.rows, line));
        }
        self.rows += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.rows
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The line of a row.
    pub(super) fn get(&self, row: usize) -> Option<usize> {
        let run = self.runs.partition_point(|(first, _)| *first <= row).checked_sub(1)?;
        let (first, line) = self.runs[run];
        (row < self.rows).then(|| line + row - first)
    }

    /// The same rows again and again.
    pub(super) fn repeat(&self, times: usize) -> Self {
        let run = |time: usize, &(row, line): &(usize, usize)| (time * self.rows + row, line);
        let runs = (0..times).flat_map(|time| self.runs.iter().map(move |one| run(time, one)));
        Self { runs: runs.collect(), rows: times * self.rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_stand_for_every_line() {
        let lines = [2, 3, 4, 7, 9, 10, 11];
        let mut numbers = LineNumbers::default();
        lines.iter().for_each(|&line| numbers.push(line));
        assert_eq!((numbers.len(), numbers.runs.len()), (7, 3));
        let found: Vec<usize> = (0..).map_while(|row| numbers.get(row)).collect();
        assert_eq!(found, lines);
        let twice = numbers.repeat(2);
        let found: Vec<usize> = (0..).map_while(|row| twice.get(row)).collect();
        assert_eq!(found, [lines, lines].concat());
        assert_eq!(LineNumbers::default().get(0), None);
    }
}
