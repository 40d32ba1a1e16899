//! A run on disk: everything needed to go on exactly, after `train` in the flow.
//!
//! One `safetensors` file: the lists of a [`Snapshot`] as tensors (`theta`, `before`, `course`,
//! `optimizer.NAME`, and `points.N` and `attributes.N` for every term), the rest as [`Metadata`], a JSON text
//! in the header. Every number is there bit for bit. Before the JSON text stands a digest (SHA-256) over it
//! and the names, shapes and bytes of all lists: it tells a damaged file from a whole one, so that no network
//! is ever silently another one.

mod error;
mod file;
mod origin;
pub mod regular;

use std::cmp::Ordering;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::geometry::Points;
use crate::train::{RunPosition, Snapshot, Trainer};
pub use error::CheckpointError;
pub use file::{replace, replace_in};
pub use origin::{Change, Origin};

/// The layout of the file; a reader refuses later ones.
const FORMAT: u32 = 2;
/// The key of digest and metadata in the header: one text and not two, whose order in the file would change
/// from run to run.
const KEY: &str = "adamflip";
/// What comes before the names of the optimizer's lists, and before the numbers of terms.
const OPTIMIZER: &str = "optimizer.";
const POINTS: &str = "points.";
const ATTRIBUTES: &str = "attributes.";
/// The attempts that are kept.
const ATTEMPTS: [&str; 2] = ["best", "scouted"];

/// The state of a run and what it belongs to.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// What the lists belong to.
    pub metadata: Metadata,
    /// The state.
    pub snapshot: Snapshot,
}

/// What a state belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// The layout of the file.
    pub format: u32,
    /// The version of the library that wrote it.
    pub version: String,
    /// The name of the problem.
    pub problem: String,
    /// The seed of points and initial parameters.
    pub seed: u64,
    /// The method of the current stage.
    pub method: String,
    /// Where the run stands.
    pub place: RunPosition,
    /// The problem and data that it was trained on; none in files from before they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// A list or a table of numbers with its name.
struct Tensor {
    name: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Checkpoint {
    /// The state of a trainer. Nothing in it depends on time: the same run gives the same file.
    pub fn of(trainer: &Trainer) -> Self {
        let snapshot = trainer.snapshot();
        let method = trainer.stages().get(trainer.stage()).map_or("", |stage| stage.method.name());
        let metadata = Metadata {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            problem: trainer.problem().name.clone(),
            seed: trainer.seed(),
            method: method.to_owned(),
            place: snapshot.place.clone(),
            origin: None,
        };
        Self { metadata, snapshot }
    }

    /// The same with what it was trained on.
    #[must_use]
    pub fn with_origin(mut self, origin: Origin) -> Self {
        self.metadata.origin = Some(origin);
        self
    }

    /// Writes the file so that at every moment there is either the old one or the whole new one.
    pub fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        replace(path, &self.bytes(path)?)
    }

