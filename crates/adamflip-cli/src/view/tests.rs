use adamflip::history::History;
use adamflip::problem::Role;

use super::outline::Named;
use super::spark::spark;
use super::words::value;
use super::*;
use adamflip_run::words::clock;

fn outline() -> Outline {
    let named = |name: &str, known| Named { name: name.into(), known };
    Outline {
        title: "Heat in a rod of unknown conductivity".into(),
        stages: vec![("adam".into(), 200), ("adamflip".into(), 800)],
        terms: vec![named("pde", Role::Objective), named("initial", Role::Constraint)],
        unknowns: vec![Named { name: "kappa".into(), known: Some(0.1) }],
        fields: vec!["u".into()],
        budget: None,
        is_open: false,
    }
}

/// This many rows, ten steps and a tenth of a second apart; losses fall by a decade in 300 steps, every third
/// row has an error.
fn history(rows: usize) -> History {
    let mut text =
        "step,stage,method,seconds,pde_mse,pde_max,initial_mse,initial_max,unknown_kappa,rel_l2_u\n"
            .to_owned();
    for row in 1..=rows {
        let (step, decay) = (10 * row, 10f64.powf(-(row as f64) / 30.0));
        let error = if row % 3 == 0 { format!("{}", decay / 2.0) } else { String::new() };
        text += &format!(
            "{step},0,adam,{},{decay},{},{},{},{},{error}\n",
            row as f64 / 10.0,
            3.0 * decay,
            decay * decay,
            2.0 * decay,
            0.1 + 0.9 * decay,
        );
    }
    History::parse(&text).unwrap()
}

fn trace(rows: usize) -> Trace {
    let mut trace = Trace::new(outline().columns());
    trace.extend(&history(rows), 0);
    trace
}

fn shown(rows: usize, width: usize, height: usize) -> String {
    let (outline, trace) = (outline(), trace(rows));
    let paper = Paper { size: Size { width, height }, colours: false };
    lines(&outline, &trace, &Moment::last(&outline, &trace), paper).join("\n")
}

