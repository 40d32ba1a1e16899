//! How a batch looks while it goes on: one line in place on a terminal, lines in a pipe, or JSON events. Its
//! runs are processes of this same program.

use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use adamflip_run::RunError;
use adamflip_run::batch::{Intent, Job, Metric, Monitor, Outcome, Scope};
use adamflip_run::table::Table;
use adamflip_run::words::{clock, counted, short};
use serde::Serialize;
use serde_json::Value;

use crate::arguments::{Batch, COLLECT};
use crate::failure::{Failure, NOT_MET};
use crate::interrupt::Interrupt;
use crate::output::{self, Data};
use crate::progress::Block;

/// Where progress is shown.
enum Output {
    /// A line of a terminal that is written over.
    Terminal(Block),
    /// Lines on stderr.
    Plain,
    /// Events on stdout.
    Json,
}

/// Shows a batch.
pub(crate) struct Screen {
    kind: Output,
    interrupt: Interrupt,
    pub(crate) data: Data,
    start: Instant,
    shown: Instant,
    /// The part of all work that was done before this session.
    before: f64,
    metric: Metric,
}

#[derive(Serialize)]
struct Progress<'a> {
    event: &'static str,
    done: usize,
    failed: usize,
    runs: usize,
    running: Vec<Running<'a>>,
    seconds: f64,
    seconds_left: Option<f64>,
}

#[derive(Serialize)]
struct Running<'a> {
    run: &'a str,
    step: usize,
    steps: usize,
}

#[derive(Serialize)]
struct Start<'a> {
    event: &'static str,
    command: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'a str>,
    runs: usize,
    folder: String,
}

#[derive(Serialize)]
struct Done<'a> {
    event: &'static str,
    run: &'a str,
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a Value>,
}

impl Screen {
    /// Of a batch that is to be.
    pub(crate) fn new(json: bool) -> Self {
        let kind = match json {
            true => Output::Json,
            false if std::io::stderr().is_terminal() && !output::is_dumb() => {
                Output::Terminal(Block::new(console::Term::stderr(), output::colours()))
            }
            false => Output::Plain,
        };
        let now = Instant::now();
        let (interrupt, data, metric) = (Interrupt::default(), Data::default(), Metric::Error);
        Self { kind, interrupt, data, start: now, shown: now, before: 0.0, metric }
    }

    /// Prints what came of a batch, and says where it is (`place`); the exit code. A share has no tables.
    pub(crate) fn end(
        &mut self,
        batch: &Batch,
        scope: Scope,
        (found, table): (&impl Serialize, &Table),
        (path, place): (&Path, String),
    ) -> u8 {
        match batch.json {
            true => self.data.json(found),
            false if !scope.has_tables() => {}
            false => self.data.line(table.render(batch.format.into()).trim_end()),
        }
        output::say(&match scope.has_tables() {
            true => place,
            false => format!("the share has ended, in `{}`; {COLLECT}", path.display()),
        });
        if table.has_failures() { NOT_MET } else { 0 }
    }

    /// Why the batch has ended early.
    pub(crate) fn failure(&self, error: RunError) -> Failure {
        Failure::of_batch(error, &self.interrupt)
    }

    /// The least time between two reports.
    fn interval(&self) -> Duration {
        Duration::from_millis(match self.kind {
            Output::Terminal(_) => 200,
            Output::Plain => 30_000,
            Output::Json => 1_000,
        })
    }

    /// Says something above the line of a terminal.
    fn say(&mut self, text: &str) {
        // The line comes back with the next report.
        self.finish();
        output::say(text);
    }

    fn progress<'a>(&self, jobs: &'a [Job]) -> Progress<'a> {
        let count = |wanted: fn(&Outcome) -> bool| {
            jobs.iter().filter(|job| job.outcome().is_some_and(wanted)).count()
        };
        let at_work = jobs.iter().filter(|job| job.is_busy());
        let running = |job: &'a Job| Running { run: job.name(), step: job.step(), steps: job.steps() };
        let seconds = self.start.elapsed().as_secs_f64();
        let (done, all) = (part(jobs), 1.0);
        // By the speed of this session.
        let left = seconds * (all - done) / (done - self.before);
        Progress {
            event: "progress",
            done: count(|_| true),
            failed: count(|outcome| matches!(outcome, Outcome::Failed(_))),
            runs: jobs.len(),
            running: at_work.map(running).collect(),
            seconds,
            seconds_left: Some(left).filter(|left| left.is_finite()),
        }
    }
}

