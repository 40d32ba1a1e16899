//! `adamflip compare`: one problem under several methods, seeds and settings, in one table and figure.

use adamflip_run::CompareChoices;

use crate::arguments::{COLLECT, Compare};
use crate::batch::Screen;
use crate::failure::{Failure, NOT_MET};
use crate::invocation::program;
use crate::output;

pub(crate) fn run(arguments: &Compare) -> Result<u8, Failure> {
    let Compare { batch, methods, settings } = arguments;
    let choices =
        CompareChoices { batch: batch.choices(), methods: methods.clone(), settings: settings.clone() };
    let (mut screen, scope) = (Screen::new(batch.json), batch.shares.scope()?);
    let found =
        batch.launch(&program()?, scope, |launch| adamflip_run::compare(&choices, launch, &mut screen));
    let found = found.map_err(|error| screen.failure(error))?;
    match batch.json {
        true => screen.data.json(&found),
        false if !scope.has_tables() => {}
        false => screen.data.line(found.table().render(batch.format.into()).trim_end()),
    }
    if !scope.has_tables() {
        output::say(&format!("the share has ended, in `{}`; {COLLECT}", found.path().display()));
        return Ok(if found.table().has_failures() { NOT_MET } else { 0 });
    }
    output::say(&format!("tables, figure and runs are in `{}`", found.path().display()));
    Ok(if found.table().has_failures() { NOT_MET } else { 0 })
}
