//! A short mark of a problem file as it was read, to see whether it was changed since.

use std::path::Path;

use adamflip::spec::{self, Overrides};

use crate::batch::Order;
use crate::failure::Failure;

/// Of the file as a run would read it now.
pub(super) fn now(order: &Order) -> Result<String, Failure> {
    let overrides = Overrides { profile: order.profile.clone(), set: order.set.clone() };
    let parsed = spec::load(&order.file, &overrides).map_err(Failure::rendered)?;
    Ok(of(&parsed.resolved(order.seed).text))
}

/// Of the file that a run has read; none where it has none.
pub(super) fn of_run(run: &Path) -> Option<String> {
    std::fs::read_to_string(run.join("problem.toml")).ok().map(|text| of(&text))
}

/// FNV-1a (Fowler, Noll, Vo) of the lines, without comments and empty lines, and without the time that a run may take:
/// some runs are given as much as others took.
fn of(text: &str) -> String {
    let counts = |line: &&str| !(line.is_empty() || line.starts_with('#') || line.starts_with("max_seconds"));
    let bytes = text.lines().filter(counts).flat_map(|line| line.bytes().chain([b'\n']));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn only_what_matters_counts() {
        let mark = of("a = 1\nb = 2\n");
        assert_eq!(mark, of("# by\n\na = 1\nmax_seconds = 3\nb = 2"));
        assert_ne!(mark, of("a = 1\nb = 3\n"));
        // The offset of the algorithm.
        assert_eq!(of(""), "cbf29ce484222325");
    }
}
