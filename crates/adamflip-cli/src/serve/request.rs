//! What a browser asks for (RFC 9112), and what is refused.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::Instant;

/// The most bytes of a request; browsers need some hundred.
const MOST: usize = 8 << 10;

/// A request that is understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// Without what follows `?`.
    pub(super) path: String,
    /// Only the head of the answer is wanted.
    pub(super) bodiless: bool,
}

/// Why a request has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestError {
    /// It is not HTTP.
    Malformed(&'static str),
    /// Neither GET nor HEAD.
    Method,
    /// Not version 1.
    Version,
    /// A name that is not this machine: a page from elsewhere made its name point here (DNS rebinding).
    Host,
    TooLong,
    TooSlow,
    /// The browser went away.
    Gone,
}

/// Reads up to the empty line that ends the head.
pub(super) fn head(mut stream: &TcpStream, deadline: Instant) -> Result<Vec<u8>, RequestError> {
    let mut head = Vec::new();
    let mut part = [0; 1024];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(RequestError::TooSlow);
        }
        // A timeout that cannot be set is none: the deadline still holds after each part.
        let _ = stream.set_read_timeout(Some(left));
        match stream.read(&mut part) {
            Ok(0) => return Err(RequestError::Gone),
            Ok(size) => head.extend_from_slice(&part[..size]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return Err(RequestError::Gone),
        }
        if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            head.truncate(end);
            return Ok(head);
        }
        if head.len() > MOST {
            return Err(RequestError::TooLong);
        }
    }
}

/// Understands a head.
pub(super) fn parse(head: &[u8]) -> Result<Request, RequestError> {
    let text = std::str::from_utf8(head).map_err(|_| RequestError::Malformed("it is not text"))?;
    let mut lines = text.split("\r\n");
    let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, version] = words[..] else {
        return Err(RequestError::Malformed("the first line is not `METHOD TARGET VERSION`"));
    };
    let target_is_path = target.starts_with('/') && target.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_token(method) {
        return Err(RequestError::Malformed("the method is not a word"));
    } else if !target_is_path {
        return Err(RequestError::Malformed("the target is not a path"));
    } else if !version.starts_with("HTTP/") {
        return Err(RequestError::Malformed("the version is not one of HTTP"));
    } else if !matches!(version, "HTTP/1.0" | "HTTP/1.1") {
        return Err(RequestError::Version);
    }
    let mut hosts = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(RequestError::Malformed("a header has no colon"))?;
        if !is_token(name) {
            return Err(RequestError::Malformed("the name of a header is not a word"));
        }
        if name.eq_ignore_ascii_case("host") {
            hosts.push(value.trim());
        }
    }
    match hosts[..] {
        [host] if is_loopback(host) => {}
        [_] => return Err(RequestError::Host),
        _ => return Err(RequestError::Malformed("there is not one `Host`")),
    }
    let path = target.split('?').next().unwrap_or_default().to_owned();
    match method {
        "GET" => Ok(Request { path, bodiless: false }),
        "HEAD" => Ok(Request { path, bodiless: true }),
        _ => Err(RequestError::Method),
    }
}

/// Is it a name of this machine, with any port: a tunnel may end at another.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() => name,
        _ => host,
    };
    ["127.0.0.1", "[::1]"].contains(&name) || name.eq_ignore_ascii_case("localhost")
}

fn is_token(word: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !word.is_empty() && word.bytes().all(legal)
}
