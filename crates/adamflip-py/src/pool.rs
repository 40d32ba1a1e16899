//! The threads that questions to a run are worked on.
//!
//! A process that Python forked has the memory of its parent, but none of its threads: work given to the
//! parent's pool would wait forever. So the pool belongs to a process number, and a child makes one of its
//! own. Trainings have pools of their own anyway.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use pyo3::PyResult;
use rayon::ThreadPool;

use crate::errors::{input, of_run};

static POOL: RwLock<Option<(u32, Arc<ThreadPool>)>> = RwLock::new(None);

/// The process that first minimised, or 0.
static MINIMISES: AtomicU32 = AtomicU32::new(0);

/// Does the work on the threads of this process.
pub(crate) fn install<T: Send>(work: impl FnOnce() -> T + Send) -> PyResult<T> {
    Ok(of_process()?.install(work))
}

fn of_process() -> PyResult<Arc<ThreadPool>> {
    let own = process::id();
    let known = POOL.read().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pool)) = known.as_ref().filter(|(process, _)| *process == own) {
        return Ok(pool.clone());
    }
    drop(known);
    let made = Arc::new(adamflip_run::pool(None).map_err(of_run)?);
    let mut known = POOL.write().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pool)) = known.as_ref().filter(|(process, _)| *process == own) {
        return Ok(pool.clone());
    }
    // The threads of a parent cannot be ended from here: its pool is left as it is.
    std::mem::forget(known.replace((own, made.clone())));
    Ok(made)
}

/// `minimize` calls the user's functions in the thread that Python called it in, so its matrices are worked
/// on by the threads of the whole process, which no child of it has.
pub(crate) fn check_process() -> PyResult<()> {
    let own = process::id();
    let first = MINIMISES.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed);
    match first {
        Err(other) if other != own => Err(input(
            "this process was forked from one that had called `minimize`, whose threads it does not have",
            "start processes by multiprocessing.get_context(\"spawn\")",
        )),
        _ => Ok(()),
    }
}
