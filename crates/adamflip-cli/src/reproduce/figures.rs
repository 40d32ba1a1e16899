//! The figures: the solution and the absolute error of every method side by side, from the runs of one seed.

use std::path::{Path, PathBuf};

use adamflip::checkpoint::replace;
use adamflip::evaluate::{FieldError, errors};
use adamflip::problem::{Grid, Places, Problem};
use adamflip::report::figure::{Axis, Cells, Colours, Map, Panel, compose};

use super::benchmark::{BENCHMARKS, Benchmark};
use super::cell::{Cell, Way};
use super::kept::{Kept, Shelf};
use super::study;
use crate::failure::Failure;
use crate::{output, trained};

/// The folder of the figures among the results.
const FOLDER: &str = "figures";
/// Methods beside each other.
const BESIDE: usize = 3;
/// Nodes along an axis at the most: more are not seen, but make files large.
const MOST: usize = 101;
/// Pixels for a unit of the page.
const SCALE: f64 = 1.2;

/// A figure of a field.
#[derive(Debug)]
pub(super) struct Picture {
    /// The name of its files, without their ending.
    pub(super) name: String,
    pub(super) caption: String,
    /// The bytes of a PNG file.
    pub(super) png: Vec<u8>,
}

/// A method and where its run is.
type Shown = (Way, PathBuf);

/// Draws what the runs in `runs` allow, and goes on with what was drawn before where they are not there any more.
pub(super) fn all(shelf: &Shelf, runs: &Path) -> Result<Vec<Picture>, Failure> {
    let mut pictures = Vec::new();
    for problem in &BENCHMARKS {
        let (known, shown) = available(problem, shelf, runs);
        if shown.is_empty() || (shown.len() < known && has_pictures(problem, shelf.folder())) {
            pictures.extend(kept(problem, shelf.folder()));
            continue;
        }
        match drawn(problem, &shown) {
            Ok(drawn) => {
                for picture in drawn {
                    write(shelf.folder(), &format!("{}.png", picture.name), &picture.png)?;
                    pictures.push(picture);
                }
            }
            Err(reason) => output::warn(&format!("no figure of {}: {reason}", problem.name)),
        }
    }
    Ok(pictures)
}

/// How many methods have a result, and the runs that are there of the seed that most methods have.
fn available(problem: &'static Benchmark, shelf: &Shelf, runs: &Path) -> (usize, Vec<Shown>) {
    let of = |way: Way| study::plain(problem, way);
    let known = Way::ALL.into_iter().filter(|way| shelf.of(&of(*way)).next().is_some()).count();
    let main = shelf.all().iter().filter(|kept| kept.problem == problem.name && !kept.has_failed());
    let Some(seed) = main.filter_map(Kept::main).map(|cell| cell.seed).min() else {
        return (known, Vec::new());
    };
    let shown = Way::ALL.into_iter().filter_map(|way| {
        let cell = Cell { form: of(way), seed };
        let run = runs.join(cell.name());
        let ended = shelf.find(&cell).is_some_and(|kept| !kept.has_failed());
        (ended && run.join("run.json").is_file()).then_some((way, run))
    });
    (known, shown.collect())
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

fn has_pictures(problem: &Benchmark, folder: &Path) -> bool {
    let path = |field: &str| folder.join(FOLDER).join(format!("{}.png", name(problem, field)));
    problem.fields.iter().all(|field| path(field).is_file())
}

/// The figures of an earlier sitting.
fn kept(problem: &Benchmark, folder: &Path) -> Vec<Picture> {
    let picture = |field: &&'static str| {
        let name = name(problem, field);
        let png = std::fs::read(folder.join(FOLDER).join(format!("{name}.png"))).ok()?;
        Some(Picture { name, caption: caption(problem, field), png })
    };
    problem.fields.iter().filter_map(picture).collect()
}

/// A figure for every field.
fn drawn(problem: &Benchmark, shown: &[Shown]) -> Result<Vec<Picture>, String> {
    let mut planes: Vec<Vec<Plane>> = problem.fields.iter().map(|_| Vec::new()).collect();
    for (way, run) in shown {
        for (field, plane) in measured(problem, *way, run)? {
            planes[field].push(plane);
        }
    }
    let figure = |(field, planes): (&&'static str, &Vec<Plane>)| {
        let heading = format!("{}: {field}", problem.title);
        let figure = compose(&heading, &rows(field, planes)).map_err(|error| error.to_string())?;
        let png = figure.png(SCALE).map_err(|error| error.to_string())?;
        Ok(Picture { name: name(problem, field), caption: caption(problem, field), png })
    };
    problem.fields.iter().zip(&planes).filter(|(_, planes)| !planes.is_empty()).map(figure).collect()
}

/// A field of a method on a plane through the grid on which errors are measured.
struct Plane {
    way: Way,
    x: Axis,
    y: Axis,
    equal_units: bool,
    /// ` at t = 1`, where it is cut.
    place: String,
    network: Vec<f64>,
    reference: Vec<f64>,
}

