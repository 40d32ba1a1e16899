//! `adamflip solve`: train, show progress, write the run folder, sum up.

use std::path::Path;
use std::process::ExitCode;

use adamflip::checkpoint::Checkpoint;
use adamflip::problem::Stage;
use adamflip::train::{Signal, Status, Trainer};
use adamflip::{evaluate, report};
use serde::Serialize;

use crate::arguments::Solve;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::history::History;
use crate::input::{self, Task};
use crate::interrupt::Interrupt;
use crate::output::{self, Data};
use crate::progress::Reporter;
use crate::summary::Summary;

pub(crate) fn run(arguments: &Solve) -> Result<ExitCode, Failure> {
    let task = input::read(&arguments.input)?;
    let pool = input::pool(arguments.input.threads)?;
    let interrupt = Interrupt::listen();
    pool.install(|| solve(arguments, task, &interrupt))
}

fn solve(arguments: &Solve, task: Task, interrupt: &Interrupt) -> Result<ExitCode, Failure> {
    let json = arguments.input.json;
    let header = header(arguments, &task);
    let text = format!("{header}\n{}", task.text);
    let method = task.method;
    let mut trainer = task.trainer()?;
    let folder = Folder::create(arguments.out.as_deref(), &trainer.problem().name, trainer.seed())?;
    folder.write("problem.toml", &text)?;
    for gap in evaluate::gaps(trainer.problem()).unwrap_or_default() {
        output::warn(&gap.text(trainer.problem()));
    }
    let mut data = Data::default();
    match json {
        true => data.json(&Start::of(&trainer, folder.path())),
        false => output::say(&greeting(&trainer)),
    }
    let run = train(&mut trainer, &folder, json, interrupt, &mut data)?;
    let summary = keep(&mut trainer, &folder, run, method)?;
    match json {
        true => data.json(&summary),
        false => data.line(&summary.table(rayon::current_num_threads())),
    }
    Ok(ExitCode::from(summary.code()))
}

/// What training leaves besides the parameters.
struct Run {
    status: Status,
    seconds: f64,
    history: History,
}

/// Trains to the end of the plan, of the time, or of the user's patience.
fn train(
    trainer: &mut Trainer,
    folder: &Folder,
    json: bool,
    interrupt: &Interrupt,
    data: &mut Data,
) -> Result<Run, Failure> {
    // The trainer is busy while it is watched, so the watcher looks at a copy.
    let problem = trainer.problem().clone();
    let steps = trainer.stages().iter().map(|stage| stage.steps).sum();
    let mut history = History::create(folder, &problem, steps)?;
    let budget = problem.train.max_seconds;
    let mut reporter = Reporter::start(json, budget);
    trainer.observe(history.every());
    let mut told = 0;
    let status = trainer.run(&mut |progress| {
        let now = reporter.elapsed();
        history.observe(progress, &problem, now.as_secs_f64());
        reporter.warn(&progress.warnings[told..]);
        told = progress.warnings.len();
        reporter.show(progress, &problem, now, data);
        match () {
            () if interrupt.is_raised() => Signal::Interrupt,
            () if budget.is_some_and(|most| now.as_secs_f64() >= most) => Signal::TimeUp,
            () => Signal::Continue,
        }
    });
    let seconds = reporter.elapsed().as_secs_f64();
    reporter.finish();
    // The last look comes after the last step.
    reporter.warn(&trainer.warnings()[told..]);
    Ok(Run { status, seconds, history })
}

/// Writes what was found: first the checkpoint, from which all else can be made again.
fn keep(trainer: &mut Trainer, folder: &Folder, run: Run, method: &'static str) -> Result<Summary, Failure> {
    Checkpoint::of(trainer, run.seconds)
        .write(&folder.file("checkpoint.safetensors"))
        .map_err(|error| Failure::run(error, "is the disk full?"))?;
    run.history.finish(folder, trainer.problem())?;
    let model = trainer.objective().model();
    let errors = evaluate::errors(trainer.problem(), model, trainer.θ()).unwrap_or_else(|error| {
        output::warn(&format!("the error against the reference could not be measured: {error}"));
        Vec::new()
    });
    match report::solution(trainer.problem(), model, trainer.θ(), &errors) {
        Ok(svg) => folder.write("solution.svg", &svg)?,
        Err(error) => output::warn(&format!("the solution could not be drawn: {error}")),
    }
    let summary = Summary::of(trainer, method, (run.status, run.seconds), &errors, folder.path());
    let text = serde_json::to_string_pretty(&summary).unwrap_or_default();
    folder.write("summary.json", &format!("{text}\n"))?;
    Ok(summary)
}

