//! A web page of a run, for browsers of this machine: `--serve` of the commands that train, and of `watch`.
//!
//! Everything comes from the run folder, so it is the same page whoever trains. A thread accepts, each
//! connection has one of its own and one answer, and there are at most 32; training never waits for any of
//! them.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `request` | what a browser asks for, and what is refused |
//! | `answer` | what is sent back |
//! | `crowd` | the connections that wait, of which the oldest make room for new ones |
//! | `shared` | what the connections share: the run, its picture, who looked last |
//! | `state` | the run in numbers, as JSON |
//! | `picture` | the solution at the newest checkpoint |
//! | `page.html`, `page.css`, `chart.js`, `page.js` | the page |

mod answer;
mod crowd;
mod picture;
mod request;
mod shared;
mod state;
#[cfg(test)]
mod tests;

use std::io::{ErrorKind, Read};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output;
use answer::Answer;
use shared::{Guest, Shared};

/// The most connections at a time; a browser has six.
const MOST: usize = 32;
/// How long a new connection waits for an old one to make room.
const ROOM: Duration = Duration::from_millis(100);
/// The time for a request to arrive, and for a part of an answer to leave.
const PATIENCE: Duration = Duration::from_secs(5);

/// A port that is ours, before there is a run to show.
#[derive(Debug)]
pub(crate) struct Listener {
    listener: TcpListener,
    port: u16,
}

/// Takes the port, if one is wanted; only this machine can reach it.
pub(crate) fn bind(port: Option<u16>) -> Result<Option<Listener>, Failure> {
    let Some(port) = port else { return Ok(None) };
    let failed = |error: std::io::Error| {
        let (reason, hint) = match error.kind() {
            ErrorKind::AddrInUse => (
                "it is in use".to_owned(),
                "another run may be shown there; `--serve 0` takes a free port, `--serve PORT` one of your choice",
            ),
            ErrorKind::PermissionDenied => (
                "that is not permitted".to_owned(),
                "choose a port from 1024 on, or `--serve 0` for a free one",
            ),
            _ => (error.to_string(), "choose another port, or `--serve 0` for a free one"),
        };
        Failure::input(format!("cannot show a page on port {port}: {reason}"), hint)
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    Ok(Some(Listener { listener, port }))
}

impl Listener {
    /// Shows the run in a folder from now on, and says where.
    pub(crate) fn start(self, run: &Path) -> Server {
        let shared = Arc::new(Shared::new(run));
        let accepting = shared.clone();
        let listener = self.listener;
        let spawned =
            std::thread::Builder::new().name("page".into()).spawn(move || accept(&listener, &accepting));
        match spawned {
            Ok(_) => output::say(&format!("live page: http://127.0.0.1:{}/", self.port)),
            Err(error) => output::warn(&format!("there is no live page: {error}")),
        }
        Server { shared }
    }
}

/// A page that is being shown. It ends with the program.
pub(crate) struct Server {
    shared: Arc<Shared>,
}

impl Server {
    /// Lets those who look at the page see the end of the run, for a few seconds at most.
    pub(crate) fn close(self, interrupt: &Interrupt) {
        const MOST: Duration = Duration::from_secs(10);
        let raised = interrupt.is_raised();
        self.shared.end();
        let start = Instant::now();
        while self.shared.is_awaited() && start.elapsed() < MOST && interrupt.is_raised() == raised {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Keeps the page until the program is ended.
    pub(crate) fn stay(self) -> ! {
        loop {
            std::thread::park();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Too many open files, say: somebody has to close some first.
            std::thread::sleep(Duration::from_millis(100));
            continue;
        };
        if !make_room(shared) {
            turn_away(stream);
            continue;
        }
        let guest = shared.clone().enter();
        // Where no thread can be had, the browser asks again.
        let _ = std::thread::Builder::new().name("guest".into()).spawn(move || {
            let answer = converse(&stream, &guest);
            guest.crowd.patient(guest.number(), &stream, || send(&stream, &answer));
        });
    }
}

/// Ends connections that wait until there is room for another; there may be none while all are being
/// answered.
fn make_room(shared: &Shared) -> bool {
    let start = Instant::now();
    while shared.guests() >= MOST {
        if start.elapsed() > ROOM {
            return false;
        }
        shared.crowd.end_oldest();
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Tells without a thread and without waiting that there is no room.
fn turn_away(mut stream: TcpStream) {
    if stream.set_nonblocking(true).is_ok() {
        // An answer of some hundred bytes fits into the buffer of a new connection.
        let _ = Answer::crowded().write(&mut stream);
    }
}

/// Reads a request and finds its answer.
fn converse(stream: &TcpStream, guest: &Guest) -> Answer {
    let deadline = Instant::now() + PATIENCE;
    let head = guest.crowd.patient(guest.number(), stream, || request::head(stream, deadline));
    let shared: &Shared = guest;
    match head.and_then(|head| request::parse(&head)) {
        Ok(request) if request.bodiless => shared.answer(&request.path).head(),
        Ok(request) => shared.answer(&request.path),
        Err(refusal) => Answer::refused(refusal),
    }
}

/// Sends an answer; a browser that went away is no matter.
fn send(mut stream: &TcpStream, answer: &Answer) {
    let _ = stream.set_write_timeout(Some(PATIENCE));
    if answer.write(&mut stream).is_err() {
        return;
    }
    let _ = stream.shutdown(Shutdown::Write);
    // What was sent but not read would make the system drop the answer on its way.
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    let mut rest = [0; 4096];
    for _ in 0..16 {
        match stream.read(&mut rest) {
            Ok(1..) => {}
            _ => break,
        }
    }
}
