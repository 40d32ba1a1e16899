//! `adamflip solve`: a new run in a folder of its own.

use std::process::ExitCode;

use adamflip::checkpoint::Checkpoint;
use adamflip::evaluate;
use adamflip::optim::Method;

use crate::arguments::Solve;
use crate::facts::{self, Facts};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::input::{self, Task};
use crate::interrupt::Interrupt;
use crate::record::{self, Record};
use crate::session::Session;
use crate::start::plan_text;
use crate::{output, serve, shell, trained};

pub(crate) fn run(arguments: &Solve) -> Result<ExitCode, Failure> {
    let task = input::read(&arguments.input)?;
    let pool = input::pool(arguments.input.threads)?;
    let listener = serve::bind(arguments.live.serve)?;
    let interrupt = Interrupt::listen();
    pool.install(|| begin(arguments, task)?.run(&arguments.live, listener, &interrupt))
}

/// Draws points and parameters and makes the folder.
fn begin(arguments: &Solve, task: Task) -> Result<Session, Failure> {
    let (method, resolved, origin) = (task.method, task.problem.file.clone(), task.origin()?);
    let header = header(arguments, &task);
    let mut trainer = task.trainer()?;
    trainer.observe(record::interval(&trainer));
    let started = trained::start(&mut trainer)?;
    let mut facts = Facts::new(&trainer.problem().name, shell::command(), trainer.seed());
    let name = |method: &Option<Method>| method.as_ref().map(|method| method.name().to_owned());
    (facts.method, facts.finish) = (name(&arguments.input.method), name(&arguments.input.finish));
    facts.steps = arguments.input.steps;
    let name = format!("{}-{}", trainer.problem().name, trainer.seed());
    let folder = Folder::create(arguments.out.as_deref(), &name, |folder| {
        folder.write("problem.toml", format!("{header}\n{}", resolved.text()))?;
        resolved.files.iter().try_for_each(|data| folder.copy(data))?;
        if started {
            // Whoever resumes it begins there too.
            folder.save(&Checkpoint::of(&trainer).with_origin(origin.clone()))?;
        }
        folder.write(facts::FILE, facts.text())
    })?;
    for gap in evaluate::gaps(trainer.problem()).unwrap_or_default() {
        output::warn(&gap.text(trainer.problem()));
    }
    let record = Record::open(&folder, &trainer)?;
    Ok(Session { folder, facts, origin, trainer, record, method })
}

/// The comment above the problem file in the run folder: what the file alone does not say.
fn header(arguments: &Solve, task: &Task) -> String {
    let mut lines = vec![
        format!("# The problem of this run, as adamflip {} read it.", env!("CARGO_PKG_VERSION")),
        format!("# command: {}", shell::command()),
        format!("# plan: {}, seed {}", plan_text(&task.stages), task.seed),
    ];
    let input = &arguments.input;
    lines.extend(input.profile.iter().map(|profile| format!("# profile: {}", shell::quoted(profile))));
    lines.extend(input.set.iter().map(|set| format!("# override: {}", shell::quoted(set))));
    lines.join("\n") + "\n"
}
