//! The first line: title, steps and method, a bar, speed and time left; what does not fit goes in the reverse
//! order of its use.

use console::measure_text_width;

use adamflip_run::words::clock;

use super::words::{Look, cut, paint, printable};
use super::{Moment, Outline, Paper};

/// A title cut shorter than this says little.
const TITLE: usize = 20;

pub(super) fn line(outline: &Outline, moment: &Moment, paper: Paper) -> String {
    let width = paper.size.width;
    let title = printable(&outline.title);
    let whole = measure_text_width(&title);
    // The title was read before: it is cut first, then the bar goes, then the title.
    let rests = [20, 10, 0].map(|bar| rest(outline, moment, bar));
    let room = |rest: &String| width.saturating_sub(measure_text_width(rest) + 2);
    let rest = rests.iter().find(|rest| room(rest) >= whole.min(TITLE)).unwrap_or(&rests[2]);
    if room(rest) < whole.min(TITLE) {
        return cut(rest, width);
    }
    format!("{}  {rest}", paint(Look::Strong, &cut(&title, room(rest)), paper.colours))
}

/// All but the title, with a bar of this many columns.
fn rest(outline: &Outline, moment: &Moment, columns: usize) -> String {
    let steps = outline.steps();
    let share = if steps == 0 { 1.0 } else { (moment.step as f64 / steps as f64).min(1.0) };
    let mut parts = vec![format!("{}/{steps} {}", moment.step, moment.label()).trim_end().to_owned()];
    if columns > 0 {
        parts.push(format!("{} {:.0}%", bar(share, columns), (100.0 * share).floor()));
    }
    if moment.speed.is_finite() {
        let decimals = if moment.speed < 10.0 { 1 } else { 0 };
        parts.push(format!("{:.decimals$} steps/s", moment.speed));
    }
    if moment.refused > 0.0 {
        parts.push(format!("refused {}", moment.refused));
    }
    let done = moment.step >= steps;
    parts.extend(moment.left(outline).filter(|_| !done).map(|left| format!("{} left", clock(left))));
    parts.join("  ")
}

/// A bar whose end moves by eighths of a column.
fn bar(share: f64, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share * (8 * columns) as f64) as usize;
    let full = "█".repeat(eighths / 8);
    let part = EIGHTHS[eighths % 8];
    let empty = columns - eighths / 8 - usize::from(!part.is_empty());
    format!("{full}{part}{}", "░".repeat(empty))
}
