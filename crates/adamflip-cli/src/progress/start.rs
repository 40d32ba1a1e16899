//! How a run begins to speak: the first JSON line, or a sentence.

use std::path::Path;

use adamflip::problem::Stage;
use adamflip::train::Trainer;
use adamflip_run::{plan_text, planned};
use serde::Serialize;

/// What opens the JSON lines of a run.
#[derive(Serialize)]
pub(crate) struct Start {
    event: &'static str,
    problem: String,
    title: Option<String>,
    seed: u64,
    steps: usize,
    stages: Vec<StageStart>,
    parameters: usize,
    points: usize,
    threads: usize,
    run: String,
}

#[derive(Serialize)]
struct StageStart {
    method: &'static str,
    steps: usize,
}

impl Start {
    pub(crate) fn of(trainer: &Trainer, run: &Path) -> Self {
        let stage = |stage: &Stage| StageStart { method: stage.method.name(), steps: stage.steps };
        Self {
            event: "start",
            problem: trainer.problem().name.clone(),
            title: trainer.problem().title.clone(),
            seed: trainer.seed(),
            steps: trainer.steps_planned(),
            stages: planned(trainer).iter().map(stage).collect(),
            parameters: trainer.θ().len(),
            points: trainer.objective().points(),
            threads: rayon::current_num_threads(),
            run: run.to_string_lossy().into_owned(),
        }
    }
}

/// What opens the talk of a run.
pub(crate) fn greeting(trainer: &Trainer) -> String {
    let problem = trainer.problem();
    format!(
        "{}: {} parameters, {} points, {}, seed {}",
        problem.title.as_deref().unwrap_or(&problem.name),
        trainer.θ().len(),
        trainer.objective().points(),
        plan_text(&planned(trainer)),
        trainer.seed(),
    )
}
