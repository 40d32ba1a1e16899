//! A trained run in the formats of other tools.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use adamflip::Solution;
use adamflip::certificate::State;
use adamflip::export::{Fields, onnx, vtk};
use adamflip::sample::SampleError;

use crate::atomic_file::{self, AtomicFile};
use crate::error::RunError;

/// What a run can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The networks with the ansatz, in double precision (onnxruntime).
    Onnx,
    /// Fields, references and coordinates as arrays (NumPy).
    Npz,
    /// The same as a table.
    Csv,
    /// The same as images, one a time (ParaView).
    Vtk,
}

#[rustfmt::skip]
const EXTENSIONS: &[(&str, Format)] = &[
    ("onnx", Format::Onnx),
    ("npz",  Format::Npz),
    ("csv",  Format::Csv),
    ("pvd",  Format::Vtk),
    ("vti",  Format::Vtk),
];

impl Format {
    /// The format that the extension of a path says.
    pub fn by_extension(path: &Path) -> Option<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        EXTENSIONS.iter().find(|(name, _)| extension.as_deref() == Some(*name)).map(|&(_, format)| format)
    }

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        EXTENSIONS.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }
}

/// Writes a run in a format; returns the paths of the files. Those that are there are replaced only with
/// `force`.
pub fn write(solution: &Solution, format: Format, out: &Path, force: bool) -> Result<Vec<PathBuf>, RunError> {
    let State { problem, model, θ, .. } = solution.state();
    match format {
        Format::Onnx => {
            let bytes = onnx::bytes(problem, model, θ).map_err(|error| {
                RunError::input(error, "`adamflip predict` evaluates every function at any points")
            })?;
            single(out, force, |file| file.write_all(&bytes))?;
        }
        Format::Npz => {
            let fields = Fields::new(problem, model, θ).map_err(|error| no_grid(&error))?;
            let file = AtomicFile::create(out, force)?;
            fields.npz(file.file()).map_err(|error| AtomicFile::lost(out, &error))?;
            file.keep()?;
        }
        Format::Csv => {
            let fields = Fields::new(problem, model, θ).map_err(|error| no_grid(&error))?;
            single(out, force, |file| fields.csv(file))?;
        }
        Format::Vtk => {
            let fields = Fields::on_grid(problem, model, θ).map_err(|error| no_grid(&error))?;
            return images(&fields, out, force);
        }
    }
    Ok(vec![out.into()])
}

/// One file, whole or not at all.
fn single(
    out: &Path,
    force: bool,
    content: impl FnOnce(&mut BufWriter<&std::fs::File>) -> io::Result<()>,
) -> Result<(), RunError> {
    let file = AtomicFile::create(out, force)?;
    let mut writer = BufWriter::new(file.file());
    content(&mut writer).and_then(|()| writer.flush()).map_err(|error| AtomicFile::lost(out, &error))?;
    drop(writer);
    file.keep()
}

/// One image, or one a time with the file that lists them.
fn images(fields: &Fields, out: &Path, force: bool) -> Result<Vec<PathBuf>, RunError> {
    let series = vtk::Series::new(fields).map_err(|error| {
        RunError::input(error, "write `--to npz`, or cut it with `adamflip predict RUN --grid …`")
    })?;
    let times = series.times();
    if out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("vti")) {
        if times.len() > 1 {
            let message = format!("{} times are as many images, and `{}` is one", times.len(), out.display());
            return Err(RunError::input(message, "write the list of them: `--out NAME.pvd`"));
        }
        single(out, force, |file| series.write(0, file))?;
        return Ok(vec![out.into()]);
    }
    let stem = out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let digits = times.len().saturating_sub(1).to_string().len();
    let names: Vec<String> = (0..times.len()).map(|i| format!("{stem}_{i:0digits$}.vti")).collect();
    let paths: Vec<PathBuf> = names.iter().map(|name| out.with_file_name(name)).collect();
    // A file that is in the way stops all of them.
    paths.iter().try_for_each(|path| atomic_file::ready(path, force))?;
    let list = AtomicFile::create(out, force)?;
    for (index, path) in paths.iter().enumerate() {
        single(path, force, |file| series.write(index, file))?;
    }
    let text = vtk::collection(times.iter().copied().zip(names.iter().map(String::as_str)));
    let written = list.file().write_all(text.as_bytes());
    written.map_err(|error| AtomicFile::lost(out, &error))?;
    list.keep()?;
    Ok(std::iter::once(out.to_owned()).chain(paths).collect())
}

fn no_grid(error: &SampleError) -> RunError {
    RunError::input(
        error,
        "lower the counts of `grid` in [reference], or use `adamflip predict RUN --grid …`",
    )
}
