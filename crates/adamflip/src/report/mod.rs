//! What a run looks like to people: the end of the flow.
//!
//! Plain numbers in, text and bytes out; nothing here trains, reads files or writes them.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `subject` | what a report is about |
//! | `figure` | how anything is drawn |
//! | `solution` | fields and residuals over the domain |
//! | `conditions` | violations along boundaries |
//! | `observed` | the history of training |
//! | `pictures` | all figures of a report |
//! | `page` | the page around them |

mod conditions;
pub mod figure;
mod observed;
mod page;
mod pictures;
mod solution;
mod subject;
#[cfg(test)]
mod tests;

pub use page::STYLE;
pub use pictures::{Chapter, Picture};
pub use solution::{SolutionError, solution};
pub use subject::{RunFacts, Subject};

/// The report of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// One self-contained page: no scripts, nothing from a network.
    pub html: String,
    /// Its figures, each as a file of its own.
    pub pictures: Vec<Picture>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A figure of the solution.
    #[error(transparent)]
    Solution(#[from] SolutionError),
    /// Any other figure.
    #[error(transparent)]
    Figure(#[from] figure::FigureError),
}

/// Draws all figures and writes the page. Runs on the current rayon pool.
pub fn report(subject: &Subject<'_>) -> Result<Report, ReportError> {
    let pictures = pictures::pictures(subject)?;
    let html = page::page(subject, &pictures);
    Ok(Report { html, pictures })
}
