//! Heat maps: fields over two coordinates, side by side.

use super::cells::Cells;
use super::drawing::{Anchor, Area, Drawing, SMALL, TEXT};
use super::font::{fitted, fitted_bold, text_width};
use super::frame::{self, BELOW, Ruler, TICK};
use super::page::{Panel, page};
use super::raster::Image;
use super::scale::{Colours, Scale, widened};
use super::ticks::Ticks;

/// A field over two coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// What is shown.
    pub title: String,
    /// The axis across the page.
    pub x: Axis,
    /// The axis up the page.
    pub y: Axis,
    /// The values and their places.
    pub cells: Cells,
    /// How values become colours.
    pub colours: Colours,
    /// Maps of the same group share one scale, that of the first of them: a solution and its reference.
    /// `None` has a scale of its own.
    pub group: Option<usize>,
    /// Whether a unit is as long on both axes: for two coordinates of space.
    pub equal_units: bool,
}

/// An axis of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The name of the coordinate.
    pub label: String,
    /// The first node.
    pub lower: f64,
    /// The last node.
    pub upper: f64,
    /// How many nodes.
    pub count: usize,
}

/// Why a figure cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// Not as many values as nodes, or no nodes.
    #[error("the map {title:?} has {found} values on a grid of {x} by {y} nodes")]
    WrongSize {
        /// The title of the map.
        title: String,
        /// Number of values.
        found: usize,
        /// Nodes across.
        x: usize,
        /// Nodes up.
        y: usize,
    },
    /// The image of the cells cannot be encoded: it is too large.
    #[error("a map cannot be encoded as an image")]
    Image(#[from] png::EncodingError),
    /// The page has no place in an image.
    #[error("a figure of {width} by {height} units is too large for an image")]
    TooLarge {
        /// In units of the page.
        width: f64,
        /// In units of the page.
        height: f64,
    },
}

const PLOT: (f64, f64) = (260.0, 200.0);
const TITLE: f64 = 26.0;
const BAR_GAP: f64 = 12.0;
const BAR: f64 = 14.0;

/// Maps in rows of at most `columns` panels, under a heading (none if empty), as the text of an SVG file.
pub fn maps(heading: &str, maps: &[Map], columns: usize) -> Result<String, FigureError> {
    let rows = maps.chunks(columns.max(1)).map(|row| row.iter().cloned().map(Panel::Map).collect());
    page(heading, &rows.collect::<Vec<_>>())
}

/// The scale of a map: fitted to all maps of its group, in the colours of the first of them.
pub(super) fn scale_of(map: &Map, all: &[&Map]) -> Scale {
    let own = |other: &&&Map| match map.group {
        Some(group) => other.group == Some(group),
        None => std::ptr::eq(**other, map),
    };
    let members: Vec<&&Map> = all.iter().filter(own).collect();
    let colours = members.first().map_or(map.colours, |first| first.colours);
    Scale::fit(colours, members.iter().flat_map(|member| member.cells.values()))
}

/// A map with all that its layout needs.
pub(super) struct MapPanel<'a> {
    map: &'a Map,
    scale: Scale,
    size: (f64, f64),
    across: Ruler,
    up: Ruler,
    bar: Ticks,
    has_grey: bool,
}

impl<'a> MapPanel<'a> {
    pub(super) fn new(map: &'a Map, scale: Scale) -> Self {
        let (x, y) = (map.x.range(), map.y.range());
        let size = plot_size(map.equal_units, (y.1 - y.0) / (x.1 - x.0));
        Self {
            map,
            scale,
            size,
            across: Ruler::across(x.0, x.1, size.0),
            up: Ruler::up(y.0, y.1, size.1),
            bar: scale.ticks(frame::rows(size.1)),
            has_grey: map.cells.has_gap(),
        }
    }

    pub(super) fn width(&self) -> f64 {
        let notes = self.bar.note.iter().map(|note| text_width(note, SMALL) - BAR).fold(0.0, f64::max);
        let beside = (TICK + 3.0 + frame::widest(&self.bar)).max(notes);
        frame::left_of(&self.up.ticks) + self.size.0 + BAR_GAP + BAR + beside
    }

    pub(super) fn height(&self) -> f64 {
        TITLE + self.size.1 + BELOW + if self.has_grey { 18.0 } else { 0.0 }
    }

    pub(super) fn draw(&self, drawing: &mut Drawing, x: f64, y: f64) -> Result<(), FigureError> {
        let (width, height) = self.size;
        let plot = Area { x: x + frame::left_of(&self.up.ticks), y: y + TITLE, width, height };
        // A note stands above the colour bar; without one, the title may run on over it.
        let room = if self.bar.note.is_some() { width } else { x + self.width() - plot.x };
        let title = fitted_bold(&self.map.title, TEXT + 1.0, room);
        drawing.heading(plot.x, y + TITLE - 9.0, TEXT + 1.0, &title);
        self.map.cells.draw(drawing, plot, self.map, &self.scale)?;
        drawing.frame(plot);
        drawing.panel(&self.map.title, plot);
        frame::below(drawing, plot, &self.across, &fitted(&self.map.x.label, TEXT, width));
        self.up.left(drawing, plot, &fitted(&self.map.y.label, TEXT, height));
        self.draw_bar(drawing, Area { x: plot.right() + BAR_GAP, width: BAR, ..plot });
        if self.has_grey {
            let baseline = plot.bottom() + BELOW + 10.0;
            drawing.text(plot.right(), baseline, SMALL, Anchor::End, "grey: not a finite number");
        }
        Ok(())
    }

    fn draw_bar(&self, drawing: &mut Drawing, bar: Area) {
        const SHADES: u32 = 256;
        let shade = |row: u32| self.scale.colour_at(f64::from(SHADES - 1 - row) / f64::from(SHADES - 1));
        let pixels = (0..SHADES).map(shade).map(|[red, green, blue]| [red, green, blue, 0xff]).collect();
        drawing.image(bar, bar, Image { width: 1, height: SHADES, pixels });
        drawing.frame(bar);
        frame::right(drawing, bar, &self.bar, |value| self.scale.fraction(value));
    }
}

impl Axis {
    /// The range that is drawn: an axis without length has some all the same.
    pub(super) fn range(&self) -> (f64, f64) {
        let drawable = super::drawable(self.lower) && super::drawable(self.upper) && self.lower <= self.upper;
        if drawable { widened(self.lower, self.upper) } else { (0.0, 1.0) }
    }
}

/// Width and height of a plot; with equal units as large as fits, but never too thin to be seen.
fn plot_size(equal_units: bool, slope: f64) -> (f64, f64) {
    const THINNEST: f64 = 80.0;
    const TALLEST: f64 = 320.0;
    if !equal_units {
        return PLOT;
    }
    let height = (PLOT.0 * slope).clamp(THINNEST, TALLEST);
    ((height / slope).clamp(THINNEST, PLOT.0), height)
}
