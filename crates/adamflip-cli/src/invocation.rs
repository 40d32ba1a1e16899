//! How the program was called: its arguments, and how a child of it is started. The program itself and
//! `python -m adamflip` differ in both.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use adamflip_run::batch::Program;
use adamflip_run::shell;

use crate::failure::Failure;

/// A call of the program.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The arguments after the name of the program.
    arguments: Vec<OsString>,
    /// How a child is started; `None` where it cannot be told.
    program: Option<Program>,
}

/// The call of this process; tests have none.
static CALL: OnceLock<Invocation> = OnceLock::new();

impl Invocation {
    /// As this process was started. Children are of the same file, also where it was replaced meanwhile: all
    /// runs of a batch are by one version.
    pub fn of_this_process() -> Self {
        let mut words = std::env::args_os();
        let name = words.next().unwrap_or_else(|| "adamflip".into());
        let own = PathBuf::from("/proc/self/exe");
        let is_linux = cfg!(target_os = "linux") && own.exists();
        let path = if is_linux { Some(own) } else { std::env::current_exe().ok() };
        Self { arguments: words.collect(), program: path.map(|path| Program::new(path).called(name)) }
    }

    /// By another program, `path` with `first` before all other arguments: `python -m adamflip`.
    pub fn by(path: impl Into<PathBuf>, first: &[&str], arguments: Vec<OsString>) -> Self {
        Self { arguments, program: Some(Program::new(path).with_arguments(first)) }
    }

    /// The words that are parsed, the program's name first.
    pub(crate) fn words(&self) -> impl Iterator<Item = OsString> {
        std::iter::once("adamflip".into()).chain(self.arguments.clone())
    }

    /// Keeps it for all that asks for it later.
    pub(crate) fn keep(self) {
        // A second call in one process is made by the same program.
        let _ = CALL.set(self);
    }
}

/// The command line, to be run again.
pub(crate) fn command_line() -> String {
    let arguments = CALL.get().map(|call| call.arguments.clone()).unwrap_or_default();
    let words = arguments.iter().map(|word| shell::quoted(&word.to_string_lossy()));
    std::iter::once("adamflip".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The program of which children are processes.
pub(crate) fn program() -> Result<Program, Failure> {
    CALL.get()
        .and_then(|call| call.program.clone())
        .ok_or_else(|| Failure::input("the program cannot tell where its own file is", "call it by its path"))
}
