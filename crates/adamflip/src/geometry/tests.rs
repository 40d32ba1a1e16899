//! Shapes and regions: what is refused, what is inside, and which parts have normals.

use super::*;
use std::f64::consts::{FRAC_PI_4, PI};

fn polygon(corners: &[[f64; 2]]) -> Result<Shape, ShapeError> {
    Shape::new(vec![0, 1], Form::Polygon(corners.to_vec()))
}

fn rectangle(lower: [f64; 2], upper: [f64; 2]) -> Shape {
    Shape::new(vec![0, 1], Form::Box { lower: lower.to_vec(), upper: upper.to_vec() }).unwrap()
}

fn ball(center: &[f64], radius: f64) -> Result<Shape, ShapeError> {
    Shape::new((0..center.len()).collect(), Form::Ball { center: center.to_vec(), radius })
}

fn region(shapes: &[Shape], tree: Csg) -> Region {
    let named = shapes.iter().enumerate().map(|(k, shape)| (format!("shape{k}"), shape.clone()));
    Region { shapes: named.collect(), tree }
}

/// A square of side 2 without its upper right quarter, over time.
fn corner_in_time() -> Domain {
    let shapes = [rectangle([0.0, 0.0], [2.0, 2.0]), rectangle([1.0, 1.0], [2.0, 2.0])];
    let domain = Domain::new(vec![0.0; 3], vec![2.0, 2.0, 1.0]).unwrap().with_time(Some(2));
    domain.with_inside(region(&shapes, Csg::Shape(0).difference(Csg::Shape(1)))).unwrap()
}

#[test]
fn polygons_that_are_none_are_refused() {
    assert_eq!(polygon(&[[0.0, 0.0], [1.0, 0.0]]), Err(ShapeError::Corners { corners: 2 }));
    let repeated = ShapeError::Repeated { first: 2, second: 3 };
    assert_eq!(polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), Err(repeated));
    let closed = ShapeError::Repeated { first: 4, second: 1 };
    assert_eq!(polygon(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), Err(closed));
    assert_eq!(polygon(&[[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]]), Err(ShapeError::ZeroArea));
    assert!(matches!(polygon(&[[0.0, f64::NAN], [1.0, 0.0], [0.0, 1.0]]), Err(ShapeError::NotFinite { .. })));
}

#[test]
fn crossing_edges_are_named() {
    let crossing = |first, second| Err(ShapeError::Crossing { first, second });
    // A figure of eight; an edge through a corner; a spike; two triangles that share a corner.
    assert_eq!(polygon(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), crossing(1, 3));
    assert_eq!(polygon(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), crossing(1, 3));
    assert_eq!(polygon(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), crossing(1, 2));
    let pinched = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5]];
    assert_eq!(polygon(&pinched), crossing(2, 5));
}

#[test]
fn concave_polygons_are_fine_in_either_sense() {
    let mut corners = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.5], [0.0, 2.0]];
    for _ in 0..2 {
        let shape = polygon(&corners).unwrap();
        for (x, y, inside) in [
            (1.0, 0.25, true),
            (1.0, 0.75, false),
            (0.1, 1.5, true),
            (1.0, 0.5, true),
            (2.0, 1.0, true),
            (0.5, 1.25, true),
            (2.1, 1.0, false),
            // At the height of corners to the right.
            (-1.0, 0.0, false),
            (-1.0, 2.0, false),
            (-1.0, 0.5, false),
        ] {
            assert_eq!(shape.contains(&[x, y]), inside, "{x} {y}");
        }
        assert_eq!(shape.bounding_box(), [(0.0, 2.0), (0.0, 2.0)]);
        corners.reverse();
    }
}

#[test]
fn other_shapes_that_are_none_are_refused() {
    assert_eq!(ball(&[0.0, 0.0], 0.0), Err(ShapeError::Radius { radius: 0.0 }));
    assert_eq!(ball(&[0.0, 0.0], -1.0), Err(ShapeError::Radius { radius: -1.0 }));
    assert!(matches!(ball(&[0.0, 0.0], f64::NAN), Err(ShapeError::NotFinite { .. })));
    assert_eq!(ball(&[], 1.0), Err(ShapeError::NoDimension));
    let ellipse = |radii, angle| Shape::new(vec![0, 1], Form::Ellipse { center: [0.0; 2], radii, angle });
    assert_eq!(ellipse([1.0, 0.0], 0.0), Err(ShapeError::Radius { radius: 0.0 }));
    assert!(matches!(ellipse([1.0, 1.0], f64::INFINITY), Err(ShapeError::NotFinite { .. })));
    let form = |lower: &[f64], upper: &[f64]| Form::Box { lower: lower.to_vec(), upper: upper.to_vec() };
    let error = Shape::new(vec![0, 1], form(&[0.0, 1.0], &[1.0, 1.0]));
    assert_eq!(error, Err(ShapeError::Length { axis: 1, lower: 1.0, upper: 1.0 }));
    assert_eq!(Shape::new(vec![0], form(&[0.0], &[])), Err(ShapeError::Unequal { lower: 1, upper: 0 }));
    let square = form(&[0.0, 0.0], &[1.0, 1.0]);
    assert_eq!(Shape::new(vec![0], square.clone()), Err(ShapeError::Axes { axes: 1, dimension: 2 }));
    assert_eq!(Shape::new(vec![3, 3], square), Err(ShapeError::DuplicateAxis { coordinate: 3 }));
}

