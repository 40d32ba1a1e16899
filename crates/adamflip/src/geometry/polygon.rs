//! Polygons: whether corners make one, and what lies inside.

use super::ShapeError;

type Corner = [f64; 2];

/// Whether the corners make a polygon without crossings. Compares all pairs of edges: a million for a
/// thousand.
pub(super) fn check(corners: &[Corner]) -> Result<(), ShapeError> {
    let count = corners.len();
    if count < 3 {
        return Err(ShapeError::Corners { corners: count });
    }
    let repeated = |&index: &usize| corners[index] == corners[(index + 1) % count];
    if let Some(index) = (0..count).find(repeated) {
        return Err(ShapeError::Repeated { first: index + 1, second: (index + 1) % count + 1 });
    }
    if flat(corners) {
        return Err(ShapeError::ZeroArea);
    }
    for second in 1..count {
        for first in 0..second {
            if conflict(corners, first, second) {
                return Err(ShapeError::Crossing { first: first + 1, second: second + 1 });
            }
        }
    }
    Ok(())
}

/// Whether all corners lie on a line, to rounding. A figure of eight also has no area, but is a crossing.
fn flat(corners: &[Corner]) -> bool {
    let away = |corner: &Corner| difference(*corner, corners[0]);
    let square = |v: Corner| dot(v, v);
    let far = corners.iter().map(away).max_by(|a, b| square(*a).total_cmp(&square(*b))).unwrap_or([0.0; 2]);
    corners.iter().all(|corner| cross(far, away(corner)).abs() <= 1e-12 * square(far))
}

/// Whether two edges have more in common than the corner between neighbours.
fn conflict(corners: &[Corner], first: usize, second: usize) -> bool {
    let [(a, b), (c, d)] = [first, second].map(|index| edge(corners, index));
    let (forward, backward) = (difference(b, a), difference(d, c));
    if second == first + 1 || first == 0 && second + 1 == corners.len() {
        return cross(forward, backward) == 0.0 && dot(forward, backward) < 0.0;
    }
    meet(a, b, c, d)
}

/// Whether the closed segments a–b and c–d have a point in common.
fn meet(a: Corner, b: Corner, c: Corner, d: Corner) -> bool {
    let side = |p: Corner, q: Corner, r: Corner| cross(difference(q, p), difference(r, p));
    let (c_side, d_side, a_side, b_side) = (side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b));
    let strictly = |one: f64, other: f64| (one > 0.0) != (other > 0.0) && one != 0.0 && other != 0.0;
    let touches = |side: f64, p: Corner, q: Corner, r: Corner| {
        side == 0.0 && dot(difference(p, r), difference(q, r)) <= 0.0
    };
    strictly(c_side, d_side) && strictly(a_side, b_side)
        || touches(c_side, a, b, c)
        || touches(d_side, a, b, d)
        || touches(a_side, c, d, a)
        || touches(b_side, c, d, b)
}

/// Whether the point is in the closed polygon: an odd number of edges to its right, or on an edge to
/// rounding.
pub(super) fn contains(corners: &[Corner], point: Corner) -> bool {
    let mut inside = false;
    for index in 0..corners.len() {
        let (a, b) = edge(corners, index);
        if touches(a, b, point) {
            return true;
        }
        if (a[1] > point[1]) != (b[1] > point[1]) {
            let crossing = a[0] + (b[0] - a[0]) * ((point[1] - a[1]) / (b[1] - a[1]));
            inside ^= point[0] < crossing;
        }
    }
    inside
}

/// Within a few roundings of the segment.
fn touches(a: Corner, b: Corner, point: Corner) -> bool {
    let (along, to) = (difference(b, a), difference(point, a));
    let fraction = (dot(to, along) / dot(along, along)).clamp(0.0, 1.0);
    let off = (to[0] - fraction * along[0]).hypot(to[1] - fraction * along[1]);
    let magnitude = [a, b].as_flattened().iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    off <= 4.0 * f64::EPSILON * magnitude
}

/// The ends of an edge, which is closed by the first corner.
pub(super) fn edge(corners: &[Corner], index: usize) -> (Corner, Corner) {
    (corners[index], corners[(index + 1) % corners.len()])
}

/// The smallest and largest coordinate of the corners.
pub(super) fn span(corners: &[Corner], axis: usize) -> (f64, f64) {
    corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lower, upper), corner| {
        (lower.min(corner[axis]), upper.max(corner[axis]))
    })
}

fn difference(a: Corner, b: Corner) -> Corner {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: Corner, b: Corner) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

fn dot(a: Corner, b: Corner) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
