//! Short marks of contents, to see whether they were changed since. FNV-1a (Fowler, Noll, Vo).

use std::path::Path;

/// The mark of all that was added so far.
#[derive(Debug)]
pub(crate) struct Mark(u64);

impl Mark {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let step = |mark: u64, byte: &u8| (mark ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        self.0 = bytes.iter().fold(self.0, step);
    }

    pub(crate) fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

/// The mark of a file; of one that cannot be read, that of nothing: whoever needs it says why.
pub(crate) fn of_file(path: &Path) -> String {
    let mut mark = Mark::new();
    mark.add(&std::fs::read(path).unwrap_or_default());
    mark.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_those_of_the_algorithm() {
        let of = |text: &str| {
            let mut mark = Mark::new();
            mark.add(text.as_bytes());
            mark.text()
        };
        assert_eq!(
            [of(""), of("a"), of("foobar")],
            ["cbf29ce484222325", "af63dc4c8601ec8c", "85944171f73967e8"]
        );
    }
}
