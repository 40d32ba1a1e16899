//! Arguments of commands on runs that were trained.

use std::path::PathBuf;

use adamflip_run::export;
use clap::{Args, ValueEnum};

use super::threads;

pub(super) const REPORT_EXAMPLES: &str = "\
Examples:
  adamflip report runs/burgers_forward-0
  adamflip report runs/burgers_forward-0 --out elsewhere

report.html is one page with all figures in it, which needs no network; figures/ has each of them as SVG and PNG. A run \
that is still training is reported as of its last checkpoint.";

pub(super) const PREDICT_EXAMPLES: &str = "\
Examples:
  adamflip predict runs/burgers_forward-0 > fields.csv
  adamflip predict runs/burgers_forward-0 --grid x=-1:1:401,t=0.5 --expr \"u, u_x\"
  adamflip predict runs/burgers_forward-0 --at sensors.csv --expr \"u_t + u*u_x - nu*u_xx\" --out residual.npz

Expressions are written like equations: fields, derivatives, unknowns, constants and definitions of the problem. A grid is \
`name=lower:upper:count` or `name=value` for every coordinate. CSV and NPY files of points are read as they are needed, so that \
memory does not grow with their number.";

pub(super) const EXPORT_EXAMPLES: &str = "\
Examples:
  adamflip export runs/heat_forward-0 --to onnx
  adamflip export runs/heat_forward-0 --out fields.npz
  adamflip export runs/heat_forward-0 --to vtk --out heat.pvd

ONNX takes coordinates [N, d] to fields [N, fields] in double precision. The others hold all fields and references where \
errors are measured; VTK is one image a time and a list of them for ParaView.";

pub(super) const INTERVALS_EXAMPLES: &str = "\
Examples:
  adamflip intervals runs/heat_inverse-0
  adamflip intervals runs/heat_inverse-0 --likelihood

The interval is where the truth lies in 95 of 100 repetitions with other noise: from the Gauss-Newton matrix of all terms at \
the solution and the noise that the data show, with the step that training has left to take. `--likelihood` holds each \
unknown at eight other values and fits everything else again, which takes minutes and asks nothing of the problem's shape.";

#[derive(Debug, Args)]
pub(crate) struct Intervals {
    /// The run folder
    pub(crate) run: PathBuf,

    /// Check them by the profile of the merit, fitted again at other values
    #[arg(long)]
    pub(crate) likelihood: bool,

    /// Threads [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = threads())]
    pub(crate) threads: Option<u16>,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run folder
    pub(crate) run: PathBuf,

    /// Where to put `report.html` and `figures/` [default: the run folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Threads [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = threads())]
    pub(crate) threads: Option<u16>,
}

#[derive(Debug, Args)]
pub(crate) struct Predict {
    /// The folder of a run
    pub(crate) run: PathBuf,

    /// The points: a CSV, NPY, NPZ or MAT file with the coordinates
    #[arg(long, value_name = "FILE", conflicts_with = "grid")]
    pub(crate) at: Option<PathBuf>,

    /// The points: `x=-1:1:201,t=0.5` [default: the grid of the reference, else the usual one]
    #[arg(long, value_name = "GRID", allow_hyphen_values = true)]
    pub(crate) grid: Option<String>,

    /// Expressions, separated by commas (repeatable) [default: all fields]
    #[arg(long, alias = "ask", value_name = "EXPRESSIONS", allow_hyphen_values = true)]
    pub(crate) expr: Vec<String>,

    /// The file: .csv, .json, .npy or .npz [default: CSV on stdout]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,

    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = threads())]
    pub(crate) threads: Option<u16>,

    /// Print one JSON object instead of CSV; with --out, what was written
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The folder of a run
    pub(crate) run: PathBuf,

    /// The format [default: that of the extension of --out]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<ExportFormat>,

    /// The file [default: the problem's name in the current folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Replace files that exist
    #[arg(long)]
    pub(crate) force: bool,

    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = threads())]
    pub(crate) threads: Option<u16>,
}

/// What a run can be written as.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The networks with the ansatz, in double precision (onnxruntime)
    Onnx,
    /// Fields, references and coordinates as arrays (NumPy)
    Npz,
    /// The same as a table
    Csv,
    /// The same as images, one a time (ParaView)
    Vtk,
}

impl From<ExportFormat> for export::Format {
    fn from(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Onnx => Self::Onnx,
            ExportFormat::Npz => Self::Npz,
            ExportFormat::Csv => Self::Csv,
            ExportFormat::Vtk => Self::Vtk,
        }
    }
}
