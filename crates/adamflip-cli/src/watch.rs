//! `adamflip watch`: follows a run of another process, or looks at one that is over, by reading its folder.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `watched` | a run as its folder shows it: plan, history, condition |
//! | `tail` | a history that grows |
//! | `end` | how a run ended |

mod end;
mod tail;
mod watched;

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use adamflip_run::shell;

use crate::arguments::Watch;
use crate::failure::{Failure, NOT_MET, SUCCESS};
use crate::output::{self, Data};
use crate::progress::Block;
use crate::serve;
use crate::view::{self, Paper, Size};
pub(crate) use watched::{Condition, Watched};

/// Between two looks at the folder, and two lines in a pipe.
const LOOK: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(5);
/// A file that is not a terminal has room for all rows.
const PAGE: Size = Size { width: 100, height: usize::MAX };

pub(crate) fn run(arguments: &Watch) -> Result<u8, Failure> {
    let listener = serve::bind(arguments.serve)?;
    let mut watched = Watched::open(&arguments.run)?;
    let mut screen = Screen::choose();
    if arguments.once {
        screen.page(&watched);
        return Ok(last_words(&watched, &mut screen));
    }
    let served = listener.map(|listener| listener.start(&arguments.run));
    screen.show(&watched);
    while watched.condition == Condition::Running && !screen.data.is_closed() {
        std::thread::sleep(LOOK);
        if watched.refresh()? {
            screen.show(&watched);
        }
    }
    screen.close(&watched);
    let code = last_words(&watched, &mut screen);
    if let Some(server) = served {
        output::say("the page stays until Ctrl-C");
        server.stay();
    }
    Ok(code)
}

/// What became of the run, and what to do.
fn last_words(watched: &Watched, screen: &mut Screen) -> u8 {
    let run = shell::path(&watched.run);
    match &watched.condition {
        Condition::Running => SUCCESS,
        Condition::Ended(end) => {
            screen.data.line(&format!("{}\n{}", end.line(), end.advice));
            if end.is_unfinished() {
                output::say(&format!("`adamflip resume {run}` goes on from here"));
            }
            SUCCESS
        }
        Condition::Killed => {
            screen.data.line(&format!(
                "killed: the run stopped after step {} without an end",
                watched.moment().step
            ));
            output::say(&format!("`adamflip resume {run}` goes on from its last checkpoint"));
            NOT_MET
        }
    }
}

/// stdout: the view is what was asked for.
struct Screen {
    data: Data,
    /// On a terminal.
    block: Option<Block>,
    /// In a pipe: when the last line was written, and of which step.
    line: Option<Instant>,
    written: usize,
}

impl Screen {
    fn choose() -> Self {
        let terminal = std::io::stdout().is_terminal() && !output::is_dumb();
        let block = terminal.then(|| Block::new(console::Term::stdout(), output::colours()));
        Self { data: Data::default(), block, line: None, written: 0 }
    }

    /// Shows a run that goes on.
    fn show(&mut self, watched: &Watched) {
        match &mut self.block {
            Some(block) => {
                let moment = watched.moment();
                block.draw(&view::lines(&watched.outline, &watched.trace, &moment, block.paper()));
            }
            None if self.line.is_none_or(|line| line.elapsed() >= LINE) => self.line(watched),
            None => {}
        }
    }

    fn line(&mut self, watched: &Watched) {
        let moment = watched.moment();
        if moment.step > 0 && self.written != moment.step {
            (self.line, self.written) = (Some(Instant::now()), moment.step);
            self.data.line(&view::plain(&watched.outline, &moment));
        }
    }

    /// Shows a run once, to stay.
    fn page(&mut self, watched: &Watched) {
        let paper = match &self.block {
            // What does not fit is scrolled.
            Some(block) => Paper { size: Size { height: usize::MAX, ..block.paper().size }, ..block.paper() },
            None => Paper { size: PAGE, colours: false },
        };
        let lines = view::lines(&watched.outline, &watched.trace, &watched.moment(), paper);
        self.data.line(&lines.join("\n"));
    }

    /// Leaves the last view.
    fn close(&mut self, watched: &Watched) {
        match &mut self.block {
            Some(block) => {
                block.clear();
                self.page(watched);
            }
            None => self.line(watched),
        }
    }
}
