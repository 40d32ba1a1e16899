//! `adamflip sweep`: one problem for many values of its keys, in all combinations or drawn at random.

use adamflip_run::SweepChoices;

use crate::arguments::{COLLECT, Sweep};
use crate::batch::Screen;
use crate::failure::{Failure, NOT_MET};
use crate::invocation::program;
use crate::output;

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
    match batch.json {
        true => screen.data.json(&found),
        false if !scope.has_tables() => {}
        false => screen.data.line(found.table().render(batch.format.into()).trim_end()),
    }
    if !scope.has_tables() {
        output::say(&format!("the share has ended, in `{}`; {COLLECT}", found.path().display()));
        return Ok(if found.table().has_failures() { NOT_MET } else { 0 });
    }
    let place = format!("tables and runs are in `{}`", found.path().display());
    output::say(&found.best().map_or(place.clone(), |best| format!("the best has {best}; {place}")));
    Ok(if found.table().has_failures() { NOT_MET } else { 0 })
}
