//! Ctrl-C: the first asks the run to stop after its step, the second ends the program at once.
//!
//! A run of a batch is asked in the same way when its stdin closes: then its parent has ended or lets it go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::INTERRUPTED;
use crate::output;

/// Set in the environment of a process that is to stop when its stdin closes. Not an argument, because a run keeps the
/// command that began it, to be run again.
pub(crate) const LEASH: &str = "ADAMFLIP_STOP_WITH_STDIN";

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
        if std::env::var_os(LEASH).is_some() {
            let flag = interrupt.0.clone();
            std::thread::spawn(move || {
                // Nothing is ever written there: only the end counts.
                let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
                flag.store(true, Ordering::Relaxed);
            });
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
