//! The arguments of the small commands around solving.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

pub(super) const NEW_EXAMPLES: &str = "\
Examples:
  adamflip new heat
  adamflip new oven --kind inverse
  adamflip new pendulum --kind ode && adamflip solve pendulum.toml

The file is a small problem with a known solution; every key is explained in it.";

pub(super) const LIST_EXAMPLES: &str = "\
Examples:
  adamflip list
  adamflip list --runs runs/compare-heat/runs
  adamflip list --json | jq -r 'select(.status == \"interrupted\").path'

Problem files are looked for in `problems`, here or beside the program, runs in `runs`.";

pub(super) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  adamflip completions bash > ~/.local/share/bash-completion/completions/adamflip
  adamflip completions zsh > ~/.zfunc/_adamflip
  adamflip completions fish > ~/.config/fish/completions/adamflip.fish";

pub(super) const MAN_EXAMPLES: &str = "\
Examples:
  adamflip man | man -l -
  adamflip man --out ~/.local/share/man/man1";

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The name of the problem; the file is NAME.toml
    pub(crate) name: PathBuf,

    /// What is sought
    #[arg(long, value_name = "KIND", default_value = "forward")]
    pub(crate) kind: ProblemKind,
}

/// The kinds of starter files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProblemKind {
    /// The solution of a partial differential equation
    Forward,
    /// A coefficient, from observations
    Inverse,
    /// The solution of an ordinary differential equation
    Ode,
    /// The solution of an equation with a fractional derivative
    Fractional,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// The folder of runs [default: runs]
    #[arg(long, value_name = "DIR")]
    pub(crate) runs: Option<PathBuf>,

    /// The folder of problem files [default: problems, here or beside the program]
    #[arg(long, value_name = "DIR")]
    pub(crate) problems: Option<PathBuf>,

    /// Print JSON, one object a line, instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

pub(super) const SCHEMA_EXAMPLES: &str = "\
Examples:
  adamflip schema > problem.schema.json
  adamflip schema --page > keys.md

An editor that knows the schema completes and checks problem files. For taplo and the TOML extension of VS Code write \
`#:schema problem.schema.json` as the first line of a file, or name it in `.taplo.toml`.";

#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// A page in Markdown in place of the schema
    #[arg(long)]
    pub(crate) page: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Write a page for the program and one for each command into this folder, instead of the first to stdout
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
