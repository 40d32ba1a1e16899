//! How a cell is solved: the profile, the method of the last stage and the overrides of its `solve`.
//!
//! The stages before the last, the warm start, stay for all methods, and so do the steps and those settings that mean
//! the same to them.

use std::path::PathBuf;

use adamflip::spec::{self, Overrides, Role, Spec, Stage, Term};

use super::cell::{Form, Variant, Way};
use super::study::{BETAS, GAIN};
use crate::arguments::Profile;
use crate::batch::Order;
use crate::failure::Failure;
use crate::input;

/// The integral gain of both ablations, from the paper.
const INTEGRAL_GAIN: f64 = 0.01;

/// Of the steps of the main study an ablation takes this part. The paper does not say how long its own are, and 39 runs of the
/// whole length would take longer than all the rest.
const ABLATION: usize = 3;

/// A condition with more residuals is met in its mean square by trSQP: the eigenvalues of all of them point by point leave it a
/// handful of steps in the time of AdamFLIP (four on Burgers' inverse problem, whose 10,000 residuals are also more than there
/// are parameters).
const MANY: usize = 1_000;

/// Where the problem files are, and how they are read.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) folder: PathBuf,
    pub(super) profile: Profile,
}

impl Source {
    /// The name of the profile.
    pub(super) fn settings(&self) -> &'static str {
        match self.profile {
            Profile::Paper => "paper",
            Profile::Quick => "quick",
        }
    }

    fn file(&self, form: &Form) -> PathBuf {
        self.folder.join(format!("{}.toml", form.problem.name))
    }

    /// Refuses a folder that lacks a file.
    pub(super) fn has(&self, form: &Form) -> Result<(), Failure> {
        let (file, folder) = (self.file(form), self.folder.display());
        let hint = "name the folder of the problem files with `--problems DIR`";
        match () {
            () if file.is_file() => Ok(()),
            () if self.folder.is_dir() => Err(Failure::input(
                format!("the folder `{folder}` has no `{}.toml`", form.problem.name),
                hint,
            )),
            () => Err(Failure::input(format!("there is no folder `{folder}`"), hint)),
        }
    }

    /// What begins a run of this form.
    pub(super) fn order(&self, form: &Form, seed: u64) -> Result<Order, Failure> {
        let profile = match (form.way, self.profile) {
            (Way::Best, Profile::Paper) => None,
            _ => Some(self.settings().to_owned()),
        };
        let order = Order { file: self.file(form), profile, seed, ..Order::default() };
        let spec = read(&order)?;
        let stages = &spec.train.stages;
        let is_own =
            |stage: &Stage| Some(stage.method.value.as_str()) == form.way.method().map(|own| own.name());
        let finish = form.way.method().filter(|_| !stages.last().is_some_and(is_own));
        let mut set = changes(form.variant, stages);
        if form.way == Way::TrSqp {
            let many = spec.terms.iter().filter(|term| is_large(term));
            set.extend(many.map(|term| format!("term.{}.pointwise=false", term.name.value)));
        }
        match form.variant {
            // What is changed must be a setting of the file's own method.
            Variant::Betas(..) | Variant::Gain(_) if finish.is_some() => {
                let method =
                    format!("train.stages[{}].method={}", stages.len().saturating_sub(1), form.way.name());
                Ok(Order { set: std::iter::once(method).chain(set).collect(), ..order })
            }
            _ => Ok(Order { finish, set, ..order }),
        }
    }
}

/// The steps of a run, all of whose mistakes show now.
pub(super) fn steps(order: &Order) -> Result<usize, Failure> {
    let overrides = Overrides { profile: order.profile.clone(), set: order.set.clone() };
    let Order { file, method, finish, steps, .. } = order;
    let (method, finish, seed) = (method.as_ref(), finish.as_ref(), Some(order.seed));
    let choice = input::Choice {
        file,
        name: None,
        method,
        finish,
        steps: *steps,
        seed,
        overrides: &overrides,
        trained: false,
    };
    Ok(choice.task()?.stages.iter().map(|stage| stage.steps).sum())
}

