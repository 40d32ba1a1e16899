//! The history of a run as it grows: rows in memory, in `history.csv` and, where asked for, for TensorBoard.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use adamflip::checkpoint::regular;
use adamflip::evaluate::Probe;
use adamflip::export::tensorboard::EventWriter;
use adamflip::history::{History, Row};
use adamflip::problem::Problem;
use adamflip::train::{Progress, Trainer};

use crate::error::RunError;
use crate::run_dir::{self, RunDir};

/// The name of the file.
pub const FILE: &str = "history.csv";
/// Rows of a run whose file does not say how often to observe.
const ROWS: usize = 1000;
/// Points at which the error is followed, and what that may cost of all time, beside a moment that nobody
/// feels.
const PROBE: usize = 500;
const SHARE: f64 = 0.005;
const MOMENT: Duration = Duration::from_millis(50);

/// The column of a field's error.
pub fn error_column(field: &str) -> String {
    format!("rel_l2_{field}")
}

/// Steps between rows.
pub(crate) fn interval(trainer: &Trainer) -> usize {
    trainer.problem().train.observe.unwrap_or(trainer.steps_planned().div_ceil(ROWS)).max(1)
}

/// Observations of a run.
pub(crate) struct Record {
    pub(crate) history: History,
    file: BufWriter<File>,
    /// The step that was seen last.
    last: Row,
    /// The first error of the file; nothing is written after it.
    error: Option<std::io::Error>,
    // The trainer is busy while it is watched, so the watcher looks at copies.
    problem: Problem,
    probe: Option<Probe>,
    /// The time that the probe took.
    probed: Duration,
    /// For those who watch their runs there.
    tensorboard: Option<EventWriter<BufWriter<File>>>,
}

impl Record {
    /// Goes on with the file in the folder after what was observed up to the trainer's step; what came later,
    /// before the run was ended, will be observed again.
    pub(crate) fn open(dir: &RunDir, trainer: &Trainer) -> Result<Self, RunError> {
        let path = dir.file(FILE);
        let problem = trainer.problem().clone();
        let mut history = History::new(&problem);
        if let Some(known) = known(&path)? {
            match known.names() == history.names() {
                true => history = known,
                false => log::warn!("`{}` starts again: it has other columns", path.display()),
            }
        }
        history.truncate(trainer.steps_taken());
        dir.write(FILE, history.text())?;
        let file =
            regular::open(File::options().append(true), &path).map_err(|error| dir.lost(&path, &error))?;
        Ok(Self {
            history,
            file: BufWriter::new(file),
            last: Row::default(),
            error: None,
            probe: Probe::new(&problem, PROBE),
            probed: Duration::ZERO,
            tensorboard: None,
            problem,
        })
    }

    /// Also writes events for TensorBoard from now on. Each session has a file of its own.
    pub(crate) fn start_tensorboard(&mut self, dir: &RunDir) -> Result<(), RunError> {
        let time = unix_time();
        let path = dir.file(&format!("events.out.tfevents.{time:.0}.{}", std::process::id()));
        let events = regular::create(&path).and_then(|file| EventWriter::new(BufWriter::new(file), time));
        self.tensorboard = Some(events.map_err(|error| dir.lost(&path, &error))?);
        Ok(())
    }

    /// The seconds of training before the last row.
    pub(crate) fn seconds(&self) -> f64 {
        Some(self.history.last("seconds")).filter(|seconds| seconds.is_finite()).unwrap_or(0.0)
    }

    /// Takes in a step that ended after so much time; a row is made of those that the trainer observes.
    pub(crate) fn observe(&mut self, progress: &Progress<'_>, now: Duration) {
        self.last.take(progress, &self.problem, now.as_secs_f64());
        if progress.observed {
            let due = self.probed <= MOMENT + now.mul_f64(SHARE) || progress.step == progress.steps;
            let errors = if due { self.errors(progress) } else { Vec::new() };
            self.write(&errors);
        }
    }

    /// Makes a row of the last step, if there is none: where a run ends it is not always one that is
    /// observed.
    pub(crate) fn close(&mut self) {
        if self.last.step() > self.history.last("step").max(0.0) as usize {
            self.write(&[]);
        }
    }

    fn write(&mut self, errors: &[f64]) {
        self.history.push(&self.last, errors);
        if self.error.is_none() {
            let line = self.history.line(self.history.len() - 1);
            self.error = writeln!(self.file, "{line}")
                .and_then(|()| self.file.flush())
                .and_then(|()| self.tensorboard.as_mut().map_or(Ok(()), |events| tell(events, &self.history)))
                .err();
        }
    }

    /// The errors against the reference.
    fn errors(&mut self, progress: &Progress<'_>) -> Vec<f64> {
        let Some(probe) = &self.probe else { return Vec::new() };
        let start = Instant::now();
        let errors = probe.measure(&self.problem, progress.model, progress.θ);
        self.probed += start.elapsed();
        errors
    }

    /// Brings all rows to the disk.
    pub(crate) fn sync(&mut self, dir: &RunDir) -> Result<(), RunError> {
        let path = dir.file(FILE);
        let failed = self.error.take().map_or(Ok(()), Err);
        failed.and_then(|()| self.file.get_ref().sync_data()).map_err(|error| dir.lost(&path, &error))
    }
}

/// The rows of a file up to the first that is damaged; none where there is no file or no header.
fn known(path: &Path) -> Result<Option<History>, RunError> {
    let bytes = match regular::read(path, run_dir::LARGEST_HISTORY) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let hint = "the history of a run is continued: check that you may read it";
            return Err(RunError::input(format!("cannot read `{}`: {error}", path.display()), hint));
        }
    };
    match History::parse_prefix(&String::from_utf8_lossy(&bytes)) {
        Ok((history, None)) => Ok(Some(history)),
        Ok((history, Some(error))) => {
            let kept = history.len();
            log::warn!("`{}` is damaged ({error}); its first {kept} rows are kept", path.display());
            Ok(Some(history))
        }
        Err(error) => {
            log::warn!("`{}` starts again: {error}", path.display());
            Ok(None)
        }
    }
}

/// The last row as events.
fn tell(events: &mut EventWriter<BufWriter<File>>, history: &History) -> std::io::Result<()> {
    let names = history.names().iter().filter(|name| !matches!(name.as_str(), "step" | "method"));
    let scalars: Vec<(String, f64)> =
        names.map(|name| (tag(name), history.last(name))).filter(|(_, value)| !value.is_nan()).collect();
    let step = history.last("step") as u64;
    events.scalars(step, unix_time(), scalars.iter().map(|(tag, value)| (tag.as_str(), *value)))?;
    events.flush()
}

/// TensorBoard shows in one group what has the same word before the slash: `pde_mse` is `mse/pde`.
fn tag(name: &str) -> String {
    let ending = ["mse", "max", "rms"].iter().find_map(|of| {
        let term = name.strip_suffix(of)?.strip_suffix('_')?;
        Some(format!("{of}/{term}"))
    });
    let beginning = ["multiplier", "rel_l2", "unknown"].iter().find_map(|of| {
        let rest = name.strip_prefix(of)?.strip_prefix('_')?;
        Some(format!("{of}/{rest}"))
    });
    ending.or(beginning).unwrap_or_else(|| format!("run/{name}"))
}

/// Seconds since 1970.
fn unix_time() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}
