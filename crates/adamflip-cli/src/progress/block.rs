//! Lines of a terminal that are written over again and again.

use console::{Term, measure_text_width};

use crate::view::{Paper, Size};

/// The last lines of a terminal. The cursor rests below them, so that whatever else is written comes after
/// them.
pub(crate) struct Block {
    term: Term,
    colours: bool,
    /// The widths of the lines that are there.
    drawn: Vec<usize>,
}

impl Block {
    pub(crate) fn new(term: Term, colours: bool) -> Self {
        Self { term, colours, drawn: Vec::new() }
    }

    /// The room for the lines: one less than the terminal has, for the cursor.
    pub(crate) fn paper(&self) -> Paper {
        let (height, width) = self.term.size();
        let size = Size { width: width.into(), height: usize::from(height).saturating_sub(1) };
        Paper { size, colours: self.colours }
    }

    /// Puts lines in place of those that are there, in one piece so that nothing flickers.
    pub(crate) fn draw(&mut self, lines: &[String]) {
        let mut text = self.back();
        for line in lines {
            // Each line erases what is left of the one that it covers.
            text += &format!("{line}\u{1b}[K\n");
        }
        self.write(&(text + "\u{1b}[J"));
        self.drawn = lines.iter().map(|line| measure_text_width(line)).collect();
    }

    /// Takes the lines away.
    pub(crate) fn clear(&mut self) {
        if !self.drawn.is_empty() {
            self.write(&(self.back() + "\u{1b}[J"));
            self.drawn.clear();
        }
    }

    /// Moves the cursor to the first line. In a terminal that was made narrower the lines take more rows than
    /// before.
    fn back(&self) -> String {
        let width = usize::from(self.term.size().1).max(1);
        match self.drawn.iter().map(|line| line.div_ceil(width).max(1)).sum::<usize>() {
            0 => String::new(),
            rows => format!("\r\u{1b}[{rows}A"),
        }
    }

    fn write(&self, text: &str) {
        // There is nobody left to tell that the terminal is gone.
        let _ = self.term.write_str(text).and_then(|()| self.term.flush());
    }
}
