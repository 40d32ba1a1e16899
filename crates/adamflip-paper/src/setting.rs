//! How a cell is solved: the profile, the method of the last stage and the overrides of its `solve`.
//!
//! The stages before the last, the warm start, stay for all methods, and so do the steps and those settings
//! that mean the same to them.

use std::path::PathBuf;

use adamflip::spec::{self, Overrides, Role, Spec, Stage, Term};

use super::cell::{Form, MethodId, Variant};
use super::study::{BETAS, GAIN};
use adamflip_run::RunError;
use adamflip_run::batch::JobSpec;

/// The integral gain of both ablations, from the paper.
const INTEGRAL_GAIN: f64 = 0.01;

/// Of the steps of the main study an ablation takes this part. The paper does not say how long its own are,
/// and 39 runs of the whole length would take longer than all the rest.
const ABLATION: usize = 3;

/// A condition with more residuals is met in its mean square by trSQP: the eigenvalues of all of them point
/// by point leave it a handful of steps in the time of AdamFLIP (four on Burgers' inverse problem, whose
/// 10,000 residuals are also more than there are parameters).
const MANY: usize = 1_000;

/// The settings of the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Those of the paper.
    #[default]
    Paper,
    /// Few steps, to see that everything works.
    Quick,
}

/// Where the problem files are, and how they are read.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) folder: PathBuf,
    pub(crate) profile: Profile,
}

impl Source {
    /// The name of the profile.
    pub(crate) fn settings(&self) -> &'static str {
        match self.profile {
            Profile::Paper => "paper",
            Profile::Quick => "quick",
        }
    }

    fn file(&self, form: &Form) -> PathBuf {
        self.folder.join(format!("{}.toml", form.problem.name))
    }

    /// Refuses a folder that lacks a file.
    pub(crate) fn has(&self, form: &Form) -> Result<(), RunError> {
        let (file, folder) = (self.file(form), self.folder.display());
        let hint = "name the folder of the problem files with `--problems DIR`";
        if file.is_file() {
            Ok(())
        } else if self.folder.is_dir() {
            let message = format!("the folder `{folder}` has no `{}.toml`", form.problem.name);
            Err(RunError::input(message, hint))
        } else {
            Err(RunError::input(format!("there is no folder `{folder}`"), hint))
        }
    }

    /// What begins a run of this form.
    pub(crate) fn job(&self, form: &Form, seed: u64) -> Result<JobSpec, RunError> {
        let profile = match (form.method, self.profile) {
            (MethodId::Best, Profile::Paper) => None,
            _ => Some(self.settings().to_owned()),
        };
        let job = JobSpec { file: self.file(form), profile, seed, ..JobSpec::default() };
        let spec = read(&job)?;
        let stages = &spec.train.stages;
        let is_own =
            |stage: &Stage| Some(stage.method.value.as_str()) == form.method.method().map(|own| own.name());
        let finish = form.method.method().filter(|_| !stages.last().is_some_and(is_own));
        let mut set = changes(form.variant, stages);
        if form.method == MethodId::TrSqp {
            let many = spec.terms.iter().filter(|term| is_large(term));
            set.extend(many.map(|term| format!("term.{}.pointwise=false", term.name.value)));
        }
        match form.variant {
            // What is changed must be a setting of the file's own method.
            Variant::Betas(..) | Variant::Gain(_) if finish.is_some() => {
                let method =
                    format!("train.stages[{}].method={}", stages.len().saturating_sub(1), form.method.name());
                Ok(JobSpec { set: std::iter::once(method).chain(set).collect(), ..job })
            }
            _ => Ok(JobSpec { finish, set, ..job }),
        }
    }
}

/// What a file says.
fn read(job: &JobSpec) -> Result<Spec, RunError> {
    let overrides = Overrides { profile: job.profile.clone(), set: Vec::new() };
    let parsed = spec::load(&job.file, &overrides).map_err(RunError::complete)?;
    let spec = parsed.spec.clone();
    // Shows what is wrong with the file or its profile.
    adamflip_run::build(parsed)?;
    Ok(spec)
}

/// A constraint of more residuals than are met one by one.
fn is_large(term: &Term) -> bool {
    let points = term.points.as_ref().map_or(0, |points| points.value);
    term.role == Role::Constraint && points * term.equations.len() > MANY
}

