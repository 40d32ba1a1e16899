//! A short mark of a problem file as it was read and of its data, to see whether they were changed since.

use std::path::{Path, PathBuf};

use adamflip::checkpoint::regular;
use adamflip::export::data_file;
use adamflip::spec::{self, DataFile, Overrides};

use super::child::JobSpec;
use super::mark::Mark;
use crate::error::RunError;
use crate::{choices, run_dir};

/// Of the file as a run would read it now.
pub fn now(order: &JobSpec) -> Result<String, RunError> {
    let overrides = Overrides { profile: order.profile.clone(), set: order.set.clone() };
    let mut parsed = spec::load(&order.file, &overrides).map_err(RunError::complete)?;
    parsed.spec.train.seed = order.seed;
    // As a run writes it: with the network and the points that are chosen where the file leaves them open.
    let file = choices::build(parsed)?.file;
    let mut files: Vec<&DataFile> = file.files.iter().collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let content = |data: &DataFile| {
        let mut bytes = Vec::new();
        data_file(data).and_then(|mut content| content.read_to_end(&mut bytes)).map(|_| bytes)
    };
    Ok(of(&file.text(), files.into_iter().map(|data| content(data).unwrap_or_default())))
}

/// Of the file that a run has read; none where it has none.
pub fn of_run(run: &Path) -> Option<String> {
    let text = regular::read_text(&run.join("problem.toml"), run_dir::LARGEST_TEXT).ok()?;
    let files = std::fs::read_dir(run.join(spec::DATA)).into_iter().flatten();
    let mut files: Vec<PathBuf> = files.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let content = |path: &PathBuf| regular::read(path, run_dir::LARGEST_DATA).unwrap_or_default();
    Some(of(&text, files.iter().map(content)))
}

/// Of the lines, without comments and empty lines, and without the time that a run may take (some runs are
/// given as much as others took), and of the contents of files in the order of their names.
fn of(text: &str, files: impl IntoIterator<Item = Vec<u8>>) -> String {
    // Fields of size one, as all of the paper are, are not scaled: not a word of theirs in older folders.
    let silent = ["#", "max_seconds", "scale_outputs = false"];
    let counts = |line: &&str| !line.is_empty() && !silent.iter().any(|start| line.starts_with(start));
    let mut mark = Mark::new();
    for line in text.lines().filter(counts) {
        mark.add(line.as_bytes());
        mark.add(b"\n");
    }
    files.into_iter().for_each(|content| mark.add(&content));
    mark.text()
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_what_matters_counts() {
        let of = |text| super::of(text, []);
        let mark = of("a = 1\nb = 2\n");
        assert_eq!(mark, of("# by\n\na = 1\nmax_seconds = 3\nb = 2"));
        assert_ne!(mark, of("a = 1\nb = 3\n"));
        assert_ne!(mark, super::of("a = 1\nb = 2\n", [b"x,u\n".to_vec()]));
    }
}
