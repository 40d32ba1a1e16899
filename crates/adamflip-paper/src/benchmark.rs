//! The seven problems of the paper, and what of them is measured.

use super::quantity::{Condition, Quantity};

/// A problem of the paper.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Benchmark {
    /// The name of its file.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// The fields whose errors are measured.
    pub(crate) fields: &'static [&'static str],
    /// The coordinates across and up in figures; others are at their ends.
    pub(crate) plane: [&'static str; 2],
    /// ` at t = 1`, where there is another.
    pub(crate) place: &'static str,
    /// The coefficients that are sought; none in forward problems.
    pub(crate) unknowns: &'static [&'static str],
    /// The seconds of AdamFLIP in the paper: by them the cheapest comes first.
    pub(crate) seconds: u32,
}

/// The names of all problems, in the order of the paper's table.
pub const PROBLEMS: [&str; 7] = [
    "burgers_forward",
    "burgers_inverse",
    "tfmdwe_forward",
    "tfmdwe_inverse",
    "heat_forward",
    "heat_inverse",
    "navier_stokes",
];

#[rustfmt::skip]
pub(crate) const BENCHMARKS: [Benchmark; 7] = [
    Benchmark { name: PROBLEMS[0], title: "Burgers, forward", fields: &["u"], plane: ["t", "x"], place: "", unknowns: &[], seconds: 115 },
    Benchmark { name: PROBLEMS[1], title: "Burgers, inverse", fields: &["u"], plane: ["t", "x"], place: "", unknowns: &["kappa1", "kappa2"], seconds: 324 },
    Benchmark { name: PROBLEMS[2], title: "TFMDWE, forward", fields: &["u"], plane: ["t", "x"], place: "", unknowns: &[], seconds: 50 },
    Benchmark { name: PROBLEMS[3], title: "TFMDWE, inverse", fields: &["u"], plane: ["t", "x"], place: "", unknowns: &["alpha"], seconds: 133 },
    Benchmark { name: PROBLEMS[4], title: "Heat, forward", fields: &["u"], plane: ["x", "y"], place: " at t = 1", unknowns: &[], seconds: 336 },
    Benchmark { name: PROBLEMS[5], title: "Heat, inverse", fields: &["u"], plane: ["x", "y"], place: " at t = 1", unknowns: &["kappa"], seconds: 346 },
    Benchmark { name: PROBLEMS[6], title: "Navier–Stokes", fields: &["u", "v", "p"], plane: ["x", "y"], place: " at t = 1", unknowns: &[], seconds: 335 },
];

/// The problem on which moments and gains are studied.
pub(crate) const ABLATED: &Benchmark = &BENCHMARKS[4];

impl Benchmark {
    /// Are coefficients sought?
    pub(crate) fn is_inverse(&self) -> bool {
        !self.unknowns.is_empty()
    }

    /// The rows of the paper's table, in its order.
    pub(crate) fn quantities(&self) -> Vec<Quantity> {
        let mut all: Vec<Quantity> = self.fields.iter().map(|field| Quantity::Error(field)).collect();
        all.extend(self.conditions().map(Quantity::MeanSquare));
        all.extend(self.unknowns.iter().map(|unknown| Quantity::UnknownError(unknown)));
        all.push(Quantity::Seconds);
        all
    }

    /// The conditions that it has.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = Condition> {
        let inverse = self.is_inverse();
        Condition::ALL.into_iter().filter(move |condition| *condition != Condition::Data || inverse)
    }
}
