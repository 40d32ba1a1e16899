//! One diagram as a figure of its own: histories of losses.

use super::diagram::{Curve, Diagram};
use super::heights::Vertical;
use super::page::{Panel, compose};

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

/// Curves over a logarithmic y axis, with a legend, as the text of an SVG file.
pub fn curves(chart: &Chart, curves: &[Curve]) -> String {
    let Chart { title, x_label, y_label } = chart.clone();
    let diagram = Diagram {
        title: String::new(),
        x_label,
        y_label,
        // Losses fall by any factor, and all of it is shown.
        vertical: Vertical::Logarithmic { decades: f64::INFINITY },
        curves: curves.to_vec(),
        stretches: Vec::new(),
        goal: None,
    };
    // Only images can fail, and there are none.
    let figure = compose(&title, &[vec![Panel::Diagram(diagram)]]).ok();
    figure.and_then(|figure| figure.svg().ok()).unwrap_or_default()
}