/// What a variant changes in these stages, the last of which is AdamFLIP's.
fn changes(variant: Variant, stages: &[Stage]) -> Vec<String> {
    let stage = stages.len().saturating_sub(1);
    let controlled = |(first, second): (f64, f64), gain: f64| {
        let steps = stages.last().map_or(1, |stage| (stage.steps.value / ABLATION).max(1));
        let values = [
            ("steps", steps.to_string()),
            ("betas", format!("[{first:?}, {second:?}]")),
            ("gain", format!("{gain:?}")),
            ("integral_gain", format!("{INTEGRAL_GAIN:?}")),
        ];
        values.map(|(key, value)| format!("train.stages[{stage}].{key}={value}")).to_vec()
    };
    match variant {
        Variant::Plain => Vec::new(),
        Variant::Betas(first, second) => controlled((first, second), GAIN),
        Variant::Gain(gain) => controlled(BETAS, gain),
        Variant::Noise(noise) => vec![format!("term.data.noise={noise:?}")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{ABLATED, BENCHMARKS};
    use crate::study;

    const FILE: &str = "fields = [\"u\"]\n[domain]\nx = [0, 1]\n[term.pde]\nequation = \"u = 1\"\npoints = 4\n\
        [term.walls]\non = \"x = 0\"\nequation = \"u = 1\"\npoints = 1\n\
        [term.data]\ndata = \"reference\"\npoints = 3\n[reference]\nu = \"1\"\n\
        [profile.paper]\ntrain.stages = [{ method = \"adam\", steps = 2, lr = 1e-3 }, { method = \"adamflip\", steps = 3, \
        lr = 1e-4, gain = { walls = 500 }, betas = [0.9, 0.999], clip = 10, damping = \"absolute\" }]\n[profile.quick]\n";

    fn source(profile: Profile) -> (tempfile::TempDir, Source) {
        let folder = tempfile::tempdir().unwrap();
        for problem in &BENCHMARKS {
            std::fs::write(folder.path().join(format!("{}.toml", problem.name)), FILE).unwrap();
        }
        let source = Source { folder: folder.path().to_owned(), profile };
        (folder, source)
    }

    #[test]
    fn a_method_takes_over_the_last_stage() {
        let (_folder, source) = source(Profile::Paper);
        for method in MethodId::ALL {
            let job = source.job(&study::plain(ABLATED, method), 4).unwrap();
            let finish = job.finish.as_ref().map(|method| method.name());
            let expected = matches!(method, MethodId::Adam | MethodId::Fl | MethodId::Al | MethodId::TrSqp)
                .then_some(method.name());
            assert_eq!((finish, job.set.len(), job.seed), (expected, 0, 4));
            assert_eq!(job.profile.is_none(), method == MethodId::Best);
            // The default of a file without stages is 500 steps.
            assert_eq!(job.planned_steps().unwrap(), if method == MethodId::Best { 500 } else { 5 });
        }
    }

    #[test]
    fn variants_change_the_last_stage_or_the_data() {
        let (_folder, source) = source(Profile::Paper);
        let job = |form: &Form| source.job(form, 0).unwrap();
        let gain = job(&study::gain(50.0));
        let stage = "train.stages[1]";
        let expected = [
            format!("{stage}.steps=1"),
            format!("{stage}.betas=[0.95, 0.999]"),
            format!("{stage}.gain=50.0"),
            format!("{stage}.integral_gain=0.01"),
        ];
        assert_eq!(gain.set, expected);
        assert_eq!((gain.planned_steps().unwrap(), gain.finish.is_none()), (3, true));
        // Where the last stage is not by AdamFLIP it is made so.
        let other = FILE.replace(
            "method = \"adamflip\", steps = 3, lr = 1e-4, gain = { walls = 500 }",
            "method = \"adam\", steps = 3",
        );
        let other = other.replace(", damping = \"absolute\"", "");
        std::fs::write(source.folder.join("heat_forward.toml"), other).unwrap();
        let gain = job(&study::gain(50.0));
        assert_eq!((gain.set.len(), gain.set[0].as_str()), (5, "train.stages[1].method=adamflip"));
        assert_eq!((gain.planned_steps().unwrap(), gain.finish.is_none()), (3, true));
        let noisy = job(&study::noise(&BENCHMARKS[1], MethodId::Best, 0.05));
        assert_eq!(
            (noisy.set.clone(), noisy.planned_steps().unwrap()),
            (vec!["term.data.noise=0.05".to_owned()], 500)
        );
    }

    #[test]
    fn trsqp_meets_large_conditions_in_the_mean() {
        let (_folder, source) = source(Profile::Paper);
        let large = FILE.replace("points = 4\n", "points = 1001\nrole = \"constraint\"\n");
        std::fs::write(source.folder.join("heat_forward.toml"), large).unwrap();
        let set = |method| source.job(&study::plain(ABLATED, method), 0).unwrap().set;
        assert_eq!(set(MethodId::TrSqp), ["term.pde.pointwise=false"]);
        assert!(set(MethodId::Al).is_empty());
    }

    #[test]
    fn a_file_that_is_missing_is_named() {
        let (folder, mut source) = source(Profile::Quick);
        let form = study::plain(&BENCHMARKS[0], MethodId::Best);
        assert_eq!(source.job(&form, 0).unwrap().profile.as_deref(), Some("quick"));
        std::fs::remove_file(folder.path().join("burgers_forward.toml")).unwrap();
        let text = source.has(&form).unwrap_err().to_string();
        assert!(text.contains("has no `burgers_forward.toml`") && text.contains("--problems"), "{text}");
        source.folder.push("none");
        assert!(source.has(&form).unwrap_err().message().contains("there is no folder"));
    }
}
