//! Fields of a run on the plane that figures show, kept as a small file beside the results: figures grow over
//! several sessions, like the tables, also where the runs themselves are gone.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use adamflip::checkpoint::replace;
use adamflip::evaluate::{FieldError, errors};
use adamflip::export::npz;
use adamflip::problem::{Grid, Places, Problem};
use adamflip::report::figure::Axis;

use super::benchmark::{BENCHMARKS, Benchmark};
use super::cell::{Cell, MethodId};
use super::store::{ResultStore, StoredResult};
use super::study;
use adamflip::certificate::State;
use adamflip_run::RunError;

/// The folder of the files among the results.
const FOLDER: &str = "planes";
/// Nodes along an axis at the most: more are not seen, but make files large.
const MOST: usize = 101;

/// All fields of a problem, each as columns of nodes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plane {
    pub(crate) across: Axis,
    pub(crate) up: Axis,
    pub(crate) fields: Vec<Vec<f64>>,
}

/// Keeps the planes of those methods that have none yet, of the first seed whose run is there.
pub(crate) fn collect(store: &ResultStore, runs: &Path) -> Result<(), RunError> {
    for problem in &BENCHMARKS {
        for method in MethodId::ALL.into_iter().filter(|method| find(problem, *method, store).is_none()) {
            let run = |cell: &Cell| runs.join(cell.name());
            let there = |cell: &Cell| store.find(cell).is_some_and(|kept| is_of(&run(cell), kept));
            let Some(cell) = solved(problem, method, store).into_iter().find(there) else { continue };
            match measured(problem, &run(&cell)) {
                Ok([network, reference]) => {
                    write(&path(store.folder(), &cell.name()), problem, &network)?;
                    write(&reference_path(problem, store.folder()), problem, &reference)?;
                }
                Err(reason) => log::warn!("no figure of `{}`: {reason}", cell.name()),
            }
        }
    }
    Ok(())
}

/// The first seed of a method that has a plane, and where it is.
pub(crate) fn find(
    problem: &'static Benchmark,
    method: MethodId,
    store: &ResultStore,
) -> Option<(u64, PathBuf)> {
    let cells = solved(problem, method, store).into_iter();
    let mut places = cells.map(|cell| (cell.seed, path(store.folder(), &cell.name())));
    places.find(|(_, path)| path.is_file())
}

pub(crate) fn reference_path(problem: &Benchmark, folder: &Path) -> PathBuf {
    path(folder, &format!("{}-reference", problem.name))
}

/// Forgets that of a cell which is to be solved again.
pub(crate) fn remove(folder: &Path, cell: &Cell) {
    // Where there is none, nothing is to be forgotten.
    let _ = std::fs::remove_file(path(folder, &cell.name()));
}

/// The cells of the main study that came to an end that counts, in the order of their seeds.
fn solved(problem: &'static Benchmark, method: MethodId, store: &ResultStore) -> Vec<Cell> {
    let form = study::plain(problem, method);
    let kept = store.of(&form).filter(|kept| !kept.has_failed());
    let mut cells: Vec<Cell> = kept.filter_map(StoredResult::main).collect();
    cells.sort_by_key(|cell| cell.seed);
    cells
}

/// Is the run in a folder that of a result? One that is being solved again is not.
fn is_of(run: &Path, kept: &StoredResult) -> bool {
    adamflip_run::summary(run).is_some_and(|summary| summary["rel_l2"] == kept.summary["rel_l2"])
}

fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(FOLDER).join(format!("{name}.npz"))
}

/// What the networks of a run say, and the reference.
fn measured(benchmark: &Benchmark, run: &Path) -> Result<[Plane; 2], String> {
    let opened = adamflip_run::open(run).map_err(|error| format!("error: {error}"))?;
    let State { problem, model, θ, .. } = opened.state();
    let grid = match problem.reference.as_ref().map(|reference| &reference.places) {
        Some(Places::Grid(grid)) => grid,
        _ => return Err("its reference is not on a grid".to_owned()),
    };
    let all = errors(problem, model, θ).map_err(|error| error.to_string())?;
    let of = |field: fn(&FieldError) -> &[f64]| plane(benchmark, problem, grid, &all, field);
    let missing = || "its fields or coordinates are others".to_owned();
    Ok([of(|error| &error.network).ok_or_else(missing)?, of(|error| &error.reference).ok_or_else(missing)?])
}

