//! `adamflip solve` and `adamflip resume`: the training of a run, new or from its last checkpoint.

use std::ops::ControlFlow;

use adamflip::train::Status;
use adamflip_run::{Event, Member, Session, Task, TrainOptions, shell, together};

use crate::arguments::{Live, Resume, Solve};
use crate::failure::{Failure, NOT_MET, SUCCESS};
use crate::interrupt::Interrupt;
use crate::invocation::command_line;
use crate::output::{self, Data};
use crate::progress::{Reporter, Start, greeting};
use crate::ranks::Launch;
use crate::serve::{self, Listener};

/// `adamflip solve`.
pub(crate) fn run(arguments: &Solve) -> Result<u8, Failure> {
    let launch = Launch::begin(arguments.live.rank_timeout)?;
    let outcome = solve(arguments, &launch);
    launch.end(outcome)
}

/// `adamflip resume`.
pub(crate) fn resume(arguments: &Resume) -> Result<u8, Failure> {
    let launch = Launch::begin(arguments.live.rank_timeout)?;
    let outcome = go_on(arguments, &launch);
    launch.end(outcome)
}

fn solve(arguments: &Solve, launch: &Launch) -> Result<u8, Failure> {
    let (ranks, choices) = (launch.ranks(), arguments.input.choices());
    let task = together(ranks, Task::read(arguments.input.file.as_path(), &choices))?;
    let pool = adamflip_run::pool(launch.threads(arguments.input.threads))?;
    if !ranks.is_first() {
        return pool.install(|| stand_by(Member::begin(ranks, task)?));
    }
    let listener = serve::bind(arguments.live.serve)?;
    let interrupt = Interrupt::listen();
    pool.install(|| {
        let out = arguments.out.as_deref();
        let session = Session::begin_among(ranks, task, &choices, out, &command_line())?;
        train(session, &arguments.live, listener, &interrupt)
    })
}

fn go_on(arguments: &Resume, launch: &Launch) -> Result<u8, Failure> {
    let ranks = launch.ranks();
    let pool = adamflip_run::pool(launch.threads(arguments.threads))?;
    if !ranks.is_first() {
        return pool.install(|| stand_by(Member::resume(ranks, &arguments.run, arguments.more)?));
    }
    let listener = serve::bind(arguments.live.serve)?;
    let interrupt = Interrupt::listen();
    pool.install(|| {
        let session = Session::resume_among(ranks, &arguments.run, arguments.more)?;
        train(session, &arguments.live, listener, &interrupt)
    })
}

/// Trains as one of several ranks that is not the first.
fn stand_by(mut member: Member) -> Result<u8, Failure> {
    let interrupt = Interrupt::listen();
    let going_on =
        &mut || if interrupt.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    member.train(going_on)?;
    Ok(SUCCESS)
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
