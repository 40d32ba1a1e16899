//! What a name means: coordinate, field, unknown, constant, definition, attribute, or a field's derivative by
//! subscript.
//!
//! A name that is defined as it stands wins over its reading as a derivative, a derivative over an attribute
//! of the points (`n_x` is a component of the normal unless there is a field `n`), and all over what is built
//! in.

use std::ops::Range;

use super::Scope;
use super::function::{CONSTANTS, Callable};
use super::graph::{HERE, Leaf};
use super::subscript::{Split, split_subscript};
use super::text_error::{TextError, list};
use crate::derivative::{MAX_ORDER, Partial};
use crate::diagnostic::nearest;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Resolved {
    Leaf(Leaf),
    Constant(f64),
    /// The derivative of a field along the normal.
    NormalDerivative(usize),
    /// The outward normal.
    Normal,
    Definition(usize),
}

/// The meaning of a name that stands at byte `start` of its text.
pub(super) fn resolve(name: &str, start: usize, scope: &Scope<'_>) -> Result<Resolved, TextError> {
    if let Some(resolved) = exact(name, scope) {
        return Ok(resolved);
    }
    let read = split_field(name, scope.fields).map(|(field, subscript)| match subscript {
        "n" if !scope.coordinates.iter().any(|coordinate| coordinate == "n") => {
            normal_derivative(name, field, start, scope)
        }
        _ => derivative(name, field, subscript, start, scope).map(Resolved::Leaf),
    });
    if let Some(Ok(resolved)) = read {
        return Ok(resolved);
    }
    if let Some(attribute) = scope.attributes.iter().position(|attribute| attribute == name) {
        return Ok(Resolved::Leaf(Leaf::Attribute(attribute)));
    }
    match (read, CONSTANTS.iter().find(|(constant, _)| *constant == name)) {
        (Some(read), _) => read,
        (None, Some((_, value))) => Ok(Resolved::Constant(*value)),
        (None, None) if name == "n" && scope.has_normal() => Ok(Resolved::Normal),
        (None, None) => Err(undefined(name, start, scope)),
    }
}

fn exact(name: &str, scope: &Scope<'_>) -> Option<Resolved> {
    let position = |names: &[String]| names.iter().position(|known| known == name);
    if let Some(coordinate) = position(scope.coordinates) {
        return Some(Resolved::Leaf(Leaf::Coordinate(coordinate)));
    }
    if let Some(field) = position(scope.fields) {
        return Some(Resolved::Leaf(Leaf::value_of(field)));
    }
    if let Some(unknown) = position(scope.unknowns) {
        return Some(Resolved::Leaf(Leaf::Unknown(unknown)));
    }
    if let Some((_, value)) = scope.constants.iter().find(|(known, _)| known == name) {
        return Some(Resolved::Constant(*value));
    }
    scope.definitions.iter().position(|definition| definition.name == name).map(Resolved::Definition)
}

/// The field whose derivative a name is read as, where these are the fields and coordinates.
pub fn derivative_of<'f>(name: &str, fields: &'f [String], coordinates: &[String]) -> Option<&'f str> {
    let (field, subscript) = split_field(name, fields)?;
    let is_one = subscript == "n" || split_subscript(subscript, coordinates).is_ok();
    is_one.then_some(fields[field].as_str())
}

/// Whether the name is meant as a derivative of a field.
pub(super) fn is_derivative(name: &str, scope: &Scope<'_>) -> bool {
    split_field(name, scope.fields).is_some()
}

fn normal_derivative(
    name: &str,
    field: usize,
    start: usize,
    scope: &Scope<'_>,
) -> Result<Resolved, TextError> {
    match scope.has_normal() {
        true => Ok(Resolved::NormalDerivative(field)),
        false => Err(no_boundary(&format!("`{name}`"), start..start + name.len())),
    }
}

/// A normal where the points lie on no boundary.
pub(super) fn no_boundary(what: &str, range: Range<usize>) -> TextError {
    TextError::new(range, format!("{what} needs a boundary"))
        .label("no normal here")
        .hint("say where: `on = \"boundary\"`, a shape's name, or an end of an axis like `x = 0`")
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
) -> Result<Leaf, TextError> {
    let range = start..start + name.len();
    let by = match split_subscript(subscript, scope.coordinates) {
        Ok(by) => by,
        Err(Split::Ambiguous) => {
            let field = &scope.fields[field];
            return Err(TextError::new(range, format!("`{name}` can be read in two ways"))
                .label("ambiguous subscript")
                .hint(format!(
                    "write `d({field}, …)` and list the coordinates {}",
                    list(scope.coordinates)
                )));
        }
        Err(Split::Stuck(at)) => return Err(stuck(name, &subscript[at..], range.end, scope)),
    };
    if let Some(&by) = by.iter().find(|&&by| !scope.depends(field, by)) {
        return Err(independent(name, field, by, range, scope));
    }
    Partial::new(&by).map(|partial| Leaf::Jet { field, partial, site: HERE }).ok_or_else(|| {
        TextError::new(range, format!("`{name}` is a derivative of order {}", by.len()))
            .label("order too high")
            .hint(format!("derivatives up to order {MAX_ORDER} are supported"))
    })
}

