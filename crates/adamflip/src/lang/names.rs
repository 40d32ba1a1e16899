//! What a name means: coordinate, field, unknown, constant, or a field's derivative by subscript.
//!
//! A name that is defined as it stands wins over its reading as a derivative, and both win over the built-in constants.

use super::Scope;
use super::function::{CONSTANTS, Callable};
use super::graph::Leaf;
use super::mistake::{Mistake, list};
use crate::derivative::{MAX_ORDER, Partial};

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Resolved {
    Leaf(Leaf),
    Constant(f64),
}

/// The meaning of a name that stands at byte `start` of its text.
pub(super) fn resolve(name: &str, start: usize, scope: &Scope<'_>) -> Result<Resolved, Mistake> {
    if let Some(resolved) = exact(name, scope) {
        return Ok(resolved);
    }
    if let Some((field, subscript)) = split_field(name, scope.fields) {
        return derivative(name, field, subscript, start, scope).map(Resolved::Leaf);
    }
    match CONSTANTS.iter().find(|(constant, _)| *constant == name) {
        Some((_, value)) => Ok(Resolved::Constant(*value)),
        None => Err(undefined(name, start, scope)),
    }
}

fn exact(name: &str, scope: &Scope<'_>) -> Option<Resolved> {
    let position = |names: &[String]| names.iter().position(|known| known == name);
    if let Some(coordinate) = position(scope.coordinates) {
        return Some(Resolved::Leaf(Leaf::Coordinate(coordinate)));
    }
    if let Some(field) = position(scope.fields) {
        return Some(Resolved::Leaf(Leaf::Jet { field, partial: Partial::VALUE }));
    }
    if let Some(unknown) = position(scope.unknowns) {
        return Some(Resolved::Leaf(Leaf::Unknown(unknown)));
    }
    scope.constants.iter().find(|(known, _)| known == name).map(|(_, value)| Resolved::Constant(*value))
}

/// The field of the longest name that the name begins with, and the subscript after it.
fn split_field<'n>(name: &'n str, fields: &[String]) -> Option<(usize, &'n str)> {
    let subscript = |field: &String| name.strip_prefix(field.as_str())?.strip_prefix('_');
    let split = fields.iter().enumerate().filter_map(|(index, field)| Some((index, subscript(field)?)));
    split.min_by_key(|(_, subscript)| subscript.len())
}

fn derivative(
    name: &str,
    field: usize,
    subscript: &str,
    start: usize,
    scope: &Scope<'_>,
) -> Result<Leaf, Mistake> {
    let range = start..start + name.len();
    let by = match split_subscript(subscript, scope.coordinates) {
        Ok(by) => by,
        Err(Split::Ambiguous) => {
            let field = &scope.fields[field];
            return Err(Mistake::new(range, format!("`{name}` can be read in two ways"))
                .label("ambiguous subscript")
                .hint(format!(
                    "write `d({field}, …)` and list the coordinates {}",
                    list(scope.coordinates)
                )));
        }
        Err(Split::Stuck(at)) => return Err(stuck(name, &subscript[at..], range.end, scope)),
    };
    Partial::new(&by).map(|partial| Leaf::Jet { field, partial }).ok_or_else(|| {
        Mistake::new(range, format!("`{name}` is a derivative of order {}", by.len()))
            .label("order too high")
            .hint(format!("derivatives up to order {MAX_ORDER} are supported"))
    })
}

/// Where the subscript stops being made of coordinates; `end` is where the name ends in the text.
fn stuck(name: &str, rest: &str, end: usize, scope: &Scope<'_>) -> Mistake {
    let range = end - rest.len()..end;
    let flat = name.rsplitn(2, '_').collect::<Vec<_>>();
    if rest.is_empty() {
        return Mistake::new(end - name.len()..end, format!("`{name}` has an empty subscript"))
            .label("by which coordinate?")
            .hint(format!("the coordinates are {}", list(scope.coordinates)));
    }
    let mistake = Mistake::new(range, format!("`{name}` is not a derivative by coordinates"))
        .label(format!("`{rest}` is not a coordinate"));
    match flat.as_slice() {
        [last, first] if resolve(&format!("{first}{last}"), 0, scope).is_ok() => {
            mistake.hint(format!("write `{first}{last}`"))
        }
        _ if scope.coordinates.is_empty() => mistake.hint("no coordinates are known here"),
        _ => mistake.hint(format!("the coordinates are {}", list(scope.coordinates))),
    }
}

