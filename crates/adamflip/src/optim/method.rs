//! Every method by name: the table that problem files and the command line choose from.

use super::{
    Adam, AdamFlip, AdamFlipMetric, AdamFlipMetricSettings, AdamFlipSettings, AdamFlipSplit,
    AdamFlipSplitSettings, AdamSettings, AlSettings, AugmentedLagrangian, ConstrainedProblem, Feedback, Fl,
    FlMomentum, FlMomentumSettings, FlSettings, GaussNewton, Lbfgs, LbfgsSettings, NewtonFlip,
    NewtonFlipSettings, NewtonSettings, Optimizer, Rate, SsBroyden, SsBroydenSettings, TrSqp, TrSqpSettings,
};

/// Every method with its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// The weighted sum of all losses under Adam.
    Adam(AdamSettings),
    /// Feedback linearization alone.
    Fl(FlSettings),
    /// Feedback linearization with momentum.
    FlMomentum(FlMomentumSettings),
    /// Feedback linearization with Adam's moments, Algorithm 1 of the paper.
    AdamFlip(AdamFlipSettings),
    /// The same in the metric of the moments, Algorithm 2 of the paper.
    AdamFlipMetric(AdamFlipMetricSettings),
    /// Adam's moments on the tangential part alone, the normal part as it is.
    AdamFlipSplit(AdamFlipSplitSettings),
    /// The augmented Lagrangian with one of three dual rules.
    Al(AlSettings),
    /// The weighted sum of all losses under L-BFGS.
    Lbfgs(LbfgsSettings),
    /// The same under the self-scaled Broyden method, its inverse Hessian a matrix.
    SsBroyden(SsBroydenSettings),
    /// The same under Levenberg–Marquardt.
    GaussNewton(NewtonSettings),
    /// Constraints met one by one, Gauss–Newton along them.
    NewtonFlip(NewtonFlipSettings),
    /// Sequential quadratic programming in a trust region.
    TrSqp(TrSqpSettings),
}

impl Method {
    /// All names.
    pub const NAMES: [&'static str; 12] = [
        "adam",
        "fl",
        "fl_momentum",
        "adamflip",
        "adamflip_metric",
        "adamflip_split",
        "al",
        "lbfgs",
        "ssbroyden",
        "gauss_newton",
        "newtonflip",
        "trsqp",
    ];

