//! All samplers on all shapes: counts, belonging, normals, and integrals against closed forms.

use std::f64::consts::PI;

use super::*;
use crate::geometry::{Boundary, Csg, Form, Part, Predicate, Region, Shape};

const ALL: [Sampler; 5] = [Sampler::Uniform, Sampler::Grid, Sampler::Latin, Sampler::Sobol, Sampler::Halton];

fn rectangle(lower: [f64; 2], upper: [f64; 2]) -> Shape {
    Shape::new(vec![0, 1], Form::Box { lower: lower.to_vec(), upper: upper.to_vec() }).unwrap()
}

fn ball(center: &[f64], radius: f64) -> Shape {
    Shape::new((0..center.len()).collect(), Form::Ball { center: center.to_vec(), radius }).unwrap()
}

fn plane(shapes: &[Shape], tree: Csg) -> Domain {
    cut(Domain::new(vec![-3.0; 2], vec![3.0; 2]).unwrap(), shapes, tree)
}

fn cut(domain: Domain, shapes: &[Shape], tree: Csg) -> Domain {
    let named = shapes.iter().enumerate().map(|(k, shape)| (format!("shape{k}"), shape.clone()));
    domain.with_inside(Region { shapes: named.collect(), tree }).unwrap()
}

fn on(boundary: Boundary) -> Place {
    Place::of(vec![Part::boundary(boundary)])
}

/// A domain with the measure of its boundary and its volume.
struct Known {
    name: &'static str,
    domain: Domain,
    boundary: f64,
    volume: f64,
}

fn known() -> Vec<Known> {
    let [a, b] = [Csg::Shape(0), Csg::Shape(1)];
    let known = |name, domain, boundary, volume| Known { name, domain, boundary, volume };
    let ring = [ball(&[0.0, 0.0], 1.0), ball(&[0.2, 0.1], 0.3)];
    let square_and_quarter = [rectangle([0.0, 0.0], [2.0, 2.0]), rectangle([1.0, 1.0], [2.0, 2.0])];
    let arms = [rectangle([0.0, 0.0], [2.0, 1.0]), rectangle([0.0, 0.0], [1.0, 2.0])];
    let stacked = [rectangle([0.0, 0.0], [2.0, 1.0]), rectangle([0.0, 1.0], [1.0, 2.0])];
    let ellipse = Form::Ellipse { center: [0.3, -0.2], radii: [2.0, 1.0], angle: 0.3 };
    let arrow = Form::Polygon(vec![[0.0, 0.0], [2.0, -1.0], [1.5, 0.0], [2.0, 1.0]]);
    let pair = [ball(&[-0.5, 0.0], 1.0), ball(&[0.5, 0.0], 1.0)];
    let lens = 2.0 * PI / 3.0 - 3f64.sqrt() / 2.0;
    let tube = Shape::new(vec![2], Form::Box { lower: vec![-0.5], upper: vec![1.0] }).unwrap();
    let space = Domain::new(vec![-2.0; 3], vec![2.0; 3]).unwrap();
    let quadrant = Domain::new(vec![0.0; 2], vec![1.0; 2]).unwrap();
    let both = |shapes: &[Shape]| plane(shapes, a.clone().union(b.clone()));
    vec![
        known("ring", plane(&ring, a.clone().difference(b.clone())), 2.6 * PI, 0.91 * PI),
        known("square less quarter", plane(&square_and_quarter, a.clone().difference(b.clone())), 8.0, 3.0),
        known("overlapping arms", both(&arms), 8.0, 3.0),
        known("stacked boxes", both(&stacked), 8.0, 3.0),
        known(
            "ellipse",
            plane(&[Shape::new(vec![0, 1], ellipse).unwrap()], a.clone()),
            8.0 * 1.211_056_027_568_459_5,
            2.0 * PI,
        ),
        known(
            "arrow",
            plane(&[Shape::new(vec![0, 1], arrow).unwrap()], a.clone()),
            2.0 * 5f64.sqrt() + 5f64.sqrt(),
            1.5,
        ),
        known("two disks", both(&pair), 8.0 * PI / 3.0, 2.0 * PI - lens),
        known("lens", plane(&pair, a.clone().intersection(b.clone())), 4.0 * PI / 3.0, lens),
        known("quarter disk", cut(quadrant, &[ball(&[0.0, 0.0], 1.0)], a.clone()), 2.0 + PI / 2.0, PI / 4.0),
        known("square", Domain::new(vec![-1.0; 2], vec![2.0; 2]).unwrap(), 12.0, 9.0),
        known(
            "cylinder",
            cut(space.clone(), &[ball(&[0.2, 0.1], 1.0), tube], a.clone().intersection(b.clone())),
            2.0 * PI * 1.5 + 2.0 * PI,
            1.5 * PI,
        ),
        known("ball", cut(space, &[ball(&[0.2, 0.1, -0.3], 1.5)], a), 9.0 * PI, 4.5 * PI),
    ]
}

