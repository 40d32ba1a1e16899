//! `--serve`: the page as a browser and as a stranger meet it.

mod browser;
mod chromium;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Child;
use std::time::{Duration, Instant};

use super::*;

/// Nothing takes so long on any machine.
const LONGEST: Duration = Duration::from_secs(180);

/// A run that is being shown; it ends with the test.
struct Shown {
    child: Child,
    port: u16,
    said: BufReader<std::process::ChildStderr>,
}

impl Shown {
    /// Starts a command with `--serve 0` and waits for the address.
    fn start(desk: &Desk, arguments: &[&str]) -> Self {
        let mut child = desk.start(&[arguments, &["--serve", "0"]].concat());
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut all = String::new();
        let port = loop {
            let mut line = String::new();
            assert_ne!(said.read_line(&mut line).unwrap(), 0, "{all}");
            if let Some(address) = line.strip_prefix("live page: http://127.0.0.1:") {
                break address.trim_end().trim_end_matches('/').parse().unwrap();
            }
            all += &line;
        };
        Self { child, port, said }
    }

    fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }

    /// What comes back for some bytes.
    fn send(&self, request: &[u8]) -> String {
        self.try_send(request).unwrap()
    }

    fn try_send(&self, request: &[u8]) -> std::io::Result<String> {
        let mut stream = TcpStream::connect(self.address())?;
        stream.set_read_timeout(Some(LONGEST))?;
        stream.write_all(request)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Head and body for a path.
    fn get(&self, path: &str) -> (String, String) {
        self.asked(path).unwrap()
    }

    /// The same; nothing where nobody answers.
    fn asked(&self, path: &str) -> Option<(String, String)> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", self.port);
        let answer = self.try_send(request.as_bytes()).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.to_owned(), body.to_owned()))
    }

    fn state(&self) -> serde_json::Value {
        serde_json::from_str(&self.get("/state.json").1).unwrap()
    }

    /// Asks for the state until it is as wanted.
    fn wait(&self, wanted: impl Fn(&serde_json::Value) -> bool) -> serde_json::Value {
        let start = Instant::now();
        loop {
            let state = self.state();
            if wanted(&state) {
                return state;
            }
            assert!(start.elapsed() < LONGEST, "{state}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    #[cfg(unix)]
    fn interrupt(&self) {
        let sent = std::process::Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Trains until it is ended, with a row of the history some hundred times a second.
#[rustfmt::skip]
const LONG: [&str; 10] = [
    "solve", "bar.toml", "--json", "--steps", "1000000000", "--checkpoint-every", "0.5", "--threads=1",
    "--set", "train.observe=100",
];

#[test]
fn the_page_and_its_parts_are_there() {
    let desk = Desk::new();
    let shown = Shown::start(&desk, &LONG);
    for (path, kind, inside) in [
        ("/", "text/html", "<script src=\"/page.js\" defer>"),
        ("/?again", "text/html", "</html>"),
        ("/page.css", "text/css", "prefers-color-scheme"),
        ("/page.js", "text/javascript", "/state.json"),
        ("/chart.js", "text/javascript", "class Chart"),
        ("/icon.svg", "image/svg+xml", "<svg"),
        ("/state.json", "application/json", "\"title\":\"A bar under its own weight\""),
    ] {
        let (head, body) = shown.get(path);
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{path}: {head}");
        assert!(head.contains(&format!("Content-Type: {kind}")), "{path}: {head}");
        assert!(head.contains(&format!("Content-Length: {}", body.len())), "{path}: {head}");
        assert!(head.contains("Content-Security-Policy: default-src 'none'"), "{path}: {head}");
        assert!(body.contains(inside), "{path}: {body}");
        // Nothing from a network; the name of a format is no address that is opened.
        let elsewhere = body.replace("http://www.w3.org/2000/svg", "");
        assert!(!elsewhere.contains("http://") && !elsewhere.contains("https://"), "{path}");
    }
    let state = shown.wait(|state| state["picture"].is_string() && state["errors"][0]["value"].is_number());
    assert_eq!((&state["condition"], &state["run"]), (&"running".into(), &"runs/bar-0".into()));
    assert_eq!(state["stages"][0]["method"], "adam");
    assert_eq!(state["unknowns"][0]["truth"], 1.0);
    let steps = state["history"]["step"].as_array().unwrap();
    assert!(!steps.is_empty() && steps.len() <= 500);
    assert_eq!(state["history"]["ends_max"].as_array().unwrap().len(), steps.len());
    let (head, body) = shown.get("/solution.svg?1");
    assert!(head.contains("200 OK") && head.contains("image/svg+xml"), "{head}");
    assert!(body.contains("reference") && body.contains("absolute error"));
}

#[test]
fn strangers_get_a_refusal_and_do_no_harm() {
    let desk = Desk::new();
    let shown = Shown::start(&desk, &LONG);
    for (request, status) in [
        ("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"),
        ("GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"),
        ("GET /history.csv HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", "405"),
        ("OPTIONS / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405"),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403"),
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("hello\r\n\r\n", "400"),
        ("\0\u{1}\u{2}\r\n\r\n", "400"),
        ("GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", "505"),
        (&format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(20_000)), "431"),
    ] {
        let answer = shown.send(request.as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request:?}: {answer}");
        assert_eq!(answer.contains("Allow: GET, HEAD"), status == "405", "{answer}");
    }
    let answer = shown.send(b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("\r\n\r\n"), "{answer}");
    // Some go away in the middle; some say nothing and stay, more than there is room for: they make room.
    TcpStream::connect(shown.address()).unwrap().write_all(b"GET / HT").unwrap();
    let silent: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(shown.address()).unwrap()).collect();
    assert!(shown.get("/").0.starts_with("HTTP/1.1 200 "));
    drop(silent);
    let first = shown.wait(|state| state["step"].as_u64() > Some(0))["step"].as_u64();
    shown.wait(|state| state["step"].as_u64() > first);
}

#[test]
fn slow_requests_end_and_others_are_served_meanwhile() {
    let desk = Desk::new();
    let shown = Shown::start(&desk, &LONG);
    let mut slow = TcpStream::connect(shown.address()).unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    assert!(shown.get("/").0.contains("200 OK"));
    slow.set_read_timeout(Some(LONGEST)).unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[test]
fn a_port_in_use_is_told_before_anything_is_made() {
    let desk = Desk::new();
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    assert_eq!(code(&desk.run(&["solve", "bar.toml", "--steps", "1", "--out", "done"])), 0);
    for command in [&["solve", "bar.toml"][..], &["resume", "done"], &["watch", "done"]] {
        let output = desk.run(&[command, &["--serve", &port]].concat());
        let said = stderr(&output);
        assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{said}");
        assert!(said.contains(&format!("cannot show a page on port {port}: it is in use")), "{said}");
        assert!(said.contains("hint:") && said.contains("--serve 0"), "{said}");
    }
    assert_eq!(desk.files("."), ["bar.toml", "done"]);
    for port in ["70000", "bar.toml"] {
        let output = desk.run(&["solve", "--serve", port, "bar.toml"]);
        assert_eq!(code(&output), 2);
        let said = stderr(&output);
        assert!(said.contains("invalid value") && said.contains("0 for any that is free"), "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn only_this_machine_can_reach_it() {
    let desk = Desk::new();
    let shown = Shown::start(&desk, &LONG);
    let tables = ["tcp", "tcp6"]
        .map(|table| std::fs::read_to_string(format!("/proc/net/{table}")).unwrap_or_default());
    let port = format!(":{:04X} ", shown.port);
    // Local address, remote address, state; 0A is listening, 0100007F is 127.0.0.1.
    let listening: Vec<&str> = tables
        .iter()
        .flat_map(|table| table.lines())
        .filter(|line| line.contains(&port) && line.contains(" 0A "))
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    assert_eq!(listening, [format!("0100007F:{:04X}", shown.port)]);
}

#[cfg(unix)]
#[test]
fn who_looks_sees_the_end() {
    let seen = || {
        let desk = Desk::new();
        let mut shown = Shown::start(&desk, &LONG);
        shown.wait(|state| state["step"].as_u64() > Some(100));
        shown.interrupt();
        let end = end_and_picture(&shown);
        assert_eq!(shown.child.wait().unwrap().code(), Some(130));
        end
    };
    // The page stays a second for those who have seen the end: on a busy machine this test may be late.
    let (state, picture) = (0..5).find_map(|_| seen()).expect("the end is shown");
    assert_eq!(
        (&state["status"], &state["resume"]),
        (&"interrupted".into(), &"adamflip resume runs/bar-0".into())
    );
    assert!(picture.contains("200 OK"));
}

/// The last state of a run that ends, and the head of its last picture; none where nobody answers any more.
#[cfg(unix)]
fn end_and_picture(shown: &Shown) -> Option<(serde_json::Value, String)> {
    loop {
        let state: serde_json::Value = serde_json::from_str(&shown.asked("/state.json")?.1).ok()?;
        if state["condition"] == "ended" {
            return Some((state, shown.asked("/solution.svg")?.0));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn nobody_is_waited_for_who_does_not_look() {
    let desk = Desk::new();
    let output = desk.run(&["solve", "bar.toml", "--serve", "0"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("live page: http://127.0.0.1:"));
    // Who looks is given up to ten seconds after all is written.
    let written = desk.path("runs/bar-0/summary.json").metadata().unwrap().modified().unwrap();
    assert!(written.elapsed().unwrap() < Duration::from_secs(8));
}

#[test]
fn the_trust_region_is_among_the_numbers_of_the_page() {
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml", "--method", "newtonflip", "--steps", "20"])), 0);
    let shown = Shown::start(&desk, &["watch", "runs/bar-0"]);
    let history = &shown.state()["history"];
    for column in ["radius", "damping", "penalty", "refused"] {
        let numbers = history[column].as_array().unwrap();
        assert!(numbers.last().is_some_and(|last| last.is_number()), "{column}: {numbers:?}");
    }
    let text = stdout(&desk.run(&["watch", "runs/bar-0", "--once"]));
    assert!(["radius", "damping", "penalty"].iter().all(|name| text.contains(name)), "{text}");
}

#[test]
fn a_finished_run_is_shown_until_control_c() {
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml"])), 0);
    let mut shown = Shown::start(&desk, &["watch", "runs/bar-0"]);
    let state = shown.state();
    assert_eq!((&state["condition"], &state["status"]), (&"ended".into(), &"max_steps".into()));
    assert_eq!((&state["step"], &state["resume"]), (&50.into(), &serde_json::Value::Null));
    let mut line = String::new();
    shown.said.read_line(&mut line).unwrap();
    assert!(line.contains("until Ctrl-C"), "{line}");
    assert!(shown.child.try_wait().unwrap().is_none());
}

/// Connections that say nothing, or a byte now and then, in both directions.
#[cfg(target_os = "linux")]
#[test]
fn two_hundred_idle_connections_keep_nobody_out() {
    let desk = Desk::new();
    let shown = Shown::start(&desk, &LONG);
    shown.wait(|state| state["picture"].is_string());
    let threads = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", shown.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("Threads:")).unwrap().trim().to_owned();
        line.parse::<usize>().unwrap()
    };
    let before = threads();
    let (mut idle, mut waited): (Vec<TcpStream>, Vec<Duration>) = Default::default();
    for number in 0..200 {
        let mut stream = TcpStream::connect(shown.address()).unwrap();
        // A third is silent, a third sends half a request, a third never reads its answer.
        let part: &[u8] =
            [&b""[..], b"GET / HT", b"GET /page.js HTTP/1.1\r\nHost: localhost\r\n\r\n"][number % 3];
        // It may have been sent away already.
        let _ = stream.write_all(part);
        idle.push(stream);
        if number % 10 == 0 {
            idle.iter_mut().for_each(|stream| drop(stream.write_all(b"x")));
            let start = Instant::now();
            assert!(shown.get("/state.json").0.starts_with("HTTP/1.1 200 OK"), "after {number}");
            waited.push(start.elapsed());
            assert!(threads() <= before + 32, "{} threads, {before} before", threads());
        }
    }
    assert!(shown.get("/").0.starts_with("HTTP/1.1 200 OK"));
    // Some milliseconds each. Those who waited for an idle one to be given up would wait five seconds, all of
    // them; a busy machine holds up some.
    waited.sort();
    assert!(waited[waited.len() / 2] < Duration::from_secs(2), "{waited:?}");
}
