//! A run at a glance, as lines of text: what the terminal shows while it trains, and what `watch` shows of
//! one that another process trains. Plain numbers in, lines out; who draws them is elsewhere.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `outline` | what does not change: names, roles, stages, truths |
//! | `trace` | the history so far, thinned to what can be seen |
//! | `moment` | the newest values, the speed and the time left |
//! | `head` | the first line: title, bar, speed, time left |
//! | `rows` | a row for each term, error and unknown, fitted to a width |
//! | `spark` | a curve in a few characters |
//! | `words` | numbers as people read them; widths on a terminal |

mod head;
mod moment;
mod outline;
mod rows;
mod spark;
#[cfg(test)]
mod tests;
mod trace;
mod words;

pub(crate) use moment::Moment;
pub(crate) use outline::{Named, Outline};
pub(crate) use trace::Trace;

use adamflip_run::words::clock;

/// The room for a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// Where lines are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paper {
    pub(crate) size: Size,
    pub(crate) colours: bool,
}

/// The whole view. No line is wider than the paper; where it is too short, the last line says what is
/// missing.
pub(crate) fn lines(outline: &Outline, trace: &Trace, moment: &Moment, paper: Paper) -> Vec<String> {
    let Size { width, height } = paper.size;
    let mut lines = vec![head::line(outline, moment, paper)];
    lines.extend(rows::lines(outline, trace, moment, paper));
    if lines.len() > height.max(1) {
        let hidden = lines.len() - height.max(2) + 1;
        lines.truncate(height.max(1));
        if height > 1 {
            lines.pop();
            lines.push(words::cut(&format!(" … {hidden} more lines in a taller terminal"), width));
        }
    }
    lines
}

/// One line of any length, for pipes. What a narrow screen cuts off is what can be missed first.
pub(crate) fn plain(outline: &Outline, moment: &Moment) -> String {
    let left = moment.left(outline).filter(|_| moment.step < outline.steps());
    let left = left.map_or(String::new(), |left| format!(", {} left", clock(left)));
    let speed =
        if moment.speed.is_finite() { format!("  {:.0} steps/s", moment.speed) } else { String::new() };
    let terms = outline.terms.iter().zip(&moment.misfits);
    let losses: Vec<String> = terms.map(|(term, (mse, _))| format!("{} {mse:.1e}", term.name)).collect();
    format!(
        "{}/{} {}{speed}{left}  max_violation {:.1e}  {}",
        moment.step,
        outline.steps(),
        moment.label(),
        moment.violation(outline),
        losses.join("  "),
    )
}
