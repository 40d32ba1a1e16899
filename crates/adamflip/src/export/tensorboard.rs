//! TensorBoard event files: scalars over steps, for people who watch their runs there.
//!
//! A file is a sequence of records (length, checksum, message, checksum); the first message names the
//! version. TensorBoard finds files whose name contains `tfevents` and follows them while they grow.
//!
//! References: TensorFlow's `record_writer.cc` (framing), `event.proto`, `summary.proto`; Castagnoli et al.,
//! IEEE Trans. Commun. 41, 1993 (CRC-32C).

use std::io::{self, Write};

use super::protobuf::Message;

/// What the first record says.
const VERSION: &str = "brain.Event:2";

/// Fields of `Event`, of its `Summary`, and of the `Value`s in that.
mod field {
    pub(super) const WALL_TIME: u32 = 1;
    pub(super) const STEP: u32 = 2;
    pub(super) const FILE_VERSION: u32 = 3;
    pub(super) const SUMMARY: u32 = 5;
    pub(super) const VALUE: u32 = 1;
    pub(super) const TAG: u32 = 1;
    pub(super) const SIMPLE_VALUE: u32 = 2;
}

/// An event file that grows.
#[derive(Debug)]
pub struct EventWriter<W: Write> {
    writer: W,
}

impl<W: Write> EventWriter<W> {
    /// Begins a file; `wall_time` is in seconds since 1970.
    pub fn new(writer: W, wall_time: f64) -> io::Result<Self> {
        let mut events = Self { writer };
        let event = Message::new().double(field::WALL_TIME, wall_time);
        events.record(event.text(field::FILE_VERSION, VERSION))?;
        Ok(events)
    }

    /// One number at one step. TensorBoard keeps single precision.
    pub fn scalar(&mut self, step: u64, wall_time: f64, tag: &str, value: f64) -> io::Result<()> {
        self.scalars(step, wall_time, [(tag, value)])
    }

    /// Several numbers of one step in one record.
    pub fn scalars<'a>(
        &mut self,
        step: u64,
        wall_time: f64,
        values: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> io::Result<()> {
        let value = |(tag, value): (&str, f64)| {
            Message::new().text(field::TAG, tag).float(field::SIMPLE_VALUE, value as f32)
        };
        let values: Vec<Message> = values.into_iter().map(value).collect();
        let event = Message::new().double(field::WALL_TIME, wall_time).integer(field::STEP, step);
        self.record(event.message(field::SUMMARY, &Message::new().messages(field::VALUE, &values)))
    }

    /// Hands everything on.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// One record in one write, so that a reader of the growing file sees whole ones.
    fn record(&mut self, message: Message) -> io::Result<()> {
        let content = message.into_bytes();
        let length = (content.len() as u64).to_le_bytes();
        let checksums = [&length[..], &content].map(|bytes| masked(crc32c(bytes)).to_le_bytes());
        self.writer.write_all(&[&length[..], &checksums[0], &content, &checksums[1]].concat())
    }
}

/// A checksum of data that contains checksums is weak: the format rotates it and adds a constant.
fn masked(checksum: u32) -> u32 {
    checksum.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC-32C (Castagnoli), bits reflected, eight at a time.
fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, &byte: &u8| TABLE[(crc as u8 ^ byte) as usize] ^ crc >> 8;
    !bytes.iter().fold(!0, step)
}

/// What eight bits do to the checksum.
const TABLE: [u32; 256] = {
    /// x³² + x²⁸ + x²⁷ + …, the lowest power in the highest bit.
    const POLYNOMIAL: u32 = 0x82f6_3b78;
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The check values of RFC 3720, appendix B.4.
    #[test]
    fn checksums_of_the_standard() {
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(&(0..32).collect::<Vec<u8>>()), 0x46dd_794e);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn records_are_framed() {
        let mut bytes = Vec::new();
        EventWriter::new(&mut bytes, 1.5).unwrap().scalar(7, 2.5, "loss", 0.25).unwrap();
        let mut rest = &bytes[..];
        let mut records = Vec::new();
        while !rest.is_empty() {
            let length = u64::from_le_bytes(rest[..8].try_into().unwrap()) as usize;
            assert_eq!(rest[8..12], masked(crc32c(&rest[..8])).to_le_bytes());
            let content = &rest[12..12 + length];
            assert_eq!(rest[12 + length..16 + length], masked(crc32c(content)).to_le_bytes());
            records.push(content);
            rest = &rest[16 + length..];
        }
        assert_eq!(records.len(), 2);
        assert!(records[0].ends_with(VERSION.as_bytes()));
        assert!(records[1].ends_with(&0.25f32.to_le_bytes()));
    }
}
