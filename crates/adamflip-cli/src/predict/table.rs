//! Where predictions go: text on stdout, or a file in the format of its extension.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use adamflip::export::npy::Npy;
use adamflip::export::npz::{Axis, NpzTable};
use adamflip::export::{Csv, Json, Table};
use adamflip::predict::{PointSource, Query};
use adamflip::problem::Problem;
use adamflip_run::AtomicFile;

use crate::arguments::Predict;
use crate::disk;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// A table, and the file that holds it.
pub(super) struct Output {
    table: Box<dyn Table>,
    file: Option<AtomicFile>,
}

/// The formats of files, by their extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Json,
    Npy,
    Npz,
}

const EXTENSIONS: &[(&str, Format)] =
    &[("csv", Format::Csv), ("json", Format::Json), ("npy", Format::Npy), ("npz", Format::Npz)];

impl Output {
    pub(super) fn create(
        arguments: &Predict,
        problem: &Problem,
        question: &Query,
        source: &PointSource,
    ) -> Result<Self, Failure> {
        let names: Vec<String> = problem.coordinates.iter().chain(question.names()).cloned().collect();
        let Some(path) = &arguments.out else {
            // Buffered: a reader that has gone away is noticed with the first rows, not before.
            let stdout = BufWriter::new(io::stdout());
            let table = text(if arguments.json { Format::Json } else { Format::Csv }, stdout, &names);
            let table = table
                .map_err(|error| Failure::run(format!("cannot write to stdout: {error}"), "is it closed?"));
            return Ok(Self { table: table?, file: None });
        };
        let format = format(path)?;
        let atomic = AtomicFile::create(path, arguments.force)?;
        let table = match format {
            Format::Csv | Format::Json => {
                let file = atomic.file().try_clone().map_err(|error| AtomicFile::lost(path, &error))?;
                text(format, BufWriter::new(file), &names)
            }
            Format::Npy | Format::Npz => arrays(format, &atomic, &names, problem, source)?,
        };
        let table = table.map_err(|error| AtomicFile::lost(path, &error))?;
        Ok(Self { table, file: Some(atomic) })
    }

    pub(super) fn table(&mut self) -> &mut dyn Table {
        self.table.as_mut()
    }

    /// Gives the file its name.
    pub(super) fn keep(self) -> Result<(), Failure> {
        drop(self.table);
        Ok(self.file.map_or(Ok(()), AtomicFile::keep)?)
    }
}

fn format(path: &Path) -> Result<Format, Failure> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let known = EXTENSIONS.iter().find(|(name, _)| *name == extension).map(|&(_, format)| format);
    known.ok_or_else(|| {
        let names: Vec<String> = EXTENSIONS.iter().map(|(name, _)| format!(".{name}")).collect();
        Failure::input(
            format!("`{}` has no extension that says its format", path.display()),
            format!("known are {}", names.join(", ")),
        )
    })
}

fn text(format: Format, writer: impl Write + 'static, names: &[String]) -> io::Result<Box<dyn Table>> {
    Ok(match format {
        Format::Json => Box::new(Json::new(writer, names)?),
        _ => Box::new(Csv::new(writer, names)?),
    })
}

/// Arrays, whose sizes stand before the numbers: the points are counted, and the disk asked whether there is
/// room.
fn arrays(
    format: Format,
    atomic: &AtomicFile,
    names: &[String],
    problem: &Problem,
    source: &PointSource,
) -> Result<io::Result<Box<dyn Table>>, Failure> {
    let path = atomic.path();
    let rows = source.count().map_err(|error| super::unreadable(problem, &error))?;
    let dimension = problem.coordinates.len();
    // A grid has its coordinates as vectors, beside which the fields count.
    let is_grid = format == Format::Npz && matches!(source, PointSource::Grid(..));
    let columns = if is_grid { names.len() - dimension } else { names.len() } as u64;
    disk::room_for(path, rows.saturating_mul(columns).saturating_mul(8))?;
    let file = atomic.file().try_clone().map_err(|error| AtomicFile::lost(path, &error))?;
    Ok(match (format, source) {
        (Format::Npy, _) => Npy::new(file, rows, names.len()).map(|table| Box::new(table) as Box<dyn Table>),
        (_, PointSource::Grid(grid, _)) => {
            let nodes: Vec<_> = (0..dimension).map(|c| move |i: usize| grid.node(c, i)).collect();
            let axes: Vec<Axis<'_>> = nodes
                .iter()
                .enumerate()
                .map(|(c, node)| {
                    (problem.coordinates[c].as_str(), grid.counts[c], node as &dyn Fn(usize) -> f64)
                })
                .collect();
            NpzTable::grid(file, &axes, &names[dimension..]).map(|table| Box::new(table) as Box<dyn Table>)
        }
        (_, PointSource::File(_)) => {
            let rows = usize::try_from(rows).unwrap_or(usize::MAX);
            NpzTable::list(file, names, rows).map(|table| Box::new(table) as Box<dyn Table>)
        }
    })
}

/// A table that is given up when the user interrupts.
pub(super) struct Watched<'a> {
    pub(super) table: &'a mut dyn Table,
    pub(super) interrupt: &'a Interrupt,
}

impl Table for Watched<'_> {
    fn rows(&mut self, columns: &[&[f64]]) -> io::Result<()> {
        match self.interrupt.is_raised() {
            true => Err(io::Error::other("interrupted")),
            false => self.table.rows(columns),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.table.finish()
    }
}
