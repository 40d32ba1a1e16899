//! `adamflip suite`: the standard problems of the field by the default network and plan, our errors beside
//! the published.

mod row;
mod standard;

use std::path::{Path, PathBuf};

use adamflip_run::batch::{
    self, BatchDir, Intent, Job, JobSource, JobSpec, Metric, Outcome, Scheduler, Scope,
};
use adamflip_run::words::{counted, short, text_table};
use serde::Serialize;

pub(crate) use standard::names;

use crate::arguments::{COLLECT, Suite};
use crate::batch::Screen;
use crate::failure::{Failure, NOT_MET};
use crate::invocation::{command_line, program};
use crate::list;
use crate::output::{self, Data};
use row::Row;
use standard::{STANDARD, Standard};

pub(crate) fn run(arguments: &Suite) -> Result<u8, Failure> {
    let chosen: Vec<&Standard> = STANDARD.iter().filter(|standard| is_chosen(arguments, standard)).collect();
    let scope = arguments.shares.scope()?;
    let all = runs(arguments, &chosen)?;
    let own = all.iter().enumerate().filter(|(number, _)| scope.takes(*number)).map(|(_, run)| run.clone());
    let mut work = Work { runs: own.collect(), threads: usize::from(arguments.threads) };
    // Before there is anything on the disk, so that every error of the files shows.
    let steps = work.runs.iter().map(|(_, job)| job.planned_steps()).collect::<Result<Vec<_>, _>>()?;
    let dir = BatchDir::shared(&arguments.out, scope)?;
    let jobs = work.jobs(&dir, &steps)?;
    let most = batch::at_once(arguments.jobs.map(usize::from), work.threads);
    let line = command_line();
    let intent = Intent {
        command: "suite",
        line: &line,
        problem: None,
        title: "The standard problems",
        folder: dir.path(),
        metric: Metric::Error,
    };
    let mut screen = Screen::new(arguments.json);
    let program = program()?;
    let mut solved = Vec::new();
    if scope != Scope::Collect {
        let scheduler = Scheduler::new(&mut work, jobs, &program, intent, &mut screen);
        solved = scheduler.at_once(most).work().map_err(|error| screen.failure(error))?;
    }
    tell_failures(&work, &solved);
    if !scope.has_tables() {
        output::say(&format!("the share has ended, in `{}`; {COLLECT}", dir.path().display()));
        return Ok(if solved.iter().all(|outcome| outcome.summary().is_some()) { 0 } else { NOT_MET });
    }
    let found = |(name, _): &(String, JobSpec)| {
        Outcome::found(&Job::new(name.clone(), dir.run(name), dir.log(name), 0))
    };
    let outcomes = if scope == Scope::Collect { all.iter().map(found).collect() } else { solved };
    // All problems have a seed before any has the next.
    let of_problem = |number| outcomes.iter().skip(number).step_by(chosen.len()).cloned().collect::<Vec<_>>();
    let rows: Vec<Row> =
        chosen.iter().enumerate().map(|(number, standard)| Row::of(standard, &of_problem(number))).collect();
    show(arguments, &rows, &dir, &mut screen.data)?;
    let open = outcomes.iter().filter(|outcome| outcome.is_open()).count();
    if open > 0 {
        output::warn(&format!("{open} of {} have not ended yet", counted(outcomes.len(), "run")));
    }
    Ok(if rows.iter().any(|row| row.failed > 0) { NOT_MET } else { 0 })
}

fn is_chosen(arguments: &Suite, standard: &Standard) -> bool {
    arguments.names.is_empty() || arguments.names.iter().any(|name| name == standard.name)
}

/// The name of each run and what begins it. The time is a part of the name: with another time it is another
/// run.
fn runs(arguments: &Suite, chosen: &[&Standard]) -> Result<Vec<(String, JobSpec)>, Failure> {
    let folder = folder(arguments.problems.as_deref())?;
    let mut seeds: Vec<u64> = Vec::new();
    for seed in &arguments.seeds {
        if !seeds.contains(seed) {
            seeds.push(*seed);
        }
    }
    let run = |standard: &Standard, seed: u64| {
        let seconds = arguments.budget.unwrap_or(f64::from(standard.seconds));
        let job = JobSpec {
            file: folder.join(format!("{}.toml", standard.name)),
            seed,
            set: vec![format!("train.max_seconds={seconds:?}")],
            ..JobSpec::default()
        };
        (format!("{}-{seed}-{seconds}s", standard.name), job)
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

/// The runs at work.
struct Work {
    runs: Vec<(String, JobSpec)>,
    threads: usize,
}

impl Work {
    fn jobs(&self, dir: &BatchDir, steps: &[usize]) -> Result<Vec<Job>, Failure> {
        let job = |((name, job), steps): (&(String, JobSpec), &usize)| {
            let folder = dir.run(name);
            batch::remove_changed(&folder, job)?;
            Ok(Job::new(name.clone(), folder, dir.log(name), *steps))
        };
        self.runs.iter().zip(steps).map(job).collect()
    }
}

impl JobSource for Work {
    fn job(&self, number: usize) -> JobSpec {
        self.runs[number].1.clone()
    }

    fn threads(&self) -> usize {
        self.threads
    }
}

/// Prints the table, and keeps it beside the runs.
fn show(arguments: &Suite, rows: &[Row], dir: &BatchDir, data: &mut Data) -> Result<(), Failure> {
    let text = table(rows);
    dir.write_result("table.txt", &text)?;
    match arguments.json {
        true => data.json(&Finished { event: "suite", rows, folder: dir.path().display().to_string() }),
        false => data.line(text.trim_end()),
    }
    Ok(())
}

/// The table with the sources below it.
fn table(rows: &[Row]) -> String {
    let mut sources: Vec<&str> = Vec::new();
    let row = |row: &Row| {
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
        vec![row.problem.to_owned(), row.error(), row.seconds(), row.expected(), published]
    };
    let header = ["problem", "error", "seconds", "estimate", "published"];
    let lines = text_table(&header, rows.iter().map(row), 0..0);
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
