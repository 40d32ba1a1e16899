//! Figures as self-contained SVG: no scripts, no fonts, no files beside them.
//!
//! [`page`] draws rows of panels: fields over two coordinates as heat maps, values over one as lines and dots.
//! [`curves`] draws histories, many lines on a logarithmic axis. All draw whatever numbers come: constant fields, gaps, values that are not finite.

mod axes;
mod cells;
mod curves;
mod frame;
mod heights;
mod maps;
mod mask;
mod page;
mod plot;
mod raster;
mod scale;
mod svg;
mod ticks;

pub use cells::Cells;
pub use curves::{Chart, Curve, curves};
pub use heights::Vertical;
pub use maps::{Axis, FigureError, Map, maps};
pub use mask::Mask;
pub use page::{Panel, page};
pub use plot::{Mark, Plot, Series};
pub use scale::Colours;

#[cfg(test)]
mod tests;

/// Whether a number can be placed on a scale: finite, and so far from the ends of f64 that differences are, too.
fn drawable(value: f64) -> bool {
    value.abs() <= 1e300
}
