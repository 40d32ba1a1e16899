//! The table of keys written out: a page for people, a JSON Schema for editors.

use serde_json::{Map, Value, json};

use super::{KEYS, Key, KeyType, Table};
use crate::optim::{Method, MethodSetting};

/// Tables in the order of the page, with what stands above their keys.
const TABLES: [(Table, &str); 10] = [
    (Table::Root, "The file"),
    (Table::Shape, "`[shapes]`: `NAME = { … }`"),
    (Table::Unknown, "`[unknowns]`: `NAME = { … }`"),
    (Table::Term, "`[term.NAME]`"),
    (Table::Reference, "`[reference]`"),
    (Table::Network, "`[network]`"),
    (Table::Fourier, "`fourier` of `[network]`"),
    (Table::Factorized, "`factorized` of `[network]`"),
    (Table::Train, "`[train]`"),
    (Table::Stage, "one of `stages` of `[train]`"),
];

/// The page of all keys, in Markdown.
pub fn page() -> String {
    let mut page = "# Keys of problem files\n\nEvery key with what it may be and an example, written by `adamflip schema --page`.\n\
                    [problem-files.md](problem-files.md) explains them.\n"
        .to_owned();
    for (table, title) in TABLES {
        page += &format!("\n## {title}\n\n| key | is | example | meaning |\n| --- | --- | --- | --- |\n");
        for key in KEYS.iter().filter(|key| key.table == table) {
            let Key { name, kind, example, text, .. } = key;
            page += &format!("| `{name}` | {} | `{example}` | {text} |\n", words(*kind));
        }
    }
    page += "\n## Settings of methods: further keys of a stage\n\n| key | is | meaning | of |\n| --- | --- | --- | --- |\n";
    for (MethodSetting { key, expected, meaning }, methods) in settings() {
        page += &format!("| `{key}` | {expected} | {meaning} | {} |\n", methods.join(", "));
    }
    page
}

