//! `project = true`: fields projected onto the solutions of linear equations A(x) u = b(x), at every point.
//!
//! ```text
//! u = û − Aᵀ(AAᵀ)⁻¹(Aû − b),    with rows of A made orthogonal (Gram–Schmidt):    u = û − Σ_k q_k ρ_k/‖q_k‖²
//! ```
//!
//! the nearest u that satisfies them, as the KKT conditions of min ‖u − û‖² have it (Chen, Huang, Zhang et
//! al., Theory-guided hard constraint projection, J. Comput. Phys. 445, 2021). q and ρ are expressions of the
//! point, so derivatives of the fields go through the projection exactly.

use super::{Construction, jets, values};
use crate::diagnostic::{Diagnostic, Spanned};
use crate::geometry::Domain;
use crate::lang::{self, Graph, HERE, Id, Leaf};
use crate::problem::names::Names;
use crate::spec;

/// What is left of the square of a row that lies in the span of others, relative to its own.
const DEPENDENT: f64 = 1e-10;

/// A row of A, its equation's residual, and where it was written.
struct Row {
    factors: Vec<Id>,
    residual: Id,
    text: Spanned<String>,
}

impl Construction {
    /// Projects the fields onto the equations of all terms that ask for it.
    pub(super) fn project(
        &mut self,
        spec: &spec::Spec,
        names: &Names,
        domain: &Domain,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let mut rows = Vec::new();
        for term in spec.terms.iter().filter(|term| term.project) {
            if let Some(wrong) = misplaced(term) {
                diagnostics.push(wrong);
                return;
            }
            for text in &term.equations {
                // What cannot be read has its message.
                let Ok(id) = lang::equality(text, &names.scope(&[]), &mut self.graph) else { return };
                let Some(id) = id else { return diagnostics.push(no_equation(text)) };
                match row(&mut self.graph, id, text, spec.fields.len()) {
                    Ok(row) => rows.push(row),
                    Err(wrong) => return diagnostics.push(wrong),
                }
            }
        }
        match self.orthogonal(rows, domain) {
            Ok(rows) => self.subtract(&rows, spec.fields.len()),
            Err(wrong) => diagnostics.push(wrong),
        }
    }

    /// Rows orthogonal to each other, with the residuals that belong to them.
    fn orthogonal(&mut self, rows: Vec<Row>, domain: &Domain) -> Result<Vec<Row>, Diagnostic> {
        let mut done: Vec<Row> = Vec::new();
        for mut row in rows {
            let before = dot(&mut self.graph, &row.factors, &row.factors);
            for other in &done {
                let square = dot(&mut self.graph, &other.factors, &other.factors);
                let product = dot(&mut self.graph, &row.factors, &other.factors);
                let share = self.graph.div(product, square);
                for (factor, &of) in row.factors.iter_mut().zip(&other.factors) {
                    *factor = less(&mut self.graph, *factor, share, of);
                }
                row.residual = less(&mut self.graph, row.residual, share, other.residual);
            }
            let square = dot(&mut self.graph, &row.factors, &row.factors);
            if self.vanishes(square, before, domain) {
                return Err(dependent(&row.text));
            }
            done.push(row);
        }
        Ok(done)
    }

    /// Whether the square of a row is a faint part of what it was, somewhere.
    fn vanishes(&self, square: Id, before: Id, domain: &Domain) -> bool {
        let Some(columns) = values(&self.graph, &[square, before], domain, &[]) else { return false };
        // Without a value (an unknown number in it) nothing is known.
        columns[0].iter().zip(&columns[1]).any(|(square, before)| *square <= DEPENDENT * before)
    }

