//! `[profile.NAME]`: overrides that `--profile NAME` chooses. Tables merge key by key, everything else is
//! replaced.

use super::keys;
use super::reader::Reader;
use super::tree::{Node, Table, Value};
use crate::diagnostic::{Diagnostic, Span, nearest};

/// Takes the profiles out of the file and merges the chosen one into it. `chosen` is its name and where the
/// user wrote it.
pub(super) fn apply(reader: &mut Reader, root: &mut Table, chosen: Option<(&str, Span)>) {
    let hint = "write for example `[profile.paper.train]`";
    let entry = root.remove("profile");
    let profiles = match &entry {
        Some(entry) => reader.table(&entry.node, "`profile`", hint),
        None => Some(&Table::default()),
    };
    let Some(profiles) = profiles else { return };
    // A profile in a profile would mean nothing.
    let mut known_keys = keys::names(keys::Table::Root);
    known_keys.retain(|key| *key != "profile");
    for profile in &profiles.entries {
        let name = &profile.key.value;
        let Some(table) = reader.table(&profile.node, &format!("the profile `{name}`"), hint) else {
            continue;
        };
        for entry in &table.entries {
            if !known_keys.contains(&entry.key.value.as_str()) {
                reader.unknown_key(entry, &format!("[profile.{name}]"), &known_keys);
            }
        }
    }
    let Some((name, span)) = chosen else { return };
    match profiles.get(name).map(|entry| &entry.node.value) {
        Some(Value::Table(profile)) => {
            let mut known = profile.clone();
            known.entries.retain(|entry| known_keys.contains(&entry.key.value.as_str()));
            merge(root, known);
        }
        Some(_) => {}
        None => unknown(reader, profiles, name, span),
    }
}

fn unknown(reader: &mut Reader, profiles: &Table, name: &str, span: Span) {
    let names: Vec<&str> = profiles.entries.iter().map(|entry| entry.key.value.as_str()).collect();
    let meant = nearest(name, names.iter().copied()).map(|name| format!("did you mean `{name}`? "));
    let hint = match names.as_slice() {
        [] => "the file has no profiles".to_owned(),
        names => format!("{}the file has the profiles {}", meant.unwrap_or_default(), names.join(", ")),
    };
    reader.missing(
        Diagnostic::new(span, format!("there is no profile `{name}`")).label("unknown profile").hint(hint),
    );
}

/// `over` wins; what it names keeps its place in `base`, what is new comes last.
fn merge(base: &mut Table, over: Table) {
    for entry in over.entries {
        match base.get_mut(&entry.key.value) {
            Some(existing) => merge_node(&mut existing.node, entry.node),
            None => base.entries.push(entry),
        }
    }
}

fn merge_node(base: &mut Node, over: Node) {
    match (&mut base.value, over) {
        (Value::Table(base), Node { value: Value::Table(over), .. }) => merge(base, over),
        (_, over) => *base = over,
    }
}
