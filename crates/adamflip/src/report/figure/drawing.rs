//! A drawing as a list of elements: what both outputs, text of SVG and pixels, are made from.

use super::colour::{Colour, INK};
use super::font::text_width;
use super::raster::Image;

/// The size of ordinary text.
pub(super) const TEXT: f64 = 12.0;
/// The size of tick labels.
pub(super) const SMALL: f64 = 11.0;

/// The colour of the rim of dots.
pub(super) const EDGE: Colour = [0x66; 3];

/// The disc of a dot.
pub(super) struct Disc {
    pub(super) radius: f64,
    /// The width of a rim, where there is one.
    pub(super) rim: Option<f64>,
}

impl Disc {
    /// Of one of many: they are smaller and have no rim, which would cover the others.
    pub(super) fn of(count: usize) -> Self {
        match count {
            0..=150 => Self { radius: 2.5, rim: Some(0.4) },
            151..=600 => Self { radius: 2.0, rim: None },
            _ => Self { radius: 1.5, rim: None },
        }
    }
}

/// A drawing under construction.
#[derive(Default)]
pub(super) struct Drawing {
    pub(super) elements: Vec<Element>,
    pub(super) panels: Vec<PanelArea>,
}

/// What drawings are made of; positions from the upper left corner of the page.
pub(super) enum Element {
    Text(Text),
    Line {
        from: (f64, f64),
        to: (f64, f64),
        colour: Colour,
    },
    Frame(Area),
    Path(Path),
    /// Discs on a thin rim, without which light colours would fade into the page. The rims of all lie below
    /// the discs of all, so that crowded ones show their colours.
    Dots(Vec<(f64, f64, Colour)>),
    /// An image drawn over `extent`, of which only `window` shows.
    Image {
        window: Area,
        extent: Area,
        image: Image,
    },
}

/// A line of text; `(x, y)` is on its baseline.
pub(super) struct Text {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) size: f64,
    pub(super) anchor: Anchor,
    pub(super) bold: bool,
    /// Reads upwards.
    pub(super) upward: bool,
    pub(super) text: String,
}

/// A stroked line.
pub(super) struct Path {
    pub(super) segments: Vec<Segment>,
    pub(super) colour: Colour,
    pub(super) width: f64,
    /// Lengths drawn and left out by turns; solid if empty.
    pub(super) dashes: &'static [f64],
    /// White inside: marks that stand on lines.
    pub(super) filled: bool,
}

/// A step of the pen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Segment {
    Move(f64, f64),
    Line(f64, f64),
    Close,
    /// Centre and radius.
    Circle(f64, f64, f64),
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
pub struct Area {
    /// Its left end.
    pub x: f64,
    /// Its upper end.
    pub y: f64,
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

/// Where a panel of a figure is: inside its axes, in units of the page.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelArea {
    /// What it shows.
    pub title: String,
    /// Inside its axes.
    pub area: Area,
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
    pub(super) fn text(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, text: &str) {
        let text = text.to_owned();
        self.elements.push(Element::Text(Text { x, y, size, anchor, bold: false, upward: false, text }));
    }

    pub(super) fn heading(&mut self, x: f64, y: f64, size: f64, text: &str) {
        let (anchor, text) = (Anchor::Start, text.to_owned());
        self.elements.push(Element::Text(Text { x, y, size, anchor, bold: true, upward: false, text }));
    }

    /// Text that reads upwards, centred at the position.
    pub(super) fn upward(&mut self, x: f64, y: f64, text: &str) {
        let (anchor, text) = (Anchor::Middle, text.to_owned());
        self.elements.push(Element::Text(Text { x, y, size: TEXT, anchor, bold: false, upward: true, text }));
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: Colour) {
        self.elements.push(Element::Line { from, to, colour });
    }

    pub(super) fn frame(&mut self, area: Area) {
        self.elements.push(Element::Frame(area));
    }

    /// A line of ordinary width.
    pub(super) fn path(&mut self, segments: Vec<Segment>, colour: Colour, dashes: &'static [f64]) {
        self.elements.push(Element::Path(Path { segments, colour, width: 1.5, dashes, filled: false }));
    }

    /// Marks that stand on a line.
    pub(super) fn marks(&mut self, segments: Vec<Segment>, colour: Colour) {
        self.elements.push(Element::Path(Path { segments, colour, width: 1.2, dashes: &[], filled: true }));
    }

    pub(super) fn dots(&mut self, dots: Vec<(f64, f64, Colour)>) {
        self.elements.push(Element::Dots(dots));
    }

    pub(super) fn image(&mut self, window: Area, extent: Area, image: Image) {
        self.elements.push(Element::Image { window, extent, image });
    }

    /// A panel begins: its frame and its place for those who ask.
    pub(super) fn panel(&mut self, title: &str, area: Area) {
        self.panels.push(PanelArea { title: title.to_owned(), area });
    }

    /// The whole figure, with a name for those who cannot see it.
    pub(super) fn finish(self, width: f64, height: f64, name: &str) -> Figure {
        let Self { elements, panels } = self;
        Figure { elements, panels, width: width.ceil(), height: height.ceil(), name: name.to_owned() }
    }
}

/// A finished figure, ready to be written as text or as pixels.
pub struct Figure {
    pub(super) elements: Vec<Element>,
    pub(super) panels: Vec<PanelArea>,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) name: String,
}

impl Figure {
    /// Where its panels are.
    pub fn panels(&self) -> &[PanelArea] {
        &self.panels
    }

    /// Width and height, in units of the page.
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }
}

impl Text {
    /// Where it begins along its own direction, relative to its position.
    pub(super) fn start(&self) -> f64 {
        let width = text_width(&self.text, self.size);
        match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        }
    }

    /// The colour of all text.
    pub(super) const COLOUR: Colour = INK;
}

#[cfg(test)]
mod tests {
    use super::Disc;

    #[test]
    fn many_dots_are_small_and_have_no_rim() {
        assert!(Disc::of(20).rim.is_some() && Disc::of(151).rim.is_none());
        assert!(Disc::of(1000).radius < Disc::of(200).radius && Disc::of(200).radius < Disc::of(20).radius);
    }
}
