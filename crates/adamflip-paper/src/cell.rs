//! One run of the reproduction: a study, a problem, a method, a variant and a seed.

use adamflip::optim::Method;

use super::benchmark::{BENCHMARKS, Benchmark};

/// The names of all studies.
pub const STUDIES: [&str; 4] = ["main", "beta", "gain", "noise"];
/// The names of all methods; `best` is the file as it is.
pub const METHODS: [&str; 6] = ["adam", "adamflip", "fl", "al", "trsqp", "best"];

/// A question of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Study {
    /// All problems by all methods.
    Main,
    /// The moments of AdamFLIP.
    Beta,
    /// Its gain.
    Gain,
    /// Noise in the observations of inverse problems.
    Noise,
}

/// How a problem is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MethodId {
    Adam,
    AdamFlip,
    Fl,
    Al,
    TrSqp,
    /// As the file has it.
    Best,
}

/// What is changed in the settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Variant {
    Plain,
    /// β₁ and β₂.
    Betas(f64, f64),
    /// K_p.
    Gain(f64),
    /// Relative to the observations.
    Noise(f64),
}

/// A run but for its seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Form {
    pub(crate) study: Study,
    pub(crate) problem: &'static Benchmark,
    pub(crate) method: MethodId,
    pub(crate) variant: Variant,
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) form: Form,
    pub(crate) seed: u64,
}

impl Study {
    pub(crate) const ALL: [Self; 4] = [Self::Main, Self::Beta, Self::Gain, Self::Noise];

    pub(crate) fn name(self) -> &'static str {
        STUDIES[self as usize]
    }
}

impl MethodId {
    /// In the order of the paper's table.
    pub(crate) const ALL: [Self; 6] =
        [Self::Adam, Self::AdamFlip, Self::Fl, Self::Al, Self::TrSqp, Self::Best];

    pub(crate) fn name(self) -> &'static str {
        METHODS[self as usize]
    }

    /// The method, unless it is that of the file.
    pub(crate) fn method(self) -> Option<Method> {
        Method::named(self.name())
    }
}

impl Variant {
    /// Its part of the name of a run.
    pub(crate) fn name(self) -> Option<String> {
        match self {
            Self::Plain => None,
            Self::Betas(first, second) => Some(format!("{first}-{second}")),
            Self::Gain(number) | Self::Noise(number) => Some(number.to_string()),
        }
    }
}

impl Form {
    /// `main-heat_forward-adam`.
    pub(crate) fn name(&self) -> String {
        let parts = [self.study.name(), self.problem.name, self.method.name()].map(str::to_owned);
        parts.into_iter().chain(self.variant.name()).collect::<Vec<_>>().join("-")
    }
}

impl Cell {
    /// The name of its run and of its result.
    pub(crate) fn name(&self) -> String {
        format!("{}-{}", self.form.name(), self.seed)
    }

    /// What is done early: of the first seed what matters most, then all else, then what has to have several
    /// seeds.
    pub(crate) fn tier(&self, first: u64) -> u32 {
        let matters = matches!(self.form.method, MethodId::Best | MethodId::AdamFlip | MethodId::Adam);
        match (self.form.study, self.seed == first) {
            (Study::Main, true) if matters => 0,
            (Study::Main, true) => 1,
            (_, true) => 2,
            (Study::Main, false) if matters => 3,
            (Study::Main, false) => 5,
            (_, false) => 4,
        }
    }
}

/// The problem of a name.
pub(crate) fn benchmark(name: &str) -> Option<&'static Benchmark> {
    BENCHMARKS.iter().find(|benchmark| benchmark.name == name)
}
