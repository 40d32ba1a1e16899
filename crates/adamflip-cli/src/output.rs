//! Both output streams. A reader that went away (`| head`) is no error: the rest is written to nobody. Data
//! that cannot be written for another reason (a full disk) are lost, which `main` makes an error at the end.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::failure::Failure;

/// Was anything lost that was to be on stdout?
static LOST: AtomicBool = AtomicBool::new(false);

/// Data on stdout.
#[derive(Debug, Default)]
pub(crate) struct Data {
    closed: bool,
}

impl Data {
    /// Writes a text and a line end.
    pub(crate) fn line(&mut self, text: &str) {
        if self.closed {
            return;
        }
        let mut out = std::io::stdout().lock();
        if let Err(error) = writeln!(out, "{text}").and_then(|()| out.flush()) {
            self.closed = true;
            lost(&error);
        }
    }

    /// Writes one JSON object as a line.
    pub(crate) fn json(&mut self, value: &impl Serialize) {
        // Numbers, texts and lists always serialise.
        if let Ok(text) = serde_json::to_string(value) {
            self.line(&text);
        }
    }

    /// Has the reader gone away?
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }
}

/// Tells once that stdout cannot be written; a reader that went away is not told.
pub(crate) fn lost(error: &io::Error) {
    if error.kind() != ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::Relaxed) {
        let hint = "is the disk full? Files that were asked for and run folders are not affected";
        say(&Failure::run(format!("the rest of the output is lost: {error}"), hint).text);
    }
}

/// Was anything lost that was to be on stdout?
pub(crate) fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Says something on stderr.
pub(crate) fn say(text: &str) {
    // There is nobody left to tell that stderr is closed.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Says what is worth knowing but no error.
pub(crate) fn warn(text: &str) {
    say(&format!("{} {text}", paint(Style::Warning, "warning:")));
}

/// The words that begin a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Style {
    Error,
    Warning,
    Hint,
}

/// Colours a word for stderr where colours are wanted.
pub(crate) fn paint(style: Style, word: &str) -> String {
    let code = match style {
        Style::Error => "1;31",
        Style::Warning => "1;33",
        Style::Hint => "1;36",
    };
    if colours() { format!("\u{1b}[{code}m{word}\u{1b}[0m") } else { word.to_owned() }
}

/// Colours on stderr: a terminal that did not ask for none (no-color.org).
pub(crate) fn colours() -> bool {
    let refused = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    std::io::stderr().is_terminal() && !refused("NO_COLOR") && !is_dumb()
}

/// A terminal that cannot move its cursor.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Shows what the crates below log as the program says it: warnings as warnings, remarks as they are.
struct Logger;

impl log::Log for Logger {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        // Not what other crates have to say.
        metadata.level() <= log::Level::Info && metadata.target().starts_with("adamflip")
    }

    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            let text = record.args().to_string();
            if record.level() <= log::Level::Warn { warn(&text) } else { say(&text) }
        }
    }

    fn flush(&self) {}
}

/// Shows from now on what is logged.
pub(crate) fn show_log() {
    // Nobody else sets one.
    if log::set_logger(&Logger).is_ok() {
        log::set_max_level(log::LevelFilter::Info);
    }
}
