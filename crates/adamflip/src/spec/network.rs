//! `[network]`: the layers.

use super::embedding;
use super::keys;
use super::reader::{Reader, Section};
use super::schema::{CoordinateRange, Network};
use super::tree::{Node, Table, Value};
use crate::diagnostic::{Diagnostic, Spanned};
use crate::jet::Activation;
use crate::network::Architecture;

pub(super) const ACTIVATIONS: &[(&str, Activation)] = &[
    ("tanh", Activation::Tanh),
    ("sin", Activation::Sin),
    ("swish", Activation::Swish),
    ("gelu", Activation::Gelu),
    ("softplus", Activation::Softplus),
];
pub(super) const ARCHITECTURES: &[(&str, Architecture)] =
    &[("mlp", Architecture::Mlp), ("gated", Architecture::Gated), ("residual", Architecture::Residual)];
const MOST_LAYERS: u64 = 256;
const WIDEST: u64 = 4096;
const EXAMPLE: &str = "write `\"4x32\"` for four layers of 32, or the widths one by one: `[64, 32, 32]`";

/// What `[network]` says, defaults where it says nothing or something wrong.
pub(super) fn network(
    reader: &mut Reader,
    root: &Table,
    fields: &[Spanned<String>],
    domain: &[CoordinateRange],
) -> Network {
    let mut network = Network::default();
    let Some(entry) = root.get("network") else { return network };
    let hint = "write `[network]`, and below it `hidden = \"4x32\"`";
    let Some(table) = reader.table(&entry.node, "`network`", hint) else { return network };
    let section = Section { name: "[network]", table };
    reader.known_keys(section, &keys::names(keys::Table::Network));
    // Widths that could not be read say nothing about the number of layers.
    let mut readable = true;
    if let Some((node, what)) = section.get("hidden") {
        let hidden = hidden(reader, node, &what);
        readable = hidden.is_some();
        network.hidden = hidden.unwrap_or(network.hidden);
    }
    network.activations = activations(reader, section, network.hidden.len(), readable);
    if let Some((node, what)) = section.get("architecture") {
        network.architecture = reader.choice(node, &what, ARCHITECTURES).unwrap_or(network.architecture);
        check_widths(reader, section, node, &network);
    }
    let shape = ["hidden", "activation", "architecture", "scale_inputs", "fourier", "factorized"];
    network.is_given = shape.iter().any(|key| section.get(key).is_some());
    if let Some((node, what)) = section.get("scale_inputs") {
        network.scale_inputs = reader.flag(node, &what).unwrap_or(network.scale_inputs);
    }
    if let Some((node, what)) = section.get("scale_outputs") {
        network.scale_outputs = embedding::output_scales(reader, node, &what, fields);
    }
    if let Some((node, what)) = section.get("separate") {
        network.separate = reader.flag(node, &what).unwrap_or(network.separate);
    }
    network.fourier = embedding::fourier(reader, section, domain);
    network.periodic = embedding::periodic(reader, section, domain);
    network.has_periods = section.get("periodic").is_some();
    network.factorized = embedding::factorized(reader, section);
    if let Some((node, what)) = section.get("fourier_hard") {
        network.fourier_hard = reader.coordinates(node, &what, "`fourier_hard = [\"x\"]`", domain);
    }
    network.ansatz = embedding::ansatz(reader, section, fields);
    network
}

/// One nonlinearity for all of the hidden layers, or one for each.
fn activations(reader: &mut Reader, section: Section<'_>, layers: usize, readable: bool) -> Vec<Activation> {
    let usual = vec![Activation::Tanh; layers];
    let Some((node, what)) = section.get("activation") else { return usual };
    let Value::List(nodes) = &node.value else {
        return reader.choice(node, &what, ACTIVATIONS).map_or(usual, |activation| vec![activation; layers]);
    };
    let found: Vec<Activation> =
        nodes.iter().filter_map(|node| reader.choice(node, &what, ACTIVATIONS)).collect();
    if nodes.len() != layers && readable {
        let message = format!("{what} must be one name, or one for each of the {layers} hidden layers");
        let label = if nodes.len() == 1 { "1 name".to_owned() } else { format!("{} names", nodes.len()) };
        let hint = "write one name for all, `activation = \"tanh\"`, or add or remove names";
        reader.report(Diagnostic::new(node.span, message).label(label).hint(hint));
    }
    if found.len() == layers { found } else { usual }
}

/// Layers that are multiplied or added need equal widths.
fn check_widths(reader: &mut Reader, section: Section<'_>, node: &Node, network: &Network) {
    let kind = match network.architecture {
        Architecture::Mlp => return,
        Architecture::Gated => "gated",
        Architecture::Residual => "residual",
    };
    let widest = network.hidden.iter().max().copied().unwrap_or(1);
    if network.hidden.iter().any(|&width| width != widest) {
        let span = section.get("hidden").map_or(node.span, |(node, _)| node.span);
        let message = format!("the hidden layers of a {kind} network must have equal widths");
        let hint =
            format!("write `hidden = \"{}x{widest}\"`, or `architecture = \"mlp\"`", network.hidden.len());
        reader.report(Diagnostic::new(span, message).label("unequal widths").hint(hint));
    }
}

/// The widths of hidden layers, of this network or of an unknown field's.
pub(super) fn hidden(reader: &mut Reader, node: &Node, what: &str) -> Option<Vec<usize>> {
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
