//! Both axes of a plot, and the lines and dots between them.

use super::colour::GRID;
use super::drawable;
use super::drawing::{Area, Drawing, Segment, TEXT};
use super::font::fitted;
use super::frame::{self, Ruler};
use super::heights::{Heights, Vertical};

/// Where points lie on the page.
pub(super) struct Axes {
    pub(super) across: Ruler,
    pub(super) up: Heights,
}

impl Axes {
    /// The range across as given, and the heights that show all points in it.
    pub(super) fn fit<'a>(
        (left, right): (f64, f64),
        vertical: Vertical,
        points: impl Iterator<Item = &'a (f64, f64)>,
        (width, height): (f64, f64),
    ) -> Self {
        let across = Ruler::across(left, right, width);
        let shown = points.filter(|(x, _)| (left..=right).contains(x)).map(|&(_, y)| y);
        Self { across, up: Heights::fit(vertical, shown, height) }
    }

    /// Frame, grid lines, ticks and names.
    pub(super) fn draw(&self, drawing: &mut Drawing, plot: Area, x_label: &str, y_label: &str) {
        for tick in &self.up.ticks.ticks {
            let y = plot.bottom() - plot.height * self.up.fraction(tick.value);
            drawing.line((plot.x, y), (plot.right(), y), GRID);
        }
        drawing.frame(plot);
        frame::below(drawing, plot, &self.across, &fitted(x_label, TEXT, plot.width));
        let label = fitted(y_label, TEXT, plot.height);
        frame::left(drawing, plot, &self.up.ticks, |y| self.up.fraction(y), &label);
    }

    /// The line through the points, broken where one has no place; a point between two gaps is a dot.
    pub(super) fn line(&self, points: &[(f64, f64)], plot: Area) -> Vec<Segment> {
        let mut path = Vec::new();
        for run in points.split(|&point| !self.shows(point)).filter(|run| !run.is_empty()) {
            if let [point] = run {
                let (x, y) = self.place(*point, plot);
                path.push(Segment::Circle(x, y, 1.0));
                continue;
            }
            let places = thinned(run, plot.width as usize).into_iter().map(|point| self.place(point, plot));
            let pen = |(index, (x, y))| if index == 0 { Segment::Move(x, y) } else { Segment::Line(x, y) };
            path.extend(places.enumerate().map(pen));
        }
        path
    }

    /// The places of the points, a few hundred at most: more marks would only cover one another.
    pub(super) fn places(&self, points: &[(f64, f64)], plot: Area) -> Vec<(f64, f64)> {
        const MOST: usize = 600;
        let kept = points.iter().step_by(points.len().div_ceil(MOST).max(1));
        kept.filter(|&&point| self.shows(point)).map(|&point| self.place(point, plot)).collect()
    }

    /// Points at even distances along a line, shifted by a fraction of that distance: where marks tell it
    /// from others.
    pub(super) fn spread(&self, points: &[(f64, f64)], shift: f64, plot: Area) -> Vec<(f64, f64)> {
        const COUNT: usize = 6;
        let shown: Vec<(f64, f64)> = points.iter().copied().filter(|&point| self.shows(point)).collect();
        let (lower, upper) = (self.across.lower, self.across.upper);
        let place = |k: usize| {
            let x = lower + (upper - lower) * (k as f64 + shift) / COUNT as f64;
            let after = shown.partition_point(|point| point.0 < x);
            shown.get(after).map(|&point| self.place(point, plot))
        };
        let mut places: Vec<(f64, f64)> = (0..COUNT).filter_map(place).collect();
        places.dedup();
        places
    }

    pub(super) fn place(&self, (x, y): (f64, f64), plot: Area) -> (f64, f64) {
        let (lower, upper) = (self.across.lower, self.across.upper);
        let x = plot.x + plot.width * (x - lower) / (upper - lower);
        (x, plot.bottom() - plot.height * self.up.fraction(y))
    }

    fn shows(&self, (x, y): (f64, f64)) -> bool {
        drawable(x) && (self.across.lower..=self.across.upper).contains(&x) && self.up.shows(y)
    }
}

/// At most about four points a pixel: first, lowest, highest and last of each stretch, so that spikes stay.
fn thinned(run: &[(f64, f64)], pixels: usize) -> Vec<(f64, f64)> {
    let stretch = run.len().div_ceil(pixels.max(1));
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
