//! Room on the disk: asked before hours of work are spent on a file that cannot be whole.

use std::path::Path;

use crate::failure::Failure;

/// Refuses a file of this many bytes where the disk has less room for it.
pub(crate) fn room_for(path: &Path, bytes: u64) -> Result<(), Failure> {
    match available(path) {
        Some(room) if room < bytes => Err(Failure::input(
            format!(
                "`{}` would have {}, and its disk has room for {}",
                path.display(),
                size(bytes),
                size(room)
            ),
            "ask for fewer points or columns, or choose another disk with `--out FILE`",
        )),
        _ => Ok(()),
    }
}

/// The bytes that a user may still write where the file is to be, if the system says so.
#[cfg(unix)]
fn available(path: &Path) -> Option<u64> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let status = rustix::fs::statvfs(folder).ok()?;
    Some(status.f_bavail.saturating_mul(status.f_frsize))
}

#[cfg(not(unix))]
fn available(_: &Path) -> Option<u64> {
    None
}

/// `3.2 GB`.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["bytes", "kB", "MB", "GB", "TB", "PB"];
    let (mut amount, mut unit) = (bytes as f64, 0);
    while amount >= 1000.0 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0);
    format!("{amount:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_readable() {
        assert_eq!(size(999), "999 bytes");
        assert_eq!(size(1_250_000), "1.2 MB");
        assert_eq!(size(u64::MAX), "18446.7 PB");
    }
}
