//! `adamflip new`: a commented problem file to start from.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use adamflip_run::shell;

use crate::arguments::{New, ProblemKind};
use crate::failure::{Failure, SUCCESS};
use crate::output::{self, Data};

pub(crate) fn run(arguments: &New) -> Result<u8, Failure> {
    let path = file(&arguments.name)?;
    let mut made = File::create_new(&path).map_err(|error| refused(&path, &error))?;
    made.write_all(text(arguments.kind).as_bytes()).map_err(|error| {
        // Half a file would be in the way of the next try.
        let _ = std::fs::remove_file(&path);
        refused(&path, &error)
    })?;
    let shown = path.display().to_string();
    Data::default().line(&shown);
    output::say(&format!("`adamflip solve {}` trains it", shell::quoted(&shown)));
    Ok(SUCCESS)
}

/// What a new file says.
fn text(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Forward => include_str!("new/forward.toml"),
        ProblemKind::Inverse => include_str!("new/inverse.toml"),
        ProblemKind::Ode => include_str!("new/ode.toml"),
        ProblemKind::Fractional => include_str!("new/fractional.toml"),
    }
}

/// NAME.toml, also for a name that is written so.
fn file(name: &Path) -> Result<PathBuf, Failure> {
    let hint = "write a name, for example `adamflip new heat`";
    let own = name.file_name().map(|own| own.to_string_lossy().into_owned());
    let ends_well = !name.as_os_str().to_string_lossy().ends_with(['/', '\\']);
    match own.filter(|own| ends_well && !own.starts_with('.')) {
        Some(own) if own.ends_with(".toml") => Ok(name.to_owned()),
        Some(own) => Ok(name.with_file_name(format!("{own}.toml"))),
        None => Err(Failure::input(format!("`{}` is not the name of a problem", name.display()), hint)),
    }
}

fn refused(path: &Path, error: &std::io::Error) -> Failure {
    let shown = path.display();
    match error.kind() {
        ErrorKind::AlreadyExists => Failure::input(
            format!("there is already a file `{shown}`"),
            "nothing is overwritten: choose another name",
        ),
        ErrorKind::NotFound => Failure::input(
            format!("there is no folder for `{shown}`"),
            "make the folder first, or name the file here",
        ),
        _ => Failure::input(format!("cannot write `{shown}`: {error}"), "choose another name or folder"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_files() {
        for (name, expected) in
            [("heat", "heat.toml"), ("heat.toml", "heat.toml"), ("a/b.c", "a/b.c.toml"), ("ö", "ö.toml")]
        {
            assert_eq!(file(Path::new(name)).unwrap(), Path::new(expected));
        }
        for name in ["", ".", "..", "a/", "/", ".toml"] {
            assert!(file(Path::new(name)).is_err(), "{name}");
        }
    }
}
