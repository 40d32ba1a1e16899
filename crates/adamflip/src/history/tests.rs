use super::*;
use crate::train::{Signal, Trainer};

const PROBLEM: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
[unknowns]
k = { start = 1 }
[term.ode]
equation = "u_x = k*u"
points = 8
[term.ends]
on = ["x = 0", "x = 1"]
equation = "u = 1 + x"
points = 2
pointwise = true
[reference]
u = "1 + x"
[network]
hidden = [3]
[train]
stages = [{ method = "adam", steps = 2 }, { method = "adamflip", steps = 3 }]
"#;

fn observed(text: &str) -> History {
    let problem = crate::testing::problem(text);
    let (mut history, stages) = (History::new(&problem), problem.stages.clone());
    let (copy, mut row) = (problem.clone(), Row::default());
    Trainer::new(problem, 0, stages).unwrap().run(&mut |progress| {
        row.take(progress, &copy, 0.25 * progress.step as f64);
        history.push(&row, &[0.5]);
        Signal::Continue
    });
    history
}

#[test]
fn a_file_brings_every_number_back() {
    let history = observed(PROBLEM);
    let back = History::parse(&history.text()).unwrap();
    assert_eq!(back.text(), history.text());
    assert_eq!((back.len(), back.steps()), (5, [1.0, 2.0, 3.0, 4.0, 5.0].as_slice()));
    assert_eq!(back.methods(), ["adam", "adam", "adamflip", "adamflip", "adamflip"]);
    assert_eq!(back.column("ends_mse"), history.column("ends_mse"));
    assert_eq!(back.column("seconds").unwrap()[4], 1.25);
    assert_eq!(back.last("rel_l2_u"), 0.5);
    assert!(back.column("multiplier_ends").unwrap()[0].is_nan() && back.last("multiplier_ends").is_finite());
    assert_eq!((back.column("method"), back.column("nothing")), (None, None));
}

#[test]
fn active_inequalities_are_counted() {
    let text = PROBLEM.replace("u = 1 + x\"\npoints = 2", "u >= 3 - x\"\npoints = 6");
    let history = History::parse(&observed(&text).text()).unwrap();
    let active = history.column("active_ends").unwrap();
    assert!(active[..2].iter().all(|count| count.is_nan()), "adam has no multipliers: {active:?}");
    // u is about 0 at first: all of them are violated.
    assert_eq!(active[2], 6.0);
    assert!(self::observed(PROBLEM).column("active_ends").is_none());
}

#[test]
fn what_came_after_a_step_is_dropped() {
    let mut history = observed(PROBLEM);
    history.truncate(3);
    assert_eq!((history.len(), history.steps()), (3, [1.0, 2.0, 3.0].as_slice()));
    history.truncate(0);
    assert!(history.is_empty());
    assert_eq!(history.text().lines().count(), 1);
}

#[test]
fn a_file_cut_anywhere_loses_only_what_was_being_written() {
    let text = observed(PROBLEM).text();
    let header = text.find('\n').unwrap();
    for end in 0..text.len() {
        match History::parse(&text[..end]) {
            Ok(history) => assert!(text.starts_with(&history.text()), "{end}"),
            Err(error) => assert!(error == HistoryError::Header && end <= header, "{end}: {error}"),
        }
    }
}

#[test]
fn foreign_files_are_refused_with_the_line() {
    let message = |text: &str| History::parse(text).unwrap_err().to_string();
    assert!(message("a,b\n1,2\n").contains("line 1"));
    let header = "step,stage,method,seconds\n";
    assert_eq!(message(&format!("{header}1,0,adam,1\n2,0,adam\n")), "line 3: 3 cells where the header has 4");
    assert_eq!(message(&format!("{header}1,0,adam,soon\n")), "line 2: `soon` is not a number");
}
