//! `adamflip compare`: one problem under several methods, seeds and settings, in one table and figure.

use adamflip_run::CompareChoices;

use crate::arguments::Compare;
use crate::batch::Screen;
use crate::failure::Failure;
use crate::invocation::program;

pub(crate) fn run(arguments: &Compare) -> Result<u8, Failure> {
    let Compare { batch, methods, settings } = arguments;
    let choices =
        CompareChoices { batch: batch.choices(), methods: methods.clone(), settings: settings.clone() };
    let (mut screen, scope) = (Screen::new(batch.json), batch.shares.scope()?);
    let found =
        batch.launch(&program()?, scope, |launch| adamflip_run::compare(&choices, launch, &mut screen));
    let found = found.map_err(|error| screen.failure(error))?;
    let place = format!("tables, figure and runs are in `{}`", found.path().display());
    Ok(screen.end(batch, scope, (&found, found.table()), (found.path(), place)))
}
