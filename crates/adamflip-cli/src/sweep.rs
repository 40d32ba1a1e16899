//! `adamflip sweep`: one problem for many values of its keys, in all combinations or drawn at random.

use adamflip_run::SweepChoices;

use crate::arguments::Sweep;
use crate::batch::Screen;
use crate::failure::Failure;
use crate::invocation::program;

pub(crate) fn run(arguments: &Sweep) -> Result<u8, Failure> {
    let batch = &arguments.batch;
    let choices = SweepChoices {
        batch: batch.choices(),
        over: arguments.over.clone(),
        random: arguments.random,
        draw_seed: arguments.draw_seed,
        metric: arguments.metric.clone(),
        method: arguments.method.clone(),
    };
    let (mut screen, scope) = (Screen::new(batch.json), batch.shares.scope()?);
    let found = batch.launch(&program()?, scope, |launch| adamflip_run::sweep(&choices, launch, &mut screen));
    let found = found.map_err(|error| screen.failure(error))?;
    let place = format!("tables and runs are in `{}`", found.path().display());
    let place = found.best().map_or(place.clone(), |best| format!("the best has {best}; {place}"));
    Ok(screen.end(batch, scope, (&found, found.table()), (found.path(), place)))
}