/// What opens the JSON lines of a run.
#[derive(Serialize)]
struct Start {
    event: &'static str,
    problem: String,
    title: Option<String>,
    seed: u64,
    steps: usize,
    stages: Vec<StageStart>,
    parameters: usize,
    points: usize,
    threads: usize,
    run: String,
}

#[derive(Serialize)]
struct StageStart {
    method: &'static str,
    steps: usize,
}

impl Start {
    fn of(trainer: &Trainer, run: &Path) -> Self {
        let stage = |stage: &Stage| StageStart { method: stage.method.name(), steps: stage.steps };
        Self {
            event: "start",
            problem: trainer.problem().name.clone(),
            title: trainer.problem().title.clone(),
            seed: trainer.seed(),
            steps: trainer.stages().iter().map(|stage| stage.steps).sum(),
            stages: trainer.stages().iter().map(stage).collect(),
            parameters: trainer.θ().len(),
            points: trainer.objective().points(),
            threads: rayon::current_num_threads(),
            run: run.to_string_lossy().into_owned(),
        }
    }
}

fn greeting(trainer: &Trainer) -> String {
    let problem = trainer.problem();
    format!(
        "{}: {} parameters, {} points, {}, seed {}",
        problem.title.as_deref().unwrap_or(&problem.name),
        trainer.θ().len(),
        trainer.objective().points(),
        plan_text(trainer.stages()),
        trainer.seed(),
    )
}

/// `2000 steps of adam, 10000 of adamflip`.
fn plan_text(stages: &[Stage]) -> String {
    let stage = |(i, stage): (usize, &Stage)| {
        format!("{}{} of {}", stage.steps, if i == 0 { " steps" } else { "" }, stage.method.name())
    };
    match stages {
        [] => "no steps".to_owned(),
        _ => stages.iter().enumerate().map(stage).collect::<Vec<_>>().join(", "),
    }
}

/// The comment above the problem file in the run folder: what the file alone does not say.
fn header(arguments: &Solve, task: &Task) -> String {
    let command: Vec<String> =
        std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    let mut lines = vec![
        format!("# The problem of this run, as adamflip {} read it.", env!("CARGO_PKG_VERSION")),
        format!("# command: adamflip {}", command.join(" ")),
        format!("# plan: {}, seed {}", plan_text(&task.stages), task.seed),
    ];
    lines.extend(arguments.input.profile.iter().map(|profile| format!("# profile: {}", quoted(profile))));
    lines.extend(arguments.input.set.iter().map(|set| format!("# override: {}", quoted(set))));
    lines.join("\n") + "\n"
}

/// A word as a POSIX shell takes it, on one line whatever is in it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=./,:+".contains(c);
    match () {
        () if !word.is_empty() && word.chars().all(plain) => word.to_owned(),
        // Only dollar quotes (POSIX 2024) can write a line end without one.
        () if word.chars().any(char::is_control) => {
            format!("$'{}'", word.chars().map(escaped).collect::<String>())
        }
        () => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A character between dollar quotes.
fn escaped(c: char) -> String {
    match c {
        '\'' | '\\' => format!("\\{c}"),
        '\n' => r"\n".to_owned(),
        '\t' => r"\t".to_owned(),
        _ if c.is_control() => c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect(),
        _ => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, expected) in [
            ("constants.load=2", "constants.load=2"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            (r#"x="a\b""#, r#"'x="a\b"'"#),
            ("train.stages[0].lr=1", "'train.stages[0].lr=1'"),
            ("it's\n\u{1b}", r"$'it\'s\n\033'"),
        ] {
            assert_eq!(quoted(word), expected, "{word:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_them_back() {
        for word in ["it's", "$HOME `ls` \"x\" \\n *", "~", "π = [1, 2]"] {
            let script = format!("printf %s {}", quoted(word));
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
