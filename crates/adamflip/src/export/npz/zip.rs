//! The records of a ZIP archive of stored files, all sizes in 64 bits.
//!
//! Reference: PKWARE, APPNOTE.TXT (4.3 records, 4.5.3 the ZIP64 field).

/// The version of ZIP that knows 64-bit sizes.
const VERSION: u16 = 45;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
/// The first day that the format knows: results do not depend on the clock.
const DATE: u16 = 1 << 5 | 1;
/// "See the 64-bit field."
const ELSEWHERE: u32 = u32::MAX;
/// A plain file that its owner may write and everybody read.
const ATTRIBUTES: u32 = 0o100_644 << 16;
/// Where the checksum stands in a local header.
pub(super) const CHECKSUM: u64 = 14;

/// What stands before the content of a file; the checksum is written at the end.
pub(super) fn local_header(name: &str, size: u64) -> Vec<u8> {
    let record = Record::new(0x0403_4b50).short(VERSION);
    let record = description(record, 0).short(name.len() as u16).short(20).bytes(name.as_bytes());
    record.short(1).short(16).long(size).long(size).0
}

/// A file in the directory at the end; `start` is the place of its local header.
pub(super) fn directory_entry(name: &str, size: u64, start: u64, checksum: u32) -> Vec<u8> {
    let record = Record::new(0x0201_4b50).short(3 << 8 | VERSION).short(VERSION);
    let record = description(record, checksum).short(name.len() as u16).short(28);
    // No comment, the only disk, a binary file.
    let record = record.short(0).short(0).short(0).word(ATTRIBUTES).word(ELSEWHERE).bytes(name.as_bytes());
    record.short(1).short(24).long(size).long(size).long(start).0
}

/// Flags, method (stored), time, date, checksum, both sizes: the same in both headers.
fn description(record: Record, checksum: u32) -> Record {
    let record = record.short(FLAGS).short(0).short(0).short(DATE);
    record.word(checksum).word(ELSEWHERE).word(ELSEWHERE)
}

/// The 64-bit end of the directory, where it is, and the old end that old readers look for.
pub(super) fn tail(entries: u64, start: u64, size: u64) -> Vec<u8> {
    let end = Record::new(0x0606_4b50).long(44).short(3 << 8 | VERSION).short(VERSION).word(0).word(0);
    let end = end.long(entries).long(entries).long(size).long(start);
    let locator = Record::new(0x0706_4b50).word(0).long(start + size).word(1);
    let old = Record::new(0x0605_4b50).short(0).short(0);
    let short = u16::try_from(entries).unwrap_or(u16::MAX);
    let word = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    let old = old.short(short).short(short).word(word(size)).word(word(start)).short(0);
    [end.0, locator.0, old.0].concat()
}

/// A record of the archive, little endian.
struct Record(Vec<u8>);

impl Record {
    fn new(signature: u32) -> Self {
        Self(Vec::new()).word(signature)
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn short(self, value: u16) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    fn word(self, value: u32) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    fn long(self, value: u64) -> Self {
        self.bytes(&value.to_le_bytes())
    }
}
