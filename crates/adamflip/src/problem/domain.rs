//! `[domain]` and `[shapes]`: ranges that are not empty, shapes that are shapes, and what is inside.

use super::names::{Names, number};
use crate::diagnostic::{Diagnostic, Spanned};
use crate::geometry::{Csg, Domain, Form, Region, RegionError, Shape, ShapeError};
use crate::lang::{self, ShapeExpression};
use crate::spec::{self, Number};

/// The domain, or its errors.
pub(super) fn domain(spec: &spec::Spec, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Option<Domain> {
    // Of an axis without ends nothing can be said of places.
    let mut whole = spec.domain.iter().all(|axis| !axis.refused) && names.has_ends;
    for (axis, &(lower, upper)) in spec.domain.iter().zip(&names.ranges) {
        let length = upper - lower;
        // An axis that is empty as written has its message from the file's own check, which puts another in
        // its place.
        if !(length > 0.0 && length.is_finite()) {
            diagnostics.push(empty_axis(axis, lower, upper));
            whole = false;
        }
    }
    let shapes: Vec<Option<Shape>> =
        spec.shapes.iter().map(|shape| self::shape(shape, names, diagnostics)).collect();
    let (lower, upper) = names.ranges.iter().copied().unzip();
    let domain = if whole { Domain::new(lower, upper).ok()?.with_time(names.time) } else { return None };
    let Some(inside) = &spec.inside else { return unused_shapes(spec, diagnostics).then_some(domain) };
    let known: Vec<String> = spec.shapes.iter().map(|shape| shape.name.value.clone()).collect();
    let tree = lang::shapes(inside, &known).map_err(|mistakes| diagnostics.extend(mistakes)).ok()?;
    let shapes = known.into_iter().zip(shapes).map(|(name, shape)| Some((name, shape?)));
    let region = Region { shapes: shapes.collect::<Option<Vec<_>>>()?, tree: csg(&tree) };
    let refused = |error: RegionError| {
        let message = match error {
            RegionError::Empty { coordinate, lower, upper } => format!(
                "nothing of the region lies in the domain: `{}` would run from {lower} to {upper}",
                names.coordinates[coordinate]
            ),
            other => other.to_string(),
        };
        let diagnostic = Diagnostic::new(inside.span, message).label("what is inside");
        diagnostics.push(diagnostic.hint("check the shapes against the ranges of [domain]"));
    };
    domain.with_inside(region).map_err(refused).ok()
}

/// Shapes without `inside` have no effect, which nobody means.
fn unused_shapes(spec: &spec::Spec, diagnostics: &mut Vec<Diagnostic>) -> bool {
    let Some(first) = spec.shapes.first() else { return true };
    let name = &first.name.value;
    let diagnostic = Diagnostic::new(first.name.span, "[shapes] are given, but [domain] has no `inside`");
    diagnostics.push(diagnostic.label("not used").hint(format!("write in [domain]: inside = \"{name}\"")));
    false
}

fn csg(tree: &ShapeExpression) -> Csg {
    let both = |a: &ShapeExpression, b: &ShapeExpression| (Box::new(csg(a)), Box::new(csg(b)));
    match tree {
        ShapeExpression::Shape(index) => Csg::Shape(*index),
        ShapeExpression::Union(a, b) => {
            let (a, b) = both(a, b);
            Csg::Union(a, b)
        }
        ShapeExpression::Difference(a, b) => {
            let (a, b) = both(a, b);
            Csg::Difference(a, b)
        }
        ShapeExpression::Intersection(a, b) => {
            let (a, b) = both(a, b);
            Csg::Intersection(a, b)
        }
    }
}

fn shape(shape: &spec::Shape, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Option<Shape> {
    let scope = names.constant_scope();
    let mut one = |value: &Spanned<Number>| number(value, &scope, diagnostics);
    let mut axes: Option<Vec<&Spanned<String>>> = shape.axes.as_ref().map(|axes| axes.iter().collect());
    let form = match &shape.form {
        spec::ShapeForm::Box(ranges) => {
            axes = Some(ranges.iter().map(|axis| &axis.name).collect());
            let ends = ranges.iter().map(|axis| (one(&axis.lower), one(&axis.upper)));
            let (lower, upper): (Vec<_>, Vec<_>) = ends.unzip();
            Form::Box {
                lower: lower.into_iter().collect::<Option<_>>()?,
                upper: upper.into_iter().collect::<Option<_>>()?,
            }
        }
        spec::ShapeForm::Disk { center, radius } | spec::ShapeForm::Ball { center, radius } => {
            let center: Vec<_> = center.iter().map(&mut one).collect();
            let radius = one(radius);
            Form::Ball { center: center.into_iter().collect::<Option<_>>()?, radius: radius? }
        }
        spec::ShapeForm::Ellipse { center, radii, angle } => {
            let center: Vec<_> = center.iter().map(&mut one).collect();
            let radii: Vec<_> = radii.iter().map(&mut one).collect();
            let angle = angle.as_ref().map_or(Some(0.0), &mut one);
            let pair = |list: Vec<Option<f64>>| -> Option<[f64; 2]> {
                list.into_iter().collect::<Option<Vec<f64>>>()?.try_into().ok()
            };
            Form::Ellipse { center: pair(center)?, radii: pair(radii)?, angle: angle? }
        }
        spec::ShapeForm::Polygon(corners, _) => {
            let corner = |[x, y]: &[Spanned<Number>; 2]| (one(x), one(y));
            let corners: Vec<_> = corners.iter().map(corner).collect();
            let whole = |(x, y): (Option<f64>, Option<f64>)| Some([x?, y?]);
            Form::Polygon(corners.into_iter().map(whole).collect::<Option<_>>()?)
        }
    };
    let axes = axes_of(shape, axes, form.dimension(), names, diagnostics)?;
    let coordinates: Vec<&str> = axes.iter().map(|&axis| names.coordinates[axis].as_str()).collect();
    let refused = |error: ShapeError| {
        let message = match error {
            ShapeError::DuplicateAxis { coordinate } => {
                format!("the coordinate `{}` is given twice", names.coordinates[coordinate])
            }
            ShapeError::Length { axis, lower, upper } => format!(
                "`{}` of the box runs from {lower} to {upper}, which is no interval of positive length",
                coordinates[axis]
            ),
            other => other.to_string(),
        };
        let diagnostic = Diagnostic::new(shape.name.span, format!("`{}`: {message}", shape.name.value));
        diagnostics.push(diagnostic.label("not a shape").hint("correct its numbers"));
    };
    Shape::new(axes, form).map_err(refused).ok()
}

/// The coordinates of a shape: those named, or the first ones of the domain.
fn axes_of(
    shape: &spec::Shape,
    named: Option<Vec<&Spanned<String>>>,
    dimension: usize,
    names: &Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<usize>> {
    let place = |name: &Spanned<String>| names.coordinates.iter().position(|c| *c == name.value);
    let axes: Vec<usize> = match named {
        Some(named) => named.into_iter().map(place).collect::<Option<_>>()?,
        None => (0..names.coordinates.len()).filter(|&c| Some(c) != names.time).take(dimension).collect(),
    };
    if axes.len() != dimension || axes.iter().any(|&axis| Some(axis) == names.time) {
        let count = names.coordinates.len() - usize::from(names.time.is_some());
        let message =
            format!("`{}` has {dimension} dimensions, which do not fit its coordinates", shape.name.value);
        let diagnostic = Diagnostic::new(shape.name.span, message)
            .label(format!("the domain has {count} coordinates of space"));
        diagnostics.push(diagnostic.hint("name its coordinates: `axes = [\"x\", \"y\"]`"));
        return None;
    }
    Some(axes)
}

fn empty_axis(axis: &spec::CoordinateRange, lower: f64, upper: f64) -> Diagnostic {
    let name = &axis.name.value;
    let (message, label, hint) = match () {
        () if lower < upper => ("is not finite", "too long", "bring its ends closer together".to_owned()),
        () if lower == upper => ("is empty", "no length", format!("write for example `{name} = [-1, 1]`")),
        () => ("is empty", "lower end first", format!("write `{name} = [{upper}, {lower}]`")),
    };
    Diagnostic::new(
        axis.lower.span,
        format!("the range of `{name}` {message}: it runs from {lower} to {upper}"),
    )
    .label(label)
    .hint(hint)
}
