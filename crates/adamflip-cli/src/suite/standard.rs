//! The standard problems: the time that each is given, and the best published error with its source.
//!
//! The files are in `problems/standard`, with their definitions and references. Published figures are of
//! networks trained on the equations alone, on graphics processors and mostly for hours.

use serde::Serialize;

/// A problem of the suite.
#[derive(Debug)]
pub(crate) struct Standard {
    /// That of its file.
    pub(super) name: &'static str,
    /// The time of a run. Chosen so that the default plan gets to its last steps on one core of 2026, or near
    /// them.
    pub(super) seconds: u32,
    pub(super) published: Option<Published>,
}

/// A published error.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Published {
    pub(super) error: f64,
    pub(super) source: &'static str,
    /// What is different there.
    pub(super) note: &'static str,
}

const PINNACLE: &str = "Hao et al., PINNacle: a comprehensive benchmark of physics-informed neural networks, 2023 (arXiv:2306.08827), the best of its methods";
const EXPERT: &str = "Wang, Sankaran, Wang, Perdikaris, An expert's guide to training physics-informed neural networks, 2023 (arXiv:2308.08468)";
const RAISSI: &str =
    "Raissi, Perdikaris, Karniadakis, Physics-informed neural networks, J. Comput. Phys. 378 (2019)";
const UNVERIFIED: &str = "the best figure that was named to us; we have not verified its source";

const fn by(error: f64, source: &'static str, note: &'static str) -> Option<Published> {
    Some(Published { error, source, note })
}

/// All of them, in the order of the table.
#[rustfmt::skip]
pub(super) const STANDARD: &[Standard] = &[
    Standard { name: "advection",             seconds: 300, published: None },
    Standard { name: "wave",                  seconds: 120, published: by(9.8e-2, PINNACLE, "") },
    Standard { name: "burgers_1e-2",          seconds: 300, published: None },
    Standard { name: "burgers",               seconds: 300, published: None },
    Standard { name: "burgers_1e-3",          seconds: 300, published: None },
    Standard { name: "allen_cahn",            seconds: 300, published: by(1.9e-6, UNVERIFIED, "") },
    Standard { name: "kdv",                   seconds: 300, published: by(2.2e-6, UNVERIFIED, "") },
    Standard { name: "schroedinger",          seconds: 300, published: by(2.0e-3, RAISSI, "") },
    Standard { name: "kuramoto_sivashinsky",  seconds: 900, published: by(1.6e-1, EXPERT, "1.4e-4 over a shorter time") },
    Standard { name: "gray_scott",            seconds: 300, published: None },
    Standard { name: "cavity_100",            seconds: 300, published: by(3.6e-2, PINNACLE, "a lid of speed 4x(1 - x)") },
    Standard { name: "cavity_400",            seconds: 600, published: None },
    Standard { name: "cavity_1000",           seconds: 900, published: by(1.6e-1, EXPERT, "at Re 3200") },
    Standard { name: "heat_multiscale",       seconds: 300, published: by(6.2e-2, PINNACLE, "") },
    Standard { name: "helmholtz",             seconds: 300, published: None },
    Standard { name: "poisson_5d",            seconds: 120, published: by(4.7e-4, PINNACLE, "") },
    Standard { name: "heat_5ball",            seconds: 120, published: by(1.2e-4, PINNACLE, "") },
    Standard { name: "plate_with_hole",       seconds: 300, published: None },
    Standard { name: "oscillator_eigenvalue", seconds: 300, published: None },
    Standard { name: "robertson",             seconds: 300, published: None },
    Standard { name: "van_der_pol",           seconds: 300, published: None },
    Standard { name: "lorenz_inverse",        seconds: 60,  published: None },
    Standard { name: "poisson_inverse",       seconds: 300, published: by(2.5e-2, PINNACLE, "") },
    Standard { name: "heat_inverse",          seconds: 300, published: by(5.3e-2, PINNACLE, "") },
];

/// Their names.
pub(crate) fn names() -> Vec<&'static str> {
    STANDARD.iter().map(|standard| standard.name).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_table_and_the_folder_name_the_same_files() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems/standard");
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files = paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
        let mut files: Vec<String> =
            files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
        let mut names = names();
        files.sort();
        names.sort_unstable();
        assert_eq!(files, names);
    }
}
