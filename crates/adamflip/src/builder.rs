//! Problems stated in code. A builder writes the problem file that one would have written by hand, and the
//! same reader reads it: the same keys, the same defaults, the same messages.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::data::Arrays;
use crate::error::Error;
use crate::export::data_file;
use crate::problem::{self, Problem, Role};
use crate::spec::{Content, DataFile, Draft, Overrides, ProblemText, Value};

/// A problem in the making; see [`Problem::builder`].
#[derive(Clone, Debug)]
pub struct ProblemBuilder {
    draft: Draft,
    name: String,
    folder: PathBuf,
    arrays: Vec<Arc<Arrays>>,
}

/// A term in the making: equations, the place where they hold, points, and a role.
///
/// ```
/// use adamflip::Term;
/// let walls = Term::new("walls", "u = 0").on("x = -1").on("x = 1").points(100);
/// # let _ = walls;
/// ```
#[derive(Clone, Debug)]
pub struct Term {
    name: String,
    equations: Vec<String>,
    on: Vec<String>,
    entries: Vec<(String, Value)>,
    arrays: Option<Arc<Arrays>>,
}

impl Term {
    /// A term with one equation: `Term::new("pde", "u_t = u_xx")`.
    pub fn new(name: impl Into<String>, equation: impl Into<String>) -> Self {
        let mut term = Self::observed(name);
        term.equations.push(equation.into());
        term
    }

    /// A term whose data are compared with the fields of the same names:
    /// `Term::observed("sensors").data(arrays)`.
    pub fn observed(name: impl Into<String>) -> Self {
        Self { name: name.into(), equations: Vec::new(), on: Vec::new(), entries: Vec::new(), arrays: None }
    }

    /// A further equation at the same points.
    #[must_use]
    pub fn equation(mut self, equation: impl Into<String>) -> Self {
        self.equations.push(equation.into());
        self
    }

    /// Where it holds: `x = 0`, `boundary`, the name of a shape; a further call adds a further place.
    #[must_use]
    pub fn on(mut self, place: impl Into<String>) -> Self {
        self.on.push(place.into());
        self
    }

    /// At how many points it is enforced.
    #[must_use]
    pub fn points(self, points: usize) -> Self {
        self.set("points", points)
    }

    /// Objective or constraint, where the default is not meant.
    #[must_use]
    pub fn role(self, role: Role) -> Self {
        self.set("role", role.name())
    }

    /// What must hold after training: `max < 1e-3`.
    #[must_use]
    pub fn tolerance(self, tolerance: impl Into<String>) -> Self {
        self.set("tolerance", tolerance.into())
    }

    /// Observations in memory: an array for each coordinate and each column that the equations name.
    #[must_use]
    pub fn data(mut self, arrays: Arrays) -> Self {
        self.entries.push(("data".into(), arrays.name().into()));
        self.arrays = Some(Arc::new(arrays));
        self
    }

    /// Any key of a term: `weight`, `sampler`, `adaptive`, `observe`, `noise`, `data` with the name of a
    /// file, …
    #[must_use]
    pub fn set(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.entries.push((key.into(), value.into()));
        self
    }
}

impl Problem {
    /// Starts a problem with these fields.
    ///
    /// ```
    /// use adamflip::{Problem, Term};
    /// let problem = Problem::builder(["u"])
    ///     .coordinate("x", [-1.0, 1.0])
    ///     .coordinate("t", [0.0, 1.0])
    ///     .constant("nu", "0.01/pi")
    ///     .term(Term::new("pde", "u_t + u*u_x = nu*u_xx").points(2000))
    ///     .term(Term::new("initial", "u = -sin(pi*x)").on("t = 0").points(100))
    ///     .term(Term::new("walls", "u = 0").on("x = -1").on("x = 1"))
    ///     .build()?;
    /// assert_eq!(problem.fields, ["u"]);
    /// # Ok::<(), adamflip::Error>(())
    /// ```
    pub fn builder<F: Into<String>>(fields: impl IntoIterator<Item = F>) -> ProblemBuilder {
        let fields: Vec<Value> = fields.into_iter().map(|field| field.into().into()).collect();
        let mut draft = Draft::default();
        draft.set(&["fields"], fields);
        ProblemBuilder { draft, name: "problem".into(), folder: PathBuf::new(), arrays: Vec::new() }
    }

    /// A problem from a file.
    pub fn from_path(path: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::from_text(&ProblemText::from_path(&path.into())?, &Overrides::default())
    }

