//! Ctrl-C: the first asks the run to stop after its step, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::INTERRUPTED;
use crate::output;

/// Raised by the first Ctrl-C.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. Without a handler Ctrl-C ends the program as usual, which is worth a warning only.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let flag = interrupt.0.clone();
        if let Err(error) = ctrlc::set_handler(move || interrupted(&flag)) {
            output::warn(&format!("Ctrl-C will not save the run: {error}"));
        }
        interrupt
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[expect(clippy::exit, reason = "the user asked twice: there is no other way out of a running step")]
fn interrupted(flag: &AtomicBool) {
    if flag.swap(true, Ordering::Relaxed) {
        std::process::exit(INTERRUPTED.into());
    }
}
