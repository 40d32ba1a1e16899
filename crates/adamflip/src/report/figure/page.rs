//! Panels in rows under a heading.

use super::diagram::{Diagram, DiagramPanel};
use super::drawing::{Drawing, Figure};
use super::font::{fitted_bold, text_width};
use super::maps::{FigureError, Map, MapPanel, scale_of};
use super::plot::{Plot, PlotPanel};

/// One of the pictures of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Panel {
    /// A field over two coordinates.
    Map(Map),
    /// Values over one.
    Plot(Plot),
    /// Curves over steps.
    Diagram(Diagram),
}

const MARGIN: f64 = 14.0;
const HEADING: f64 = 15.0;
const WIDEST_HEADING: f64 = 760.0;

/// Rows of panels under a heading (none if empty), as the text of an SVG file. Panels of a kind stand in
/// columns.
pub fn page(heading: &str, rows: &[Vec<Panel>]) -> Result<String, FigureError> {
    Ok(compose(heading, rows)?.svg()?)
}

/// As [`page`], as a figure to be written as text or as pixels.
pub fn compose(heading: &str, rows: &[Vec<Panel>]) -> Result<Figure, FigureError> {
    let all: Vec<&Map> = rows.iter().flatten().filter_map(Panel::map).collect();
    let ready: Vec<Vec<Ready<'_>>> =
        rows.iter().map(|row| row.iter().map(|panel| Ready::new(panel, &all, row.len())).collect()).collect();
    let widest = |like: &Ready<'_>| {
        let kind = ready.iter().flatten().filter(|panel| panel.is_map() == like.is_map());
        kind.map(Ready::width).fold(0.0, f64::max)
    };
    let mut drawing = Drawing::default();
    let mut y = if heading.is_empty() { MARGIN } else { MARGIN + 24.0 };
    let mut right = 0f64;
    for row in &ready {
        let mut x = MARGIN;
        for panel in row {
            panel.draw(&mut drawing, x, y)?;
            x += widest(panel) + MARGIN;
        }
        right = right.max(x);
        y += row.iter().map(Ready::height).fold(0.0, f64::max) + MARGIN;
    }
    // A lone panel may be narrower than the heading.
    let width = right.max((text_width(heading, 1.1 * HEADING)).min(WIDEST_HEADING) + 2.0 * MARGIN);
    drawing.heading(MARGIN, MARGIN + 10.0, HEADING, &fitted_bold(heading, HEADING, width - 2.0 * MARGIN));
    let titles: Vec<&str> =
        rows.iter().flatten().map(Panel::title).filter(|title| !title.is_empty()).collect();
    let name = match (heading, titles.join(", ")) {
        ("", titles) => titles,
        (heading, titles) if titles.is_empty() => heading.to_owned(),
        (heading, titles) => format!("{heading}: {titles}"),
    };
    Ok(drawing.finish(width, y, &name))
}

impl Panel {
    fn title(&self) -> &str {
        match self {
            Self::Map(map) => &map.title,
            Self::Plot(plot) => &plot.title,
            Self::Diagram(diagram) => &diagram.title,
        }
    }

    fn map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            Self::Plot(_) | Self::Diagram(_) => None,
        }
    }
}

/// A panel with all that its layout needs.
enum Ready<'a> {
    Map(MapPanel<'a>),
    Plot(PlotPanel<'a>),
    Diagram(DiagramPanel<'a>),
}

impl<'a> Ready<'a> {
    /// `beside` counts the panels of its row.
    fn new(panel: &'a Panel, all: &[&Map], beside: usize) -> Self {
        match panel {
            Panel::Map(map) => Self::Map(MapPanel::new(map, scale_of(map, all))),
            Panel::Plot(plot) => Self::Plot(PlotPanel::new(plot, beside)),
            Panel::Diagram(diagram) => Self::Diagram(DiagramPanel::new(diagram)),
        }
    }

    fn is_map(&self) -> bool {
        matches!(self, Self::Map(_))
    }

    fn width(&self) -> f64 {
        match self {
            Self::Map(panel) => panel.width(),
            Self::Plot(panel) => panel.width(),
            Self::Diagram(panel) => panel.width(),
        }
    }

    fn height(&self) -> f64 {
        match self {
            Self::Map(panel) => panel.height(),
            Self::Plot(panel) => panel.height(),
            Self::Diagram(panel) => panel.height(),
        }
    }

    fn draw(&self, drawing: &mut Drawing, x: f64, y: f64) -> Result<(), FigureError> {
        match self {
            Self::Map(panel) => panel.draw(drawing, x, y)?,
            Self::Plot(panel) => panel.draw(drawing, x, y),
            Self::Diagram(panel) => panel.draw(drawing, x, y),
        }
        Ok(())
    }
}
