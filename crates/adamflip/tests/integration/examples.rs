//! Every program of `examples/` runs to its end. `cargo test` has built them beside this one.

use std::path::Path;
use std::process::Command;

#[test]
fn every_example_runs() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let names = std::fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path());
    let names: Vec<String> = names.map(|path| path.file_stem().unwrap().to_string_lossy().into()).collect();
    assert!(names.len() >= 8, "{names:?}");
    let own = std::env::current_exe().unwrap();
    let programs = own.parent().and_then(Path::parent).unwrap().join("examples");
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let program = programs.join(&name);
        assert!(
            program.is_file(),
            "`{name}` is not built: run `cargo test`, or `cargo build --examples` first"
        );
        // The longest take as many seconds as they are told.
        let output = Command::new(program).arg("2").env("TMPDIR", folder.path()).output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && !out.is_empty(), "{name}: {out}\n{err}");
        match name.as_str() {
            "resume" => assert!(out.contains("same bits after step 60: true"), "{out}"),
            "constrained" => assert!(out.contains("[0.786415, 0.617698]"), "{out}"),
            "callback" => assert!(out.contains("u(1) = 0.84147"), "{out}"),
            "inverse" => assert!(out.contains("k = 3.0") || out.contains("k = 2.9"), "{out}"),
            _ => {}
        }
    }
}