#[test]
fn ellipses_turn_counterclockwise() {
    let form = Form::Ellipse { center: [1.0, 0.0], radii: [2.0, 1.0], angle: FRAC_PI_4 };
    let shape = Shape::new(vec![0, 1], form).unwrap();
    let along = 1.99 * FRAC_PI_4.cos();
    assert!(shape.contains(&[1.0 + along, along]) && !shape.contains(&[1.0 + along, -along]));
    // sqrt((4 + 1) / 2), to a few roundings.
    let half = 2.5f64.sqrt();
    for ((lower, upper), center) in shape.bounding_box().into_iter().zip([1.0, 0.0]) {
        assert!((lower - center + half).abs() < 1e-14 && (upper - center - half).abs() < 1e-14);
    }
}

#[test]
fn shapes_join_as_sets() {
    let shapes = [ball(&[0.0, 0.0], 1.0).unwrap(), ball(&[1.0, 0.0], 1.0).unwrap()];
    let (left, middle, right) = ([-0.5, 0.0], [0.5, 0.0], [1.5, 0.0]);
    let (a, b) = (Csg::Shape(0), Csg::Shape(1));
    for (tree, expected, span) in [
        (a.clone().union(b.clone()), [true, true, true], (-1.0, 2.0)),
        (a.clone().difference(b.clone()), [true, false, false], (-1.0, 1.0)),
        (a.clone().intersection(b.clone()), [false, true, false], (0.0, 1.0)),
        (b.difference(a), [false, false, true], (0.0, 2.0)),
    ] {
        let region = region(&shapes, tree);
        assert_eq!([left, middle, right].map(|point| region.contains(&point)), expected);
        assert_eq!(region.bounding_box(3), [span, (-1.0, 1.0), (f64::NEG_INFINITY, f64::INFINITY)]);
    }
}

#[test]
fn regions_that_do_not_fit_are_refused() {
    let domain = || Domain::new(vec![0.0; 2], vec![1.0; 2]).unwrap().with_time(Some(1));
    let with = |shape: Shape, tree| domain().with_inside(region(&[shape], tree)).unwrap_err();
    let interval =
        |axis, at: f64| Shape::new(vec![axis], Form::Ball { center: vec![at], radius: 0.25 }).unwrap();
    assert_eq!(with(interval(0, 0.0), Csg::Shape(1)), RegionError::UnknownShape { shape: 1, shapes: 1 });
    let shape = "shape0".to_owned();
    let unknown = RegionError::UnknownCoordinate { shape: shape.clone(), coordinate: 2, dimension: 2 };
    assert_eq!(with(interval(2, 0.0), Csg::Shape(0)), unknown);
    assert_eq!(with(interval(1, 0.0), Csg::Shape(0)), RegionError::Time { shape });
    let empty = RegionError::Empty { coordinate: 0, lower: 1.75, upper: 1.0 };
    assert_eq!(with(interval(0, 2.0), Csg::Shape(0)), empty);
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let domain = corner_in_time();
    let with =
        |ranges: &[(usize, f64, f64)], part: Part| domain.check(&Part { ranges: ranges.to_vec(), ..part });
    let infinite = f64::INFINITY;
    assert_eq!(with(&[(0, -infinite, 0.5), (0, 0.25, infinite)], Part::default()), Ok(()));
    let empty = |lower, upper| Err(PartError::EmptyRange { coordinate: 0, lower, upper });
    assert_eq!(with(&[(0, -infinite, 0.5), (0, 0.75, infinite)], Part::default()), empty(0.75, 0.5));
    assert_eq!(with(&[(0, 3.0, infinite)], Part::default()), empty(3.0, 2.0));
    assert_eq!(with(&[(0, 1.5, infinite)], Part::at(0, 1.0)), empty(1.5, 2.0));
    assert_eq!(with(&[(0, 0.5, infinite)], Part::at(0, 1.0)), Ok(()));
    let unknown = PartError::UnknownCoordinate { coordinate: 7, dimension: 3 };
    assert_eq!(with(&[(7, 0.5, infinite)], Part::default()), Err(unknown));
    let shape = Part::boundary(Boundary::Shape(2));
    assert_eq!(domain.check(&shape), Err(PartError::UnknownShape { shape: 2, shapes: 2 }));
    for boundary in [Boundary::All, Boundary::Shape(1)] {
        let at = |coordinate| Part { boundary: Some(boundary), ..Part::at(coordinate, 0.5) };
        assert_eq!(domain.check(&at(0)), Err(PartError::FixedOnBoundary { coordinate: 0 }));
        assert_eq!(domain.check(&at(2)), Ok(()));
    }
}

