//! `schema`: the shipped page and schema are those of this version.

use std::path::Path;

use crate::Desk;

#[test]
fn the_shipped_page_and_schema_are_up_to_date() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for (arguments, file) in [(&["schema"][..], "problem.schema.json"), (&["schema", "--page"], "keys.md")] {
        let output = Desk::new().run(arguments);
        let shipped = std::fs::read_to_string(docs.join(file)).unwrap_or_default();
        let command = format!("cargo run --release -- {} > docs/{file}", arguments.join(" "));
        assert!(output.stdout == shipped.as_bytes(), "docs/{file} is of another version: run `{command}`");
    }
}