/// Every setting of a method with the methods that have it. One key may have several rows, which mean
/// different things.
fn settings() -> Vec<(MethodSetting, Vec<&'static str>)> {
    let mut rows: Vec<(MethodSetting, Vec<&'static str>)> = Vec::new();
    for method in Method::choices() {
        for row in method.setting_rows() {
            let known = rows.iter().position(|(known, _)| *known == row).unwrap_or_else(|| {
                rows.push((row, Vec::new()));
                rows.len() - 1
            });
            let methods = &mut rows[known].1;
            if !methods.contains(&method.name()) {
                methods.push(method.name());
            }
        }
    }
    rows.sort_by_key(|(row, _)| row.key);
    rows
}

/// What a key may be, in words.
fn words(kind: KeyType) -> String {
    let listed = |names: fn() -> Vec<&'static str>| names().join(", ");
    match kind {
        KeyType::Text => "text".into(),
        KeyType::Texts => "text, or a list".into(),
        KeyType::Flag => "true or false".into(),
        KeyType::Number => "a number".into(),
        KeyType::Formula => "a number or a formula".into(),
        KeyType::Positive => "a number above 0".into(),
        KeyType::Count(least) => format!("a whole number from {least}"),
        KeyType::Choice(names) => listed(names),
        KeyType::ChoiceOrTable(names) => format!("{}, or a table", listed(names)),
        KeyType::Choices(names) => format!("{}; or a list", listed(names)),
        KeyType::Range => "two ends".into(),
        KeyType::Layers => "layers x width, or a list of widths".into(),
        KeyType::Tables(_) | KeyType::Of(_) => "a table".into(),
        KeyType::FlagOr(_) => "true, false or a table".into(),
        KeyType::ListOf(_) => "a list of tables".into(),
        KeyType::Any => "see its meaning".into(),
    }
}

/// The JSON Schema of a problem file (draft 7, which editors of TOML understand).
pub fn json_schema() -> Value {
    let mut schema = table(Table::Root);
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!("A problem file of adamflip");
    schema["required"] = json!(["fields", "domain", "term"]);
    schema
}

/// A table with its keys. Names that the user chooses, and settings of methods, may stand beside them where
/// they do.
fn table(table: Table) -> Value {
    let mut properties = Map::new();
    for key in KEYS.iter().filter(|key| key.table == table) {
        let mut value = value(key.kind);
        value["description"] = json!(format!("{}, for example `{}`", key.text, key.example));
        properties.insert(key.name.to_owned(), value);
    }
    if table == Table::Stage {
        properties.extend(described_settings());
    }
    let open = matches!(table, Table::Reference | Table::Stage);
    json!({ "type": "object", "properties": properties, "additionalProperties": open })
}

/// The settings of all methods by key, described; the reader says which a method takes.
fn described_settings() -> Map<String, Value> {
    let mut described = Map::new();
    for (MethodSetting { key, expected, meaning }, methods) in settings() {
        let text = format!("{}: {meaning}; {expected}", methods.join(", "));
        let entry = described.entry(key).or_insert_with(|| json!({ "description": "" }));
        let before = entry["description"].as_str().unwrap_or_default();
        let separator = if before.is_empty() { "" } else { "\n" };
        entry["description"] = json!(format!("{before}{separator}{text}"));
    }
    described
}

fn value(kind: KeyType) -> Value {
    let text = || json!({ "type": "string" });
    let formula = || json!({ "type": ["number", "string"] });
    let choice = |names: fn() -> Vec<&'static str>| json!({ "enum": names() });
    match kind {
        KeyType::Text => text(),
        KeyType::Texts => json!({ "anyOf": [text(), { "type": "array", "items": text() }] }),
        KeyType::Flag => json!({ "type": "boolean" }),
        KeyType::Number => json!({ "type": "number" }),
        KeyType::Formula => formula(),
        KeyType::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        KeyType::Count(least) => json!({ "type": "integer", "minimum": least }),
        KeyType::Choice(names) => choice(names),
        KeyType::ChoiceOrTable(names) => json!({ "anyOf": [choice(names), { "type": "object" }] }),
        KeyType::Choices(names) => {
            json!({ "anyOf": [choice(names), { "type": "array", "items": choice(names) }] })
        }
        KeyType::Range => json!({ "type": "array", "items": formula(), "minItems": 2, "maxItems": 2 }),
        KeyType::Layers => {
            json!({ "anyOf": [text(), { "type": "array", "items": { "type": "integer", "minimum": 1 } }] })
        }
        KeyType::Tables(None) => json!({ "type": "object" }),
        KeyType::Tables(Some(inner)) => json!({ "type": "object", "additionalProperties": table(inner) }),
        KeyType::Of(inner) => table(inner),
        KeyType::FlagOr(inner) => json!({ "anyOf": [{ "type": "boolean" }, table(inner)] }),
        KeyType::ListOf(inner) => json!({ "type": "array", "items": table(inner) }),
        KeyType::Any => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Overrides, parse};

    /// Where the example of a key stands.
    fn file(key: &Key) -> String {
        let base = "fields = ['u']\n[domain]\nx = [0, 1]\n[term.ode]\nequation = 'u_x = 1'\n";
        let Key { example, name, .. } = key;
        match key.table {
            Table::Root => format!(
                "{example}\n{}",
                base.lines()
                    .filter(|l| !l.starts_with(&format!("{name} ")))
                    .collect::<Vec<_>>()
                    .join("\n")
                    .replace(&format!("[{name}]\n"), "#")
            ),
            Table::Shape => format!("{base}[shapes.a]\n{example}"),
            Table::Unknown => format!("{base}[unknowns.k]\n{example}"),
            Table::Term => format!("{base}[term.more]\n{example}"),
            Table::Reference => format!("{base}[reference]\n{example}"),
            Table::Network => format!("{base}[network]\n{example}"),
            Table::Fourier => format!("{base}[network.fourier]\n{example}"),
            Table::Factorized => format!("{base}[network.factorized]\n{example}"),
            Table::Train => format!("{base}[train]\n{example}"),
            Table::Stage => format!("{base}[train]\nstages = [{{ {example} }}]"),
        }
    }

    #[test]
    fn every_example_is_read() {
        for key in KEYS {
            let text = file(key);
            let diagnostics = parse("p.toml", &text, &Overrides::default()).diagnostics;
            // What else is missing beside a single key does not matter; that it is not known or wrong does.
            let wrong = diagnostics
                .iter()
                .find(|d| d.message.contains("unknown key") || d.message.contains(" must be "));
            assert!(wrong.is_none(), "{}: {wrong:?}\n{text}", key.name);
        }
    }

    #[test]
    fn tables_that_are_made_of_others_are_written_out() {
        let schema = json_schema();
        let term = &schema["properties"]["term"]["additionalProperties"];
        assert_eq!(term["properties"]["role"]["enum"], json!(["objective", "constraint"]));
        assert_eq!(
            schema["properties"]["train"]["properties"]["stages"]["items"]["properties"]["steps"]["minimum"],
            0
        );
        let stage = &schema["properties"]["train"]["properties"]["stages"]["items"]["properties"];
        assert!(
            stage["hardness"]["description"]
                .as_str()
                .unwrap()
                .starts_with("newtonflip, newton_rows, newton_cg: c at first")
        );
        assert!(stage["proportional_gain"].is_object(), "settings that a choice brings are there too");
        assert!(page().contains("| `accuracy` | a number above 0 |"), "{}", page());
    }
}
