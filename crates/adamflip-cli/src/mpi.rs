//! Ranks that talk by MPI, through its collective operations that do not block: so a rank that waits can give
//! its core away, and can tell when the others do not answer.
//!
//! All calls come from one thread at a time (`MPI_THREAD_SERIALIZED`): that of the pool in which a run
//! trains.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adamflip::ranks::{Communicator, Ranks};
use mpi::datatype::{Partition, PartitionMut};
use mpi::environment::{Threading, Universe};
use mpi::request::{Request, Scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, CommunicatorCollectives};
use rustix::fs::{FileType, fstat};
use rustix::io::ioctl_fionread;

use crate::failure::{Failure, NOT_MET};

/// Looks for an answer before a rank lets others have its core, and the time after which it sleeps between
/// looks: a sleep costs 50 µs of latency, which nobody feels after so long.
const LOOKS: u32 = 200;
const AWAKE: Duration = Duration::from_millis(20);
const NAP: Duration = Duration::from_micros(50);
/// The longest that a message waits for its reader.
const HEARD: Duration = Duration::from_secs(5);

/// All ranks, from the first call of MPI to the last.
pub(crate) struct World {
    // Ends MPI when it is dropped.
    _universe: Universe,
    limit: Duration,
}

impl World {
    /// Begins MPI; `size` ranks were started.
    pub(crate) fn begin(size: usize, limit: Duration) -> Result<Self, Failure> {
        let cannot = |message: String| {
            let hint = "start it by the `mpirun` of the MPI that it was built with, or by `srun --mpi=pmix`";
            Failure::input(message, hint)
        };
        let (universe, threading) = ::mpi::initialize_with_threading(Threading::Serialized)
            .ok_or_else(|| cannot("MPI cannot be started".to_owned()))?;
        if threading < Threading::Serialized {
            return Err(cannot("this MPI cannot be called by the threads of a pool".to_owned()));
        }
        let met = usize::try_from(universe.world().size()).unwrap_or(0);
        if met != size {
            return Err(cannot(format!("{size} ranks were started, but MPI knows of {met}")));
        }
        Ok(Self { _universe: universe, limit })
    }

    pub(crate) fn rank(&self) -> i32 {
        SimpleCommunicator::world().rank()
    }

    pub(crate) fn ranks(&self) -> Ranks {
        Ranks::by(Arc::new(Mpi { limit: self.limit }))
    }

    /// Ends all ranks at once.
    pub(crate) fn abort(&self, code: u8) -> ! {
        SimpleCommunicator::world().abort(code.into())
    }
}

/// Says what is wrong, and waits until the launcher has read it: once a rank has ended with an error,
/// `mpirun` may throw away what is still in the pipes.
pub(crate) fn tell(failure: &Failure) {
    failure.tell();
    let stderr = std::io::stderr();
    let is_pipe = fstat(&stderr).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Fifo);
    let start = Instant::now();
    while is_pipe && ioctl_fionread(&stderr).is_ok_and(|unread| unread > 0) && start.elapsed() < HEARD {
        std::thread::sleep(NAP);
    }
}

/// A rank among others.
#[derive(Debug)]
struct Mpi {
    /// How long it waits for them.
    limit: Duration,
}

impl Communicator for Mpi {
    fn rank(&self) -> usize {
        usize::try_from(SimpleCommunicator::world().rank()).unwrap_or(0)
    }

    fn size(&self) -> usize {
        usize::try_from(SimpleCommunicator::world().size()).unwrap_or(1)
    }

    fn gather(&self, own: &[f64], counts: &[usize], all: &mut [f64]) {
        let (counts, starts) = layout(counts);
        let mut all = PartitionMut::new(all, counts, starts);
        scope(|scope| {
            let world = SimpleCommunicator::world();
            wait(world.immediate_all_gather_varcount_into(scope, own, &mut all), Some(self.limit));
        });
    }

    fn exchange(&self, out: &[f64], out_counts: &[usize], into: &mut [f64], into_counts: &[usize]) {
        let (counts, starts) = layout(out_counts);
        let out = Partition::new(out, counts, starts);
        let (counts, starts) = layout(into_counts);
        let mut into = PartitionMut::new(into, counts, starts);
        scope(|scope| {
            let world = SimpleCommunicator::world();
            wait(world.immediate_all_to_all_varcount_into(scope, &out, &mut into), Some(self.limit));
        });
    }

    fn meet(&self) {
        wait(SimpleCommunicator::world().immediate_barrier(), None);
    }
}

/// Counts, and where the parts begin, as MPI has them.
fn layout(counts: &[usize]) -> (Vec<i32>, Vec<i32>) {
    let mut start = 0;
    let part = |&count: &usize| {
        let part = i32::try_from(count).ok().zip(i32::try_from(start).ok());
        start += count;
        part.unwrap_or_else(|| {
            end("more than 16 GB are to be sent at once", "lower `points`, or start more ranks")
        })
    };
    counts.iter().map(part).unzip()
}

/// Waits for the end of an operation.
fn wait<'a, D: ?Sized, S: Scope<'a>>(mut request: Request<'a, D, S>, limit: Option<Duration>) {
    let (mut looks, start) = (0u32, Instant::now());
    loop {
        request = match request.test() {
            Ok(_) => return,
            Err(request) => request,
        };
        looks = looks.saturating_add(1);
        if looks < LOOKS {
            std::hint::spin_loop();
            continue;
        }
        let waited = start.elapsed();
        if limit.is_some_and(|limit| waited >= limit) {
            let message = format!("the other ranks have not answered for {} s", waited.as_secs());
            end(
                &message,
                "has a machine failed? `adamflip resume RUN` goes on from the last state, by any number of ranks",
            );
        }
        if waited < AWAKE { std::thread::yield_now() } else { std::thread::sleep(NAP) }
    }
}

/// Ends all ranks: there is nobody to go on with.
fn end(message: &str, hint: &str) -> ! {
    let world = SimpleCommunicator::world();
    tell(&Failure::run(format!("rank {}: {message}", world.rank()), hint));
    world.abort(NOT_MET.into())
}