/// How far a point is from the boundary of a shape.
fn distance(shape: &Shape, point: &[f64]) -> f64 {
    let own: Vec<f64> = shape.axes.iter().map(|&axis| point[axis]).collect();
    match &shape.form {
        Form::Box { lower, upper } => {
            let ends = lower.iter().zip(upper).zip(&own);
            ends.map(|((a, b), x)| (x - a).abs().min((x - b).abs())).fold(f64::INFINITY, f64::min)
        }
        Form::Ball { center, radius } => {
            (center.iter().zip(&own).map(|(c, x)| (x - c).powi(2)).sum::<f64>().sqrt() - radius).abs()
        }
        Form::Ellipse { center, radii, angle } => {
            let (x, y) = (own[0] - center[0], own[1] - center[1]);
            let (along, across) = (angle.cos() * x + angle.sin() * y, angle.cos() * y - angle.sin() * x);
            // At least this far, up to a factor of the ratio of the radii.
            ((along / radii[0]).hypot(across / radii[1]) - 1.0).abs() * radii[0].max(radii[1])
        }
        Form::Polygon(corners) => (0..corners.len())
            .map(|k| {
                let ([ax, ay], [bx, by]) = (corners[k], corners[(k + 1) % corners.len()]);
                let (dx, dy) = (bx - ax, by - ay);
                let fraction = ((own[0] - ax) * dx + (own[1] - ay) * dy) / (dx * dx + dy * dy);
                let fraction = fraction.clamp(0.0, 1.0);
                (own[0] - ax - fraction * dx).hypot(own[1] - ay - fraction * dy)
            })
            .fold(f64::INFINITY, f64::min),
    }
}

/// The distance to the nearest shape or face of the box.
fn off_boundary(domain: &Domain, point: &[f64]) -> f64 {
    let faces =
        domain.spatial().map(|c| (point[c] - domain.lower[c]).abs().min((point[c] - domain.upper[c]).abs()));
    let shapes =
        domain.inside.iter().flat_map(|region| &region.shapes).map(|(_, shape)| distance(shape, point));
    faces.chain(shapes).fold(f64::INFINITY, f64::min)
}

fn normal(points: &Points, index: usize) -> Vec<f64> {
    (0..points.attributes()).map(|c| points.attribute(c)[index]).collect()
}

#[test]
fn interior_points_are_inside_and_exactly_as_many_as_asked() {
    for Known { name, domain, .. } in known() {
        for sampler in ALL {
            for count in [0, 1, 7, 500] {
                let draw = || draw(&domain, &Place::interior(), sampler, count, &mut stream(3, 1)).unwrap();
                let points = draw();
                assert_eq!((points.len(), points.attributes()), (count, 0), "{name} {sampler:?}");
                assert!(points.iter().all(|point| domain.contains(&point)), "{name} {sampler:?}");
                assert_eq!(points, draw(), "{name} {sampler:?}");
            }
        }
    }
}

