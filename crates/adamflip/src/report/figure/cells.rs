//! The coloured part of a map: cells around nodes, or dots.

use std::sync::Arc;

use super::drawable;
use super::drawing::{Area, Drawing};
use super::maps::{FigureError, Map};
use super::mask::Mask;
use super::raster::Image;
use super::scale::Scale;

/// The line along the edge of a domain: light colours would fade into the page without it.
const EDGE: [u8; 4] = [0x80, 0x80, 0x80, 0xff];

/// Values and their places.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// On a tensor grid of nodes, the ends of both axes included: the value at node (i, j) of x and y is
    /// `[i * y.count + j]`. What is not finite is drawn grey.
    Nodes(Vec<f64>),
    /// The same on a part of the grid; the rest is blank.
    Within(Vec<f64>, Arc<Mask>),
    /// (x, y, value) anywhere. The last are drawn on top.
    Dots(Vec<(f64, f64, f64)>),
}

impl Cells {
    /// The values that the scale has to show.
    pub(super) fn values(&self) -> impl Iterator<Item = f64> + '_ {
        let nodes: &[f64] = match self {
            Self::Nodes(values) | Self::Within(values, _) => values,
            Self::Dots(_) => &[],
        };
        let dots: &[(f64, f64, f64)] = if let Self::Dots(dots) = self { dots } else { &[] };
        let counts = move |node: &usize| self.mask().is_none_or(|mask| mask.counts(*node));
        (0..nodes.len()).filter(counts).map(|node| nodes[node]).chain(dots.iter().map(|dot| dot.2))
    }

    /// Whether a value that should be there is none.
    pub(super) fn has_gap(&self) -> bool {
        self.values().any(|value| !drawable(value))
    }

    fn mask(&self) -> Option<&Mask> {
        if let Self::Within(_, mask) = self { Some(mask) } else { None }
    }

    pub(super) fn draw(
        &self,
        drawing: &mut Drawing,
        plot: Area,
        map: &Map,
        scale: &Scale,
    ) -> Result<(), FigureError> {
        match self {
            Self::Nodes(values) => {
                let nodes = nodes(map, values.len())?;
                let image = whole(values, nodes, plot, scale);
                drawing.image(plot, overhanging(plot, nodes), image);
            }
            Self::Within(values, mask) => {
                let image = within(values, mask, nodes(map, values.len())?, scale);
                drawing.image(plot, plot, image);
            }
            Self::Dots(dots) => draw_dots(drawing, plot, map, scale, dots),
        }
        Ok(())
    }
}

/// Nodes across and up, if there is a value for each.
fn nodes(map: &Map, found: usize) -> Result<(u32, u32), FigureError> {
    let (x, y) = (map.x.count, map.y.count);
    let whole = x.checked_mul(y).is_some_and(|nodes| nodes > 0 && nodes == found);
    // Repeated cells add less than two plots to a side, so no side leaves the numbers of PNG.
    match (u32::try_from(x), u32::try_from(y)) {
        (Ok(x), Ok(y)) if whole && x.max(y) < 1 << 30 => Ok((x, y)),
        _ => Err(FigureError::WrongSize { title: map.title.clone(), found, x, y }),
    }
}

/// A node is the middle of its cell, so cells at the ends stick out of the plot by half and are cut off.
fn overhanging(plot: Area, (columns, rows): (u32, u32)) -> Area {
    let over = |length: f64, count: u32| if count == 1 { 0.0 } else { length / f64::from(count - 1) };
    let (dx, dy) = (over(plot.width, columns), over(plot.height, rows));
    Area { x: plot.x - dx / 2.0, y: plot.y - dy / 2.0, width: plot.width + dx, height: plot.height + dy }
}

/// The cells as an image. Programs that show an image blend its pixels, and blended colours are not on the
/// scale: coarse cells are repeated until a pixel is about half a unit of the page.
fn whole(values: &[f64], (columns, rows): (u32, u32), plot: Area, scale: &Scale) -> Image {
    let repeat = |length: f64, count: u32| (2.0 * length / f64::from(count)).ceil().max(1.0) as u32;
    let (wide, high) = (repeat(plot.width, columns), repeat(plot.height, rows));
    let mut pixels = Vec::new();
    for j in (0..rows as usize).rev() {
        let colours = (0..columns as usize).map(|i| opaque(scale.colour(values[i * rows as usize + j])));
        let line: Vec<[u8; 4]> =
            colours.flat_map(|colour| std::iter::repeat_n(colour, wide as usize)).collect();
        pixels.extend(line.repeat(high as usize));
    }
    Image { width: columns * wide, height: rows * high, pixels }
}

/// The pixels of the mask, each in the colour of its node, transparent outside.
fn within(values: &[f64], mask: &Mask, (columns, rows): (u32, u32), scale: &Scale) -> Image {
    let count = (columns as usize, rows as usize);
    let colours: Vec<[u8; 3]> = values.iter().map(|&value| scale.colour(value)).collect();
    let places = (0..Mask::SIDE).flat_map(|row| (0..Mask::SIDE).map(move |column| (column, row)));
    let pixel = |place| match mask.node(place, count).map(|node| colours[node]) {
        Some(_) if mask.is_edge(place) => EDGE,
        Some(colour) => opaque(colour),
        None => [0xff, 0xff, 0xff, 0],
    };
    Image { width: Mask::SIDE as u32, height: Mask::SIDE as u32, pixels: places.map(pixel).collect() }
}

fn opaque([red, green, blue]: [u8; 3]) -> [u8; 4] {
    [red, green, blue, 0xff]
}

/// A dot for each value, of a thousand or so at most: more would only cover one another. The last is always
/// there.
fn draw_dots(drawing: &mut Drawing, plot: Area, map: &Map, scale: &Scale, dots: &[(f64, f64, f64)]) {
    const MOST: usize = 1500;
    let ((left, right), (low, high)) = (map.x.range(), map.y.range());
    let stride = dots.len().div_ceil(MOST).max(1);
    let kept: Vec<&(f64, f64, f64)> = dots.iter().rev().step_by(stride).collect();
    let shown = |dot: &&&(f64, f64, f64)| (left..=right).contains(&dot.0) && (low..=high).contains(&dot.1);
    let placed = |&&(x, y, value): &&(f64, f64, f64)| {
        let x = plot.x + plot.width * (x - left) / (right - left);
        let y = plot.bottom() - plot.height * (y - low) / (high - low);
        (x, y, scale.colour(value))
    };
    drawing.dots(kept.iter().rev().filter(shown).map(placed).collect());
}