/// The fields of a run, by their numbers among those of the problem.
fn measured(benchmark: &Benchmark, way: Way, run: &Path) -> Result<Vec<(usize, Plane)>, String> {
    let trained::Trained { problem, model, θ } = trained::open(run).map_err(|failure| failure.text)?;
    let grid = match problem.reference.as_ref().map(|reference| &reference.places) {
        Some(Places::Grid(grid)) => grid.clone(),
        _ => return Err("its reference is not on a grid".to_owned()),
    };
    let all = errors(&problem, &model, &θ).map_err(|error| error.to_string())?;
    let plane = |error: &FieldError| {
        let name = &problem.fields[error.field];
        let field = benchmark.fields.iter().position(|known| known == name)?;
        Some((field, Plane::of(way, &problem, &grid, error)?))
    };
    Ok(all.iter().filter_map(plane).collect())
}

impl Plane {
    /// Time across and space up; of two coordinates of space, both at the end of time.
    fn of(way: Way, problem: &Problem, grid: &Grid, error: &FieldError) -> Option<Self> {
        let time = problem.coordinates.iter().position(|name| name == "t")?;
        let space: Vec<usize> = (0..problem.coordinates.len()).filter(|c| *c != time).collect();
        let (across, up, cut) = match space[..] {
            [x] => (time, x, None),
            [x, y] => (x, y, Some(time)),
            _ => return None,
        };
        let axis = |c: usize| Axis {
            label: problem.coordinates[c].clone(),
            lower: grid.lower[c],
            upper: grid.upper[c],
            count: coarse(grid.counts[c]).len(),
        };
        let nodes = nodes(grid, across, up);
        let values = |all: &[f64]| nodes.iter().map(|&node| all[node]).collect();
        Some(Self {
            way,
            x: axis(across),
            y: axis(up),
            equal_units: cut.is_some(),
            place: cut
                .map_or(String::new(), |c| format!(" at {} = {}", problem.coordinates[c], grid.upper[c])),
            network: values(&error.network),
            reference: values(&error.reference),
        })
    }

    fn map(&self, title: &str, values: Vec<f64>, colours: Colours, group: usize) -> Panel {
        Panel::Map(Map {
            title: format!("{title}{}", self.place),
            x: self.x.clone(),
            y: self.y.clone(),
            cells: Cells::Nodes(values),
            colours,
            group: Some(group),
            equal_units: self.equal_units,
        })
    }
}

/// The nodes along an axis that are drawn, evenly apart.
fn coarse(count: usize) -> Vec<usize> {
    let step = (count.saturating_sub(1)).div_ceil(MOST - 1).max(1);
    (0..count).step_by(step).collect()
}

/// The numbers of the nodes of a plane, all other coordinates at their ends; the last coordinate is the fastest.
fn nodes(grid: &Grid, across: usize, up: usize) -> Vec<usize> {
    let stride = |c: usize| grid.counts[c + 1..].iter().product::<usize>();
    let others = (0..grid.counts.len()).filter(|c| *c != across && *c != up);
    let base: usize = others.map(|c| (grid.counts[c].max(1) - 1) * stride(c)).sum();
    let (columns, rows) = (coarse(grid.counts[across]), coarse(grid.counts[up]));
    let node = |i: usize, j: usize| base + i * stride(across) + j * stride(up);
    columns.iter().flat_map(|&i| rows.iter().map(move |&j| node(i, j)).collect::<Vec<_>>()).collect()
}

/// Rows of solutions, each above a row of errors; the reference ends the first.
fn rows(field: &str, planes: &[Plane]) -> Vec<Vec<Panel>> {
    const SOLUTION: usize = 0;
    const ERROR: usize = 1;
    let mut rows = Vec::new();
    for (number, group) in planes.chunks(BESIDE).enumerate() {
        let solution = |plane: &Plane| {
            let title = format!("{field}, {}", plane.way.name());
            plane.map(&title, plane.network.clone(), Colours::Automatic, SOLUTION)
        };
        let mut above: Vec<Panel> = group.iter().map(solution).collect();
        if let Some(first) = group.first().filter(|_| number == 0) {
            let title = format!("{field}, reference");
            above.push(first.map(&title, first.reference.clone(), Colours::Automatic, SOLUTION));
        }
        let error = |plane: &Plane| {
            let errors = plane.network.iter().zip(&plane.reference).map(|(a, b)| (a - b).abs());
            plane.map(&format!("error, {}", plane.way.name()), errors.collect(), Colours::Logarithmic, ERROR)
        };
        rows.extend([above, group.iter().map(error).collect()]);
    }
    rows
}

fn write(folder: &Path, name: &str, content: &[u8]) -> Result<(), Failure> {
    let path = folder.join(FOLDER).join(name);
    let failed = |error: &dyn std::fmt::Display| {
        let hint = "is the disk full? With some space, `adamflip reproduce --tables` draws it";
        Failure::run(format!("cannot write `{}`: {error}", path.display()), hint)
    };
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(|error| failed(&error))?;
    replace(&path, content).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_lies_at_the_end_of_time_and_is_not_too_fine() {
        let grid = |counts: &[usize]| Grid {
            lower: vec![0.0; counts.len()],
            upper: vec![1.0; counts.len()],
            counts: counts.to_vec(),
        };
        // x, y, t with t fastest, at its last node: node (i, j) is 6 i + 3 j + 2.
        assert_eq!(nodes(&grid(&[2, 2, 3]), 0, 1), [2, 5, 8, 11]);
        // x, t with time across: x is the slow one.
        assert_eq!(nodes(&grid(&[3, 2]), 1, 0), [0, 2, 4, 1, 3, 5]);
        let many = coarse(401);
        assert_eq!((many.len(), many[100]), (101, 400));
        assert_eq!(coarse(1), [0]);
    }
}
