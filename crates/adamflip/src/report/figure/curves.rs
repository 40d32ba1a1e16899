//! Line charts on a logarithmic axis: histories of losses.

use std::fmt::Write;

use super::drawable;
use super::frame::{self, BELOW, Ruler};
use super::scale::widened;
use super::svg::{Anchor, Area, Drawing, TEXT, fitted, text_width};
use super::ticks::{self, Ticks};

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

const PLOT: (f64, f64) = (460.0, 260.0);
const MARGIN: f64 = 14.0;
const LEGEND_ROW: f64 = 20.0;
const LEGEND_LINE: f64 = 24.0;
const LONGEST_NAME: f64 = 220.0;

/// Curves over a logarithmic y axis, with a legend, as the text of an SVG file.
pub fn curves(chart: &Chart, curves: &[Curve]) -> String {
    let scales = Scales::fit(curves);
    let names: Vec<String> = curves.iter().map(|curve| fitted(&curve.name, TEXT, LONGEST_NAME)).collect();
    let top = if chart.title.is_empty() { MARGIN } else { MARGIN + 24.0 };
    let height = PLOT.1.max(LEGEND_ROW * curves.len() as f64);
    let plot = Area { x: MARGIN + frame::left_of(&scales.up), y: top, width: PLOT.0, height };
    let mut drawing = Drawing::default();
    let title = fitted(&chart.title, 15.0, plot.right() - MARGIN);
    drawing.heading(MARGIN, MARGIN + 10.0, 15.0, &title);
    scales.draw(&mut drawing, plot, chart);
    for (index, (curve, name)) in curves.iter().zip(&names).enumerate() {
        let (colour, dashes) = (COLOURS[index % COLOURS.len()], DASHES[index / COLOURS.len() % DASHES.len()]);
        drawing.path(&scales.path(&curve.points, plot), colour, dashes);
        let (x, y) = (plot.right() + MARGIN, plot.y + LEGEND_ROW * (index as f64 + 0.5));
        drawing.path(&format!("M{x:.1} {y:.1}h{LEGEND_LINE}"), colour, dashes);
        drawing.text(x + LEGEND_LINE + 8.0, y + 0.35 * TEXT, TEXT, Anchor::Start, name);
    }
    let widest = names.iter().map(|name| text_width(name, TEXT)).fold(0.0, f64::max);
    let width = plot.right() + MARGIN + LEGEND_LINE + 8.0 + widest + MARGIN;
    drawing.finish(width, plot.bottom() + BELOW, &format!("{}: {}", chart.title, names.join(", ")))
}

/// Where points lie on the page.
struct Scales {
    across: Ruler,
    lower: f64,
    upper: f64,
    up: Ticks,
}

impl Scales {
    fn fit(curves: &[Curve]) -> Self {
        let shown = || curves.iter().flat_map(|curve| &curve.points).copied().filter(|&point| shows(point));
        let (left, right) = range(shown().map(|(x, _)| x)).unwrap_or((0.0, 1.0));
        let (low, high) = range(shown().map(|(_, y)| y)).unwrap_or((0.1, 1.0));
        let (left, right) = if left == right { (left - 0.5, right + 0.5) } else { widened(left, right) };
        // A little air, in the logarithm, above and below.
        let air = (0.04 * (high.ln() - low.ln())).exp().max(1.1);
        let (lower, upper) = (low / air, high * air);
        let up = ticks::logarithmic(lower, upper, frame::rows(PLOT.1));
        Self { across: Ruler::across(left, right, PLOT.0), lower, upper, up }
    }

    fn height(&self, y: f64) -> f64 {
        let (lower, upper) = (self.lower.ln(), self.upper.ln());
        (y.ln() - lower) / (upper - lower)
    }

    fn draw(&self, drawing: &mut Drawing, plot: Area, chart: &Chart) {
        for tick in &self.up.ticks {
            let y = plot.bottom() - plot.height * self.height(tick.value);
            drawing.line((plot.x, y), (plot.right(), y), "#e4e4e4");
        }
        drawing.frame(plot);
        frame::below(drawing, plot, &self.across, &fitted(&chart.x_label, TEXT, plot.width));
        let label = fitted(&chart.y_label, TEXT, plot.height);
        frame::left(drawing, plot, &self.up, |y| self.height(y), &label);
    }

    /// The line, broken where points are missing; a point between two gaps is a dot.
    fn path(&self, points: &[(f64, f64)], plot: Area) -> String {
        let (lower, upper) = (self.across.lower, self.across.upper);
        let mut path = String::new();
        for run in points.split(|&point| !shows(point)).filter(|run| !run.is_empty()) {
            let mut command = 'M';
            for (x, y) in thinned(run, PLOT.0 as usize) {
                let x = plot.x + plot.width * (x - lower) / (upper - lower);
                let y = plot.bottom() - plot.height * self.height(y);
                let _ = write!(path, "{command}{x:.1} {y:.1}");
                command = 'L';
            }
            if run.len() == 1 {
                path.push_str("m-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0");
            }
        }
        path
    }
}

/// Whether a point has a place on the chart, at a distance from the ends of f64 that leaves room for the air around.
fn shows((x, y): (f64, f64)) -> bool {
    drawable(x) && (1e-250..=1e250).contains(&y)
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values
        .map(|value| (value, value))
        .reduce(|(lower, upper), (value, _)| (lower.min(value), upper.max(value)))
}

/// At most about four points a pixel: first, lowest, highest and last of each stretch, so that spikes stay.
fn thinned(run: &[(f64, f64)], pixels: usize) -> Vec<(f64, f64)> {
    let stretch = run.len().div_ceil(pixels);
    if stretch <= 4 {
        return run.to_vec();
    }
    let extremes = |points: &[(f64, f64)]| {
        let order = |a: &usize, b: &usize| points[*a].1.total_cmp(&points[*b].1);
        let lowest = (0..points.len()).min_by(order).unwrap_or(0);
        let highest = (0..points.len()).max_by(order).unwrap_or(0);
        let mut kept = vec![0, lowest, highest, points.len() - 1];
        kept.sort_unstable();
        kept.dedup();
        kept.into_iter().map(|index| points[index]).collect::<Vec<_>>()
    };
    run.chunks(stretch).flat_map(extremes).collect()
}
