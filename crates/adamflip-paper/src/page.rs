//! `index.html`: all tables and figures on one page that needs nothing else.

use adamflip::report::STYLE;
use adamflip::report::figure::png_address;

use super::figures::Picture;
use super::runs;
use super::sheet::{Sheet, html};
use super::store::ResultStore;
use adamflip_run::table::html_escaped as escaped;
use adamflip_run::words::counted;

const TITLE: &str = "The paper, reproduced";
/// What the tables here have besides those of a report.
const MORE: &str = "tr.begins th, tr.begins td { border-top: 2px solid var(--line); }\n\
    table { font-size: .82rem; }\ntd.number, th.number { padding-right: .8rem; }\nfigure img { display: block; width: 100%; min-width: 60rem; }\n\
    .runs td, .runs th { white-space: nowrap; padding-right: .8rem; }\n";

pub(crate) fn page(store: &ResultStore, sheets: &[Sheet], pictures: &[Picture]) -> String {
    let mut links: String =
        sheets.iter().map(|sheet| link(sheet.name, &sheet.title)).collect::<Vec<_>>().concat();
    let tables: String = sheets.iter().map(|sheet| section(sheet.name, &sheet.title, &html(sheet))).collect();
    let figures: String = pictures.iter().map(figure).collect();
    let figures = match pictures {
        [] => String::new(),
        _ => {
            links += &link("figures", "Solutions and errors");
            section("figures", "Solutions and errors", &figures)
        }
    };
    links += &link("runs", "The runs");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{TITLE}</title>\n\
         <style>\n{STYLE}{MORE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{TITLE}</h1>\n<p class=\"lead\">{}</p>\n</header>\n\
         <nav aria-label=\"Contents\"><ul>\n{links}</ul></nav>\n{tables}{figures}{}</main>\n</body>\n</html>\n",
        escaped(&lead(store)),
        section("runs", "The runs", &runs::html(store)),
    )
}

fn lead(store: &ResultStore) -> String {
    let failed = store.all().iter().filter(|kept| kept.has_failed()).count();
    let diverged = if failed == 0 { String::new() } else { format!(", of which {failed} diverged") };
    format!(
        "The seven problems of the AdamFLIP paper by all its methods, our numbers beside its own: {}{diverged}, as of {}.",
        counted(store.all().len(), "run"),
        adamflip_run::now()
    )
}

fn link(name: &str, title: &str) -> String {
    format!("<li><a href=\"#{name}\">{}</a></li>\n", escaped(title))
}

fn section(name: &str, title: &str, content: &str) -> String {
    format!(
        "<section id=\"{name}\" aria-labelledby=\"{name}-heading\">\n<h2 id=\"{name}-heading\">{}</h2>\n{content}</section>\n",
        escaped(title)
    )
}

fn figure(picture: &Picture) -> String {
    let (name, caption) = (escaped(&picture.name), escaped(&picture.caption));
    format!(
        "<figure id=\"figure-{name}\">\n<div class=\"scroll\" tabindex=\"0\"><img src=\"{}\" alt=\"{caption}\"></div>\n\
         <figcaption>{caption}</figcaption>\n</figure>\n",
        png_address(&picture.png)
    )
}
