//! One chart with many lines on a logarithmic axis: histories of losses.

use super::axes::Axes;
use super::drawable;
use super::frame::{self, BELOW};
use super::heights::{Vertical, range};
use super::scale::widened;
use super::svg::{Anchor, Area, Drawing, TEXT, fitted, text_width};

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// (x, y) with rising x. A logarithm has no place for y that is not positive and finite: the line has a gap there.
    pub points: Vec<(f64, f64)>,
}

/// What stands around the lines.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Chart {
    /// Above.
    pub title: String,
    /// Below.
    pub x_label: String,
    /// To the left.
    pub y_label: String,
}

/// The colours of Okabe and Ito (*Color Universal Design*, 2008), told apart by all eyes; their yellow is left out,
/// for it is too light on white. Further curves repeat them with dashes.
const COLOURS: [&str; 7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"];
const DASHES: [&str; 4] = ["none", "6 4", "1.5 4", "9 3 2 3"];

/// Losses fall by any factor, and all of it is shown.
const VERTICAL: Vertical = Vertical::Logarithmic { decades: f64::INFINITY };

const PLOT: (f64, f64) = (460.0, 260.0);
const MARGIN: f64 = 14.0;
const LEGEND_ROW: f64 = 20.0;
const LEGEND_LINE: f64 = 24.0;
const LONGEST_NAME: f64 = 220.0;

/// Curves over a logarithmic y axis, with a legend, as the text of an SVG file.
pub fn curves(chart: &Chart, curves: &[Curve]) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let axes = Axes::fit(across(points()), VERTICAL, points(), PLOT);
    let names: Vec<String> = curves.iter().map(|curve| fitted(&curve.name, TEXT, LONGEST_NAME)).collect();
    let top = if chart.title.is_empty() { MARGIN } else { MARGIN + 24.0 };
    let height = PLOT.1.max(LEGEND_ROW * curves.len() as f64);
    let plot = Area { x: MARGIN + frame::left_of(&axes.up.ticks), y: top, width: PLOT.0, height };
    let mut drawing = Drawing::default();
    let title = fitted(&chart.title, 15.0, plot.right() - MARGIN);
    drawing.heading(MARGIN, MARGIN + 10.0, 15.0, &title);
    axes.draw(&mut drawing, plot, &chart.x_label, &chart.y_label);
    for (index, (curve, name)) in curves.iter().zip(&names).enumerate() {
        let (colour, dashes) = (COLOURS[index % COLOURS.len()], DASHES[index / COLOURS.len() % DASHES.len()]);
        drawing.path(&axes.line(&curve.points, plot), colour, dashes);
        let (x, y) = (plot.right() + MARGIN, plot.y + LEGEND_ROW * (index as f64 + 0.5));
        drawing.path(&format!("M{x:.1} {y:.1}h{LEGEND_LINE}"), colour, dashes);
        drawing.text(x + LEGEND_LINE + 8.0, y + 0.35 * TEXT, TEXT, Anchor::Start, name);
    }
    let widest = names.iter().map(|name| text_width(name, TEXT)).fold(0.0, f64::max);
    let width = plot.right() + MARGIN + LEGEND_LINE + 8.0 + widest + MARGIN;
    drawing.finish(width, plot.bottom() + BELOW, &format!("{}: {}", chart.title, names.join(", ")))
}

/// The range of all points that have a place.
fn across<'a>(points: impl Iterator<Item = &'a (f64, f64)>) -> (f64, f64) {
    let shown = points.filter(|&&(x, y)| drawable(x) && VERTICAL.shows(y));
    let (left, right) = range(shown.map(|&(x, _)| x)).unwrap_or((0.0, 1.0));
    if left == right { (left - 0.5, right + 0.5) } else { widened(left, right) }
}
