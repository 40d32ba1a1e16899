//! The stages of a run in words.

use adamflip::problem::Stage;
use adamflip::train::Trainer;

/// The stages of a trainer, the last with the steps that were asked for since.
pub fn planned(trainer: &Trainer) -> Vec<Stage> {
    let mut stages = trainer.stages().to_vec();
    if let Some((last, before)) = stages.split_last_mut() {
        last.steps = trainer.steps_planned() - before.iter().map(|stage| stage.steps).sum::<usize>();
    }
    stages
}

/// `2000 steps of adam, 10000 of adamflip`.
pub fn plan_text(stages: &[Stage]) -> String {
    let stage = |(i, stage): (usize, &Stage)| {
        format!("{}{} of {}", stage.steps, if i == 0 { " steps" } else { "" }, stage.method.name())
    };
    match stages {
        [] => "no steps".to_owned(),
        _ => stages.iter().enumerate().map(stage).collect::<Vec<_>>().join(", "),
    }
}
