//! A plot over one coordinate: the network as a line, the reference in dashes or dots, and their difference.
//!
//! Marks differ in shape and in brightness, not in hue alone, so they are told apart in print and by all
//! eyes; where the reference lies on the line, both show.

use super::axes::Axes;
use super::colour::{BLACK, BLUE};
use super::drawing::{Anchor, Area, Drawing, SMALL, Segment, TEXT};
use super::font::{fitted, fitted_bold, text_width};
use super::frame::{self, BELOW};
use super::heights::Vertical;
use super::maps::Axis;
use super::marks::Look;

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
    /// The shape with this number each.
    Shapes(usize),
    /// A line in the colour with this number, with its shape here and there.
    Curve(usize),
}

const PLOT: (f64, f64) = (380.0, 220.0);
/// Where three or more stand side by side: as a map.
const NARROW: (f64, f64) = (290.0, 190.0);
const TITLE: f64 = 26.0;
const LEGEND: f64 = 18.0;
/// A mark in the legend, the space after it, and that after its name.
const SAMPLE: f64 = 26.0;
const AFTER_SAMPLE: f64 = 6.0;
const AFTER_NAME: f64 = 14.0;
const LONGEST_NAME: f64 = 90.0;
const DASHES: &[f64] = &[5.0, 5.0];

/// A plot with all that its layout needs.
pub(super) struct PlotPanel<'a> {
    plot: &'a Plot,
    axes: Axes,
    size: (f64, f64),
    /// Names in the legend.
    names: Vec<String>,
}

impl<'a> PlotPanel<'a> {
    /// `beside` counts the panels of its row.
    pub(super) fn new(plot: &'a Plot, beside: usize) -> Self {
        let size = if beside > 2 { NARROW } else { PLOT };
        let points = plot.series.iter().flat_map(|series| &series.points);
        let axes = Axes::fit(plot.x.range(), plot.vertical, points, size);
        let count = plot.series.len();
        let room = (size.0 + AFTER_NAME) / count.max(1) as f64 - SAMPLE - AFTER_SAMPLE - AFTER_NAME;
        let name = |series: &Series| fitted(&series.name, SMALL, room.min(LONGEST_NAME));
        let names = if count < 2 { Vec::new() } else { plot.series.iter().map(name).collect() };
        Self { plot, axes, size, names }
    }

    pub(super) fn width(&self) -> f64 {
        // The label of a tick at the right end sticks out by half.
        frame::left_of(&self.axes.up.ticks) + self.size.0 + frame::widest(&self.axes.across.ticks) / 2.0
    }

    pub(super) fn height(&self) -> f64 {
        self.top() + self.size.1 + BELOW
    }

    /// Above the plot: the title, and the legend below it where they do not stand side by side.
    fn top(&self) -> f64 {
        let title = text_width(&self.plot.title, 1.1 * (TEXT + 1.0));
        let beside = self.names.is_empty() || title + AFTER_NAME + self.legend_width() <= self.size.0;
        if beside { TITLE } else { TITLE + LEGEND }
    }

    fn legend_width(&self) -> f64 {
        let name = |name: &String| SAMPLE + AFTER_SAMPLE + text_width(name, SMALL) + AFTER_NAME;
        self.names.iter().map(name).sum::<f64>() - AFTER_NAME
    }

    pub(super) fn draw(&self, drawing: &mut Drawing, x: f64, y: f64) {
        let (width, height) = self.size;
        let area = Area { x: x + frame::left_of(&self.axes.up.ticks), y: y + self.top(), width, height };
        let title = fitted_bold(&self.plot.title, TEXT + 1.0, width);
        drawing.heading(area.x, y + TITLE - 9.0, TEXT + 1.0, &title);
        self.legend(drawing, area);
        self.axes.draw(drawing, area, &self.plot.x.label, &self.plot.y_label);
        drawing.panel(&self.plot.title, area);
        for series in &self.plot.series {
            match series.mark {
                Mark::Line | Mark::Dashes => {
                    series.mark.draw_line(drawing, self.axes.line(&series.points, area))
                }
                Mark::Dots | Mark::Shapes(_) => {
                    series.mark.draw_at(drawing, &self.axes.places(&series.points, area));
                }
                Mark::Curve(number) => {
                    series.mark.draw_line(drawing, self.axes.line(&series.points, area));
                    let shift = (number as f64 + 0.5) / self.plot.series.len() as f64;
                    series.mark.draw_at(drawing, &self.axes.spread(&series.points, shift, area));
                }
            }
        }
    }

    /// The marks and their names above the plot, at its right end.
    fn legend(&self, drawing: &mut Drawing, area: Area) {
        let baseline = area.y - 9.0;
        let middle = baseline - 0.35 * SMALL;
        let mut x = area.right() - self.legend_width();
        for (series, name) in self.plot.series.iter().zip(&self.names) {
            if matches!(series.mark, Mark::Line | Mark::Dashes | Mark::Curve(_)) {
                let line = vec![Segment::Move(x, middle), Segment::Line(x + SAMPLE, middle)];
                series.mark.draw_line(drawing, line);
            }
            if matches!(series.mark, Mark::Dots | Mark::Shapes(_) | Mark::Curve(_)) {
                series.mark.draw_at(drawing, &[(x + SAMPLE / 2.0, middle)]);
            }
            x += SAMPLE + AFTER_SAMPLE;
            drawing.text(x, baseline, SMALL, Anchor::Start, name);
            x += text_width(name, SMALL) + AFTER_NAME;
        }
    }
}

impl Mark {
    fn draw_line(self, drawing: &mut Drawing, path: Vec<Segment>) {
        match self {
            Self::Dashes => drawing.path(path, BLACK, DASHES),
            Self::Curve(number) => drawing.path(path, Look::of(number).colour, Look::of(number).dashes),
            Self::Line | Self::Dots | Self::Shapes(_) => drawing.path(path, BLUE, &[]),
        }
    }

    fn draw_at(self, drawing: &mut Drawing, places: &[(f64, f64)]) {
        match self {
            Self::Shapes(number) | Self::Curve(number) => {
                drawing.marks(Look::of(number).marks(places), Look::of(number).colour);
            }
            Self::Line | Self::Dashes | Self::Dots => {
                let circles = places.iter().map(|&(x, y)| Segment::Circle(x, y, 2.0));
                drawing.path(circles.collect(), BLACK, &[]);
            }
        }
    }
}
