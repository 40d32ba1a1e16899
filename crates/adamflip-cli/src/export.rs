//! `adamflip export`: a trained run in the formats of other tools.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adamflip::export::{Fields, onnx, vtk};
use adamflip::sample::SampleError;

use crate::arguments::Export;
use crate::failure::Failure;
use crate::fresh::{self, Fresh, lost};
use crate::input;
use crate::output::Data;
use crate::trained::{self, Trained};

/// What a run can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// The networks with the ansatz, in double precision (onnxruntime)
    Onnx,
    /// Fields, references and coordinates as arrays (NumPy)
    Npz,
    /// The same as a table
    Csv,
    /// The same as images, one a time (ParaView)
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

pub(crate) fn run(arguments: &Export) -> Result<ExitCode, Failure> {
    let format = arguments.to.map_or_else(|| by_extension(arguments.out.as_deref()), Ok)?;
    if let (Some(out), Ok(meant)) = (&arguments.out, by_extension(arguments.out.as_deref()))
        && meant != format
    {
        let message = format!("the extension of `{}` is that of another format than `--to`", out.display());
        return Err(Failure::input(message, "leave `--to` away, or change the extension"));
    }
    let trained = trained::open(&arguments.run)?;
    let out = arguments.out.clone().unwrap_or_else(|| default_path(&trained, format));
    let pool = input::pool(arguments.threads)?;
    let written = pool.install(|| write(&trained, format, &out, arguments.force))?;
    let mut data = Data::default();
    written.iter().for_each(|path| data.line(&path.display().to_string()));
    Ok(ExitCode::SUCCESS)
}

fn by_extension(out: Option<&Path>) -> Result<Format, Failure> {
    let extension = out.and_then(Path::extension).map(|e| e.to_string_lossy().to_lowercase());
    let known = EXTENSIONS.iter().find(|(name, _)| extension.as_deref() == Some(*name));
    known.map(|&(_, format)| format).ok_or_else(|| {
        let message = match out {
            Some(out) => format!("`{}` has no extension that says its format", out.display()),
            None => "no format is given".to_owned(),
        };
        Failure::input(message, "add `--to onnx`, `--to npz`, `--to csv` or `--to vtk`")
    })
}

/// The problem's name in the current folder.
fn default_path(trained: &Trained, format: Format) -> PathBuf {
    let extension = EXTENSIONS.iter().find(|row| row.1 == format).map_or("", |row| row.0);
    PathBuf::from(format!("{}.{extension}", trained.problem.name))
}

/// Writes the files; returns their paths.
fn write(trained: &Trained, format: Format, out: &Path, force: bool) -> Result<Vec<PathBuf>, Failure> {
    let Trained { problem, model, θ, .. } = trained;
    match format {
        Format::Onnx => {
            let bytes = onnx::bytes(problem, model, θ).map_err(|error| {
                Failure::input(error, "`adamflip predict` evaluates every function at any points")
            })?;
            single(out, force, |file| file.write_all(&bytes))?;
        }
        Format::Npz => {
            let fields = Fields::new(problem, model, θ).map_err(|error| no_grid(&error))?;
            let fresh = Fresh::create(out, force)?;
            fields.npz(fresh.file()).map_err(|error| lost(out, &error))?;
            fresh.keep()?;
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
) -> Result<(), Failure> {
    let fresh = Fresh::create(out, force)?;
    let mut writer = BufWriter::new(fresh.file());
    content(&mut writer).and_then(|()| writer.flush()).map_err(|error| lost(out, &error))?;
    drop(writer);
    fresh.keep()
}

/// One image, or one a time with the file that lists them.
fn images(fields: &Fields, out: &Path, force: bool) -> Result<Vec<PathBuf>, Failure> {
    let series = vtk::Series::new(fields).map_err(|error| {
        Failure::input(error, "write `--to npz`, or cut it with `adamflip predict RUN --grid …`")
    })?;
    let times = series.times();
    if out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("vti")) {
        if times.len() > 1 {
            let message = format!("{} times are as many images, and `{}` is one", times.len(), out.display());
            return Err(Failure::input(message, "write the list of them: `--out NAME.pvd`"));
        }
        single(out, force, |file| series.write(0, file))?;
        return Ok(vec![out.into()]);
    }
    let stem = out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let digits = times.len().saturating_sub(1).to_string().len();
    let names: Vec<String> = (0..times.len()).map(|i| format!("{stem}_{i:0digits$}.vti")).collect();
    let paths: Vec<PathBuf> = names.iter().map(|name| out.with_file_name(name)).collect();
    // A file that is in the way stops all of them.
    paths.iter().try_for_each(|path| fresh::ready(path, force))?;
    let list = Fresh::create(out, force)?;
    for (index, path) in paths.iter().enumerate() {
        single(path, force, |file| series.write(index, file))?;
    }
    let text = vtk::collection(times.iter().copied().zip(names.iter().map(String::as_str)));
    let written = list.file().write_all(text.as_bytes());
    written.map_err(|error| lost(out, &error))?;
    list.keep()?;
    Ok(std::iter::once(out.to_owned()).chain(paths).collect())
}

fn no_grid(error: &SampleError) -> Failure {
    Failure::input(error, "lower the counts of `grid` in [reference], or use `adamflip predict RUN --grid …`")
}
