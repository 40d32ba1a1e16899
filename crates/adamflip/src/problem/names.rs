//! The names of a problem and the scopes in which its texts are read.

use crate::diagnostic::{Diagnostic, Spanned};
use crate::lang::{self, Definition, Scope};
use crate::spec::{self, Number};

/// The coordinate of this name is time: it has no part in normals, boundaries and Laplacians.
const TIME: &str = "t";

/// Everything that has a name.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) coordinates: Vec<String>,
    /// Fields sought, then unknown fields.
    pub(super) fields: Vec<String>,
    pub(super) unknowns: Vec<String>,
    pub(super) constants: Vec<(String, f64)>,
    pub(super) definitions: Vec<Definition>,
    pub(super) time: Option<usize>,
    /// The coordinates of every field; none where it depends on all.
    pub(super) dependence: Vec<Option<Vec<usize>>>,
    pub(super) ranges: Vec<(f64, f64)>,
    /// Could all of their ends be computed?
    pub(super) has_ends: bool,
}

impl Names {
    pub(super) fn new(spec: &spec::Spec, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut constants = Vec::new();
        for (name, value) in &spec.constants {
            let scope = Scope { constants: &constants, ..Scope::default() };
            // A constant with an error keeps its name, so that its uses are not called undefined too.
            let value = number(value, &scope, diagnostics).unwrap_or(1.0);
            constants.push((name.value.clone(), value));
        }
        let coordinates: Vec<String> = spec.domain.iter().map(|axis| axis.name.value.clone()).collect();
        let mut fields: Vec<String> = spec.fields.iter().map(|field| field.value.clone()).collect();
        let mut dependence = vec![None; fields.len()];
        let mut unknowns = Vec::new();
        for unknown in &spec.unknowns {
            match &unknown.of {
                None => unknowns.push(unknown.name.value.clone()),
                Some(of) => {
                    let place = |name: &Spanned<String>| coordinates.iter().position(|c| *c == name.value);
                    fields.push(unknown.name.value.clone());
                    dependence.push(Some(of.iter().filter_map(place).collect()));
                }
            }
        }
        let definition = |define: &spec::Define| {
            let parameters = define.parameters.as_ref();
            let parameters = parameters.map(|list| list.iter().map(|p| p.value.clone()).collect());
            Definition::new(define.name.value.clone(), parameters, define.body.clone())
        };
        let time = coordinates.iter().position(|name| name == TIME);
        let mut names = Self {
            fields,
            unknowns,
            constants,
            definitions: Vec::new(),
            time,
            dependence,
            ranges: Vec::new(),
            has_ends: false,
            coordinates,
        };
        let ranges = names.read_ranges(spec, diagnostics);
        names.has_ends = ranges.iter().all(Option::is_some);
        names.ranges = ranges.into_iter().map(|range| range.unwrap_or((0.0, 1.0))).collect();
        let mut definitions: Vec<Definition> = spec.defines.iter().map(definition).collect();
        diagnostics.extend(lang::definitions(&mut definitions, &names.scope(&names.normals())));
        names.definitions = definitions;
        diagnostics.extend(names.derivatives(spec));
        names
    }

    /// Names that an equation would read as derivatives, if they stood for nothing else: nobody sees which is
    /// meant.
    fn derivatives(&self, spec: &spec::Spec) -> Vec<Diagnostic> {
        let constants = spec.constants.iter().map(|(name, _)| name);
        let unknowns = spec.unknowns.iter().map(|unknown| &unknown.name);
        let defines = spec.defines.iter().map(|define| &define.name);
        let refused = |name: &Spanned<String>| {
            let field = lang::derivative_of(&name.value, &self.fields, &self.coordinates)?;
            let message = format!("`{}` is a derivative of `{field}`", name.value);
            Some(Diagnostic::new(name.span, message).label("reserved").hint("choose another name"))
        };
        spec.fields.iter().chain(constants).chain(unknowns).chain(defines).filter_map(refused).collect()
    }

    /// The ends of every axis; a wrong one is reported.
    fn read_ranges(&self, spec: &spec::Spec, diagnostics: &mut Vec<Diagnostic>) -> Vec<Option<(f64, f64)>> {
        let scope = self.constant_scope();
        let mut end = |value: &Spanned<Number>| number(value, &scope, diagnostics);
        let ends = |axis: &spec::CoordinateRange| {
            let (lower, upper) = (end(&axis.lower), end(&axis.upper));
            lower.zip(upper)
        };
        spec.domain.iter().map(ends).collect()
    }

    /// Everything that an equation may mention, with these attributes of its points.
    pub(super) fn scope<'a>(&'a self, attributes: &'a [String]) -> Scope<'a> {
        Scope {
            fields: &self.fields,
            unknowns: &self.unknowns,
            dependence: &self.dependence,
            attributes,
            ..self.given_scope()
        }
    }

    /// Coordinates, constants and definitions of them only.
    pub(super) fn given_scope(&self) -> Scope<'_> {
        Scope {
            coordinates: &self.coordinates,
            definitions: &self.definitions,
            time: self.time,
            ranges: &self.ranges,
            ..self.constant_scope()
        }
    }

    /// Constants only.
    pub(super) fn constant_scope(&self) -> Scope<'_> {
        Scope { constants: &self.constants, ..Scope::default() }
    }

    /// The names of the outward normal's components, one for each coordinate.
    pub(super) fn normals(&self) -> Vec<String> {
        self.coordinates.iter().map(|name| format!("n_{name}")).collect()
    }
}

/// A number as written, or the value of a formula of constants.
pub(super) fn number(
    value: &Spanned<Number>,
    scope: &Scope<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<f64> {
    match &value.value {
        Number::Literal(number) => Some(*number),
        Number::Text(text) => {
            let text = Spanned { value: text.clone(), span: value.span };
            lang::number(&text, scope).map_err(|mistakes| diagnostics.extend(mistakes)).ok()
        }
    }
}
