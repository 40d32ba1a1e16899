//! The colours of lines and text.

/// Red, green, blue.
pub(super) type Colour = [u8; 3];

/// Text and frames.
pub(super) const INK: Colour = [0x22; 3];
/// Frames and ticks.
pub(super) const FRAME: Colour = [0x33; 3];
/// Lines of the grid behind curves.
pub(super) const GRID: Colour = [0xe4; 3];
/// Lines that mark places on an axis.
pub(super) const MARKED: Colour = [0x77; 3];
pub(super) const BLACK: Colour = [0; 3];
pub(super) const BLUE: Colour = [0x00, 0x72, 0xb2];

/// The colours of Okabe and Ito (*Color Universal Design*, 2008), told apart by all eyes; their yellow is
/// left out, for it is too light on white.
pub(super) const CURVES: [Colour; 7] = [
    BLUE,
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    BLACK,
];

/// As SVG and CSS write it.
pub(super) fn hexadecimal([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
