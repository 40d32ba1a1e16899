//! `adamflip suite`: the standard problems of the field by the default network and plan, our errors beside the published.

mod row;
mod standard;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adamflip::spec::Overrides;
use serde::Serialize;

pub(crate) use standard::names;

use crate::arguments::Suite;
use crate::batch::{self, Crew, Intent, Metric, Order, Outcome, Place, Runs, Task};
use crate::failure::{Failure, NOT_MET};
use crate::output::{self, Data};
use crate::summary::{plain_table, short};
use crate::{input, list};
use row::Row;
use standard::{STANDARD, Standard};

pub(crate) fn run(arguments: &Suite) -> Result<ExitCode, Failure> {
    let chosen: Vec<&Standard> = STANDARD.iter().filter(|standard| is_chosen(arguments, standard)).collect();
    let mut work = Work { runs: runs(arguments, &chosen)?, threads: usize::from(arguments.threads) };
    // Before there is anything on the disk, so that every mistake of the files shows.
    let steps = work.runs.iter().map(|(_, order)| steps(order)).collect::<Result<Vec<_>, _>>()?;
    let place = Place::shared(&arguments.out)?;
    let tasks = work.tasks(&place, &steps)?;
    let jobs = batch::at_once(arguments.jobs, work.threads);
    let intent = Intent {
        command: "suite",
        problem: None,
        title: "The standard problems",
        folder: place.path(),
        metric: Metric::Error,
    };
    let mut data = Data::default();
    let outcomes = Crew::new(&mut work, tasks, jobs, intent, arguments.json).work(&mut data)?;
    // All problems have a seed before any has the next.
    let of_problem = |number| outcomes.iter().skip(number).step_by(chosen.len()).cloned().collect::<Vec<_>>();
    let rows: Vec<Row> =
        chosen.iter().enumerate().map(|(number, standard)| Row::of(standard, &of_problem(number))).collect();
    show(arguments, &rows, &place, &mut data)?;
    tell_failures(&work, &outcomes);
    Ok(ExitCode::from(if rows.iter().any(|row| row.failed > 0) { NOT_MET } else { 0 }))
}

fn is_chosen(arguments: &Suite, standard: &Standard) -> bool {
    arguments.names.is_empty() || arguments.names.iter().any(|name| name == standard.name)
}

/// The name of each run and what begins it. The time is a part of the name: with another time it is another run.
fn runs(arguments: &Suite, chosen: &[&Standard]) -> Result<Vec<(String, Order)>, Failure> {
    let folder = folder(arguments.problems.as_deref())?;
    let mut seeds: Vec<u64> = Vec::new();
    for seed in &arguments.seeds {
        if !seeds.contains(seed) {
            seeds.push(*seed);
        }
    }
    let run = |standard: &Standard, seed: u64| {
        let seconds = arguments.budget.unwrap_or(f64::from(standard.seconds));
        let order = Order {
            file: folder.join(format!("{}.toml", standard.name)),
            method: None,
            finish: None,
            steps: None,
            seed,
            profile: None,
            set: vec![format!("train.max_seconds={seconds:?}")],
        };
        (format!("{}-{seed}-{seconds}s", standard.name), order)
    };
    Ok(seeds.iter().flat_map(|seed| chosen.iter().map(move |standard| run(standard, *seed))).collect())
}

/// The folder of the problem files.
fn folder(asked: Option<&Path>) -> Result<PathBuf, Failure> {
    let hint = "name the folder with `--problems DIR`";
    let found = asked.map(Path::to_owned).or_else(|| list::shipped("standard"));
    found.ok_or_else(|| {
        Failure::input("there is no folder `problems/standard` here or beside the program", hint)
    })
}

/// The steps of a run, all of whose mistakes show now.
fn steps(order: &Order) -> Result<usize, Failure> {
    let overrides = Overrides { profile: None, set: order.set.clone() };
    let choice = input::Choice {
        trained: false,
        file: &order.file,
        name: None,
        method: None,
        finish: None,
        steps: None,
        seed: Some(order.seed),
        overrides: &overrides,
    };
    let task = choice.task()?;
    input::fits(&task.problem, &task.stages)?;
    Ok(task.stages.iter().map(|stage| stage.steps).sum())
}

/// The runs at work.
struct Work {
    runs: Vec<(String, Order)>,
    threads: usize,
}

impl Work {
    fn tasks(&self, place: &Place, steps: &[usize]) -> Result<Vec<Task>, Failure> {
        let task = |((name, order), steps): (&(String, Order), &usize)| {
            let folder = place.run(name);
            batch::remove_changed(&folder, order)?;
            Ok(Task { folder, log: place.log(name), name: name.clone(), steps: *steps })
        };
        self.runs.iter().zip(steps).map(task).collect()
    }
}

impl Runs for Work {
    fn order(&self, number: usize) -> Order {
        self.runs[number].1.clone()
    }

    fn threads(&self) -> usize {
        self.threads
    }
}

/// Prints the table, and keeps it beside the runs.
fn show(arguments: &Suite, rows: &[Row], place: &Place, data: &mut Data) -> Result<(), Failure> {
    let text = table(rows);
    place.write_result("table.txt", &text)?;
    match arguments.json {
        true => data.json(&Finished { event: "suite", rows, folder: place.path().display().to_string() }),
        false => data.line(text.trim_end()),
    }
    Ok(())
}

/// The table with the sources below it.
fn table(rows: &[Row]) -> String {
    let mut sources: Vec<&str> = Vec::new();
    let mut table = plain_table(&["problem", "error", "seconds", "estimate", "published"]);
    for row in rows {
        let published = row.published.map_or("–".to_owned(), |published| {
            if !sources.contains(&published.source) {
                sources.push(published.source);
            }
            let number =
                sources.iter().position(|source| *source == published.source).unwrap_or_default() + 1;
            let note =
                if published.note.is_empty() { String::new() } else { format!(", {}", published.note) };
            format!("{} [{number}]{note}", short(published.error))
        });
        table.add_row(vec![row.problem.to_owned(), row.error(), row.seconds(), row.expected(), published]);
    }
    let lines = table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let notes = sources.iter().enumerate().map(|(number, source)| format!(" [{}] {source}\n", number + 1));
    format!("{lines}\n\n{}", notes.collect::<String>()).trim_end().to_owned() + "\n"
}

fn tell_failures(work: &Work, outcomes: &[Outcome]) {
    for ((name, _), outcome) in work.runs.iter().zip(outcomes) {
        if let Outcome::Failed(reason) = outcome {
            output::warn(&format!("{name} failed: {reason}"));
        }
    }
}

/// The last JSON line.
#[derive(Serialize)]
struct Finished<'a> {
    event: &'static str,
    rows: &'a [Row],
    folder: String,
}
