//! A trained solution that owns what it needs: values, errors, the certificate, the estimate, files.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use crate::certificate::{self, Certificate, State};
use crate::checkpoint::{Checkpoint, Origin, replace_in};
use crate::diagnostic::Source;
use crate::error::Error;
use crate::evaluate::{self, FieldError};
use crate::export::{self, Fields, onnx, vtk};
use crate::model::Model;
use crate::predict::Query;
use crate::problem::Problem;
use crate::spec;
use crate::train::{self, RestoreError, Status, Trainer};
use crate::uncertainty::{self, Estimate, Interval};

/// The file of a saved solution, beside its problem.
const CHECKPOINT: &str = "checkpoint.safetensors";
const PROBLEM: &str = "problem.toml";

/// The fields and unknowns of a problem, as far as training came.
///
/// See [`Problem::solve`] for an example.
#[derive(Clone, Debug)]
pub struct Solution {
    problem: Arc<Problem>,
    model: Arc<Model>,
    checkpoint: Arc<Checkpoint>,
}

impl Solution {
    /// What a trainer has so far.
    pub fn of(trainer: &Trainer) -> Self {
        Self {
            problem: Arc::new(trainer.problem().clone()),
            model: trainer.model().clone(),
            checkpoint: Arc::new(Checkpoint::of(trainer)),
        }
    }

    /// The solution of a problem at a saved state.
    pub fn at(problem: Problem, checkpoint: Checkpoint) -> Result<Self, Error> {
        let windows = checkpoint.snapshot.place.windows(&problem)?;
        let attempts = &checkpoint.snapshot.place.attempts;
        let problem = if attempts.widths().is_empty() { problem } else { problem.widened(attempts.widths()) };
        let seed = attempts.seed_of(checkpoint.metadata.seed);
        let model = train::model_of(&problem, seed, windows.as_ref());
        let (found, expected) = (checkpoint.snapshot.θ.len(), model.parameters() + problem.unknowns.len());
        if found != expected {
            return Err(RestoreError::Parameters { found, expected }.into());
        }
        Ok(Self { problem: Arc::new(problem), model: Arc::new(model), checkpoint: Arc::new(checkpoint) })
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The networks.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The state: parameters, points, and where training stands.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The parameters of the networks, then those of the unknowns.
    pub fn θ(&self) -> &[f64] {
        &self.checkpoint.snapshot.θ
    }

    /// How the plan ended; `None` where there was something left to do.
    pub fn status(&self) -> Option<Status> {
        self.checkpoint.snapshot.place.ended
    }

    /// Names and values of the unknown numbers.
    pub fn unknowns(&self) -> Vec<(&str, f64)> {
        let (unknowns, θ) = (&self.problem.unknowns, self.θ());
        let parameters = &θ[θ.len() - unknowns.len()..];
        unknowns
            .iter()
            .zip(parameters)
            .map(|(unknown, &p)| (unknown.name.as_str(), unknown.value(p).0))
            .collect()
    }

    /// The values of an expression in the notation of the equations (`u`, `u_x`, `nu*u_xx`) at points, each
    /// with its coordinates in the order of the problem.
    pub fn evaluate<P: AsRef<[f64]>>(&self, expression: &str, points: &[P]) -> Result<Vec<f64>, Error> {
        let dimension = self.problem.coordinates.len();
        let mut columns = vec![vec![0.0; points.len()]; dimension];
        for (index, point) in points.iter().map(AsRef::as_ref).enumerate() {
            if point.len() != dimension {
                let (found, names) = (point.len(), self.problem.coordinates.join(", "));
                return Err(Error::Coordinates { point: index, found, expected: dimension, names });
            }
            point.iter().enumerate().for_each(|(c, &value)| columns[c][index] = value);
        }
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        Ok(self.evaluate_columns(&[expression], &columns)?.remove(0))
    }

    /// The values of several expressions at points that are given as a column for each coordinate, all of one
    /// length. Columns are read block by block, not copied.
    pub fn evaluate_columns(&self, expressions: &[&str], columns: &[&[f64]]) -> Result<Vec<Vec<f64>>, Error> {
        let (found, expected) = (columns.len(), self.problem.coordinates.len());
        let count = columns.first().map_or(0, |column| column.len());
        if found != expected || columns.iter().any(|column| column.len() != count) {
            let names = self.problem.coordinates.join(", ");
            return Err(Error::Coordinates { point: 0, found, expected, names });
        }
        let source = |text: &&str| Source { name: "expression".into(), text: (*text).to_owned() };
        let sources: Vec<Source> = expressions.iter().map(source).collect();
        let query = Query::read(&self.problem, &sources)?;
        Ok(query.answers(&self.problem, &self.model, self.θ(), columns))
    }

    /// The errors of all fields with a reference, on the grid of the reference.
    pub fn errors(&self) -> Result<Vec<FieldError>, Error> {
        Ok(evaluate::errors(&self.problem, &self.model, self.θ())?)
    }

    /// How well every term holds on points that training never saw.
    pub fn certificate(&self) -> Certificate {
        certificate::certify(&self.state())
    }

    /// The estimated errors of the fields, without any reference; empty where they cannot be told.
    pub fn estimates(&self) -> Vec<Estimate> {
        uncertainty::assess(&self.state()).estimates
    }

    /// The 95% intervals of the unknown numbers; empty where they cannot be told.
    pub fn intervals(&self) -> Vec<Interval> {
        uncertainty::assess(&self.state()).intervals
    }

    /// All that other modules judge a solution by.
    pub fn state(&self) -> State<'_> {
        let (problem, model, θ) = (&*self.problem, &*self.model, self.θ());
        let place = &self.checkpoint.snapshot.place;
        let (seed, points) =
            (place.attempts.seed_of(self.checkpoint.metadata.seed), &self.checkpoint.snapshot.points);
        State { problem, model, θ, seed, points }
    }

