//! Runs of adamflip in folders: what every front end (the program, Python) shares.
//!
//! | module | what it knows |
//! | --- | --- |
//! | `choices` | what is chosen about the training of a problem, and the problem with all of it applied |
//! | `session` | a run that is created or resumed, trained, and saved while it trains |
//! | `agreement` | what ranks that train one run agree on |
//! | `run_dir`, `checkpoints`, `lock`, `manifest`, `atomic_file` | the folder, who works in it, whole files |
//! | `record`, `summary`, `results`, `report` | what is written: history, summary, figures, fields, page |
//! | `trained`, `start` | a run from its folder: to read it, or to start another from it |
//! | `intervals`, `export` | what is asked of a trained run |
//! | [`check`](fn@check), [`list`] | what is said before training, and which problems and runs there are |
//! | [`batch`], `compare`, `sweep`, [`table`] | many runs as child processes, and tables of them |
//!
//! ```no_run
//! use std::ops::ControlFlow;
//! use std::path::Path;
//!
//! use adamflip_run::{Choices, Event, Session, TrainOptions};
//!
//! # fn main() -> Result<(), adamflip_run::RunError> {
//! let choices = Choices { seed: Some(1), ..Choices::default() };
//! let path = Path::new("problems/heat_forward.toml");
//! let mut session = Session::create(path, &choices, None, "my notebook")?;
//! let summary = session.train(&TrainOptions::default(), &mut |event| match event {
//!     Event::Step(step) if step.progress.step >= 500 => ControlFlow::Break(()),
//!     _ => ControlFlow::Continue(()),
//! })?;
//! let trained = adamflip_run::open(session.path())?;
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here knows arguments, terminals, signals or exit codes. What is worth telling beside results goes
//! through the crate `log`: warnings, and remarks as information. Everything runs on the thread pool in which
//! it is called ([`pool`]).

// θ is the name that the library gives to parameters.
#![allow(mixed_script_confusables)]

mod agreement;
mod atomic_file;
pub mod batch;
mod check;
mod checkpoints;
mod choices;
mod compare;
mod error;
pub mod export;
mod intervals;
pub mod list;
mod lock;
mod manifest;
mod ordered;
mod process;
mod record;
mod report;
mod results;
mod run_dir;
mod session;
pub mod shell;
mod stages;
mod start;
mod summary;
mod sweep;
pub mod table;
mod time;
mod trained;
pub mod words;

pub use agreement::{text_digest, together};
pub use atomic_file::AtomicFile;
pub use check::{CheckReport, check};
pub use checkpoints::{CHECKPOINT, newest as newest_checkpoint};
pub use choices::{Choices, Source, Task, build, fits, pool};
pub use compare::{CompareChoices, Comparison, compare};
pub use error::{ErrorKind, RunError};
pub use intervals::{Intervals, intervals};
pub use lock::is_held;
pub use manifest::{Machine, RunManifest, now};
pub use ordered::Ordered;
pub use process::peak_megabytes;
pub use record::{FILE as HISTORY, error_column};
pub use report::report;
pub use results::{history, history_or_none};
pub use run_dir::LARGEST_TEXT;
pub use session::{Callback, Event, Member, Session, StepEvent, TrainOptions, Trained};
pub use stages::{plan_text, planned};
pub use summary::{Summary, stored::summary, warning_text};
pub use sweep::{Sweep, SweepChoices, sweep};
pub use time::seconds;
pub use trained::{open, task, trainer};

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
    }

    /// Whoever embeds these crates (a notebook, a server) has its own terminal, signals and end.
    #[test]
    fn nothing_knows_terminals_signals_or_exit_codes() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for path in ["src", "../adamflip-paper/src"].iter().flat_map(|folder| sources(&here.join(folder))) {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let words = [
                "io::stdout",
                "io::stderr",
                "IsTerminal",
                "println!",
                "process::exit",
                "ExitCode",
                "env::args",
            ];
            for word in words.into_iter().chain(["current_exe", "signal_hook", "clap"]) {
                assert!(!code.contains(word), "{} contains {word}", path.display());
            }
        }
    }

    #[test]
    fn a_session_can_be_moved_to_another_thread() {
        fn is_send<T: Send>() {}
        is_send::<super::Session>();
        is_send::<super::RunError>();
    }
}
