//! Ranks of MPI: whether this process is one of several, and how it begins and ends as one.
//!
//! A program that was not started by `mpirun` or `srun` never talks to MPI, nor does a single rank.

use std::time::Duration;

use adamflip::ranks::Ranks;
use adamflip_run::batch::PARENT_DEATH_PIPE;
use adamflip_run::text_digest;

use crate::failure::Failure;
#[cfg(feature = "mpi")]
use crate::mpi::World;

/// Where launchers say the number of a rank and how many there are: Open MPI, MPICH and its kin, the steps of
/// Slurm.
const LAUNCHERS: [[&str; 2]; 3] = [
    ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"],
    ["PMI_RANK", "PMI_SIZE"],
    ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS"],
];

/// This process as a rank.
pub(crate) struct Launch {
    ranks: Ranks,
    #[cfg(feature = "mpi")]
    world: Option<World>,
}

impl Launch {
    /// Meets the other ranks, where there are any. A rank that waits longer than `limit` for the others ends
    /// all.
    #[cfg(feature = "mpi")]
    pub(crate) fn begin(limit: Duration) -> Result<Self, Failure> {
        let Some((_, size)) = launched() else { return Ok(Self { ranks: Ranks::default(), world: None }) };
        let world = World::begin(size, limit)?;
        if world.rank() > 0 {
            // Rank 0 tells.
            log::set_max_level(log::LevelFilter::Off);
        }
        Ok(Self { ranks: world.ranks(), world: Some(world) })
    }

    /// Refuses to be one of several ranks that would all do the same.
    #[cfg(not(feature = "mpi"))]
    pub(crate) fn begin(_: Duration) -> Result<Self, Failure> {
        let Some((rank, size)) = launched() else { return Ok(Self { ranks: Ranks::default() }) };
        let hint = "build it with `--features mpi` (docs/scale.md says what that needs); many runs at once are shares \
                    of a batch, `adamflip sweep … --shard K/N`";
        let message = format!("it was started as one of {size} ranks, but built without MPI");
        let failure = Failure::input(message, hint);
        Err(if rank == 0 { failure } else { Failure { text: String::new(), ..failure } })
    }

    /// Those who train together; this process alone where it was not started as one of several.
    pub(crate) fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// The threads of this rank: as many as are asked for, or its part of the cores that it shares with other
    /// ranks.
    pub(crate) fn threads(&self, asked: Option<u16>) -> Option<u16> {
        if self.ranks.is_alone() {
            return asked;
        }
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let status = read("/proc/self/status");
        let cores = status.lines().find(|line| line.starts_with("Cpus_allowed_list")).unwrap_or_default();
        let own = [text_digest(&read("/proc/sys/kernel/hostname")), text_digest(cores)];
        let sharing = self.ranks.gather(&own).chunks_exact(2).filter(|other| **other == own).count();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        asked.or(u16::try_from((cores / sharing).max(1)).ok())
    }

    /// Ends as a rank. An error of which the others do not know ends them too. Where all know, rank 0 alone
    /// ends with the code: `mpirun` kills the others as soon as one has failed, and may lose what they said.
    #[cfg_attr(
        not(feature = "mpi"),
        expect(clippy::unused_self, reason = "a process alone has nobody to tell")
    )]
    pub(crate) fn end(self, outcome: Result<u8, Failure>) -> Result<u8, Failure> {
        #[cfg(feature = "mpi")]
        if let Some(world) = &self.world {
            if let Err(failure) = &outcome {
                crate::mpi::tell(failure);
                if !self.ranks.have_parted() {
                    world.abort(failure.code);
                }
                self.ranks.meet();
            }
            return match outcome {
                _ if world.rank() > 0 => Ok(0),
                Err(failure) => Err(Failure { text: String::new(), ..failure }),
                code => code,
            };
        }
        outcome
    }
}

/// The number of this rank and how many there are, where there are several. The child of a batch is none,
/// whatever its parent is.
fn launched() -> Option<(usize, usize)> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<usize>().ok();
    let of = |[rank, size]: [&str; 2]| Some((number(rank)?, number(size)?)).filter(|(_, size)| *size > 1);
    if std::env::var_os(PARENT_DEATH_PIPE).is_some() {
        return None;
    }
    LAUNCHERS.into_iter().find_map(of)
}
