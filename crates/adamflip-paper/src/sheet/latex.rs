//! A table for LaTeX, without packages.

use super::{Sheet, Written};
use adamflip_run::table::latex_escaped;

pub(super) fn render(sheet: &Sheet) -> String {
    let header: Vec<String> = sheet.header().iter().map(|name| latex_escaped(name)).collect();
    let columns = "l".repeat(sheet.labels.len()) + &"r".repeat(header.len() - sheet.labels.len());
    let comment = |text: &str| format!("% {}\n", text.replace(char::is_control, " "));
    let mut text = comment(&sheet.title);
    text += &format!("\\begin{{tabular}}{{{columns}}}\n  \\hline\n  {} \\\\\n", header.join(" & "));
    for (number, line) in sheet.lines.iter().enumerate() {
        if line.begins || number == 0 {
            text += "  \\hline\n";
        }
        let labels = sheet.labels(number).into_iter().map(|label| latex_escaped(&label));
        let cells: Vec<String> = labels.chain(sheet.cells(line, Written::Latex)).collect();
        text += &format!("  {} \\\\\n", cells.join(" & "));
    }
    text += "  \\hline\n\\end{tabular}\n";
    text + &sheet.notes.iter().map(|note| comment(note)).collect::<String>()
}
