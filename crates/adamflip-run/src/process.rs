//! What this process takes of its machine and may take: memory (where Linux says it) and processor time.

/// The largest resident memory so far in megabytes.
pub fn peak_megabytes() -> Option<f64> {
    kilobytes("/proc/self/status", "VmHWM:").map(|kilobytes| kilobytes / 1024.0)
}

/// The memory in bytes that this process may have: that of the machine, or less where a limit is set on its
/// address space (`ulimit -v`) or on its group of processes (containers, Slurm).
pub(crate) fn memory_bytes() -> Option<f64> {
    let machine = kilobytes("/proc/meminfo", "MemTotal:").map(|kilobytes| 1024.0 * kilobytes);
    [machine, address_space(), group()].into_iter().flatten().reduce(f64::min)
}

#[cfg(unix)]
fn address_space() -> Option<f64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As);
    limit.current.map(|bytes| bytes as f64)
}

#[cfg(not(unix))]
fn address_space() -> Option<f64> {
    None
}

/// The limit of the group (version 2 of cgroups, as it is seen inside a container); `max` is none.
fn group() -> Option<f64> {
    std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()
}

/// The number on the line that begins so.
fn kilobytes(file: &str, key: &str) -> Option<f64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// The time of this process on all processors: what its threads have worked, in seconds, where the system
/// says it.
#[cfg(unix)]
pub(crate) fn processor_seconds() -> Option<f64> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
}

#[cfg(not(unix))]
pub(crate) fn processor_seconds() -> Option<f64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn work_takes_time() {
        let (started, start) = (std::time::Instant::now(), super::processor_seconds().unwrap());
        let worked = || super::processor_seconds().unwrap() - start;
        // A millisecond of work; even a busy machine grants it within ten seconds.
        while worked() < 1e-3 && started.elapsed().as_secs() < 10 {
            std::hint::spin_loop();
        }
        assert!(worked() >= 1e-3);
    }
}