    fn subtract(&mut self, rows: &[Row], fields: usize) {
        let before: Vec<Id> = (0..fields).map(|field| self.current(field)).collect();
        let put = |leaf: Leaf| match leaf {
            Leaf::Jet { field, .. } => before.get(field).copied(),
            _ => None,
        };
        let mut after = before.clone();
        for row in rows {
            let square = dot(&mut self.graph, &row.factors, &row.factors);
            let residual = self.graph.substitute(row.residual, &mut |leaf| put(leaf));
            let multiplier = self.graph.div(residual, square);
            for (field, &factor) in after.iter_mut().zip(&row.factors) {
                *field = less(&mut self.graph, *field, multiplier, factor);
            }
        }
        for (field, (&before, &after)) in before.iter().zip(&after).enumerate() {
            if before != after {
                self.fields[field] = Some(after);
            }
        }
    }
}

/// The factors of the fields in an equation, where it is linear in their values.
fn row(graph: &mut Graph, id: Id, text: &Spanned<String>, fields: usize) -> Result<Row, Diagnostic> {
    let leaves = jets(graph, id);
    let is_value = |leaf: &Leaf| matches!(leaf, Leaf::Jet { partial, site: HERE, field } if partial.order() == 0 && *field < fields);
    if graph.is_nonlocal(id) || !leaves.iter().all(is_value) {
        return Err(not_of_values(text));
    }
    let (zero, one) = (graph.constant(0.0), graph.constant(1.0));
    let mut factors = vec![zero; fields];
    for leaf in leaves {
        let Leaf::Jet { field, .. } = leaf else { continue };
        let factor = graph.tangent(id, &[(leaf, one)]).map_err(|_| nonlinear(text))?;
        factors[field] = graph.collected(factor).unwrap_or(factor);
        if !jets(graph, factors[field]).is_empty() {
            return Err(nonlinear(text));
        }
    }
    Ok(Row { factors, residual: id, text: text.clone() })
}

fn dot(graph: &mut Graph, a: &[Id], b: &[Id]) -> Id {
    let mut sum = graph.constant(0.0);
    for (&a, &b) in a.iter().zip(b) {
        let product = graph.mul(a, b);
        sum = graph.add(sum, product);
    }
    sum
}

/// a − share·b
fn less(graph: &mut Graph, a: Id, share: Id, b: Id) -> Id {
    let product = graph.mul(share, b);
    graph.sub(a, product)
}

/// A term whose equations do not hold everywhere.
fn misplaced(term: &spec::Term) -> Option<Diagnostic> {
    let refusal = |span, message: &str, label: &str, hint: &str| {
        Some(Diagnostic::new(span, message.to_owned()).label(label).hint(hint))
    };
    if let Some(text) = term.on.first() {
        let hint = "remove `on`, or write an `ansatz` in [network] that meets the condition there";
        return refusal(text.span, "a projection holds everywhere, not on a part", "this place alone", hint);
    }
    if let Some(data) = term.data.as_ref().or(term.cloud.as_ref()) {
        let hint = "remove `project`: measured values are known at the points alone";
        return refusal(data.span, "nothing is projected onto data", "known at the points alone", hint);
    }
    if let Some(symmetry) = &term.symmetry {
        let hint = "remove `project`";
        return refusal(symmetry.span, "a symmetry is an equation of derivatives", "not projected", hint);
    }
    None
}

fn nonlinear(text: &Spanned<String>) -> Diagnostic {
    Diagnostic::new(text.span, "a projection needs equations that are linear in the fields")
        .label("not linear")
        .hint("remove `project`; as a constraint (`role = \"constraint\"`) it is met to the accuracy of training")
}

fn not_of_values(text: &Spanned<String>) -> Diagnostic {
    Diagnostic::new(text.span, "a projection needs equations of the sought fields' values at the point")
        .label("a derivative, an integral, a value elsewhere or a coefficient function")
        .hint("remove `project`, or introduce fields for the derivatives (`p = u_x` as a term) and project those")
}

fn no_equation(text: &Spanned<String>) -> Diagnostic {
    Diagnostic::new(text.span, "fields can be projected onto equations only")
        .label("an inequality")
        .hint("remove `project` of its term, which then holds it as a constraint")
}

fn dependent(text: &Spanned<String>) -> Diagnostic {
    Diagnostic::new(text.span, "equations that are projected onto must be independent everywhere")
        .label("follows from the others, or contradicts them, somewhere")
        .hint("remove it, or `project` of its term")
}
