//! The tables of the paper, of whatever results there are.

use super::benchmark::{BENCHMARKS, Benchmark};
use super::cell::{Form, MethodId};
use super::paper;
use super::quantity::{Condition, Quantity};
use super::sheet::{Aggregate, Column, Entry, Line, Sheet};
use super::store::{ResultStore, StoredResult};
use super::study::{self, NOISE, NOISY};

const COMPARED: &str =
    "≤ ours is at or below the paper's number, > it is above; best is compared with the paper's AdamFLIP.";

/// All tables. Of these results the problem files were changed since.
pub(crate) fn all(store: &ResultStore, old: &[String]) -> Vec<Sheet> {
    let tables = Tables { store };
    let mut sheets = vec![
        tables.main(),
        tables.norms(),
        tables.unknowns(),
        tables.betas(),
        tables.gains(),
        tables.noise(),
        tables.late(),
    ];
    if !old.is_empty() {
        let note = format!("The problem files were changed since these runs: {}.", old.join(", "));
        sheets.iter_mut().take(1).for_each(|sheet| sheet.notes.push(note.clone()));
    }
    sheets
}

/// A column for every method; the paper has none of our best.
fn columns(has_paper: bool) -> Vec<Column> {
    let column = |method: MethodId| Column {
        name: method.name().to_owned(),
        has_paper: has_paper && method != MethodId::Best,
    };
    MethodId::ALL.map(column).into()
}

/// What is to be known of the ablations.
fn ablated() -> Vec<String> {
    vec![format!(
        "Each number is the {}. A third of the steps of the main study: the paper says of its own neither how many they are nor, \
         for the gain, on which problem.",
        Aggregate::Mean.said()
    )]
}

struct Tables<'a> {
    store: &'a ResultStore,
}

