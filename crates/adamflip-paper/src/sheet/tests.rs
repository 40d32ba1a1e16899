//! A small table in all formats, whole.

use super::*;

fn entry(numbers: &[f64], paper: Option<paper::Value>) -> Entry {
    Entry { numbers: numbers.to_vec(), failed: 0, paper, is_judged: true, digits: |_| Digits::Scientific }
}

fn sheet(aggregate: Aggregate) -> Sheet {
    let column = |name: &str, has_paper| Column { name: name.to_owned(), has_paper };
    let line = |label: &str, begins, entries| Line { labels: vec![label.to_owned()], entries, begins };
    let time = Entry { digits: Digits::time, ..entry(&[12.25, 10.0], Some((113.0, None))) };
    let wild = Entry { failed: 2, ..entry(&[], Some((5.0, None))) };
    Sheet {
        name: "small",
        title: "A small_table".to_owned(),
        labels: vec!["what"],
        columns: vec![column("adam", true), column("best", false)],
        lines: vec![
            line(
                "rel. L2",
                true,
                vec![entry(&[3e-2, 1e-2, 2e-2], Some((1.5e-2, Some(1e-3)))), entry(&[], None)],
            ),
            line("time", true, vec![time, wild]),
        ],
        aggregate,
        notes: vec!["a < b".to_owned()],
    }
}

#[test]
fn the_sheet_as_text_markdown_latex_csv_and_html() {
    let text = " A small_table\n\n what                 adam             paper          best\n\
        ─────────────────────────────────────────────────────────────\n \
        rel. L2   2.00e-2 (3) >  1.50e-2 ± 1.00e-3             –\n\n \
        time         11.1 (2) ≤                113  diverged (2)\n\n a < b\n";
    let shown = sheet(Aggregate::Median).render(Format::Text);
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('─', "");
    assert_eq!(squeezed(&shown), squeezed(text), "{shown}");
    let markdown = "## A small\\_table\n\n| what | adam | paper | best |\n| --- | ---: | ---: | ---: |\n\
        | rel. L2 | 2.00e-2 (3) > | 1.50e-2 ± 1.00e-3 | – |\n| time | 11.1 (2) ≤ | 113 | diverged (2) |\n\n- a \\< b\n";
    assert_eq!(sheet(Aggregate::Median).render(Format::Markdown), markdown);
    let latex = "% A small_table\n\\begin{tabular}{lrrr}\n  \\hline\n  what & adam & paper & best \\\\\n  \\hline\n  \
        rel. L2 & $2.00 \\times 10^{-2} \\pm 1.00 \\times 10^{-2}$ (3) $>$ & $1.50 \\times 10^{-2} \\pm 1.00 \\times 10^{-3}$ & -- \\\\\n  \
        \\hline\n  time & $11.1 \\pm 1.6$ (2) $\\le$ & $113$ & diverged (2) \\\\\n  \\hline\n\\end{tabular}\n% a < b\n";
    assert_eq!(sheet(Aggregate::Mean).render(Format::Latex), latex);
    let csv = file(&[sheet(Aggregate::Median)], Format::Csv);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "table,row,column,runs,diverged,median,mean,deviation,least,largest,paper,paper deviation,verdict"
    );
    assert_eq!(lines[1], "small,rel. L2,adam,3,0,2e-2,2e-2,1e-2,1e-2,3e-2,1.5e-2,1e-3,above");
    assert_eq!(lines[4], "small,time,best,2,2,,,,,,5e0,,");
    let page = html(&sheet(Aggregate::Median));
    assert!(page.contains(
        "<td class=\"number missed\">2.00e-2 (3) &gt;</td><td class=\"number soft\">1.50e-2 ± 1.00e-3</td>"
    ));
    assert!(page.contains("<td class=\"number met\">11.1 (2) ≤</td>") && page.contains("a &lt; b"));
}

#[test]
fn ours_is_compared_in_the_digits_of_the_paper() {
    // 3.124e-2 is written as the paper's 3.12e-2.
    let met = |number: f64| entry(&[number], Some((3.12e-2, None))).is_met(Aggregate::Median);
    assert_eq!([met(3.124e-2), met(3.126e-2), met(f64::NAN)], [Some(true), Some(false), None]);
    let unjudged = Entry { is_judged: false, ..entry(&[1.0], Some((2.0, None))) };
    assert_eq!(unjudged.is_met(Aggregate::Median), None);
}
