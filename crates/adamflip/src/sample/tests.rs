//! All samplers against the same demands.

use super::*;
use crate::geometry::Part;

const ALL: [Sampler; 5] = [Sampler::Uniform, Sampler::Grid, Sampler::Latin, Sampler::Sobol, Sampler::Halton];

fn space_time() -> Domain {
    Domain::new(vec![-1.0, 0.1, 0.0], vec![1.0, 0.3, 5.0]).unwrap()
}

fn unit(dimension: usize) -> Domain {
    Domain::new(vec![0.0; dimension], vec![1.0; dimension]).unwrap()
}

#[test]
fn interior_points_are_strictly_inside_and_exactly_as_many_as_asked() {
    let domain = space_time();
    for sampler in ALL {
        for count in [0, 1, 2, 7, 100, 1001] {
            let points = draw(&domain, &Place::interior(), sampler, count, &mut stream(3, 1)).unwrap();
            assert_eq!((points.len(), points.dimension()), (count, 3));
            for point in points.iter() {
                let strict = |c: usize| point[c] > domain.lower[c] && point[c] < domain.upper[c];
                assert!(domain.contains(&point) && (0..3).all(strict), "{sampler:?} {count}: {point:?}");
            }
        }
    }
}

#[test]
fn faces_hold_their_value_exactly_and_share_by_area() {
    let domain = space_time();
    // Areas 1 and 0.4, so 250 points make 179 and 71; the corner line x = -1, t = 5 has length 0.2.
    let place = Place::of(vec![Part::at(0, 1.0), Part::at(2, 0.0)]);
    for sampler in ALL {
        let points = draw(&domain, &place, sampler, 250, &mut stream(3, 1)).unwrap();
        assert!(points.iter().all(|point| domain.contains(&point)));
        assert!(points.column(0)[..179].iter().all(|&x| x == 1.0));
        assert!(points.column(2)[179..].iter().all(|&t| t == 0.0));
        assert!(points.column(2)[..179].iter().all(|&t| t > 0.0 && t < 5.0));
        let corner = Place::of(vec![Part::fixed(vec![(2, 5.0), (0, -1.0)])]);
        let points = draw(&domain, &corner, sampler, 9, &mut stream(3, 1)).unwrap();
        assert!(points.iter().all(|p| p[0] == -1.0 && p[2] == 5.0 && p[1] > 0.1 && p[1] < 0.3));
    }
}

#[test]
fn a_face_without_free_coordinates_repeats_its_point() {
    for sampler in ALL {
        let place = Place::of(vec![Part::at(0, 0.0), Part::at(0, 1.0)]);
        let points = draw(&unit(1), &place, sampler, 5, &mut stream(0, 0)).unwrap();
        assert_eq!(points.column(0), [0.0, 0.0, 0.0, 1.0, 1.0]);
    }
}

#[test]
fn impossible_demands_are_refused() {
    let draw = |place: &Place, count| draw(&unit(2), place, Sampler::Uniform, count, &mut stream(0, 0));
    assert!(draw(&Place::interior(), 0).unwrap().is_empty());
    assert!(matches!(draw(&Place::of(vec![Part::at(0, 2.0)]), 3), Err(SampleError::Part(_))));
    let count = usize::MAX;
    assert_eq!(draw(&Place::interior(), count), Err(SampleError::TooManyPoints { count, dimension: 2 }));
}

/// Runs must be repeatable, so these bits may change only with a changelog line.
#[test]
fn a_seed_fixes_the_points() {
    for (sampler, golden) in [
        (Sampler::Uniform, [-0.7620928063297268, 0.23987021719173682, 4.563292188683222]),
        (Sampler::Grid, [0.6499999999999999, 0.1285714285714286, 1.25]),
        (Sampler::Latin, [-0.7802978865137382, 0.25305861791614703, 0.9221143019007932]),
        (Sampler::Sobol, [0.20568822482229643, 0.20284565501759902, 1.3326986111856924]),
        (Sampler::Halton, [-0.6422270213568801, 0.24037034084194644, 2.9705260972829333]),
    ] {
        let points = draw(&space_time(), &Place::interior(), sampler, 20, &mut stream(7, 2)).unwrap();
        assert_eq!(points.point(13), golden, "{sampler:?}");
    }
}

