//! The figures: the solution and the absolute error of every method side by side, each by the first seed that
//! was kept.

use std::path::Path;

use adamflip::checkpoint::{regular, replace};
use adamflip::report::figure::{Cells, Colours, Map, Panel, compose};

use super::benchmark::{BENCHMARKS, Benchmark};
use super::cell::MethodId;
use super::plane::{self, Plane};
use super::store::ResultStore;
use adamflip_run::LARGEST_TEXT;
use adamflip_run::RunError;

/// The folder of the figures among the results.
const FOLDER: &str = "figures";
/// Methods beside each other.
const BESIDE: usize = 3;
/// A figure of fewer methods, of six, does not take the place of an earlier one.
const FEWEST: usize = 4;
/// Pixels for a unit of the page.
const SCALE: f64 = 1.2;

/// A figure of a field.
#[derive(Debug)]
pub(crate) struct Picture {
    /// The name of its files, without their ending.
    pub(crate) name: String,
    pub(crate) caption: String,
    /// The bytes of a PNG file.
    pub(crate) png: Vec<u8>,
}

/// Draws what the planes of the runs allow, and goes on with what was drawn before where they are too few.
pub(crate) fn all(store: &ResultStore, runs: &Path) -> Result<Vec<Picture>, RunError> {
    plane::collect(store, runs)?;
    let mut pictures = Vec::new();
    for problem in &BENCHMARKS {
        let earlier = kept(problem, store.folder());
        let drawn = match drawn(problem, store, if earlier.is_empty() { 1 } else { FEWEST }) {
            Ok(drawn) => drawn,
            Err(reason) => {
                log::warn!("no figure of {}: {reason}", problem.name);
                Vec::new()
            }
        };
        for picture in &drawn {
            write(store.folder(), &format!("{}.png", picture.name), &picture.png)?;
        }
        pictures.extend(if drawn.is_empty() { earlier } else { drawn });
    }
    Ok(pictures)
}

fn caption(problem: &Benchmark, field: &str) -> String {
    format!(
        "{}: the field {field} by every method and the reference on one scale, and below each the absolute error on one \
         logarithmic scale.",
        problem.title
    )
}

fn name(problem: &Benchmark, field: &str) -> String {
    format!("{}-{field}", problem.name)
}

/// The figures of an earlier session.
fn kept(problem: &Benchmark, folder: &Path) -> Vec<Picture> {
    let picture = |field: &&'static str| {
        let name = name(problem, field);
        let png = regular::read(&folder.join(FOLDER).join(format!("{name}.png")), LARGEST_TEXT).ok()?;
        Some(Picture { name, caption: caption(problem, field), png })
    };
    problem.fields.iter().filter_map(picture).collect()
}

/// A figure for every field; none where fewer methods than `fewest` have planes.
fn drawn(problem: &'static Benchmark, store: &ResultStore, fewest: usize) -> Result<Vec<Picture>, String> {
    let mut shown = Vec::new();
    for method in MethodId::ALL {
        if let Some((seed, path)) = plane::find(problem, method, store) {
            shown.push(Shown {
                name: format!("{} (seed {seed})", method.name()),
                plane: plane::read(&path, problem)?,
            });
        }
    }
    if shown.len() < fewest {
        return Ok(Vec::new());
    }
    let reference = plane::read(&plane::reference_path(problem, store.folder()), problem)?;
    if shown
        .iter()
        .any(|Shown { plane, .. }| (&plane.across, &plane.up) != (&reference.across, &reference.up))
    {
        return Err("its methods were measured on different grids".to_owned());
    }
    let figure = |(number, field): (usize, &&'static str)| {
        let subject = Subject { problem, number, reference: &reference };
        let figure = compose(&format!("{}: {field}", problem.title), &subject.rows(&shown))
            .map_err(|error| error.to_string())?;
        let png = figure.png(SCALE).map_err(|error| error.to_string())?;
        Ok(Picture { name: name(problem, field), caption: caption(problem, field), png })
    };
    problem.fields.iter().enumerate().map(figure).collect()
}

/// What is shown of a method.
struct Shown {
    name: String,
    plane: Plane,
}

/// A field of a problem.
struct Subject<'a> {
    problem: &'static Benchmark,
    number: usize,
    reference: &'a Plane,
}

impl Subject<'_> {
    /// Rows of solutions, each above a row of errors; the reference ends the first.
    fn rows(&self, shown: &[Shown]) -> Vec<Vec<Panel>> {
        const SOLUTION: usize = 0;
        const ERROR: usize = 1;
        let (field, reference) = (self.problem.fields[self.number], &self.reference.fields[self.number]);
        let mut rows = Vec::new();
        for (number, group) in shown.chunks(BESIDE).enumerate() {
            let solution = |Shown { name, plane }: &Shown| {
                let values = plane.fields[self.number].clone();
                self.map(&format!("{field}, {name}"), values, Colours::Automatic, SOLUTION)
            };
            let mut above: Vec<Panel> = group.iter().map(solution).collect();
            if number == 0 {
                let title = format!("{field}, reference");
                above.push(self.map(&title, reference.clone(), Colours::Automatic, SOLUTION));
            }
            let error = |Shown { name, plane }: &Shown| {
                let errors = plane.fields[self.number].iter().zip(reference).map(|(a, b)| (a - b).abs());
                self.map(&format!("error, {name}"), errors.collect(), Colours::Logarithmic, ERROR)
            };
            rows.extend([above, group.iter().map(error).collect()]);
        }
        rows
    }

    fn map(&self, title: &str, values: Vec<f64>, colours: Colours, group: usize) -> Panel {
        Panel::Map(Map {
            title: format!("{title}{}", self.problem.place),
            x: self.reference.across.clone(),
            y: self.reference.up.clone(),
            cells: Cells::Nodes(values),
            colours,
            group: Some(group),
            equal_units: !self.problem.place.is_empty(),
        })
    }
}

fn write(folder: &Path, name: &str, content: &[u8]) -> Result<(), RunError> {
    let path = folder.join(FOLDER).join(name);
    let failed = |error: &dyn std::fmt::Display| {
        let hint = "is the disk full? With some space, `adamflip reproduce --tables` draws it";
        RunError::not_kept(format!("cannot write `{}`: {error}", path.display()), hint)
    };
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(|error| failed(&error))?;
    replace(&path, content).map_err(|error| failed(&error))
}