fn plane(
    benchmark: &Benchmark,
    problem: &Problem,
    grid: &Grid,
    errors: &[FieldError],
    values: fn(&FieldError) -> &[f64],
) -> Option<Plane> {
    let coordinate = |name: &str| problem.coordinates.iter().position(|known| known == name);
    let [across, up] = benchmark.plane;
    let (across, up) = (coordinate(across)?, coordinate(up)?);
    let nodes = nodes(grid, across, up);
    let field = |name: &&str| {
        let error = errors.iter().find(|error| problem.fields[error.field] == **name)?;
        Some(nodes.iter().map(|&node| values(error)[node]).collect())
    };
    let axis = |c: usize| {
        let drawn = coarse(grid.counts[c]);
        // Where the step does not divide the grid, the last node is not its end.
        let upper = grid.node(c, drawn.last().copied().unwrap_or(0));
        Axis { label: problem.coordinates[c].clone(), lower: grid.lower[c], upper, count: drawn.len() }
    };
    let fields = benchmark.fields.iter().map(field).collect::<Option<Vec<Vec<f64>>>>()?;
    Some(Plane { across: axis(across), up: axis(up), fields })
}

/// The nodes along an axis that are drawn, evenly apart.
fn coarse(count: usize) -> Vec<usize> {
    let step = (count.saturating_sub(1)).div_ceil(MOST - 1).max(1);
    (0..count).step_by(step).collect()
}

/// The numbers of the nodes of a plane, all other coordinates at their ends; the last coordinate is the
/// fastest.
fn nodes(grid: &Grid, across: usize, up: usize) -> Vec<usize> {
    let stride = |c: usize| grid.counts[c + 1..].iter().product::<usize>();
    let others = (0..grid.counts.len()).filter(|c| *c != across && *c != up);
    let base: usize = others.map(|c| (grid.counts[c].max(1) - 1) * stride(c)).sum();
    let (columns, rows) = (coarse(grid.counts[across]), coarse(grid.counts[up]));
    let node = |i: usize, j: usize| base + i * stride(across) + j * stride(up);
    columns.iter().flat_map(|&i| rows.iter().map(move |&j| node(i, j)).collect::<Vec<_>>()).collect()
}

fn write(path: &Path, problem: &Benchmark, plane: &Plane) -> Result<(), RunError> {
    let failed = |error: &dyn std::fmt::Display| {
        let hint = "is the disk full? With some space, `adamflip reproduce --tables` writes it";
        RunError::not_kept(format!("cannot write `{}`: {error}", path.display()), hint)
    };
    let along = |axis: &Axis| -> Vec<f64> {
        let step = (axis.upper - axis.lower) / (axis.count.max(2) - 1) as f64;
        (0..axis.count).map(|i| axis.lower + i as f64 * step).collect()
    };
    let (across, up) = (along(&plane.across), along(&plane.up));
    let (columns, rows, both) = ([across.len()], [up.len()], [across.len(), up.len()]);
    let mut arrays: Vec<(&str, &[usize], &[f64])> =
        vec![(problem.plane[0], &columns, &across), (problem.plane[1], &rows, &up)];
    arrays.extend(
        problem.fields.iter().zip(&plane.fields).map(|(name, values)| (*name, &both[..], &values[..])),
    );
    let mut bytes = Cursor::new(Vec::new());
    npz::write(&mut bytes, &arrays).map_err(|error| failed(&error))?;
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(|error| failed(&error))?;
    replace(path, bytes.get_ref()).map_err(|error| failed(&error))
}

/// Reads what [`collect`] has written.
pub(crate) fn read(path: &Path, problem: &Benchmark) -> Result<Plane, String> {
    let owned = |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    let table = adamflip::data::read(path, &owned(&problem.plane), Some(&owned(problem.fields)))
        .map_err(|error| error.to_string())?;
    let Some([across, up]) = table.grid() else { return Err("it is not on a grid".to_owned()) };
    let axis = |label: &str, nodes: &[f64]| Axis {
        label: label.to_owned(),
        lower: nodes.first().copied().unwrap_or(0.0),
        upper: nodes.last().copied().unwrap_or(0.0),
        count: nodes.len(),
    };
    let field = |name: &&str| table.column(name).map(<[f64]>::to_vec);
    let fields = problem.fields.iter().map(field).collect::<Option<Vec<_>>>().ok_or("it lacks a field")?;
    Ok(Plane { across: axis(problem.plane[0], across), up: axis(problem.plane[1], up), fields })
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

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        for problem in [&BENCHMARKS[0], &BENCHMARKS[6]] {
            let axis =
                |label: &str, upper, count| Axis { label: label.to_owned(), lower: -1.0, upper, count };
            let [across, up] = problem.plane;
            // As many nodes up as across: the order of the axes must not be guessed by their lengths.
            let plane = Plane {
                across: axis(across, 0.5, 4),
                up: axis(up, 2.0, 4),
                fields: (0..problem.fields.len())
                    .map(|f| (0..16).map(|i| f64::from(i) + f as f64).collect())
                    .collect(),
            };
            let path = reference_path(problem, folder.path());
            write(&path, problem, &plane).unwrap();
            assert_eq!(read(&path, problem), Ok(plane));
        }
        assert!(read(&folder.path().join("none.npz"), &BENCHMARKS[0]).is_err());
    }
}
