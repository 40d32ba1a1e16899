//! Figures as self-contained SVG and as PNG: no scripts, no files beside them, and no fonts of the machine.
//!
//! [`compose`] draws rows of panels: fields over two coordinates as heat maps, values over one as lines and
//! dots, histories as curves over steps. All draw whatever numbers come: constant fields, gaps, values that
//! are not finite.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `page` | panels in rows |
//! | `maps`, `cells`, `mask`, `scale` | heat maps: cells, what is blank, colours |
//! | `plot`, `diagram`, `axes`, `heights`, `marks` | lines and dots over one coordinate, curves over steps |
//! | `frame`, `ticks` | axes and round numbers |
//! | `drawing`, `colour`, `font` | elements of a drawing |
//! | `svg`, `pixels`, `raster`, `palette` | drawings as text and as pixels |

mod axes;
mod cells;
mod colour;
mod curves;
mod diagram;
mod drawing;
mod font;
mod frame;
mod heights;
mod maps;
mod marks;
mod mask;
mod page;
mod palette;
mod pixels;
mod plot;
mod raster;
mod scale;
mod svg;
mod ticks;

pub use cells::Cells;
pub use curves::{Chart, curves};
pub use diagram::{Curve, Diagram};
pub use drawing::{Area, Figure, PanelArea};
pub use heights::Vertical;
pub use maps::{Axis, FigureError, Map, maps};
pub use mask::Mask;
pub use page::{Panel, compose, page};
pub use plot::{Mark, Plot, Series};
pub use raster::png_address;
pub use scale::Colours;
pub(super) use svg::escape;

#[cfg(test)]
mod tests;

/// Whether a number can be placed on a scale: finite, and so far from the ends of f64 that differences are,
/// too.
fn drawable(value: f64) -> bool {
    value.abs() <= 1e300
}
