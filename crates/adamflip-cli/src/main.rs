//! The program `adamflip`.
fn main() {}
