//! Every run in a row of its own: its numbers, where, when and from which files it was made, and its command.

use super::quantity::{Condition, Quantity};
use super::store::{ResultStore, StoredResult};
use adamflip_run::table::html_escaped as escaped;
use adamflip_run::table::{csv_line, csv_number};
use adamflip_run::words::counted;

/// What a column has of a run.
enum Fact {
    Text(fn(&StoredResult) -> String),
    Number(Quantity),
}

/// A column: its name and what it has.
type Column = (&'static str, Fact);

#[rustfmt::skip]
const COLUMNS: [Column; 26] = [
    ("study",        Fact::Text(|kept| kept.study.clone())),
    ("problem",      Fact::Text(|kept| kept.problem.clone())),
    ("method",       Fact::Text(|kept| kept.method.clone())),
    ("variant",      Fact::Text(|kept| kept.variant.clone().unwrap_or_default())),
    ("seed",         Fact::Text(|kept| kept.seed.to_string())),
    ("ended by",     Fact::Text(|kept| kept.summary["status"].as_str().unwrap_or_default().to_owned())),
    ("steps",        Fact::Text(|kept| kept.summary["steps"].to_string())),
    ("rel. L2 of u", Fact::Number(Quantity::Error("u"))),
    ("rel. L2 of v", Fact::Number(Quantity::Error("v"))),
    ("rel. L2 of p", Fact::Number(Quantity::Error("p"))),
    ("late, of u",   Fact::Number(Quantity::LateError("u"))),
    ("CE (IC)",      Fact::Number(Quantity::MeanSquare(Condition::Initial))),
    ("CE (BC)",      Fact::Number(Quantity::MeanSquare(Condition::Boundary))),
    ("CE (Phy)",     Fact::Number(Quantity::MeanSquare(Condition::Physics))),
    ("CE (DL)",      Fact::Number(Quantity::MeanSquare(Condition::Data))),
    ("kappa1",       Fact::Number(Quantity::Unknown("kappa1"))),
    ("kappa2",       Fact::Number(Quantity::Unknown("kappa2"))),
    ("alpha",        Fact::Number(Quantity::Unknown("alpha"))),
    ("kappa",        Fact::Number(Quantity::Unknown("kappa"))),
    ("time (s)",     Fact::Number(Quantity::Seconds)),
    ("threads",      Fact::Text(|kept| kept.threads.to_string())),
    ("runs at once", Fact::Text(|kept| kept.jobs.to_string())),
    ("machine",      Fact::Text(machine)),
    ("commit",       Fact::Text(commit)),
    ("ended",        Fact::Text(|kept| kept.date.clone())),
    ("command",      Fact::Text(|kept| kept.command.clone())),
];

fn machine(kept: &StoredResult) -> String {
    kept.machine.line()
}

/// Of the problem files.
fn commit(kept: &StoredResult) -> String {
    kept.commit.clone().unwrap_or_else(|| "unknown".to_owned())
}

/// For other programs, with all digits.
pub(crate) fn csv(store: &ResultStore) -> String {
    let cell = |kept: &StoredResult, fact: &Fact| match fact {
        Fact::Text(of) => of(kept),
        Fact::Number(quantity) => csv_number(quantity.of(kept)),
    };
    let line = |kept: &StoredResult| csv_line(&COLUMNS.each_ref().map(|(_, fact)| cell(kept, fact)));
    let lines: String = store.all().iter().map(line).collect();
    csv_line(&COLUMNS.each_ref().map(|(name, _)| (*name).to_owned())) + &lines
}

/// For the page: how many there are of what, and all of them, folded up.
pub(crate) fn html(store: &ResultStore) -> String {
    let groups = [
        ("settings", counts(store, |kept| kept.settings.clone())),
        ("machine", counts(store, machine)),
        ("program", counts(store, |kept| format!("adamflip {}", kept.version))),
        ("commit of the problem files", counts(store, commit)),
    ];
    let group = |(name, values): (&str, String)| {
        format!("<tr><th scope=\"row\">{name}</th><td>{}</td></tr>\n", escaped(&values))
    };
    let dates = store.all().iter().map(|kept| kept.date.as_str());
    let (first, last) = (dates.clone().min().unwrap_or("–"), dates.max().unwrap_or("–"));
    format!(
        "<div class=\"scroll\"><table><tbody>\n{}{}</tbody></table></div>\n{}\
         <p>Each run has a file of its own beside this page. <code>adamflip reproduce --status</code> says what is \
         missing, <code>adamflip reproduce</code> goes on.</p>\n",
        groups.map(group).concat(),
        group(("ended", format!("{first} to {last}"))),
        every(store),
    )
}

/// The values that runs have, each with how many have it.
fn counts(store: &ResultStore, of: fn(&StoredResult) -> String) -> String {
    let mut values: Vec<String> = store.all().iter().map(of).collect();
    values.sort();
    let groups = values.chunk_by(|one, other| one == other);
    let counted = groups.map(|group| format!("{} ({})", group[0], counted(group.len(), "run")));
    counted.collect::<Vec<_>>().join("; ")
}

fn every(store: &ResultStore) -> String {
    let class = |fact: &Fact| if matches!(fact, Fact::Number(_)) { " class=\"number\"" } else { "" };
    let header =
        COLUMNS.each_ref().map(|(name, fact)| format!("<th scope=\"col\"{}>{name}</th>", class(fact)));
    let cell = |kept: &StoredResult, fact: &Fact| match fact {
        Fact::Text(of) => escaped(&of(kept)),
        Fact::Number(quantity) => match quantity.of(kept) {
            number if number.is_finite() => quantity.digits()(number).plain(number),
            _ => "–".to_owned(),
        },
    };
    let row = |kept: &StoredResult| {
        let cells =
            COLUMNS.each_ref().map(|(_, fact)| format!("<td{}>{}</td>", class(fact), cell(kept, fact)));
        format!("<tr>{}</tr>\n", cells.concat())
    };
    format!(
        "<details><summary>Every run, with its numbers and its command</summary>\n<div class=\"scroll\" tabindex=\"0\">\
         <table class=\"runs\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div></details>\n",
        header.concat(),
        store.all().iter().map(row).collect::<String>()
    )
}
