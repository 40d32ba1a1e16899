//! Problems in Python: keys and arrays come in, the text of a problem file goes out, and the one reader reads
//! it.

use std::path::PathBuf;
use std::sync::Arc;

use adamflip::spec::{Draft as FileDraft, Overrides};
use adamflip::{Arrays, Problem, ProblemText, Value};
use adamflip_run::{Choices, Session, Task, check};
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::errors::{input, raised};
use crate::logging;
use crate::pool;
use crate::settings::named;
use crate::training::{Watcher, train};

/// A problem file in the making, with its arrays.
#[pyclass(module = "adamflip._adamflip")]
#[derive(Clone)]
pub(crate) struct Draft {
    draft: FileDraft,
    /// The file as it was loaded, until something is changed: messages then show its own lines.
    original: Option<ProblemText>,
    name: String,
    folder: PathBuf,
    arrays: Vec<Arc<Arrays>>,
}

#[pymethods]
impl Draft {
    #[new]
    fn new(name: String) -> Self {
        logging::install();
        let (draft, folder, arrays) = (FileDraft::default(), PathBuf::new(), Vec::new());
        Self { draft, original: None, name, folder, arrays }
    }

    /// Loads a problem file; one with errors is refused.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        logging::install();
        let original = ProblemText::from_path(&path).map_err(|error| raised(error.into()))?;
        let problem = Problem::from_text(&original, &Overrides::default()).map_err(raised)?;
        Ok(Self {
            draft: FileDraft::from_text(&original.text),
            name: problem.name,
            folder: original.folder.clone(),
            arrays: Vec::new(),
            original: Some(original),
        })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Sets a key by its path.
    fn set(&mut self, path: Vec<String>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let value = plain(value, &path.join("."), DEEPEST)?;
        self.draft.set(&path, value);
        self.original = None;
        Ok(())
    }

    /// Adds arrays under the name of the file that they would be.
    fn arrays(&mut self, name: &str, arrays: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut kept = Arrays::new(name);
        for (array, values) in arrays {
            let values = values.cast::<PyArrayDyn<f64>>()?;
            kept.push(array.extract::<String>()?, values.shape(), values.to_vec()?)
                .map_err(|error| raised(error.into()))?;
        }
        self.arrays.retain(|known| known.name() != name);
        self.arrays.push(Arc::new(kept));
        Ok(())
    }

    /// The text of the problem file.
    fn text(&self) -> String {
        self.original.as_ref().map_or_else(|| self.draft.text(), |original| original.text.clone())
    }

    /// The names in a section, or the texts of a list.
    fn names(&self, section: &str) -> Vec<String> {
        self.draft.names(&[section])
    }

    /// Writes the problem file, with its arrays beside it.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.problem_text().save(&path).map_err(raised)
    }

    /// What `adamflip check` says, as text and as JSON.
    fn check(&self, py: Python<'_>, choices: &Bound<'_, PyDict>) -> PyResult<(String, String)> {
        let (text, choices) = (self.problem_text(), choices_of(choices)?);
        let checked = || check(Task::read(text.parse(&choices.overrides()), &choices)?);
        let report = py.detach(|| pool::install(checked))?.map_err(crate::errors::of_run)?;
        Ok((report.text(), serde_json::to_string(&report).unwrap_or_default()))
    }

    /// Solves the problem in a run folder, whose path is returned.
    fn solve(
        &self,
        py: Python<'_>,
        choices: &Bound<'_, PyDict>,
        out: Option<PathBuf>,
        threads: Option<Bound<'_, PyAny>>,
        callback: Option<Py<PyAny>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<PathBuf> {
        let (text, choices) = (self.problem_text(), choices_of(choices)?);
        let threads = threads.map(|threads| threads_of(&threads)).transpose()?;
        let command = format!("af.Problem({:?}).solve()", self.name);
        train(py, threads, Watcher::new(callback, progress), move || {
            Session::create(text.parse(&choices.overrides()), &choices, out.as_deref(), &command)
        })
    }
}

impl Draft {
    fn problem_text(&self) -> ProblemText {
        let own = || ProblemText {
            name: format!("{}.toml", self.name),
            text: self.draft.text(),
            folder: self.folder.clone(),
            arrays: self.arrays.clone(),
        };
        self.original.clone().unwrap_or_else(own)
    }
}

/// The most lists and dicts in each other; one that holds itself has no end.
const DEEPEST: usize = 50;