    /// Reads and validates a file.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let bytes = file::read(path)?;
        let broken = |source| CheckpointError::Broken { path: path.into(), source };
        let (_, header) = SafeTensors::read_metadata(&bytes).map_err(broken)?;
        let tensors = SafeTensors::deserialize(&bytes).map_err(broken)?;
        let foreign = |reason: String| CheckpointError::Foreign { path: path.into(), reason };
        let text = header.metadata().as_ref().and_then(|header| header.get(KEY));
        let text = text.ok_or_else(|| foreign(format!("its header has no `{KEY}`")))?;
        // Until layout 2 there was no digest.
        let (found, text) = text.split_once(' ').filter(|_| !text.starts_with('{')).unwrap_or(("", text));
        let metadata = metadata(path, text)?;
        let mut tensors: Vec<(String, TensorView<'_>)> = tensors.tensors();
        tensors.sort_by(|a, b| a.0.cmp(&b.0));
        let parts = tensors.iter().map(|(name, tensor)| (name.as_str(), tensor.shape(), tensor.data()));
        if found != digest(text, parts) {
            return Err(CheckpointError::Damaged { path: path.into() });
        }
        snapshot(&metadata, &tensors).map(|snapshot| Self { metadata, snapshot }).map_err(foreign)
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, CheckpointError> {
        let broken = |source| CheckpointError::Broken { path: path.into(), source };
        let tensors = self.tensors();
        let text = serde_json::to_string(&self.metadata).map_err(|error| broken(error.into()))?;
        let parts =
            tensors.iter().map(|part| (part.name.as_str(), part.shape.as_slice(), part.bytes.as_slice()));
        let header = format!("{} {text}", digest(&text, parts));
        let views = tensors.iter().map(|Tensor { name, shape, bytes }| {
            TensorView::new(Dtype::F64, shape.clone(), bytes).map(|view| (name, view))
        });
        let views = views.collect::<Result<Vec<_>, _>>().map_err(broken)?;
        safetensors::serialize(views, Some([(KEY.to_owned(), header)].into())).map_err(broken)
    }

    /// All lists, sorted by name.
    fn tensors(&self) -> Vec<Tensor> {
        let list = |name: &str, list: &[f64]| Tensor::new(name.to_owned(), vec![list.len()], list);
        let Snapshot { θ, before, kept, optimizer, course, points, .. } = &self.snapshot;
        let mut tensors = vec![list("theta", θ), list("before", before), list("course", course)];
        if !kept.is_empty() {
            tensors.push(list("kept", kept));
        }
        let attempts = ATTEMPTS.iter().zip(&self.snapshot.attempts).filter(|(_, θ)| !θ.is_empty());
        tensors.extend(attempts.map(|(name, θ)| list(name, θ)));
        tensors.extend(optimizer.iter().map(|(name, numbers)| list(&format!("{OPTIMIZER}{name}"), numbers)));
        for (term, points) in points.iter().enumerate() {
            let shape = |columns: usize| vec![columns, points.len()];
            let name = format!("{POINTS}{term}");
            tensors.push(Tensor::new(name, shape(points.dimension()), points.columns()));
            if points.attributes() > 0 {
                let attributes: Vec<f64> =
                    (0..points.attributes()).flat_map(|index| points.attribute(index)).copied().collect();
                tensors.push(Tensor::new(
                    format!("{ATTRIBUTES}{term}"),
                    shape(points.attributes()),
                    &attributes,
                ));
            }
        }
        tensors.sort_by(|a, b| a.name.cmp(&b.name));
        tensors
    }
}

impl Tensor {
    fn new(name: String, shape: Vec<usize>, numbers: &[f64]) -> Self {
        Self { name, shape, bytes: numbers.iter().flat_map(|x| x.to_le_bytes()).collect() }
    }
}

/// The digest of everything that the file says.
fn digest<'a>(metadata: &str, parts: impl Iterator<Item = (&'a str, &'a [usize], &'a [u8])>) -> String {
    let mut hash = Sha256::new();
    hash.update(metadata);
    for (name, shape, bytes) in parts {
        // Lengths first, so that nothing can move from one part to its neighbour.
        hash.update(format!("\n{} {name} {shape:?} {}\n", name.len(), bytes.len()));
        hash.update(bytes);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn metadata(path: &Path, text: &str) -> Result<Metadata, CheckpointError> {
    let foreign =
        |error: serde_json::Error| CheckpointError::Foreign { path: path.into(), reason: error.to_string() };
    let value: serde_json::Value = serde_json::from_str(text).map_err(foreign)?;
    // Before the rest, which a later layout may have changed.
    let format = value.get("format").and_then(serde_json::Value::as_u64).unwrap_or(0);
    let found = u32::try_from(format).unwrap_or(u32::MAX);
    match found.cmp(&FORMAT) {
        Ordering::Equal => serde_json::from_value(value).map_err(foreign),
        Ordering::Greater => Err(CheckpointError::Newer { path: path.into(), found, known: FORMAT }),
        Ordering::Less => Err(CheckpointError::Older { path: path.into(), found }),
    }
}

/// The state that lists and metadata make up, or what is wrong with them.
fn snapshot(metadata: &Metadata, tensors: &[(String, TensorView<'_>)]) -> Result<Snapshot, String> {
    let mut snapshot = Snapshot {
        place: metadata.place.clone(),
        θ: Vec::new(),
        before: Vec::new(),
        kept: Vec::new(),
        attempts: Default::default(),
        optimizer: Vec::new(),
        course: Vec::new(),
        points: Vec::new(),
    };
    for (name, tensor) in tensors {
        let (shape, numbers) = (tensor.shape(), numbers(name, tensor)?);
        match name.as_str() {
            "theta" => snapshot.θ = numbers,
            "before" => snapshot.before = numbers,
            "course" => snapshot.course = numbers,
            "kept" => snapshot.kept = numbers,
            "best" => snapshot.attempts[0] = numbers,
            "scouted" => snapshot.attempts[1] = numbers,
            _ if name.starts_with(OPTIMIZER) => {
                snapshot.optimizer.push((name[OPTIMIZER.len()..].to_owned(), numbers));
            }
            _ if name.starts_with(POINTS) || name.starts_with(ATTRIBUTES) => {
                let [columns, count] = *shape else { return Err(format!("`{name}` is not a table")) };
                columns_of(&mut snapshot.points, name, [columns, count], &numbers)?;
            }
            _ => return Err(format!("it has a list `{name}`")),
        }
    }
    match snapshot.θ.as_slice() {
        [] => Err("it has no list `theta`".to_owned()),
        θ if !θ.iter().all(|x| x.is_finite()) => Err("`theta` has numbers that are not finite".to_owned()),
        _ => Ok(snapshot),
    }
}

/// Puts columns in their place: the coordinates of a term's points, or their attributes.
fn columns_of(
    points: &mut Vec<Points>,
    name: &str,
    [columns, count]: [usize; 2],
    numbers: &[f64],
) -> Result<(), String> {
    let wrong = || format!("`{name}` is not the name of a term's points");
    let (_, term) = name.split_once('.').ok_or_else(wrong)?;
    let term: usize = term.parse().map_err(|_| wrong())?;
    // A file has no more terms than lists.
    if term > u16::MAX.into() {
        return Err(wrong());
    }
    if points.len() <= term {
        points.resize_with(term + 1, Points::default);
    }
    let place = &mut points[term];
    if name.starts_with(POINTS) {
        let mut table = Points::try_new(columns, count).ok_or_else(wrong)?;
        (0..columns).for_each(|c| table.column_mut(c).copy_from_slice(&numbers[c * count..][..count]));
        // Attributes come first in the order of names.
        for index in 0..place.attributes() {
            if place.len() != count {
                return Err(format!("`{name}` has {count} points, its attributes {}", place.len()));
            }
            table.push_attribute(place.attribute(index));
        }
        *place = table;
    } else {
        *place = Points::try_new(0, count).ok_or_else(wrong)?;
        (0..columns).for_each(|c| place.push_attribute(&numbers[c * count..][..count]));
    }
    Ok(())
}

fn numbers(name: &str, tensor: &TensorView<'_>) -> Result<Vec<f64>, String> {
    if tensor.dtype() != Dtype::F64 || !(1..=2).contains(&tensor.shape().len()) {
        return Err(format!("`{name}` is not a list of f64"));
    }
    let (chunks, _) = tensor.data().as_chunks();
    Ok(chunks.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect())
}

#[cfg(test)]
mod tests;