/// Normals are checked from outside: a step of 1e-6 along them leaves the domain and one back does not.
/// Corners of shapes are nearer than that with a chance of about 1e-6 a point, and the points are always the
/// same.
#[test]
fn boundary_points_are_on_it_and_normals_point_out() {
    for Known { name, domain, .. } in known() {
        for sampler in ALL {
            for count in [0, 1, 9, 500] {
                let place = on(Boundary::All);
                let draw = || draw_with_normals(&domain, &place, sampler, count, &mut stream(3, 1)).unwrap();
                let points = draw();
                assert_eq!((points.len(), points.attributes()), (count, domain.dimension()));
                assert_eq!(points, draw(), "{name} {sampler:?}");
                for (index, point) in points.iter().enumerate() {
                    // Coordinates up to 3 with a few roundings each.
                    assert!(off_boundary(&domain, &point) < 1e-14, "{name} {sampler:?}: {point:?}");
                    let normal = normal(&points, index);
                    let length = normal.iter().map(|n| n * n).sum::<f64>();
                    assert!((length - 1.0).abs() < 1e-14, "{name} {sampler:?}: {normal:?}");
                    let beside = |step: f64| -> Vec<f64> {
                        point.iter().zip(&normal).map(|(x, n)| x + step * n).collect()
                    };
                    let sides = [-1e-6, 1e-6].map(|step| domain.contains(&beside(step)));
                    assert_eq!(sides, [true, false], "{name} {sampler:?}: {point:?} {normal:?}");
                }
            }
        }
    }
}

/// The divergence theorem for the field x: the mean of n·x over the boundary, times its measure, is dimension
/// × volume. The integrand is at most M = 3 and, along each of at most 10 patches, rises and falls twice at
/// most. Each patch has its share of points to one point and 8 of the 4096 test points (the discrepancy of
/// multiples of the golden ratio is below 8 / 4096 there); Koksma's inequality with the discrepancy of 4096
/// Sobol points, below 13 / 4096, bounds the rest in one dimension, and is generous in two.
#[test]
fn the_divergence_theorem_holds() {
    let count = 4096;
    for Known { name, domain, boundary, volume } in known() {
        let place = on(Boundary::All);
        let patches = domain.patches(&place).unwrap().len();
        let points = draw_with_normals(&domain, &place, Sampler::Sobol, count, &mut stream(1, 0)).unwrap();
        let products = points.iter().enumerate().map(|(index, point)| -> f64 {
            point.iter().zip(normal(&points, index)).map(|(x, n)| x * n).sum()
        });
        let products: Vec<f64> = products.collect();
        let largest = products.iter().fold(0.0, |largest: f64, product| largest.max(product.abs()));
        let flux = boundary * products.iter().sum::<f64>() / count as f64;
        let bound = boundary * largest * (9.0 * patches as f64 + 4.0 * 13.0) / count as f64;
        let error = flux - domain.dimension() as f64 * volume;
        assert!(error.abs() < bound, "{name}: {error} of {bound}");
        // The bound is worth something: no sign and no piece of the boundary could be wrong.
        assert!(bound < 0.35 * domain.dimension() as f64 * volume, "{name}: {bound}");
    }
}

/// The measure of what belongs, from the survey: lengths to 8 of 4096 test points for every patch.
#[test]
fn boundaries_have_their_length() {
    for Known { name, domain, boundary, .. } in known() {
        let patches = domain.patches(&on(Boundary::All)).unwrap();
        let belonging = |patch: &Patch| patch.measure() * domain.survey(patch, TESTS).fraction;
        let measure: f64 = patches.iter().map(belonging).sum();
        let partial: f64 = patches.iter().map(Patch::measure).sum();
        assert!((measure - boundary).abs() < partial * 8.0 / 4096.0, "{name}: {measure} for {boundary}");
    }
}

