//! Signals that ask a run to stop after its step and to save: Ctrl-C, and those by which a system or a queue
//! ends a process (SIGTERM, SIGHUP, Slurm's SIGUSR1). A second Ctrl-C ends the program at once; a second one
//! of the others does not, because a closing terminal and its shell may both send one.
//!
//! A run of a batch is asked in the same way when its stdin closes: then its parent has ended or lets it go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use adamflip_run::batch::PARENT_DEATH_PIPE;

use crate::failure::{INTERRUPTED, SIGNALLED};
use crate::output;

/// Raised by the first signal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    raised: Arc<AtomicBool>,
    /// The number of the signal; 0 where there was none.
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Listens from now on. Without a handler a signal ends the program as usual, which is worth a warning
    /// only.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        for signal in signals() {
            if let Err(error) = interrupt.register(signal) {
                output::warn(&format!("signal {signal} will not save the run: {error}"));
            }
        }
        if std::env::var_os(PARENT_DEATH_PIPE).is_some() {
            let raised = interrupt.raised.clone();
            std::thread::spawn(move || {
                // Nothing is ever written there: only the end counts.
                let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
                raised.store(true, Ordering::Relaxed);
            });
        }
        interrupt
    }

    fn register(&self, signal: i32) -> std::io::Result<()> {
        if signal == SIGINT {
            // Before the flag is raised, so that it is the second that ends.
            flag::register_conditional_shutdown(signal, INTERRUPTED.into(), self.raised.clone())?;
        }
        flag::register_usize(signal, self.signal.clone(), signal.unsigned_abs() as usize)?;
        flag::register(signal, self.raised.clone()).map(drop)
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// The exit code of whoever stops because of it: 128 and the number of the signal, as a shell tells it.
    pub(crate) fn code(&self) -> u8 {
        match u8::try_from(self.signal.load(Ordering::Relaxed)) {
            Ok(signal @ 1..) => SIGNALLED.saturating_add(signal),
            _ => INTERRUPTED,
        }
    }
}

/// The signals to listen to.
fn signals() -> Vec<i32> {
    let mut signals = vec![SIGINT, SIGTERM];
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGUSR1};
        signals.push(SIGUSR1);
        if is_ignored(SIGHUP) == Some(false) {
            signals.push(SIGHUP);
        }
    }
    signals
}

/// Was the program started with this signal ignored, as `nohup` does? Unknown where the system does not tell.
#[cfg(unix)]
fn is_ignored(signal: i32) -> Option<bool> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
    Some(mask >> (signal - 1) & 1 == 1)
}
