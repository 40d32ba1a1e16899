//! How a run begins to speak: the first JSON line, or a sentence.

use std::path::Path;

use adamflip::problem::Stage;
use adamflip::train::Trainer;
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
            steps: trainer.steps(),
            stages: planned(trainer).iter().map(stage).collect(),
            parameters: trainer.θ().len(),
            points: trainer.objective().points(),
            threads: rayon::current_num_threads(),
            run: run.to_string_lossy().into_owned(),
        }
    }
}

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

/// The stages, the last with the steps that were asked for since.
pub(crate) fn planned(trainer: &Trainer) -> Vec<Stage> {
    let mut stages = trainer.stages().to_vec();
    if let Some((last, before)) = stages.split_last_mut() {
        last.steps = trainer.steps() - before.iter().map(|stage| stage.steps).sum::<usize>();
    }
    stages
}

/// `2000 steps of adam, 10000 of adamflip`.
pub(crate) fn plan_text(stages: &[Stage]) -> String {
    let stage = |(i, stage): (usize, &Stage)| {
        format!("{}{} of {}", stage.steps, if i == 0 { " steps" } else { "" }, stage.method.name())
    };
    match stages {
        [] => "no steps".to_owned(),
        _ => stages.iter().enumerate().map(stage).collect::<Vec<_>>().join(", "),
    }
}
