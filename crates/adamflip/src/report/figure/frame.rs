//! The axes around a plot: frame, ticks, labels.

use super::colour::FRAME;
use super::drawing::{Anchor, Area, Drawing, SMALL, TEXT};
use super::font::text_width;
use super::ticks::{self, Ticks};

/// From the frame to a tick label, the tick included.
pub(super) const TICK: f64 = 5.0;
/// Below a plot: ticks, their labels, the name of the axis.
pub(super) const BELOW: f64 = 42.0;

/// The range of an axis with its ticks.
pub(super) struct Ruler {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) ticks: Ticks,
}

impl Ruler {
    /// Across the page: as many ticks as stand side by side.
    pub(super) fn across(lower: f64, upper: f64, width: f64) -> Self {
        let fits = |ticks: &Ticks| {
            let widest = widest(ticks);
            (widest + SMALL) * ticks.ticks.len() as f64 <= width
        };
        let mut candidates = (2..=6).rev().map(|target| ticks::linear(lower, upper, target));
        let ticks = candidates.find(fits).unwrap_or_else(|| ends(ticks::linear(lower, upper, 2)));
        Self { lower, upper, ticks }
    }

    /// Up the page.
    pub(super) fn up(lower: f64, upper: f64, height: f64) -> Self {
        Self { lower, upper, ticks: ticks::linear(lower, upper, rows(height)) }
    }

    /// The axis to the left of a plot.
    pub(super) fn left(&self, drawing: &mut Drawing, plot: Area, name: &str) {
        left(drawing, plot, &self.ticks, |value| self.fraction(value), name);
    }

    fn fraction(&self, value: f64) -> f64 {
        (value - self.lower) / (self.upper - self.lower)
    }
}

/// The first and the last tick alone.
fn ends(mut ticks: Ticks) -> Ticks {
    let last = ticks.ticks.pop();
    ticks.ticks.truncate(1);
    ticks.ticks.extend(last);
    ticks
}

/// How many labels stand comfortably on top of one another.
pub(super) fn rows(height: f64) -> usize {
    ((height / 30.0) as usize).clamp(2, 7)
}

/// The width of the widest label.
pub(super) fn widest(ticks: &Ticks) -> f64 {
    ticks.ticks.iter().map(|tick| text_width(&tick.label, SMALL)).fold(0.0, f64::max)
}

/// The space that ticks, labels and name of the upward axis take.
pub(super) fn left_of(ticks: &Ticks) -> f64 {
    TEXT + 8.0 + widest(ticks) + TICK + 3.0
}

/// The axis below a plot.
pub(super) fn below(drawing: &mut Drawing, plot: Area, ruler: &Ruler, name: &str) {
    let bottom = plot.bottom();
    for tick in &ruler.ticks.ticks {
        let x = plot.x + plot.width * ruler.fraction(tick.value);
        drawing.line((x, bottom), (x, bottom + TICK), FRAME);
        drawing.text(x, bottom + TICK + SMALL + 1.0, SMALL, Anchor::Middle, &tick.label);
    }
    let baseline = bottom + BELOW - 8.0;
    drawing.text(plot.x + plot.width / 2.0, baseline, TEXT, Anchor::Middle, name);
    if let Some(note) = &ruler.ticks.note {
        drawing.text(plot.right(), baseline, SMALL, Anchor::End, note);
    }
}

/// The axis to the left of a plot. `place` says at which fraction of the height a value is.
pub(super) fn left(drawing: &mut Drawing, plot: Area, ticks: &Ticks, place: impl Fn(f64) -> f64, name: &str) {
    for tick in &ticks.ticks {
        let y = plot.bottom() - plot.height * place(tick.value);
        drawing.line((plot.x - TICK, y), (plot.x, y), FRAME);
        drawing.text(plot.x - TICK - 3.0, y + 0.35 * SMALL, SMALL, Anchor::End, &tick.label);
    }
    drawing.upward(plot.x - left_of(ticks) + TEXT, plot.y + plot.height / 2.0, name);
    if let Some(note) = &ticks.note {
        drawing.text(plot.x - TICK - 3.0, plot.y - 8.0, SMALL, Anchor::End, note);
    }
}

/// The axis to the right of a colour bar.
pub(super) fn right(drawing: &mut Drawing, bar: Area, ticks: &Ticks, place: impl Fn(f64) -> f64) {
    for tick in &ticks.ticks {
        let y = bar.bottom() - bar.height * place(tick.value);
        drawing.line((bar.right(), y), (bar.right() + TICK, y), FRAME);
        drawing.text(bar.right() + TICK + 3.0, y + 0.35 * SMALL, SMALL, Anchor::Start, &tick.label);
    }
    if let Some(note) = &ticks.note {
        drawing.text(bar.x, bar.y - 8.0, SMALL, Anchor::Start, note);
    }
}
