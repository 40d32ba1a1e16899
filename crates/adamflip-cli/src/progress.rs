//! How a run looks while it goes on: a view in place on a terminal, a line now and then in a pipe, or JSON
//! events.

mod block;
mod start;

use std::io::IsTerminal;
use std::time::Duration;

use adamflip::train::{Progress, Warning};
use adamflip_run::{Ordered, Session, StepEvent, warning_text};
use serde::Serialize;

use crate::output::{self, Data};
use crate::view::{self, Moment, Outline, Trace};
pub(crate) use block::Block;
pub(crate) use start::{Start, greeting};

/// Where progress is shown.
enum Screen {
    /// Lines of a terminal that are written over.
    Terminal(Block),
    /// Lines on stderr.
    Plain,
    /// Events on stdout.
    Json,
}

impl Screen {
    fn choose(json: bool) -> Self {
        if json {
            Screen::Json
        } else if std::io::stderr().is_terminal() && !output::is_dumb() {
            Screen::Terminal(Block::new(console::Term::stderr(), output::colours()))
        } else {
            Screen::Plain
        }
    }

    /// The least time between two reports.
    fn interval(&self) -> Duration {
        Duration::from_millis(match self {
            Screen::Terminal(_) => 100,
            Screen::Plain => 5_000,
            Screen::Json => 500,
        })
    }
}

/// Reports on a run, and measures its speed.
pub(crate) struct Reporter {
    screen: Screen,
    outline: Outline,
    trace: Trace,
    shown: Duration,
    /// Time and step of the last measurement of speed, and the speed in steps a second.
    measured: (Duration, usize, f64),
}

/// The time over which speed is averaged.
const SPEED_OVER: Duration = Duration::from_secs(1);

#[derive(Serialize)]
struct Event<'a> {
    event: &'static str,
    step: usize,
    steps: usize,
    stage: usize,
    method: &'a str,
    seconds: f64,
    steps_per_second: f64,
    seconds_left: Option<f64>,
    objective: f64,
    max_violation: f64,
    /// Trust regions that were refused in this step, the radius and the largest penalty, of methods that have
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    radius: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    penalty: Option<f64>,
    terms: Ordered<Loss>,
    unknowns: Ordered<f64>,
}

#[derive(Serialize)]
struct Loss {
    mse: f64,
    max: f64,
}

impl Reporter {
    /// Of a run that is to be trained.
    pub(crate) fn new(json: bool, session: &Session) -> Self {
        let (trainer, before) = (session.trainer(), session.elapsed());
        let outline = Outline {
            budget: session.budget().map(|most| most.as_secs_f64()),
            ..Outline::of(trainer.problem(), trainer.stages(), trainer.steps_planned())
        };
        let (screen, trace) = (Screen::choose(json), Trace::new(outline.columns()));
        Self { screen, outline, trace, shown: before, measured: (before, trainer.steps_taken(), f64::NAN) }
    }

    /// Shows a step, if it is time.
    pub(crate) fn show(&mut self, step: &StepEvent<'_>, data: &mut Data) {
        let StepEvent { progress, problem, history, elapsed: now, .. } = *step;
        // An open stage takes more steps while losses fall.
        self.outline.reach(progress.steps);
        let (time, step, speed) = self.measured;
        if now - time >= SPEED_OVER || speed.is_nan() {
            self.measured = (now, progress.step, (progress.step - step) as f64 / (now - time).as_secs_f64());
        }
        if now - self.shown < self.screen.interval() {
            return;
        }
        self.shown = now;
        let moment = Moment::of(progress, problem, now.as_secs_f64(), self.measured.2);
        match &mut self.screen {
            Screen::Terminal(block) => {
                self.trace.extend(history, self.trace.seen());
                block.draw(&view::lines(&self.outline, &self.trace, &moment, block.paper()));
            }
            Screen::Plain => output::say(&view::plain(&self.outline, &moment)),
            Screen::Json => data.json(&event(progress, &self.outline, &moment)),
        }
    }

    /// Tells of constraints in trouble, above the view of a terminal.
    pub(crate) fn warn(&mut self, warning: &Warning) {
        self.finish();
        output::warn(&warning_text(warning));
    }

    /// Takes the view off the terminal.
    pub(crate) fn finish(&mut self) {
        if let Screen::Terminal(block) = &mut self.screen {
            block.clear();
        }
    }
}

fn known(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn event<'a>(progress: &Progress<'_>, outline: &Outline, moment: &'a Moment) -> Event<'a> {
    let terms = outline.terms.iter().zip(&moment.misfits);
    let unknowns = outline.unknowns.iter().zip(&moment.unknowns);
    Event {
        event: "progress",
        step: moment.step,
        steps: progress.steps,
        stage: progress.stage,
        method: &moment.method,
        seconds: moment.seconds,
        steps_per_second: moment.speed,
        seconds_left: moment.left(outline),
        objective: progress.report.objective,
        max_violation: moment.violation(outline),
        refused: known(progress.report.refused),
        radius: known(progress.report.radius),
        penalty: known(progress.report.penalty),
        terms: terms.map(|(term, &(mse, max))| (term.name.clone(), Loss { mse, max })).collect(),
        unknowns: unknowns.map(|(unknown, &value)| (unknown.name.clone(), value)).collect(),
    }
}
