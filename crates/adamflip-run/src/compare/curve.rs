//! How the error of a method falls: the course of each seed, and what they have in common.

use adamflip::history::History;

/// The error of a run over steps or seconds, in rising order; both are positive.
pub(super) type StageState = Vec<(f64, f64)>;

/// What several courses have in common, along the axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Curve {
    /// Where, then the smallest, the geometric mean and the largest.
    pub(super) points: Vec<(f64, [f64; 3])>,
}

/// Places along a curve: about one for every other pixel.
const PLACES: usize = 200;

/// The course of a run over a column of its history: the mean of the errors of its fields, or, where no field
/// has a reference, the sum of the mean squares of all terms.
pub(super) fn course(history: &History, axis: &str, fields: &[String]) -> StageState {
    let columns: Vec<&[f64]> = match fields {
        [] => {
            let terms = history.names().iter().filter_map(|name| name.strip_suffix("_max"));
            terms.filter_map(|term| history.column(&format!("{term}_mse"))).collect()
        }
        _ => fields.iter().filter_map(|field| history.column(&format!("rel_l2_{field}"))).collect(),
    };
    let share = if fields.is_empty() { 1.0 } else { 1.0 / columns.len() as f64 };
    let along = history.column(axis).unwrap_or_default();
    let error = |row: usize| columns.iter().map(|column| column[row]).sum::<f64>() * share;
    let points = along.iter().enumerate().map(|(row, &place)| (place, error(row)));
    points.filter(|&(place, error)| has_place(place) && has_place(error)).collect()
}

/// A logarithmic axis has a place for it, at a distance from the ends of f64 that leaves room for the air
/// around.
pub(super) fn has_place(number: f64) -> bool {
    (1e-250..=1e250).contains(&number)
}

impl Curve {
    /// Of the courses of all seeds: from where all have started to where the last ends. A run that has ended
    /// stays where it ended.
    pub(super) fn of(courses: &[StageState]) -> Self {
        let courses: Vec<&StageState> = courses.iter().filter(|course| !course.is_empty()).collect();
        let first = courses.iter().map(|course| course[0].0).fold(0.0, f64::max);
        let last = courses.iter().map(|course| course[course.len() - 1].0).fold(0.0, f64::max);
        if courses.is_empty() {
            return Self::default();
        }
        let place = |number: usize| {
            let part = number as f64 / (PLACES - 1) as f64;
            // The ends exactly, whatever the roundings between.
            if number + 1 == PLACES { last } else { first * (last / first).powf(part) }
        };
        let mut places: Vec<f64> = (0..PLACES).map(place).collect();
        places.dedup();
        let points = places.into_iter().map(|place| {
            let errors: Vec<f64> = courses.iter().map(|course| at(course, place)).collect();
            (place, together(&errors))
        });
        Self { points: points.collect() }
    }
}

/// The error of a course at a place, straight between its points on logarithmic axes.
fn at(course: &[(f64, f64)], place: f64) -> f64 {
    let next = course.partition_point(|&(x, _)| x < place);
    match (next.checked_sub(1).map(|before| course[before]), course.get(next)) {
        (_, Some(&(x, error))) if x == place => error,
        (Some((x0, y0)), Some(&(x1, y1))) => {
            let part = (place / x0).ln() / (x1 / x0).ln();
            (y0.ln() + part * (y1.ln() - y0.ln())).exp()
        }
        (None, Some(&(_, error))) | (Some((_, error)), None) => error,
        (None, None) => f64::NAN,
    }
}

/// The smallest, the geometric mean, the largest.
fn together(errors: &[f64]) -> [f64; 3] {
    let mean = errors.iter().map(|error| error.ln()).sum::<f64>() / errors.len() as f64;
    let smallest = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = errors.iter().copied().fold(0.0, f64::max);
    // The mean lies between in spite of rounding.
    [smallest, mean.exp().clamp(smallest, largest), largest]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_points_it_is_straight_on_logarithmic_axes() {
        let course = [(1.0, 1.0), (100.0, 1e-4)];
        // Half of the way in logarithms: x = 10, y = 1e-2, but for the rounding of two logarithms.
        assert!((at(&course, 10.0) / 1e-2 - 1.0).abs() < 1e-12);
        assert_eq!((at(&course, 0.5), at(&course, 1e3), at(&course, 1.0)), (1.0, 1e-4, 1.0));
    }

    #[test]
    fn seeds_have_a_geometric_mean_and_a_band() {
        let curve = Curve::of(&[vec![(1.0, 1.0), (10.0, 1e-2)], vec![(2.0, 1.0), (20.0, 1e-4)], vec![]]);
        let (first, last) = (curve.points[0], curve.points[curve.points.len() - 1]);
        assert_eq!((first.0, last.0), (2.0, 20.0));
        // The first run stays at 1e-2 after its end; the mean of exponents −2 and −4 is −3.
        assert_eq!((last.1[0], last.1[2]), (1e-4, 1e-2));
        assert!((last.1[1] / 1e-3 - 1.0).abs() < 1e-12);
        assert!(curve.points.iter().all(|(_, [low, mean, high])| low <= mean && mean <= high));
        assert_eq!(Curve::of(&[vec![]]), Curve::default());
        assert_eq!(Curve::of(&[vec![(3.0, 0.5)]]).points, [(3.0, [0.5; 3])]);
    }

    #[test]
    fn a_course_leaves_out_what_has_no_place() {
        // The last is no term: an unknown may have any name.
        let text = "step,stage,method,seconds,a_mse,a_max,b_mse,b_max,rel_l2_u,rel_l2_v,unknown_k_mse\n\
                    1,0,adam,0.000,1e0,9e0,2e0,9e0,5e-1,1e-1,7e0\n2,0,adam,0.100,1e0,9e0,1e0,9e0,,,7e0\n\
                    3,0,adam,0.200,0e0,0e0,0e0,0e0,1e-1,3e-1,7e0\n";
        let history = History::parse(text).unwrap();
        let fields = ["u".to_owned(), "v".to_owned()];
        assert_eq!(course(&history, "step", &fields), [(1.0, 0.3), (3.0, 0.2)]);
        assert_eq!(course(&history, "seconds", &fields), [(0.2, 0.2)]);
        assert_eq!(course(&history, "step", &[]), [(1.0, 3.0), (2.0, 2.0)]);
    }
}
