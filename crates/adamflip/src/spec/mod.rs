//! Problem file → raw typed [`Spec`]: the first stage of the flow, before `lang` reads the equations.
//!
//! TOML comes in, `tree` gives every value its span and merges the file with the chosen profile and the
//! `--set` arguments, and one file a section turns the result into a [`Spec`]. Nothing stops at the first
//! error: all [`Diagnostic`]s are collected, and what is well formed goes on so that the later stages can
//! check it too.

mod adaptive;
mod coordinate;
mod data;
mod define;
mod domain;
mod draft;
mod embedding;
pub mod keys;
mod load;
mod network;
mod number;
mod profile;
mod reader;
mod reference;
mod resolved;
mod schema;
mod set;
mod shape;
mod symbols;
mod symmetry;
mod syntax;
mod term;
mod text;
mod train;
mod tree;
mod unknown;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use draft::{Draft, Value};
pub use load::{LoadError, load};
pub use resolved::{Content, DATA, DataFile, Resolved, TakenStage};
pub use schema::{
    Adaptive, Caputo, CoordinateRange, Define, Measure, Network, Number, OBSERVED_REFERENCE, OutputScales,
    Planned, Reference, Role, Setting, Shape, ShapeForm, Spec, Stage, Symmetry, Term, Tolerance, Train,
    Unknown,
};
pub use text::ProblemText;

use crate::diagnostic::{Diagnostic, Source, Span};
use reader::{Reader, Section};
use tree::Table;

/// What the command line changes in a problem file.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--profile P`: the profile to merge into the file.
    pub profile: Option<String>,
    /// `--set path.to.key=value`, applied in order after the profile.
    pub set: Vec<String>,
}

/// What could be read of a problem file, and what was wrong with the rest.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The well-formed part.
    pub spec: Spec,
    /// The texts that spans point into: the file, then `--profile` (if given) and the `--set` arguments.
    pub sources: Vec<Source>,
    /// The errors; [`crate::diagnostic::render`] shows them.
    pub diagnostics: Vec<Diagnostic>,
    /// The file with everything applied.
    root: Table,
}

/// Parses the text of a problem file. `name` is its path as the user knows it.
pub fn parse(name: &str, text: &str, overrides: &Overrides) -> Parsed {
    ProblemText::new(name, text).parse(overrides)
}

fn read(problem: &ProblemText, overrides: &Overrides) -> Parsed {
    let ProblemText { name, text, .. } = problem;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut sources = vec![Source { name: name.into(), text: text.into() }];
    let mut reader = Reader::default();
    let mut root = syntax::parse(text, &mut reader.diagnostics);
    reader.spoilt = !reader.diagnostics.is_empty();
    let chosen = overrides.profile.as_deref().map(|profile| {
        sources.push(Source { name: "--profile".into(), text: profile.into() });
        (profile, Span { source: sources.len() - 1, start: 0, end: profile.len() })
    });
    profile::apply(&mut reader, &mut root, chosen);
    for argument in &overrides.set {
        set::apply(&mut reader, &mut root, sources.len(), argument);
        sources.push(Source { name: "--set".into(), text: argument.clone() });
    }
    let mut spec = read_spec(&mut reader, &root, name, text);
    (spec.folder, spec.arrays) = (problem.folder.clone(), problem.arrays.clone());
    Parsed { spec, sources, diagnostics: reader.diagnostics, root }
}

fn read_spec(reader: &mut Reader, root: &Table, name: &str, text: &str) -> Spec {
    reader.known_keys(Section { name: "the problem file", table: root }, &keys::names(keys::Table::Root));
    let start = Span::default();
    let last = text.trim_end().len();
    let end = Span { source: 0, start: last, end: last };
    let title = root.get("title").and_then(|entry| reader.text(&entry.node, "`title`", "`title = \"Heat\"`"));
    if let Some(title) = title.as_ref().filter(|title| title.value.contains(char::is_control)) {
        let diagnostic = Diagnostic::new(title.span, "`title` has characters that no line can show");
        reader
            .diagnostics
            .push(diagnostic.label("a line break, tab or escape").hint("write it in one line of plain text"));
    }
    let fields = symbols::fields(reader, root, start);
    let domain = domain::domain(reader, root, end);
    let (constants, continuation) = symbols::constants(reader, root);
    let spec = Spec {
        name: Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        folder: PathBuf::new(),
        arrays: Vec::new(),
        title: title.map(|title| title.value),
        inside: domain::inside(reader, root),
        shapes: shape::shapes(reader, root, &domain),
        constants,
        continuation,
        defines: define::defines(reader, root),
        unknowns: unknown::unknowns(reader, root, &domain),
        terms: term::terms(reader, root, end),
        reference: reference::reference(reader, root, &fields, &domain),
        network: network::network(reader, root, &fields, &domain),
        train: train::train(reader, root),
        fields,
        domain,
    };
    symbols::check_names(reader, &spec);
    spec
}
