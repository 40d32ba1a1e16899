//! What is sent back to a browser.

use std::io::{self, Write};

use super::request::RequestError;

/// One answer; the connection ends with it.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    status: &'static str,
    kind: &'static str,
    body: Vec<u8>,
    /// Only the head is sent.
    bodiless: bool,
}

/// The page loads its own files and nothing else, and stands in no frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// A picture has styles and pixels of its own.
const PICTURE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";
const SVG: &str = "image/svg+xml";

impl Answer {
    fn new(status: &'static str, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, kind, body: body.into(), bodiless: false }
    }

    /// The same without its body.
    pub(super) fn head(self) -> Self {
        Self { bodiless: true, ..self }
    }

    pub(super) fn html(text: &str) -> Self {
        Self::new("200 OK", "text/html; charset=utf-8", text)
    }

    pub(super) fn script(text: &str) -> Self {
        Self::new("200 OK", "text/javascript; charset=utf-8", text)
    }

    pub(super) fn style(text: &str) -> Self {
        Self::new("200 OK", "text/css; charset=utf-8", text)
    }

    pub(super) fn json(text: String) -> Self {
        Self::new("200 OK", "application/json", text)
    }

    pub(super) fn svg(text: &str) -> Self {
        Self::new("200 OK", SVG, text)
    }

    /// A sentence instead of what was asked for.
    fn sentence(status: &'static str, text: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{text}\n"))
    }

    pub(super) fn absent(text: &str) -> Self {
        Self::sentence("404 Not Found", text)
    }

    pub(super) fn failed(text: &str) -> Self {
        Self::sentence("500 Internal Server Error", text)
    }

    pub(super) fn crowded() -> Self {
        Self::sentence("503 Service Unavailable", "too many connections: close some pages")
    }

    pub(super) fn refused(refusal: RequestError) -> Self {
        match refusal {
            RequestError::Malformed(reason) => Self::sentence("400 Bad Request", reason),
            RequestError::Method => Self::sentence("405 Method Not Allowed", "only GET and HEAD"),
            RequestError::Version => Self::sentence("505 HTTP Version Not Supported", "only HTTP/1.1"),
            RequestError::Host => {
                Self::sentence("403 Forbidden", "open http://127.0.0.1 or http://localhost")
            }
            RequestError::TooLong => Self::sentence("431 Request Header Fields Too Large", "too long"),
            RequestError::TooSlow => Self::sentence("408 Request Timeout", "too slow"),
            RequestError::Gone => Self::sentence("400 Bad Request", "the request has no end"),
        }
    }

    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let policy = if self.kind == SVG { PICTURE_POLICY } else { POLICY };
        let allow = if self.status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
        let head = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{allow}Connection: close\r\n\
             Cache-Control: no-store\r\nContent-Security-Policy: {policy}\r\nX-Content-Type-Options: nosniff\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\r\n",
            self.status,
            self.kind,
            self.body.len(),
        );
        out.write_all(head.as_bytes())?;
        if !self.bodiless {
            out.write_all(&self.body)?;
        }
        out.flush()
    }
}
