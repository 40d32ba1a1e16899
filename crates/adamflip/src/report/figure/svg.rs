//! The few elements of SVG that figures are made of, written as text.

use std::fmt::Write;

/// The size of ordinary text.
pub(super) const TEXT: f64 = 12.0;
/// The size of tick labels.
pub(super) const SMALL: f64 = 11.0;

/// A drawing under construction.
#[derive(Default)]
pub(super) struct Drawing {
    body: String,
}

/// Which point of a text is at the given position.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Area {
    pub(super) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

impl Drawing {
    /// Adds an element as it stands. Writing to a string cannot fail.
    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = self.body.write_fmt(element);
        self.body.push('\n');
    }

    pub(super) fn text(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, text: &str) {
        self.push(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{}">{}</text>"#,
            anchor.name(),
            escape(text)
        ));
    }

    pub(super) fn heading(&mut self, x: f64, y: f64, size: f64, text: &str) {
        let text = escape(text);
        self.push(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" font-weight="bold">{text}</text>"#
        ));
    }

    /// Text that reads upwards, centred at the position.
    pub(super) fn upward(&mut self, x: f64, y: f64, text: &str) {
        let text = escape(text);
        self.push(format_args!(
            r#"<text transform="translate({x:.1} {y:.1}) rotate(-90)" font-size="{TEXT}" text-anchor="middle">{text}</text>"#
        ));
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(format_args!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{colour}"/>"#
        ));
    }

    pub(super) fn frame(&mut self, area: Area) {
        let Area { x, y, width, height } = area;
        self.push(format_args!(
            r##"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="none" stroke="#333"/>"##
        ));
    }

    pub(super) fn path(&mut self, data: &str, colour: &str, dashes: &str) {
        self.push(format_args!(
            r#"<path d="{data}" fill="none" stroke="{colour}" stroke-width="1.5" stroke-dasharray="{dashes}" stroke-linejoin="round" stroke-linecap="round"/>"#
        ));
    }

    /// A dot with a thin edge, without which light colours would fade into the page.
    pub(super) fn dot(&mut self, x: f64, y: f64, [red, green, blue]: [u8; 3]) {
        self.push(format_args!(
            r##"<circle cx="{x:.1}" cy="{y:.1}" r="2.5" fill="#{red:02x}{green:02x}{blue:02x}" stroke="#666" stroke-width="0.4"/>"##
        ));
    }

    /// An image drawn over `extent`, of which only `window` shows. The inner `svg` clips without an identifier, so
    /// that several figures can stand in one page.
    pub(super) fn image(&mut self, window: Area, extent: Area, address: &str) {
        let (x, y) = (extent.x - window.x, extent.y - window.y);
        self.push(format_args!(
            r#"<svg x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" overflow="hidden"><image x="{x:.2}" y="{y:.2}" width="{:.2}" height="{:.2}" preserveAspectRatio="none" href="{address}"/></svg>"#,
            window.x, window.y, window.width, window.height, extent.width, extent.height
        ));
    }

    /// The whole file, with a name for those who cannot see it.
    pub(super) fn finish(self, width: f64, height: f64, name: &str) -> String {
        let (body, name) = (self.body, escape(name));
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" role="img" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" fill="#222">
<title>{name}</title>
<rect width="100%" height="100%" fill="#fff"/>
{body}</svg>
"##
        )
    }
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// About how wide a text is. Digits are 0.56 of the size in Helvetica and 0.64 in the wider DejaVu.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    0.64 * size * text.chars().count() as f64
}

/// The text, or as much of it as fits, with an ellipsis.
pub(super) fn fitted(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let kept = (width / text_width("0", size)) as usize;
    text.chars().take(kept.saturating_sub(1)).chain(['…']).collect()
}

/// XML has five reserved characters, and refuses control characters altogether.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars().filter(|c| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')) {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_and_control_characters_are_harmless() {
        assert_eq!(escape("a<b & \"c\"\u{0}\n'"), "a&lt;b &amp; &quot;c&quot;&apos;");
    }

    #[test]
    fn long_text_ends_in_an_ellipsis() {
        assert_eq!(fitted("short", 12.0, 100.0), "short");
        let text = fitted(&"word ".repeat(20), 12.0, 100.0);
        assert!(text.ends_with('…') && text_width(&text, 12.0) <= 100.0, "{text}");
    }
}
