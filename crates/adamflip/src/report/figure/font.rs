//! The font of figures as pixels, and the measure of all text.
//!
//! Text of SVG is set by whoever shows it, in Helvetica or something like it. DejaVu Sans is wider than
//! those, so what fits by its measure fits everywhere.

use std::sync::LazyLock;

use tiny_skia::PathBuilder;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

static FACE: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(dejavu::sans::regular(), 0).ok());

/// The share of the size that a character takes where the font says nothing.
const USUAL: f64 = 0.64;

/// How wide a text is.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    size * text.chars().map(advance).sum::<f64>()
}

/// The text, or as much of it as fits, with an ellipsis.
pub(super) fn fitted(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut left = width - text_width("…", size);
    let fits = |character: &char| {
        left -= size * advance(*character);
        left >= 0.0
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

/// As [`fitted`], for the bold face, whose widest form is a tenth wider.
pub(super) fn fitted_bold(text: &str, size: f64, width: f64) -> String {
    fitted(text, 1.1 * size, width)
}

/// The outlines of a text that begins at a position on its baseline.
pub(super) fn outline(text: &str, size: f64, (x, y): (f64, f64)) -> Option<tiny_skia::Path> {
    let face = FACE.as_ref()?;
    let scale = size / f64::from(face.units_per_em());
    let mut pen = Pen { path: PathBuilder::new(), x, y, scale };
    for character in text.chars() {
        // The box of the glyph 0 stands for what the font does not know.
        face.outline_glyph(glyph(face, character), &mut pen);
        pen.x += size * advance(character);
    }
    pen.path.finish()
}

fn glyph(face: &Face<'_>, character: char) -> GlyphId {
    face.glyph_index(character).unwrap_or(GlyphId(0))
}

/// How far the pen moves, as a share of the size.
fn advance(character: char) -> f64 {
    let known = FACE.as_ref().and_then(|face| {
        let units = face.glyph_hor_advance(glyph(face, character))?;
        Some(f64::from(units) / f64::from(face.units_per_em()))
    });
    known.unwrap_or(USUAL)
}

/// Turns the font's units, whose y is upwards, into those of the page.
struct Pen {
    path: PathBuilder,
    x: f64,
    y: f64,
    scale: f64,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        ((self.x + self.scale * f64::from(x)) as f32, (self.y - self.scale * f64::from(y)) as f32)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_knows_what_labels_are_made_of() {
        let face = FACE.as_ref().unwrap();
        for character in "azAZ09−+×·…≤≥|₀₁²³⁰⁴⁵⁶⁷⁸⁹⁻αβγδεθκλμνπρστφψω∂∇‖√∞".chars()
        {
            assert!(face.glyph_index(character).is_some(), "{character}");
        }
    }

    #[test]
    fn widths_are_those_of_the_font() {
        // All digits are 1303 of 2048 units wide.
        assert!((text_width("0123", 2048.0) - 4.0 * 1303.0).abs() < 1e-9);
        assert!(text_width("i", 12.0) < text_width("m", 12.0));
    }

    #[test]
    fn long_text_ends_in_an_ellipsis() {
        assert_eq!(fitted("short", 12.0, 100.0), "short");
        let text = fitted(&"word ".repeat(20), 12.0, 100.0);
        assert!(text.ends_with('…') && text_width(&text, 12.0) <= 100.0, "{text}");
        assert_eq!(fitted("anything", 12.0, 0.0), "…");
    }
}
