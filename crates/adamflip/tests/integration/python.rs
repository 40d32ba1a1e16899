//! Other people's readers for the files we write: Python packages in a virtual environment below the target
//! folder.
//!
//! The environment is made once; a lock keeps tests of several processes from making it together. Without
//! `python3` (or without its packages) a test says that it is skipped, unless `ADAMFLIP_TEST_TOOLS=required`:
//! then it fails.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a script printed; nothing where there is no Python.
///
/// # Panics
/// If the script fails.
pub(crate) fn run<A: AsRef<OsStr>>(script: &str, arguments: &[A]) -> Option<String> {
    let interpreter = interpreter("python", &scripts().join("requirements.txt"), script)?;
    let output = Command::new(interpreter).arg(scripts().join(script)).args(arguments).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{script}:\n{printed}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(printed)
}

/// The interpreter of the environment of that name with these packages; nothing, and a word, where there is
/// no Python.
///
/// # Panics
/// If there is none but there must be one.
#[allow(clippy::print_stdout, reason = "a test that is skipped says so")]
pub(crate) fn interpreter(name: &str, requirements: &Path, test: &str) -> Option<PathBuf> {
    match environment(name, requirements) {
        Ok(interpreter) => Some(interpreter),
        Err(reason) => {
            let required = std::env::var_os("ADAMFLIP_TEST_TOOLS").is_some_and(|value| value == "required");
            assert!(!required, "{test}: {reason}");
            println!("skipped {test}: {reason}");
            None
        }
    }
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("adamflip/tests/python")
}

/// The interpreter of the environment, which is made if it is not there or was made for other packages.
fn environment(name: &str, requirements: &Path) -> Result<PathBuf, String> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let folder = target.join(name);
    let (interpreter, marker) = (folder.join("bin/python"), folder.join("installed.txt"));
    let lock = File::create(target.join(format!("{name}.lock"))).map_err(|error| error.to_string())?;
    lock.lock().map_err(|error| error.to_string())?;
    let wanted = fs::read_to_string(requirements).map_err(|error| error.to_string())?;
    if fs::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
        return Ok(interpreter);
    }
    let mut make = Command::new("python3");
    finished(make.args(["-m", "venv", "--clear"]).arg(&folder).output())?;
    let mut install = Command::new(&interpreter);
    install.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--requirement",
    ]);
    finished(install.arg(requirements).output())?;
    fs::write(&marker, wanted).map_err(|error| error.to_string())?;
    Ok(interpreter)
}

fn finished(output: std::io::Result<Output>) -> Result<(), String> {
    let output = output.map_err(|error| format!("python3: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
