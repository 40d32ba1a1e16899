//! Figures as self-contained SVG: no scripts, no fonts, no files beside them.
//!
//! [`maps`] draws fields over two coordinates as heat maps, [`curves`] draws histories on a logarithmic axis.
//! Both draw whatever numbers come: constant fields, gaps, values that are not finite.

mod curves;
mod frame;
mod maps;
mod raster;
mod scale;
mod svg;
mod ticks;

pub use curves::{Chart, Curve, curves};
pub use maps::{Axis, FigureError, Map, maps};
pub use scale::Colours;

#[cfg(test)]
mod tests;

/// Whether a number can be placed on a scale: finite, and so far from the ends of f64 that differences are, too.
fn drawable(value: f64) -> bool {
    value.abs() <= 1e300
}
