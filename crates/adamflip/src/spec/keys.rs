//! Every key of a problem file: one row each. Readers take the names that they know from here, and so do the
//! page of keys (`docs/keys.md`) and the JSON Schema by which editors complete and check problem files.

mod written;

pub use written::{json_schema, page};

use super::adaptive;
use super::network::{ACTIVATIONS, ARCHITECTURES};
use super::term::{CAPUTO, ROLES, SAMPLERS};
use super::train::PLANS;
use crate::optim::Method;

/// A table of a problem file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// The file itself.
    Root,
    /// `[shapes] NAME = { … }`
    Shape,
    /// `[unknowns] NAME = { … }`
    Unknown,
    /// `[term.NAME]`
    Term,
    /// `[reference]`
    Reference,
    /// `[network]`
    Network,
    /// `fourier = { … }` of `[network]`
    Fourier,
    /// `factorized = { … }` of `[network]`
    Factorized,
    /// `[train]`
    Train,
    /// One of `stages` of `[train]`
    Stage,
}

/// What a key may be.
#[derive(Clone, Copy, Debug)]
pub enum KeyType {
    /// Text.
    Text,
    /// Text, or a list of texts.
    Texts,
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// A number, or a constant formula as text.
    Formula,
    /// A number above zero.
    Positive,
    /// A whole number of at least this.
    Count(u64),
    /// One of some names.
    Choice(fn() -> Vec<&'static str>),
    /// One of some names, or a table of settings.
    ChoiceOrTable(fn() -> Vec<&'static str>),
    /// Two ends: numbers or formulas.
    Range,
    /// Widths of layers: `"4x20"`, or a list.
    Layers,
    /// Several names, one for each layer, or one for all.
    Choices(fn() -> Vec<&'static str>),
    /// A table; of which tables, where its entries are tables with keys of their own.
    Tables(Option<Table>),
    /// A table with these keys.
    Of(Table),
    /// `true`, `false` or a table with these keys.
    FlagOr(Table),
    /// A list of tables with these keys.
    ListOf(Table),
    /// Several of these forms: see the text.
    Any,
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Where it stands.
    pub table: Table,
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub kind: KeyType,
    /// As a file has it.
    pub example: &'static str,
    /// What it means.
    pub text: &'static str,
}

const fn key(
    table: Table,
    name: &'static str,
    kind: KeyType,
    example: &'static str,
    text: &'static str,
) -> Key {
    Key { table, name, kind, example, text }
}

fn first<T>(rows: &[(&'static str, T)]) -> Vec<&'static str> {
    rows.iter().map(|row| row.0).collect()
}

fn samplers() -> Vec<&'static str> {
    first(SAMPLERS)
}

fn roles() -> Vec<&'static str> {
    first(ROLES)
}

fn caputo() -> Vec<&'static str> {
    first(CAPUTO)
}

fn activations() -> Vec<&'static str> {
    first(ACTIVATIONS)
}

fn architectures() -> Vec<&'static str> {
    first(ARCHITECTURES)
}

fn plans() -> Vec<&'static str> {
    first(PLANS)
}

fn adaptive() -> Vec<&'static str> {
    adaptive::names()
}

fn methods() -> Vec<&'static str> {
    Method::NAMES.to_vec()
}

