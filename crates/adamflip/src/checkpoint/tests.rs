//! Files written and read, cut short, damaged and foreign. That a run goes on from one with the same bits is
//! shown in `tests/integration/resume.rs`.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use super::*;
use crate::problem;
use crate::spec::{self, Overrides};
use crate::testing::ROD;
use crate::train::Signal;

/// A rod that nothing leaves at its ends, whose points have normals.
fn problem() -> String {
    let rod = ROD.replace("u = 0", "u_n = 0").replace("[6]\nscale_outputs = false", "[4]");
    let stages = "{ method = \"adam\", steps = 3 }, { method = \"adamflip\", steps = 5 }";
    format!("{rod}[train]\nstages = [{stages}]\n")
}

fn trained(steps: usize) -> Trainer {
    let problem = problem::build(spec::parse("bar.toml", &problem(), &Overrides::default())).unwrap();
    let stages = problem.stages.clone();
    let mut trainer = Trainer::new(problem, 7, stages).unwrap();
    trainer.run(&mut |progress| if progress.step < steps { Signal::Continue } else { Signal::Interrupt });
    trainer
}

fn saved(folder: &tempfile::TempDir) -> PathBuf {
    let path = folder.path().join("checkpoint.safetensors");
    Checkpoint::of(&trained(5)).write(&path).unwrap();
    path
}

fn message(path: &Path) -> String {
    Checkpoint::read(path).unwrap_err().to_string()
}

#[test]
fn comes_back_bit_for_bit_and_leaves_no_other_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(&folder);
    let back = Checkpoint::read(&path).unwrap();
    assert_eq!(back.snapshot.θ, trained(5).θ());
    assert_eq!(back.snapshot.points, trained(5).points(), "normals too");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    back.write(&path.with_extension("again")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(path.with_extension("again")).unwrap());
}

#[test]
fn the_same_state_gives_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(&folder);
    let first = fs::read(&path).unwrap();
    assert_eq!(first, fs::read(saved(&folder)).unwrap());
}

#[test]
fn knows_the_stage_of_the_last_step() {
    for (steps, stage, method) in [(1, 0, "adam"), (3, 0, "adam"), (4, 1, "adamflip"), (8, 1, "adamflip")] {
        let Metadata { place, method: found, problem, seed, .. } = Checkpoint::of(&trained(steps)).metadata;
        assert_eq!((place.step, place.stage, found.as_str()), (steps, stage, method));
        assert_eq!((problem.as_str(), seed), ("bar", 7));
    }
}

#[test]
fn a_file_cut_short_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(&folder);
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(message(&path).contains("not a whole safetensors file"), "{length}");
    }
}

/// Every bit of the file flipped on its own, then bytes and blocks of it replaced, moved and doubled.
#[test]
fn no_damage_goes_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(&folder);
    let whole = fs::read(&path).unwrap();
    let mut mutations = 0;
    let mut check = |bytes: &[u8], what: &dyn std::fmt::Debug| {
        fs::write(&path, bytes).unwrap();
        mutations += 1;
        let refused = Checkpoint::read(&path).err();
        assert!(refused.is_some() || bytes == whole, "{what:?} went unnoticed");
    };
    for bit in 0..8 * whole.len() {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        check(&bytes, &bit);
    }
    let mut random = crate::sample::stream(1, 0);
    let mut below = |limit: usize| (rand::Rng::next_u64(&mut random) % limit as u64) as usize;
    for _ in 0..4_000 {
        let mut bytes = whole.clone();
        let (at, from, length) = (below(whole.len()), below(whole.len()), 1 + below(64));
        let (at_end, from_end) = ((at + length).min(whole.len()), (from + length).min(whole.len()));
        match below(4) {
            0 => bytes[at] = below(256) as u8,
            1 => drop(bytes.splice(at..at_end, whole[from..from_end].iter().copied())),
            2 => drop(bytes.drain(at..at_end)),
            _ => bytes[at..at_end].reverse(),
        }
        check(&bytes, &(at, from, length));
    }
    assert!(mutations > 10_000, "{mutations}");
}

/// Header, name, type and bytes of a list, and what must be said about it.
type Foreign<'a> = (Option<HashMap<String, String>>, &'a str, Dtype, &'a [u8], &'a str);

#[test]
fn foreign_files_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let header = |text: &str| Some(HashMap::from([(KEY.to_owned(), text.to_owned())]));
    let metadata = serde_json::to_string(&Checkpoint::of(&trained(1)).metadata).unwrap();
    let ours = |name: &str, bytes: &[u8]| {
        let digest = digest(&metadata, [(name, [bytes.len() / 8].as_slice(), bytes)].into_iter());
        header(&format!("{digest} {metadata}"))
    };
    let nan = f64::NAN.to_le_bytes();
    #[rustfmt::skip]
    let cases: [Foreign<'_>; 9] = [
        (None,                         "theta",    Dtype::F64, &[0; 8], "its header has no `adamflip`"),
        (header("{"),                  "theta",    Dtype::F64, &[0; 8], "EOF"),
        (header(r#"{"format":1}"#),    "theta",    Dtype::F64, &[0; 8], "from before runs could be resumed"),
        (header(r#"a {"format":2}"#),  "theta",    Dtype::F64, &[0; 8], "missing field"),
        (header(r#"a {"format":99}"#), "theta",    Dtype::F64, &[0; 8], "has layout 99"),
        (header(&format!("a {metadata}")), "theta", Dtype::F64, &[0; 8], "is damaged"),
        (ours("weight", &[0; 8]),      "weight",   Dtype::F64, &[0; 8], "it has a list `weight`"),
        (ours("points.x", &[0; 8]),    "points.x", Dtype::F64, &[0; 8], "is not a table"),
        (ours("theta", &nan),          "theta",    Dtype::F64, &nan,    "not finite"),
    ];
    for (header, name, dtype, data, expected) in cases {
        let shape = vec![8 * data.len() / dtype.bitsize()];
        let view = TensorView::new(dtype, shape, data).unwrap();
        fs::write(&path, safetensors::serialize([(name, view)], header).unwrap()).unwrap();
        assert!(message(&path).contains(expected), "{expected}: {}", message(&path));
    }
    fs::write(&path, "<html>not found</html>").unwrap();
    assert!(message(&path).contains("not a whole safetensors file"));
    assert!(message(&folder.path().join("absent")).contains("cannot read"));
}

#[test]
fn a_failed_write_keeps_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(&folder);
    let before = fs::read(&path).unwrap();
    // A folder in the place of the temporary file makes the write fail.
    let temporary = format!("checkpoint.safetensors.{}.tmp", std::process::id());
    fs::create_dir(folder.path().join(temporary)).unwrap();
    let error = Checkpoint::of(&trained(1)).write(&path).unwrap_err();
    assert!(error.to_string().contains("cannot write"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}
