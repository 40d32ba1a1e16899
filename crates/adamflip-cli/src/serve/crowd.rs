//! The connections of the page that only wait for their browser: when there are too many, the oldest of them
//! make room. A browser sends its request at once and so is answered at once; whoever holds a connection
//! without a word, or sends and reads a byte at a time, is sent away by the next who comes.

use std::collections::VecDeque;
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, PoisonError};

/// Connections that may be ended, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Crowd(Mutex<VecDeque<(u64, TcpStream)>>);

impl Crowd {
    /// While `wait` waits for the browser, its connection may be ended; whatever it reads or writes then
    /// fails.
    pub(super) fn patient<T>(&self, number: u64, stream: &TcpStream, wait: impl FnOnce() -> T) -> T {
        // Without a second handle it cannot be ended early; the timeouts hold all the same.
        if let Ok(handle) = stream.try_clone() {
            self.with(|waiting| waiting.push_back((number, handle)));
        }
        let outcome = wait();
        self.with(|waiting| waiting.retain(|(other, _)| *other != number));
        outcome
    }

    /// Ends the connection that has waited longest, if there is one.
    pub(super) fn end_oldest(&self) {
        if let Some((_, stream)) = self.with(VecDeque::pop_front) {
            // One that is closed already is as good.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn with<T>(&self, change: impl FnOnce(&mut VecDeque<(u64, TcpStream)>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_oldest_that_waits_makes_room() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let browsers: Vec<TcpStream> = (0..2).map(|_| TcpStream::connect(address).unwrap()).collect();
        let crowd = Crowd::default();
        let read = |number: u64| {
            let (mut stream, _) = listener.accept().unwrap();
            crowd.patient(number, &stream.try_clone().unwrap(), || stream.read(&mut [0]))
        };
        std::thread::scope(|scope| {
            let waiting = [scope.spawn(|| read(1)), scope.spawn(|| read(2))];
            while crowd.with(|waiting| waiting.len()) < 2 {
                std::thread::yield_now();
            }
            crowd.end_oldest();
            crowd.end_oldest();
            crowd.end_oldest();
            waiting.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap().unwrap_or(0), 0));
        });
        assert_eq!(crowd.with(|waiting| waiting.len()), 0);
        drop(browsers);
    }
}
