//! The arguments of `reproduce`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use super::{Shares, jobs};

pub(super) const EXAMPLES: &str = "\
Examples:
  adamflip reproduce --status
  adamflip reproduce
  adamflip reproduce heat_forward burgers_inverse --methods adam,adamflip,best --seeds 0
  adamflip reproduce --studies beta,gain --jobs 1
  adamflip reproduce --tables

Methods: adam, adamflip, fl, al and trsqp solve a problem with the settings of the paper (`[profile.paper]` of its file): the \
same network, points, seed, warm start and steps for all, but for trsqp the time that adamflip took, with conditions of more \
than 1,000 residuals met in their mean square. best is the file \
as it is shipped.

Studies: main (all problems by all methods), beta and gain (adamflip on heat_forward for the paper's moments and gains, a third of the steps), noise \
(inverse problems with 0, 1 and 5% of noise, by adamflip and best).

Each result is kept as one small file in the folder of results, and what is kept is never solved again, so that the \
tables can grow over several sessions. Beside the results stand tables.txt, tables.md, tables.tex, tables.csv, runs.csv \
(every run with its numbers and command), index.html, figures/ and planes/, what figures show of each method. With --shard K/N several processes \
share the runs of one folder, and --collect makes the tables. After Ctrl-C or a crash the same command goes on. Exit code 1 if a run broke.";

/// The settings of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    Paper,
    Quick,
}

impl From<Profile> for adamflip_paper::Profile {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Paper => Self::Paper,
            Profile::Quick => Self::Quick,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Reproduce {
    /// The problems [default: all seven]
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(adamflip_paper::PROBLEMS))]
    pub(crate) names: Vec<String>,

    /// The methods [default: all]
    #[arg(long, alias = "method", value_name = "A,B", value_delimiter = ',')]
    #[arg(value_parser = PossibleValuesParser::new(adamflip_paper::METHODS))]
    pub(crate) methods: Vec<String>,

    /// The seeds; all methods have the first before any has the next
    #[arg(long, alias = "seed", value_name = "S,S", value_delimiter = ',', default_value = "0,1,2")]
    pub(crate) seeds: Vec<u64>,

    /// The studies [default: all]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    #[arg(value_parser = PossibleValuesParser::new(adamflip_paper::STUDIES))]
    pub(crate) studies: Vec<String>,

    /// The settings of the paper, or ones that take seconds, to see that all of it works
    #[arg(long, value_name = "P", default_value = "paper")]
    pub(crate) profile: Profile,

    /// The folder of the problem files
    #[arg(long, value_name = "DIR", default_value = "problems")]
    pub(crate) problems: PathBuf,

    /// The folder of the runs [default: runs/reproduce, or runs/reproduce-quick]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// The folder of results, tables and figures [default: results/reproduce, or
    /// runs/reproduce-quick/results]
    #[arg(long, value_name = "DIR")]
    pub(crate) results: Option<PathBuf>,

    /// Runs at once; all cores are shared among them [default: one for each core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = jobs())]
    pub(crate) jobs: Option<u16>,

    #[command(flatten)]
    pub(crate) shares: Shares,

    /// Show how far it is, and end
    #[arg(long, conflicts_with_all = ["tables", "again", "collect", "shard"])]
    pub(crate) status: bool,

    /// Make tables and figures of the results that are there, and end; the same as --collect
    #[arg(long, conflicts_with_all = ["again", "shard"])]
    pub(crate) tables: bool,

    /// Solve again what has results, which are replaced
    #[arg(long)]
    pub(crate) again: bool,

    /// Print JSON, one object a line, instead of tables and progress
    #[arg(long)]
    pub(crate) json: bool,
}