#[test]
fn normals_are_known_where_one_direction_leads_out() {
    let square = Domain::new(vec![0.0; 3], vec![2.0, 2.0, 1.0]).unwrap().with_time(Some(2));
    let above = |part: Part| Part { ranges: vec![(1, 1.0, f64::INFINITY)], ..part };
    for (part, in_square, in_corner) in [
        (Part::default(), false, false),
        (Part::at(2, 0.0), false, false),
        (Part::at(0, 0.0), true, true),
        (Part::at(0, 0.5), false, false),
        (Part::fixed(vec![(0, 2.0), (2, 0.0)]), true, true),
        (Part::fixed(vec![(0, 0.0), (1, 0.0)]), false, false),
        (Part::fixed(vec![(0, 0.0), (1, 0.5)]), true, true),
        // Inside the square; half of it on the boundary of the corner.
        (Part::at(0, 1.0), false, false),
        (above(Part::at(0, 1.0)), false, true),
        (Part::boundary(Boundary::All), true, true),
    ] {
        let place = Place::of(vec![part.clone()]);
        assert_eq!(square.has_normals(&place), in_square, "{part:?}");
        assert_eq!(corner_in_time().has_normals(&place), in_corner, "{part:?}");
    }
    assert!(!square.has_normals(&Place::interior()));
    assert!(!square.has_normals(&Place::of(vec![Part::at(0, 0.0), Part::at(2, 0.0)])));
}

/// Surfaces of spheres: 2 π r, 4 π r², 2 π² r³, 8/3 π² r⁴. The tables are good to 1e-12.
#[test]
fn spheres_have_their_area() {
    let radius = 1.5f64;
    for (dimension, unit) in [(2, 2.0 * PI), (3, 4.0 * PI), (4, 2.0 * PI * PI), (5, 8.0 / 3.0 * PI * PI)] {
        let shape = ball(&vec![0.0; dimension], radius).unwrap();
        let domain = Domain::new(vec![-2.0; dimension], vec![2.0; dimension]).unwrap();
        let domain = domain.with_inside(region(&[shape], Csg::Shape(0))).unwrap();
        let patches = domain.patches(&Place::of(vec![Part::boundary(Boundary::Shape(0))])).unwrap();
        let exact = unit * radius.powi(dimension as i32 - 1);
        assert!((patches[0].measure() / exact - 1.0).abs() < 1e-12);
        assert_eq!((patches.len(), patches[0].dimension()), (1, dimension - 1));
    }
}

/// π²/2 r⁴, 8/15 π² r⁵, π⁸/8! r¹⁶; all of a ball belongs to its patch, half of what a face of the domain
/// cuts.
#[test]
fn balls_of_many_dimensions_are_filled_from_within() {
    let radius = 1.5f64;
    let factorial = 40320.0;
    for (dimension, unit) in [(4, PI.powi(2) / 2.0), (5, 8.0 / 15.0 * PI * PI), (16, PI.powi(8) / factorial)]
    {
        let shape = ball(&vec![0.0; dimension], radius).unwrap();
        let inside = region(&[shape], Csg::Shape(0));
        let domain = Domain::new(vec![-2.0; dimension], vec![2.0; dimension]).unwrap();
        let mut half = domain.clone();
        half.lower[0] = 0.0;
        for (domain, belongs) in [(domain, 1.0), (half, 0.5)] {
            let domain = domain.with_inside(inside.clone()).unwrap();
            let patches = domain.patches(&Place::interior()).unwrap();
            assert_eq!((patches.len(), patches[0].dimension()), (1, dimension));
            let exact = unit * radius.powi(dimension as i32);
            assert!((patches[0].measure() / exact - 1.0).abs() < 1e-12);
            assert!((domain.survey(&patches[0], 4096).fraction - belongs).abs() < 0.02);
        }
        let slab = Domain::new(vec![-2.0; dimension], vec![2.0; dimension]).unwrap();
        let slab = slab.with_inside(inside).unwrap();
        // A slice through the ball has one coordinate less, and is drawn from its box.
        let slice = slab.patches(&Place::of(vec![Part::at(1, 0.25)])).unwrap();
        assert_eq!(slice[0].dimension(), dimension - 1);
    }
}

#[test]
fn predicates_are_equal_to_themselves() {
    let predicate = Predicate::new("x > 0", |point| point[0] > 0.0);
    assert_eq!(predicate, predicate.clone());
    assert_ne!(predicate, Predicate::new("x > 0", |point| point[0] > 0.0));
    assert_eq!(
        (predicate.to_string(), format!("{predicate:?}")),
        ("x > 0".into(), "Predicate(\"x > 0\")".into())
    );
    assert!(predicate.holds(&[1.0]) && !predicate.holds(&[0.0]));
}
