//! A plot over one coordinate: the network as a line, the reference in dashes or dots, and their difference.
//!
//! Marks differ in shape and in brightness, not in hue alone, so they are told apart in print and by all eyes; where
//! the reference lies on the line, both show.

use super::axes::Axes;
use super::frame::{self, BELOW};
use super::heights::Vertical;
use super::maps::Axis;
use super::svg::{Anchor, Area, Drawing, SMALL, TEXT, fitted, text_width};

/// Values over one coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// What is shown.
    pub title: String,
    /// The axis across the page; the points need not be its nodes.
    pub x: Axis,
    /// The name of the values.
    pub y_label: String,
    /// How values become heights.
    pub vertical: Vertical,
    /// Drawn in this order. Two and more have a legend.
    pub series: Vec<Series>,
}

/// Points with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// In the legend.
    pub name: String,
    /// (x, y); lines need rising x, and have a gap where y has no place.
    pub points: Vec<(f64, f64)>,
    /// How they are drawn.
    pub mark: Mark,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A solid line.
    Line,
    /// A dashed line.
    Dashes,
    /// A circle each.
    Dots,
}

const PLOT: (f64, f64) = (380.0, 220.0);
const TITLE: f64 = 26.0;
/// A mark in the legend, the space after it, and that after its name.
const SAMPLE: f64 = 26.0;
const AFTER_SAMPLE: f64 = 6.0;
const AFTER_NAME: f64 = 14.0;
const LONGEST_NAME: f64 = 80.0;

/// A plot with all that its layout needs.
pub(super) struct PlotPanel<'a> {
    plot: &'a Plot,
    axes: Axes,
}

impl<'a> PlotPanel<'a> {
    pub(super) fn new(plot: &'a Plot) -> Self {
        let points = plot.series.iter().flat_map(|series| &series.points);
        Self { plot, axes: Axes::fit(plot.x.range(), plot.vertical, points, PLOT) }
    }

    pub(super) fn width(&self) -> f64 {
        // The label of a tick at the right end sticks out by half.
        frame::left_of(&self.axes.up.ticks) + PLOT.0 + frame::widest(&self.axes.across.ticks) / 2.0
    }

    pub(super) fn height(&self) -> f64 {
        TITLE + PLOT.1 + BELOW
    }

    pub(super) fn draw(&self, drawing: &mut Drawing, x: f64, y: f64) {
        let area =
            Area { x: x + frame::left_of(&self.axes.up.ticks), y: y + TITLE, width: PLOT.0, height: PLOT.1 };
        let room = area.width - self.legend(drawing, area);
        drawing.heading(area.x, y + TITLE - 9.0, TEXT + 1.0, &fitted(&self.plot.title, TEXT + 1.0, room));
        self.axes.draw(drawing, area, &self.plot.x.label, &self.plot.y_label);
        for series in &self.plot.series {
            let path = match series.mark {
                Mark::Line | Mark::Dashes => self.axes.line(&series.points, area),
                Mark::Dots => self.axes.dots(&series.points, area),
            };
            series.mark.draw(drawing, &path);
        }
    }

    /// The marks and their names above the plot, at its right end. Says how much of its width they take.
    fn legend(&self, drawing: &mut Drawing, area: Area) -> f64 {
        if self.plot.series.len() < 2 {
            return 0.0;
        }
        let baseline = area.y - 9.0;
        let mut x = area.right();
        for series in self.plot.series.iter().rev() {
            let name = fitted(&series.name, SMALL, LONGEST_NAME);
            x -= text_width(&name, SMALL);
            drawing.text(x, baseline, SMALL, Anchor::Start, &name);
            x -= AFTER_SAMPLE + SAMPLE;
            series.mark.draw(drawing, &series.mark.sample(x, baseline - 0.35 * SMALL));
            x -= AFTER_NAME;
        }
        area.right() - x
    }
}

impl Mark {
    fn draw(self, drawing: &mut Drawing, path: &str) {
        match self {
            Self::Line => drawing.path(path, "#0072B2", "none"),
            Self::Dashes => drawing.path(path, "#000000", "5 5"),
            Self::Dots => drawing.path(path, "#000000", "none"),
        }
    }

    /// The mark in the legend.
    fn sample(self, x: f64, y: f64) -> String {
        match self {
            Self::Line | Self::Dashes => format!("M{x:.1} {y:.1}h{SAMPLE}"),
            Self::Dots => {
                let x = x + SAMPLE / 2.0;
                format!("M{x:.1} {y:.1}m-2 0a2 2 0 1 0 4 0a2 2 0 1 0 -4 0")
            }
        }
    }
}