fn independent(name: &str, field: usize, by: usize, range: Range<usize>, scope: &Scope<'_>) -> TextError {
    let (field_name, by) = (&scope.fields[field], &scope.coordinates[by]);
    let own = scope.coordinates_of(field).into_iter().map(|coordinate| &scope.coordinates[coordinate]);
    TextError::new(range, format!("`{field_name}` does not depend on `{by}`"))
        .label(format!("`{name}` is 0"))
        .hint(format!("`{field_name}` depends on {}", list(own)))
}

/// Where the subscript stops being made of coordinates; `end` is where the name ends in the text.
fn stuck(name: &str, rest: &str, end: usize, scope: &Scope<'_>) -> TextError {
    let range = end - rest.len()..end;
    let flat = name.rsplitn(2, '_').collect::<Vec<_>>();
    if rest.is_empty() {
        return TextError::new(end - name.len()..end, format!("`{name}` has an empty subscript"))
            .label("by which coordinate?")
            .hint(format!("the coordinates are {}", list(scope.coordinates)));
    }
    let mistake = TextError::new(range, format!("`{name}` is not a derivative by coordinates"))
        .label(format!("`{rest}` is not a coordinate"));
    match flat.as_slice() {
        [last, first] if resolve(&format!("{first}{last}"), 0, scope).is_ok() => {
            mistake.hint(format!("write `{first}{last}`"))
        }
        _ if scope.coordinates.is_empty() => mistake.hint("no coordinates are known here"),
        _ => mistake.hint(format!("the coordinates are {}", list(scope.coordinates))),
    }
}

fn undefined(name: &str, start: usize, scope: &Scope<'_>) -> TextError {
    let mistake =
        TextError::new(start..start + name.len(), format!("`{name}` is not defined")).label("not defined");
    if let Some(callable) = Callable::named(name) {
        return TextError::new(start..start + name.len(), format!("`{name}` is a function"))
            .label("without its arguments")
            .hint(format!("write `{}`", callable.usage()));
    }
    if let Some((head, subscript)) = name.split_once('_')
        && split_subscript(subscript, scope.coordinates).is_ok()
    {
        if let Some(resolved) = exact(head, scope) {
            let range = start..start + name.len();
            if let Resolved::Definition(_) = resolved
                && let Some(mistake) = differently(head, "a definition", subscript, range, scope)
            {
                return mistake;
            }
            let kind = kind(resolved);
            return TextError::new(
                start..start + name.len(),
                format!("`{head}` is {kind} and has no derivatives"),
            )
            .label(format!("derivative of {kind}"))
            .hint(format!("the fields are {}", list(scope.fields)));
        }
        if let Some(field) = nearest(head, scope.fields.iter().map(String::as_str)) {
            return mistake.hint(format!("did you mean `{field}_{subscript}`?"));
        }
        if !scope.fields.is_empty() {
            return TextError::new(start..start + head.len(), format!("`{head}` is not a field"))
                .label("not a field")
                .hint(format!("the fields are {}", list(scope.fields)));
        }
    }
    match nearest(name, known(scope)) {
        Some(near) => mistake.hint(format!("did you mean `{near}`?")),
        None => mistake.hint(match known(scope).count() > CONSTANTS.len() {
            true => format!("known names: {}", list(&known(scope).map(str::to_owned).collect::<Vec<_>>())),
            false => "only numbers, `pi`, `e` and the constants above are known here".to_owned(),
        }),
    }
}

/// Subscripts belong to fields; `d` differentiates anything.
pub(super) fn differently(
    head: &str,
    kind: &str,
    subscript: &str,
    range: Range<usize>,
    scope: &Scope<'_>,
) -> Option<TextError> {
    let by = split_subscript(subscript, scope.coordinates).ok()?;
    let by: Vec<&str> = by.into_iter().map(|coordinate| scope.coordinates[coordinate].as_str()).collect();
    let mistake = TextError::new(range, format!("`{head}` is {kind}, not a field"));
    Some(mistake.label("only fields have subscripts").hint(format!("write `d({head}, {})`", by.join(", "))))
}

/// Every name that may stand alone.
fn known<'s>(scope: &Scope<'s>) -> impl Iterator<Item = &'s str> {
    let names = [scope.coordinates, scope.fields, scope.unknowns].into_iter().flatten();
    let constants = scope.constants.iter().map(|(name, _)| name);
    let definitions = scope.definitions.iter().map(|definition| &definition.name);
    names
        .chain(constants)
        .chain(definitions)
        .chain(scope.attributes)
        .map(String::as_str)
        .chain(CONSTANTS.iter().map(|(name, _)| *name))
}

/// What a name stands for, in words.
pub(super) fn kind(resolved: Resolved) -> &'static str {
    match resolved {
        Resolved::Constant(_) => "a constant",
        Resolved::Definition(_) => "a definition",
        Resolved::Normal => "the normal",
        Resolved::NormalDerivative(_) => "a derivative along the normal",
        Resolved::Leaf(Leaf::Coordinate(_)) => "a coordinate",
        Resolved::Leaf(Leaf::Attribute(_)) => "a value known at the points",
        Resolved::Leaf(Leaf::Unknown(_)) => "an unknown",
        Resolved::Leaf(_) => "a field",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
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
}