/// What a file says.
fn read(order: &Order) -> Result<Spec, Failure> {
    let overrides = Overrides { profile: order.profile.clone(), set: Vec::new() };
    let parsed = spec::load(&order.file, &overrides).map_err(Failure::rendered)?;
    let spec = parsed.spec.clone();
    // Shows what is wrong with the file or its profile.
    input::build(parsed)?;
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
    use super::super::benchmark::{ABLATED, BENCHMARKS};
    use super::super::study;
    use super::*;

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
        for way in Way::ALL {
            let order = source.order(&study::plain(ABLATED, way), 4).unwrap();
            let finish = order.finish.as_ref().map(|method| method.name());
            let expected = matches!(way, Way::Adam | Way::Fl | Way::Al | Way::TrSqp).then_some(way.name());
            assert_eq!((finish, order.set.len(), order.seed), (expected, 0, 4));
            assert_eq!(order.profile.is_none(), way == Way::Best);
            // The default of a file without stages is 500 steps.
            assert_eq!(steps(&order).unwrap(), if way == Way::Best { 500 } else { 5 });
        }
    }

    #[test]
    fn variants_change_the_last_stage_or_the_data() {
        let (_folder, source) = source(Profile::Paper);
        let order = |form: &Form| source.order(form, 0).unwrap();
        let gain = order(&study::gain(50.0));
        let stage = "train.stages[1]";
        let expected = [
            format!("{stage}.steps=1"),
            format!("{stage}.betas=[0.95, 0.999]"),
            format!("{stage}.gain=50.0"),
            format!("{stage}.integral_gain=0.01"),
        ];
        assert_eq!(gain.set, expected);
        assert_eq!((steps(&gain).unwrap(), gain.finish.is_none()), (3, true));
        // Where the last stage is not by AdamFLIP it is made so.
        let other = FILE.replace(
            "method = \"adamflip\", steps = 3, lr = 1e-4, gain = { walls = 500 }",
            "method = \"adam\", steps = 3",
        );
        let other = other.replace(", damping = \"absolute\"", "");
        std::fs::write(source.folder.join("heat_forward.toml"), other).unwrap();
        let gain = order(&study::gain(50.0));
        assert_eq!((gain.set.len(), gain.set[0].as_str()), (5, "train.stages[1].method=adamflip"));
        assert_eq!((steps(&gain).unwrap(), gain.finish.is_none()), (3, true));
        let noisy = order(&study::noise(&BENCHMARKS[1], Way::Best, 0.05));
        assert_eq!(
            (noisy.set.clone(), steps(&noisy).unwrap()),
            (vec!["term.data.noise=0.05".to_owned()], 500)
        );
    }

    #[test]
    fn trsqp_meets_large_conditions_in_the_mean() {
        let (_folder, source) = source(Profile::Paper);
        let large = FILE.replace("points = 4\n", "points = 1001\nrole = \"constraint\"\n");
        std::fs::write(source.folder.join("heat_forward.toml"), large).unwrap();
        let set = |way| source.order(&study::plain(ABLATED, way), 0).unwrap().set;
        assert_eq!(set(Way::TrSqp), ["term.pde.pointwise=false"]);
        assert!(set(Way::Al).is_empty());
    }

    #[test]
    fn a_file_that_is_missing_is_named() {
        let (folder, mut source) = source(Profile::Quick);
        let form = study::plain(&BENCHMARKS[0], Way::Best);
        assert_eq!(source.order(&form, 0).unwrap().profile.as_deref(), Some("quick"));
        std::fs::remove_file(folder.path().join("burgers_forward.toml")).unwrap();
        let text = source.has(&form).unwrap_err().text;
        assert!(text.contains("has no `burgers_forward.toml`") && text.contains("--problems"), "{text}");
        source.folder.push("none");
        assert!(source.has(&form).unwrap_err().text.contains("there is no folder"));
    }
}
