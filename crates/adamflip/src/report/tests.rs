//! Whole reports of problems of every kind: which pictures they have, and that each panel shows something.

use std::collections::HashSet;

use super::figure::PanelArea;
use super::*;
use crate::certificate::State;
use crate::evaluate;
use crate::history::{History, Row};
use crate::train::{Signal, Trainer};

/// Axes, terms and whatever else, trained for a few steps, as a report.
fn report_of(text: &str) -> Report {
    reported(
        text,
        RunFacts { version: "1.2.3".into(), command: "adamflip solve p.toml".into(), ..RunFacts::default() },
        4,
    )
}

fn reported(text: &str, facts: RunFacts, steps: usize) -> Report {
    let train = "[network]\nhidden = [4]\n[train]\n\
                 stages = [{ method = \"adam\", steps = 2 }, { method = \"adamflip\", steps = 2 }]";
    let text = format!("{text}\n{train}\n");
    let problem = crate::testing::problem(&text);
    let (stages, copy) = (problem.stages.clone(), problem.clone());
    let mut trainer = Trainer::new(problem, 0, stages).unwrap();
    trainer.observe(1);
    let (mut history, mut row) = (History::new(&copy), Row::default());
    trainer.run(&mut |progress| {
        row.take(progress, &copy, 0.1 * progress.step as f64);
        history.push(&row, &[0.5 / progress.step as f64]);
        if progress.step < steps { Signal::Continue } else { Signal::Interrupt }
    });
    let (model, θ) = (trainer.objective().model(), trainer.θ());
    let errors = evaluate::errors(&copy, model, θ).unwrap();
    let state = State { problem: &copy, model, θ, seed: 0, points: trainer.points() };
    let history = if steps == 0 { History::default() } else { history };
    let (certificate, assessment) = (trainer.certify(), crate::uncertainty::assess(&trainer.state()));
    let subject = Subject {
        state,
        errors: &errors,
        history: &history,
        certificate: &certificate,
        assessment: &assessment,
        facts: &facts,
    };
    report(&subject).unwrap()
}

/// A problem over these axes: an equation inside, and conditions.
fn problem(axes: &[&str], fields: &[&str], equations: &str, rest: &str) -> String {
    let axes: String = axes.iter().map(|axis| format!("{axis} = [0, 2]\n")).collect();
    format!("fields = {fields:?}\n[domain]\n{axes}[term.pde]\nequation = {equations}\npoints = 8\n{rest}")
}

fn pixels(png: &[u8]) -> (usize, usize, Vec<[u8; 3]>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let pixels = bytes.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
    (info.width as usize, info.height as usize, pixels)
}

/// No panel is blank or trivial, and nothing is cut off at the edges of the picture.
fn look_at(picture: &Picture) {
    const WHITE: [u8; 3] = [0xff; 3];
    /// The lines behind curves.
    const GRID: [u8; 3] = [0xe4; 3];
    let (width, height, pixels) = pixels(&picture.png);
    let name = &picture.name;
    assert_eq!((width as f64, height as f64), (2.0 * picture.size.0, 2.0 * picture.size.1), "{name}");
    let is_edge = |i: usize| {
        i.is_multiple_of(width) || i % width == width - 1 || i < width || i >= width * (height - 1)
    };
    assert!((0..pixels.len()).filter(|&i| is_edge(i)).all(|i| pixels[i] == WHITE), "{name} is cut off");
    assert!(!picture.panels.is_empty());
    for PanelArea { title, area } in &picture.panels {
        // Two pixels for a unit, without the frame.
        let inside =
            |from: f64, length: f64| (2.0 * from + 3.0) as usize..(2.0 * (from + length) - 3.0) as usize;
        let (rows, columns) = (inside(area.y, area.height), inside(area.x, area.width));
        assert!(columns.end < width && rows.end < height, "{name}: {title} leaves the page");
        let shown: Vec<[u8; 3]> = rows
            .flat_map(|row| columns.clone().map(move |column| (row, column)))
            .map(|(row, column)| pixels[row * width + column])
            .collect();
        let colours: HashSet<&[u8; 3]> = shown.iter().collect();
        let ink = shown.iter().filter(|pixel| **pixel != WHITE && **pixel != GRID).count();
        // A smoothed line alone has a dozen shades, and a dash across a panel covers a thousandth of it.
        assert!(colours.len() >= 8, "{name}: {title} has {} colours", colours.len());
        assert!(1000 * ink >= shown.len(), "{name}: {title} is blank");
    }
}

fn counts(report: &Report) -> Vec<(&str, usize)> {
    report.pictures.iter().map(|picture| (picture.name.as_str(), picture.panels.len())).collect()
}

