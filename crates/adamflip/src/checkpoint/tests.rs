use super::*;
use crate::problem;
use crate::spec::{self, Overrides};
use crate::train::Signal;

const PROBLEM: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
[term.pde]
equation = "u_xx = 1"
points = 8
[term.ends]
on = ["x = 0", "x = 1"]
equation = "u = 0"
points = 2
[network]
hidden = [4]
[train]
stages = [{ method = "adam", steps = 3 }, { method = "adamflip", steps = 5 }]
"#;

fn trained(steps: usize) -> Trainer {
    let problem = problem::build(spec::parse("bar.toml", PROBLEM, &Overrides::default())).unwrap();
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
    let trainer = trained(5);
    let back = Checkpoint::read(&path).unwrap();
    assert_eq!(back, Checkpoint::of(&trainer));
    assert_eq!(back.theta, trainer.θ());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let mut fresh = trainer.stages()[1].method.optimizer(trainer.objective(), 5);
    assert!(fresh.restore(&back.optimizer), "{:?}", back.optimizer);
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
        let metadata = Checkpoint::of(&trained(steps)).metadata;
        assert_eq!((metadata.step, metadata.stage, metadata.method.as_str()), (steps, stage, method));
        assert_eq!((metadata.problem.as_str(), metadata.seed), ("bar", 7));
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

/// Header, name, type and bytes of a list, and what must be said about it.
type Foreign<'a> = (Option<HashMap<String, String>>, &'a str, Dtype, &'a [u8], &'a str);

#[test]
fn foreign_files_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let header = |text: &str| Some(HashMap::from([(KEY.to_owned(), text.to_owned())]));
    let ours = r#"{"format":1,"version":"","problem":"","seed":0,"step":0,"stage":0,"method":""}"#;
    let nan = f64::NAN.to_le_bytes();
    #[rustfmt::skip]
    let cases: [Foreign<'_>; 7] = [
        (None,                       "theta",  Dtype::F64, &[0; 8], "its header has no `adamflip`"),
        (header("{"),                "theta",  Dtype::F64, &[0; 8], "EOF"),
        (header(r#"{"format":1}"#),  "theta",  Dtype::F64, &[0; 8], "missing field"),
        (header(r#"{"format":99}"#), "theta",  Dtype::F64, &[0; 8], "has layout 99"),
        (header(ours),               "theta",  Dtype::F32, &[0; 8], "not a list of f64"),
        (header(ours),               "weight", Dtype::F64, &[0; 8], "it has a list `weight`"),
        (header(ours),               "theta",  Dtype::F64, &nan,    "not finite"),
    ];
    for (header, name, dtype, data, expected) in cases {
        let shape = vec![8 * data.len() / dtype.bitsize()];
        let view = TensorView::new(dtype, shape, data).unwrap();
        fs::write(&path, safetensors::serialize([(name, view)], header).unwrap()).unwrap();
        assert!(message(&path).contains(expected), "{expected}: {}", message(&path));
    }
    let nothing: [(&str, TensorView<'_>); 0] = [];
    fs::write(&path, safetensors::serialize(nothing, header(ours)).unwrap()).unwrap();
    assert!(message(&path).contains("no list `theta`"));
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
    fs::create_dir(path.with_extension("tmp")).unwrap();
    let error = Checkpoint::of(&trained(1)).write(&path).unwrap_err();
    assert!(error.to_string().contains("cannot write"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}
