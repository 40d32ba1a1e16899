//! All figures of a report, as text and as pixels.

use rayon::prelude::*;

use super::ReportError;
use super::conditions::conditions;
use super::figure::{Figure, PanelArea};
use super::observed;
use super::solution::{self, heading};
use super::subject::Subject;

/// Pixels for a unit of the page: sharp on screens and in print.
const SCALE: f64 = 2.0;

/// A figure that stands in the report and in files beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The name of its files, without their ending.
    pub name: String,
    /// What is to be seen.
    pub caption: String,
    /// Which part of the report it belongs to.
    pub chapter: Chapter,
    /// The text of an SVG file.
    pub svg: String,
    /// The bytes of a PNG file, two pixels for a unit of the page.
    pub png: Vec<u8>,
    /// Where its panels are.
    pub panels: Vec<PanelArea>,
    /// Width and height, in units of the page.
    pub size: (f64, f64),
}

/// The parts of a report that have figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chapter {
    /// What was found.
    Solution,
    /// Coefficients that were sought.
    Unknowns,
    /// How well the conditions and equations hold.
    Feasibility,
    /// How it came about.
    Training,
}

/// A figure before it is written.
struct Plan {
    name: String,
    chapter: Chapter,
    caption: String,
    figure: Figure,
}

/// All figures, in the order of the report. Runs on the current rayon pool.
pub(super) fn pictures(subject: &Subject<'_>) -> Result<Vec<Picture>, ReportError> {
    let mut plans = fields(subject)?;
    plans.extend(others(subject)?);
    plans.into_par_iter().map(Plan::write).collect()
}

fn fields(subject: &Subject<'_>) -> Result<Vec<Plan>, ReportError> {
    let state = &subject.state;
    let shown = solution::fields(state.problem, state.model, state.θ, subject.errors)?;
    let plan = |shown: solution::Shown| {
        let is_vector = !shown.components.is_empty();
        let name = if is_vector { shown.components.join("-") + "-magnitude" } else { shown.name.clone() };
        let what = match is_vector {
            true => format!("The magnitude of ({})", shown.components.join(", ")),
            false => format!("The field {}", shown.name),
        };
        let caption = match shown.is_compared {
            false => format!("{what} as the network has it."),
            true => format!(
                "{what}: the network, the reference on the same scale, and the absolute error on a logarithmic scale."
            ),
        };
        Plan { name: format!("solution-{name}"), chapter: Chapter::Solution, caption, figure: shown.figure }
    };
    Ok(shown.into_iter().map(plan).collect())
}

fn others(subject: &Subject<'_>) -> Result<Vec<Plan>, ReportError> {
    let title = heading(subject.state.problem);
    let titled = |what: &str| format!("{title}: {what}");
    let table = [
        (
            "unknowns",
            Chapter::Unknowns,
            "The unknowns on their way, and the truth where it is known (dashed).",
            observed::unknowns(subject, &titled("unknowns"))?,
        ),
        (
            "violations",
            Chapter::Feasibility,
            "The absolute residual of every condition at points that training never saw, where they lie; of several \
             equations the largest. Observations are shown where they were made.",
            conditions(&subject.state, &titled("violation of the conditions"))?,
        ),
        (
            "residual",
            Chapter::Feasibility,
            "The absolute residual of the equations over the domain, on a logarithmic scale.",
            solution::residual(&subject.state)?,
        ),
        (
            "history",
            Chapter::Training,
            "The mean square residual of every term at its training points, and the relative errors where they were \
             measured. Dotted lines mark the beginning of a stage.",
            observed::losses(subject, &titled("training"))?,
        ),
        (
            "multipliers",
            Chapter::Training,
            "The multipliers of the constraints; of a constraint with one at every point, their root mean square.",
            observed::multipliers(subject, &titled("multipliers"))?,
        ),
        (
            "steps",
            Chapter::Training,
            "The rate and gain of the method, and the size of its steps.",
            observed::steps(subject, &titled("steps"))?,
        ),
    ];
    let plan = |(name, chapter, caption, figure): (&str, Chapter, &str, Option<Figure>)| {
        let (name, caption) = (name.to_owned(), caption.to_owned());
        figure.map(|figure| Plan { name, chapter, caption, figure })
    };
    Ok(table.into_iter().filter_map(plan).collect())
}

impl Plan {
    fn write(self) -> Result<Picture, ReportError> {
        let Self { name, chapter, caption, figure } = self;
        let svg = figure.svg().map_err(super::figure::FigureError::from)?;
        let png = figure.png(SCALE)?;
        let panels = figure.panels().to_vec();
        Ok(Picture { name, caption, chapter, svg, png, panels, size: figure.size() })
    }
}
