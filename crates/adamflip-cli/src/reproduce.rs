//! `adamflip reproduce`: the problems of the paper by all its methods, and our numbers beside its own.

use adamflip_paper::{Options, Reproduction, Workers};
use adamflip_run::batch::Scope;

use crate::arguments::{COLLECT, Reproduce};
use crate::batch::Screen;
use crate::failure::{Failure, NOT_MET, SUCCESS};
use crate::invocation::{command_line, program};
use crate::output;

pub(crate) fn run(arguments: &Reproduce) -> Result<u8, Failure> {
    let mut paper = Reproduction::open(&options(arguments))?;
    let mut screen = Screen::new(arguments.json);
    let scope = if arguments.tables { Scope::Collect } else { arguments.shares.scope()? };
    if arguments.status || scope == Scope::Collect {
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
    if scope != Scope::Collect {
        let jobs = arguments.jobs.map(usize::from);
        let workers = Workers { program: &program()?, jobs, scope, line: &command_line() };
        let trained = paper.train(arguments.again, &workers, &mut screen);
        broken = trained.map_err(|error| screen.failure(error))?;
    }
    if !scope.has_tables() {
        output::say(&format!("the share has ended; {COLLECT}"));
        return Ok(if broken > 0 { NOT_MET } else { SUCCESS });
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
