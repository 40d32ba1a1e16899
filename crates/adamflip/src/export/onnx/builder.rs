//! Nodes and constants of an ONNX graph, and the file around them.

use std::collections::HashMap;

use crate::export::protobuf::Message;

/// The operators are those of this set; every runtime since 2020 has it.
const OPERATOR_SET: u64 = 13;
/// The version of the file format that came with it.
const FORMAT: u64 = 7;
/// `TensorProto.DataType`.
const DOUBLE: u64 = 11;
const INT64: u64 = 7;
/// `AttributeProto.AttributeType.INT`.
const INTEGER: u64 = 2;

/// A tensor of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tensor {
    number: usize,
    /// Has it a row for each point? A single number otherwise.
    is_column: bool,
}

/// The input: all coordinates of all points.
pub(super) const COORDINATES: Tensor = Tensor { number: 0, is_column: true };

const INPUT: &str = "coordinates";
const OUTPUT: &str = "fields";

impl Tensor {
    fn name(self) -> String {
        match self.number {
            0 => INPUT.to_owned(),
            number => format!("t{number}"),
        }
    }
}

/// A graph under construction.
#[derive(Debug, Default)]
pub(super) struct Builder {
    nodes: Vec<Message>,
    constants: Vec<Message>,
    /// Numbers by their bits, each stored once.
    numbers: HashMap<u64, Tensor>,
    /// Columns of tensors, each cut out once.
    columns: HashMap<(usize, usize), Tensor>,
    tensors: usize,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self { tensors: 1, ..Self::default() }
    }

    fn next(&mut self, is_column: bool) -> Tensor {
        self.tensors += 1;
        Tensor { number: self.tensors - 1, is_column }
    }

    /// An operator without attributes.
    pub(super) fn apply(&mut self, operator: &str, inputs: &[Tensor]) -> Tensor {
        self.with_attribute(operator, inputs, None)
    }

    fn with_attribute(
        &mut self,
        operator: &str,
        inputs: &[Tensor],
        attribute: Option<(&str, u64)>,
    ) -> Tensor {
        let output = self.next(inputs.iter().any(|input| input.is_column));
        let node = inputs.iter().fold(Message::new(), |node, input| node.text(1, &input.name()));
        let node = node.text(2, &output.name()).text(3, &format!("n{}", output.number)).text(4, operator);
        let attribute = attribute
            .map(|(name, value)| Message::new().text(1, name).integer(3, value).integer(20, INTEGER));
        self.nodes.push(node.messages(5, &attribute));
        output
    }

    /// A single number.
    pub(super) fn number(&mut self, value: f64) -> Tensor {
        if let Some(&known) = self.numbers.get(&value.to_bits()) {
            return known;
        }
        let tensor = self.array(&[], &[value]);
        self.numbers.insert(value.to_bits(), tensor);
        tensor
    }

    /// Numbers in a shape, last axis fastest.
    pub(super) fn array(&mut self, shape: &[usize], values: &[f64]) -> Tensor {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(shape, DOUBLE, &bytes)
    }

    fn constant(&mut self, shape: &[usize], kind: u64, bytes: &[u8]) -> Tensor {
        let tensor = self.next(false);
        let message = shape.iter().fold(Message::new(), |message, &length| message.integer(1, length as u64));
        self.constants.push(message.integer(2, kind).text(8, &tensor.name()).raw(9, bytes));
        tensor
    }

    /// One column of a tensor with a row for each point.
    pub(super) fn column(&mut self, from: Tensor, index: usize) -> Tensor {
        if let Some(&known) = self.columns.get(&(from.number, index)) {
            return known;
        }
        let indices = self.constant(&[1], INT64, &(index as i64).to_le_bytes());
        let column = self.with_attribute("Gather", &[from, indices], Some(("axis", 1)));
        self.columns.insert((from.number, index), column);
        column
    }

    /// The tensor with a row for each point, also where it is a single number.
    pub(super) fn as_column(&mut self, tensor: Tensor) -> Tensor {
        if tensor.is_column {
            return tensor;
        }
        let (first, zero) = (self.column(COORDINATES, 0), self.number(0.0));
        let zeros = self.apply("Mul", &[first, zero]);
        self.apply("Add", &[zeros, tensor])
    }

    /// Columns side by side.
    pub(super) fn concatenate(&mut self, tensors: &[Tensor]) -> Tensor {
        self.with_attribute("Concat", tensors, Some(("axis", 1)))
    }

    /// 1 where the condition (of an operator that compares) holds, else 0.
    pub(super) fn indicator(&mut self, condition: Tensor) -> Tensor {
        let (one, zero) = (self.number(1.0), self.number(0.0));
        self.apply("Where", &[condition, one, zero])
    }

    /// The file: from as many coordinates to the tensor with this many columns.
    pub(super) fn finish(
        mut self,
        name: &str,
        coordinates: usize,
        (fields, count): (Tensor, usize),
        about: &[(&str, String)],
    ) -> Vec<u8> {
        self.nodes.push(Message::new().text(1, &fields.name()).text(2, OUTPUT).text(4, "Identity"));
        let graph = Message::new()
            .messages(1, &self.nodes)
            .text(2, name)
            .messages(5, &self.constants)
            .message(11, &table(INPUT, coordinates))
            .message(12, &table(OUTPUT, count));
        let notes: Vec<Message> =
            about.iter().map(|(key, value)| Message::new().text(1, key).text(2, value)).collect();
        Message::new()
            .integer(1, FORMAT)
            .text(2, "adamflip")
            .text(3, env!("CARGO_PKG_VERSION"))
            .message(7, &graph)
            .message(8, &Message::new().text(1, "").integer(2, OPERATOR_SET))
            .messages(14, &notes)
            .into_bytes()
    }
}

/// The type of an input or output: any number of rows.
fn table(name: &str, columns: usize) -> Message {
    let rows = Message::new().text(2, "N");
    let shape = Message::new().messages(1, [&rows, &Message::new().integer(1, columns as u64)]);
    let tensor = Message::new().integer(1, DOUBLE).message(2, &shape);
    Message::new().text(1, name).message(2, &Message::new().message(1, &tensor))
}
