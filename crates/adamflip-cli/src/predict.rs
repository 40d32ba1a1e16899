//! `adamflip predict`: what a trained network says at any points.

mod table;

use std::path::Path;

use adamflip::Solution;
use adamflip::data::DataError;
use adamflip::diagnostic::Source;
use adamflip::predict::{self, Counts, PointSource, PredictError, Query};
use adamflip::problem::Problem;
use adamflip_run::AtomicFile;
use serde::Serialize;

use crate::arguments::Predict;
use crate::failure::{Failure, SUCCESS};
use crate::interrupt::Interrupt;
use crate::output::{self, Data};
use table::{Output, Watched};

pub(crate) fn run(arguments: &Predict) -> Result<u8, Failure> {
    let trained = adamflip_run::open(&arguments.run)?;
    let pool = adamflip_run::pool(arguments.threads)?;
    pool.install(|| answer(arguments, &trained))
}

fn answer(arguments: &Predict, trained: &Solution) -> Result<u8, Failure> {
    let problem = trained.problem();
    let question = question(problem, &arguments.expr)?;
    let mut source = points(arguments, problem)?;
    let mut output = Output::create(arguments, problem, &question, &source)?;
    let interrupt = Interrupt::listen();
    let mut table = Watched { table: output.table(), interrupt: &interrupt };
    match predict::run(&trained.state(), &question, &mut source, &mut table) {
        Ok(tally) => {
            output.keep()?;
            report(arguments, tally);
            Ok(SUCCESS)
        }
        Err(PredictError::Write(_)) if interrupt.is_raised() => Ok(interrupt.code()),
        Err(PredictError::Write(error)) => match &arguments.out {
            Some(path) => Err(AtomicFile::lost(path, &error).into()),
            None => {
                output::lost(&error);
                Ok(SUCCESS)
            }
        },
        Err(PredictError::Points(error)) => Err(unreadable(problem, &error)),
    }
}

/// What is asked for: all fields where nothing is.
fn question(problem: &Problem, asked: &[String]) -> Result<Query, Failure> {
    if asked.is_empty() {
        return Ok(Query::fields(problem));
    }
    let source = |text: &String| Source { name: "--expr".to_owned(), text: text.clone() };
    Query::read(problem, &asked.iter().map(source).collect::<Vec<_>>()).map_err(Failure::from)
}

/// Where it is asked for.
fn points(arguments: &Predict, problem: &Problem) -> Result<PointSource, Failure> {
    match (&arguments.at, &arguments.grid) {
        (Some(path), _) => from_file(problem, path),
        (None, Some(text)) => {
            let source = Source { name: "--grid".to_owned(), text: text.clone() };
            predict::read_grid(problem, &source).map(PointSource::grid).map_err(Failure::from)
        }
        (None, None) => Ok(PointSource::default(problem)),
    }
}

fn from_file(problem: &Problem, path: &Path) -> Result<PointSource, Failure> {
    PointSource::file(problem, path).map_err(|error| unreadable(problem, &error))
}

/// A file of points that is none. The hints of the library speak of problem files where columns can be
/// renamed.
fn unreadable(problem: &Problem, error: &DataError) -> Failure {
    let names = problem.coordinates.join(",");
    let hint = match error {
        DataError::MissingColumn { .. } | DataError::NoHeader { .. } => {
            format!("name the columns of the coordinates: {names}")
        }
        DataError::NotFound { .. } | DataError::NotAFile { .. } | DataError::Unreadable { .. } => {
            "name a file of points with `--at FILE`".to_owned()
        }
        DataError::TooLarge { .. } => "save it as CSV or NPY, which are read as they are needed".to_owned(),
        DataError::NotANumber { .. } => "every coordinate of a point is a number".to_owned(),
        DataError::ShapeMismatch { .. } | DataError::AmbiguousGrid { .. } => {
            format!("save one vector for each of {names}, all of the same length")
        }
        error => error.hint().unwrap_or_else(|| format!("a file of points has the columns {names}")),
    };
    Failure::input(error, hint)
}

/// The end of a prediction to a file, for programs.
#[derive(Serialize)]
struct Done<'a> {
    event: &'static str,
    out: &'a Path,
    points: u64,
    extrapolated: u64,
}

/// Says what was done.
fn report(arguments: &Predict, tally: Counts) {
    let Counts { points, extrapolated } = tally;
    if extrapolated > 0 {
        let lie = if extrapolated == 1 { "lies" } else { "lie" };
        output::warn(&format!(
            "{extrapolated} of {points} points {lie} outside the domain, where the network was not trained"
        ));
    }
    if let Some(out) = &arguments.out {
        match arguments.json {
            true => Data::default().json(&Done { event: "prediction", out, points, extrapolated }),
            false => output::say(&format!("{points} points in {}", out.display())),
        }
    }
}
