//! Tests of the library as a whole that need its inside.

mod bounds;
#[cfg(target_os = "linux")]
mod fence;
