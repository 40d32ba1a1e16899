//! The report as one page of HTML: self-contained, readable on a phone, in print and by a screen reader.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `html` | elements, and that all text is escaped |
//! | `tables` | what was measured, in tables |

mod html;
mod tables;

use super::figure::escape;
use super::pictures::{Chapter, Picture};
use super::solution::heading;
use super::subject::Subject;
use html::{Html, element, preformatted, section};

/// How pages of results look: on screens large and small, light and dark, and in print.
pub const STYLE: &str = include_str!("style.css");

const CITATION: &str = "\
@misc{lu2026adamflip,
  title  = {AdamFLIP: Adaptive Momentum Feedback Linearization Optimization for Hard Constrained PINN Training},
  author = {Lu, Binghang and Zhang, Runyu and Mou, Changhong and Li, Na and Lin, Guang},
  year   = {2026},
  note   = {Preprint},
}";

/// A part of the page: its identifier, its heading, what stands in it.
struct Section {
    identifier: &'static str,
    heading: &'static str,
    content: Html,
}

/// The whole page.
pub(super) fn page(subject: &Subject<'_>, pictures: &[Picture]) -> String {
    let title = heading(subject.state.problem);
    let parts = parts(subject, pictures);
    let contents: String = parts
        .iter()
        .map(|part| format!("<li><a href=\"#{}\">{}</a></li>\n", part.identifier, escape(part.heading)))
        .collect();
    let sections: String =
        parts.iter().map(|part| section(part.identifier, part.heading, &part.content).0).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{title}</h1>\n{lead}</header>\n\
         <nav aria-label=\"Contents\"><ul>\n{contents}</ul></nav>\n{sections}{footer}</main>\n</body>\n</html>\n",
        title = escape(title),
        lead = lead(subject).0,
        footer = footer(subject),
    )
}

fn parts(subject: &Subject<'_>, pictures: &[Picture]) -> Vec<Section> {
    let problem = subject.state.problem;
    let figures = |chapter: Chapter| {
        let own = pictures.iter().filter(move |picture| picture.chapter == chapter);
        Html(own.map(|picture| figure(picture).0).collect())
    };
    let with = |mut content: Html, chapter: Chapter| {
        content.push(figures(chapter));
        content
    };
    let part = |identifier, heading, content| Section { identifier, heading, content };
    let mut parts = vec![part("run", "The run", run(subject))];
    parts.push(part("solution", "Solution and errors", with(tables::errors(subject), Chapter::Solution)));
    if !problem.unknowns.is_empty() {
        parts.push(part("unknowns", "Unknowns", with(tables::unknowns(subject), Chapter::Unknowns)));
    }
    parts.push(part("feasibility", "Feasibility", with(feasibility(subject), Chapter::Feasibility)));
    let history = match subject.history.is_empty() {
        true => element("p", "soft", "No step was observed."),
        false => Html::default(),
    };
    parts.push(part("training", "Training", with(history, Chapter::Training)));
    parts.push(part("problem", "The problem", tables::terms(problem)));
    parts.push(part("again", "Run it again", again(subject)));
    parts.push(part("citation", "How to cite", citation(subject)));
    parts
}

/// What came of it, in a sentence or two.
fn lead(subject: &Subject<'_>) -> Html {
    let problem = subject.state.problem;
    let error = |field: usize, what: &str, size: f64| {
        format!("the {what}relative L2 error of {} is {}", problem.fields[field], html::number(size))
    };
    let mut found: Vec<String> =
        subject.errors.iter().map(|known| error(known.field, "", known.relative_l2)).collect();
    if found.is_empty() {
        let estimates = subject.assessment.estimates.iter();
        found = estimates.map(|known| error(known.field, "estimated ", known.relative_l2)).collect();
    }
    let judged: Vec<bool> =
        subject.certificate.violations.iter().filter_map(|violation| violation.is_met()).collect();
    match judged.iter().filter(|met| !**met).count() {
        _ if judged.is_empty() => {}
        0 => found.push("every tolerance is met".to_owned()),
        missed => found.push(format!("{missed} of {} tolerances are not met", judged.len())),
    }
    if found.is_empty() { Html::default() } else { element("p", "lead", &sentence(&found.join(", "))) }
}

/// The words with a capital letter and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let stop = if words.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}

fn run(subject: &Subject<'_>) -> Html {
    let mut content = Html::default();
    if !subject.facts.advice.is_empty() {
        content.push(element("p", "", &sentence(&subject.facts.advice)));
    }
    content.push(tables::facts(subject));
    content
}

fn feasibility(subject: &Subject<'_>) -> Html {
    let mut content = element(
        "p",
        "",
        "How well every term holds at points that training never saw (observations: where they were made). This is \
         measured, not promised: between the points a residual may be larger.",
    );
    content.push(tables::certificate(subject));
    content
}

fn again(subject: &Subject<'_>) -> Html {
    let mut content = Html::default();
    if !subject.facts.command.is_empty() {
        content.push(preformatted(&subject.facts.command));
    }
    content.push(element(
        "p",
        "",
        "The same file, seed and version give the same bits, whatever the number of threads, unless it was the clock that ended the run. The folder of the run \
         holds the problem as it was read, the history, the parameters and these figures.",
    ));
    content
}

fn citation(subject: &Subject<'_>) -> Html {
    let version = &subject.facts.version;
    let software = match version.is_empty() {
        true => "The program: adamflip. The method that its constraints build on:".to_owned(),
        false => {
            format!("The program: adamflip, version {version}. The method that its constraints build on:")
        }
    };
    let mut content = element("p", "", &software);
    content.push(preformatted(CITATION));
    content
}

/// A figure in the page. Browsers know what SVG is without its name space.
fn figure(picture: &Picture) -> Html {
    let svg = picture.svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
    Html(format!(
        "<figure id=\"figure-{}\">\n<div class=\"scroll\" tabindex=\"0\">{svg}</div>\n<figcaption>{}</figcaption>\n</figure>\n",
        escape(&picture.name),
        escape(&picture.caption)
    ))
}

fn footer(subject: &Subject<'_>) -> String {
    match subject.facts.version.as_str() {
        "" => String::new(),
        version => format!("<footer>Written by adamflip {}.</footer>\n", escape(version)),
    }
}
