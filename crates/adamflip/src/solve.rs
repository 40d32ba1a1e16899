//! From a problem to its solution in one call. The only place of the library that reads a clock: a budget of
//! time (`max_seconds`) is kept here, and by whoever drives a [`Trainer`] of their own.

use std::time::Instant;

use crate::error::Error;
use crate::problem::Problem;
use crate::solution::Solution;
use crate::train::{Progress, Share, Signal, Trainer};

/// What a solve may use. The rest is in the problem.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolveOptions {
    /// The seed of points and initial parameters, where it is not the problem's own.
    pub seed: Option<u64>,
    /// Seconds at the most, where it is not the problem's own `max_seconds`.
    pub seconds: Option<f64>,
    /// Threads, where it is not the current pool of rayon. The bits of the result do not depend on it.
    pub threads: Option<usize>,
}

impl Problem {
    /// Solves the problem with its own plan, seed and time, on the current threads.
    ///
    /// ```
    /// use adamflip::{Problem, Term};
    /// let problem = Problem::builder(["u"])
    ///     .coordinate("x", [0, 1])
    ///     .term(Term::new("ode", "u_x = -2*u").points(32))
    ///     .term(Term::new("start", "u = 1").on("x = 0"))
    ///     .reference("u", "exp(-2*x)")
    ///     .set(&["network", "hidden"], "2x8")
    ///     .set(&["train", "accuracy"], 1e-4)
    ///     .build()?;
    /// let solution = problem.solve()?;
    /// assert!(solution.errors()?[0].relative_l2 < 1e-3);
    /// let slope = solution.evaluate("u_x", &[[0.5]])?[0];
    /// assert!((slope + 2.0 * f64::exp(-1.0)).abs() < 1e-2);
    /// println!("{}", solution.certificate());
    /// # Ok::<(), adamflip::Error>(())
    /// ```
    pub fn solve(&self) -> Result<Solution, Error> {
        self.solve_with(SolveOptions::default(), |_| Signal::Continue)
    }

    /// Solves the problem; after every step `watch` sees what it did and says whether to go on.
    pub fn solve_with(
        &self,
        options: SolveOptions,
        watch: impl FnMut(&Progress<'_>) -> Signal + Send,
    ) -> Result<Solution, Error> {
        let work = || {
            let mut trainer = self.trainer(options.seed.unwrap_or(self.train.seed))?;
            run(&mut trainer, options.seconds.or(self.train.max_seconds), watch);
            Ok(Solution::of(&trainer))
        };
        match options.threads {
            Some(threads) => rayon::ThreadPoolBuilder::new().num_threads(threads).build()?.install(work),
            None => work(),
        }
    }

    /// A trainer of the problem's own plan, to be driven step by step ([`Trainer::advance`]) or as a whole
    /// ([`Trainer::run`]).
    pub fn trainer(&self, seed: u64) -> Result<Trainer, Error> {
        Ok(Trainer::new(self.clone(), seed, self.stages.clone())?)
    }
}

/// Trains to the end of the plan, of the time, or until `watch` says otherwise.
fn run(trainer: &mut Trainer, seconds: Option<f64>, mut watch: impl FnMut(&Progress<'_>) -> Signal) {
    let start = Instant::now();
    let mut part: Option<(Share, f64)> = None;
    trainer.run(&mut |progress| {
        let signal = watch(progress);
        let (Signal::Continue, Some(most)) = (signal, seconds) else { return signal };
        let now = start.elapsed().as_secs_f64();
        if part.map(|(share, _)| share) != progress.share {
            part = progress.share.map(|share| (share, now + share.of * (most - now)));
        }
        match part {
            _ if now >= most => Signal::TimeUp,
            Some((_, end)) if now >= end => Signal::ShareUp,
            _ => Signal::Continue,
        }
    });
}