/// A fraction p of independent points in a half has a standard error below 1/2 over the root of their number;
/// four times that is allowed, and quasirandom points do better.
#[test]
fn interior_points_are_spread_evenly() {
    let count = 4000;
    let limit = 4.0 * 0.5 / (count as f64).sqrt();
    let rings = &known()[0].domain;
    for sampler in ALL {
        let points = draw(rings, &Place::interior(), sampler, count, &mut stream(2, 0)).unwrap();
        let near = points.iter().filter(|p| p[0].hypot(p[1]) < 0.7).count();
        let left = points.column(0).iter().filter(|&&x| x < -0.2).count();
        // The hole lies within radius 0.7. Left of -0.2 lies a segment of the disk, which the hole does not
        // reach.
        let segment = 0.2f64.acos() - 0.2 * 0.96f64.sqrt();
        for (found, area) in [(near, (0.49 - 0.09) * PI), (left, segment)] {
            let error = found as f64 / count as f64 - area / (0.91 * PI);
            assert!(error.abs() < limit, "{sampler:?}: {error}");
        }
    }
}

#[test]
fn overlapping_disks_have_no_boundary_inside() {
    let domain = &known().remove(6).domain;
    for place in [on(Boundary::All), on(Boundary::Shape(0)), on(Boundary::Shape(1))] {
        for sampler in ALL {
            let points = draw(domain, &place, sampler, 1000, &mut stream(4, 0)).unwrap();
            for point in points.iter() {
                let radius = |center: f64| (point[0] - center).hypot(point[1]);
                assert!(radius(-0.5) > 1.0 - 1e-12 && radius(0.5) > 1.0 - 1e-12, "{sampler:?}: {point:?}");
            }
        }
    }
}

#[test]
fn normals_of_a_hole_point_into_it() {
    let domain = &known().remove(0).domain;
    let points =
        draw_with_normals(domain, &on(Boundary::Shape(1)), Sampler::Sobol, 64, &mut stream(0, 0)).unwrap();
    for (index, point) in points.iter().enumerate() {
        let inward = [(0.2 - point[0]) / 0.3, (0.1 - point[1]) / 0.3];
        let normal = normal(&points, index);
        // A few roundings, over the radius.
        assert!(inward.iter().zip(&normal).all(|(a, b)| (a - b).abs() < 1e-14), "{point:?} {normal:?}");
    }
}

#[test]
fn slices_stay_in_the_closed_region() {
    let square_less_quarter = &known().remove(1).domain;
    for sampler in ALL {
        let slice = |part: Part| {
            draw_with_normals(square_less_quarter, &Place::of(vec![part]), sampler, 100, &mut stream(0, 0))
        };
        let right = slice(Part::at(0, 2.0)).unwrap();
        assert!(right.column(1).iter().all(|&y| y > 0.0 && y < 1.0), "{sampler:?}");
        assert!(right.attribute(0).iter().all(|&n| n == 1.0) && right.attribute(1).iter().all(|&n| n == 0.0));
        let above = Part { ranges: vec![(1, 1.0, f64::INFINITY)], ..Part::at(0, 1.0) };
        let step = slice(above).unwrap();
        assert!(step.column(1).iter().all(|&y| y > 1.0 && y < 2.0) && step.attribute(0) == [1.0; 100]);
        assert!(matches!(slice(Part::at(0, 1.0)), Err(SampleError::NoNormal { part: 0, .. })));
        assert!(matches!(slice(Part::default()), Err(SampleError::NoNormal { part: 0, .. })));
    }
}

