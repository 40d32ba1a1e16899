//! A figure as pixels, from the same elements as its text.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
};

use super::colour::{Colour, FRAME};
use super::drawing::{Area, Disc, EDGE, Element, Figure, Path, Segment, Text};
use super::font;
use super::maps::FigureError;
use super::raster::Image;

/// The largest side of an image: more would be no figure.
const LARGEST: f64 = 20_000.0;

impl Figure {
    /// The bytes of a PNG file with this many pixels for a unit of the page.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>, FigureError> {
        Ok(self.image(scale)?.png()?)
    }

    fn image(&self, scale: f64) -> Result<Image, FigureError> {
        let (width, height) = ((scale * self.width).round(), (scale * self.height).round());
        let too_large = || FigureError::TooLarge { width: self.width, height: self.height };
        if !(1.0..=LARGEST).contains(&width) || !(1.0..=LARGEST).contains(&height) {
            return Err(too_large());
        }
        let mut canvas =
            Canvas { pixels: Pixmap::new(width as u32, height as u32).ok_or_else(too_large)?, scale };
        canvas.pixels.fill(Color::WHITE);
        self.elements.iter().for_each(|element| canvas.draw(element));
        // Everything is drawn on white, so that nothing is transparent.
        let pixels = canvas.pixels.pixels().iter().map(|p| [p.red(), p.green(), p.blue(), 0xff]).collect();
        Ok(Image { width: width as u32, height: height as u32, pixels })
    }
}

struct Canvas {
    pixels: Pixmap,
    scale: f64,
}

impl Canvas {
    fn draw(&mut self, element: &Element) {
        match element {
            Element::Text(text) => self.text(text),
            Element::Line { from, to, colour } => {
                self.stroke(&[Segment::Move(from.0, from.1), Segment::Line(to.0, to.1)], *colour, 1.0, &[]);
            }
            Element::Frame(area) => self.stroke(&rectangle(*area), FRAME, 1.0, &[]),
            Element::Path(path) => self.path(path),
            Element::Dots(dots) => {
                let Disc { radius, rim } = Disc::of(dots.len());
                if let Some(rim) = rim {
                    let rim = |&(x, y, _): &(f64, f64, Colour)| Segment::Circle(x, y, radius + rim);
                    self.fill(&dots.iter().map(rim).collect::<Vec<_>>(), EDGE);
                }
                for &(x, y, colour) in dots {
                    self.fill(&[Segment::Circle(x, y, radius)], colour);
                }
            }
            Element::Image { window, extent, image } => self.image(*window, *extent, image),
        }
    }

    fn path(&mut self, path: &Path) {
        if path.filled {
            self.fill(&path.segments, [0xff; 3]);
        }
        self.stroke(&path.segments, path.colour, path.width, path.dashes);
    }

    fn text(&mut self, text: &Text) {
        let start = if text.upward { (text.start(), 0.0) } else { (text.x + text.start(), text.y) };
        let Some(outline) = font::outline(&text.text, text.size, start) else { return };
        let turned = match text.upward {
            true => Transform::from_rotate(-90.0).post_translate(text.x as f32, text.y as f32),
            false => Transform::identity(),
        };
        let transform = turned.post_concat(self.transform());
        let paint = paint(Text::COLOUR);
        self.pixels.fill_path(&outline, &paint, FillRule::Winding, transform, None);
        if text.bold {
            // The one face that is embedded is made bold by a line around its letters.
            let stroke = Stroke { width: 0.045 * text.size as f32, ..Stroke::default() };
            self.pixels.stroke_path(&outline, &paint, &stroke, transform, None);
        }
    }

    fn fill(&mut self, segments: &[Segment], colour: Colour) {
        if let Some(path) = built(segments) {
            let transform = self.transform();
            self.pixels.fill_path(&path, &paint(colour), FillRule::Winding, transform, None);
        }
    }

    fn stroke(&mut self, segments: &[Segment], colour: Colour, width: f64, dashes: &[f64]) {
        let Some(path) = built(segments) else { return };
        let dash = StrokeDash::new(dashes.iter().map(|&dash| dash as f32).collect(), 0.0);
        let stroke = Stroke {
            width: width as f32,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            dash,
            ..Stroke::default()
        };
        let transform = self.transform();
        self.pixels.stroke_path(&path, &paint(colour), &stroke, transform, None);
    }

    /// Every pixel of the window takes the pixel of the image that lies there: no blending, which would make
    /// colours that are not on the scale.
    fn image(&mut self, window: Area, extent: Area, image: &Image) {
        let (width, height) = (self.pixels.width() as usize, self.pixels.height() as usize);
        let span = |from: f64, to: f64, most: usize| {
            let ends = [from, to].map(|end| (self.scale * end).round().clamp(0.0, most as f64) as usize);
            ends[0]..ends[1]
        };
        let columns = span(window.x, window.right(), width);
        let rows = span(window.y, window.bottom(), height);
        let source = |pixel: usize, start: f64, length: f64, count: u32| {
            let fraction = ((pixel as f64 + 0.5) / self.scale - start) / length;
            ((fraction * f64::from(count)) as usize).min(count.saturating_sub(1) as usize)
        };
        let places: Vec<usize> =
            columns.clone().map(|column| source(column, extent.x, extent.width, image.width)).collect();
        for row in rows {
            let from = source(row, extent.y, extent.height, image.height) * image.width as usize;
            let line = &mut self.pixels.data_mut()[4 * row * width..][..4 * width];
            for (column, &place) in columns.clone().zip(&places) {
                if let Some(pixel) = image.pixels.get(from + place).filter(|pixel| pixel[3] > 0) {
                    line[4 * column..][..4].copy_from_slice(pixel);
                }
            }
        }
    }

    fn transform(&self) -> Transform {
        Transform::from_scale(self.scale as f32, self.scale as f32)
    }
}

fn paint(colour: Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(colour[0], colour[1], colour[2], 0xff);
    paint
}

fn rectangle(area: Area) -> [Segment; 5] {
    [
        Segment::Move(area.x, area.y),
        Segment::Line(area.right(), area.y),
        Segment::Line(area.right(), area.bottom()),
        Segment::Line(area.x, area.bottom()),
        Segment::Close,
    ]
}

/// Nothing where there is nothing to draw, or where coordinates are out of range.
fn built(segments: &[Segment]) -> Option<tiny_skia::Path> {
    let mut path = PathBuilder::new();
    for segment in segments {
        match *segment {
            Segment::Move(x, y) => path.move_to(x as f32, y as f32),
            Segment::Line(x, y) => path.line_to(x as f32, y as f32),
            Segment::Close => path.close(),
            Segment::Circle(x, y, r) => {
                let (x, y, r) = (x as f32, y as f32, r as f32);
                path.push_oval(Rect::from_ltrb(x - r, y - r, x + r, y + r)?);
            }
        }
    }
    path.finish()
}
