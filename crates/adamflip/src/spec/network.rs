//! `[network]`: the shape of the network.

use super::reader::{Reader, Section};
use super::schema::{Activation, Network};
use super::tree::{Node, Table, Value};
use crate::diagnostic::Diagnostic;

const KEYS: &[&str] = &["hidden", "activation", "scale_inputs"];
const ACTIVATIONS: &[(&str, Activation)] = &[
    ("tanh", Activation::Tanh),
    ("sin", Activation::Sin),
    ("swish", Activation::Swish),
    ("gelu", Activation::Gelu),
    ("softplus", Activation::Softplus),
];
const MOST_LAYERS: u64 = 256;
const WIDEST: u64 = 4096;
const EXAMPLE: &str = "write `\"4x32\"` for four layers of 32, or the widths one by one: `[64, 32, 32]`";

/// What `[network]` says, defaults where it says nothing or something wrong.
pub(super) fn network(reader: &mut Reader, root: &Table) -> Network {
    let mut network = Network::default();
    let Some(entry) = root.get("network") else { return network };
    let hint = "write `[network]`, and below it `hidden = \"4x32\"`";
    let Some(table) = reader.table(&entry.node, "`network`", hint) else { return network };
    let section = Section { name: "[network]", table };
    reader.known_keys(section, KEYS);
    if let Some((node, what)) = section.get("hidden") {
        network.hidden = hidden(reader, node, &what).unwrap_or(network.hidden);
    }
    if let Some((node, what)) = section.get("activation") {
        network.activation = reader.choice(node, &what, ACTIVATIONS).unwrap_or(network.activation);
    }
    if let Some((node, what)) = section.get("scale_inputs") {
        network.scale_inputs = reader.flag(node, &what).unwrap_or(network.scale_inputs);
    }
    network
}

fn hidden(reader: &mut Reader, node: &Node, what: &str) -> Option<Vec<usize>> {
    match &node.value {
        Value::Text(text) => repeated(reader, node, what, text),
        Value::List(nodes) => {
            reader.not_empty(node, nodes, what, "`[64, 32, 32]`");
            if nodes.len() as u64 > MOST_LAYERS {
                let message = format!("{what} has {} layers", nodes.len());
                let hint = format!("at most {MOST_LAYERS} layers are possible");
                reader.report(Diagnostic::new(node.span, message).label("too many").hint(hint));
                return None;
            }
            let width =
                |node| reader.count(node, &format!("a width in {what}"), 1..=WIDEST).map(|width| width.value);
            let widths: Vec<usize> = nodes.iter().filter_map(width).collect();
            (!widths.is_empty() && widths.len() == nodes.len()).then_some(widths)
        }
        Value::Broken => None,
        other => {
            let diagnostic = Diagnostic::new(node.span, format!("{what} must be text or a list of widths"));
            reader.report(diagnostic.label(format!("this is {}", other.describe())).hint(EXAMPLE));
            None
        }
    }
}

/// `"8x20"`: eight layers of twenty.
fn repeated(reader: &mut Reader, node: &Node, what: &str, text: &str) -> Option<Vec<usize>> {
    let numbers = text
        .split_once(['x', '×'])
        .map(|(layers, width)| (layers.trim().parse::<u64>().ok(), width.trim().parse::<u64>().ok()));
    let Some((Some(layers), Some(width))) = numbers else {
        let diagnostic =
            Diagnostic::new(node.span, format!("{what} must be written like `4x32`, layers x width"));
        reader.report(diagnostic.label("not understood").hint(EXAMPLE));
        return None;
    };
    if !(1..=MOST_LAYERS).contains(&layers) || !(1..=WIDEST).contains(&width) {
        let diagnostic = Diagnostic::new(node.span, format!("{what} is {layers} layers of width {width}"));
        let hint = format!("possible are 1 to {MOST_LAYERS} layers with widths from 1 to {WIDEST}");
        reader.report(diagnostic.label("out of range").hint(hint));
        return None;
    }
    Some(vec![usize::try_from(width).ok()?; usize::try_from(layers).ok()?])
}
