//! One run of a batch: a process of this same program, which tells its events as JSON lines.
//!
//! A child hangs on a leash: its stdin, which stays open as long as its parent lives. When that closes, because the
//! parent lets go or was killed, the child stops after its step and leaves a checkpoint.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::Sender;

use adamflip::checkpoint::regular;
use adamflip::optim::Method;
use serde_json::Value;

use crate::interrupt;

/// What a child lets its parent know.
#[derive(Debug)]
pub(super) enum News {
    /// An event of the run of this number.
    Event(usize, Value),
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
        news: Sender<News>,
    ) -> std::io::Result<Self> {
        let log = regular::open(File::options().append(true).create(true), log)?;
        let said = log.metadata()?.len();
        command.env(interrupt::LEASH, "1").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut process = command.spawn()?;
        let lines = process.stdout.take().map(|stdout| BufReader::new(stdout).lines());
        std::thread::spawn(move || {
            for line in lines.into_iter().flatten().map_while(Result::ok) {
                if let Ok(event) = serde_json::from_str(&line) {
                    // A parent that listens no more has ended.
                    let _ = news.send(News::Event(number, event));
                }
            }
            let _ = news.send(News::Closed(number));
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
pub(crate) struct Order {
    pub(crate) file: PathBuf,
    pub(crate) method: Option<Method>,
    /// The method of the last stage.
    pub(crate) finish: Option<Method>,
    pub(crate) steps: Option<u64>,
    pub(crate) seed: u64,
    pub(crate) profile: Option<String>,
    pub(crate) set: Vec<String>,
}

impl Order {
    /// Solves the problem in a new folder.
    pub(super) fn command(&self, run: &Path, threads: usize) -> std::io::Result<Command> {
        let mut command = program()?;
        // Values may begin with a dash.
        command.arg("solve").arg(format!("--seed={}", self.seed)).arg("--out").arg(run);
        command.args(self.method.iter().map(|method| format!("--method={}", method.name())));
        command.args(self.finish.iter().map(|method| format!("--finish={}", method.name())));
        command.args(self.steps.iter().map(|steps| format!("--steps={steps}")));
        command.args(self.profile.iter().map(|profile| format!("--profile={profile}")));
        command.args(self.set.iter().map(|set| format!("--set={set}")));
        command.args(["--json".to_owned(), format!("--threads={threads}"), "--".to_owned()]).arg(&self.file);
        Ok(command)
    }
}

/// This program, also where its file was replaced meanwhile: all runs of a batch are by one version.
fn program() -> std::io::Result<Command> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        let own = Path::new("/proc/self/exe");
        if own.exists() {
            let mut command = Command::new(own);
            command.arg0(std::env::args_os().next().unwrap_or_else(|| "adamflip".into()));
            return Ok(command);
        }
    }
    Ok(Command::new(std::env::current_exe()?))
}

/// Goes on in a folder.
pub(super) fn resume(run: &Path, threads: usize) -> std::io::Result<Command> {
    let mut command = program()?;
    command.args(["resume".to_owned(), "--json".to_owned(), format!("--threads={threads}"), "--".to_owned()]);
    command.arg(run);
    Ok(command)
}
