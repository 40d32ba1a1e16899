//! Arrays to rows: a list of points, or a grid whose coordinates are vectors.
//!
//! Axes of length 1 do not count. When all arrays have the same shape, each element is a point; meshes of
//! `meshgrid` are such lists. Else each coordinate is a vector and each field has one axis for each
//! coordinate. Different lengths say which axis is which, in any order. Where lengths are equal, axes are
//! taken in the order of the coordinates if the shape allows it (a [`Table`] notes that), and refused if not.

use super::array::{Array, Content, Entry};
use super::npy::refusal;
use super::request::{Request, Selected, elements};
use super::table::{RowOrigin, Table};
use super::{DataError, error};

type Named = (String, Array);

/// The table of the arrays of a file.
pub(super) fn table(request: &Request, entries: Vec<Entry>) -> Result<Table, DataError> {
    let names: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
    let mut contents: Vec<Content> = entries.into_iter().map(|entry| entry.content).collect();
    let mut notes = Vec::new();
    let mut arrays: Vec<Named> = Vec::new();
    for (i, Selected { name, position }) in request.select(&names)?.into_iter().enumerate() {
        match std::mem::replace(&mut contents[position], Content::Unread) {
            Content::Numbers(array) => arrays.push((name, array)),
            Content::Other(kind) if !request.is_explicit() && i >= request.coordinates.len() => {
                notes.push(left_out(request, &name, &kind));
            }
            other => return Err(refusal(request.file, &error::array_named(&names[position]), other)),
        }
    }
    leave_out_constants(request, &mut arrays, &mut notes);
    if is_list(&arrays) { list(request, arrays) } else { grid(request, arrays, &mut notes) }
        .map(|table| table.with_notes(notes))
}

/// Single numbers beside arrays are constants of whoever saved the file, unless `columns` asks for them.
fn leave_out_constants(request: &Request, arrays: &mut Vec<Named>, notes: &mut Vec<String>) {
    let is_number = |array: &Array| array.essential().is_empty();
    if request.is_explicit() || arrays.iter().all(|(_, array)| is_number(array)) {
        return;
    }
    let mut position = 0;
    arrays.retain(|(name, array)| {
        position += 1;
        let kept = position <= request.coordinates.len() || !is_number(array);
        if !kept {
            notes.push(left_out(request, name, "a single number"));
        }
        kept
    });
}

fn left_out(request: &Request, name: &str, kind: &str) -> String {
    format!("`{}` of `{}` is {kind} and was left out", error::shown(name), request.file)
}

fn is_list(arrays: &[Named]) -> bool {
    let shapes = arrays.iter().map(|(_, array)| array.essential());
    shapes.clone().zip(shapes.skip(1)).all(|(one, next)| one == next)
}

fn list(request: &Request, arrays: Vec<Named>) -> Result<Table, DataError> {
    let shape = arrays.first().map_or_else(|| vec![0], |(_, array)| array.essential());
    let columns = arrays.into_iter().map(|(name, array)| (name, array.squeezed().into_values())).collect();
    Table::new(request.file, columns, RowOrigin::Elements(shape), request.coordinates.len())
}

fn grid(request: &Request, arrays: Vec<Named>, notes: &mut Vec<String>) -> Result<Table, DataError> {
    let mismatch = |array: &str, found: &[usize], coordinates: &[Named]| DataError::ShapeMismatch {
        file: request.file.into(),
        array: array.into(),
        found: found.into(),
        coordinates: shapes(coordinates),
    };
    let (coordinates, fields) = arrays.split_at(request.coordinates.len().min(arrays.len()));
    let is_mesh = coordinates.iter().any(|(_, array)| array.essential().len() > 1);
    // A mesh, or lists of different lengths: the array that is not like the first is the error.
    if let Some((first, others)) = arrays.split_first()
        && (is_mesh || fields.is_empty() || coordinates.is_empty())
        && let Some((name, odd)) = others.iter().find(|(_, other)| other.essential() != first.1.essential())
    {
        return Err(mismatch(
            name,
            &odd.shape,
            if coordinates.is_empty() { &arrays[..1] } else { coordinates },
        ));
    }
    let lengths: Vec<usize> = coordinates.iter().map(|(_, array)| array.shape.iter().product()).collect();
    let mut axes = Vec::new();
    for (name, field) in fields {
        let found = field.essential();
        let order = match assign(&lengths, &found) {
            Assignment::Unique(order) => order,
            Assignment::ByConvention(order) => {
                notes.push(convention(request, name, &field.shape));
                order
            }
            Assignment::Ambiguous => {
                let (file, array, found) = (request.file.into(), name.clone(), field.shape.clone());
                return Err(DataError::AmbiguousGrid {
                    file,
                    array,
                    found,
                    coordinates: shapes(coordinates),
                });
            }
            Assignment::None => return Err(mismatch(name, &field.shape, coordinates)),
        };
        axes.push(order);
    }
    expand(request, arrays, &lengths, axes)
}