impl Monitor for Screen {
    /// Says what will be done.
    fn start(&mut self, intent: &Intent<'_>, runs: usize) {
        self.interrupt = Interrupt::listen();
        (self.start, self.shown, self.metric) = (Instant::now(), Instant::now(), intent.metric.clone());
        let Intent { command, problem, title, folder, .. } = *intent;
        let folder = folder.display().to_string();
        match self.kind {
            Output::Json => self.data.json(&Start { event: "start", command, problem, runs, folder }),
            _ => self.say(&format!("{title}: {} in `{folder}`", counted(runs, "run"))),
        }
    }

    /// Says what was done in earlier sessions.
    fn begin(&mut self, jobs: &[Job]) {
        self.before = part(jobs);
        let ended: Vec<usize> = (0..jobs.len()).filter(|&number| jobs[number].outcome().is_some()).collect();
        match self.kind {
            Output::Json => ended.into_iter().for_each(|number| self.done(number, jobs)),
            _ if ended.is_empty() => {}
            _ => self.say(&format!("{} had ended before", counted(ended.len(), "run"))),
        }
    }

    /// Tells of a run that has ended.
    fn done(&mut self, number: usize, jobs: &[Job]) {
        let job = &jobs[number];
        let Some(outcome) = job.outcome() else { return };
        if matches!(self.kind, Output::Json) {
            let (status, reason) = match outcome {
                Outcome::Ended(summary) => (summary["status"].as_str().unwrap_or("ended"), None),
                Outcome::Failed(reason) => ("failed", Some(reason.as_str())),
                Outcome::Open => return,
            };
            self.data.json(&Done {
                event: "run",
                run: job.name(),
                status,
                reason,
                summary: outcome.summary(),
            });
            return;
        }
        let count = jobs.iter().filter_map(Job::outcome).count();
        let said = match outcome {
            Outcome::Ended(summary) => {
                let seconds = clock(Metric::Seconds.of(summary));
                format!("{} {} in {seconds}", self.metric.name(), short(self.metric.of(summary)))
            }
            Outcome::Failed(reason) => format!("failed: {reason}"),
            Outcome::Open => return,
        };
        self.say(&format!("[{count}/{}] {}: {said}", jobs.len(), job.name()));
        let line = self.progress(jobs).line();
        if let Output::Terminal(block) = &mut self.kind {
            draw(block, &line);
        }
    }

    /// Shows how far all are, if it is time.
    fn show(&mut self, jobs: &[Job]) {
        if self.shown.elapsed() < self.interval() {
            return;
        }
        self.shown = Instant::now();
        let progress = self.progress(jobs);
        match &mut self.kind {
            Output::Terminal(block) => draw(block, &progress.line()),
            Output::Plain => output::say(&progress.line()),
            Output::Json => self.data.json(&progress),
        }
    }

    /// Tells of the end before the end.
    fn interrupted(&mut self, done: usize, runs: usize) {
        if matches!(self.kind, Output::Json) {
            self.data.json(&serde_json::json!({ "event": "interrupted", "done": done, "runs": runs }));
        }
    }

    /// Takes the line off the terminal.
    fn finish(&mut self) {
        if let Output::Terminal(block) = &mut self.kind {
            block.clear();
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }

    fn stopping(&mut self) {
        self.say("stopping: every run keeps a checkpoint");
    }
}

impl Progress<'_> {
    fn line(&self) -> String {
        let failed = if self.failed == 0 { String::new() } else { format!(", {} failed", self.failed) };
        let left = self.seconds_left.map_or(String::new(), |left| format!(", {} left", clock(left)));
        let running: Vec<String> =
            self.running.iter().map(|r| format!("{} {}/{}", r.run, r.step, r.steps)).collect();
        format!("{}/{} done{failed}{left}  {}", self.done, self.runs, running.join("  "))
    }
}

/// The part of all work that is done: every run counts the same, however many steps it has.
fn part(jobs: &[Job]) -> f64 {
    jobs.iter().map(Job::part).sum::<f64>() / jobs.len().max(1) as f64
}

/// One line, cut at the width of the terminal.
fn draw(block: &mut Block, line: &str) {
    let width = block.paper().size.width;
    block.draw(&[console::truncate_str(line, width, "…").into_owned()]);
}
