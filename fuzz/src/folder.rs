//! A run folder in which one file has been replaced, and all that reads one.

use std::cell::OnceCell;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use adamflip_run::{Choices, Session, TrainOptions};
use tempfile::TempDir;

/// What a run folder is read from.
const FILES: [&str; 7] = [
    "problem.toml",
    "run.json",
    "history.csv",
    "summary.json",
    "checkpoint.safetensors",
    "checkpoint.old.safetensors",
    "data/seen.csv",
];

const PROBLEM: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
t = [0, 1]
[unknowns]
k = { start = 0.5, truth = 1.0 }
[term.pde]
equation = "u_t = k*u_xx"
points = 20
[term.ends]
on = ["x = 0", "x = 1"]
equation = "u = 0"
points = 8
[term.seen]
data = "seen.csv"
[network]
hidden = "1x4"
[train]
stages = [{ method = "adam", steps = 6 }]
"#;

/// A small run that has ended, and room to spoil a copy of it.
struct Template {
    folder: TempDir,
    content: Vec<Vec<u8>>,
}

impl Template {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let problem = folder.path().join("small.toml");
        fs::write(&problem, PROBLEM).expect("room for the problem");
        fs::write(folder.path().join("seen.csv"), "x,t,u\n0.2,0.1,0.5\n0.4,0.5,0.25\n").expect("room for data");
        let run = folder.path().join("whole");
        let mut session = Session::create(problem.as_path(), &Choices::default(), Some(&run), "fuzz").expect("a run");
        session.train(&TrainOptions::default(), &mut |_| ControlFlow::Continue(())).expect("a trained run");
        drop(session);
        let content = FILES.iter().map(|name| fs::read(run.join(name)).unwrap_or_default()).collect();
        Self { folder, content }
    }

    /// A copy of the run with this file replaced; nothing in place of it means that there is none.
    fn spoiled(&self, file: usize, bytes: &[u8]) -> PathBuf {
        let run = self.folder.path().join("run");
        let _ = fs::remove_dir_all(&run);
        fs::create_dir_all(run.join("data")).expect("a folder");
        for (i, (name, content)) in FILES.iter().zip(&self.content).enumerate() {
            let content = if i == file { bytes } else { content };
            if !content.is_empty() {
                fs::write(run.join(name), content).expect("room for a file");
            }
        }
        run
    }
}

thread_local! {
    static TEMPLATE: OnceCell<Template> = const { OnceCell::new() };
}

fn with<T>(use_it: impl FnOnce(&Template) -> T) -> T {
    TEMPLATE.with(|template| use_it(template.get_or_init(Template::new)))
}

/// The files of a whole run, each behind the byte that names it.
pub fn files() -> Vec<Vec<u8>> {
    with(|template| {
        let named = (0u8..).zip(&template.content);
        named.map(|(name, content)| [&[name], &content[..]].concat()).collect()
    })
}

/// Replaces one file of a run folder (the first byte says which) and reads the folder in every way.
pub fn run_folder(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    with(|template| {
        let run = template.spoiled(usize::from(*first) % FILES.len(), rest);
        read(&run, rest.len() % 16 == 0);
    });
}

/// Whatever a reader says, it says it in words. The report, which draws figures, takes the longest.
fn read(run: &Path, draws: bool) {
    if let Ok(solution) = adamflip_run::open(run) {
        let _ = solution.evaluate("u", &[&[0.5, 0.5]]);
    }
    let _ = adamflip_run::history(run).map_err(|error| error.to_string());
    let _ = adamflip_run::summary(run);
    let _ = adamflip_run::list::runs(run.parent().expect("a folder above"));
    if draws {
        let _ = adamflip_run::report(run, None).map_err(|error| error.to_string());
        let _ = adamflip_run::intervals(run, false).map_err(|error| error.to_string());
    }
    let resumed = Session::resume(run, Some(1)).map_err(|error| error.to_string());
    if let Ok(mut session) = resumed {
        let _ = session.take_steps(&TrainOptions::default(), &mut |_| ControlFlow::Break(()));
    }
}
