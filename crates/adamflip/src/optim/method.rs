//! Every method by name: the table that problem files, the command line and Python choose from. A method is a
//! file, which says what it is by [`Configure`], and one line of [`methods!`] below.

use super::settings::{SettingGroup, SettingValue};
use super::{
    AdamFlipMetricSettings, AdamFlipSettings, AdamFlipSplitSettings, AdamSettings, AdmmSettings, AlSettings,
    ConstrainedProblem, Feedback, FlMomentumSettings, FlSettings, FlZerothSettings, LbfgsSettings,
    NewtonCgSettings, NewtonFlipSettings, NewtonRowsSettings, NewtonSettings, Optimizer, Rate,
    SsBroydenSettings, TrSqpSettings, TrustRegionSettings,
};

/// The enum of all methods, and what each says of itself.
macro_rules! methods {
    ($($(#[$doc:meta])* $variant:ident($settings:ident),)*) => {
        /// Every method with its settings.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Method {
            $($(#[$doc])* $variant($settings),)*
        }

        impl Method {
            /// All names.
            pub const NAMES: [&'static str; [$($settings::FACTS.name),*].len()] = [$($settings::FACTS.name),*];

            /// The method of that name with its default settings.
            pub fn named(name: &str) -> Option<Self> {
                $(if name == $settings::FACTS.name {
                    return Some(Self::$variant($settings::default()));
                })*
                None
            }

            /// Every method; several of a name where settings decide on others.
            pub(crate) fn choices() -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend($settings::choices().into_iter().map(Self::$variant));)*
                all
            }

            pub(crate) fn facts(&self) -> MethodFacts {
                match self {
                    $(Self::$variant(_) => $settings::FACTS,)*
                }
            }

            /// An optimizer for a problem of this size and structure that takes `steps` steps in all (for
            /// schedules).
            pub fn optimizer(&self, problem: &dyn ConstrainedProblem, steps: usize) -> Box<dyn Optimizer> {
                match self.clone() {
                    $(Self::$variant(settings) => settings.optimizer(problem, steps),)*
                }
            }

            /// The controller's settings; none for methods without a controller.
            pub fn feedback(&self) -> Option<&Feedback> {
                match self {
                    $(Self::$variant(settings) => settings.feedback(),)*
                }
            }

            /// The gains of constraints; none for methods without.
            pub fn gains(&self) -> Option<Gains<'_>> {
                match self {
                    $(Self::$variant(settings) => settings.gains(),)*
                }
            }

            /// The most rows of constraints whose Gram matrix a step factorizes.
            pub(crate) fn rows_at_once(&self) -> usize {
                match self {
                    $(Self::$variant(settings) => settings.rows_at_once(),)*
                }
            }

            pub(super) fn rate_mut(&mut self) -> Option<&mut Rate> {
                match self {
                    $(Self::$variant(settings) => settings.rate(),)*
                }
            }

            pub(super) fn parts(&self) -> Vec<SettingGroup> {
                match self {
                    $(Self::$variant(settings) => settings.parts(),)*
                }
            }

            pub(super) fn set_value(&mut self, key: &str, value: &SettingValue) -> Option<()> {
                match self {
                    $(Self::$variant(settings) => settings.set(key, value),)*
                }
            }

            pub(super) fn needed(&self, key: &str) -> Option<&'static str> {
                match self {
                    $(Self::$variant(settings) => settings.needed(key),)*
                }
            }
        }
    };
}

methods! {
    /// The weighted sum of all losses under Adam.
    Adam(AdamSettings),
    /// Feedback linearization alone.
    Fl(FlSettings),
    /// Feedback linearization with momentum.
    FlMomentum(FlMomentumSettings),
    /// Feedback linearization from values alone.
    FlZeroth(FlZerothSettings),
    /// Feedback linearization with Adam's moments, Algorithm 1 of the paper.
    AdamFlip(AdamFlipSettings),
    /// The same in the metric of the moments, Algorithm 2 of the paper.
    AdamFlipMetric(AdamFlipMetricSettings),
    /// Adam's moments on the tangential part alone, the normal part as it is.
    AdamFlipSplit(AdamFlipSplitSettings),
    /// The augmented Lagrangian with one of three dual rules.
    Al(AlSettings),
    /// The alternating direction method of multipliers.
    Admm(AdmmSettings),
    /// The weighted sum of all losses under L-BFGS.
    Lbfgs(LbfgsSettings),
    /// The same under the self-scaled Broyden method, its inverse Hessian a matrix.
    SsBroyden(SsBroydenSettings),
    /// The same in a trust region.
    TrustRegion(TrustRegionSettings),
    /// The same under Levenberg–Marquardt.
    GaussNewton(NewtonSettings),
    /// Constraints met one by one, Gauss–Newton along them.
    NewtonFlip(NewtonFlipSettings),
    /// The same in the space of the residuals.
    NewtonRows(NewtonRowsSettings),
    /// The same by conjugate gradients.
    NewtonCg(NewtonCgSettings),
    /// Sequential quadratic programming in a trust region.
    TrSqp(TrSqpSettings),
}

/// What a method is, whatever its settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MethodFacts {
    /// In problem files and on the command line.
    pub(crate) name: &'static str,
    /// Are constraints pointwise where their terms do not say? None where the method adds losses up.
    pub(crate) pointwise: Option<bool>,
    /// What its steps are made of.
    pub(crate) pace: Pace,
    /// Must points stay during its stage, and which?
    pub(crate) keeps: Keeps,
    /// How it has the Jacobian of the constraints.
    pub(crate) jacobian: JacobianRows,
    /// Matrices of constraints by constraints, and of parameters by parameters, that it holds at the most.
    pub(crate) matrices: [f64; 2],
    /// Matrices of all residuals by all.
    pub(crate) residuals: f64,
    /// Vectors of as many numbers as parameters, beyond those that every method has, and checkpoints among
    /// them.
    pub(crate) vectors: f64,
    /// What it does without constraints, as in `adamflip works like adam`; none where that is as it should
    /// be.
    pub(crate) without_constraints: Option<&'static str>,
}

