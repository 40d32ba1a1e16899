//! A browser to look at pages with: Chromium without a window, driven by its debugging protocol
//! (<https://chromedevtools.github.io/devtools-protocol>) over a WebSocket (RFC 6455) of a few lines.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::LONGEST;

/// A browser with one empty page.
pub(super) struct Chromium {
    child: Child,
    socket: TcpStream,
    number: u64,
    /// Errors of scripts and of loading.
    pub(super) complaints: Vec<String>,
    _folder: TempDir,
}

impl Chromium {
    pub(super) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("chromium");
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
        command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
        command.args(["--disable-dev-shm-usage", "--remote-debugging-port=0"]);
        command.arg(format!("--user-data-dir={}", folder.path().display())).arg("about:blank");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address =
            lines.find_map(|line| Some(line.strip_prefix("DevTools listening on ws://")?.to_owned()));
        let address = address.expect("Chromium says where it listens");
        // A pipe that is full would stop it.
        std::thread::spawn(move || lines.for_each(drop));
        let host = address.split('/').next().unwrap().to_owned();
        let socket = page(&host);
        let mut chromium = Self { child, socket, number: 0, complaints: Vec::new(), _folder: folder };
        for domain in ["Runtime", "Log", "Page", "Network"] {
            chromium.call(&format!("{domain}.enable"), json!({}));
        }
        chromium
    }

    pub(super) fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
    }

    /// The value of an expression in the page.
    pub(super) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(super) fn wait(&mut self, expression: &str) {
        let start = Instant::now();
        while self.evaluate(expression) != true {
            let text = "document.body ? document.body.innerText : ''";
            assert!(start.elapsed() < LONGEST, "{expression}\n{}", self.evaluate(text));
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// A window of a size, in a colour scheme.
    pub(super) fn dress(&mut self, width: u32, height: u32, scheme: &str) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// The whole page as a PNG file in base64.
    pub(super) fn screenshot(&mut self) -> String {
        let result = self.call("Page.captureScreenshot", json!({ "captureBeyondViewport": true }));
        result["data"].as_str().unwrap().to_owned()
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let message = json!({ "id": self.number, "method": method, "params": parameters });
        self.socket.write_all(&frame(message.to_string().as_bytes())).unwrap();
        loop {
            let message: Value = serde_json::from_slice(&receive(&mut self.socket)).unwrap();
            if message["id"] == self.number {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.listen(&message);
        }
    }

    fn listen(&mut self, event: &Value) {
        let complains = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => event["params"]["type"] == "error",
            Some("Log.entryAdded") => event["params"]["entry"]["level"] == "error",
            _ => false,
        };
        if complains {
            self.complaints.push(event["params"].to_string());
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Connects to the first page.
fn page(host: &str) -> TcpStream {
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /json/list HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut reader = BufReader::new(stream);
    let length = head(&mut reader);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let pages: Value = serde_json::from_slice(&body).unwrap();
    let pages = pages.as_array().unwrap();
    let page = pages.iter().find(|page| page["type"] == "page").unwrap();
    let address = page["webSocketDebuggerUrl"].as_str().unwrap();
    let path = address.strip_prefix(&format!("ws://{host}")).unwrap();
    let mut socket = TcpStream::connect(host).unwrap();
    socket.set_read_timeout(Some(LONGEST)).unwrap();
    write!(
        socket,
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: YWRhbWZsaXAgbG9va3MuLg==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    .unwrap();
    // Byte by byte: what follows the head are frames.
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        socket.read_exact(&mut byte).unwrap();
        answer.push(byte[0]);
    }
    assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
    socket
}

/// Reads the head of an answer; the length of its body.
fn head(reader: &mut impl BufRead) -> usize {
    let lines = reader.lines().map(Result::unwrap).take_while(|line| !line.is_empty());
    let lengths = lines.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
    });
    lengths.last().unwrap()
}

/// A text frame of a client: masked, here with zeros.
fn frame(text: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x81];
    match text.len() {
        size @ 0..126 => frame.push(0x80 | size as u8),
        size @ 126..65_536 => {
            frame.push(0x80 | 126);
            frame.extend((size as u16).to_be_bytes());
        }
        size => {
            frame.push(0x80 | 127);
            frame.extend((size as u64).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(text);
    frame
}

/// A message of the server, of one or more frames.
fn receive(socket: &mut TcpStream) -> Vec<u8> {
    let mut message = Vec::new();
    loop {
        let [first, size] = bytes(socket);
        let size = match size & 0x7f {
            126 => u16::from_be_bytes(bytes(socket)).into(),
            127 => u64::from_be_bytes(bytes(socket)),
            size => size.into(),
        };
        socket.take(size).read_to_end(&mut message).unwrap();
        if first & 0x80 != 0 {
            return message;
        }
    }
}

fn bytes<const N: usize>(socket: &mut TcpStream) -> [u8; N] {
    let mut bytes = [0; N];
    socket.read_exact(&mut bytes).unwrap();
    bytes
}
