//! What a method's way to a solution costs, counted, and tables of it.

use std::cell::Cell;
use std::fmt;

thread_local! {
    static FACTORIZATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Counts one factorization of the constraints' Gram matrix.
pub(crate) fn factorized() {
    FACTORIZATIONS.set(FACTORIZATIONS.get() + 1);
}

/// The factorizations since the last call, in this thread.
pub(super) fn factorizations() -> usize {
    FACTORIZATIONS.take()
}

/// Counts of one run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    pub(super) values: usize,
    pub(super) gradients: usize,
    pub(super) factorizations: usize,
}

/// Counts by method and problem. Printed with a line for each method and kind of work that it does, a column
/// a problem.
#[derive(Default)]
pub(super) struct Table {
    problems: Vec<&'static str>,
    rows: Vec<(&'static str, Vec<Option<Work>>)>,
}

impl Table {
    pub(super) fn add(&mut self, method: &'static str, problem: &'static str, work: Option<Work>) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
        match self.rows.last_mut().filter(|(last, _)| *last == method) {
            Some((_, cells)) => cells.push(work),
            None => self.rows.push((method, vec![work])),
        }
    }
}

type Kind = (&'static str, fn(Work) -> usize);
const KINDS: [Kind; 3] = [
    ("values", |work| work.values),
    ("gradients", |work| work.gradients),
    ("factorizations", |work| work.factorizations),
];

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |name: &'static str| name.split(' ').next().unwrap_or(name);
        let heads: Vec<String> = self.problems.iter().map(|name| format!("{:>11}", short(name))).collect();
        writeln!(f, "{:<32}{}", "", heads.concat())?;
        for (method, cells) in &self.rows {
            for (kind, count) in KINDS {
                let counts: Vec<Option<usize>> = cells.iter().map(|cell| cell.map(count)).collect();
                if counts.iter().flatten().any(|count| *count > 0) {
                    let text =
                        |count: &Option<usize>| count.map_or("-".to_owned(), |count| count.to_string());
                    let line: Vec<String> =
                        counts.iter().map(|count| format!("{:>11}", text(count))).collect();
                    writeln!(f, "{:<32}{}", format!("{method}: {kind}"), line.concat())?;
                }
            }
        }
        Ok(())
    }
}
