//! How a run looks while it goes on: one line in place on a terminal, a line now and then in a pipe, or JSON events.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use adamflip::problem::{Problem, Role};
use adamflip::train::{Progress, Warning};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::ordered::Ordered;
use crate::output::{self, Data};
use crate::summary::caution_text;

/// Where progress is shown.
enum Screen {
    /// A line of a terminal that is written over.
    Terminal(ProgressBar),
    /// Lines on stderr.
    Plain,
    /// Events on stdout.
    Json,
}

impl Screen {
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
    before: Duration,
    start: Instant,
    shown: Duration,
    /// Time and step of the last measurement of speed, and the speed in steps a second.
    measured: (Duration, usize, f64),
    budget: Option<Duration>,
}

/// The time over which speed is averaged.
const SPEED_OVER: Duration = Duration::from_secs(1);

#[derive(Serialize)]
struct Event {
    event: &'static str,
    step: usize,
    steps: usize,
    stage: usize,
    method: &'static str,
    seconds: f64,
    steps_per_second: f64,
    seconds_left: Option<f64>,
    objective: f64,
    max_violation: f64,
    terms: Ordered<Loss>,
    unknowns: Ordered<f64>,
}

#[derive(Serialize)]
struct Loss {
    mse: f64,
    max: f64,
}

impl Reporter {
    /// Starts the clock, after so much time and so many steps of earlier sittings.
    pub(crate) fn start(json: bool, before: Duration, step: usize, budget: Option<Duration>) -> Self {
        let screen = match json {
            true => Screen::Json,
            false if std::io::stderr().is_terminal() => Screen::Terminal(bar()),
            false => Screen::Plain,
        };
        let start = Instant::now();
        Self { screen, before, start, shown: before, measured: (before, step, f64::NAN), budget }
    }

    /// The time of training in all sittings.
    pub(crate) fn elapsed(&self) -> Duration {
        self.before + self.start.elapsed()
    }

    /// Shows a step, if it is time.
    pub(crate) fn show(
        &mut self,
        progress: &Progress<'_>,
        problem: &Problem,
        now: Duration,
        data: &mut Data,
    ) {
        let (time, step, speed) = self.measured;
        if now - time >= SPEED_OVER || speed.is_nan() {
            self.measured = (now, progress.step, (progress.step - step) as f64 / (now - time).as_secs_f64());
        }
        if now - self.shown < self.screen.interval() {
            return;
        }
        self.shown = now;
        match &self.screen {
            Screen::Terminal(bar) => bar.set_message(self.line(progress, problem, now)),
            Screen::Plain => output::say(&self.line(progress, problem, now)),
            Screen::Json => data.json(&self.event(progress, problem, now)),
        }
    }

    /// Tells of constraints in trouble, above the line of a terminal.
    pub(crate) fn warn(&self, warnings: &[Warning]) {
        for warning in warnings {
            let say = || output::warn(&caution_text(warning));
            match &self.screen {
                Screen::Terminal(bar) => bar.suspend(say),
                Screen::Plain | Screen::Json => say(),
            }
        }
    }

    /// Takes the line off the terminal.
    pub(crate) fn finish(&self) {
        if let Screen::Terminal(bar) = &self.screen {
            bar.finish_and_clear();
        }
    }

    fn line(&self, progress: &Progress<'_>, problem: &Problem, now: Duration) -> String {
        let Progress { step, steps, method, .. } = progress;
        let terms = problem.terms.iter().zip(progress.misfits);
        let losses: Vec<String> =
            terms.map(|(term, misfit)| format!("{} {:.1e}", term.name, misfit.mse)).collect();
        let left =
            self.seconds_left(progress, now).map_or(String::new(), |left| format!(", {} left", clock(left)));
        // What a narrow terminal cuts off is what can be missed first.
        format!(
            "{step}/{steps} {method}  {:.0} steps/s{left}  max_violation {:.1e}  {}",
            self.measured.2,
            max_violation(progress, problem),
            losses.join("  "),
        )
    }

    fn event(&self, progress: &Progress<'_>, problem: &Problem, now: Duration) -> Event {
        let terms = problem.terms.iter().zip(progress.misfits);
        let parameters = &progress.θ[progress.θ.len() - problem.unknowns.len()..];
        let unknowns = problem.unknowns.iter().zip(parameters);
        Event {
            event: "progress",
            step: progress.step,
            steps: progress.steps,
            stage: progress.stage,
            method: progress.method,
            seconds: now.as_secs_f64(),
            steps_per_second: self.measured.2,
            seconds_left: self.seconds_left(progress, now),
            objective: progress.report.objective,
            max_violation: max_violation(progress, problem),
            terms: terms.map(|(term, m)| (term.name.clone(), Loss { mse: m.mse, max: m.max })).collect(),
            unknowns: unknowns.map(|(unknown, &p)| (unknown.name.clone(), unknown.value(p).0)).collect(),
        }
    }

    /// Time to the last step or to the end of the budget, whichever is first.
    fn seconds_left(&self, progress: &Progress<'_>, now: Duration) -> Option<f64> {
        let to_go = (progress.steps - progress.step) as f64 / self.measured.2;
        let budget = self.budget.map_or(f64::INFINITY, |most| most.saturating_sub(now).as_secs_f64());
        Some(to_go.min(budget)).filter(|left| left.is_finite())
    }
}

/// The largest residual of all constraints.
fn max_violation(progress: &Progress<'_>, problem: &Problem) -> f64 {
    let terms = problem.terms.iter().zip(progress.misfits);
    let constraints = terms.filter(|(term, _)| term.role == Role::Constraint);
    constraints.map(|(_, misfit)| misfit.max).fold(0.0, f64::max)
}

/// One line, cut at the width of the terminal.
fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.with_style(
        ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar()),
    )
}

/// Seconds as people say them.
pub(crate) fn clock(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..=99 => format!("{whole} s"),
        100..=5_999 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::clock;

    #[test]
    fn seconds_become_minutes_and_hours() {
        let said = [0.2, 99.0, 100.0, 3_605.0, 6_000.0, 90_000.0].map(clock);
        assert_eq!(said, ["0 s", "99 s", "1 min 40 s", "60 min 05 s", "1 h 40 min", "25 h 00 min"]);
    }
}
