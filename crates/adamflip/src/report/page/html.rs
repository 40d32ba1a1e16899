//! The few pieces of HTML that the page is made of. Every text that comes in is escaped here.

use crate::report::figure::escape;

/// A text that is HTML already.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Html(pub(super) String);

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    /// Words.
    Text(String),
    /// A formula.
    Code(Vec<String>),
    /// A number, to the right.
    Number(String),
    /// A judgement: met or not.
    Verdict(bool, String),
}

impl Html {
    pub(super) fn push(&mut self, other: Self) {
        self.0.push_str(&other.0);
    }
}

/// `<tag>text</tag>`, with a class unless it is empty.
pub(super) fn element(tag: &str, class: &str, text: &str) -> Html {
    Html(match class {
        "" => format!("<{tag}>{}</{tag}>\n", prose(text)),
        class => format!("<{tag} class=\"{class}\">{}</{tag}>\n", prose(text)),
    })
}

/// Words, in which what stands between backticks is code.
fn prose(text: &str) -> String {
    let escaped = escape(text);
    let pieces: Vec<&str> = escaped.split('`').collect();
    // One that has no partner is left as it is.
    if pieces.len().is_multiple_of(2) {
        return escaped;
    }
    let piece = |(number, piece): (usize, &&str)| match number % 2 {
        0 => (*piece).to_owned(),
        _ => format!("<code>{piece}</code>"),
    };
    pieces.iter().enumerate().map(piece).collect()
}

/// Text whose lines stay as they are.
pub(super) fn preformatted(text: &str) -> Html {
    let lines: Vec<String> = text.lines().map(escape).collect();
    Html(format!("<pre><code>{}</code></pre>\n", lines.join("\n")))
}

/// A part of the page with its heading.
pub(super) fn section(identifier: &str, heading: &str, content: &Html) -> Html {
    let heading = escape(heading);
    Html(format!(
        "<section id=\"{identifier}\" aria-labelledby=\"{identifier}-heading\">\n\
         <h2 id=\"{identifier}-heading\">{heading}</h2>\n{}</section>\n",
        content.0
    ))
}

/// A table: its first column names the rows.
pub(super) fn table(head: &[&str], rows: &[Vec<Cell>]) -> Html {
    let is_number = |column: usize| rows.iter().any(|row| matches!(row.get(column), Some(Cell::Number(_))));
    let heading = |(column, text): (usize, &&str)| {
        let class = if is_number(column) { " class=\"number\"" } else { "" };
        format!("<th scope=\"col\"{class}>{}</th>", escape(text))
    };
    let head: String = head.iter().enumerate().map(heading).collect();
    let head = if head.is_empty() { head } else { format!("<thead><tr>{head}</tr></thead>\n") };
    let row = |cells: &Vec<Cell>| {
        let cells: String = cells.iter().enumerate().map(|(column, cell)| cell.html(column == 0)).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let body: String = rows.iter().map(row).collect();
    Html(format!("<div class=\"scroll\"><table>\n{head}<tbody>\n{body}</tbody></table></div>\n"))
}

impl Cell {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    fn html(&self, is_first: bool) -> String {
        match self {
            Self::Text(text) if is_first => format!("<th scope=\"row\">{}</th>", escape(text)),
            Self::Text(text) => format!("<td>{}</td>", prose(text)),
            Self::Code(lines) => {
                let lines: Vec<String> =
                    lines.iter().map(|line| format!("<code>{}</code>", escape(line))).collect();
                format!("<td>{}</td>", lines.join("<br>"))
            }
            Self::Number(text) => format!("<td class=\"number\">{}</td>", escape(text)),
            Self::Verdict(met, text) => {
                let class = if *met { "met" } else { "missed" };
                format!("<td class=\"{class}\">{}</td>", escape(text))
            }
        }
    }
}

/// A number as people read it: four digits, with an exponent where it is large or small.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    match size {
        0.0 => "0".to_owned(),
        _ if !value.is_finite() => "not a number".to_owned(),
        _ if (1e-3..1e5).contains(&size) => {
            let decimals = (3 - size.log10().floor() as i32).max(0) as usize;
            format!("{value:.decimals$}")
        }
        _ => format!("{value:.3e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.031_249, "0.03125"),
            (1.0, "1.000"),
            (12_345.6, "12346"),
            (1.2346e-7, "1.235e-7"),
            (-0.5, "-0.5000"),
            (f64::NAN, "not a number"),
            (f64::INFINITY, "not a number"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn texts_are_escaped_everywhere() {
        let nasty = "<script>alert('x')</script>";
        let cells = vec![
            Cell::text(nasty),
            Cell::text(nasty),
            Cell::Code(vec![nasty.to_owned()]),
            Cell::Number(nasty.to_owned()),
            Cell::Verdict(true, nasty.to_owned()),
        ];
        let all = [
            element("p", "", nasty),
            element("p", "lead", nasty),
            preformatted(nasty),
            section("a", nasty, &Html::default()),
            table(&[nasty], &[cells]),
        ];
        for Html(text) in all {
            assert!(!text.contains("<script") && text.contains("&lt;script"), "{text}");
        }
    }
}
