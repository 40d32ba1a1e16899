//! Choices of values: all combinations, or some at random.

use std::collections::HashSet;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::over::{Over, Range, Values};
use crate::batch::few_enough;
use crate::error::RunError;

/// All combinations of lists; the values of the last key change first.
pub(super) fn grid(overs: &[Over]) -> Result<Vec<Vec<String>>, RunError> {
    let mut lists = Vec::new();
    for over in overs {
        match &over.values {
            Values::List(values) => lists.push(values),
            Values::Range(_) => {
                return Err(RunError::input(
                    format!("the values of `{}` are a range, of which not all can be tried", over.key),
                    "draw some with `--random N`, or list them: `--over key=1,2,5`",
                ));
            }
        }
    }
    few_enough(lists.iter().fold(1, |count, list| count.saturating_mul(list.len())))?;
    let mut choices: Vec<Vec<String>> = vec![Vec::new()];
    for list in lists {
        let longer = |choice: &Vec<String>, value: &String| choice.iter().chain([value]).cloned().collect();
        choices = choices.iter().flat_map(|choice| list.iter().map(|value| longer(choice, value))).collect();
    }
    Ok(choices)
}

/// This many choices at random; those drawn twice count once.
pub(super) fn random(overs: &[Over], count: u32, seed: u64) -> Vec<Vec<String>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = || -> Vec<String> { overs.iter().map(|over| value(&over.values, &mut random)).collect() };
    let mut known = HashSet::new();
    let draws = (0..count).map(|_| draw());
    let choices: Vec<Vec<String>> = draws.filter(|choice| known.insert(choice.clone())).collect();
    if choices.len() < count as usize {
        log::warn!("of {count} draws {} are different", choices.len());
    }
    choices
}

fn value(values: &Values, random: &mut impl Rng) -> String {
    match values {
        Values::List(list) => list[random.random_range(0..list.len())].clone(),
        Values::Range(range) => range.draw(random),
    }
}

impl Range {
    fn draw(&self, random: &mut impl Rng) -> String {
        let Self { low, high, logarithmic, whole } = *self;
        let part: f64 = random.random();
        // So that the whole numbers at the ends are as likely as those between.
        let (from, to) = match whole {
            true if logarithmic => ((low - 0.5).max(low / 2.0), high + 0.5),
            true => (low - 0.5, high + 0.5),
            false => (low, high),
        };
        let number = match logarithmic {
            true => from * (to / from).powf(part),
            false => from + (to - from) * part,
        };
        match whole {
            true => format!("{}", number.round().clamp(low, high)),
            // Five digits say where a range was tried, and can be copied.
            false => {
                let text = format!("{:.4e}", number);
                let inside = text.parse().is_ok_and(|number: f64| (low..=high).contains(&number));
                if inside { text } else { format!("{:e}", number.clamp(low, high)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overs(texts: &[&str]) -> Vec<Over> {
        super::super::over::all(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_grid_has_all_combinations() {
        let choices = grid(&overs(&["a=1,2", "b=x,y,z"])).unwrap();
        let joined: Vec<String> = choices.iter().map(|choice| choice.join("")).collect();
        assert_eq!(joined, ["1x", "1y", "1z", "2x", "2y", "2z"]);
        assert!(grid(&overs(&["a=1..2"])).unwrap_err().message().contains("`a` are a range"));
        let long = format!("={}", vec!["1"; 1000].join(","));
        let keys: Vec<String> = ["a", "b", "c"].iter().map(|key| format!("{key}{long}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        assert!(grid(&overs(&keys)).unwrap_err().message().contains("1000000000 runs"));
    }

    #[test]
    fn draws_are_seeded_and_within() {
        let keys = overs(&["a=1e-5..1e-2", "b=2..4", "c=-1.0..1.0", "d=x,y", "e=1..1000"]);
        let choices = random(&keys, 300, 7);
        assert_eq!(choices, random(&keys, 300, 7));
        assert_ne!(choices, random(&keys, 300, 8));
        assert_eq!(choices.len(), 300);
        let column = |index: usize| choices.iter().map(move |choice| choice[index].as_str());
        let numbers = |index: usize| column(index).map(|text| text.parse::<f64>().unwrap());
        assert!(numbers(0).all(|a| (1e-5..=1e-2).contains(&a)));
        assert!(numbers(2).all(|c| (-1.0..=1.0).contains(&c)));
        for (index, expected) in [(1, vec!["2", "3", "4"]), (3, vec!["x", "y"])] {
            let mut found: Vec<&str> = column(index).collect();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found, expected);
        }
        // Evenly in the logarithm: about half lies below the geometric mean. Of 300 fair coins, fewer than
        // 110 or more than 190 heads are beyond four standard deviations (8.7 each).
        for (index, middle) in [(0, 10f64.powf(-3.5)), (4, 1000f64.sqrt()), (2, 0.0)] {
            let below = numbers(index).filter(|number| *number < middle).count();
            assert!((110..=190).contains(&below), "{index}: {below}");
        }
        assert!(column(4).all(|text| text.parse::<u32>().is_ok_and(|e| (1..=1000).contains(&e))));
    }

    #[test]
    fn what_is_drawn_twice_counts_once() {
        assert!(random(&overs(&["a=1,2"]), 50, 0).len() == 2);
    }
}
