//! One run of a batch: a process of the program, which tells its events as JSON lines.
//!
//! A child's stdin is a parent-death pipe, which stays open as long as its parent lives. When it closes,
//! because the parent lets go or was killed, the child stops after its step and leaves a checkpoint.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::Sender;

use adamflip::checkpoint::regular;
use adamflip::optim::Method;
use serde_json::Value;

use crate::choices::{Choices, Task};
use crate::error::RunError;

/// Set in the environment of a child, which is to stop when its stdin closes. Not an argument, because a run
/// keeps the command that began it, to be run again.
pub const PARENT_DEATH_PIPE: &str = "ADAMFLIP_STOP_WITH_STDIN";

/// The program `adamflip`, of which children are processes.
#[derive(Clone, Debug)]
pub struct Program {
    path: PathBuf,
    /// The name by which it is called, where that is not its path.
    name: Option<OsString>,
    /// What comes before all other arguments.
    first: Vec<OsString>,
}

impl Program {
    /// The program in a file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), name: None, first: Vec::new() }
    }

    /// The same under the name by which it is called (`argv[0]`); systems other than Unix have none.
    #[must_use]
    pub fn called(self, name: impl Into<OsString>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// The same with arguments before all others: `python` with `-m adamflip`.
    #[must_use]
    pub fn with_arguments(self, first: &[&str]) -> Self {
        Self { first: first.iter().map(OsString::from).collect(), ..self }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.first);
        #[cfg(unix)]
        if let Some(name) = &self.name {
            std::os::unix::process::CommandExt::arg0(&mut command, name);
        }
        command
    }

    /// Goes on in a folder.
    pub(super) fn resume(&self, run: &Path, threads: usize) -> Command {
        let mut command = self.command();
        command.args(["resume", "--json", &format!("--threads={threads}"), "--"]).arg(run);
        command
    }
}

/// What a child lets its parent know.
#[derive(Debug)]
pub(super) enum ChildEvent {
    /// An event of the run of this number.
    Said(usize, Value),
    /// It will not say more.
    Closed(usize),
}

/// A running child.
#[derive(Debug)]
pub(super) struct Child {
    process: std::process::Child,
    /// Bytes of the log that earlier processes have written.
    said: u64,
}

impl Child {
    /// Starts a process that writes what it has to say below what earlier ones said.
    pub(super) fn start(
        mut command: Command,
        log: &Path,
        number: usize,
        events: Sender<ChildEvent>,
    ) -> std::io::Result<Self> {
        let log = regular::open(File::options().append(true).create(true), log)?;
        let said = log.metadata()?.len();
        command.env(PARENT_DEATH_PIPE, "1").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut process = command.spawn()?;
        let lines = process.stdout.take().map(|stdout| BufReader::new(stdout).lines());
        std::thread::spawn(move || {
            for line in lines.into_iter().flatten().map_while(Result::ok) {
                if let Ok(event) = serde_json::from_str(&line) {
                    // A parent that listens no more has ended.
                    let _ = events.send(ChildEvent::Said(number, event));
                }
            }
            let _ = events.send(ChildEvent::Closed(number));
        });
        Ok(Self { process, said })
    }

    /// Asks it to stop after its step.
    pub(super) fn let_go(&mut self) {
        drop(self.process.stdin.take());
    }

    /// Waits for its end and says its exit code, if it has one, and where in the log it began.
    pub(super) fn end(mut self) -> (Option<i32>, u64) {
        (self.process.wait().ok().and_then(|status| status.code()), self.said)
    }
}

/// What begins a run.
#[derive(Clone, Debug, Default)]
pub struct JobSpec {
    /// The problem file.
    pub file: PathBuf,
    /// One stage of this method in place of the stages of the file.
    pub method: Option<Method>,
    /// The method of the last stage.
    pub finish: Option<Method>,
    /// The steps of all stages together.
    pub steps: Option<u64>,
    /// The seed of every random number.
    pub seed: u64,
    /// The profile of the file whose overrides are applied.
    pub profile: Option<String>,
    /// Values that replace those of the file.
    pub set: Vec<String>,
}

impl JobSpec {
    /// The steps of its run; all errors of its file show now.
    pub fn planned_steps(&self) -> Result<usize, RunError> {
        let Self { file, method, finish, steps, seed, profile, set } = self.clone();
        let choices = Choices { method, finish, steps, seed: Some(seed), profile, set, ..Choices::default() };
        let task = Task::read(file.as_path(), &choices)?;
        Ok(task.stages.iter().map(|stage| stage.steps).fold(0, usize::saturating_add))
    }

    /// Solves the problem in a new folder.
    pub(super) fn command(&self, program: &Program, run: &Path, threads: usize) -> Command {
        let mut command = program.command();
        // Values may begin with a dash.
        command.arg("solve").arg(format!("--seed={}", self.seed)).arg("--out").arg(run);
        command.args(self.method.iter().map(|method| format!("--method={}", method.name())));
        command.args(self.finish.iter().map(|method| format!("--finish={}", method.name())));
        command.args(self.steps.iter().map(|steps| format!("--steps={steps}")));
        command.args(self.profile.iter().map(|profile| format!("--profile={profile}")));
        command.args(self.set.iter().map(|set| format!("--set={set}")));
        command.args(["--json", &format!("--threads={threads}"), "--"]).arg(&self.file);
        command
    }
}
