//! Errors in what the user wrote: what is wrong, where, and what to do.
//!
//! Every stage that reads user text (`spec`, `lang`, `problem`) collects [`Diagnostic`]s instead of stopping
//! at the first, and [`render`] shows them all with line, column and caret.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet, normalize_untrusted_str};

/// A byte range in one of the [`Source`]s of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// Which source: 0 is the problem file, the others are `--profile` and `--set` arguments.
    pub source: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A text that the user wrote, under the name by which the user knows it.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as given, or `--profile`, `--set`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    pub span: Span,
}

/// One error: what is wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// What is wrong, in one line.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What stands at that place ("unknown key", "not a coordinate"); printed beside the caret. May be empty.
    pub label: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error without label and hint.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span, label: String::new(), hint: None }
    }

    /// What stands at that place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// What to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The most errors that are shown, and the bytes after which no further one is: nobody reads more.
const MOST: usize = 100;
const LONGEST: usize = 64_000;
/// The longest message or hint in characters; what is longer quotes a text that no line can show.
const LONGEST_MESSAGE: usize = 1_000;

/// The first errors in source order, each with its line, caret and hint, then how many there are in all.
/// Ends with a newline; empty when there is no error. Spans beyond the text are shown at its end.
pub fn render(sources: &[Source], diagnostics: &[Diagnostic], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| (diagnostic.span.source, diagnostic.span.start));
    let mut output = String::new();
    let mut shown = 0;
    for diagnostic in sorted.iter().take(MOST) {
        let text = render_one(&renderer, sources, diagnostic);
        if shown > 0 && output.len() + text.len() > LONGEST {
            break;
        }
        output += &text;
        output += "\n\n";
        shown += 1;
    }
    if shown < sorted.len() {
        output += &format!("and {} more\n\n", grouped(sorted.len() - shown));
    }
    let place = sources.first().map(|source| format!(" in {}", normalize_untrusted_str(&source.name)));
    match sorted.len() {
        0 => {}
        1 => output.push_str(&format!("1 error{}\n", place.unwrap_or_default())),
        n => output.push_str(&format!("{} errors{}\n", grouped(n), place.unwrap_or_default())),
    }
    output
}

/// `4,900`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8_lossy(&groups.join(&b',')).into_owned()
}

/// The beginning of a long text.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn render_one(renderer: &Renderer, sources: &[Source], diagnostic: &Diagnostic) -> String {
    let missing = Source { name: String::new(), text: String::new() };
    let source = sources.get(diagnostic.span.source).unwrap_or(&missing);
    let line = Line::of(&source.text, diagnostic.span);
    let mark = AnnotationKind::Primary.span(line.start..line.end);
    let label = normalize_untrusted_str(&shortened(&diagnostic.label));
    let mark = if label.is_empty() { mark } else { mark.label(label) };
    let name = normalize_untrusted_str(&source.name);
    let snippet = Snippet::source(line.text).line_start(line.number).path(name).annotation(mark);
    let mut group = Level::ERROR.primary_title(shortened(&diagnostic.message)).element(snippet);
    if let Some(hint) = &diagnostic.hint {
        group =
            group.element(Level::HELP.with_name("hint").message(normalize_untrusted_str(&shortened(hint))));
    }
    renderer.render(&[group])
}

/// The line in which a span begins and the part of the span on it. Only this line goes to the renderer, so
/// that line ends, wild spans and the size of the file are no concern of it.
struct Line<'a> {
    text: &'a str,
    number: usize,
    start: usize,
    end: usize,
}

impl<'a> Line<'a> {
    fn of(text: &'a str, span: Span) -> Self {
        let start = text.floor_char_boundary(span.start);
        let end = text.ceil_char_boundary(span.end.max(start));
        let first = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let last = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let content = text[first..last].trim_end_matches('\r');
        let number = 1 + text[..first].bytes().filter(|&byte| byte == b'\n').count();
        let clamp = |position: usize| (position - first).min(content.len());
        Self { text: content, number, start: clamp(start), end: clamp(end) }
    }
}

/// The candidate that `name` was probably meant to be: at most a third of its letters (and at least one)
/// inserted, deleted, replaced or swapped with the next; capital letters do not count.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Longer names are no typing errors, and the distance costs the product of both lengths.
    const LONGEST: usize = 64;
    let name: Vec<char> = name.to_lowercase().chars().take(LONGEST + 1).collect();
    if name.is_empty() || name.len() > LONGEST {
        return None;
    }
    let allowed = (name.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(&name, &candidate.to_lowercase().chars().collect::<Vec<_>>()), candidate))
        .filter(|&(distance, candidate)| distance <= allowed && distance < candidate.chars().count())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Optimal string alignment: insertions, deletions, replacements, swaps of neighbours. Three rows of the