    /// The name in problem files and on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Adam(_) => "adam",
            Method::Fl(_) => "fl",
            Method::FlMomentum(_) => "fl_momentum",
            Method::AdamFlip(_) => "adamflip",
            Method::AdamFlipMetric(_) => "adamflip_metric",
            Method::AdamFlipSplit(_) => "adamflip_split",
            Method::Al(_) => "al",
            Method::Lbfgs(_) => "lbfgs",
            Method::GaussNewton(_) => "gauss_newton",
            Method::NewtonFlip(_) => "newtonflip",
            Method::SsBroyden(_) => "ssbroyden",
            Method::TrSqp(_) => "trsqp",
        }
    }

    /// The method of that name with its default settings.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "adam" => Method::Adam(AdamSettings::default()),
            "fl" => Method::Fl(FlSettings::default()),
            "fl_momentum" => Method::FlMomentum(FlMomentumSettings::default()),
            "adamflip" => Method::AdamFlip(AdamFlipSettings::default()),
            "adamflip_metric" => Method::AdamFlipMetric(AdamFlipMetricSettings::default()),
            "adamflip_split" => Method::AdamFlipSplit(AdamFlipSplitSettings::default()),
            "al" => Method::Al(AlSettings::default()),
            "lbfgs" => Method::Lbfgs(LbfgsSettings::default()),
            "gauss_newton" => Method::GaussNewton(NewtonSettings::default()),
            "newtonflip" => Method::NewtonFlip(NewtonFlipSettings::default()),
            "ssbroyden" => Method::SsBroyden(SsBroydenSettings::default()),
            "trsqp" => Method::TrSqp(TrSqpSettings::default()),
            _ => return None,
        })
    }

    /// Whether constraints are pointwise where their terms do not say; `None` where they cannot be, because the method adds
    /// losses up.
    pub fn pointwise(&self) -> Option<bool> {
        match self {
            Method::Adam(_) | Method::Lbfgs(_) | Method::SsBroyden(_) | Method::GaussNewton(_) => None,
            Method::Fl(_) | Method::FlMomentum(_) | Method::AdamFlip(_) | Method::AdamFlipMetric(_) => {
                Some(false)
            }
            Method::AdamFlipSplit(_) | Method::Al(_) | Method::NewtonFlip(_) | Method::TrSqp(_) => Some(true),
        }
    }

    /// Does it remember something of every pointwise constraint, so that their points must stay during its stage? Multipliers
    /// that are accumulated, integrals, averages; and the merit of a trust region, which is held against that of the step before.
    pub fn keeps_points(&self) -> bool {
        match self {
            Method::Al(_) | Method::TrSqp(_) => true,
            _ => self.feedback().is_some_and(|part| part.integral_gain > 0.0 || part.smoothing > 0.0),
        }
    }

    /// Does it use the curvature of all terms, so that its steps are few and expensive?
    pub fn uses_curvature(&self) -> bool {
        matches!(self, Method::NewtonFlip(_) | Method::GaussNewton(_))
    }

    /// Must all points stay during its stage? Those of the objective too, where the fall of a merit decides on the next step:
    /// from points to other points it says nothing.
    pub fn keeps_all_points(&self) -> bool {
        matches!(self, Method::TrSqp(_))
    }

    /// An optimizer for a problem of this size and structure that takes `steps` steps in all (for schedules).
    pub fn optimizer(&self, problem: &dyn ConstrainedProblem, steps: usize) -> Box<dyn Optimizer> {
        let (p, m, blocks) = (problem.parameters(), problem.constraints(), &problem.groups());
        let matrices = &problem.matrices();
        match self.clone() {
            Method::Adam(settings) => Box::new(Adam::new(settings, p, m, steps).with_matrices(matrices)),
            Method::Fl(settings) => Box::new(Fl::new(settings, p, m, steps)),
            Method::FlMomentum(settings) => Box::new(FlMomentum::new(settings, p, m, steps)),
            Method::AdamFlip(settings) => {
                Box::new(AdamFlip::new(settings, p, m, steps).with_matrices(matrices))
            }
            Method::AdamFlipMetric(settings) => Box::new(AdamFlipMetric::new(settings, p, m, steps)),
            Method::AdamFlipSplit(settings) => {
                Box::new(AdamFlipSplit::new(settings, p, m, steps).with_matrices(matrices))
            }
            Method::Al(settings) => Box::new(AugmentedLagrangian::new(settings, p, blocks, steps)),
            Method::Lbfgs(settings) => Box::new(Lbfgs::new(settings, p, blocks)),
            Method::GaussNewton(settings) => Box::new(GaussNewton::new(settings, p, blocks)),
            Method::NewtonFlip(settings) => {
                Box::new(NewtonFlip::new(settings, p, blocks).with_equations(&problem.equations()))
            }
            Method::SsBroyden(settings) => Box::new(SsBroyden::new(settings, p, blocks)),
            Method::TrSqp(settings) => Box::new(TrSqp::new(settings, p, m)),
        }
    }

    /// The learning rate; none for methods without.
    pub fn rate(&self) -> Option<Rate> {
        match self {
            Method::Adam(settings) => Some(settings.rate),
            Method::Fl(settings) => Some(settings.rate),
            Method::FlMomentum(settings) => Some(settings.fl.rate),
            Method::AdamFlip(settings) => Some(settings.adam.rate),
            Method::AdamFlipMetric(settings) => Some(settings.adam.rate),
            Method::AdamFlipSplit(settings) => Some(settings.adam.rate),
            Method::Al(settings) => Some(settings.adam.rate),
            Method::Lbfgs(_)
            | Method::SsBroyden(_)
            | Method::GaussNewton(_)
            | Method::NewtonFlip(_)
            | Method::TrSqp(_) => None,
        }
    }

    /// The controller's settings; none for methods without a controller.
    pub fn feedback(&self) -> Option<&Feedback> {
        match self {
            Method::Fl(settings) => Some(&settings.feedback),
            Method::FlMomentum(settings) => Some(&settings.fl.feedback),
            Method::AdamFlip(settings) => Some(&settings.feedback),
            Method::AdamFlipMetric(settings) => Some(&settings.feedback),
            Method::Adam(_)
            | Method::AdamFlipSplit(_)
            | Method::Al(_)
            | Method::Lbfgs(_)
            | Method::GaussNewton(_)
            | Method::NewtonFlip(_)
            | Method::SsBroyden(_)
            | Method::TrSqp(_) => None,
        }
    }
}
