//! A figure as the text of an SVG file.

use std::fmt::Write;

use super::colour::{Colour, FRAME, hexadecimal};
use super::drawing::{Anchor, Area, Disc, EDGE, Element, Figure, Path, Segment, Text};
use super::raster::data_address;

impl Figure {
    /// A self-contained file: no scripts, no fonts, nothing beside it. No element has an identifier, so that
    /// several figures can stand in one page.
    pub fn svg(&self) -> Result<String, png::EncodingError> {
        let Self { width, height, .. } = self;
        let mut text = format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" role="img" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" fill="{}">
<title>{}</title>
<rect width="100%" height="100%" fill="#fff"/>
"##,
            hexadecimal(Text::COLOUR),
            escape(&self.name)
        );
        for element in &self.elements {
            write(&mut text, element)?;
            text.push('\n');
        }
        text.push_str("</svg>\n");
        Ok(text)
    }
}

/// Writing to a string cannot fail; encoding an image can.
fn write(out: &mut String, element: &Element) -> Result<(), png::EncodingError> {
    let _ = match element {
        Element::Text(text) => out.write_str(&line_of_text(text)),
        Element::Line { from: (x1, y1), to: (x2, y2), colour } => {
            let colour = hexadecimal(*colour);
            write!(out, r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{colour}"/>"#)
        }
        Element::Frame(Area { x, y, width, height }) => write!(
            out,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="none" stroke="{}"/>"#,
            hexadecimal(FRAME)
        ),
        Element::Path(path) => out.write_str(&stroked(path)),
        Element::Dots(dots) => out.write_str(&discs(dots)),
        Element::Image { window, extent, image } => {
            let (x, y) = (extent.x - window.x, extent.y - window.y);
            // The inner `svg` clips without an identifier.
            write!(
                out,
                r#"<svg x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" overflow="hidden"><image x="{x:.2}" y="{y:.2}" width="{:.2}" height="{:.2}" preserveAspectRatio="none" href="{}"/></svg>"#,
                window.x,
                window.y,
                window.width,
                window.height,
                extent.width,
                extent.height,
                data_address(image)?
            )
        }
    };
    Ok(())
}

fn line_of_text(text: &Text) -> String {
    let Text { x, y, size, .. } = text;
    let place = match text.upward {
        true => format!(r#"transform="translate({x:.1} {y:.1}) rotate(-90)""#),
        false => format!(r#"x="{x:.1}" y="{y:.1}""#),
    };
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => r#" text-anchor="middle""#,
        Anchor::End => r#" text-anchor="end""#,
    };
    let weight = if text.bold { r#" font-weight="bold""# } else { "" };
    format!(r#"<text {place} font-size="{size}"{anchor}{weight}>{}</text>"#, escape(&text.text))
}

fn stroked(path: &Path) -> String {
    let mut data = String::new();
    for segment in &path.segments {
        let _ = match segment {
            Segment::Move(x, y) => write!(data, "M{x:.1} {y:.1}"),
            Segment::Line(x, y) => write!(data, "L{x:.1} {y:.1}"),
            Segment::Close => write!(data, "Z"),
            Segment::Circle(x, y, r) => {
                write!(data, "M{:.1} {y:.1}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 -{} 0", x - r, 2.0 * r, 2.0 * r)
            }
        };
    }
    let (colour, width) = (hexadecimal(path.colour), path.width);
    let fill = if path.filled { "#fff" } else { "none" };
    let dashes: Vec<String> = path.dashes.iter().map(f64::to_string).collect();
    let dashes = match dashes.is_empty() {
        true => String::new(),
        false => format!(r#" stroke-dasharray="{}""#, dashes.join(" ")),
    };
    format!(
        r#"<path d="{data}" fill="{fill}" stroke="{colour}" stroke-width="{width}"{dashes} stroke-linejoin="round" stroke-linecap="round"/>"#
    )
}

fn discs(dots: &[(f64, f64, Colour)]) -> String {
    // A line without length has round ends: a disc in a few letters.
    let Disc { radius, rim } = Disc::of(dots.len());
    let mut text = String::new();
    if let Some(rim) = rim {
        text += "<path d=\"";
        for (x, y, _) in dots {
            let _ = write!(text, "M{x:.1} {y:.1}h0");
        }
        let (edge, width) = (hexadecimal(EDGE), 2.0 * (radius + rim));
        let _ = write!(text, r#"" stroke="{edge}" stroke-width="{width}" stroke-linecap="round"/>"#);
    }
    text += "<g>";
    for &(x, y, colour) in dots {
        let colour = hexadecimal(colour);
        let _ = write!(text, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{colour}"/>"#);
    }
    text + "</g>"
}

/// XML has five reserved characters, and refuses control characters altogether.
pub(in crate::report) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars().filter(|c| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')) {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
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
        assert_eq!(escape("a<b & \"c\"\u{0}\n'"), "a&lt;b &amp; &quot;c&quot;&#39;");
    }
}
