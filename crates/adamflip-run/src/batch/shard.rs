//! A share of a batch: which of its runs one process solves.
//!
//! Runs are dealt out by their numbers in the whole batch, every N-th to a share, so that the processes of
//! all shares agree without a word between them, also on file systems without locks.

use std::fmt;
use std::str::FromStr;

/// More shares than this would be a typing error.
const MOST: usize = 100_000;

/// The share K of N, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    of: usize,
}

/// Which runs of a batch a process solves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// All; no other process starts runs in the folder.
    #[default]
    Whole,
    /// Those of one share; other processes solve the others.
    Shard(Shard),
    /// None: tables and figures are made of what there is.
    Collect,
}

impl Shard {
    /// The share `number` of `of`; the reason where there is no such share.
    pub fn new(number: usize, of: usize) -> Result<Self, String> {
        match (number, of) {
            (_, 0) => Err("there are no shares: write K/N, for example 3/20".to_owned()),
            (_, MOST..) => Err(format!("at most {} shares", MOST - 1)),
            (0, _) => Err(format!("shares are counted from 1: write 1/{of} to {of}/{of}")),
            _ if number > of => Err(format!("there are only {of} shares: write 1/{of} to {of}/{of}")),
            _ => Ok(Self { number, of }),
        }
    }

    /// Is the run of this number, counted from zero, one of the share?
    pub fn takes(self, run: usize) -> bool {
        run % self.of == self.number - 1
    }

    pub(super) fn folder(self) -> String {
        format!("{}-of-{}", self.number, self.of)
    }

    /// Is a folder of this name that of a share of another number of shares?
    pub(super) fn differs_from(self, folder: &str) -> Option<usize> {
        let (_, of) = folder.split_once("-of-")?;
        of.parse().ok().filter(|of| *of != self.of)
    }
}

impl Scope {
    /// A share; the only one is the whole.
    pub fn of(shard: Shard) -> Self {
        if shard.of == 1 { Self::Whole } else { Self::Shard(shard) }
    }

    /// Does the process solve the run of this number?
    pub fn takes(self, run: usize) -> bool {
        match self {
            Self::Whole => true,
            Self::Shard(shard) => shard.takes(run),
            Self::Collect => false,
        }
    }

    /// Does the process write the tables? One of several must not: the others' runs may not have ended.
    pub fn has_tables(self) -> bool {
        !matches!(self, Self::Shard(_))
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('/').and_then(|(k, n)| Some((k.trim().parse().ok()?, n.trim().parse().ok()?)));
        let (number, of) = numbers.ok_or("write K/N, for example 3/20: the third of twenty shares")?;
        Self::new(number, of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_in_one_share() {
        for of in [1, 3, 20] {
            let shards: Vec<Shard> = (1..=of).map(|number| Shard::new(number, of).unwrap()).collect();
            for run in 0..47 {
                assert_eq!(shards.iter().filter(|shard| shard.takes(run)).count(), 1, "{run} of {of}");
            }
        }
    }

    #[test]
    fn shares_that_there_are_not_are_refused() {
        for (text, expected) in [
            ("3", "write K/N"),
            ("a/b", "write K/N"),
            ("-1/4", "write K/N"),
            ("0/4", "counted from 1"),
            ("5/4", "only 4 shares"),
            ("1/0", "no shares"),
            ("1/1000000", "at most 99999"),
        ] {
            let error = text.parse::<Shard>().unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert_eq!(" 3 / 20 ".parse::<Shard>().unwrap().to_string(), "3/20");
    }
}