/// The page is whole, and loads nothing.
fn read(html: &str) {
    assert!(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">") && html.ends_with("</html>\n"));
    assert!(
        !html.contains("http")
            && !html.contains("<script")
            && !html.contains("@import")
            && !html.contains("url(")
    );
    for part in html.split("href=\"").skip(1).chain(html.split("src=\"").skip(1)) {
        assert!(part.starts_with('#') || part.starts_with("data:image/png;base64,"), "{:.40}", part);
    }
    for tag in ["figure", "section", "table", "svg", "div", "pre"] {
        let opened = html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, html.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    // Images may spell anything.
    let words = html.split("base64,").map(|part| part.split_once('"').map_or(part, |(_, words)| words));
    assert!(words.skip(1).all(|words| !words.contains("NaN")));
}

const START: &str =
    "[term.initial]\non = \"t = 0\"\nequation = \"u = sin(x)\"\npoints = 4\nrole = \"constraint\"\n";
const WALLS: &str =
    "[term.walls]\non = [\"x = 0\", \"x = 2\"]\nequation = \"u = 0\"\npoints = 4\nrole = \"constraint\"\n";

/// The report has these pictures with this many panels, none of which is blank.
fn shows(text: &str, expected: &[(&str, usize)]) {
    let report = report_of(text);
    assert_eq!(counts(&report), expected);
    report.pictures.iter().for_each(look_at);
    read(&report.html);
    assert!(report.html.len() < 3_000_000, "{} bytes", report.html.len());
    for picture in &report.pictures {
        assert!(report.html.contains(&format!("id=\"figure-{}\"", picture.name)));
    }
}

fn with_reference(of: &str) -> String {
    format!("{START}{WALLS}[reference]\n{of}\n")
}

const OTHERS: [(&str, usize); 3] = [("history", 2), ("multipliers", 1), ("steps", 3)];

