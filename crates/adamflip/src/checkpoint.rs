//! A run on disk: θ, the optimizer's state and the counters, after `train` in the flow.
//!
//! One `safetensors` file: the list `theta`, a list `optimizer.NAME` for each list of the method's state, and the
//! rest as [`Metadata`], one JSON text in the header. Every number is there bit for bit.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use crate::train::Trainer;

/// The layout of the file; a reader refuses later ones.
const FORMAT: u32 = 1;
/// The key of the metadata in the header.
const KEY: &str = "adamflip";
/// The name of θ, and what comes before the names of the optimizer's lists.
const THETA: &str = "theta";
const OPTIMIZER: &str = "optimizer.";

/// The state of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// What the lists belong to.
    pub metadata: Metadata,
    /// The network's parameters, then those of the unknowns.
    pub theta: Vec<f64>,
    /// The lists of the method's state, sorted by name; empty before the first step.
    pub optimizer: Vec<(String, Vec<f64>)>,
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// The layout of the file.
    pub format: u32,
    /// The version of the library that wrote it.
    pub version: String,
    /// The name of the problem.
    pub problem: String,
    /// The seed of points and initial parameters.
    pub seed: u64,
    /// Steps taken, over all stages.
    pub step: usize,
    /// The current stage, from 0.
    pub stage: usize,
    /// The method of that stage.
    pub method: String,
}

/// Why a checkpoint could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The system refused.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is cut short or is no `safetensors` file.
    #[error("`{}` is not a whole safetensors file: {source}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What was found.
        source: SafeTensorError,
    },
    /// A `safetensors` file of some other program.
    #[error("`{}` is not a checkpoint of adamflip: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// Written by a later version.
    #[error("`{}` has layout {found}, this version reads up to {FORMAT}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its layout.
        found: u32,
    },
}

impl Checkpoint {
    /// The state of a trainer.
    pub fn of(trainer: &Trainer) -> Self {
        let stage = trainer.stage();
        let method = trainer.stages().get(stage).map_or("", |stage| stage.method.name());
        let state = trainer.optimizer().map(|optimizer| optimizer.state()).unwrap_or_default();
        let mut optimizer: Vec<(String, Vec<f64>)> =
            state.into_iter().map(|(name, list)| (name.to_owned(), list)).collect();
        optimizer.sort_by(|a, b| a.0.cmp(&b.0));
        let metadata = Metadata {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            problem: trainer.problem().name.clone(),
            seed: trainer.seed(),
            step: trainer.step(),
            stage,
            method: method.to_owned(),
        };
        Self { metadata, theta: trainer.θ().to_vec(), optimizer }
    }

    /// Writes the file so that at every moment there is either the old one or the whole new one.
    pub fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        let bytes = self.bytes().map_err(|source| CheckpointError::Broken { path: path.into(), source })?;
        let temporary = path.with_extension("tmp");
        let failed = |action, path: &Path| {
            let path = path.to_path_buf();
            move |source| CheckpointError::Io { action, path, source }
        };
        let written = write_through(&temporary, &bytes).map_err(failed("write", &temporary));
        let renamed = written.and_then(|()| fs::rename(&temporary, path).map_err(failed("create", path)));
        if renamed.is_err() {
            // The error that led here says more than one of the removal would.
            let _ = fs::remove_file(&temporary);
        }
        renamed
    }

    /// Reads and validates a file.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let bytes = fs::read(path).map_err(|source| CheckpointError::Io {
            action: "read",
            path: path.into(),
            source,
        })?;
        let broken = |source| CheckpointError::Broken { path: path.into(), source };
        let (_, header) = SafeTensors::read_metadata(&bytes).map_err(broken)?;
        let tensors = SafeTensors::deserialize(&bytes).map_err(broken)?;
        let metadata = metadata(path, header.metadata().as_ref())?;
        let foreign = |reason: String| CheckpointError::Foreign { path: path.into(), reason };
        let mut theta = None;
        let mut optimizer = Vec::new();
        for (name, tensor) in tensors.iter() {
            let list = numbers(&tensor).ok_or_else(|| foreign(format!("`{name}` is not a list of f64")))?;
            match name.strip_prefix(OPTIMIZER) {
                Some(name) => optimizer.push((name.to_owned(), list)),
                None if name == THETA => theta = Some(list),
                None => return Err(foreign(format!("it has a list `{name}`"))),
            }
        }
        let theta = theta.ok_or_else(|| foreign(format!("it has no list `{THETA}`")))?;
        if !theta.iter().all(|x| x.is_finite()) {
            return Err(foreign(format!("`{THETA}` has numbers that are not finite")));
        }
        optimizer.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Self { metadata, theta, optimizer })
    }

    fn bytes(&self) -> Result<Vec<u8>, SafeTensorError> {
        let theta = std::iter::once((THETA.to_owned(), &self.theta));
        let lists = self.optimizer.iter().map(|(name, list)| (format!("{OPTIMIZER}{name}"), list));
        let data: Vec<(String, Vec<u8>)> =
            theta.chain(lists).map(|(name, list)| (name, encode(list))).collect();
        let views = data.iter().map(|(name, bytes)| {
            let shape = vec![bytes.len() / size_of::<f64>()];
            TensorView::new(Dtype::F64, shape, bytes).map(|view| (name.as_str(), view))
        });
        let views = views.collect::<Result<Vec<_>, _>>()?;
        // One text and not a map of several, whose order in the file would change from run to run.
        let header = HashMap::from([(KEY.to_owned(), serde_json::to_string(&self.metadata)?)]);
        safetensors::serialize(views, Some(header))
    }
}

fn write_through(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn metadata(path: &Path, header: Option<&HashMap<String, String>>) -> Result<Metadata, CheckpointError> {
    let foreign = |reason: String| CheckpointError::Foreign { path: path.into(), reason };
    let text = header.and_then(|header| header.get(KEY));
    let text = text.ok_or_else(|| foreign(format!("its header has no `{KEY}`")))?;
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| foreign(error.to_string()))?;
    // Before the rest, which a later layout may have changed.
    let format = value.get("format").and_then(serde_json::Value::as_u64).unwrap_or(0);
    if format > u64::from(FORMAT) {
        return Err(CheckpointError::Newer {
            path: path.into(),
            found: u32::try_from(format).unwrap_or(u32::MAX),
        });
    }
    serde_json::from_value(value).map_err(|error| foreign(error.to_string()))
}

fn encode(list: &[f64]) -> Vec<u8> {
    list.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn numbers(tensor: &TensorView<'_>) -> Option<Vec<f64>> {
    if tensor.dtype() != Dtype::F64 || tensor.shape().len() != 1 {
        return None;
    }
    let (chunks, _) = tensor.data().as_chunks();
    Some(chunks.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect())
}

#[cfg(test)]
mod tests;