/// A value of a problem file from one of Python.
fn plain(value: &Bound<'_, PyAny>, place: &str, depth: usize) -> PyResult<Value> {
    let Some(depth) = depth.checked_sub(1) else {
        let message = format!("`{place}` has lists or dicts in each other, more than {DEEPEST} deep");
        return Err(input(message, "does it hold itself?"));
    };
    let list = |items: Vec<Bound<'_, PyAny>>| -> PyResult<Value> {
        Ok(items.iter().map(|item| plain(item, place, depth)).collect::<PyResult<Vec<Value>>>()?.into())
    };
    // A bool is an int to Python.
    if value.is_instance_of::<PyBool>() {
        Ok(value.extract::<bool>()?.into())
    } else if value.is_instance_of::<PyInt>() {
        let too_large =
            |_| input(format!("`{place}` is a number with too many digits"), "write it as a float");
        Ok(value.extract::<i64>().map_err(too_large)?.into())
    } else if value.is_instance_of::<PyFloat>() {
        Ok(value.extract::<f64>()?.into())
    } else if value.is_instance_of::<PyString>() {
        Ok(value.extract::<String>()?.into())
    } else if let Ok(table) = value.cast::<PyDict>() {
        let entry = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| -> PyResult<(String, Value)> {
            let key = key.extract::<String>()?;
            let value = plain(&value, &format!("{place}.{key}"), depth)?;
            Ok((key, value))
        };
        Ok(Value::table(table.iter().map(entry).collect::<PyResult<Vec<_>>>()?))
    } else if let Ok(items) = value.cast::<PyList>() {
        list(items.iter().collect())
    } else if let Ok(items) = value.cast::<PyTuple>() {
        list(items.iter().collect())
    } else {
        let kind = value.get_type().name()?;
        let hint = "give text, a number, True or False, a list, or a dict of these";
        Err(input(format!("`{place}` is of type `{kind}`, which no problem file can hold"), hint))
    }
}

/// What is chosen for one run.
pub(crate) fn choices_of(chosen: &Bound<'_, PyDict>) -> PyResult<Choices> {
    const KNOWN: [&str; 8] = ["budget", "method", "finish", "steps", "seed", "start", "profile", "set"];
    let mut choices = Choices::default();
    for (key, value) in chosen {
        match key.extract::<String>()?.as_str() {
            "budget" => choices.budget = Some(seconds(&value)?),
            "method" => choices.method = Some(named(&text(&value, "method")?)?),
            "finish" => choices.finish = Some(named(&text(&value, "finish")?)?),
            "steps" => choices.steps = Some(whole(&value, "steps")?),
            "seed" => choices.seed = Some(whole(&value, "seed")?),
            "start" => choices.start = Some(value.extract()?),
            "profile" => choices.profile = Some(text(&value, "profile")?),
            "set" => {
                for (key, value) in value.cast::<PyDict>()? {
                    let key = key.extract::<String>()?;
                    choices.set.push(format!("{key}={}", plain(&value, &key, DEEPEST)?.to_toml()));
                }
            }
            unknown => {
                let near = adamflip::diagnostic::nearest(unknown, KNOWN);
                let hint = near.map_or_else(
                    || format!("known are {}", KNOWN.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                return Err(input(format!("`{unknown}` is no choice of a solve"), hint));
            }
        }
    }
    Ok(choices)
}

fn text(value: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
    let refused = |_| input(format!("`{name}` must be a name"), format!("write {name}=\"…\""));
    value.extract::<String>().map_err(refused)
}

pub(crate) fn whole(value: &Bound<'_, PyAny>, name: &str) -> PyResult<u64> {
    let refused = |_| input(format!("`{name}` must be a whole number, zero or more"), "for example 1000");
    value.extract::<u64>().map_err(refused)
}

/// How many threads a training has.
pub(crate) fn threads_of(value: &Bound<'_, PyAny>) -> PyResult<u16> {
    match value.extract::<u16>() {
        Ok(threads) if (1..=1024).contains(&threads) => Ok(threads),
        _ => Err(input("`threads` must be a whole number from 1 to 1024", "leave it out for all cores")),
    }
}

/// A time: seconds, or text with a unit.
#[pyfunction]
pub(crate) fn seconds(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let text = match value.extract::<String>() {
        Ok(text) => text,
        Err(_) => value.extract::<f64>().map(|number| number.to_string()).unwrap_or_default(),
    };
    adamflip_run::seconds(&text).map_err(|hint| input(format!("`{text}` is no time"), hint))
}
