//! The time of this process on all processors: what it has worked, however much it had to wait for others.

/// Seconds of all threads since the process began, where the system says it.
#[cfg(unix)]
pub(crate) fn seconds() -> Option<f64> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
}

#[cfg(not(unix))]
pub(crate) fn seconds() -> Option<f64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn work_takes_time() {
        let (begun, start) = (std::time::Instant::now(), super::seconds().unwrap());
        let worked = || super::seconds().unwrap() - start;
        // A millisecond of work; even a busy machine grants it within ten seconds.
        while worked() < 1e-3 && begun.elapsed().as_secs() < 10 {
            std::hint::spin_loop();
        }
        assert!(worked() >= 1e-3);
    }
}