    /// Writes the solution for other programs; the extension says how: `.onnx` (the networks), `.npz` or
    /// `.csv` (the fields where errors are measured), `.vti` (an image for ParaView, of one time).
    pub fn export(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let (path, θ) = (path.as_ref(), self.θ());
        let extension = path.extension().map(|end| end.to_string_lossy().to_lowercase());
        let lost = |source| Error::Io { action: "write", path: path.into(), source };
        let create = || std::fs::File::create(path).map_err(lost);
        match extension.as_deref() {
            Some("onnx") => {
                let bytes = onnx::bytes(&self.problem, &self.model, θ)?;
                create()?.write_all(&bytes).map_err(lost)
            }
            Some("npz") => {
                let fields = Fields::new(&self.problem, &self.model, θ)?;
                fields.npz(&mut create()?).map_err(lost)
            }
            Some("csv") => {
                let fields = Fields::new(&self.problem, &self.model, θ)?;
                fields.csv(BufWriter::new(create()?)).map_err(lost)
            }
            Some("vti") => {
                let fields = Fields::on_grid(&self.problem, &self.model, θ)?;
                let series = vtk::Series::new(&fields)?;
                let last = series.times().len().saturating_sub(1);
                series.write(last, &mut BufWriter::new(create()?)).map_err(lost)
            }
            _ => Err(Error::Format(path.into())),
        }
    }

    /// Saves problem, data and state into a folder, which [`Self::load`] opens, and which can be the start of
    /// others.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<(), Error> {
        let folder = folder.as_ref();
        let lost = |path: &Path| {
            let path = path.to_path_buf();
            move |source| Error::Io { action: "write", path, source }
        };
        std::fs::create_dir_all(folder).map_err(lost(folder))?;
        let mut file = (*self.problem.file).clone();
        file.set_seed(self.checkpoint.metadata.seed);
        replace_in(folder, PROBLEM, file.text().as_bytes())?;
        for data in &file.files {
            let path = folder.join(spec::DATA).join(&data.name);
            let mut bytes = Vec::new();
            let read = export::data_file(data).and_then(|mut content| content.read_to_end(&mut bytes));
            read.map_err(lost(&path))?;
            replace_in(folder, &format!("{}/{}", spec::DATA, data.name), &bytes)?;
        }
        let origin = Origin::of(&file).map_err(lost(folder))?;
        let checkpoint = (*self.checkpoint).clone().with_origin(origin);
        Ok(checkpoint.write(&folder.join(CHECKPOINT))?)
    }

    /// Opens a saved solution, or the folder of a run.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, Error> {
        let folder = folder.as_ref();
        let problem = Problem::from_path(folder.join(PROBLEM))?;
        Self::at(problem, Checkpoint::read(&folder.join(CHECKPOINT))?)
    }
}
