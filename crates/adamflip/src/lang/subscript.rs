//! The subscript of a derivative as a list of coordinates: `xxt` is x, x, t, and `x1x` is x1, x.

/// Why a subscript is not a list of coordinates.
#[derive(Debug, PartialEq)]
pub(super) enum Split {
    Ambiguous,
    /// No coordinate begins at this byte, the furthest that was reached.
    Stuck(usize),
}

/// The coordinates whose names, one after the other, make up the subscript.
pub(super) fn split_subscript(subscript: &str, coordinates: &[String]) -> Result<Vec<usize>, Split> {
    // For each byte: in how many ways it was reached (two is as good as many), and by which coordinate.
    let mut ways = vec![(0_u8, 0_usize); subscript.len() + 1];
    ways[0].0 = 1;
    let mut furthest = 0;
    for at in 0..subscript.len() {
        if ways[at].0 == 0 {
            continue;
        }
        furthest = at;
        for (coordinate, name) in coordinates.iter().enumerate() {
            if !name.is_empty() && subscript[at..].starts_with(name.as_str()) {
                let next = &mut ways[at + name.len()];
                *next = (next.0.saturating_add(1).min(2), coordinate);
            }
        }
        if ways[at].0 == 2 {
            // An ambiguity is passed on to all that follows.
            for name in coordinates.iter().filter(|name| !name.is_empty()) {
                if subscript[at..].starts_with(name.as_str()) {
                    ways[at + name.len()].0 = 2;
                }
            }
        }
    }
    match ways[subscript.len()].0 {
        0 => Err(Split::Stuck(furthest)),
        1 if !subscript.is_empty() => Ok(trace(&ways, coordinates)),
        1 => Err(Split::Stuck(0)),
        _ => Err(Split::Ambiguous),
    }
}

/// The coordinates along the only way to the end.
fn trace(ways: &[(u8, usize)], coordinates: &[String]) -> Vec<usize> {
    let (mut by, mut at) = (Vec::new(), ways.len() - 1);
    while at > 0 {
        let coordinate = ways[at].1;
        by.push(coordinate);
        at -= coordinates[coordinate].len();
    }
    by.reverse();
    by
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn subscripts() {
        let coordinates = strings(&["x", "t", "x1", "theta"]);
        let split = |subscript| split_subscript(subscript, &coordinates);
        assert_eq!(split("ttx"), Ok(vec![1, 1, 0]));
        assert_eq!(split("x1x"), Ok(vec![2, 0]));
        assert_eq!(split("thetat"), Ok(vec![3, 1]));
        assert_eq!(split("xz"), Err(Split::Stuck(1)));
        assert_eq!(split("x2"), Err(Split::Stuck(1)));
        assert_eq!(split(""), Err(Split::Stuck(0)));
    }

    #[test]
    fn ambiguity_anywhere_is_seen() {
        let coordinates = strings(&["x", "y", "xy"]);
        assert_eq!(split_subscript("xyx", &coordinates), Err(Split::Ambiguous));
        assert_eq!(split_subscript("xxyyy", &coordinates), Err(Split::Ambiguous));
        assert_eq!(split_subscript("yx", &coordinates), Ok(vec![1, 0]));
    }
}
