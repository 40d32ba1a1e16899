//! The file as TOML, with all of its syntax errors and not only the first.
//!
//! The TOML parser recovers from an error, but what it then makes of the rest of the file is often nonsense
//! (one list without `]` swallows every section below). So each round takes the first error, blanks the lines
//! at fault without moving anything, and parses again, until what is left is well formed. A spoilt value
//! keeps its key, so that later stages do not call its name unknown.

use std::ops::Range;

use toml::de::{DeTable, Error};

use super::tree::{Origin, Table};
use crate::diagnostic::{Diagnostic, Span};

/// Enough for any file that was meant to be TOML; bounds the work on one that was not.
const MOST_ERRORS: usize = 50;
/// With this many errors in one round the file was never TOML, and blanking lines is a waste of time.
const HOPELESS: usize = 1000;

/// The well-formed part of a TOML text; its syntax errors go to `diagnostics`.
pub(super) fn parse(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Table {
    let mut patched = text.to_owned();
    let mut broken: Vec<Range<usize>> = Vec::new();
    for round in 1.. {
        let (tree, errors) = DeTable::parse_recoverable(&patched);
        let origin = Origin { source: 0, offset: 0, text, broken: &broken };
        let first = errors.iter().min_by_key(|error| position(error));
        let Some(fault) = first.map(|error| Fault::of(text, &patched, error)) else {
            return origin.table(tree.get_ref());
        };
        let again = broken.contains(&fault.line);
        if !again {
            diagnostics.push(fault.diagnostic(text));
        }
        let repaired = fault.repair(&patched, again);
        if repaired == patched || round == MOST_ERRORS || errors.len() > HOPELESS {
            return origin.table(tree.get_ref());
        }
        broken.push(fault.line);
        patched = repaired;
    }
    Table::default()
}

fn position(error: &Error) -> usize {
    error.span().map_or(0, |span| span.start)
}

/// A syntax error and the lines that it spoils.
struct Fault {
    message: String,
    span: Range<usize>,
    /// The line where the error is, without its line end.
    line: Range<usize>,
    /// Where the spoilt lines end.
    end: usize,
}

impl Fault {
    /// Places are rounded to the letters of the text as written; those of the patched text are there too.
    fn of(written: &str, text: &str, error: &Error) -> Self {
        let start = written.floor_char_boundary(position(error));
        let span = start..written.ceil_char_boundary(error.span().map_or(start, |span| span.end.max(start)));
        let line = line_at(text, start);
        let message = error.message().to_owned();
        match opening_line(text, &message, start, &line) {
            Some(opening) => Self::unclosed(text, opening, &line, message.starts_with("unclosed")),
            None => Self { message, span, end: section_end(text, &line), line },
        }
    }

    /// A list that was opened on the line `opening` and runs into the line `found`.
    fn unclosed(text: &str, opening: Range<usize>, found: &Range<usize>, to_the_end: bool) -> Self {
        let value =
            assignment(&text[opening.clone()]).map_or(opening.start, |equals| opening.start + equals + 1);
        let value = value + text[value..opening.end].len() - text[value..opening.end].trim_start().len();
        let end = if to_the_end { text.len() } else { found.start.max(opening.end) };
        Self { message: UNCLOSED_LIST.into(), span: value..opening.end, line: opening, end }
    }

    /// The text without what is at fault, every other byte in its place. A first attempt keeps the key and
    /// gives it a placeholder; if that does not help the whole line goes.
    fn repair(&self, text: &str, again: bool) -> String {
        let mut bytes = text.as_bytes().to_vec();
        let line = &text[self.line.clone()];
        let equals = assignment(line).map(|equals| self.line.start + equals);
        let keep = equals.filter(|&equals| !again && self.span.start > equals && equals + 1 < self.line.end);
        let from = keep.map_or(self.line.start, |equals| equals + 1);
        for byte in &mut bytes[from..self.end.max(self.line.end)] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        if keep.is_some() {
            bytes[self.line.end - 1] = b'0';
        }
        // Every letter that was touched was replaced as a whole, so the bytes still are UTF-8.
        String::from_utf8(bytes).unwrap_or_default()
    }

    fn diagnostic(&self, text: &str) -> Diagnostic {
        let line = &text[self.line.clone()];
        let key = line.split('=').next().unwrap_or_default().trim();
        let message = self.message.as_str();
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| message.starts_with(prefix));
        let (message, hint) = if message == UNCLOSED_LIST {
            (message.into(), "add `]`, and a comma between its entries".into())
        } else if message == "duplicate key" {
            (format!("`{}` is written twice", &text[self.span.clone()]), "keep one of them".into())
        } else if starts(&["key with no value", "missing value"]) {
            (format!("`{key}` has no value"), format!("write `{key} = …`"))
        } else if starts(&["unclosed table", "unclosed array table"]) {
            let hint = "names are joined by dots between brackets, like `[term.pde]`";
            ("this section header is not closed".into(), hint.into())
        } else if starts(&["invalid basic string", "invalid literal string"])
            && self.span.start == self.line.end
        {
            ("this text is not closed".into(), "add the closing quote".into())
        } else if starts(VALUE_MESSAGES) {
            return self.not_a_value(text);
        } else {
            (format!("not valid TOML: {message}"), general_hint(message).into())
        };
        Diagnostic::new(Span { source: 0, start: self.span.start, end: self.span.end }, message).hint(hint)
    }

    fn not_a_value(&self, text: &str) -> Diagnostic {
        let line = &text[self.line.clone()];
        let equals = assignment(line).filter(|&equals| self.span.start > self.line.start + equals);
        let mut range =
            equals.map_or(self.span.clone(), |equals| self.line.start + equals + 1..self.line.end);
        // In a list or table only one entry is at fault.
        if text[range.clone()].trim_start().starts_with(['[', '{']) && !self.span.is_empty() {
            range = self.span.clone();
        }
        let raw = text[range.clone()].split(" #").next().unwrap_or_default();
        let start = range.start + raw.len() - raw.trim_start().len();
        let raw = raw.trim();
        let span = Span { source: 0, start, end: start + raw.len() };
        if raw.is_empty() {
            let key = line[..equals.unwrap_or(0)].trim();
            return Diagnostic::new(span, format!("`{key}` has no value")).hint(format!("write `{key} = …`"));
        }
        Diagnostic::new(span, format!("`{raw}` is not a value")).label("not a value").hint(value_hint(raw))
    }
}

