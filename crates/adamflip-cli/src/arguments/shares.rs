//! Which of the runs of a batch are solved: all, a share, or none.

use std::env;

use adamflip_run::batch::{Scope, Shard};
use clap::Args;

use crate::failure::Failure;
use crate::output;

/// Set by Slurm in every task of a job array.
const TASK: &str = "SLURM_ARRAY_TASK_ID";
/// The number of tasks, the least number, and the distance between two.
const ARRAY: [&str; 3] = ["SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"];

/// What makes the tables when all shares have ended.
pub(crate) const COLLECT: &str =
    "with `--collect` in place of `--shard` the same command makes tables of what there is";

#[derive(Debug, Args)]
pub(crate) struct Shares {
    /// Solve the K-th of N shares of the runs; other processes solve the others [default: all, or in a Slurm
    /// array that of the task]
    #[arg(long, value_name = "K/N", conflicts_with = "collect")]
    pub(crate) shard: Option<Shard>,

    /// Solve nothing: write tables and figures of the runs that have ended
    #[arg(long)]
    pub(crate) collect: bool,
}

impl Shares {
    /// What was asked for, or what Slurm's variables say.
    pub(crate) fn scope(&self) -> Result<Scope, Failure> {
        if self.collect {
            return Ok(Scope::Collect);
        }
        if let Some(shard) = self.shard {
            return Ok(Scope::of(shard));
        }
        let read = |name: &str| env::var(name).ok();
        let shard = of_array(read).map_err(|reason| {
            let hint = "name the share with `--shard K/N`, or solve all runs with `--shard 1/1`";
            Failure::input(reason, hint)
        })?;
        Ok(shard.map_or(Scope::Whole, |shard| {
            output::say(&format!("share {shard}, by Slurm's {TASK}; `--shard 1/1` solves all runs"));
            Scope::of(shard)
        }))
    }
}

/// The share of a task of a job array; none where this is no task.
fn of_array(read: impl Fn(&str) -> Option<String>) -> Result<Option<Shard>, String> {
    let Some(task) = read(TASK) else { return Ok(None) };
    let number = |name: &str, text: String| {
        text.trim()
            .parse::<usize>()
            .map_err(|_| format!("the variable {name} is `{text}`, which is no number"))
    };
    let known = |name: &str| match read(name) {
        Some(text) => number(name, text),
        None => Err(format!("there is the variable {TASK}, but not {name}")),
    };
    let task = number(TASK, task)?;
    let [count, least, step] = ARRAY.map(known);
    let (count, least, step) = (count?, least?, step?.max(1));
    let place =
        task.checked_sub(least).filter(|distance| distance % step == 0).map(|distance| distance / step + 1);
    // Of an array as `1,2,7` the step says nothing.
    let place = place.filter(|place| *place <= count).ok_or_else(|| {
        format!(
            "task {task} of this Slurm array of {count} is no regular one, so that its share cannot be told"
        )
    })?;
    Shard::new(place, count).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(values: [&str; 4]) -> Result<Option<Shard>, String> {
        let names = [TASK, ARRAY[0], ARRAY[1], ARRAY[2]];
        of_array(|name| {
            let value = names.iter().position(|known| *known == name).map(|at| values[at])?;
            Some(value).filter(|value| !value.is_empty()).map(str::to_owned)
        })
    }

    #[test]
    fn tasks_of_an_array_are_shares() {
        assert_eq!(array(["", "", "", ""]), Ok(None));
        for (values, expected) in [
            (["1", "20", "1", "1"], "1/20"),
            (["0", "20", "0", "1"], "1/20"),
            (["19", "20", "0", "1"], "20/20"),
            (["9", "5", "1", "4"], "3/5"),
        ] {
            assert_eq!(array(values).unwrap().unwrap().to_string(), expected);
        }
        for (values, expected) in [
            (["7", "3", "1", "1"], "no regular one"),
            (["3", "4", "0", "2"], "no regular one"),
            (["0", "4", "1", "1"], "no regular one"),
            (["x", "4", "1", "1"], "no number"),
            (["1", "", "1", "1"], "but not SLURM_ARRAY_TASK_COUNT"),
        ] {
            let error = array(values).unwrap_err();
            assert!(error.contains(expected), "{values:?}: {error}");
        }
    }
}