/// table are enough, because a swap looks back two rows.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = previous[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(previous[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut previous, row);
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str, start: usize, end: usize) -> String {
        let sources = [Source { name: "a.toml".into(), text: text.into() }];
        let span = Span { source: 0, start, end };
        let diagnostic = Diagnostic::new(span, "wrong").label("here").hint("write it right");
        render(&sources, &[diagnostic], false)
    }

    #[test]
    fn shows_line_column_caret_label_and_hint() {
        insta::assert_snapshot!(show("x = 1\ny = two\n", 10, 13), @r#"
    error: wrong
     --> a.toml:2:5
      |
    2 | y = two
      |     ^^^ here
      |
      = hint: write it right

    1 error in a.toml
    "#);
    }

    #[test]
    fn line_ends_tabs_and_wide_letters_keep_the_caret_in_place() {
        insta::assert_snapshot!(show("x = 1\r\n\tν = \"é\" # π\r\nz", 8, 10), @r#"
    error: wrong
     --> a.toml:2:2
      |
    2 |     ν = "é" # π
      |     ^ here
      |
      = hint: write it right

    1 error in a.toml
    "#);
    }

    #[test]
    fn a_span_over_several_lines_shows_the_first() {
        insta::assert_snapshot!(show("x = [\n1,\n2]\n", 4, 11), @r#"
    error: wrong
     --> a.toml:1:5
      |
    1 | x = [
      |     ^ here
      |
      = hint: write it right

    1 error in a.toml
    "#);
    }

    #[test]
    fn wild_spans_and_unknown_sources_are_shown_somewhere() {
        for text in ["", "\n", "é", "\r\n", "a\tb\u{1b}[31m", "\u{feff}x"] {
            for (start, end) in [(0, 0), (0, 99), (1, 1), (1, 0), (7, 3), (usize::MAX, usize::MAX)] {
                assert!(show(text, start, end).contains("error: wrong"), "{text:?} {start} {end}");
            }
        }
        let lost = Diagnostic::new(Span { source: 3, start: 1, end: 2 }, "lost");
        assert!(render(&[], &[lost], false).contains("error: lost"));
    }

    #[test]
    fn only_the_first_of_many_are_shown() {
        let text = "x = 1\n".repeat(5_000);
        let sources = [Source { name: "a.toml".into(), text: text.clone() }];
        let at = |line: usize| Span { source: 0, start: 6 * line, end: 6 * line + 1 };
        let many: Vec<Diagnostic> = (0..5_000).map(|line| Diagnostic::new(at(line), "wrong")).collect();
        let shown = render(&sources, &many, false);
        assert_eq!(shown.matches("error: wrong").count(), 100);
        assert!(shown.ends_with("\n\nand 4,900 more\n\n5,000 errors in a.toml\n"), "{shown}");
        // Long ones are fewer, and one alone is cut.
        let long = "é".repeat(1 << 20);
        let large: Vec<Diagnostic> =
            (0..100).map(|line| Diagnostic::new(at(line), &long).label(&long).hint(&long)).collect();
        let shown = render(&sources, &large, false);
        assert!(shown.len() < 65_000 && shown.contains("100 errors"), "{}", shown.len());
        let sources = [Source { name: "a.toml".into(), text: long.clone() }];
        let whole = Diagnostic::new(Span { source: 0, start: 0, end: long.len() }, "wrong");
        assert!(render(&sources, &[whole], false).len() < 65_000);
    }

    #[test]
    fn escape_sequences_of_the_user_never_reach_the_terminal() {
        let sources = [Source { name: "\u{1b}[31m.toml".into(), text: "\u{1b}[31m".into() }];
        let evil = Diagnostic::new(Span::default(), "\u{1b}[1m").label("\u{1b}[2m").hint("\u{1b}[3m");
        assert!(!render(&sources, std::slice::from_ref(&evil), false).contains('\u{1b}'));
    }

    #[test]
    fn color_only_on_request_and_nothing_for_nothing() {
        let sources = [Source { name: "a.toml".into(), text: "x".into() }];
        let diagnostics = [Diagnostic::new(Span::default(), "wrong")];
        assert!(render(&sources, &diagnostics, true).contains('\u{1b}'));
        assert!(!render(&sources, &diagnostics, false).contains('\u{1b}'));
        assert_eq!(render(&sources, &[], true), "");
    }

    #[test]
    fn nearest_forgives_one_slip_in_three_letters() {
        let keys = ["equation", "points", "role", "on"];
        assert_eq!(nearest("equatoin", keys), Some("equation"));
        assert_eq!(nearest("equations", keys), Some("equation"));
        assert_eq!(nearest("Points", keys), Some("points"));
        assert_eq!(nearest("poinst", keys), Some("points"));
        assert_eq!(nearest("weight", keys), None);
        assert_eq!(nearest("", keys), None);
        assert_eq!(nearest("x", ["y"]), None);
    }
}