/// Without the marks of the margin that keep the first columns.
fn text(marked: &str) -> String {
    marked.lines().map(|line| line.trim_start().trim_start_matches('|')).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_run_at_a_glance() {
    let expected = "\
        |Heat in a rod of unknown …  600/1000 adam  ██████░░░░ 60%  100 steps/s  4 s left
        | term     role              mse        max
        | pde      objective     1.00e-2    3.00e-2  ███▇▇▇▆▆▆▅▅▅▄▄▄▃▃▃▂▂▂▁▁▁
        | initial  constraint    1.00e-4    2.00e-2  ███▇▇▇▆▆▆▅▅▅▄▄▄▃▃▃▂▂▂▁▁▁
        | u        rel. error    5.00e-3             ███▇▇▆▆▆▅▅▄▄▃▃▃▂▂▁▁▁
        | kappa    unknown         0.109     ↓ 5e-3  truth 0.1";
    assert_eq!(shown(60, 80, 24), text(expected));
}

#[test]
fn a_narrow_terminal_shows_less() {
    let expected = "\
        |600/1000 adam  100 steps/s  4 s left
        | term           mse        max
        | pde        1.00e-2    3.00e-2  █▇▆▅▄▃▂▁
        | initial    1.00e-4    2.00e-2  █▇▆▅▄▃▂▁
        | u          5.00e-3             █▇▆▅▄▃▂▁
        | kappa        0.109     ↓ 5e-3  truth 0…";
    assert_eq!(shown(60, 40, 24), text(expected));
}

#[test]
fn a_short_terminal_says_what_is_missing() {
    let expected = "\
        |Heat in a rod of unknown conductivity  600/1000 adam  ████████████░░░░░░░░ 60%  100 steps/s  4 s left
        | term     role              mse        max
        | … 4 more lines in a taller terminal";
    assert_eq!(shown(60, 110, 3), text(expected));
    assert_eq!(shown(60, 110, 1).lines().count(), 1);
    assert_eq!(shown(60, 110, 0).lines().count(), 1);
}

#[test]
fn a_run_that_has_not_started_has_no_numbers() {
    let expected = "\
        |Heat in a rod of unknown conductivity  0/1000  ░░░░░░░░░░░░░░░░░░░░ 0%
        | term     role              mse        max
        | pde      objective           –          –
        | initial  constraint          –          –
        | u        rel. error          –
        | kappa    unknown             –             truth 0.1";
    assert_eq!(shown(0, 80, 24), text(expected));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let mut outline = outline();
    outline.title = "熱方程式 \u{1b}[2J\n and much more that no terminal could show in one line".into();
    outline.terms[0].name = "法則".into();
    outline.terms[1].name = "a-name-that-is-longer-than-any-column-of-the-view".into();
    for rows in [0, 1, 2, 1000] {
        let trace = trace(rows);
        for width in 0..130 {
            let paper = Paper { size: Size { width, height: 24 }, colours: width % 2 == 0 };
            for line in lines(&outline, &trace, &Moment::last(&outline, &trace), paper) {
                assert!(console::measure_text_width(&line) <= width, "{width}: {line}");
                assert!(!line.contains('\n') && !line.contains("\u{1b}[2J"), "{line:?}");
            }
        }
    }
}

#[test]
fn colours_change_no_text() {
    let (outline, trace) = (outline(), trace(60));
    let size = Size { width: 80, height: 24 };
    let [plain, painted] = [false, true]
        .map(|colours| lines(&outline, &trace, &Moment::last(&outline, &trace), Paper { size, colours }));
    assert_ne!(plain, painted);
    let stripped: Vec<_> = painted.iter().map(|line| console::strip_ansi_codes(line).into_owned()).collect();
    assert_eq!(stripped, plain);
}

#[test]
fn a_trust_region_is_shown_while_a_method_has_one() {
    let outline = outline();
    let head = "step,stage,method,seconds,pde_mse,refused,radius,damping,penalty\n";
    let warm = "1,0,adam,0.1,1,,,,\n";
    let shown = |text: &str| {
        let mut trace = Trace::new(outline.columns());
        trace.extend(&History::parse(text).unwrap(), 0);
        let paper = Paper { size: Size { width: 90, height: 20 }, colours: false };
        lines(&outline, &trace, &Moment::last(&outline, &trace), paper)
    };
    let before = shown(&format!("{head}{warm}"));
    assert!(before.iter().all(|line| !line.contains("region") && !line.contains("refused")), "{before:#?}");
    let after = shown(&format!("{head}{warm}2,1,newtonflip,0.2,1,3,0.5,0.001,2e4\n"));
    assert!(after[0].contains("refused 3"), "{after:#?}");
    let region: Vec<&String> = after.iter().filter(|line| line.contains("  region")).collect();
    for (line, words) in
        region.iter().zip([["radius", "5.00e-1"], ["damping", "1.00e-3"], ["penalty", "2.00e4"]])
    {
        assert!(words.iter().all(|word| line.contains(word)), "{after:#?}");
    }
    assert_eq!((region.len(), after.len()), (3, before.len() + 3));
}

#[test]
fn a_pipe_gets_one_line() {
    let (outline, trace) = (outline(), trace(60));
    let line = plain(&outline, &Moment::last(&outline, &trace));
    assert_eq!(
        line,
        "600/1000 adam  100 steps/s, 4 s left  max_violation 2.0e-2  pde 1.0e-2  initial 1.0e-4"
    );
    // One row tells no speed.
    let trace = self::trace(1);
    let line = plain(&outline, &Moment::last(&outline, &trace));
    assert!(line.starts_with("10/1000 adam  max_violation"), "{line}");
}

#[test]
fn a_budget_may_end_a_run_first() {
    let (mut outline, trace) = (outline(), trace(60));
    outline.budget = Some(7.5);
    let left = Moment::last(&outline, &trace).left(&outline).unwrap();
    // Times in the file have three decimals.
    assert!((left - 1.5).abs() < 1e-9, "{left}");
    // Steps that an open plan takes 50 at a time say nothing of its end.
    outline.budget = Some(60.0);
    outline.is_open = true;
    let left = Moment::last(&outline, &trace).left(&outline).unwrap();
    assert!((left - 54.0).abs() < 1e-9, "{left}");
}

#[test]
fn long_histories_are_thinned_but_reach_from_the_first_row_to_the_last() {
    for rows in [1, 499, 500, 501, 999, 1000, 1001, 2500, 12_345] {
        let history = history(rows);
        let trace = trace(rows);
        let steps = trace.column("step");
        assert!(
            steps.len() <= trace::MOST && steps.len() >= rows.min(trace::MOST / 2),
            "{rows}: {}",
            steps.len()
        );
        assert_eq!((steps[0], trace.last("step"), trace.seen()), (10.0, 10.0 * rows as f64, rows));
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]));
        // Every third row has an error: thinning by two and four must not lose them.
        let errors = trace.column("rel_l2_u").iter().filter(|error| error.is_finite()).count();
        assert!(errors * 4 >= steps.len() || rows < 3, "{rows}: {errors} of {}", steps.len());
        // In pieces it is the same as at once.
        let mut grown = Trace::new(outline().columns());
        for piece in [rows / 7, rows / 2, rows] {
            let mut history = history.clone();
            history.truncate(10 * piece);
            grown.extend(&history, grown.seen());
        }
        assert_eq!(format!("{grown:?}"), format!("{trace:?}"));
    }
}