impl Tables<'_> {
    /// What all seeds of a form have of a quantity.
    fn entry(&self, form: &Form, quantity: Quantity) -> Entry {
        let (failed, ended): (Vec<&StoredResult>, Vec<&StoredResult>) =
            self.store.of(form).partition(|kept| kept.has_failed());
        let numbers: Vec<f64> = ended.iter().map(|kept| quantity.of(kept)).collect();
        let is_judged = !matches!(quantity, Quantity::Unknown(_));
        Entry { numbers, failed: failed.len(), paper: None, is_judged, digits: quantity.digits() }
    }

    /// A row for every quantity of every problem, a column for every method.
    fn methods(&self, quantities: impl Fn(&'static Benchmark) -> Vec<Quantity>) -> Vec<Line> {
        let mut lines = Vec::new();
        for problem in &BENCHMARKS {
            for (number, quantity) in quantities(problem).into_iter().enumerate() {
                let entry = |method: MethodId| {
                    let paper = paper::number(problem, quantity, method).map(|number| (number, None));
                    Entry { paper, ..self.entry(&study::plain(problem, method), quantity) }
                };
                let labels = vec![problem.title.to_owned(), quantity.name()];
                lines.push(Line { labels, entries: MethodId::ALL.map(entry).to_vec(), begins: number == 0 });
            }
        }
        lines
    }

    fn main(&self) -> Sheet {
        Sheet {
            name: "main",
            title: "Errors, constraint errors and times of all methods (the paper's Table 1)".to_owned(),
            labels: vec!["problem", "quantity"],
            columns: columns(true),
            lines: self.methods(Benchmark::quantities),
            aggregate: Aggregate::Median,
            notes: vec![
                format!("Each number is the {}. {COMPARED}", Aggregate::Median.said()),
                "CE: mean square of the residuals at the training points. Times: on all cores of the machine; the \
                 paper's: one NVIDIA H100."
                    .to_owned(),
            ],
        }
    }

    fn norms(&self) -> Sheet {
        let quantities =
            |problem: &Benchmark| problem.conditions().map(Quantity::MeanNorm).collect::<Vec<_>>();
        Sheet {
            name: "norms",
            title: "Constraint errors by the definition of the paper's appendix".to_owned(),
            labels: vec!["problem", "quantity"],
            columns: columns(false),
            lines: self.methods(quantities),
            aggregate: Aggregate::Median,
            notes: vec![
                format!("Each number is the {}.", Aggregate::Median.said()),
                "CE: mean over the training points of the norm of the residuals there. The paper has no numbers of it."
                    .to_owned(),
            ],
        }
    }

    fn unknowns(&self) -> Sheet {
        let quantities =
            |problem: &Benchmark| problem.unknowns.iter().map(|name| Quantity::Unknown(name)).collect();
        Sheet {
            name: "unknowns",
            title: "Recovered coefficients".to_owned(),
            labels: vec!["problem", "coefficient"],
            columns: columns(true),
            lines: self.methods(quantities),
            aggregate: Aggregate::Median,
            notes: vec![
                format!("Each number is the {}.", Aggregate::Median.said()),
                "Truths: kappa1 = 1 and kappa2 = 0.01/π = 0.00318 of Burgers, alpha = 0.5, kappa = 0.1 of heat.".to_owned(),
            ],
        }
    }

    fn late(&self) -> Sheet {
        let quantities =
            |problem: &Benchmark| problem.fields.iter().map(|field| Quantity::LateError(field)).collect();
        Sheet {
            name: "late",
            title: "Errors in the median of the last tenth of the steps".to_owned(),
            labels: vec!["problem", "quantity"],
            columns: columns(true),
            lines: self.methods(quantities),
            aggregate: Aggregate::Median,
            notes: vec![
                format!("Each number is the {}. {COMPARED}", Aggregate::Median.said()),
                "At a constant rate the error swings from step to step, and the last one, which the other tables have, is chance. \
                 Measured at 500 points of the grid. The paper's numbers are those of its last steps."
                    .to_owned(),
            ],
        }
    }

    fn betas(&self) -> Sheet {
        let line = |row: &paper::Betas| {
            let form = study::betas(row.betas);
            let last = Entry { paper: Some(row.error), ..self.entry(&form, Quantity::Error("u")) };
            let late = self.entry(&form, Quantity::LateError("u"));
            let labels = vec![row.betas.0.to_string(), row.betas.1.to_string()];
            Line { labels, entries: vec![last, late], begins: false }
        };
        Sheet {
            name: "beta",
            title: "AdamFLIP on heat, forward: the moments, with K_p = 1000 and K_i = 0.01".to_owned(),
            labels: vec!["β₁", "β₂"],
            columns: vec![
                Column { name: "rel. L2 of u".to_owned(), has_paper: true },
                Column { name: "in the last tenth of the steps".to_owned(), has_paper: false },
            ],
            lines: paper::BETAS.iter().map(line).collect(),
            aggregate: Aggregate::Mean,
            notes: ablated(),
        }
    }

    fn gains(&self) -> Sheet {
        let line = |row: &paper::Gain| {
            let form = study::gain(row.gain);
            let judged = |condition, paper| Entry {
                paper: Some(paper),
                ..self.entry(&form, Quantity::MeanSquare(condition))
            };
            let entries = vec![
                judged(Condition::Physics, row.physics),
                judged(Condition::Initial, row.initial),
                judged(Condition::Boundary, row.boundary),
                self.entry(&form, Quantity::Error("u")),
            ];
            Line { labels: vec![row.gain.to_string()], entries, begins: false }
        };
        let column = |name: &str, has_paper| Column { name: name.to_owned(), has_paper };
        Sheet {
            name: "gain",
            title: "AdamFLIP on heat, forward: the gain, with β = (0.95, 0.999) and K_i = 0.01".to_owned(),
            labels: vec!["K_p"],
            columns: vec![
                column("physics loss", true),
                column("IC loss", true),
                column("BC loss", true),
                column("rel. L2 of u", false),
            ],
            lines: paper::GAINS.iter().map(line).collect(),
            aggregate: Aggregate::Mean,
            notes: ablated(),
        }
    }

    fn noise(&self) -> Sheet {
        let pairs = || NOISY.iter().flat_map(|method| NOISE.map(|noise| (*method, noise)));
        let mut lines = Vec::new();
        for problem in BENCHMARKS.iter().filter(|problem| problem.is_inverse()) {
            let mut quantities = vec![Quantity::Error("u")];
            quantities.extend(problem.unknowns.iter().map(|unknown| Quantity::UnknownError(unknown)));
            for (number, quantity) in quantities.into_iter().enumerate() {
                let entry = |(method, noise)| self.entry(&study::noise(problem, method, noise), quantity);
                let labels = vec![problem.title.to_owned(), quantity.name()];
                lines.push(Line { labels, entries: pairs().map(entry).collect(), begins: number == 0 });
            }
        }
        let column = |(method, noise): (MethodId, f64)| Column {
            name: format!("{}, {}%", method.name(), 100.0 * noise),
            has_paper: false,
        };
        Sheet {
            name: "noise",
            title: "Inverse problems with noise in the observations".to_owned(),
            labels: vec!["problem", "quantity"],
            columns: pairs().map(column).collect(),
            lines,
            aggregate: Aggregate::Median,
            notes: vec![format!(
                "Each number is the {}. The paper has no such study.",
                Aggregate::Median.said()
            )],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use adamflip_run::table::Format;

    /// A folder of results as they lie on the disk.
    fn store(results: &[Value]) -> (tempfile::TempDir, ResultStore) {
        let folder = tempfile::tempdir().unwrap();
        for (number, result) in results.iter().enumerate() {
            std::fs::write(folder.path().join(format!("{number}.json")), result.to_string()).unwrap();
        }
        let store = ResultStore::read(folder.path()).unwrap();
        assert_eq!(store.all().len(), results.len());
        (folder, store)
    }

    fn result(cell: [&str; 3], variant: Option<&str>, seed: u64, terms: Value, summary: Value) -> Value {
        let [study, problem, method] = cell;
        json!({
            "format": 1, "study": study, "problem": problem, "method": method, "variant": variant, "seed": seed,
            "profile": "paper", "settings": "paper", "fingerprint": "", "command": "", "version": "0", "commit": null,
            "date": "", "machine": { "system": "s", "architecture": "a", "processor": "p", "cores": 2 },
            "threads": 1, "jobs": 2, "terms": terms, "summary": summary
        })
    }

    fn lines(sheet: &Sheet, containing: &str) -> Vec<String> {
        let text = sheet.render(Format::Csv);
        text.lines().filter(|line| line.contains(containing)).map(str::to_owned).collect()
    }

    #[test]
    fn terms_become_the_columns_of_the_paper() {
        let term =
            |points, square, norm| json!({ "points": points, "mean_square": square, "mean_norm": norm });
        let terms = json!({
            "pde": term(10, 2e-4, 1e-2), "initial": term(10, 1e-5, 1e-3),
            "sides": term(30, 2e-5, 1e-3), "ends": term(50, 4e-5, 3e-3), "level": term(20, 1e-5, 2e-3),
        });
        let summary =
            json!({ "status": "max_steps", "seconds": 120.0, "rel_l2": { "u": 1e-2, "v": 2e-2, "p": 0.1 } });
        let cell = ["main", "navier_stokes", "adamflip"];
        let (_folder, store) = store(&[result(cell, None, 0, terms, summary)]);
        let all = all(&store, &["main-navier_stokes-adamflip-0".to_owned()]);
        assert!(all[0].notes.iter().any(|note| note.ends_with("these runs: main-navier_stokes-adamflip-0.")));
        assert!(lines(&all[6], "rel. L2 of u,adamflip")[0].ends_with(",1.18e-2,,"));
        let place = "Navier–Stokes / CE (BC),adamflip,1,0,";
        // (30·2 + 50·4 + 20·1)/100 = 2.8 and (30·1 + 50·3 + 20·2)/100 = 2.2.
        let number =
            |line: &str| line.split(',').nth(5).and_then(|cell| cell.parse().ok()).unwrap_or(f64::NAN);
        let (square, norm) = (lines(&all[0], place), lines(&all[1], place));
        // Roundings of three products and a division.
        assert!(
            (number(&square[0]) / 2.8e-5 - 1.0).abs() < 1e-14 && square[0].ends_with(",4.86e-5,,at or below")
        );
        assert!((number(&norm[0]) / 2.2e-3 - 1.0).abs() < 1e-14 && norm[0].ends_with(",,,"));
        assert!(lines(&all[0], "Navier–Stokes / CE (DL)").is_empty());
        assert!(lines(&all[0], "rel. L2 of v,adamflip")[0].ends_with(",1.06e-2,,above"));
        assert!(lines(&all[0], "time (s),adamflip,1")[0].ends_with(",3.35e2,,at or below"));
        assert!(lines(&all[0], "Navier–Stokes / CE (IC),best")[0].ends_with("best,0,0,,,,,,1.26e-5,,"));
    }

    #[test]
    fn studies_take_rows_from_each_other_and_seeds_have_a_mean() {
        let summary =
            |error: f64, status: &str| json!({ "status": status, "seconds": 1.0, "rel_l2": { "u": error } });
        let beta = ["beta", "heat_forward", "adamflip"];
        let ended =
            |seed, error| result(beta, Some("0.95-0.999"), seed, json!({}), summary(error, "max_steps"));
        let wild = result(beta, Some("0.95-0.999"), 2, json!({}), summary(9.0, "diverged"));
        let main = result(["main", "heat_inverse", "best"], None, 0, json!({}), summary(0.25, "max_steps"));
        let (_folder, store) = store(&[ended(0, 0.01), ended(1, 0.03), wild, main]);
        let all = all(&store, &[]);
        let beta = all[3].render(Format::Markdown);
        assert!(
            beta.contains("| 0.95 | 0.999 | 2.00e-2 ± 1.41e-2 (2 of 3) > | 8.48e-3 ± 5.01e-2 |"),
            "{beta}"
        );
        let gain = all[4].render(Format::Markdown);
        assert!(gain.contains("2.00e-2 ± 1.41e-2 (2 of 3) |") && gain.contains("| 10 | – |"), "{gain}");
        assert!(lines(&all[5], "\"best, 0%\",1,0,2.5e-1")[0].contains("Heat, inverse / rel. L2 of u"));
    }
}
