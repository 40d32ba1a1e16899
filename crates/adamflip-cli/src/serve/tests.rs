use super::request::{Request, RequestError, parse};

fn asked(first: &str, headers: &str) -> Result<Request, RequestError> {
    parse(format!("{first}{headers}").as_bytes())
}

const HOST: &str = "\r\nHost: 127.0.0.1:8790";

#[test]
fn requests_of_browsers_are_understood() {
    let request = |path: &str, bodiless| Ok(Request { path: path.into(), bodiless });
    assert_eq!(asked("GET / HTTP/1.1", HOST), request("/", false));
    assert_eq!(asked("HEAD /state.json HTTP/1.1", HOST), request("/state.json", true));
    let more = format!("{HOST}\r\nUser-Agent: a:b\r\nAccept: */*");
    assert_eq!(asked("GET /solution.svg?12-3 HTTP/1.0", &more), request("/solution.svg", false));
}

#[test]
fn only_names_of_this_machine_are_answered() {
    for host in ["127.0.0.1", "localhost", "LocalHost:80", "[::1]", "[::1]:8790", "127.0.0.1:1"] {
        assert!(asked("GET / HTTP/1.1", &format!("\r\nhost:  {host} ")).is_ok(), "{host}");
    }
    for host in [
        "evil.example",
        "evil.example:8790",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8790",
        "localhost:evil",
        "::1",
        "",
        ":8790",
    ] {
        assert_eq!(asked("GET / HTTP/1.1", &format!("\r\nHost: {host}")), Err(RequestError::Host), "{host}");
    }
}

#[test]
fn everything_else_is_refused() {
    for first in [
        "",
        "GET",
        "GET /",
        "GET  / HTTP/1.1",
        "GET / HTTP/1.1 ",
        "GET http://localhost/ HTTP/1.1",
        "GET / FTP/1",
    ] {
        assert!(matches!(asked(first, HOST), Err(RequestError::Malformed(_))), "{first}");
    }
    for headers in [
        "",
        "\r\nHost",
        "\r\nHost: localhost\r\nHost: localhost",
        "\r\nHost: localhost\r\n folded: x",
        "\r\n: x",
    ] {
        assert!(matches!(asked("GET / HTTP/1.1", headers), Err(RequestError::Malformed(_))), "{headers}");
    }
    assert_eq!(asked("GET / HTTP/2", HOST), Err(RequestError::Version));
    assert_eq!(asked("POST / HTTP/1.1", HOST), Err(RequestError::Method));
    assert!(parse(b"GET /\xff HTTP/1.1\r\nHost: localhost").is_err());
}

#[test]
fn no_bytes_make_it_panic() {
    let whole = b"GET /state.json?x HTTP/1.1\r\nHost: [::1]:8790\r\nAccept: a";
    for place in 0..whole.len() {
        let _ = parse(&whole[..place]);
        for byte in 0..=255 {
            let mut changed = whole.to_vec();
            changed[place] = byte;
            let _ = parse(&changed);
        }
    }
}
