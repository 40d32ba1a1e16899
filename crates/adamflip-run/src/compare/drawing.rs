//! Panels with curves and bands on logarithmic axes, as self-contained SVG.

mod axis;

use std::fmt::Write;

use super::curve::Curve;
use crate::table::html_escaped as escaped;
use axis::LogAxis;

/// One panel.
pub(super) struct Panel {
    /// The names of the axes.
    pub(super) across: String,
    pub(super) upward: String,
    pub(super) lines: Vec<Line>,
}

/// A curve with a name.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) curve: Curve,
}

/// The colours of Okabe and Ito (*Color Universal Design*, 2008) without their yellow, and dashes: their
/// numbers have no common factor, so that 35 lines look different, and those side by side differ in both.
const COLOURS: [&str; 7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"];
const DASHES: [&str; 5] = ["none", "7 4", "2 3", "10 3 2 3", "14 5"];

const PLOT: (f64, f64) = (400.0, 280.0);
const MARGIN: f64 = 16.0;
const HEADING: f64 = 34.0;
/// Beside and below a plot, for labels and names.
const LEFT: f64 = 76.0;
const BELOW: f64 = 48.0;
const LEGEND_ROW: f64 = 20.0;
const LEGEND_LINE: f64 = 34.0;

/// Panels side by side under a heading, with one legend below.
pub(super) fn page(heading: &str, panels: &[Panel]) -> String {
    let lines = panels.first().map_or(&[][..], |panel| &panel.lines);
    let width = MARGIN + panels.len() as f64 * (LEFT + PLOT.0 + MARGIN);
    let below = MARGIN + HEADING + PLOT.1 + BELOW;
    let (legend, rows) = legend(lines, width - 2.0 * MARGIN, below);
    let height = below + LEGEND_ROW * rows as f64 + MARGIN;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{MARGIN}\" y=\"{:.0}\" font-size=\"15\">{}</text>\n",
        MARGIN + 14.0,
        escaped(heading)
    );
    for (number, panel) in panels.iter().enumerate() {
        let x = MARGIN + LEFT + number as f64 * (LEFT + PLOT.0 + MARGIN);
        text += &drawn(panel, x, MARGIN + HEADING);
    }
    text + &legend + "</svg>\n"
}

/// A panel whose plot has its upper left corner there.
fn drawn(panel: &Panel, x: f64, y: f64) -> String {
    let points = || panel.lines.iter().flat_map(|line| &line.curve.points);
    let across = LogAxis::fit(points().map(|(place, _)| *place), x, x + PLOT.0);
    let up = LogAxis::fit(points().flat_map(|(_, errors)| *errors), y + PLOT.1, y);
    let (right, bottom) = (x + PLOT.0, y + PLOT.1);
    let mut text = String::new();
    text += &grid(&across, &up, (x, right), (y, bottom));
    for (number, line) in panel.lines.iter().enumerate() {
        text += &line.band(number, &across, &up);
    }
    for (number, line) in panel.lines.iter().enumerate() {
        text += &line.mean(number, &across, &up);
    }
    let (middle, half) = (x + PLOT.0 / 2.0, y + PLOT.1 / 2.0);
    let side = x - LEFT + 14.0;
    text + &format!(
        "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#333\"/>\n\
         <text x=\"{middle:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate({side:.0} {half:.0}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        PLOT.0,
        PLOT.1,
        bottom + 36.0,
        escaped(&panel.across),
        escaped(&panel.upward)
    )
}

/// Lines through the ticks of both axes, and their labels.
fn grid(across: &LogAxis, up: &LogAxis, (left, right): (f64, f64), (top, bottom): (f64, f64)) -> String {
    let mut text = String::new();
    for (value, label) in across.ticks() {
        let (at, below) = (across.place(value), bottom + 16.0);
        let _ = writeln!(
            text,
            "<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#e4e4e4\"/>\
             <text x=\"{at:.1}\" y=\"{below:.0}\" text-anchor=\"middle\">{label}</text>",
        );
    }
    for (value, label) in up.ticks() {
        let (at, beside) = (up.place(value), left - 6.0);
        let _ = writeln!(
            text,
            "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#e4e4e4\"/>\
             <text x=\"{beside:.0}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            at + 4.0
        );
    }
    text
}