/// All keys, in the order in which messages name them.
#[rustfmt::skip]
pub const KEYS: &[Key] = {
    use KeyType::*;
    use Table as T;
    &[
    key(T::Root, "title", Text, "title = \"Heat\"", "what the problem is, in one line"),
    key(T::Root, "fields", Texts, "fields = [\"u\"]", "the functions sought"),
    key(T::Root, "domain", Tables(None), "domain = { x = [-1, 1] }", "coordinates and their ranges, in order; `inside` joins shapes: `\"plate - hole\"`; a coordinate `t` is time"),
    key(T::Root, "shapes", Tables(Some(T::Shape)), "shapes = { hole = { disk = { center = [0, 0], radius = 0.5 } } }", "named shapes, for `inside` and the places of terms"),
    key(T::Root, "constants", Tables(None), "constants = { nu = \"0.01/pi\" }", "named numbers and formulas; a list is gone through value by value"),
    key(T::Root, "define", Tables(None), "define = { flux = \"u_x\" }", "named expressions, and functions: `\"g(s)\" = \"exp(-s^2)\"`"),
    key(T::Root, "unknowns", Tables(Some(T::Unknown)), "unknowns = { k = { start = 1.0 } }", "numbers and functions to be found"),
    key(T::Root, "term", Tables(Some(T::Term)), "term = { more = { equation = \"u = 0\", on = \"x = 1\" } }", "the equations, conditions and data"),
    key(T::Root, "reference", Of(T::Reference), "reference = { u = \"x\" }", "the known solution: a formula for each field, or a file"),
    key(T::Root, "network", Of(T::Network), "network = { hidden = \"4x20\" }", "the network; what is left open is chosen"),
    key(T::Root, "train", Of(T::Train), "train = { seed = 1 }", "how it is trained; what is left open is planned"),
    key(T::Root, "profile", Tables(None), "profile = { quick = { train = { seed = 2 } } }", "named changes of the file, chosen by `--profile`"),

    key(T::Shape, "box", Tables(None), "box = { x = [0, 1] }", "ranges of coordinates"),
    key(T::Shape, "disk", Any, "disk = { center = [0, 0], radius = 1 }", "a disk in the plane"),
    key(T::Shape, "ball", Any, "ball = { center = [0], radius = 1 }", "a ball in any dimension"),
    key(T::Shape, "ellipse", Any, "ellipse = { center = [0, 0], radii = [2, 1] }", "an ellipse; `angle` turns it, in radians"),
    key(T::Shape, "polygon", Any, "polygon = [[0, 0], [1, 0], [1, 1]]", "corners in order"),
    key(T::Shape, "axes", Texts, "axes = [\"x\"]", "the coordinates that it lies in, if not the first of space"),

    key(T::Unknown, "start", Formula, "start = 1.0", "where training starts"),
    key(T::Unknown, "bounds", Range, "bounds = [0, 10]", "the range that it must not leave"),
    key(T::Unknown, "truth", Formula, "truth = 0.1", "the known answer, for the report alone"),
    key(T::Unknown, "of", Texts, "of = [\"x\"]", "the coordinates that it depends on: a function with a network of its own"),
    key(T::Unknown, "hidden", Layers, "hidden = \"2x20\"", "the layers of that network"),

    key(T::Term, "equation", Texts, "equation = \"u_x = 1\"", "one equation, or several at the same points; inequalities are written with `>=` and `<=`"),
    key(T::Term, "complement", Texts, "complement = [\"u - psi\", \"-u_xx\"]", "in place of an equation: both are at least 0, and one of them is 0 at every point"),
    key(T::Term, "on", Texts, "on = \"x = 0\"", "where it holds: everywhere if left out"),
    key(T::Term, "points", Count(1), "points = 1000", "at how many points; by the dimension of the place if left out"),
    key(T::Term, "cloud", Text, "cloud = \"points.csv\"", "a file of points"),
    key(T::Term, "data", Text, "data = \"sensors.csv\"", "a file of observations, or `\"reference\"`"),
    key(T::Term, "columns", Texts, "columns = [\"x\", \"u\"]", "names of the file's columns, or those that are read"),
    key(T::Term, "observe", Texts, "observe = [\"u\", \"u_x\"]", "what of the reference is observed"),
    key(T::Term, "noise", Number, "noise = 0.01", "noise that is added to data, relative to their root mean square"),
    key(T::Term, "role", Choice(roles), "role = \"constraint\"", "to be made small, or to be met"),
    key(T::Term, "pointwise", Flag, "pointwise = true", "a constraint at every point on its own"),
    key(T::Term, "weight", Positive, "weight = 1.0", "the factor of its loss"),
    key(T::Term, "sampler", Choice(samplers), "sampler = \"sobol\"", "how its points are drawn"),
    key(T::Term, "adaptive", ChoiceOrTable(adaptive), "adaptive = \"rad\"", "points follow the residual; `\"none\"` takes it back"),
    key(T::Term, "caputo", Choice(caputo), "caputo = \"lines\"", "how fractional derivatives are discretised"),
    key(T::Term, "nodes", Count(2), "nodes = 32", "quadrature nodes of integrals and fractional derivatives"),
    key(T::Term, "tolerance", Text, "tolerance = \"max < 1e-3\"", "what must hold after training: max, rms or mse"),
    key(T::Term, "symmetry", Tables(None), "symmetry = { x = \"x\", t = \"2*t\" }", "a Lie point symmetry of the equations: how fast coordinates and fields move"),
    key(T::Term, "augment", Flag, "augment = true", "the equations at points moved along the symmetry, in place of invariance"),
    key(T::Term, "project", Flag, "project = true", "fields projected onto linear equations: they hold exactly"),

    key(T::Reference, "data", Text, "data = \"burgers.mat\"", "a file with the values of fields"),
    key(T::Reference, "columns", Texts, "columns = [\"x\", \"u\"]", "names of the file's columns"),
    key(T::Reference, "grid", Any, "grid = { x = 201 }", "nodes of the grid on which errors are measured"),

    key(T::Network, "hidden", Layers, "hidden = \"4x20\"", "the widths of the hidden layers"),
    key(T::Network, "activation", Choices(activations), "activation = \"tanh\"", "the nonlinearity, or one for each layer"),
    key(T::Network, "architecture", Choice(architectures), "architecture = \"mlp\"", "how the layers are connected"),
    key(T::Network, "scale_inputs", Flag, "scale_inputs = true", "map every range to [-1, 1]"),
    key(T::Network, "scale_outputs", Any, "scale_outputs = { u = [0, 1] }", "the middle and the size of fields; `true`: by the problem; `false`: none"),
    key(T::Network, "fourier", Of(T::Fourier), "fourier = { features = 64 }", "random Fourier features of the inputs"),
    key(T::Network, "periodic", Any, "periodic = [\"x\"]", "coordinates in which fields are periodic, or a table with their periods"),
    key(T::Network, "fourier_hard", Texts, "fourier_hard = [\"x\"]", "coordinates at whose ends conditions hold exactly, by a Fourier parametrization"),
    key(T::Network, "factorized", FlagOr(T::Factorized), "factorized = true", "random weight factorization"),
    key(T::Network, "separate", Flag, "separate = true", "a network for each field"),
    key(T::Network, "ansatz", Any, "ansatz = \"x*N\"", "how fields follow from the output `N`, so that conditions hold by construction"),

    key(T::Fourier, "features", Count(1), "features = 64", "sines and cosines together"),
    key(T::Fourier, "scale", Any, "scale = 1.0", "the deviation of the frequencies; or one for each coordinate"),

    key(T::Factorized, "mean", Number, "mean = 1.0", "the mean of the logarithms of the factors"),
    key(T::Factorized, "deviation", Number, "deviation = 0.1", "their deviation"),

    key(T::Train, "seed", Count(0), "seed = 0", "the seed of every random number"),
    key(T::Train, "sampler", Choice(samplers), "sampler = \"latin\"", "how points are drawn"),
    key(T::Train, "resample", Count(0), "resample = 1", "fresh points every this many steps; 0: never"),
    key(T::Train, "stages", ListOf(T::Stage), "stages = [{ method = \"adam\", steps = 300 }]", "methods and their steps, one after the other"),
    key(T::Train, "plan", Choice(plans), "plan = \"auto\"", "without `stages`: a plan that watches itself, or the same stages once"),
    key(T::Train, "grow", Flag, "grow = true", "may the plan widen the network? If left out, one that the file leaves open"),
    key(T::Train, "max_seconds", Positive, "max_seconds = 60", "the most seconds that training may take"),
    key(T::Train, "accuracy", Positive, "accuracy = 1e-4", "end where the estimated relative error is below"),
    key(T::Train, "windows", Count(1), "windows = 4", "slabs of time that are solved one after the other"),
    key(T::Train, "start", Text, "start = \"runs/other\"", "another run, whose solution is the start"),
    key(T::Train, "observe", Count(1), "observe = 10", "steps between rows of the history"),
    key(T::Train, "tolerance", Positive, "tolerance = 1e-6", "a stage ends where residuals are below"),
    key(T::Train, "patience", Count(1), "patience = 100", "steps without progress after which a stage ends"),
    key(T::Train, "stop_when_feasible", Flag, "stop_when_feasible = true", "end where all tolerances are met"),
    key(T::Train, "lanes", Count(1), "lanes = 64", "the most parts into which a term's points are dealt: how many threads and ranks can share it"),

    key(T::Stage, "method", Choice(methods), "method = \"newtonflip\"", "the method; its settings are further keys, below"),
    key(T::Stage, "steps", Count(0), "steps = 200", "how many steps"),
    key(T::Stage, "resample", Count(0), "resample = 1", "as in `[train]`, for this stage"),
    key(T::Stage, "hidden", Layers, "hidden = \"4x30\"", "the network is widened to this first, its function kept"),
    key(T::Stage, "equations", Positive, "equations = 0.01", "a factor of the weights of all terms without data, in this stage"),
    ]
};

/// The names of a table's keys.
pub(super) fn names(table: Table) -> Vec<&'static str> {
    KEYS.iter().filter(|key| key.table == table).map(|key| key.name).collect()
}
