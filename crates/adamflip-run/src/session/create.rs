//! A new run in a folder of its own.

use std::path::Path;

use adamflip::checkpoint::Checkpoint;
use adamflip::evaluate;
use adamflip::optim::Method;
use adamflip::ranks::Ranks;

use super::Session;
use crate::agreement::{self, alike, together};
use crate::choices::{Choices, Source, Task};
use crate::error::RunError;
use crate::manifest::{self, RunManifest};
use crate::record::{self, Record};
use crate::run_dir::RunDir;
use crate::stages::plan_text;
use crate::{shell, start};

impl Session {
    /// Reads a problem, draws points and parameters and makes the folder of the run: the one that is asked
    /// for, or the next free one of `runs/`. The folder keeps the command, to be run again.
    pub fn create<'a>(
        source: impl Into<Source<'a>>,
        choices: &Choices,
        out: Option<&Path>,
        command: &str,
    ) -> Result<Self, RunError> {
        Self::begin(Task::read(source, choices)?, choices, out, command)
    }

    /// The same for a problem that was read with these choices.
    pub fn begin(task: Task, choices: &Choices, out: Option<&Path>, command: &str) -> Result<Self, RunError> {
        Self::begin_among(&Ranks::default(), task, choices, out, command)
    }

    /// The same by several ranks, of which this is the first.
    pub fn begin_among(
        ranks: &Ranks,
        task: Task,
        choices: &Choices,
        out: Option<&Path>,
        command: &str,
    ) -> Result<Self, RunError> {
        alike(ranks, &task)?;
        let mut session = together(ranks, Self::make(task, choices, out, command))?;
        agreement::join(&mut session.trainer, ranks)?;
        Ok(session)
    }

    fn make(task: Task, choices: &Choices, out: Option<&Path>, command: &str) -> Result<Self, RunError> {
        let (method, resolved, origin) = (task.method, task.problem.file.clone(), task.origin()?);
        let header = header(&task, choices, command);
        let mut trainer = task.trainer()?;
        trainer.observe(record::interval(&trainer));
        let started = start::start(&mut trainer)?;
        let mut manifest = RunManifest::new(&trainer.problem().name, command, trainer.seed());
        let name = |method: &Option<Method>| method.as_ref().map(|method| method.name().to_owned());
        (manifest.method, manifest.finish) = (name(&choices.method), name(&choices.finish));
        manifest.steps = choices.steps;
        let name = format!("{}-{}", trainer.problem().name, trainer.seed());
        let dir = RunDir::create(out, &name, |dir| {
            dir.write("problem.toml", format!("{header}\n{}", resolved.text()))?;
            resolved.files.iter().try_for_each(|data| dir.copy(data))?;
            if started {
                // Whoever resumes it begins there too.
                dir.save(&Checkpoint::of(&trainer).with_origin(origin.clone()))?;
            }
            dir.write(manifest::FILE, manifest.text())
        })?;
        for gap in evaluate::gaps(trainer.problem()).unwrap_or_default() {
            log::warn!("{}", gap.text(trainer.problem()));
        }
        let record = Record::open(&dir, &trainer)?;
        Ok(Self { dir, manifest, origin, trainer, record, method, more: None })
    }
}

/// The comment above the problem file in the run folder: what the file alone does not say.
fn header(task: &Task, choices: &Choices, command: &str) -> String {
    let mut lines = vec![
        format!("# The problem of this run, as adamflip {} read it.", env!("CARGO_PKG_VERSION")),
        format!("# command: {command}"),
        format!("# plan: {}, seed {}", plan_text(&task.stages), task.seed),
    ];
    lines.extend(choices.profile.iter().map(|profile| format!("# profile: {}", shell::quoted(profile))));
    lines.extend(choices.set.iter().map(|set| format!("# override: {}", shell::quoted(set))));
    lines.join("\n") + "\n"
}
