//! The panels of one field: a row of plots over one coordinate, rows of maps over two.

use std::sync::Arc;

use super::sampled::Sampled;
use super::view::{Cut, Detail, View};
use crate::evaluate::FieldError;
use crate::geometry::{Points, between};
use crate::report::figure::{Axis, Cells, Colours, Map, Mark, Mask, Panel, Plot, Series, Vertical};

/// Decades of the error that a plot shows. At points where the error is next to nothing it would otherwise
/// run off to the rounding error, and a network's error is hardly ever of interest further below its largest.
const DECADES: f64 = 6.0;

const NETWORK: &str = "network";
const REFERENCE: &str = "reference";
const ERROR: &str = "absolute error";

/// One field, ready to be drawn.
pub(super) struct SolutionRows<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) sampled: &'a Sampled,
    /// A reference at points of its own.
    pub(super) scattered: Option<(&'a Points, &'a FieldError)>,
    /// The number of the first row.
    pub(super) group: usize,
}

impl SolutionRows<'_> {
    pub(super) fn panels(&self) -> Vec<Vec<Panel>> {
        let cuts = self.view.cuts(&self.sampled.grid);
        match self.view.up {
            None => cuts.iter().map(|cut| self.plots(cut)).collect(),
            Some(up) => {
                let maps = cuts.iter().zip(self.group..).map(|(cut, group)| self.maps(up, cut, group));
                let profiles = match self.view.detail {
                    Detail::Whole if self.view.has_profiles() => self.profiles(up, &cuts),
                    _ => Vec::new(),
                };
                maps.chain(profiles).collect()
            }
        }
    }

    /// The field along space at several times, each in a plot of its own: lines need no colours to be told
    /// apart.
    fn profiles(&self, up: usize, cuts: &[Cut]) -> Vec<Vec<Panel>> {
        const TIMES: usize = 6;
        const BESIDE: usize = 3;
        let Some(cut) = cuts.first() else { return Vec::new() };
        let (grid, view) = (&self.sampled.grid, self.view);
        let network = view.plane(grid, cut, &self.sampled.network);
        let reference = self.sampled.reference.as_ref().map(|reference| view.plane(grid, cut, reference));
        let (rows, last) = (grid.counts[up], grid.counts[view.across].saturating_sub(1));
        let mut times: Vec<usize> = (0..TIMES).map(|k| (k * last + (TIMES - 1) / 2) / (TIMES - 1)).collect();
        times.dedup();
        let profile = |&time: &usize| {
            let along = |plane: &[f64]| {
                (0..rows).map(|j| (grid.node(up, j), plane[time * rows + j])).collect::<Vec<_>>()
            };
            let mut shown = vec![series(NETWORK, along(&network), Mark::Line)];
            shown.extend(reference.iter().map(|plane| series(REFERENCE, along(plane), Mark::Dashes)));
            let title = view.place(view.across, grid.node(view.across, time));
            self.plot(&title, view.name(), view.axis(grid, up), Vertical::Linear, shown)
        };
        let panels: Vec<Panel> = times.iter().map(profile).collect();
        panels.chunks(BESIDE).map(<[Panel]>::to_vec).collect()
    }

    /// Network and reference in one plot, and the error.
    fn plots(&self, cut: &Cut) -> Vec<Panel> {
        let Sampled { network, reference, .. } = self.sampled;
        let drawn = self.network().unwrap_or_else(|| self.curve(cut, network));
        let mut values = vec![series(NETWORK, drawn, Mark::Line)];
        let mut errors = Vec::new();
        if let (Some(reference), Some(error)) = (reference, self.sampled.error()) {
            values.push(series(REFERENCE, self.curve(cut, reference), Mark::Dashes));
            errors.push(series(ERROR, self.curve(cut, &error), Mark::Line));
        }
        if let Some((points, error)) = self.scattered {
            let over = |values: &[f64]| {
                points.column(self.view.across).iter().copied().zip(values.iter().copied()).collect()
            };
            values.push(series(REFERENCE, over(&error.reference), Mark::Dots));
            errors.push(series(ERROR, over(&difference(error)), Mark::Dots));
        }
        let name = self.view.name();
        let x = || self.view.axis(&self.sampled.grid, self.view.across);
        let mut panels = vec![self.plot(name, name, x(), Vertical::Linear, values)];
        if !errors.is_empty() {
            let label = format!("{ERROR} of {name}");
            panels.push(self.plot(ERROR, &label, x(), Vertical::Logarithmic { decades: DECADES }, errors));
        }
        panels
    }

    /// The curve of the network on a grid of its own.
    fn network(&self) -> Option<Vec<(f64, f64)>> {
        let fine = self.sampled.fine.as_ref()?;
        Some(
            SolutionRows { sampled: fine, scattered: None, ..*self }
                .curve(self.view.cuts(&fine.grid).first()?, &fine.network),
        )
    }

    /// The map of the network on a grid of its own.
    fn network_map(&self, up: usize, map: &Map) -> Option<Map> {
        let fine = SolutionRows { sampled: self.sampled.fine.as_ref()?, scattered: None, ..*self };
        let cuts = self.view.cuts(&fine.sampled.grid);
        let Panel::Map(own) = fine.maps(up, cuts.first()?, 0).into_iter().next()? else { return None };
        Some(Map { x: own.x, y: own.y, cells: own.cells, ..map.clone() })
    }

    fn plot(&self, title: &str, y_label: &str, x: Axis, vertical: Vertical, series: Vec<Series>) -> Panel {
        Panel::Plot(Plot { title: title.to_owned(), x, y_label: y_label.to_owned(), vertical, series })
    }

    fn curve(&self, cut: &Cut, values: &[f64]) -> Vec<(f64, f64)> {
        let (grid, view) = (&self.sampled.grid, self.view);
        let plane = view.plane(grid, cut, values);
        (0..plane.len()).map(|i| (grid.node(view.across, i), plane[i])).collect()
    }

    /// Network and reference on one scale, and the error.
    fn maps(&self, up: usize, cut: &Cut, group: usize) -> Vec<Panel> {
        let Sampled { grid, network, reference, .. } = self.sampled;
        let mask = self.mask(up, cut);
        // Of the whole field, so that all its cuts have the same.
        let colours = Colours::of(network.iter().chain(reference.iter().flatten()).copied());
        let cells = |values: &[f64]| {
            let plane = self.view.plane(grid, cut, values);
            match &mask {
                None => Cells::Nodes(plane),
                Some(mask) => Cells::Within(plane, Arc::clone(mask)),
            }
        };
        let map = |title: &str, cells: Cells| Map {
            title: title.to_owned(),
            x: self.view.axis(grid, self.view.across),
            y: self.view.axis(grid, up),
            cells,
            colours,
            group: Some(group),
            equal_units: self.view.equal_units,
        };
        let error = |cells| Map { colours: Colours::Logarithmic, group: None, ..map(ERROR, cells) };
        let own = map(&self.view.title(grid, cut), cells(network));
        let mut maps = vec![self.network_map(up, &own).unwrap_or(own)];
        if let (Some(reference), Some(values)) = (reference, self.sampled.error()) {
            maps.extend([map(REFERENCE, cells(reference)), error(cells(&values))]);
        }
        // Points near a cut are not on it.
        if let Some((points, known)) = self.scattered.filter(|_| self.view.shows_all()) {
            let dots = |values: &[f64]| self.dots(up, points, values);
            maps.extend([map(REFERENCE, dots(&known.reference)), error(dots(&difference(known)))]);
        }
        maps.into_iter().map(Panel::Map).collect()
    }

    /// Values at scattered points, the largest on top.
    fn dots(&self, up: usize, points: &Points, values: &[f64]) -> Cells {
        let places = points.column(self.view.across).iter().zip(points.column(up));
        let mut dots: Vec<(f64, f64, f64)> =
            places.zip(values).map(|((&x, &y), &value)| (x, y, value)).collect();
        dots.sort_by(|a, b| a.2.abs().total_cmp(&b.2.abs()));
        Cells::Dots(dots)
    }

    /// The part of a cut that lies in the domain.
    fn mask(&self, up: usize, cut: &Cut) -> Option<Arc<Mask>> {
        let (grid, view) = (&self.sampled.grid, self.view);
        let inside = view.plane(grid, cut, self.sampled.inside.as_ref()?);
        let mut start = view.problem.domain.lower.clone();
        cut.places(grid).for_each(|(c, value)| start[c] = value);
        let along = |c: usize, fraction: f64| between(grid.lower[c], grid.upper[c], fraction);
        let contains = |x: f64, y: f64| {
            let mut point = start.clone();
            (point[view.across], point[up]) = (along(view.across, x), along(up, y));
            view.reaches(&mut point)
        };
        Some(Arc::new(Mask::new(inside.iter().map(|value| value.is_finite()).collect(), contains)))
    }
}

fn series(name: &str, points: Vec<(f64, f64)>, mark: Mark) -> Series {
    Series { name: name.to_owned(), points, mark }
}

fn difference(error: &FieldError) -> Vec<f64> {
    error.network.iter().zip(&error.reference).map(|(a, b)| (a - b).abs()).collect()
}