#[test]
fn drift_is_the_change_over_the_last_tenth() {
    let trace = trace(100);
    let decay = |row: f64| 0.9 * 10f64.powf(-row / 30.0);
    // Sums around 0.1 are rounded at 1e-17.
    assert!((trace.drift("unknown_kappa") - (decay(100.0) - decay(90.0))).abs() < 1e-15);
    assert!(super::tests::trace(1).drift("unknown_kappa").is_nan());
}

#[test]
fn curves_of_a_few_characters() {
    assert_eq!(spark(&[], 8), "");
    assert_eq!(spark(&[f64::NAN, 0.0, -1.0, f64::INFINITY], 8), "");
    assert_eq!(spark(&[1e0, 1e-1, 1e-2, 1e-3], 8), "█▆▃▁");
    // A change of a few percent is no change.
    assert_eq!(spark(&[1.0, 1.02, 0.98], 8), "▅▅▄");
    assert_eq!(spark(&vec![1.0; 1000], 24).chars().count(), 24);
}

#[test]
fn numbers_are_as_long_as_needed() {
    let said = [0.0, 0.0995, 1.0, 123.456789, 1e5, 1e-4, -2.5, f64::NAN].map(value);
    assert_eq!(said, ["0", "0.0995", "1", "123.46", "1.000e5", "1.000e-4", "-2.5", "–"]);
}

#[test]
fn a_view_costs_next_to_nothing() {
    let (outline, trace) = (outline(), trace(10_000));
    let paper = Paper { size: Size { width: 100, height: 24 }, colours: true };
    let time = || {
        let start = std::time::Instant::now();
        std::hint::black_box(lines(&outline, &trace, &Moment::last(&outline, &trace), paper));
        start.elapsed()
    };
    let best = (0..50).map(|_| time()).min().unwrap();
    // Ten times a second, a millisecond each would be a hundredth of all time.
    assert!(best < std::time::Duration::from_millis(1), "{best:?}");
}

#[test]
fn seconds_become_minutes_and_hours() {
    let said = [0.2, 99.0, 100.0, 3_605.0, 6_000.0, 90_000.0].map(clock);
    assert_eq!(said, ["0 s", "99 s", "1 min 40 s", "60 min 05 s", "1 h 40 min", "25 h 00 min"]);
}
