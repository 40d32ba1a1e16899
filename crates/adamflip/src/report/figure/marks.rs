//! Shapes by which curves and groups of points are told apart without colours.

use super::colour::{CURVES, Colour};
use super::drawing::Segment;

/// How the curve or group with a number looks: no two of the first 28 alike.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) colour: Colour,
    pub(super) dashes: &'static [f64],
    shape: usize,
}

const DASHES: [&[f64]; 4] = [&[], &[6.0, 4.0], &[1.5, 4.0], &[9.0, 3.0, 2.0, 3.0]];

impl Look {
    /// Colours and shapes by turns; further curves repeat them with dashes.
    pub(super) fn of(number: usize) -> Self {
        let dashes = DASHES[number / CURVES.len() % DASHES.len()];
        Self { colour: CURVES[number % CURVES.len()], dashes, shape: number }
    }

    /// Its mark at each of these places.
    pub(super) fn marks(self, places: &[(f64, f64)]) -> Vec<Segment> {
        places.iter().flat_map(|&place| shape(self.shape, place)).collect()
    }
}

/// Half the size of a mark.
const HALF: f64 = 3.0;

fn shape(number: usize, (x, y): (f64, f64)) -> Vec<Segment> {
    let corners: &[(f64, f64)] = match number % 7 {
        0 => return vec![Segment::Circle(x, y, HALF)],
        1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        2 => &[(0.0, -1.2), (1.1, 0.9), (-1.1, 0.9)],
        3 => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        4 => &[(0.0, 1.2), (1.1, -0.9), (-1.1, -0.9)],
        5 => &[(-1.2, -0.5), (1.2, -0.5), (1.2, 0.5), (-1.2, 0.5)],
        _ => &[(-0.5, -1.2), (0.5, -1.2), (0.5, 1.2), (-0.5, 1.2)],
    };
    let at = |&(dx, dy): &(f64, f64)| (x + HALF * dx, y + HALF * dy);
    let mut segments: Vec<Segment> = corners.iter().map(at).map(|(x, y)| Segment::Line(x, y)).collect();
    if let Some(Segment::Line(x, y)) = segments.first().copied() {
        segments[0] = Segment::Move(x, y);
    }
    segments.push(Segment::Close);
    segments
}
