//! `adamflip compare`: one problem under several methods, seeds and settings, in one table and figure.

use adamflip_run::CompareChoices;

use crate::arguments::Compare;
use crate::batch::Screen;
use crate::failure::{Failure, NOT_MET};
use crate::invocation::program;
use crate::output;

pub(crate) fn run(arguments: &Compare) -> Result<u8, Failure> {
    let Compare { batch, methods, settings } = arguments;
    let choices =
        CompareChoices { batch: batch.choices(), methods: methods.clone(), settings: settings.clone() };
    let mut screen = Screen::new(batch.json);
    let found = batch.launch(&program()?, |launch| adamflip_run::compare(&choices, launch, &mut screen));
    let found = found.map_err(|error| screen.failure(error))?;
    match batch.json {
        true => screen.data.json(&found),
        false => screen.data.line(found.table().render(batch.format.into()).trim_end()),
    }
    output::say(&format!("tables, figure and runs are in `{}`", found.path().display()));
    Ok(if found.table().has_failures() { NOT_MET } else { 0 })
}