/// One row for each point of the grid.
fn expand(
    request: &Request,
    arrays: Vec<Named>,
    lengths: &[usize],
    axes: Vec<Vec<usize>>,
) -> Result<Table, DataError> {
    let size = elements(lengths);
    request.check_size(|| "the table of its grid".into(), size.saturating_mul(arrays.len() as u128))?;
    let mut arrays = arrays.into_iter();
    let vectors = arrays.by_ref().take(lengths.len());
    let vectors: Vec<(String, Vec<f64>)> =
        vectors.map(|(name, array)| (name, array.squeezed().into_values())).collect();
    let mut columns = Vec::new();
    let mut inner = size as usize;
    for (name, values) in &vectors {
        inner /= values.len().max(1);
        let expanded = (0..size as usize).map(|row| values[row / inner % values.len()]).collect();
        columns.push((name.clone(), expanded));
    }
    columns.extend(arrays.zip(axes).map(|((name, field), order)| (name, field.squeezed().in_order(&order))));
    Table::on_grid(request.file, columns, vectors)
}

/// For each coordinate whose length is not 1, its axis among those of a field.
#[derive(Debug, PartialEq)]
enum Assignment {
    Unique(Vec<usize>),
    ByConvention(Vec<usize>),
    Ambiguous,
    None,
}

fn assign(lengths: &[usize], found: &[usize]) -> Assignment {
    let wanted: Vec<usize> = lengths.iter().copied().filter(|&length| length != 1).collect();
    let sorted = |lengths: &[usize]| {
        let mut sorted = lengths.to_vec();
        sorted.sort_unstable();
        sorted
    };
    let ascending = sorted(&wanted);
    if ascending != sorted(found) {
        return Assignment::None;
    }
    let is_unique = ascending.windows(2).all(|pair| pair[0] != pair[1]);
    if is_unique {
        let axis = |length: &usize| found.iter().position(|other| other == length);
        wanted.iter().map(axis).collect::<Option<_>>().map_or(Assignment::None, Assignment::Unique)
    } else if wanted == found {
        Assignment::ByConvention((0..found.len()).collect())
    } else {
        Assignment::Ambiguous
    }
}

fn convention(request: &Request, name: &str, found: &[usize]) -> String {
    let (name, shape, order) = (error::shown(name), error::shape(found), request.coordinates.join(", "));
    format!("`{name}` of `{}` has shape {shape}; its axes are taken in the order {order}", request.file)
}

fn shapes(arrays: &[Named]) -> Vec<(String, Vec<usize>)> {
    arrays.iter().map(|(name, array)| (name.clone(), array.shape.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_told_apart_by_their_lengths() {
        assert_eq!(assign(&[4, 3], &[4, 3]), Assignment::Unique(vec![0, 1]));
        assert_eq!(assign(&[4, 3], &[3, 4]), Assignment::Unique(vec![1, 0]));
        assert_eq!(assign(&[4, 3, 2], &[2, 4, 3]), Assignment::Unique(vec![1, 2, 0]));
        assert_eq!(assign(&[4, 1], &[4]), Assignment::Unique(vec![0]));
        assert_eq!(assign(&[4, 3], &[4, 4]), Assignment::None);
        assert_eq!(assign(&[4, 3], &[12]), Assignment::None);
    }

    #[test]
    fn equal_lengths_need_the_order_of_the_coordinates() {
        assert_eq!(assign(&[4, 4], &[4, 4]), Assignment::ByConvention(vec![0, 1]));
        assert_eq!(assign(&[4, 4, 3], &[4, 4, 3]), Assignment::ByConvention(vec![0, 1, 2]));
        assert_eq!(assign(&[4, 4, 3], &[3, 4, 4]), Assignment::Ambiguous);
    }
}
