//! `adamflip man`: the manual pages, one for the program and one for each command.

use std::path::Path;

use adamflip_run::words::counted;
use clap::CommandFactory;
use clap_mangen::Man;

use crate::arguments::{self, Arguments};
use crate::failure::{Failure, SUCCESS};
use crate::output::{self, Data};

pub(crate) fn run(arguments: &arguments::Man) -> Result<u8, Failure> {
    let pages = pages();
    match &arguments.out {
        Some(folder) => {
            write(folder, &pages)?;
            output::say(&format!("{} in `{}`", counted(pages.len(), "page"), folder.display()));
        }
        None => {
            let first = pages.first().map_or(String::new(), text);
            Data::default().line(first.trim_end());
        }
    }
    Ok(SUCCESS)
}

/// That of the program, then those of its commands.
fn pages() -> Vec<Man> {
    let mut program = Arguments::command().disable_help_subcommand(true);
    // Gives the commands their full names.
    program.build();
    let commands: Vec<clap::Command> =
        program.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    std::iter::once(program).chain(commands).map(Man::new).collect()
}

fn text(page: &Man) -> String {
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = page.render(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn write(folder: &Path, pages: &[Man]) -> Result<(), Failure> {
    let hint = "choose another folder with `--out DIR`";
    let made = std::fs::create_dir_all(folder);
    made.map_err(|error| {
        Failure::input(format!("cannot create the folder `{}`: {error}", folder.display()), hint)
    })?;
    for page in pages {
        let path = folder.join(page.get_filename());
        std::fs::write(&path, text(page))
            .map_err(|error| Failure::input(format!("cannot write `{}`: {error}", path.display()), hint))?;
    }
    Ok(())
}
