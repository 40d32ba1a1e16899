//! What the connections share: the run, its picture, and who looked last.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::answer::Answer;
use super::crowd::Crowd;
use super::picture::{self, Picture};
use super::state;
use crate::failure::Failure;
use crate::watch::Watched;

/// Somebody who asked for the state within this time still looks at the page, which asks every second.
const RECENT: Duration = Duration::from_secs(4);
/// After the last state, a page asks for the last picture within this time.
const FAREWELL: Duration = Duration::from_secs(1);

/// The run that is shown.
pub(super) struct Shared {
    run: PathBuf,
    /// Opened by the first who asks.
    watched: Mutex<Option<Watched>>,
    picture: Mutex<Picture>,
    /// Training ended, though this process still holds the lock.
    ended: AtomicBool,
    guests: AtomicUsize,
    /// How many there ever were.
    entered: AtomicU64,
    /// Those that only wait.
    pub(super) crowd: Crowd,
    /// When the state was last asked for, and whether that was after the end.
    asked: Mutex<Option<(Instant, bool)>>,
}

/// A connection, counted while it lives.
pub(super) struct Guest {
    shared: Arc<Shared>,
    number: u64,
}

impl Shared {
    pub(super) fn new(run: &Path) -> Self {
        Self {
            run: run.into(),
            watched: Mutex::default(),
            picture: Mutex::default(),
            ended: AtomicBool::new(false),
            guests: AtomicUsize::new(0),
            entered: AtomicU64::new(0),
            crowd: Crowd::default(),
            asked: Mutex::default(),
        }
    }

    pub(super) fn enter(self: Arc<Self>) -> Guest {
        self.guests.fetch_add(1, Ordering::AcqRel);
        let number = self.entered.fetch_add(1, Ordering::Relaxed);
        Guest { shared: self, number }
    }

    /// How many connections there are.
    pub(super) fn guests(&self) -> usize {
        self.guests.load(Ordering::Acquire)
    }

    /// The answer to a path.
    pub(super) fn answer(&self, path: &str) -> Answer {
        match path {
            "/" => Answer::html(include_str!("page.html")),
            "/page.css" => Answer::style(include_str!("page.css")),
            "/page.js" => Answer::script(include_str!("page.js")),
            "/chart.js" => Answer::script(include_str!("chart.js")),
            "/icon.svg" => Answer::svg(include_str!("icon.svg")),
            "/state.json" => self.state().map_or_else(|failure| failed(&failure), Answer::json),
            "/solution.svg" => self.solution(),
            _ => Answer::absent("there is no such page"),
        }
    }

    fn state(&self) -> Result<String, Failure> {
        let ended = self.ended.load(Ordering::Acquire);
        let mut place = lock(&self.watched);
        let watched = match place.as_mut() {
            Some(watched) => watched,
            None => place.insert(Watched::open(&self.run)?),
        };
        watched.refresh()?;
        let condition = if ended { watched.outcome() } else { watched.condition.clone() };
        let text = state::json(watched, &condition, picture::tag(&self.run));
        *lock(&self.asked) = Some((Instant::now(), ended));
        Ok(text)
    }

    fn solution(&self) -> Answer {
        let ended = self.ended.load(Ordering::Acquire);
        match lock(&self.picture).draw(&self.run, ended) {
            Some(Ok(svg)) => Answer::svg(&svg),
            Some(Err(reason)) => Answer::failed(&reason),
            None => Answer::absent("there is no checkpoint yet"),
        }
    }

    /// Training has ended and all files are written.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Is there a page that has not seen the end yet, or not its picture?
    pub(super) fn is_awaited(&self) -> bool {
        match *lock(&self.asked) {
            None => false,
            Some((asked, false)) => asked.elapsed() < RECENT,
            Some((asked, true)) => asked.elapsed() < FAREWELL || self.guests() > 0,
        }
    }
}

impl Guest {
    /// Another for each connection.
    pub(super) fn number(&self) -> u64 {
        self.number
    }
}

impl Deref for Guest {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.shared.guests.fetch_sub(1, Ordering::AcqRel);
    }
}

fn failed(failure: &Failure) -> Answer {
    Answer::failed(&console::strip_ansi_codes(&failure.text))
}

/// What is locked here stays whole whatever happened to another connection.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