    /// A problem from the text of a file.
    ///
    /// ```
    /// let text = "fields = ['u']\n[domain]\nx = [0, 1]\n[term.ode]\nequation = 'u_x = -u'\n\
    ///             [term.start]\non = 'x = 0'\nequation = 'u = 1'";
    /// assert_eq!(adamflip::Problem::from_toml(text)?.terms.len(), 2);
    /// // Errors come all at once, with place and hint.
    /// let wrong = adamflip::Problem::from_toml(&text.replace("u_x", "u_y")).unwrap_err();
    /// assert!(wrong.to_string().contains("hint: the coordinates are `x`"));
    /// # Ok::<(), adamflip::Error>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        Self::from_text(&ProblemText::new("problem.toml", text), &Overrides::default())
    }

    /// A problem from a text with what belongs to it, with changes.
    pub fn from_text(text: &ProblemText, overrides: &Overrides) -> Result<Self, Error> {
        Ok(problem::build(text.parse(overrides))?)
    }

    /// The problem file that means this problem, with everything that was chosen written out.
    pub fn to_toml(&self) -> String {
        self.file.text()
    }
}

impl ProblemText {
    /// Writes the problem file, and its arrays as files beside it.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let lost = |path: &Path| {
            let path = path.to_path_buf();
            move |source| Error::Io { action: "write", path, source }
        };
        for arrays in &self.arrays {
            let beside = path.with_file_name(arrays.name());
            let content = Content::Arrays(arrays.clone());
            let file = DataFile { name: arrays.name().to_owned(), content };
            let copied = || std::io::copy(&mut data_file(&file)?, &mut std::fs::File::create(&beside)?);
            copied().map_err(lost(&beside))?;
        }
        std::fs::write(path, &self.text).map_err(lost(path))
    }
}

impl ProblemBuilder {
    /// The name of the problem: that of its runs.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Where data files are sought, if not in the current folder.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// A coordinate and its range; ends are numbers or formulas (`"2*pi"`).
    #[must_use]
    pub fn coordinate<V: Into<Value>>(self, name: &str, range: [V; 2]) -> Self {
        self.set(&["domain", name], range)
    }

    /// A named shape, `Value::table([("disk", …)])`, for [`Self::inside`] and the places of terms.
    #[must_use]
    pub fn shape(self, name: &str, shape: impl Into<Value>) -> Self {
        self.set(&["shapes", name], shape)
    }

    /// The part of the ranges that belongs to the domain: `"plate - hole"`.
    #[must_use]
    pub fn inside(self, expression: &str) -> Self {
        self.set(&["domain", "inside"], expression)
    }

    /// A named constant: a number, a formula, or a list of values that are gone through one after the other.
    #[must_use]
    pub fn constant(self, name: &str, value: impl Into<Value>) -> Self {
        self.set(&["constants", name], value)
    }

    /// A named expression, `("flux", "k*u_x")`, or function, `("g(s)", "exp(-s^2)")`.
    #[must_use]
    pub fn define(self, name: &str, expression: &str) -> Self {
        self.set(&["define", name], expression)
    }

    /// An unknown number and where training starts it. Other keys are set by path:
    /// `.set(&["unknowns", "k", "bounds"], [0, 10])`.
    #[must_use]
    pub fn unknown(self, name: &str, start: f64) -> Self {
        self.set(&["unknowns", name, "start"], start)
    }

    /// Adds a term; one of the same name is replaced.
    #[must_use]
    pub fn term(mut self, term: Term) -> Self {
        let Term { name, mut equations, mut on, entries, arrays } = term;
        let mut keys: Vec<(String, Value)> = Vec::new();
        let single = |mut texts: Vec<String>| match texts.len() {
            1 => Value::from(texts.remove(0)),
            _ => Value::from(texts),
        };
        if !equations.is_empty() {
            keys.push(("equation".into(), single(std::mem::take(&mut equations))));
        }
        if !on.is_empty() {
            keys.push(("on".into(), single(std::mem::take(&mut on))));
        }
        keys.extend(entries);
        self.draft.set(&["term", &name], Value::table(keys));
        if let Some(arrays) = arrays {
            self.arrays.retain(|known| known.name() != arrays.name());
            self.arrays.push(arrays);
        }
        self
    }

    /// The known solution of a field, as a formula.
    #[must_use]
    pub fn reference(self, field: &str, formula: &str) -> Self {
        self.set(&["reference", field], formula)
    }

    /// Any key of a problem file by its path: `.set(&["network", "hidden"], "4x20")`.
    #[must_use]
    pub fn set(mut self, path: &[&str], value: impl Into<Value>) -> Self {
        self.draft.set(path, value);
        self
    }

    /// The problem file so far.
    pub fn to_toml(&self) -> String {
        self.draft.text()
    }

    /// The problem file with what belongs to it.
    pub fn text(&self) -> ProblemText {
        ProblemText {
            name: format!("{}.toml", self.name),
            text: self.to_toml(),
            folder: self.folder.clone(),
            arrays: self.arrays.clone(),
        }
    }

    /// Builds the problem, or says all that is wrong with it, as if the file had been written by hand.
    pub fn build(&self) -> Result<Problem, Error> {
        Problem::from_text(&self.text(), &Overrides::default())
    }
}
