//! Coordinates along which the conditions make the fields periodic: an embedding meets them exactly.

use crate::geometry::{Domain, Part};
use crate::lang::{Leaf, Tape};
use crate::problem::{FieldResidual, Source, Term};

/// The coordinates at whose ends the terms ask for the same of every field sought, and for nothing else.
pub(super) fn periodic(terms: &[&Term], domain: &Domain, sought: usize) -> Vec<usize> {
    if domain.inside.is_some() {
        return Vec::new();
    }
    let is_periodic = |&c: &usize| {
        let mut alike = vec![false; sought];
        for term in terms {
            match ends(term, c, domain) {
                Ends::Elsewhere => {}
                Ends::Other => return false,
                Ends::All => {
                    for equation in &term.in_fields {
                        match equation.as_ref().and_then(|equation| same_at_ends(equation, c, domain)) {
                            Some((field, true)) if field < sought => alike[field] = true,
                            Some((field, _)) if field < sought => {}
                            _ => return false,
                        }
                    }
                }
            }
        }
        alike.iter().all(|&alike| alike)
    };
    (0..domain.dimension()).filter(is_periodic).collect()
}

/// Does a term hold at the ends of a coordinate?
enum Ends {
    /// On its whole place.
    All,
    /// On a part of it, or of the ends.
    Other,
    /// Not at all.
    Elsewhere,
}

fn ends(term: &Term, coordinate: usize, domain: &Domain) -> Ends {
    let is_end = |x: f64| x == domain.lower[coordinate] || x == domain.upper[coordinate];
    let Source::Drawn { place, .. } = &term.source else {
        // Values of a table inside the domain say nothing of its ends.
        return Ends::Elsewhere;
    };
    let at_end = |part: &Part| part.boundary.is_some() || part.value(coordinate).is_some_and(is_end);
    let whole = |part: &Part| {
        part.fixed.len() == 1 && part.boundary.is_none() && part.ranges.is_empty() && part.within.is_empty()
    };
    match place.parts.iter().filter(|part| at_end(part)).count() {
        0 => Ends::Elsewhere,
        count if count == place.parts.len() && place.parts.iter().all(whole) => Ends::All,
        _ => Ends::Other,
    }
}

/// The field that an equation wants to be the same at both ends, or a derivative of it; and whether it is the
/// field itself.
fn same_at_ends(equation: &FieldResidual, coordinate: usize, domain: &Domain) -> Option<(usize, bool)> {
    let [first, second] = &equation.readings[..] else { return None };
    if (first.field, first.partial) != (second.field, second.partial) {
        return None;
    }
    let sites = [&first.site, &second.site].map(|site| end(site.as_ref(), coordinate, domain));
    let [Some(first_end), Some(second_end)] = sites else { return None };
    let [lower, upper] = [domain.lower[coordinate], domain.upper[coordinate]];
    // One of them is the place of the term itself, which is an end.
    let opposite = match (first_end, second_end) {
        (None, Some(x)) | (Some(x), None) => x == lower || x == upper,
        (Some(x), Some(y)) => x != y && [x, y].iter().all(|x| *x == lower || *x == upper),
        (None, None) => false,
    };
    (opposite && is_difference(&equation.tape)).then_some((first.field, first.partial.order() == 0))
}

/// Where a site lies along a coordinate: at a number, or (`None` inside) where the point is. Nothing where it
/// differs from the point in other coordinates.
fn end(site: Option<&Tape>, coordinate: usize, domain: &Domain) -> Option<Option<f64>> {
    let Some(site) = site else { return Some(None) };
    let mut values = vec![0.0; site.registers()];
    let middle: Vec<f64> = domain.lower.iter().zip(&domain.upper).map(|(a, b)| 0.3 * a + 0.7 * b).collect();
    for (value, leaf) in values.iter_mut().zip(site.inputs()) {
        let Leaf::Coordinate(c) = *leaf else { return None };
        *value = middle[c];
    }
    site.forward(&mut values, 1);
    let at = |c: usize| values[site.outputs()[c]];
    let stays = (0..domain.dimension()).all(|c| c == coordinate || at(c) == middle[c]);
    let moves = site.inputs().contains(&Leaf::Coordinate(coordinate));
    (stays && !moves).then(|| Some(at(coordinate)))
}

/// Is it c·(a − b) of its two readings a and b?
fn is_difference(tape: &Tape) -> bool {
    if tape.inputs() != [Leaf::Attribute(0), Leaf::Attribute(1)] {
        return false;
    }
    let at = |a: f64, b: f64| {
        let mut values = vec![0.0; tape.registers()];
        values[..2].copy_from_slice(&[a, b]);
        tape.forward(&mut values, 1);
        values[tape.outputs()[0]]
    };
    let unit = at(1.0, 0.0);
    let close = |x: f64, y: f64| (x - y).abs() <= 1e-12 * unit.abs();
    unit != 0.0 && close(at(0.0, 1.0), -unit) && close(at(3.0, 1.0), 2.0 * unit) && close(at(2.5, 2.5), 0.0)
}
