//! Problems that nobody chose, one of each class: hard constraints with curvature never freeze on them.

use std::path::{Path, PathBuf};
use std::process::Command;

use adamflip::problem::{self, Problem};
use adamflip::spec::{self, Overrides};
use adamflip::train::{Signal, Status, Trainer};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../bench/strangers")
}

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder().join("fixed")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.collect();
    files.sort();
    files
}

/// A small network, few points that are fresh at every step, a short start and a few steps with curvature.
fn small(path: &Path) -> Problem {
    let load = |set| spec::load(path, &Overrides { profile: None, set }).unwrap();
    let mut set = vec![
        "network.hidden=2x12".to_owned(),
        "train.resample=1".to_owned(),
        r#"train.stages=[{method="adam",steps=100,lr=5e-3},{method="newtonflip",steps=40}]"#.to_owned(),
    ];
    for term in load(Vec::new()).spec.terms {
        set.extend(
            term.points.map(|points| format!("term.{}.points={}", term.name.value, points.value.min(100))),
        );
    }
    problem::build(load(set)).unwrap_or_else(|rejected| panic!("{}: {rejected:?}", path.display()))
}

#[test]
fn newtonflip_moves_at_every_step() {
    let files = files();
    assert_eq!(files.len(), 9, "one of each class");
    let mut quick = 0;
    for path in files {
        let problem = small(&path);
        let stages = problem.stages.clone();
        let mut trainer = Trainer::new(problem, 1, stages).unwrap();
        let (mut start, mut last, mut still) = (f64::NAN, f64::NAN, 0);
        let status = trainer.run(&mut |progress| {
            let loss =
                progress.report.objective + progress.misfits.iter().map(|misfit| misfit.mse).sum::<f64>();
            if progress.stage == 1 {
                start = if start.is_nan() { loss } else { start };
                last = loss;
                still += usize::from(progress.report.step_norm == 0.0);
            }
            Signal::Continue
        });
        let name = path.display();
        assert_eq!(status, Status::MaxSteps, "{name}");
        assert_eq!(still, 0, "{name}: steps without length");
        // The hardest, eleven half-waves seen by 24 units, comes down by a tenth.
        assert!(last < 0.95 * start, "{name}: {start:e} to {last:e}");
        quick += usize::from(last < 1e-2 * start);
    }
    assert!(quick >= 5, "only {quick} of nine fell by two orders of magnitude");
}

#[test]
fn the_generator_writes_these_files() {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("strangers");
    let count = files().len().to_string();
    let script = folder().join("generate.py");
    let done = Command::new("python3")
        .args([
            "-B".as_ref(),
            script.as_os_str(),
            "--count".as_ref(),
            count.as_ref(),
            "--out".as_ref(),
            target.as_os_str(),
        ])
        .output();
    let Ok(done) = done else {
        return eprintln!("no python3: the generator is not tested");
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    for path in files() {
        let written = std::fs::read_to_string(target.join(path.file_name().unwrap())).unwrap();
        assert_eq!(written, std::fs::read_to_string(&path).unwrap(), "{}", path.display());
    }
}