#[test]
fn streams_of_a_seed_and_seeds_differ() {
    let first = |seed, index| stream(seed, index).next_u64();
    assert_ne!(first(0, 0), first(0, 1));
    assert_ne!(first(0, 0), first(1, 0));
    assert_eq!(first(5, 6), first(5, 6));
}

/// Relative root mean square error, over 200 seeds, of the mean of the product of all coordinates.
fn product_error(sampler: Sampler, dimension: usize, count: usize) -> f64 {
    let exact = 0.5f64.powi(dimension as i32);
    let error = |seed: u64| {
        let points =
            draw(&unit(dimension), &Place::interior(), sampler, count, &mut stream(seed, 0)).unwrap();
        let sum: f64 = points.iter().map(|point| point.iter().product::<f64>()).sum();
        sum / count as f64 / exact - 1.0
    };
    ((0..200).map(|seed| error(seed).powi(2)).sum::<f64>() / 200.0).sqrt()
}

/// The relative variance of the product is (4/3)^d - 1, of which the functions of one coordinate are d/3: a
/// Latin hypercube loses just that part. 200 seeds know a root mean square to 5%; four times that is allowed.
#[test]
fn uniform_and_latin_err_as_theory_says() {
    for dimension in 2..=6 {
        let variance = (4.0f64 / 3.0).powi(dimension as i32) - 1.0;
        let without_main_effects = variance - dimension as f64 / 3.0;
        for (sampler, variance) in [(Sampler::Uniform, variance), (Sampler::Latin, without_main_effects)] {
            let ratio = product_error(sampler, dimension, 256) / (variance / 256.0).sqrt();
            assert!((0.8..1.2).contains(&ratio), "{sampler:?} in {dimension}: {ratio}");
        }
    }
}

/// Gains over independent points: half of what was measured at 256 points (smallest in six coordinates). A
/// wrong direction or digit brings the gain of a coordinate to about 1.
#[test]
fn low_discrepancy_beats_uniform() {
    for (dimension, sobol, halton) in
        [(2, 48.0, 4.9), (3, 17.0, 4.2), (4, 4.2, 3.3), (5, 3.2, 1.9), (6, 2.0, 1.4)]
    {
        let uniform = product_error(Sampler::Uniform, dimension, 256);
        for (sampler, least) in [(Sampler::Sobol, sobol), (Sampler::Halton, halton)] {
            let gain = uniform / product_error(sampler, dimension, 256);
            assert!(gain > least, "{sampler:?} in {dimension}: {gain}");
        }
    }
}

/// First and second moments of each coordinate: 1/2 and 1/3 within five standard errors of independent
/// points.
#[test]
fn moments_are_those_of_the_uniform_law() {
    let count = 10_000;
    for sampler in ALL {
        let points = draw(&unit(4), &Place::interior(), sampler, count, &mut stream(11, 0)).unwrap();
        for coordinate in 0..4 {
            let moment = |power: i32| {
                points.column(coordinate).iter().map(|x| x.powi(power)).sum::<f64>() / count as f64
            };
            // Standard deviations of x and x²: sqrt(1/12) and sqrt(4/45), over a hundred.
            assert!((moment(1) - 0.5).abs() < 5.0 * 0.0029, "{sampler:?}");
            assert!((moment(2) - 1.0 / 3.0).abs() < 5.0 * 0.0030, "{sampler:?}");
        }
    }
}

/// Takes 0.04 to 0.3 seconds each here; a quadratic slip would not end.
#[test]
fn a_million_points() {
    for sampler in ALL {
        let points = draw(&unit(3), &Place::interior(), sampler, 1_000_000, &mut stream(0, 0)).unwrap();
        assert_eq!(points.len(), 1_000_000);
    }
}

#[test]
fn normal_numbers_have_mean_zero_and_variance_one() {
    let mut rng = stream(3, 0);
    let numbers: Vec<f64> = (0..10_000).map(|_| normal(&mut rng)).collect();
    let mean = numbers.iter().sum::<f64>() / 1e4;
    let variance = numbers.iter().map(|x| x * x).sum::<f64>() / 1e4;
    let fourth = numbers.iter().map(|x| x.powi(4)).sum::<f64>() / 1e4;
    // Five standard errors: 1/√n, √2/√n and √96/√n.
    assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.08 && (fourth - 3.0).abs() < 0.5);
}
