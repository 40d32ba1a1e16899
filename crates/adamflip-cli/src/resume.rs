//! `adamflip resume`: a run goes on from its last checkpoint, with the bits of one that was never interrupted.

use std::process::ExitCode;

use adamflip::train::Status;

use crate::arguments::Resume;
use crate::failure::Failure;
use crate::folder::{self, Folder};
use crate::interrupt::Interrupt;
use crate::record::{self, Record};
use crate::session::Session;
use crate::trained;
use crate::{input, output, serve};

pub(crate) fn run(arguments: &Resume) -> Result<ExitCode, Failure> {
    let pool = input::pool(arguments.threads)?;
    let listener = serve::bind(arguments.live.serve)?;
    let interrupt = Interrupt::listen();
    pool.install(|| reopen(arguments)?.run(&arguments.live, listener, &interrupt))
}

fn reopen(arguments: &Resume) -> Result<Session, Failure> {
    let run = &arguments.run;
    let (facts, task) = trained::task(run)?;
    input::fits(&task.problem, &task.stages)?;
    let folder = Folder::open(run)?;
    let (method, origin) = (task.method, task.origin()?);
    let mut trainer = task.trainer()?;
    trainer.observe(record::interval(&trainer));
    if let Some(checkpoint) = folder::newest(run)? {
        trained::belongs(run, &facts, &origin, &checkpoint)?;
        trainer.restore(checkpoint.snapshot).map_err(|unfit| trained::unfit(run, &unfit))?;
    } else {
        trained::start(&mut trainer)?;
    }
    if arguments.more.is_some() && trainer.stages().is_empty() {
        let hint = "solve the problem again with steps";
        return Err(Failure::input(format!("the run in `{}` has no stage to extend", run.display()), hint));
    }
    let ended = trainer.ended();
    match (arguments.more, ended) {
        (Some(_), Some(Status::Diverged)) => {
            return Err(Failure::input(
                format!("the run in `{}` diverged: there is nothing to go on from", run.display()),
                "solve the problem again with a smaller `lr`, or another method",
            ));
        }
        (Some(more), _) => {
            trainer.extend(usize::try_from(more).unwrap_or(usize::MAX / 2));
            trainer.observe(record::interval(&trainer));
        }
        (None, Some(status)) => output::say(&format!(
            "`{}` had ended ({}); its results are written again. `--more N` extends it by N steps",
            run.display(),
            status.name()
        )),
        (None, None) => output::say(&format!("going on after step {}", trainer.step())),
    }
    let record = Record::open(&folder, &trainer)?;
    let mut session = Session { folder, facts, origin, trainer, record, method };
    if arguments.more.is_some() {
        // So that it is longer also for whoever resumes it next.
        session.save()?;
    }
    Ok(session)
}
