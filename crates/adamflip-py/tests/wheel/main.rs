//! The Python package as its users have it: a wheel in a virtual environment below the target folder, its own
//! tests, and the checks of its types.

// A test fails by panicking; θ is the library's name for the parameters.
#![allow(clippy::unwrap_used, mixed_script_confusables)]

// The same environment as other tests of files for Python have.
#[allow(dead_code)]
#[path = "../../../adamflip/tests/integration/python.rs"]
mod python;
mod trajectories;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// Runs a module of Python at the root of the repository.
fn module(interpreter: &Path, name: &str, arguments: &[&str], environment: &[(&str, &Path)]) {
    let mut command = Command::new(interpreter);
    command.current_dir(root()).args(["-m", name]).args(arguments).envs(environment.iter().copied());
    let output = command.output().unwrap();
    let printed = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{name} {arguments:?}:\n{}\n{}", printed[0], printed[1]);
}

/// Builds the wheel in the profile of the tests, and installs it.
fn install(interpreter: &Path, target: &Path) {
    let wheels = target.join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    let arguments = ["build", "--quiet", "--profile", "dev", "--out", wheels.to_str().unwrap()];
    module(interpreter, "maturin", &arguments, &[("CARGO_TARGET_DIR", target)]);
    let wheel = fs::read_dir(&wheels).unwrap().next().unwrap().unwrap().path();
    assert!(wheel.to_string_lossy().contains("-cp310-abi3-"), "{}", wheel.display());
    let flags = ["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall"];
    module(interpreter, "pip", &[&flags[..], &[wheel.to_str().unwrap()]].concat(), &[]);
}

#[test]
fn the_wheel_works_and_its_types_are_right() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let requirements = root().join("python/tests/requirements.txt");
    let Some(interpreter) = python::interpreter("wheel-python", &requirements, "the Python package") else {
        return;
    };
    install(&interpreter, target);
    let steps = target.join("trajectories.json");
    fs::write(&steps, trajectories::json()).unwrap();
    let pytest = ["--quiet", "-p", "no:cacheprovider", "python/tests"];
    module(&interpreter, "pytest", &pytest, &[("ADAMFLIP_TRAJECTORIES", &steps)]);
    let cache = target.join("mypy");
    let cache = cache.to_str().unwrap();
    // jax need not be there; its example is checked as far as that goes.
    let examples =
        ["--strict", "--cache-dir", cache, "--disable-error-code", "import-not-found", "python/examples"];
    module(&interpreter, "mypy", &examples, &[]);
    module(&interpreter, "mypy", &["--strict", "--cache-dir", cache, "-p", "adamflip"], &[]);
    module(&interpreter, "mypy.stubtest", &["adamflip._adamflip"], &[("MYPY_CACHE_DIR", Path::new(cache))]);
}
