//! `adamflip export`: a trained run in the formats of other tools.

use std::path::{Path, PathBuf};

use adamflip_run::export;

use crate::arguments::{Export, ExportFormat};
use crate::failure::{Failure, SUCCESS};
use crate::output::Data;

pub(crate) fn run(arguments: &Export) -> Result<u8, Failure> {
    let meant = arguments.out.as_deref().and_then(export::Format::by_extension);
    let asked = arguments.to.map(ExportFormat::into);
    let format = asked.or(meant).ok_or_else(|| no_format(arguments.out.as_deref()))?;
    if let (Some(out), Some(meant)) = (&arguments.out, meant)
        && meant != format
    {
        let message = format!("the extension of `{}` is that of another format than `--to`", out.display());
        return Err(Failure::input(message, "leave `--to` away, or change the extension"));
    }
    let trained = adamflip_run::open(&arguments.run)?;
    // The problem's name in the current folder.
    let usual = || PathBuf::from(format!("{}.{}", trained.problem().name, format.extension()));
    let out = arguments.out.clone().unwrap_or_else(usual);
    let pool = adamflip_run::pool(arguments.threads)?;
    let written = pool.install(|| export::write(&trained, format, &out, arguments.force))?;
    let mut data = Data::default();
    written.iter().for_each(|path| data.line(&path.display().to_string()));
    Ok(SUCCESS)
}

fn no_format(out: Option<&Path>) -> Failure {
    let message = match out {
        Some(out) => format!("`{}` has no extension that says its format", out.display()),
        None => "no format is given".to_owned(),
    };
    Failure::input(message, "add `--to onnx`, `--to npz`, `--to csv` or `--to vtk`")
}
