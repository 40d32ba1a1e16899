//! `adamflip reproduce`: the problems of the paper by all its methods, and our numbers beside its own.

use adamflip_paper::{Options, Reproduction, Workers};

use crate::arguments::Reproduce;
use crate::batch::Screen;
use crate::failure::{Failure, NOT_MET, SUCCESS};
use crate::invocation::{command_line, program};
use crate::output;

pub(crate) fn run(arguments: &Reproduce) -> Result<u8, Failure> {
    let mut paper = Reproduction::open(&options(arguments))?;
    let mut screen = Screen::new(arguments.json);
    if arguments.status || arguments.tables {
        paper.warn_of_changes();
    }
    if arguments.status {
        match arguments.json {
            true => screen.data.json(&paper.status()),
            false => screen.data.line(&paper.status().text()),
        }
        return Ok(SUCCESS);
    }
    let mut broken = 0;
    if !arguments.tables {
        let jobs = arguments.jobs.map(usize::from);
        let workers = Workers { program: &program()?, jobs, line: &command_line() };
        let trained = paper.train(arguments.again, &workers, &mut screen);
        broken = trained.map_err(|error| screen.failure(error))?;
    }
    let tables = paper.write_tables()?;
    match arguments.json {
        true => screen.data.json(&paper.event()),
        false => screen.data.line(tables.trim_end()),
    }
    let folder = paper.results().display();
    output::say(&format!("{}; tables and figures are in `{folder}`", paper.status().line()));
    Ok(if broken > 0 { NOT_MET } else { 0 })
}

fn options(arguments: &Reproduce) -> Options {
    Options {
        problems: arguments.problems.clone(),
        profile: arguments.profile.into(),
        names: arguments.names.clone(),
        methods: arguments.methods.clone(),
        studies: arguments.studies.clone(),
        seeds: arguments.seeds.clone(),
        out: arguments.out.clone(),
        results: arguments.results.clone(),
    }
}
