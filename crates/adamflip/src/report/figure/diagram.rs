//! Curves over steps with a legend beside them: losses, errors, unknowns.

use super::axes::Axes;
use super::colour::MARKED;
use super::drawable;
use super::drawing::{Anchor, Area, Drawing, SMALL, Segment, TEXT};
use super::font::{fitted, fitted_bold, text_width};
use super::frame::{self, BELOW};
use super::heights::{Vertical, range};
use super::marks::Look;
use super::scale::widened;

/// One line of a diagram.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// (x, y) with rising x. The line has a gap where y has no place: a logarithm has none for what is not
    /// positive.
    pub points: Vec<(f64, f64)>,
}

/// Curves and what stands around them.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram {
    /// Above.
    pub title: String,
    /// Below.
    pub x_label: String,
    /// To the left.
    pub y_label: String,
    /// How values become heights.
    pub vertical: Vertical,
    /// The lines; two and more have a legend.
    pub curves: Vec<Curve>,
    /// Stretches of the axis below, each with its beginning and its name: stages of training.
    pub stretches: Vec<(f64, String)>,
    /// A value that the curves should come to, and what it is.
    pub goal: Option<(f64, String)>,
}

const PLOT: (f64, f64) = (560.0, 260.0);
const TITLE: f64 = 26.0;
/// The strip with the names of stretches.
const STRIP: f64 = 18.0;
const LEGEND_GAP: f64 = 14.0;
const LEGEND_ROW: f64 = 20.0;
const LEGEND_LINE: f64 = 26.0;
const LONGEST_NAME: f64 = 160.0;
const GOAL: &[f64] = &[5.0, 4.0];

/// A diagram with all that its layout needs.
pub(super) struct DiagramPanel<'a> {
    diagram: &'a Diagram,
    axes: Axes,
    /// Names in the legend.
    names: Vec<String>,
}

impl<'a> DiagramPanel<'a> {
    pub(super) fn new(diagram: &'a Diagram) -> Self {
        let points = || diagram.curves.iter().flat_map(|curve| &curve.points);
        let across = across(points());
        let goal = diagram.goal.as_ref().map(|(value, _)| (across.0, *value));
        let axes = Axes::fit(across, diagram.vertical, points().chain(&goal), PLOT);
        let named =
            diagram.curves.iter().map(|curve| &curve.name).chain(diagram.goal.iter().map(|goal| &goal.1));
        let names: Vec<String> = named.map(|name| fitted(name, TEXT, LONGEST_NAME)).collect();
        Self { diagram, axes, names: if names.len() < 2 { Vec::new() } else { names } }
    }

    pub(super) fn width(&self) -> f64 {
        let widest = self.names.iter().map(|name| text_width(name, TEXT)).fold(0.0, f64::max);
        let legend = if self.names.is_empty() { 0.0 } else { LEGEND_GAP + LEGEND_LINE + 8.0 + widest };
        // The label of a tick at the right end sticks out by half.
        let beside = legend.max(frame::widest(&self.axes.across.ticks) / 2.0);
        frame::left_of(&self.axes.up.ticks) + PLOT.0 + beside
    }

    pub(super) fn height(&self) -> f64 {
        self.top() + PLOT.1.max(LEGEND_ROW * self.names.len() as f64) + BELOW
    }

    /// Above the plot.
    fn top(&self) -> f64 {
        let strip = if self.diagram.stretches.is_empty() { 0.0 } else { STRIP };
        let title = if self.diagram.title.is_empty() { 4.0 } else { TITLE };
        title + strip
    }

    pub(super) fn draw(&self, drawing: &mut Drawing, x: f64, y: f64) {
        let (width, height) = PLOT;
        let plot = Area { x: x + frame::left_of(&self.axes.up.ticks), y: y + self.top(), width, height };
        let title = fitted_bold(&self.diagram.title, TEXT + 1.0, width);
        drawing.heading(plot.x, y + TITLE - 9.0, TEXT + 1.0, &title);
        self.axes.draw(drawing, plot, &self.diagram.x_label, &self.diagram.y_label);
        drawing.panel(&self.diagram.title, plot);
        self.draw_stretches(drawing, plot);
        if let Some((value, _)) = self.diagram.goal.as_ref().filter(|(value, _)| self.axes.up.shows(*value)) {
            let level = self.axes.place((self.axes.across.lower, *value), plot).1;
            let line = vec![Segment::Move(plot.x, level), Segment::Line(plot.right(), level)];
            drawing.path(line, MARKED, GOAL);
        }
        self.draw_curves(drawing, plot);
        self.draw_legend(drawing, plot);
    }

    fn draw_curves(&self, drawing: &mut Drawing, plot: Area) {
        let curves = &self.diagram.curves;
        for (number, curve) in curves.iter().enumerate() {
            let look = Look::of(number);
            drawing.path(self.axes.line(&curve.points, plot), look.colour, look.dashes);
        }
        // Marks lie above all lines, each curve's at other places.
        for (number, curve) in curves.iter().enumerate().filter(|_| curves.len() > 1) {
            let shift = (number as f64 + 0.5) / curves.len() as f64;
            let places = self.axes.spread(&curve.points, shift, plot);
            drawing.marks(Look::of(number).marks(&places), Look::of(number).colour);
        }
    }

    /// A line at the beginning of every stretch but the first, and the names above the plot.
    fn draw_stretches(&self, drawing: &mut Drawing, plot: Area) {
        let place = |x: f64| {
            let (lower, upper) = (self.axes.across.lower, self.axes.across.upper);
            plot.x + plot.width * ((x - lower) / (upper - lower)).clamp(0.0, 1.0)
        };
        let ends = self.diagram.stretches.iter().skip(1).map(|(x, _)| place(*x)).chain([plot.right()]);
        for ((start, name), end) in self.diagram.stretches.iter().zip(ends) {
            let start = place(*start);
            if start > plot.x {
                let line =
                    vec![Segment::Move(start, plot.y - STRIP + 5.0), Segment::Line(start, plot.bottom())];
                drawing.path(line, MARKED, &[1.5, 4.0]);
            }
            let name = fitted(name, SMALL, end - start - 8.0);
            if name.chars().count() > 2 {
                drawing.text(start + 4.0, plot.y - 5.0, SMALL, Anchor::Start, &name);
            }
        }
    }

    fn draw_legend(&self, drawing: &mut Drawing, plot: Area) {
        let x = plot.right() + LEGEND_GAP;
        for (number, name) in self.names.iter().enumerate() {
            let y = plot.y + LEGEND_ROW * (number as f64 + 0.5);
            let line = vec![Segment::Move(x, y), Segment::Line(x + LEGEND_LINE, y)];
            if number < self.diagram.curves.len() {
                let look = Look::of(number);
                drawing.path(line, look.colour, look.dashes);
                if self.diagram.curves.len() > 1 {
                    drawing.marks(look.marks(&[(x + LEGEND_LINE / 2.0, y)]), look.colour);
                }
            } else {
                drawing.path(line, MARKED, GOAL);
            }
            drawing.text(x + LEGEND_LINE + 8.0, y + 0.35 * TEXT, TEXT, Anchor::Start, name);
        }
    }
}

/// The range of all points, also of those that have no place: diagrams of one history share their axis.
fn across<'a>(points: impl Iterator<Item = &'a (f64, f64)>) -> (f64, f64) {
    let (left, right) = range(points.map(|&(x, _)| x).filter(|&x| drawable(x))).unwrap_or((0.0, 1.0));
    if left == right { (left - 0.5, right + 0.5) } else { widened(left, right) }
}
