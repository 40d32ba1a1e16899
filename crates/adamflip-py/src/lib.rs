//! The compiled half of the Python package `adamflip`: what `python/adamflip` imports as
//! `adamflip._adamflip`.
//!
//! Python checks what is cheap to check there and shapes results into objects; numbers and their loops are
//! here.
// θ is the library's name for the parameters.
#![allow(mixed_script_confusables)]

mod array;
mod errors;
mod functions;
mod minimize;
mod settings;

/// The compiled module.
#[pyo3::pymodule(name = "_adamflip")]
mod module {
    #[pymodule_export]
    use crate::minimize::{methods, minimize};
}