/// The pictures of the solution, then those that every run with constraints and a reference has.
fn usual(first: &[(&'static str, usize)]) -> Vec<(&'static str, usize)> {
    first.iter().chain(&OTHERS).copied().collect()
}

#[test]
fn one_coordinate_of_space_and_time_has_maps_and_six_profiles() {
    let text = problem(&["x", "t"], &["u"], "\"u_t = u_xx\"", &with_reference("u = \"sin(x)*exp(-t)\""));
    shows(&text, &usual(&[("solution-u", 3 + 6), ("violations", 2), ("residual", 1)]));
}

#[test]
fn two_coordinates_of_space_and_time_have_four_snapshots() {
    let reference = with_reference("u = \"sin(x)*exp(-t) + y\"");
    let text = problem(&["x", "y", "t"], &["u"], "\"u_t = u_xx + u_yy\"", &reference);
    shows(&text, &usual(&[("solution-u", 3 * 4), ("violations", 3), ("residual", 3)]));
}

#[test]
fn vectors_have_components_and_magnitude() {
    let equations = "[\"u_t = u_xx\", \"v_t = v_yy\"]";
    let text = problem(&["x", "y", "t"], &["u", "v"], equations, &with_reference("u = \"x\"\nv = \"y + 1\""));
    let fields = [("solution-u", 12), ("solution-v", 12), ("solution-u-v-magnitude", 12)];
    shows(&text, &usual(&[&fields[..], &[("violations", 3), ("residual", 2 * 3)]].concat()));
}

#[test]
fn steady_problems_without_a_reference_show_the_network_alone() {
    let text = problem(&["x", "y"], &["u"], "\"u_xx + u_yy = 1\"", WALLS);
    let fields = [("solution-u", 1), ("violations", 1), ("residual", 1)];
    shows(&text, &[&fields[..], &[("history", 1), ("multipliers", 1), ("steps", 3)]].concat());
}

#[test]
fn ordinary_equations_are_curves_and_unknown_numbers_have_their_way() {
    let rest =
        "[unknowns]\na = { start = 1, truth = 2 }\nb = { start = 0.5 }\n[reference]\nu = \"exp(-2*t)\"\n";
    let text = problem(&["t"], &["u"], "\"u_t = -a*u + b\"", rest);
    // Without constraints there are neither violations nor multipliers, and no condition number.
    shows(&text, &[("solution-u", 2), ("unknowns", 2), ("residual", 1), ("history", 2), ("steps", 2)]);
}

#[test]
fn shapes_leave_the_rest_blank() {
    let text = "fields = [\"u\"]\n[domain]\nx = [-1, 1]\ny = [-1, 1]\ninside = \"a - b\"\n\
        [shapes]\na = { disk = { center = [0, 0], radius = 1 } }\nb = { disk = { center = [0.3, 0], radius = 0.4 } }\n\
        [term.pde]\nequation = \"u_xx + u_yy = 1\"\npoints = 9\n\
        [term.rim]\non = \"boundary\"\nequation = \"u_n = x\"\npoints = 9\nrole = \"constraint\"\n\
        [reference]\nu = \"x^2 + y^2\"\n";
    shows(text, &usual(&[("solution-u", 3), ("violations", 1), ("residual", 1)]));
}

#[test]
fn unknown_fields_are_solutions_too() {
    let rest = format!("{START}[unknowns]\nk = {{ of = [\"x\"], start = 1.0, truth = \"1 + x^2\" }}\n");
    let text = problem(&["x", "t"], &["u"], "\"u_t = k*u_xx\"", &rest);
    let fields = [("solution-u", 1 + 6), ("solution-k", 2), ("violations", 1), ("residual", 1)];
    shows(&text, &usual(&fields));
}

#[test]
fn many_coordinates_are_cut() {
    let rest = "[term.walls]\non = \"boundary\"\nequation = \"u = x1*x2\"\npoints = 20\nrole = \"constraint\"\n\
        [reference]\nu = \"x1*x2\"\ngrid = { x1 = 3, x2 = 3, x3 = 3, x4 = 3, x5 = 3 }\n";
    let text = problem(&["x1", "x2", "x3", "x4", "x5"], &["u"], "\"laplacian(u) = 1\"", rest);
    shows(&text, &usual(&[("solution-u", 3), ("violations", 1), ("residual", 1)]));
}

#[test]
fn a_run_without_steps_is_reported_too() {
    let text = problem(&["x", "t"], &["u"], "\"u_t = u_xx\"", START);
    let report = reported(&text, RunFacts::default(), 0);
    assert_eq!(counts(&report), [("solution-u", 7), ("violations", 1), ("residual", 1)]);
    read(&report.html);
    assert!(report.html.contains("No step was observed") && report.html.contains("has no reference"));
}

#[test]
fn nothing_that_a_user_wrote_becomes_markup() {
    let nasty = "<script>alert(1)</script> & \\\"quotes\\\" 'too'";
    let text = format!("title = \"{nasty}\"\n{}", problem(&["x", "t"], &["u"], "\"u_t = u_xx\"", START));
    let words = "<img src=http://example.org onerror=x>".to_owned();
    let facts = RunFacts {
        version: words.clone(),
        plan: words.clone(),
        status: words.clone(),
        advice: words.clone(),
        machine: words.clone(),
        date: words.clone(),
        command: words.clone(),
        more: vec![(words.clone(), words)],
        ..RunFacts::default()
    };
    let Report { html, pictures } = reported(&text, facts, 4);
    assert!(!html.contains("<script") && !html.contains("<img"));
    assert!(html.contains(
        "<title>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot; &#39;too&#39;</title>"
    ));
    assert!(pictures.iter().all(|picture| !picture.svg.contains("<script")));
    pictures.iter().for_each(look_at);
}

#[test]
fn tables_say_what_was_measured() {
    let text = problem(
        &["x", "t"],
        &["u"],
        "\"u_t = k*u_xx + c\"",
        &format!(
            "{START}tolerance = \"max < 1e-9\"\n{WALLS}tolerance = \"rms < 1e9\"\n\
             [unknowns]\nk = {{ start = 1, truth = 0.5 }}\nc = {{ start = 1, truth = 0 }}\n[reference]\nu = \"sin(x)\"\n"
        ),
    );
    let html = report_of(&text).html;
    for expected in [
        "The relative L2 error of u is",
        "1 of 2 tolerances are not met.",
        "Verdict: 1 of 2 tolerances missed: initial.",
        "<th scope=\"col\" class=\"number\">share above it</th>",
        "<td class=\"number\">≤ 2.995e-4</td>",
        "KKT residual ‖∇f + Jᵀλ‖",
        "<td>max &lt; 0.000000001</td><td class=\"missed\">not met</td>",
        "<td>rms &lt; 1000000000</td><td class=\"met\">met</td>",
        "<td>none asked</td>",
        "<th scope=\"row\">walls</th><td>constraint</td>",
        "<th scope=\"row\">k</th><td class=\"number\">1.000</td>",
        "<td class=\"number\">0.5000</td>",
        "adamflip solve p.toml",
        "adamflip, version 1.2.3",
        "@misc{lu2026adamflip,",
        "<a href=\"#feasibility\">Feasibility</a>",
    ] {
        assert!(html.contains(expected), "{expected}");
    }
    // No relative error where the truth is 0.
    assert!(!html.contains("not a number"));
}
