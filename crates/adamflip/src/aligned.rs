//! Memory that starts on a cache line, so that no vector of a kernel straddles two.
#![allow(unsafe_code)]

use std::ops::{Deref, DerefMut};

/// A growable list of doubles on cache-line boundaries.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Aligned {
    lines: Vec<Line>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
struct Line([f64; 8]);

impl Aligned {
    /// Grows to at least `length` numbers, the new ones zero.
    pub(crate) fn fit(&mut self, length: usize) {
        let lines = length.div_ceil(8).max(self.lines.len());
        self.lines.resize(lines, Line([0.0; 8]));
    }
}

impl Deref for Aligned {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        // SAFETY: a line is eight doubles without padding, so n lines are 8n doubles.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.lines.len() * 8) }
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f64] {
        // SAFETY: as above, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.lines.len() * 8) }
    }
}
