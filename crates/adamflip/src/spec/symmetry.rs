//! `symmetry` and `augment` of a term: the generator of a Lie point symmetry.

use super::reader::{Reader, Section};
use super::schema::Symmetry;
use super::tree::Entry;
use crate::diagnostic::Diagnostic;

const EXAMPLE: &str = "write for example `symmetry = { x = \"x\", t = \"2*t\" }`";

/// `symmetry = { x = "x", t = "2*t" }`; whether the names are coordinates or fields is looked at with the
/// equations.
pub(super) fn symmetry(reader: &mut Reader, section: Section<'_>) -> Option<Symmetry> {
    let augment =
        section.get("augment").and_then(|(node, what)| Some((reader.flag(node, &what)?, node.span)));
    let Some((node, what)) = section.get("symmetry") else {
        if let Some((_, span)) = augment {
            let diagnostic = Diagnostic::new(span, "`augment` has no use without `symmetry`");
            reader.missing_key(
                section.table,
                "symmetry",
                diagnostic.label("along which group?").hint(EXAMPLE),
            );
        }
        return None;
    };
    let table = reader.table(node, &what, EXAMPLE)?;
    if table.entries.is_empty() {
        let diagnostic = Diagnostic::new(node.span, format!("{what} has no coefficients"));
        reader.report(diagnostic.label("nothing moves").hint(EXAMPLE));
        return None;
    }
    let coefficient = |entry: &Entry| {
        let value = reader.number(&entry.node, &format!("the coefficient of `{}`", entry.key.value))?;
        Some((entry.key.clone(), value))
    };
    let coefficients = table.entries.iter().filter_map(coefficient).collect();
    Some(Symmetry { coefficients, augment: augment.is_some_and(|(flag, _)| flag), span: node.span })
}