impl Line {
    /// From the smallest to the largest; nothing where all seeds are the same.
    fn band(&self, number: usize, across: &LogAxis, up: &LogAxis) -> String {
        let points = &self.curve.points;
        if points.iter().all(|(_, [low, _, high])| low == high) {
            return String::new();
        }
        let upper = points.iter().map(|(place, errors)| (place, errors[2]));
        let lower = points.iter().rev().map(|(place, errors)| (place, errors[0]));
        let corner =
            |(place, error): (&f64, f64)| format!("{:.1},{:.1}", across.place(*place), up.place(error));
        let corners: Vec<String> = upper.chain(lower).map(corner).collect();
        let colour = COLOURS[number % COLOURS.len()];
        format!("<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"0.16\"/>\n", corners.join(" "))
    }

    /// The line of the means; a dot where there is one only.
    fn mean(&self, number: usize, across: &LogAxis, up: &LogAxis) -> String {
        let place = |(place, errors): &(f64, [f64; 3])| (across.place(*place), up.place(errors[1]));
        let colour = COLOURS[number % COLOURS.len()];
        match self.curve.points.as_slice() {
            [] => String::new(),
            [one] => {
                let (x, y) = place(one);
                format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>\n")
            }
            points => {
                let corners: Vec<String> =
                    points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                format!("<polyline points=\"{}\" {}/>\n", corners.join(" "), stroke(number))
            }
        }
    }
}

fn stroke(number: usize) -> String {
    let (colour, dashes) = (COLOURS[number % COLOURS.len()], DASHES[number % DASHES.len()]);
    format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" stroke-dasharray=\"{dashes}\"")
}

/// The names of all lines in as many columns as fit, and the number of rows.
fn legend(lines: &[Line], width: f64, top: f64) -> (String, usize) {
    let longest = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
    // A letter of this size is about 7 wide.
    let column = LEGEND_LINE + 7.0 * longest as f64 + 32.0;
    let columns = ((width / column) as usize).max(1);
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let x = MARGIN + column * (number % columns) as f64;
        let y = top + LEGEND_ROW * ((number / columns) as f64 + 0.5);
        let _ = writeln!(
            text,
            "<path d=\"M{x:.0} {y:.0}h{LEGEND_LINE}\" {}/><text x=\"{:.0}\" y=\"{:.0}\">{}</text>",
            stroke(number),
            x + LEGEND_LINE + 8.0,
            y + 4.0,
            escaped(&line.name)
        );
    }
    (text, lines.len().div_ceil(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(lines: Vec<Line>) -> Panel {
        Panel { across: "steps".into(), upward: "error <of u>".into(), lines }
    }

    fn line(name: &str, courses: &[Vec<(f64, f64)>]) -> Line {
        Line { name: name.into(), curve: Curve::of(courses) }
    }

    #[test]
    fn every_line_has_its_own_look_and_its_name() {
        let courses = [vec![(1.0, 1.0), (1e4, 1e-4)], vec![(1.0, 0.5), (1e4, 1e-5)]];
        let lines = ["adam", "adamflip", "al"].map(|name| line(name, &courses));
        let svg = page("A & B", &[panel(lines.into())]);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<polygon").count()), (3, 3));
        for text in [">A &amp; B<", ">error &lt;of u&gt;<", ">adamflip<", "10⁻⁴", "stroke-dasharray=\"7 4\""]
        {
            assert!(svg.contains(text), "{text}\n{svg}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn thirty_five_lines_look_different() {
        let mut looks: Vec<String> = (0..35).map(stroke).collect();
        looks.sort();
        looks.dedup();
        assert_eq!(looks.len(), 35);
    }

    #[test]
    fn nothing_and_one_point_can_be_drawn() {
        let svg = page("", &[panel(vec![line("none", &[]), line("one", &[vec![(5.0, 0.1)]])])]);
        assert!(svg.contains("<circle") && !svg.contains("NaN"), "{svg}");
        assert!(!page("", &[panel(Vec::new())]).contains("NaN"));
    }
}
