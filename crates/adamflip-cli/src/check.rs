//! `adamflip check`: all that can be said about a problem before it is trained.

use adamflip_run::Task;

use crate::arguments::Check;
use crate::failure::{Failure, SUCCESS};
use crate::output::Data;

pub(crate) fn run(arguments: &Check) -> Result<u8, Failure> {
    let task = Task::read(arguments.input.file.as_path(), &arguments.input.choices())?;
    let pool = adamflip_run::pool(arguments.input.threads)?;
    let report = pool.install(|| adamflip_run::check(task))?;
    let mut data = Data::default();
    match arguments.json {
        true => data.json(&report),
        false => data.line(&report.text()),
    }
    Ok(SUCCESS)
}