/// Why a subscript is not a list of coordinates.
#[derive(Debug, PartialEq)]
enum Split {
    Ambiguous,
    /// No coordinate begins at this byte, the furthest that was reached.
    Stuck(usize),
}

/// The coordinates whose names, one after the other, make up the subscript.
fn split_subscript(subscript: &str, coordinates: &[String]) -> Result<Vec<usize>, Split> {
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

fn undefined(name: &str, start: usize, scope: &Scope<'_>) -> Mistake {
    let mistake =
        Mistake::new(start..start + name.len(), format!("`{name}` is not defined")).label("not defined");
    if let Some(callable) = Callable::named(name) {
        return Mistake::new(start..start + name.len(), format!("`{name}` is a function"))
            .label("without its arguments")
            .hint(format!("write `{}`", callable.usage()));
    }
    if let Some((head, subscript)) = name.split_once('_')
        && split_subscript(subscript, scope.coordinates).is_ok()
    {
        if let Some(resolved) = exact(head, scope) {
            let kind = kind(resolved);
            return Mistake::new(
                start..start + name.len(),
                format!("`{head}` is {kind} and has no derivatives"),
            )
            .label(format!("derivative of {kind}"))
            .hint(format!("the fields are {}", list(scope.fields)));
        }
        if let Some(field) = nearest(head, scope.fields.iter().map(String::as_str)) {
            return mistake.hint(format!("did you mean `{field}_{subscript}`?"));
        }
    }
    match nearest(name, known(scope)) {
        Some(near) => mistake.hint(format!("did you mean `{near}`?")),
        None => mistake.hint(match known(scope).count() > CONSTANTS.len() {
            true => format!("known names: {}", list(&known(scope).map(str::to_owned).collect::<Vec<_>>())),
            false => "only numbers and `pi`, `e` are known here".to_owned(),
        }),
    }
}

/// Every name that may stand alone.
fn known<'s>(scope: &Scope<'s>) -> impl Iterator<Item = &'s str> {
    let names = [scope.coordinates, scope.fields, scope.unknowns].into_iter().flatten();
    let constants = scope.constants.iter().map(|(name, _)| name);
    names.chain(constants).map(String::as_str).chain(CONSTANTS.iter().map(|(name, _)| *name))
}

/// What a name stands for, in words.
pub(super) fn kind(resolved: Resolved) -> &'static str {
    match resolved {
        Resolved::Constant(_) => "a constant",
        Resolved::Leaf(Leaf::Coordinate(_)) => "a coordinate",
        Resolved::Leaf(Leaf::Unknown(_)) => "an unknown",
        Resolved::Leaf(_) => "a field",
    }
}

/// The candidate that the fewest edits turn the name into, if they are few for its length.
pub(super) fn nearest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let lower = name.to_lowercase();
    let most = 1 + name.chars().count() / 4;
    candidates
        .map(|candidate| (edits(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(edits, candidate)| *edits <= most && *edits < candidate.chars().count())
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment).
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let replaced = above[j] + usize::from(a[i] != b[j]);
            row[j + 1] = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
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

    #[test]
    fn the_longest_field_wins() {
        let fields = strings(&["temp", "temp_in", "u"]);
        assert_eq!(split_field("temp_in_x", &fields), Some((1, "x")));
        assert_eq!(split_field("temp_x", &fields), Some((0, "x")));
        assert_eq!(split_field("tem_x", &fields), None);
    }

    #[test]
    fn own_names_win_over_built_in_ones() {
        let coordinates = strings(&["e"]);
        let constants = [("pi".to_owned(), 3.0)];
        let scope = Scope { coordinates: &coordinates, constants: &constants, ..Scope::default() };
        assert_eq!(resolve("e", 0, &scope), Ok(Resolved::Leaf(Leaf::Coordinate(0))));
        assert_eq!(resolve("pi", 0, &scope), Ok(Resolved::Constant(3.0)));
        assert_eq!(resolve("pi", 0, &Scope::default()), Ok(Resolved::Constant(std::f64::consts::PI)));
    }

    #[test]
    fn near_names() {
        assert_eq!(edits("kappa", "kapap"), 1);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(nearest("kapa", ["x", "kappa", "nu"].into_iter()), Some("kappa"));
        assert_eq!(nearest("q", ["x", "y"].into_iter()), None);
        assert_eq!(nearest("Nu", ["nu"].into_iter()), Some("nu"));
    }
}
