//! The memory of this process and of its machine, where the system says it (Linux).

/// The largest resident memory so far in megabytes.
pub(crate) fn peak_megabytes() -> Option<f64> {
    kilobytes("/proc/self/status", "VmHWM:").map(|kilobytes| kilobytes / 1024.0)
}

/// All memory of the machine in bytes.
pub(crate) fn bytes() -> Option<f64> {
    kilobytes("/proc/meminfo", "MemTotal:").map(|kilobytes| 1024.0 * kilobytes)
}

/// The number on the line that begins so.
fn kilobytes(file: &str, key: &str) -> Option<f64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
