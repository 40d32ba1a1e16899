//! Places: in words, taken apart into faces, and whether a point lies on them.

use crate::geometry::{Boundary, Domain, Part, Place, Shape};
use crate::problem::{Problem, Source, Term};

/// How far a coordinate may be from a value that it has, relative to its range: far above rounding, far below
/// what is meant to be told apart.
const NEAR: f64 = 1e-9;

/// `everywhere`, or `x = -1, x = 1`.
pub fn place_text(place: &Place, problem: &Problem) -> String {
    match &place.parts[..] {
        [] => "everywhere".to_owned(),
        parts => parts.iter().map(|part| part_text(part, problem)).collect::<Vec<_>>().join(", "),
    }
}

/// Where the points of a term are: `everywhere`, `on x = 0`, `of sensors.csv`.
pub fn where_text(term: &Term, problem: &Problem) -> String {
    let Some(place) = place_of(term) else {
        let Source::Given { file, .. } = &term.source else { return String::new() };
        return format!("of {file}");
    };
    let text = match place.parts.iter().all(|part| *part == Part::default()) {
        true => "everywhere".to_owned(),
        false => format!("on {}", place_text(&place, problem)),
    };
    match &term.source {
        Source::Drawn { count, .. } if let Some(line) = &term.line => {
            format!("{text}, on {count} lines along {}", problem.coordinates[line.coordinate])
        }
        _ => text,
    }
}

/// The numbers of the fields that are coefficients to be found.
pub fn unknown_fields(problem: &Problem) -> std::ops::Range<usize> {
    problem.sought..problem.fields.len()
}

/// `x = 0 and 0 < y < 0.5`, `boundary`, the name of a shape.
pub fn part_text(part: &Part, problem: &Problem) -> String {
    // A condition keeps all of the text in which it was written.
    if let Some(condition) = part.within.first() {
        return condition.to_string();
    }
    let name = |c: usize| &problem.coordinates[c];
    let boundary = part.boundary.as_ref().map(|boundary| match boundary {
        Boundary::All => "boundary".to_owned(),
        Boundary::Shape(shape) => {
            let shapes = problem.domain.inside.as_ref().map(|region| &region.shapes);
            shapes.map_or_else(String::new, |shapes| shapes[*shape].0.clone())
        }
    });
    let fixed = part.fixed.iter().map(|&(c, value)| format!("{} = {}", name(c), brief(value)));
    let range = |&(c, lower, upper): &(usize, f64, f64)| {
        let (from, to) = (problem.domain.lower[c], problem.domain.upper[c]);
        match (lower > from, upper < to) {
            (true, false) => format!("{} > {}", name(c), brief(lower)),
            (false, true) => format!("{} < {}", name(c), brief(upper)),
            _ => format!("{} < {} < {}", brief(lower), name(c), brief(upper)),
        }
    };
    let texts = boundary.into_iter().chain(fixed).chain(part.ranges.iter().map(range));
    texts.collect::<Vec<_>>().join(" and ")
}

/// `x = 0.5, t = 1`.
pub fn point_text(point: &[f64], problem: &Problem) -> String {
    let coordinates = problem.coordinates.iter().zip(point);
    coordinates.map(|(name, &value)| format!("{name} = {}", brief(value))).collect::<Vec<_>>().join(", ")
}

/// Six digits, without an empty fraction.
pub fn brief(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let text = format!("{rounded:?}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Where a term was meant to hold: lines run over all of their coordinate. Nothing for points from a file.
pub(super) fn place_of(term: &Term) -> Option<Place> {
    let (Source::Drawn { place, .. } | Source::Observed { place, .. }) = &term.source else { return None };
    let mut place = place.clone();
    if term.line.is_some() {
        place.parts.iter_mut().for_each(|part| {
            part.fixed.pop();
        });
    }
    Some(place)
}

/// Whether a part fills the domain, or a piece of it, and is no condition on an edge.
pub(super) fn is_interior(part: &Part) -> bool {
    part.fixed.is_empty() && part.boundary.is_none()
}

/// The boundary of a box as its faces, any other part as it is.
pub(super) fn faces(part: &Part, domain: &Domain) -> Vec<Part> {
    if part.boundary != Some(Boundary::All) || domain.inside.is_some() {
        return vec![part.clone()];
    }
    let ends = |c: usize| [(c, domain.lower[c]), (c, domain.upper[c])];
    let face = |end: (usize, f64)| {
        let fixed = part.fixed.iter().copied().chain([end]).collect();
        Part { fixed, boundary: None, ..part.clone() }
    };
    domain.spatial().flat_map(ends).map(face).collect()
}

/// Whether a coordinate has this value.
pub(super) fn is_at(domain: &Domain, coordinate: usize, value: f64, at: f64) -> bool {
    (value - at).abs() <= NEAR * (domain.upper[coordinate] - domain.lower[coordinate])
}

/// Whether a point of the domain, on its boundary if the part is on one, belongs to the part.
pub(super) fn lies_on(part: &Part, point: &[f64], domain: &Domain) -> bool {
    let shapes = domain.inside.as_ref().map_or(&[][..], |region| &region.shapes);
    let surface = match part.boundary {
        Some(Boundary::Shape(shape)) => shapes.get(shape).is_some_and(|(_, shape)| on_surface(shape, point)),
        Some(Boundary::All) | None => true,
    };
    surface
        && part.fixed.iter().all(|&(c, value)| is_at(domain, c, point[c], value))
        && part.ranges.iter().all(|&(c, lower, upper)| (lower..=upper).contains(&point[c]))
        && part.within.iter().all(|condition| condition.holds(point))
}

/// Whether a small step along some axis crosses the boundary of a shape.
pub(super) fn on_surface(shape: &Shape, point: &[f64]) -> bool {
    let bounds = shape.bounding_box();
    let largest = bounds.iter().flat_map(|(a, b)| [a.abs(), b.abs(), b - a]).fold(0.0, f64::max);
    let beside = |axis: usize, step: f64| {
        let mut moved = point.to_vec();
        moved[axis] += step;
        shape.contains(&moved)
    };
    shape.axes.iter().any(|&axis| beside(axis, NEAR * largest) != beside(axis, -NEAR * largest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Form;

    #[test]
    fn numbers_are_brief() {
        assert_eq!(
            [1.0, -0.5, 2.0 * std::f64::consts::PI, 1e-9].map(brief),
            ["1", "-0.5", "6.28319", "1e-9"]
        );
    }

    #[test]
    fn a_box_has_faces_and_a_disk_a_surface() {
        let domain = Domain::new(vec![0.0; 3], vec![1.0; 3]).unwrap().with_time(Some(2));
        let faces = faces(&Part::boundary(Boundary::All), &domain);
        assert_eq!(
            faces.iter().map(|part| part.fixed[0]).collect::<Vec<_>>(),
            [(0, 0.0), (0, 1.0), (1, 0.0), (1, 1.0)]
        );
        assert!(
            lies_on(&faces[1], &[1.0, 0.3, 0.2], &domain) && !lies_on(&faces[0], &[1.0, 0.3, 0.2], &domain)
        );
        let disk = Shape::new(vec![0, 1], Form::Ball { center: vec![0.0, 0.0], radius: 1.0 }).unwrap();
        assert!(on_surface(&disk, &[0.6, 0.8, 0.5]) && on_surface(&disk, &[1.0, 0.0, 0.5]));
        assert!(!on_surface(&disk, &[0.6, 0.7, 0.5]));
    }
}
