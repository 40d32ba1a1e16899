//! `adamflip solve` and `adamflip resume`: the training of a run, new or from its last checkpoint.

use std::ops::ControlFlow;

use adamflip::train::Status;
use adamflip_run::{Event, Session, Task, TrainOptions, shell};

use crate::arguments::{Live, Resume, Solve};
use crate::failure::{Failure, NOT_MET};
use crate::interrupt::Interrupt;
use crate::invocation::command_line;
use crate::output::{self, Data};
use crate::progress::{Reporter, Start, greeting};
use crate::serve::{self, Listener};

/// `adamflip solve`.
pub(crate) fn run(arguments: &Solve) -> Result<u8, Failure> {
    let choices = arguments.input.choices();
    let task = Task::read(arguments.input.file.as_path(), &choices)?;
    let pool = adamflip_run::pool(arguments.input.threads)?;
    let listener = serve::bind(arguments.live.serve)?;
    let interrupt = Interrupt::listen();
    pool.install(|| {
        let session = Session::begin(task, &choices, arguments.out.as_deref(), &command_line())?;
        train(session, &arguments.live, listener, &interrupt)
    })
}

/// `adamflip resume`.
pub(crate) fn resume(arguments: &Resume) -> Result<u8, Failure> {
    let pool = adamflip_run::pool(arguments.threads)?;
    let listener = serve::bind(arguments.live.serve)?;
    let interrupt = Interrupt::listen();
    pool.install(|| {
        let session = Session::resume(&arguments.run, arguments.more)?;
        train(session, &arguments.live, listener, &interrupt)
    })
}

/// Trains to the end of the plan, of the time, or of the user's patience, and shows what came of it.
fn train(
    mut session: Session,
    live: &Live,
    listener: Option<Listener>,
    interrupt: &Interrupt,
) -> Result<u8, Failure> {
    let mut data = Data::default();
    match live.json {
        true => data.json(&Start::of(session.trainer(), session.path())),
        false => output::say(&greeting(session.trainer())),
    }
    let server = listener.map(|listener| listener.start(session.path()));
    let mut reporter = Reporter::new(live.json, &session);
    let options = TrainOptions { checkpoint_every: live.checkpoint, tensorboard: live.tensorboard };
    let summary = session.train(&options, &mut |event| {
        match event {
            Event::Warning(warning) => reporter.warn(warning),
            Event::Step(step) => reporter.show(&step, &mut data),
            _ => reporter.finish(),
        }
        if interrupt.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    match live.json {
        true => data.json(&summary),
        false => data.line(&summary.table(rayon::current_num_threads())),
    }
    let status = summary.status();
    if matches!(status, Status::Interrupted | Status::TimeBudget) {
        output::say(&format!("`adamflip resume {}` goes on from here", shell::path(session.path())));
    }
    if let Some(server) = server {
        server.close(interrupt);
    }
    let code = if status == Status::Interrupted {
        interrupt.code()
    } else if summary.is_met() {
        0
    } else {
        NOT_MET
    };
    Ok(code)
}
