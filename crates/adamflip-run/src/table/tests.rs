use super::*;

/// Two rows; a run of the second failed, and nobody has the last number.
fn table() -> Table {
    let numbers = |a: &[f64], b: &[f64], c: &[f64]| [a, b, c].map(Spread::of).to_vec();
    let row = |label: &str, runs, numbers| Row { labels: vec![label.into()], runs, numbers };
    Table {
        title: "Heat_flow & more".into(),
        labels: vec!["method".into()],
        metrics: vec![Metric::FieldError("u_1".into()), Metric::Seconds, Metric::Unknown("k".into())],
        rows: vec![
            row("adam", (2, 2), numbers(&[0.01, 0.03], &[1.0, 3.0], &[f64::NAN; 2])),
            row("fl_momentum", (1, 2), numbers(&[0.001, f64::NAN], &[40.0, f64::NAN], &[f64::NAN; 2])),
        ],
        notes: vec!["fl_momentum, seed 1, failed: diverged".into()],
    }
}

#[test]
fn text_marks_the_best_and_counts_the_failed() {
    let expected = " Heat_flow & more

 method         runs               rel_l2.u_1         seconds  value.k
───────────────────────────────────────────────────────────────────────
 adam              2    * 2.00e-2 ± 1.41e-2     * 2.0 ± 1.4        –
 fl_momentum  1 of 2       1.00e-3 (1 of 2)   40.0 (1 of 2)        –

 * best of its column
 fl_momentum, seed 1, failed: diverged
";
    let squeezed = |text: &str| {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().map(words).collect::<Vec<_>>()
    };
    let text = table().render(Format::Text);
    // Which cells stand where; how wide columns are is the business of the crate that draws them.
    assert_eq!(squeezed(&text).len(), squeezed(expected).len(), "{text}");
    for (line, expected) in squeezed(&text).iter().zip(squeezed(expected)) {
        assert!(line == &expected || line.starts_with('─'), "{text}");
    }
}

#[test]
fn csv_has_all_digits_in_columns_of_their_own() {
    let expected = "\
method,runs,failed,rel_l2.u_1 mean,rel_l2.u_1 deviation,rel_l2.u_1 count,seconds mean,seconds deviation,seconds count,\
value.k mean,value.k deviation,value.k count
adam,2,0,2e-2,1.414213562373095e-2,2,2e0,1.4142135623730951e0,2,,,0
fl_momentum,2,1,1e-3,,1,4e1,,1,,,0
";
    assert_eq!(table().render(Format::Csv), expected);
    assert_eq!(csv_line(&["a,b".into(), "say \"x\"".into()]), "\"a,b\",\"say \"\"x\"\"\"\n");
}

#[test]
fn markdown_is_a_table() {
    let expected = r"**Heat\_flow & more**

| method | runs | rel\_l2.u\_1 | seconds | value.k |
| --- | ---: | ---: | ---: | ---: |
| adam | 2 | **2.00e-2 ± 1.41e-2** | **2.0 ± 1.4** | – |
| fl\_momentum | 1 of 2 | 1.00e-3 (1 of 2) | 40.0 (1 of 2) | – |

- fl\_momentum, seed 1, failed: diverged
";
    assert_eq!(table().render(Format::Markdown), expected);
}

#[test]
fn latex_escapes_and_compiles_without_packages() {
    let expected = r"% Heat_flow & more
\begin{tabular}{lrrrr}
  \hline
  method & runs & rel\_l2.u\_1 & seconds & value.k \\
  \hline
  adam & 2 & {\boldmath $2.00 \times 10^{-2} \pm 1.41 \times 10^{-2}$} & {\boldmath $2.0 \pm 1.4$} & -- \\
  fl\_momentum & 1 of 2 & $1.00 \times 10^{-3}$ (1 of 2) & $40.0$ (1 of 2) & -- \\
  \hline
\end{tabular}
% fl_momentum, seed 1, failed: diverged
";
    assert_eq!(table().render(Format::Latex), expected);
    assert_eq!(latex_escaped("max < 10⁻²"), "max $<$ 10$^-$$^2$");
    assert_eq!(latex_escaped("κ₁ ± 2², K_p"), "$\\kappa$$_1$ $\\pm$ 2$^2$, K\\_p");
}

#[test]
fn the_first_row_is_the_one_that_is_marked() {
    let mut table = table();
    let mut last = Row { labels: vec!["al".into()], runs: (2, 2), numbers: table.rows[0].numbers.clone() };
    last.numbers[0] = Spread::of(&[0.02, 0.03]);
    table.rows.insert(0, last);
    table.rows.reverse();
    let order: Vec<String> = table.sorted().rows.into_iter().flat_map(|row| row.labels).collect();
    assert_eq!(order, ["adam", "al", "fl_momentum"]);
}

#[test]
fn the_best_is_among_the_whole_unless_none_is() {
    let mut table = table();
    let best = |table: &Table| table.best().iter().map(|best| best.map(|best| best.mean)).collect::<Vec<_>>();
    // The smaller error lacks a run, and of values that nobody has none is best.
    assert_eq!(best(&table), [Some(0.02), Some(2.0), None]);
    table.rows[0].numbers[0] = Spread::of(&[0.5, f64::NAN]);
    assert_eq!(best(&table)[0], Some(0.001));
    table.rows.truncate(1);
    assert_eq!(best(&table), [None; 3], "alone there is nothing to be better than");
}
