//! What the studies need, and in which order it is run.

use super::benchmark::{ABLATED, BENCHMARKS, Benchmark};
use super::cell::{Cell, Form, MethodId, Study, Variant};
use super::paper;

/// Relative noise of the observations, of which the first is none.
pub(crate) const NOISE: [f64; 3] = [0.0, 0.01, 0.05];
/// By whom it is studied.
pub(crate) const NOISY: [MethodId; 2] = [MethodId::AdamFlip, MethodId::Best];
/// The moments and the gain at which the other of the two is studied: the paper's defaults.
pub(crate) const BETAS: (f64, f64) = (0.95, 0.999);
pub(crate) const GAIN: f64 = 1000.0;

/// What is to be run.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) problems: Vec<&'static Benchmark>,
    pub(crate) methods: Vec<MethodId>,
    pub(crate) studies: Vec<Study>,
    pub(crate) seeds: Vec<u64>,
}

/// A problem by a method.
pub(crate) fn plain(problem: &'static Benchmark, method: MethodId) -> Form {
    Form { study: Study::Main, problem, method, variant: Variant::Plain }
}

/// AdamFLIP with these moments.
pub(crate) fn betas((first, second): (f64, f64)) -> Form {
    let variant = Variant::Betas(first, second);
    Form { study: Study::Beta, problem: ABLATED, method: MethodId::AdamFlip, variant }
}

/// AdamFLIP with this gain. At the default it is what the other study has, which is not run twice.
pub(crate) fn gain(gain: f64) -> Form {
    match gain {
        GAIN => betas(BETAS),
        _ => Form {
            study: Study::Gain,
            problem: ABLATED,
            method: MethodId::AdamFlip,
            variant: Variant::Gain(gain),
        },
    }
}

/// A problem with noise; without any it is that of the main study.
pub(crate) fn noise(problem: &'static Benchmark, method: MethodId, noise: f64) -> Form {
    match noise {
        0.0 => plain(problem, method),
        _ => Form { study: Study::Noise, problem, method, variant: Variant::Noise(noise) },
    }
}

/// All that a study needs.
fn forms(study: Study) -> Vec<Form> {
    let inverse = || BENCHMARKS.iter().filter(|problem| problem.is_inverse());
    match study {
        Study::Main => {
            BENCHMARKS.iter().flat_map(|problem| MethodId::ALL.map(|method| plain(problem, method))).collect()
        }
        Study::Beta => paper::BETAS.iter().map(|row| betas(row.betas)).collect(),
        Study::Gain => paper::GAINS.iter().map(|row| gain(row.gain)).collect(),
        Study::Noise => inverse()
            .flat_map(|problem| NOISY.map(|method| NOISE.map(|level| noise(problem, method, level))))
            .flatten()
            .collect(),
    }
}

impl Choice {
    /// All runs that are chosen, each once, what matters most and costs least first.
    pub(crate) fn cells(&self) -> Vec<Cell> {
        let mut chosen: Vec<Form> = Vec::new();
        for form in self.studies.iter().flat_map(|study| forms(*study)) {
            let wanted = self.problems.contains(&form.problem) && self.methods.contains(&form.method);
            if wanted && !chosen.contains(&form) {
                chosen.push(form);
            }
        }
        let mut cells: Vec<Cell> =
            self.seeds.iter().flat_map(|&seed| chosen.iter().map(move |&form| Cell { form, seed })).collect();
        let first = self.seeds.first().copied().unwrap_or_default();
        cells.sort_by_key(|cell| (cell.tier(first), self.place(cell.seed), cell.form.problem.seconds));
        cells
    }

    fn place(&self, seed: u64) -> usize {
        self.seeds.iter().position(|known| *known == seed).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Choice {
        Choice {
            problems: BENCHMARKS.iter().collect(),
            methods: MethodId::ALL.to_vec(),
            studies: Study::ALL.to_vec(),
            seeds: vec![0, 1, 2],
        }
    }

    #[test]
    fn every_cell_is_planned_once() {
        let cells = all().cells();
        // 7 problems by 6 methods, 6 pairs of moments, 8 gains of which one is among them, 3 problems with
        // noise of 2 levels by 2 methods; 3 seeds.
        assert_eq!(cells.len(), 3 * (7 * 6 + 6 + 7 + 3 * 2 * 2));
        let mut names: Vec<String> = cells.iter().map(Cell::name).collect();
        assert_eq!(names[0], "main-tfmdwe_forward-adam-0");
        assert!(names.contains(&"beta-heat_forward-adamflip-0.95-0.999-2".to_owned()));
        assert!(names.contains(&"gain-heat_forward-adamflip-5000-1".to_owned()));
        assert!(names.contains(&"noise-burgers_inverse-best-0.05-0".to_owned()));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), cells.len());
    }

    #[test]
    fn what_matters_most_comes_first() {
        let cells = all().cells();
        let three =
            |cell: &Cell| matches!(cell.form.method, MethodId::Best | MethodId::AdamFlip | MethodId::Adam);
        assert!(
            cells[..21].iter().all(|cell| cell.seed == 0 && three(cell) && cell.form.study == Study::Main)
        );
        assert!(cells[21..42].iter().all(|cell| cell.seed == 0 && !three(cell)));
        assert!(cells[42..67].iter().all(|cell| cell.seed == 0 && cell.form.study != Study::Main));
        assert!(cells[67..].iter().all(|cell| cell.seed > 0));
        assert!(cells[67..109].iter().all(|cell| three(cell) && cell.form.study == Study::Main));
    }

    #[test]
    fn a_study_brings_what_it_takes_from_others() {
        let names = |studies: &[Study], seeds: &[u64]| -> Vec<String> {
            let cells = Choice { studies: studies.to_vec(), seeds: seeds.to_vec(), ..all() }.cells();
            cells.iter().map(Cell::name).collect()
        };
        let gain = names(&[Study::Gain], &[7]);
        assert_eq!(gain.len(), 8);
        assert!(gain.contains(&"beta-heat_forward-adamflip-0.95-0.999-7".to_owned()));
        let noise = names(&[Study::Noise], &[0]);
        assert_eq!(noise.len(), 18);
        assert!(noise.contains(&"main-heat_inverse-best-0".to_owned()));
    }

    #[test]
    fn problems_and_methods_can_be_chosen() {
        let choice = Choice {
            problems: vec![&BENCHMARKS[0], ABLATED],
            methods: vec![MethodId::Adam],
            seeds: vec![3],
            ..all()
        };
        let names: Vec<String> = choice.cells().iter().map(Cell::name).collect();
        assert_eq!(names, ["main-burgers_forward-adam-3", "main-heat_forward-adam-3"]);
    }
}