#[test]
fn boundaries_run_through_time_but_not_along_it() {
    let domain = Domain::new(vec![-1.0; 3], vec![1.0, 1.0, 4.0]).unwrap().with_time(Some(2));
    let hole = cut(
        domain.clone(),
        &[rectangle([-1.0, -1.0], [1.0, 1.0]), ball(&[0.0, 0.0], 0.3)],
        Csg::Shape(0).difference(Csg::Shape(1)),
    );
    for domain in [&domain, &hole] {
        for sampler in ALL {
            let points =
                draw_with_normals(domain, &on(Boundary::All), sampler, 400, &mut stream(0, 0)).unwrap();
            assert!(points.column(2).iter().all(|&t| t > -1.0 && t < 4.0));
            assert_eq!(points.attribute(2), [0.0; 400]);
            let first = Part { boundary: Some(Boundary::All), ..Part::at(2, -1.0) };
            let points =
                draw_with_normals(domain, &Place::of(vec![first]), sampler, 40, &mut stream(0, 0)).unwrap();
            assert_eq!(points.column(2), [-1.0; 40]);
            let corner = Place::of(vec![Part::fixed(vec![(0, 1.0), (2, -1.0)])]);
            let points = draw_with_normals(domain, &corner, sampler, 40, &mut stream(0, 0)).unwrap();
            assert_eq!((points.attribute(0), points.attribute(1)), (&[1.0; 40][..], &[0.0; 40][..]));
        }
    }
    // The perimeter 8 and the circle 0.6 π share 1000 points to the nearest, the box and plate being one
    // boundary.
    let points = draw(&hole, &on(Boundary::All), Sampler::Sobol, 1000, &mut stream(0, 0)).unwrap();
    let circle = points.iter().filter(|p| p[0].hypot(p[1]) < 0.5).count();
    assert!(circle.abs_diff((1000.0 * 0.6 * PI / (8.0 + 0.6 * PI)) as usize) <= 2, "{circle}");
}

#[test]
fn restrictions_hold() {
    let ring = &known().remove(0).domain;
    let upper = |part: Part| Part {
        ranges: vec![(1, 0.5, f64::INFINITY)],
        within: vec![Predicate::new("x*y > 0", |p| p[0] * p[1] > 0.0)],
        ..part
    };
    for sampler in ALL {
        for part in [Part::default(), Part::boundary(Boundary::All), Part::boundary(Boundary::Shape(0))] {
            let place = Place::of(vec![upper(part)]);
            let points = draw(ring, &place, sampler, 300, &mut stream(0, 0)).unwrap();
            assert!(points.iter().all(|p| p[1] >= 0.5 && p[0] > 0.0), "{sampler:?}");
        }
        // Without a region, a range cuts the box itself: no face at x = 1 remains, and half of y = 0.
        let box_ = Domain::new(vec![0.0; 2], vec![1.0; 2]).unwrap();
        let left = Part { ranges: vec![(0, f64::NEG_INFINITY, 0.5)], ..Part::boundary(Boundary::All) };
        let points = draw(&box_, &Place::of(vec![left]), sampler, 400, &mut stream(0, 0)).unwrap();
        assert_eq!(points.column(0).iter().filter(|&&x| x == 0.0).count(), 200);
        assert!(points.column(0).iter().all(|&x| x <= 0.5));
    }
}

#[test]
fn empty_parts_are_refused() {
    let ring = plane(
        &[ball(&[0.0, 0.0], 1.0), ball(&[0.0, 0.0], 0.3), ball(&[2.0, 0.0], 0.1)],
        Csg::Shape(0).difference(Csg::Shape(1)),
    );
    let never = Part { within: vec![Predicate::new("x > 5", |p| p[0] > 5.0)], ..Part::default() };
    for (part, what) in [
        (Part::at(0, 2.0), "a line beside the disk"),
        (Part::at(0, 1.0), "a line that touches the disk"),
        (Part::fixed(vec![(0, 0.0), (1, 0.0)]), "a point in the hole"),
        (Part::boundary(Boundary::Shape(2)), "a shape beside the region"),
        (never, "nothing"),
    ] {
        for sampler in ALL {
            let alone = draw(&ring, &Place::of(vec![part.clone()]), sampler, 10, &mut stream(0, 0));
            assert!(
                matches!(alone, Err(SampleError::Empty { part: 0, .. })),
                "{what}, {sampler:?}: {alone:?}"
            );
            let place = Place::of(vec![Part::default(), part.clone()]);
            let second = draw(&ring, &place, sampler, 10, &mut stream(0, 0));
            assert!(
                matches!(second, Err(SampleError::Empty { part: 1, .. })),
                "{what}, {sampler:?}: {second:?}"
            );
        }
    }
    let nothing =
        plane(&[ball(&[0.0, 0.0], 0.3), ball(&[0.0, 0.0], 1.0)], Csg::Shape(0).difference(Csg::Shape(1)));
    let drawn = draw(&nothing, &Place::interior(), Sampler::Sobol, 10, &mut stream(0, 0));
    assert!(matches!(drawn, Err(SampleError::Empty { part: 0, .. })));
}

