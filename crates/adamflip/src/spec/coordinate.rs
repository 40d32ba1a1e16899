//! Lists that name coordinates of the domain: `of = ["x"]`, `axes = ["x", "y"]`, `periodic = ["x"]`.

use super::reader::Reader;
use super::schema::CoordinateRange;
use super::tree::{Entry, Node};
use crate::diagnostic::{Diagnostic, Spanned, nearest};

impl Reader {
    /// Coordinates, each at most once; at least one, or an error was reported.
    pub(super) fn coordinates(
        &mut self,
        node: &Node,
        what: &str,
        example: &str,
        domain: &[CoordinateRange],
    ) -> Vec<Spanned<String>> {
        let mut found: Vec<Spanned<String>> = Vec::new();
        for name in self.texts(node, what, example) {
            if found.iter().any(|other| other.value == name.value) {
                let diagnostic = Diagnostic::new(name.span, format!("{what} has `{}` twice", name.value));
                self.report(diagnostic.label("once is enough").hint("remove one of them"));
            } else if self.is_coordinate(&name, what, domain) {
                found.push(name);
            }
        }
        found
    }

    /// Without a valid `[domain]` every name may be one of its coordinates.
    fn is_coordinate(&mut self, name: &Spanned<String>, what: &str, domain: &[CoordinateRange]) -> bool {
        let known = names(domain);
        if known.is_empty() || known.contains(&name.value.as_str()) {
            return true;
        }
        let meant =
            nearest(&name.value, known.iter().copied()).map(|name| format!("did you mean `{name}`? "));
        let hint = format!("{}the coordinates are {}", meant.unwrap_or_default(), known.join(", "));
        let message = format!("{what} cannot be `{}`", name.value);
        self.report(Diagnostic::new(name.span, message).label("not a coordinate").hint(hint));
        false
    }

    /// Whether the key of an entry is a coordinate; reported as an unknown key of `place` if not.
    pub(super) fn coordinate_key(&mut self, entry: &Entry, place: &str, domain: &[CoordinateRange]) -> bool {
        let known = names(domain);
        let valid = known.is_empty() || known.contains(&entry.key.value.as_str());
        if !valid {
            self.unknown_key(entry, place, &known);
        }
        valid
    }
}

fn names(domain: &[CoordinateRange]) -> Vec<&str> {
    domain.iter().map(|axis| axis.name.value.as_str()).collect()
}