/// Our own message, for what the parser sees as missing commas in the lines below.
const UNCLOSED_LIST: &str = "this list is not closed";

/// How the parser begins its messages about a value that it cannot read.
#[rustfmt::skip]
const VALUE_MESSAGES: &[&str] = &[
    "string values must be quoted", "invalid boolean", "invalid float", "invalid integer", "invalid mantissa",
    "invalid fraction", "invalid exponent", "invalid digit", "unexpected key or value", "unexpected leading zero",
    "`_` may only", "redundant", "integers with a radix", "radix must", "unexpected sign", "invalid date", "invalid time",
];

fn general_hint(message: &str) -> &'static str {
    if message.contains("comma") {
        "put one comma between two entries"
    } else if message.contains("key") {
        "write `key = value`; a key is made of letters, digits, `-` and `_`"
    } else {
        "write `key = value` lines below `[section]` headers; text stands in quotes"
    }
}

fn value_hint(raw: &str) -> String {
    match (raw.parse::<f64>(), raw.to_lowercase().as_str()) {
        (_, "true" | "false") => format!("write `{}`", raw.to_lowercase()),
        (Ok(number), _) if number.is_finite() => format!("write `{number:?}`"),
        _ if raw.contains(['"', '\'', '[', '{']) => {
            "a value is a number, true, false, or text in quotes".into()
        }
        _ => format!("text and formulas need quotes: `\"{raw}\"`"),
    }
}

/// The line around a position, without its line end.
fn line_at(text: &str, position: usize) -> Range<usize> {
    let start = text[..position].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[position..].find('\n').map_or(text.len(), |newline| position + newline);
    start..start + text[start..end].trim_end_matches('\r').len()
}

/// The place of the `=` in a line that assigns to a key.
fn assignment(line: &str) -> Option<usize> {
    let equals = line.find('=')?;
    let key = line[..equals].trim();
    let letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'' | ' ');
    (!key.is_empty() && key.chars().all(letter)).then_some(equals)
}

fn is_header(line: &str) -> bool {
    line.trim_start().starts_with('[')
}

/// Without its header a section would pour into the one above: they go together.
fn section_end(text: &str, line: &Range<usize>) -> usize {
    if !is_header(&text[line.clone()]) {
        return line.end;
    }
    let mut start = line.end;
    for next in text[line.end..].split_inclusive('\n') {
        if start > line.end && is_header(next) {
            return start;
        }
        start += next.len();
    }
    text.len()
}

/// If the error is a list that was not closed: the line that opened it. One sees that at the next key or
/// header, where a comma seems to be missing, or at the end of the file.
fn opening_line(text: &str, message: &str, start: usize, line: &Range<usize>) -> Option<Range<usize>> {
    let content = &text[line.clone()];
    let first_letter = line.start + content.len() - content.trim_start().len();
    let at_key = start <= first_letter && (assignment(content).is_some() || is_header(content));
    let ran_on = message.starts_with("missing comma between array") && at_key;
    let mut candidate = match message {
        _ if ran_on => line_before(text, line)?,
        _ if message.starts_with("unclosed array,") => line.clone(),
        _ => return None,
    };
    while assignment(&text[candidate.clone()]).is_none() {
        candidate = line_before(text, &candidate)?;
    }
    Some(candidate)
}

fn line_before(text: &str, line: &Range<usize>) -> Option<Range<usize>> {
    (line.start > 0).then(|| line_at(text, line.start - 1))
}
