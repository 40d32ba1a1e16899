//! The steady-state step allocates nothing: a binary of its own, because it counts every allocation of the
//! process.

#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use adamflip::optim::{ConstrainedProblem, Method};
use adamflip::train::{Signal, Trainer};
use adamflip::{problem, spec};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const THREADS: usize = 2;

#[test]
fn steps_do_not_allocate() {
    let text = include_str!("../../../problems/burgers_forward.toml");
    // A step of Gauss–Newton is a hundred milliseconds of products of matrices: its few lists are nothing
    // beside them.
    let curved = |name: &str| Method::named(name).is_some_and(|method| method.uses_curvature());
    for name in Method::NAMES.into_iter().filter(|name| !curved(name)) {
        let stage = format!("train.stages=[{{method=\"{name}\",steps=40}}]");
        let overrides = spec::Overrides {
            profile: None,
            set: vec![stage, "term.pde.points=500".into(), "train.resample=0".into()],
        };
        let problem = problem::build(spec::parse("burgers.toml", text, &overrides)).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().unwrap();
        pool.install(|| {
            let stages = problem.stages.clone();
            let mut trainer = Trainer::new(problem, 0, stages).unwrap();
            assert!(trainer.objective().parameters() > 0);
            let mut counts = Vec::with_capacity(64);
            trainer.run(&mut |_| {
                counts.push(ALLOCATIONS.load(Ordering::Relaxed));
                Signal::Continue
            });
            // The first steps may still grow the thread pool's own queues, and on a busy machine a thread may
            // come to its first product of matrices, for which the linear-algebra crate keeps a buffer a
            // thread, only later.
            let later = counts[39] - counts[10];
            assert!(later <= THREADS, "{name}: {later} allocations in 29 steps after the tenth");
        });
    }
}
