//! Heat maps: fields over two coordinates, side by side.

use super::frame::{self, BELOW, Ruler, TICK};
use super::raster::data_address;
use super::scale::{Colours, Scale, widened};
use super::svg::{Anchor, Area, Drawing, SMALL, TEXT, fitted, text_width};
use super::ticks::Ticks;

/// A field on a tensor grid of nodes, the ends of both axes included.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// What is shown.
    pub title: String,
    /// The axis across the page.
    pub x: Axis,
    /// The axis up the page.
    pub y: Axis,
    /// Value at node (i, j) of x and y is `values[i * y.count + j]`. What is not finite is drawn grey.
    pub values: Vec<f64>,
    /// How values become colours.
    pub colours: Colours,
    /// Maps of the same group share one scale, that of the first of them: a solution and its reference. `None` has a
    /// scale of its own.
    pub group: Option<usize>,
    /// Whether a unit is as long on both axes: for two coordinates of space.
    pub equal_units: bool,
}

/// An axis of a map.
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
}

const PLOT: (f64, f64) = (260.0, 200.0);
const TITLE: f64 = 26.0;
const BAR_GAP: f64 = 12.0;
const BAR: f64 = 14.0;
const MARGIN: f64 = 14.0;

/// Maps in rows of at most `columns` panels, under a heading (none if empty), as the text of an SVG file.
pub fn maps(heading: &str, maps: &[Map], columns: usize) -> Result<String, FigureError> {
    let panels: Vec<Panel<'_>> = maps.iter().map(|map| Panel::new(map, scale_of(map, maps))).collect();
    let columns = columns.clamp(1, panels.len().max(1));
    let mut drawing = Drawing::default();
    let mut y = if heading.is_empty() { MARGIN } else { MARGIN + 24.0 };
    let cell = panels.iter().map(Panel::width).fold(0.0, f64::max);
    let width = 2.0 * MARGIN + columns as f64 * cell + (columns - 1) as f64 * MARGIN;
    for row in panels.chunks(columns) {
        for (column, panel) in row.iter().enumerate() {
            panel.draw(&mut drawing, MARGIN + column as f64 * (cell + MARGIN), y)?;
        }
        y += row.iter().map(Panel::height).fold(0.0, f64::max) + MARGIN;
    }
    drawing.heading(MARGIN, MARGIN + 10.0, 15.0, &fitted(heading, 15.0, width - 2.0 * MARGIN));
    let titles: Vec<&str> = maps.iter().map(|map| map.title.as_str()).collect();
    let name = format!("{heading}: {}", titles.join(", "));
    Ok(drawing.finish(width, y, name.trim_start_matches(": ")))
}

/// The scale of a map: fitted to all maps of its group, in the colours of the first of them.
fn scale_of(map: &Map, all: &[Map]) -> Scale {
    let own = |other: &&Map| match map.group {
        Some(group) => other.group == Some(group),
        None => std::ptr::eq(*other, map),
    };
    let members: Vec<&Map> = all.iter().filter(own).collect();
    let colours = members.first().map_or(map.colours, |first| first.colours);
    Scale::fit(colours, members.iter().flat_map(|member| member.values.iter().copied()))
}

/// A map with all that its layout needs.
struct Panel<'a> {
    map: &'a Map,
    scale: Scale,
    size: (f64, f64),
    across: Ruler,
    up: Ruler,
    bar: Ticks,
    has_grey: bool,
}

impl<'a> Panel<'a> {
    fn new(map: &'a Map, scale: Scale) -> Self {
        let (x, y) = (map.x.range(), map.y.range());
        let size = plot_size(map.equal_units, (y.1 - y.0) / (x.1 - x.0));
        Self {
            map,
            scale,
            size,
            across: Ruler::across(x.0, x.1, size.0),
            up: Ruler::up(y.0, y.1, size.1),
            bar: scale.ticks(frame::rows(size.1)),
            has_grey: map.values.iter().any(|&value| !super::drawable(value)),
        }
    }

    fn width(&self) -> f64 {
        let notes = self.bar.note.iter().map(|note| text_width(note, SMALL) - BAR).fold(0.0, f64::max);
        let beside = (TICK + 3.0 + frame::widest(&self.bar)).max(notes);
        frame::left_of(&self.up.ticks) + self.size.0 + BAR_GAP + BAR + beside
    }

    fn height(&self) -> f64 {
        TITLE + self.size.1 + BELOW + if self.has_grey { 18.0 } else { 0.0 }
    }

