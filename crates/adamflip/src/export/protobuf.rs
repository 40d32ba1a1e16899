//! Protocol-buffer messages, written: the two formats that need them ([`super::onnx`],
//! [`super::tensorboard`]) have a dozen fields each, so that the wire format itself is shorter than a
//! generated binding.
//!
//! Reference: "Encoding", Protocol Buffers documentation. A field is a key (number and wire type) and its
//! content.

/// A message under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    bytes: Vec<u8>,
}

/// How the content of a field is laid out.
#[derive(Clone, Copy)]
enum Wire {
    Varint = 0,
    Fixed64 = 1,
    Length = 2,
    Fixed32 = 5,
}

impl Message {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// A whole number; negative ones are not needed.
    pub(super) fn integer(mut self, field: u32, value: u64) -> Self {
        self.key(field, Wire::Varint);
        self.varint(value);
        self
    }

    /// A number of 64 bits.
    pub(super) fn double(mut self, field: u32, value: f64) -> Self {
        self.key(field, Wire::Fixed64);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// A number of 32 bits.
    pub(super) fn float(mut self, field: u32, value: f32) -> Self {
        self.key(field, Wire::Fixed32);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// A text.
    pub(super) fn text(self, field: u32, text: &str) -> Self {
        self.raw(field, text.as_bytes())
    }

    /// Bytes as they are.
    pub(super) fn raw(mut self, field: u32, bytes: &[u8]) -> Self {
        self.key(field, Wire::Length);
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// A message within this one.
    pub(super) fn message(self, field: u32, message: &Self) -> Self {
        self.raw(field, &message.bytes)
    }

    /// One message after the other under the same field.
    pub(super) fn messages<'a>(self, field: u32, messages: impl IntoIterator<Item = &'a Self>) -> Self {
        messages.into_iter().fold(self, |outer, inner| outer.message(field, inner))
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn key(&mut self, field: u32, wire: Wire) {
        self.varint(u64::from(field) << 3 | wire as u64);
    }

    /// Seven bits a byte, the lowest first; the top bit says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the documentation.
    #[test]
    fn messages_as_documented() {
        assert_eq!(Message::new().integer(1, 150).into_bytes(), [0x08, 0x96, 0x01]);
        let text = Message::new().text(2, "testing");
        assert_eq!(text.into_bytes(), [0x12, 0x07, b't', b'e', b's', b't', b'i', b'n', b'g']);
        let inner = Message::new().integer(1, 150);
        assert_eq!(Message::new().message(3, &inner).into_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        assert_eq!(Message::new().float(1, 1.0).into_bytes(), [0x0d, 0, 0, 0x80, 0x3f]);
        assert_eq!(Message::new().double(1, 1.0).into_bytes(), [0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
        assert_eq!(Message::new().integer(16, 0).into_bytes(), [0x80, 0x01, 0x00]);
    }
}
