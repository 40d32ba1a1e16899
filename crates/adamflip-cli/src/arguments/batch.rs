//! The arguments of commands that solve one problem many times.

use std::path::PathBuf;

use adamflip::optim::Method;
use adamflip_run::batch::{BatchChoices, Launch, PLAN, Program, Scope};
use adamflip_run::table;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::{Shares, jobs, method, threads};
use crate::invocation::command_line;

pub(super) const COMPARE_EXAMPLES: &str = "\
Examples:
  adamflip compare problems/burgers_forward.toml
  adamflip compare heat.toml --methods adam,al,adamflip --seeds 0,1,2 --steps 5000
  adamflip compare heat.toml --methods plan --settings base: --settings wide:network.hidden=2x64
  adamflip compare heat.toml --format latex > table.tex

`plan` is the file's own stages; the other methods train in one stage each, as with `solve --method`. A setting is a \
name, `:` and overrides; `base:` is the file as it is. Each run is solved on one thread, as many at once as there are \
cores, unless --threads and --jobs say otherwise.

The folder holds the runs (runs/), what each said (logs/), table.txt, table.csv, table.md, table.tex and errors.svg. \
Numbers are mean ± standard deviation over the seeds.

Many processes can solve one batch, on one machine or on several with one file system: each takes a share of the runs with \
--shard K/N (in a Slurm array without a word), and --collect makes the tables. `adamflip slurm compare …` prints a batch script.

After Ctrl-C or a crash the same command goes on: runs that have ended are kept. Exit code 1 if a run failed; \
tolerances that are missed are results, not failures.";

pub(super) const SWEEP_EXAMPLES: &str = "\
Examples:
  adamflip sweep heat.toml --over network.hidden=2x16,3x32 --over term.pde.points=200,400
  adamflip sweep heat.toml --over 'train.stages[0].lr=1e-5..1e-2' --random 20
  adamflip sweep oven.toml --over term.data.points=50,100 --seeds 0,1,2 --metric error.kappa

Lists are tried in all combinations; with --random, that many are drawn. A range is drawn evenly, or evenly in its \
logarithm where its ends are positive and at least a factor of 100 apart or it is written log:1..50; between whole \
numbers only whole numbers are drawn.

Metrics: rel_l2 (the mean over the fields), rel_l2.FIELD, violation (the largest root mean square of a constraint), \
mse.TERM, max.TERM, error.UNKNOWN, seconds.

Many processes can solve one batch, on one machine or on several with one file system: each takes a share of the runs with \
--shard K/N (in a Slurm array without a word), and --collect makes the tables. `adamflip slurm sweep …` prints a batch script.

The folder holds the runs (runs/), what each said (logs/), the table, best first (table.txt, table.csv, table.md, \
table.tex), and results.csv with one row a run. After Ctrl-C or a crash the same command goes on. Exit code 1 if a run \
failed; tolerances that are missed are results, not failures.";

#[derive(Debug, Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) batch: Batch,

    /// The methods; `plan` is the file's own stages [default: plan,adam,adamflip]
    #[arg(long, alias = "method", value_name = "A,B", value_delimiter = ',', value_parser = methods())]
    pub(crate) methods: Vec<String>,

    /// A named change of the file, for every method (repeatable)
    #[arg(long, value_name = "NAME:KEY=VALUE,…")]
    pub(crate) settings: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Sweep {
    #[command(flatten)]
    pub(crate) batch: Batch,

    /// A key of the file and the values to try: a list, or with --random also a range (repeatable)
    #[arg(long, value_name = "KEY=A,B,…|LO..HI", required = true)]
    pub(crate) over: Vec<String>,

    /// Draw this many combinations instead of trying all
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) random: Option<u32>,

    /// The seed of what --random draws
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 0)]
    pub(crate) draw_seed: u64,

    /// What is best [default: rel_l2 if there is a reference, else violation]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,

    /// Train in one stage of this method: all the steps of the file, with those settings of its last stage
    /// that mean the same (a file without stages: 300 steps of gauss_newton and newtonflip, 12,000 of the
    /// others)
    #[arg(long, value_name = "M", value_parser = method())]
    pub(crate) method: Option<Method>,
}

/// What `compare` and `sweep` share.
#[derive(Debug, Args)]
pub(crate) struct Batch {
    /// The problem file
    pub(crate) file: PathBuf,

    /// The seeds of each run [default: that of the file, or 0]
    #[arg(long, alias = "seed", value_name = "S,S", value_delimiter = ',')]
    pub(crate) seeds: Vec<u64>,

    /// End each run after this many steps in all
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(0..=1_000_000_000_000))]
    pub(crate) steps: Option<u64>,

    /// Apply the overrides of `[profile.P]` in the file
    #[arg(long, value_name = "P")]
    pub(crate) profile: Option<String>,

    /// Replace a value of the file in all runs (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// The threads of each run
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1, value_parser = threads())]
    pub(crate) threads: u16,

    /// Runs at once [default: as many as there are cores for their threads]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = jobs())]
    pub(crate) jobs: Option<u16>,

    #[command(flatten)]
    pub(crate) shares: Shares,

    /// The folder of all runs [default: runs/compare-NAME or runs/sweep-NAME, with -2, -3, … if it has other
    /// runs]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// How the table is printed
    #[arg(long, value_name = "F", default_value = "text")]
    pub(crate) format: Format,

    /// Print JSON, one object a line, instead of the table and progress
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// The ways to write a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Csv,
    Markdown,
    Latex,
}

impl Batch {
    /// What is solved.
    pub(crate) fn choices(&self) -> BatchChoices {
        BatchChoices {
            file: self.file.clone(),
            seeds: self.seeds.clone(),
            steps: self.steps,
            profile: self.profile.clone(),
            set: self.set.clone(),
        }
    }

    /// Lets a program solve it.
    pub(crate) fn launch<T>(
        &self,
        program: &Program,
        scope: Scope,
        work: impl FnOnce(&Launch<'_>) -> T,
    ) -> T {
        work(&Launch {
            program,
            out: self.out.as_deref(),
            threads: self.threads.into(),
            jobs: self.jobs.map(usize::from),
            scope,
            line: &command_line(),
        })
    }
}

impl From<Format> for table::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Csv => Self::Csv,
            Format::Markdown => Self::Markdown,
            Format::Latex => Self::Latex,
        }
    }
}

fn methods() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(std::iter::once(PLAN).chain(Method::NAMES))
}