/// Second and fourth moments of a coordinate on the unit sphere: 1/d and 3/(d (d + 2)); the variance of x² is
/// below 3/(d (d + 2)) and that of x⁴ below 105/(d (d + 2) (d + 4) (d + 6)). Four standard errors of
/// independent points.
#[test]
fn spheres_are_covered_evenly_in_any_dimension() {
    let count = 4096;
    for dimension in 2..=6 {
        let domain = Domain::new(vec![-1.0; dimension], vec![1.0; dimension]).unwrap();
        let domain = cut(domain, &[ball(&vec![0.0; dimension], 1.0)], Csg::Shape(0));
        let d = dimension as f64;
        for sampler in ALL {
            let points = draw(&domain, &on(Boundary::Shape(0)), sampler, count, &mut stream(6, 0)).unwrap();
            for coordinate in 0..dimension {
                let moment = |power| {
                    points.column(coordinate).iter().map(|x: &f64| x.powi(power)).sum::<f64>() / count as f64
                };
                let fourth = 3.0 / (d * (d + 2.0));
                let eighth = fourth * 35.0 / ((d + 4.0) * (d + 6.0));
                for (power, exact, square) in [(2, 1.0 / d, fourth), (4, fourth, eighth)] {
                    let error = moment(power) - exact;
                    // A grid in five parameters has only five cells an axis, of midpoint rule: its own error.
                    let coarse = if sampler == Sampler::Grid { 0.02 } else { 0.0 };
                    let limit = 4.0 * (square / count as f64).sqrt() + coarse;
                    assert!(error.abs() < limit, "{sampler:?} in {dimension}: {error} of {limit}");
                }
            }
        }
    }
}

/// Second and fourth moments of a coordinate in the unit ball: 1/(d + 2) and 3/((d + 2) (d + 4)). Of the cube
/// around it next to nothing lies in the ball where there are many dimensions.
#[test]
fn balls_are_filled_evenly_in_any_dimension() {
    let count = 4096;
    for dimension in [2, 4, 6, 16, 32] {
        let domain = Domain::new(vec![-1.0; dimension], vec![1.0; dimension]).unwrap();
        let domain = cut(domain, &[ball(&vec![0.0; dimension], 1.0)], Csg::Shape(0));
        let d = dimension as f64;
        for sampler in [Sampler::Uniform, Sampler::Latin, Sampler::Sobol, Sampler::Halton] {
            let points = draw(&domain, &Place::interior(), sampler, count, &mut stream(6, 0)).unwrap();
            assert!(points.iter().all(|point| domain.contains(&point)), "{sampler:?} in {dimension}");
            for coordinate in 0..dimension {
                let second = points.column(coordinate).iter().map(|x| x * x).sum::<f64>() / count as f64;
                let (error, fourth) = (second - 1.0 / (d + 2.0), 3.0 / ((d + 2.0) * (d + 4.0)));
                let limit = 4.5 * (fourth / count as f64).sqrt();
                assert!(error.abs() < limit, "{sampler:?} in {dimension}: {error} of {limit}");
            }
        }
        let grid = draw(&domain, &Place::interior(), Sampler::Grid, 100, &mut stream(0, 0)).unwrap();
        assert!(grid.len() == 100 && grid.iter().all(|point| domain.contains(&point)), "{dimension}");
    }
}

#[test]
fn grids_on_a_region_are_cell_centres() {
    let ring = &known().remove(0).domain;
    let points = draw(ring, &Place::interior(), Sampler::Grid, 1000, &mut stream(0, 0)).unwrap();
    let mut rows = points.column(0).to_vec();
    rows.dedup();
    // 1000 points in a fraction 0.91 π / 4 of the square: about 37 rows, of which the ends may miss the disk.
    assert!((35..=40).contains(&rows.len()), "{}", rows.len());
    assert_eq!(points, draw(ring, &Place::interior(), Sampler::Grid, 1000, &mut stream(9, 9)).unwrap());
}
