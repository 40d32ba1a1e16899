//! The solution at the newest checkpoint of a run, drawn on a thread of its own so that training keeps its
//! threads.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use adamflip::certificate::State;
use adamflip::{evaluate, report};
use adamflip_run::CHECKPOINT;
use rayon::ThreadPool;

use crate::failure::Failure;

/// The next picture waits for this many times as long as the last one took: a twentieth of one core goes to
/// them.
const REST: u32 = 20;

/// The last picture that was drawn.
#[derive(Default)]
pub(super) struct Picture {
    pool: Option<ThreadPool>,
    drawn: Option<Drawn>,
}

struct Drawn {
    tag: String,
    svg: Result<Arc<str>, String>,
    cost: Duration,
    at: Instant,
}

/// A mark of the newest checkpoint, another for each; none where there is none.
pub(super) fn tag(run: &Path) -> Option<String> {
    let metadata = std::fs::metadata(run.join(CHECKPOINT)).ok()?;
    let time = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}-{}", time.as_nanos(), metadata.len()))
}

impl Picture {
    /// The picture of the newest checkpoint, or for a while the one before; the last one of a run at once.
    pub(super) fn draw(&mut self, run: &Path, last: bool) -> Option<Result<Arc<str>, String>> {
        let tag = tag(run)?;
        if let Some(drawn) = &self.drawn {
            let rests = drawn.at.elapsed() < drawn.cost * REST && !last;
            if drawn.tag == tag || rests {
                return Some(drawn.svg.clone());
            }
        }
        let start = Instant::now();
        let svg = self.pool().and_then(|pool| pool.install(|| solution(run)));
        self.drawn = Some(Drawn { tag, svg: svg.clone(), cost: start.elapsed(), at: Instant::now() });
        Some(svg)
    }

    fn pool(&mut self) -> Result<&ThreadPool, String> {
        match &mut self.pool {
            Some(pool) => Ok(pool),
            place => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
                Ok(place.insert(pool.map_err(|error| format!("cannot start a thread: {error}"))?))
            }
        }
    }
}

fn solution(run: &Path) -> Result<Arc<str>, String> {
    let plain = |failure: Failure| console::strip_ansi_codes(&failure.text).into_owned();
    let solution = adamflip_run::open(run).map_err(|error| plain(error.into()))?;
    let State { problem, model, θ, .. } = solution.state();
    let errors = evaluate::errors(problem, model, θ).map_err(|error| error.to_string())?;
    let svg = report::solution(problem, model, θ, &errors).map_err(|error| error.to_string())?;
    Ok(svg.into())
}