    fn draw(&self, drawing: &mut Drawing, x: f64, y: f64) -> Result<(), FigureError> {
        let (width, height) = self.size;
        let plot = Area { x: x + frame::left_of(&self.up.ticks), y: y + TITLE, width, height };
        // A note stands above the colour bar; without one, the title may run on over it.
        let room = if self.bar.note.is_some() { width } else { x + self.width() - plot.x };
        let title = fitted(&self.map.title, TEXT + 1.0, room);
        drawing.heading(plot.x, y + TITLE - 9.0, TEXT + 1.0, &title);
        self.draw_cells(drawing, plot)?;
        drawing.frame(plot);
        frame::below(drawing, plot, &self.across, &fitted(&self.map.x.label, TEXT, width));
        self.up.left(drawing, plot, &fitted(&self.map.y.label, TEXT, height));
        self.draw_bar(drawing, Area { x: plot.right() + BAR_GAP, width: BAR, ..plot })?;
        if self.has_grey {
            let baseline = plot.bottom() + BELOW + 10.0;
            drawing.text(plot.right(), baseline, SMALL, Anchor::End, "grey: not a finite number");
        }
        Ok(())
    }

    /// A node is the middle of its cell, so cells at the ends stick out by half and are cut off.
    fn draw_cells(&self, drawing: &mut Drawing, plot: Area) -> Result<(), FigureError> {
        let (columns, rows) = (self.map.x.count, self.map.y.count);
        let address = self.image()?;
        let cell = |length: f64, count: usize| length / (count.max(2) - 1) as f64;
        let (dx, dy) = (cell(plot.width, columns), cell(plot.height, rows));
        let extent = |length: f64, step: f64, count: usize| if count == 1 { length } else { length + step };
        let offset = |step: f64, count: usize| if count == 1 { 0.0 } else { step / 2.0 };
        let extent = Area {
            x: plot.x - offset(dx, columns),
            y: plot.y - offset(dy, rows),
            width: extent(plot.width, dx, columns),
            height: extent(plot.height, dy, rows),
        };
        drawing.image(plot, extent, &address);
        Ok(())
    }

    /// The cells as an image. Programs that show an image blend its pixels, and blended colours are not on the scale:
    /// coarse cells are repeated until a pixel is about half a unit of the page.
    fn image(&self) -> Result<String, FigureError> {
        let (columns, rows) = self.map.nodes()?;
        let repeat = |length: f64, count: u32| (2.0 * length / f64::from(count)).ceil().max(1.0) as u32;
        let (wide, high) = (repeat(self.size.0, columns), repeat(self.size.1, rows));
        let mut pixels = Vec::new();
        for j in (0..rows as usize).rev() {
            let node = |i: usize| self.map.values[i * rows as usize + j];
            let colours = (0..columns as usize).map(|i| self.scale.colour(node(i)));
            let line: Vec<u8> = colours.flat_map(|colour| colour.repeat(wide as usize)).collect();
            pixels.extend(line.repeat(high as usize));
        }
        Ok(data_address(columns * wide, rows * high, &pixels)?)
    }

    fn draw_bar(&self, drawing: &mut Drawing, bar: Area) -> Result<(), FigureError> {
        const SHADES: u32 = 256;
        let shade = |row: u32| self.scale.colour_at(f64::from(SHADES - 1 - row) / f64::from(SHADES - 1));
        let pixels: Vec<u8> = (0..SHADES).flat_map(|row| shade(row).repeat(BAR as usize)).collect();
        drawing.image(bar, bar, &data_address(BAR as u32, SHADES, &pixels)?);
        drawing.frame(bar);
        frame::right(drawing, bar, &self.bar, |value| self.scale.fraction(value));
        Ok(())
    }
}

impl Axis {
    /// The range that is drawn: an axis without length has some all the same.
    fn range(&self) -> (f64, f64) {
        let drawable = super::drawable(self.lower) && super::drawable(self.upper) && self.lower <= self.upper;
        if drawable { widened(self.lower, self.upper) } else { (0.0, 1.0) }
    }
}

impl Map {
    /// Nodes across and up, if there is a value for each.
    fn nodes(&self) -> Result<(u32, u32), FigureError> {
        let (x, y) = (self.x.count, self.y.count);
        let whole = x.checked_mul(y).is_some_and(|nodes| nodes > 0 && nodes == self.values.len());
        // Repeated cells add less than two plots to a side, so no side leaves the numbers of PNG.
        match (u32::try_from(x), u32::try_from(y)) {
            (Ok(x), Ok(y)) if whole && x.max(y) < 1 << 30 => Ok((x, y)),
            _ => Err(FigureError::WrongSize { title: self.title.clone(), found: self.values.len(), x, y }),
        }
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
