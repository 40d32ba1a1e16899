//! Warnings and remarks of runs go to Python's `logging`, under the name `adamflip`.

use log::{Level, LevelFilter, Log, Metadata, Record};
use pyo3::prelude::*;

struct ToPython;

impl Log for ToPython {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Info
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let name = if record.level() <= Level::Warn { "warning" } else { "info" };
        let text = record.args().to_string();
        // Where logging itself fails there is nobody to tell.
        let _ = Python::attach(|py| -> PyResult<()> {
            let logger = py.import("logging")?.call_method1("getLogger", ("adamflip",))?;
            logger.call_method1(name, ("%s", text)).map(drop)
        });
    }

    fn flush(&self) {}
}

/// Sends them there, from the first problem or run on: the program has its own way. In a process that has a
/// logger of Rust already, they stay with it.
pub(crate) fn install() {
    if log::set_logger(&ToPython).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}
