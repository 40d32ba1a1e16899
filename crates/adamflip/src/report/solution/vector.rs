//! Which fields are the components of a vector, by their names.

use crate::problem::Problem;

/// The components of every vector among the fields sought, in their order.
///
/// `u`, `v` (and `w`) are the velocity of a flow, or a complex number's parts; a stem followed by the
/// coordinates of space (`Bx`, `By`) or by as many numbers (`v1`, `v2`) is a vector too. A function of time
/// alone has none.
pub(super) fn vectors(problem: &Problem) -> Vec<Vec<usize>> {
    let space: Vec<&str> = (0..problem.coordinates.len())
        .filter(|&c| Some(c) != problem.domain.time)
        .map(|c| problem.coordinates[c].as_str())
        .collect();
    if space.is_empty() || problem.coordinates.len() < 2 {
        return Vec::new();
    }
    let sought = &problem.fields[..problem.sought];
    let place = |name: &str| sought.iter().position(|field| field == name);
    let all = |names: Vec<String>| names.iter().map(|name| place(name)).collect::<Option<Vec<usize>>>();
    let flow = ["u", "v", "w"][..space.len().clamp(2, 3)].iter().map(|name| (*name).to_owned());
    let mut found: Vec<Vec<usize>> = all(flow.collect()).into_iter().collect();
    if space.len() > 1 {
        for field in sought {
            let stem = |suffix: &str| field.strip_suffix(suffix).filter(|stem| !stem.is_empty());
            let by_name = stem(space[0]).map(|stem| space.iter().map(|c| format!("{stem}{c}")).collect());
            let by_number = stem("1").map(|stem| (1..=space.len()).map(|c| format!("{stem}{c}")).collect());
            found.extend([by_name, by_number].into_iter().flatten().filter_map(all));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_vectors() {
        /// Coordinates, fields, vectors.
        type Case<'a> = (&'a [&'a str], &'a [&'a str], &'a [&'a [usize]]);
        let cases: [Case<'_>; 7] = [
            (&["x", "y", "t"], &["u", "v", "p"], &[&[0, 1]]),
            (&["x", "t"], &["u", "v"], &[&[0, 1]]),
            (&["x", "y", "z"], &["p", "u", "v", "w"], &[&[1, 2, 3]]),
            (&["x", "y"], &["Bx", "By", "E1", "E2"], &[&[0, 1], &[2, 3]]),
            (&["x", "t"], &["u1", "u2"], &[]),
            (&["t"], &["u", "v"], &[]),
            (&["x", "y"], &["u"], &[]),
        ];
        for (coordinates, fields, expected) in cases {
            let axes: String = coordinates.iter().map(|c| format!("{c} = [0, 2]\n")).collect();
            let text = format!(
                "fields = {fields:?}\n[domain]\n{axes}[term.a]\nequation = \"{} = 1\"\npoints = 4\n",
                fields[0]
            );
            let problem = crate::testing::problem(&text);
            assert_eq!(vectors(&problem), expected, "{coordinates:?} {fields:?}");
        }
    }
}