/// What steps are made of, which says how many are usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Gradients: thousands of cheap steps.
    FirstOrder,
    /// Curvature from gradients.
    QuasiNewton,
    /// The curvature of all terms: few and expensive steps.
    Curvature,
}

/// Which points must stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// None.
    None,
    /// Those of pointwise constraints: it remembers something of each.
    Constraints,
    /// All: the fall of a merit decides on the next step, which from points to other points says nothing.
    All,
}

/// How a method has the rows of J.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JacobianRows {
    /// Only combinations of them.
    Combined,
    /// In factors, where networks have them.
    Products,
    /// Written out.
    Written,
}

impl MethodFacts {
    /// A method of first order on the sum of all losses.
    pub(crate) const fn penalty(name: &'static str) -> Self {
        Self {
            name,
            pointwise: None,
            pace: Pace::FirstOrder,
            keeps: Keeps::None,
            jacobian: JacobianRows::Combined,
            matrices: [0.0, 0.0],
            residuals: 0.0,
            vectors: 0.0,
            without_constraints: None,
        }
    }

    /// A method of first order that solves for multipliers: a Gram matrix to be factorized and one to look
    /// at.
    pub(crate) const fn multipliers(name: &'static str, pointwise: bool) -> Self {
        Self {
            pointwise: Some(pointwise),
            jacobian: JacobianRows::Products,
            matrices: [2.0, 0.0],
            without_constraints: Some("works like adam"),
            ..Self::penalty(name)
        }
    }
}

/// Gains by constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains<'a> {
    /// The key that sets them.
    pub key: &'static str,
    /// That of constraints beyond the end of the list.
    pub others: f64,
    /// One for each named constraint.
    pub each: &'a [f64],
}

/// The settings of a method, and what else there is to know: beside each method, in its file.
pub(crate) trait Configure: Clone + Default {
    /// What the method is.
    const FACTS: MethodFacts;

    /// Its settings by key, in parts that methods share.
    fn parts(&self) -> Vec<SettingGroup>;

    /// The methods that differ in their parts; one, where no setting decides on others.
    fn choices() -> Vec<Self> {
        vec![Self::default()]
    }

    /// Sets one that is in its parts; none where the value is not what its row asks for.
    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()>;

    /// An optimizer for a stage of this many steps.
    fn optimizer(self, problem: &dyn ConstrainedProblem, steps: usize) -> Box<dyn Optimizer>;

    /// The learning rate.
    fn rate(&mut self) -> Option<&mut Rate> {
        None
    }

    /// The controller.
    fn feedback(&self) -> Option<&Feedback> {
        None
    }

    /// The gains of constraints.
    fn gains(&self) -> Option<Gains<'_>> {
        self.feedback().map(|part| Gains { key: "gain", others: part.gain, each: &part.gains })
    }

    /// The most rows of constraints whose Gram matrix a step factorizes.
    fn rows_at_once(&self) -> usize {
        usize::MAX
    }

    /// The choice that would give it this setting, as a file writes it.
    fn needed(&self, _key: &str) -> Option<&'static str> {
        None
    }
}

impl Method {
    /// The name in problem files and on the command line.
    pub fn name(&self) -> &'static str {
        self.facts().name
    }

    /// Whether constraints are pointwise where their terms do not say; `None` where they cannot be, because
    /// the method adds losses up.
    pub fn pointwise(&self) -> Option<bool> {
        self.facts().pointwise
    }

    /// Does it remember something of every pointwise constraint, so that their points must stay during its
    /// stage? Multipliers that are accumulated, integrals, averages; and the merit of a trust region, which
    /// is held against that of the step before.
    pub fn keeps_points(&self) -> bool {
        let remembers = |part: &Feedback| part.integral_gain > 0.0 || part.smoothing > 0.0;
        self.facts().keeps != Keeps::None || self.feedback().is_some_and(remembers)
    }

    /// Must all points stay during its stage? Those of the objective too, where the fall of a merit decides
    /// on the next step: from points to other points it says nothing.
    pub fn keeps_all_points(&self) -> bool {
        self.facts().keeps == Keeps::All
    }

    /// Does it use the curvature of all terms, so that its steps are few and expensive?
    pub fn uses_curvature(&self) -> bool {
        self.facts().pace == Pace::Curvature
    }

    /// Does it weigh equations by their curvature, whatever unit they are in?
    pub fn balances_equations(&self) -> bool {
        let is_fixed = matches!(self, Method::NewtonFlip(settings) if settings.fixed);
        self.uses_curvature() && self.pointwise() == Some(true) && !is_fixed
    }

    /// Are some hundreds of its steps usual, rather than thousands?
    pub fn takes_few_steps(&self) -> bool {
        self.facts().pace != Pace::FirstOrder
    }

    /// Does it hold a matrix of all parameters by all?
    pub fn is_dense(&self) -> bool {
        self.facts().matrices[1] > 0.0
    }

    /// What it does where nothing is constrained, as in "works like adam"; none where that is as it should
    /// be.
    pub fn without_constraints(&self) -> Option<&'static str> {
        self.facts().without_constraints
    }

    /// The learning rate; none for methods without.
    pub fn rate(&self) -> Option<Rate> {
        self.clone().rate_mut().copied()
    }
}
